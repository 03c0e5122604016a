//! Reads the keys of one table, each as its entry in the key table says, and notes every mistake.

mod lists;

use std::path::{Path, PathBuf};

use super::error::Log;
use super::key::{Kind, Range, SectionKeys};
use super::keys::{SECTIONS, TOP, section};
use super::suggest;
use super::tree::{Entry, Node, Place, Table, Value};
use super::types::{MOST_PHASES, Phase, Phases, Waypoint};
use super::units::{self, LENGTH, PLAIN, Quantity, TIME};

/// One table of the scene, while it is read. A key that is absent or wrong reads as `None`; what is wrong is logged.
pub(super) struct Section<'a> {
    pub place: Place,
    table: &'a Table,
    keys: &'static SectionKeys,
    log: &'a Log<'a>,
}

impl<'a> Section<'a> {
    pub fn new(place: Place, table: &'a Table, keys: &'static SectionKeys, log: &'a Log<'a>) -> Self {
        Section { place, table, keys, log }
    }

    /// Whether the key is there, right or wrong.
    pub fn has(&self, key: &str) -> bool {
        self.table.get(key).is_some()
    }

    /// Where the key's value is; the table itself if it is absent.
    pub fn place_of(&self, key: &str) -> Place {
        self.table.get(key).map_or(self.place, |e| e.node.place)
    }

    /// Notes a mistake about `key`, or about the table if the key is absent.
    pub fn fail(&self, key: &str, message: impl Into<String>, help: impl Into<String>) {
        self.log.add(self.place_of(key), message, help);
    }

    /// Notes that a key that must be there is not.
    pub fn missing(&self, key: &str, help: impl Into<String>) {
        if !self.has(key) {
            self.log.add(self.place, format!("{} has no `{key}`, which is required", self.keys.title()), help);
        }
    }

    fn entry(&self, key: &str) -> Option<(&'a Entry, Kind)> {
        let known = self.keys.find(key);
        debug_assert!(known.is_some(), "`{key}` is not in the key table of {}", self.keys.title());
        Some((self.table.get(key)?, known?.kind))
    }

    pub fn text(&self, key: &str) -> Option<String> {
        let (entry, _) = self.entry(key)?;
        match &entry.node.value {
            Value::Text(text) if !text.trim().is_empty() => Some(text.clone()),
            _ => self.wrong(entry, "a text that is not empty", "write it in quotes"),
        }
    }

    pub fn flag(&self, key: &str) -> Option<bool> {
        let (entry, _) = self.entry(key)?;
        match entry.node.value {
            Value::Flag(flag) => Some(flag),
            _ => self.wrong(entry, "true or false", "write it without quotes"),
        }
    }

    /// A file that exists, as it was typed.
    pub fn file(&self, key: &str, folder: &Path) -> Option<PathBuf> {
        let (entry, _) = self.entry(key)?;
        let Value::Text(text) = &entry.node.value else {
            return self.wrong(entry, "the name of a file", "write it in quotes");
        };
        let path = folder.join(text);
        if path.is_file() {
            return Some(PathBuf::from(text));
        }
        let looked_in = path.parent().unwrap_or(folder);
        let near = path.file_name().and_then(|n| suggest::nearest_file(looked_in, &n.to_string_lossy()));
        let shown = std::path::absolute(looked_in).unwrap_or_else(|_| looked_in.to_path_buf());
        let (problem, help) = match (path.is_dir(), near) {
            (true, _) => ("is a folder, not a file", "name a file in it".to_string()),
            (false, _) if path.exists() => ("is no regular file", "name a file with a mesh in it".to_string()),
            (false, Some(near)) => ("does not exist", format!("looked in {}; did you mean `{near}`?", shown.display())),
            (false, None) => {
                ("does not exist", format!("looked in {}; paths start at the scene's folder", shown.display()))
            }
        };
        self.log.add(entry.node.place, format!("the file \"{text}\" {problem}"), help);
        None
    }

