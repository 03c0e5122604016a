//! What is wrong with a scene: every mistake, with its place and what to do about it.

use std::cell::RefCell;
use std::fmt;

use super::tree::Place;

/// Everything that is wrong with a scene; `Display` prints it all, in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneError {
    /// The mistakes; never empty.
    pub diagnostics: Vec<Diagnostic>,
}

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where it is.
    pub location: Location,
    /// What was found and what was expected.
    pub message: String,
    /// What to do; may be empty.
    pub help: String,
}

/// Where a mistake is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// In the text of a scene.
    Text {
        /// The scene's file, as it was given.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column, from 1, in characters.
        column: usize,
        /// The line itself.
        quote: String,
        /// How many characters of it are meant, from `column` on; at least 1.
        width: usize,
    },
    /// In an override.
    Override {
        /// As it was given: `KEY=VALUE`.
        text: String,
    },
    /// The file as a whole.
    File {
        /// As it was given.
        file: String,
    },
}

impl std::error::Error for SceneError {}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, diagnostic) in self.diagnostics.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{diagnostic}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.location {
            Location::Text { file, line, column, quote, width } => {
                writeln!(f, "{file}:{line}:{column}: {}", self.message)?;
                let (quote, before, width) = window(quote, *column, *width);
                writeln!(f, "{line:>5} | {quote}")?;
                writeln!(f, "      | {:before$}{:^<width$}", "", "")?;
            }
            Location::Override { text } => writeln!(f, "--set {text}: {}", self.message)?,
            Location::File { file } => writeln!(f, "{file}: {}", self.message)?,
        }
        if self.help.is_empty() { Ok(()) } else { writeln!(f, "      = {}", self.help) }
    }
}

/// The part of a long line around `column`, the blanks before the mark, and the length of the mark.
fn window(quote: &str, column: usize, width: usize) -> (String, usize, usize) {
    const SHOWN: usize = 110;
    let start = if column > SHOWN - 30 { column - 30 } else { 0 };
    // A tab would move the mark: every character is shown one column wide.
    let shown: String = quote.chars().skip(start).take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let before = (column - 1).saturating_sub(start);
    let width = width.min(SHOWN.saturating_sub(before)).max(1);
    (shown.trim_end().to_string(), before, width)
}

impl SceneError {
    /// One mistake about the file as a whole.
    pub(super) fn about_file(file: &str, message: String, help: String) -> SceneError {
        let location = Location::File { file: file.to_string() };
        SceneError { diagnostics: vec![Diagnostic { location, message, help }] }
    }
}

/// Mistakes that are told, each with its line; a file that is no scene has one in every line.
const MOST: usize = 100;

/// Collects mistakes while a scene is read.
pub(super) struct Log<'a> {
    file: &'a str,
    text: &'a str,
    set: &'a [(String, String)],
    found: RefCell<Vec<(Place, String, String)>>,
}

impl<'a> Log<'a> {
    pub fn new(file: &'a str, text: &'a str, set: &'a [(String, String)]) -> Self {
        Log { file, text, set, found: RefCell::default() }
    }

    /// Notes a mistake: what was found and expected, and what to do.
    pub fn add(&self, place: Place, message: impl Into<String>, help: impl Into<String>) {
        self.found.borrow_mut().push((place, message.into(), help.into()));
    }

    /// All mistakes, in the order of the text, or `value` if there is none.
    pub fn finish<T>(self, value: T) -> Result<T, SceneError> {
        let mut found = self.found.take();
        found.sort();
        found.dedup();
        if found.is_empty() {
            return Ok(value);
        }
        let more = found.len().saturating_sub(MOST);
        let told = found.into_iter().take(MOST);
        let mut diagnostics: Vec<_> =
            told.map(|(place, message, help)| Diagnostic { location: self.location(place), message, help }).collect();
        if more > 0 {
            let location = Location::File { file: self.file.to_string() };
            let message = format!("and {more} more mistakes: is this a scene?");
            diagnostics.push(Diagnostic { location, message, help: String::new() });
        }
        Err(SceneError { diagnostics })
    }

    fn location(&self, place: Place) -> Location {
        match place {
            Place::Override(index) => {
                let text = self.set.get(index).map(|(key, value)| format!("{key}={value}")).unwrap_or_default();
                Location::Override { text }
            }
            Place::Text { start, end } => {
                let start = boundary(self.text, start);
                let end = boundary(self.text, end).max(start);
                let line_start = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
                let line_end = self.text[start..].find('\n').map_or(self.text.len(), |at| start + at);
                Location::Text {
                    file: self.file.to_string(),
                    line: self.text[..line_start].matches('\n').count() + 1,
                    column: self.text[line_start..start].chars().count() + 1,
                    quote: self.text[line_start..line_end].trim_end_matches('\r').to_string(),
                    width: self.text[start..end.min(line_end)].trim_end().chars().count().max(1),
                }
            }
        }
    }
}

/// The last character boundary of `text` at or before `at`.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
}