    pub fn choice(&self, key: &str) -> Option<&'static str> {
        match self.entry(key)? {
            (entry, Kind::Choice(choices)) => self.one_of(key, &entry.node, choices),
            _ => None,
        }
    }

    /// One or more of the choices.
    pub fn choices(&self, key: &str) -> Option<Vec<&'static str>> {
        let (entry, Kind::Choices(choices)) = self.entry(key)? else { return None };
        match &entry.node.value {
            Value::List(items) if !items.is_empty() => all(items.iter().map(|i| self.one_of(key, i, choices))),
            Value::Text(_) => Some(vec![self.one_of(key, &entry.node, choices)?]),
            _ => {
                self.wrong(entry, &format!("a list of {}", suggest::list(choices)), "a list is written [\"a\", \"b\"]")
            }
        }
    }

    fn one_of(&self, key: &str, node: &Node, choices: &'static [&'static str]) -> Option<&'static str> {
        if let Value::Text(text) = &node.value {
            if let Some(choice) = choices.iter().find(|c| *c == text) {
                return Some(choice);
            }
            self.log.add(node.place, format!("unknown `{key}` \"{text}\""), suggest::help(text, "values", choices));
        } else {
            let expected = format!("`{key}` is {}; expected one of {}", node.described(), suggest::list(choices));
            self.log.add(node.place, expected, "write it in quotes");
        }
        None
    }

    pub fn count(&self, key: &str) -> Option<usize> {
        self.big_count(key).and_then(|c| usize::try_from(c).ok())
    }

    pub fn big_count(&self, key: &str) -> Option<u64> {
        let (entry, Kind::Count(low, high)) = self.entry(key)? else { return None };
        self.whole(key, &entry.node, low, high)
    }

    /// One count for all sides, or one for each.
    pub fn counts<const N: usize>(&self, key: &str) -> Option<[usize; N]> {
        let (entry, Kind::Counts(_, low, high)) = self.entry(key)? else { return None };
        let one = |node: &Node| self.whole(key, node, low, high).and_then(|c| usize::try_from(c).ok());
        match &entry.node.value {
            Value::List(items) if items.len() == N => all(items.iter().map(one))?.try_into().ok(),
            Value::List(_) | Value::Table(_) | Value::Date | Value::Flag(_) => {
                self.wrong(entry, &format!("a whole number, or a list of {N}"), "")
            }
            _ => one(&entry.node).map(|c| [c; N]),
        }
    }

    fn whole(&self, key: &str, node: &Node, low: u64, high: u64) -> Option<u64> {
        let expected = match (low, high) {
            (low, high) if low == high => format!("{low}"),
            (low, u64::MAX) => format!("a whole number of at least {low}"),
            (low, high) => format!("a whole number from {low} to {high}"),
        };
        let count = match node.value {
            Value::Integer(i) => u64::try_from(i).ok(),
            _ => None,
        };
        if let Some(count) = count.filter(|c| (low..=high).contains(c)) {
            return Some(count);
        }
        let help = match node.value {
            Value::Float(f) if f.fract() == 0.0 && f.abs() < 1e15 => format!("write {f:.0}, without a point"),
            _ if low == high => format!("{low} is all that this version knows"),
            _ => String::new(),
        };
        self.log.add(node.place, format!("`{key}` is {}; expected {expected}", node.described()), help);
        None
    }

    pub fn number(&self, key: &str) -> Option<f64> {
        let (entry, Kind::Number(quantity, range)) = self.entry(key)? else { return None };
        self.measure(key, &entry.node, &quantity, &range)
    }

    /// One number for all sides, or one for each.
    pub fn numbers<const N: usize>(&self, key: &str) -> Option<[f64; N]> {
        let (entry, Kind::Numbers(_, quantity, range)) = self.entry(key)? else { return None };
        match &entry.node.value {
            Value::List(_) => self.tuple(key, &entry.node, &quantity, &range),
            _ => self.measure(key, &entry.node, &quantity, &range).map(|x| [x; N]),
        }
    }

    pub fn vector(&self, key: &str) -> Option<[f64; 3]> {
        let (entry, Kind::Vector(quantity)) = self.entry(key)? else { return None };
        self.tuple(key, &entry.node, &quantity, &Range::ANY)
    }

    /// `[low, high]` with low ≤ high.
    pub fn interval(&self, key: &str) -> Option<[f64; 2]> {
        let (entry, Kind::Interval(quantity, range)) = self.entry(key)? else { return None };
        let [low, high] = self.tuple(key, &entry.node, &quantity, &range)?;
        if low.is_infinite() {
            self.fail(
                key,
                format!("`{key}` never starts"),
                "write a first number that is finite, or remove the motion",
            );
            return None;
        }
        if low <= high {
            return Some([low, high]);
        }
        self.fail(
            key,
            format!("`{key}` ends at {}, before it starts at {}", units::shown(high), units::shown(low)),
            "write the smaller number first",
        );
        None
    }

    /// One vertex or a list of them.
    pub fn indices(&self, key: &str) -> Option<Vec<u32>> {
        let (entry, _) = self.entry(key)?;
        let one = |node: &Node| self.whole(key, node, 0, u64::from(u32::MAX)).and_then(|i| u32::try_from(i).ok());
        match &entry.node.value {
            Value::List(items) if items.is_empty() => self.wrong(entry, "at least one vertex", "or remove the pin"),
            Value::List(items) => all(items.iter().map(one)),
            _ => one(&entry.node).map(|i| vec![i]),
        }
    }

    /// One point or a list of them, m.
    pub fn points(&self, key: &str) -> Option<Vec<[f64; 3]>> {
        let (entry, _) = self.entry(key)?;
        let point = |node: &Node| self.tuple(key, node, &LENGTH, &Range::ANY);
        match &entry.node.value {
            Value::List(items) if items.is_empty() => self.wrong(entry, "at least one point", "or remove the pin"),
            Value::List(items) if items.iter().any(|i| matches!(i.value, Value::List(_))) => {
                all(items.iter().map(point))
            }
            _ => point(&entry.node).map(|p| vec![p]),
        }
    }

    /// Low and high corner of a box, m.
    pub fn corners(&self, key: &str) -> Option<[[f64; 3]; 2]> {
        let (entry, _) = self.entry(key)?;
        let Value::List(items) = &entry.node.value else {
            return self.wrong(entry, "two corners", "write [[x, y, z], [x, y, z]], the low corner first");
        };
        let [low, high] = items.as_slice() else {
            return self.wrong(entry, "two corners", "write [[x, y, z], [x, y, z]], the low corner first");
        };
        // Such a box may well be meant to have no end.
        let anywhere = Quantity { most: f64::INFINITY, ..LENGTH };
        let low: [f64; 3] = self.tuple(key, low, &anywhere, &Range::ANY)?;
        let high: [f64; 3] = self.tuple(key, high, &anywhere, &Range::ANY)?;
        if let Some(axis) = (0..3).find(|&a| low[a] > high[a]) {
            let name = ["x", "y", "z"][axis];
            let message =
                format!("the box of `{key}` is empty: along {name} it ends at {}, before {}", high[axis], low[axis]);
            self.fail(key, message, "write the low corner first");
            return None;
        }
        Some([low, high])
    }

    /// Times and places, at least two, at growing times.
    pub fn waypoints(&self, key: &str) -> Option<Vec<Waypoint>> {
        let (entry, _) = self.entry(key)?;
        let example = "write for example [[1, 0, 0.5, 0], [2, 0, 1, 0]]: a time in s, then a place in m";
        let items = match &entry.node.value {
            Value::List(items) if items.len() >= 2 => items,
            _ => return self.wrong(entry, "a list of two waypoints or more", example),
        };
        let one = |node: &Node| match &node.value {
            Value::List(numbers) if numbers.len() == 4 => {
                let time = self.measure(key, &numbers[0], &TIME, &Range::NOT_NEGATIVE);
                let place = all(numbers[1..].iter().map(|n| self.measure(key, n, &LENGTH, &Range::ANY)));
                Some(Waypoint { time: time?, place: place?.try_into().ok()? })
            }
            _ => {
                let message = format!("a waypoint of `{key}` is {}; expected [time, x, y, z]", node.described());
                self.log.add(node.place, message, example);
                None
            }
        };
        let path = all(items.iter().map(one))?;
        for ((a, b), node) in path.iter().zip(&path[1..]).zip(&items[1..]) {
            if a.time >= b.time {
                let [now, before] = [b.time, a.time].map(units::shown);
                let message =
                    format!("a waypoint of `{key}` is at {now} s, not later than the one before, at {before} s");
                self.log.add(node.place, message, "write them in the order of their times");
                return None;
            }
        }
        Some(path)
    }

    /// `"tuned"`, or iterations and a ρ for each of at most eight phases.
    pub fn phases(&self, key: &str) -> Option<Phases> {
        let (entry, _) = self.entry(key)?;
        let example = "write for example [[24, 0.98], [72, 0.9996]]: iterations, then rho; or \"tuned\"";
        let items = match &entry.node.value {
            Value::Text(text) if text == "tuned" => return Some(Phases::Tuned),
            Value::List(items) if (1..=MOST_PHASES).contains(&items.len()) => items,
            _ => return self.wrong(entry, &format!("a list of 1 to {MOST_PHASES} phases"), example),
        };
        let one = |node: &Node| match &node.value {
            Value::List(numbers) if numbers.len() == 2 => {
                let iterations = self.whole(key, &numbers[0], 1, 100_000_000);
                let rho = self.measure(key, &numbers[1], &PLAIN, &Range::BELOW_ONE);
                Some(Phase { iterations: usize::try_from(iterations?).ok()?, rho: rho? })
            }
            _ => {
                let message = format!("a phase of `{key}` is {}; expected [iterations, rho]", node.described());
                self.log.add(node.place, message, example);
                None
            }
        };
        all(items.iter().map(one)).map(Phases::Given)
    }

    fn tuple<const N: usize>(&self, key: &str, node: &Node, quantity: &Quantity, range: &Range) -> Option<[f64; N]> {
        match &node.value {
            Value::List(items) if items.len() == N => {
                all(items.iter().map(|i| self.measure(key, i, quantity, range)))?.try_into().ok()
            }
            _ => {
                let message = format!("`{key}` is {}; expected a list of {N} numbers", node.described());
                let example = if N == 3 { "[0, 1, 0]" } else { "[0.9, 1.1]" };
                let unit = if quantity.unit.is_empty() { String::new() } else { format!(", in {}", quantity.unit) };
                self.log.add(node.place, message, format!("write for example {example}{unit}"));
                None
            }
        }
    }

    fn measure(&self, key: &str, node: &Node, quantity: &Quantity, range: &Range) -> Option<f64> {
        let value = match &node.value {
            Value::Integer(i) => *i as f64,
            Value::Float(f) => *f,
            Value::Text(text) => match units::read(text, quantity) {
                Ok(value) => value,
                Err(e) => {
                    self.log.add(node.place, format!("`{key}`: {}", e.message), e.help);
                    return None;
                }
            },
            _ => {
                let message = format!("`{key}` is {}; expected {}", node.described(), units::described(quantity));
                self.log.add(node.place, message, units::for_example(quantity));
                return None;
            }
        };
        if range.holds(value) {
            return self.plausible(key, node, quantity, range, value);
        }
        let help = match (*quantity == PLAIN, value.is_finite()) {
            (true, true) => String::new(),
            (true, false) => "write a finite number".to_string(),
            (false, _) => units::for_example(quantity),
        };
        let unit = if *quantity == PLAIN { String::new() } else { format!(" {}", quantity.unit) };
        let found = match value {
            value if value.is_nan() => "not a number (nan)".to_string(),
            value if value.is_infinite() => format!("infinite ({value})"),
            value => format!("{}{unit}", units::shown(value)),
        };
        let any = value.is_finite() || range.holds(f64::INFINITY) || *range == Range::ANY;
        let finite = if any { "" } else { "finite and " };
        self.log.add(node.place, format!("`{key}` is {found}; it must be {finite}{}", range.described()), help);
        None
    }

    /// Refuses what nobody means: a cloth of 1e30 m. Where 0 is allowed, so is what is almost 0; so is infinity.
    fn plausible(&self, key: &str, node: &Node, quantity: &Quantity, range: &Range, value: f64) -> Option<f64> {
        let least = if range.holds(0.0) { 0.0 } else { quantity.least };
        if (least..=quantity.most).contains(&value.abs()) || value.is_infinite() {
            return Some(value);
        }
        let [least, most, shown] = [least, quantity.most, value].map(units::shown);
        let low = if range.holds(-1.0) { format!("-{most}") } else { least };
        let unit = if quantity.unit.is_empty() { String::new() } else { format!(" {}", quantity.unit) };
        let message =
            format!("`{key}` is {shown}{unit}, which is not plausible; it must be from {low} to {most}{unit}");
        self.log.add(node.place, message, units::for_example(quantity));
        None
    }

    fn wrong<T>(&self, entry: &Entry, expected: &str, help: &str) -> Option<T> {
        let message = format!("`{}` is {}; expected {expected}", entry.key, entry.node.described());
        self.log.add(entry.node.place, message, help);
        None
    }

    /// Notes keys that nobody knows, and keys that mean nothing for the `decided` shape or kind ("" = a mesh file).
    pub fn check_keys(&self, decided: Option<&str>) {
        for entry in &self.table.entries {
            match self.keys.find(&entry.key) {
                None if self.keys.name.is_empty() && section(&entry.key).is_some() => {}
                None => self.unknown(entry),
                Some(key) => {
                    if let Some(decided) = decided.filter(|d| !key.only.is_empty() && !key.only.contains(d)) {
                        self.meaningless(entry, decided);
                    }
                }
            }
        }
    }

    fn meaningless(&self, entry: &Entry, decided: &str) {
        let names = |of: &str| -> Vec<&str> {
            self.keys.keys.iter().filter(|k| k.only.contains(&of)).map(|k| k.name).collect()
        };
        let (subject, help) = if decided.is_empty() {
            ("a mesh file".to_string(), "remove it, or use `shape` instead of `mesh`".to_string())
        } else {
            let title = format!("{} = \"{decided}\"", self.keys.decides);
            let help = format!("{title} takes {}", suggest::list(&names(decided)));
            (title, help)
        };
        self.log.add(entry.place, format!("`{}` has no meaning for {subject}", entry.key), help);
    }

    fn unknown(&self, entry: &Entry) {
        let mut names: Vec<&str> = self.keys.keys.iter().map(|k| k.name).collect();
        let top = self.keys.name.is_empty();
        if top {
            names.extend(SECTIONS.iter().map(|s| s.name));
        }
        let elsewhere: Vec<String> = std::iter::once(&TOP)
            .chain(SECTIONS)
            .filter(|s| s.find(&entry.key).is_some() && s.name != self.keys.name)
            .map(SectionKeys::title)
            .collect();
        let help = suggest::similar(&entry.key, &names).unwrap_or_else(|| match elsewhere.as_slice() {
            [] => suggest::help(&entry.key, "keys", &names),
            [one] if *one == TOP.title() => "it belongs at the top of the file, before the first table".to_string(),
            _ => format!("it belongs in {}", elsewhere.join(" or ")),
        });
        let what = match entry.node.value {
            Value::Table(_) | Value::List(_) if top => "table or key",
            _ => "key",
        };
        self.log.add(
            entry.place,
            format!(
                "unknown {what} `{}` {}",
                entry.key,
                if top { "at the top of the file".to_string() } else { format!("in {}", self.keys.title()) }
            ),
            help,
        );
    }
}

/// All, or `None`; goes through all of them, so that every mistake is noted.
fn all<T>(items: impl Iterator<Item = Option<T>>) -> Option<Vec<T>> {
    let read: Vec<Option<T>> = items.collect();
    read.into_iter().collect()
}
