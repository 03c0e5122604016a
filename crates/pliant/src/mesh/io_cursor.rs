//! Walks over the bytes of a mesh file, as text or as binary numbers, and knows where it is when something is wrong.

use super::error::{MeshError, Place};
use crate::counted::counted;

/// What to do about a file that ends too early.
pub(super) const CUT_OFF: &str = "the file is probably cut off: copy or export it again";
/// What to do about an element over missing vertices.
pub(super) const BAD_INDEX: &str = "export the mesh again, or remove this element";
/// What to do about anything that has no better advice.
pub(super) const EXPORT_AGAIN: &str = "correct it or export the mesh again";

/// A position in a file, with the name for messages.
pub(super) struct Cursor<'a> {
    name: &'a str,
    bytes: &'a [u8],
    at: usize,
    line: usize,
    last: Place,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8], name: &'a str) -> Self {
        let at = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        Cursor { name, bytes, at, line: 1, last: Place::Line(1) }
    }

    /// A cursor over a file that is binary from its first byte: a byte order mark is data there.
    pub fn new_binary(bytes: &'a [u8], name: &'a str) -> Self {
        Cursor { name, bytes, at: 0, line: 1, last: Place::Byte(0) }
    }

    /// Bytes not read yet.
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The line of what was read last, from 1.
    pub fn line_number(&self) -> usize {
        match self.last {
            Place::Line(line) => line,
            _ => self.line,
        }
    }

    /// An error about what was read last.
    pub fn error(&self, found: impl Into<String>, expected: impl Into<String>, advice: &'static str) -> MeshError {
        self.error_at(self.last, found, expected, advice)
    }

    /// An error about another place of the file.
    pub fn error_at(
        &self,
        place: Place,
        found: impl Into<String>,
        expected: impl Into<String>,
        advice: &'static str,
    ) -> MeshError {
        MeshError::Malformed {
            name: self.name.to_string(),
            place,
            found: found.into(),
            expected: expected.into(),
            advice,
        }
    }

    /// The next line without its end (LF, CRLF or CR), or nothing at the end of the file.
    pub fn next_line(&mut self) -> Option<&'a [u8]> {
        self.last = Place::Line(self.line);
        if self.remaining() == 0 {
            return None;
        }
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&b| b == b'\n' || b == b'\r').unwrap_or(rest.len());
        self.at += length;
        self.skip_line_end();
        Some(&rest[..length])
    }

    fn skip_line_end(&mut self) {
        let rest = &self.bytes[self.at..];
        let length = match rest {
            [b'\r', b'\n', ..] => 2,
            [b'\r' | b'\n', ..] => 1,
            _ => return,
        };
        self.at += length;
        self.line += 1;
    }

    /// The next line that is neither blank nor starts with `comment`, without what follows a `comment`.
    pub fn next_data_line(&mut self, comment: u8) -> Option<&'a [u8]> {
        loop {
            let line = self.next_line()?;
            let line = line.split(|&b| b == comment).next().unwrap_or(line).trim_ascii();
            if !line.is_empty() {
                return Some(line);
            }
        }
    }

    /// The next word, over line ends.
    pub fn next_word(&mut self) -> Option<&'a [u8]> {
        while self.at < self.bytes.len() && self.bytes[self.at].is_ascii_whitespace() {
            // CRLF counts once: the CR is a blank, the LF ends the line.
            self.line += usize::from(self.bytes[self.at] == b'\n');
            self.at += 1;
        }
        self.last = Place::Line(self.line);
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|b| b.is_ascii_whitespace()).unwrap_or(rest.len());
        self.at += length;
        (length > 0).then(|| &rest[..length])
    }

    /// The next word, or an error that says what is missing.
    pub fn word(&mut self, what: &str) -> Result<&'a [u8], MeshError> {
        self.next_word().ok_or_else(|| self.error("the end of the file", what, CUT_OFF))
    }

    /// The next word as a finite number.
    pub fn real(&mut self, what: &str) -> Result<f64, MeshError> {
        let word = self.word(what)?;
        self.parse_real(word, what)
    }

    /// The next word as a whole number.
    pub fn integer(&mut self, what: &str) -> Result<i64, MeshError> {
        let word = self.word(what)?;
        self.parse_integer(word, what)
    }

    /// The next word as a number of things, each at least `bytes_each` bytes long in the rest of the file.
    pub fn count(&mut self, what: &str, bytes_each: usize) -> Result<usize, MeshError> {
        let n = self.integer(what)?;
        self.check_count(n, what, bytes_each)
    }

    /// Refuses a count that the rest of the file cannot hold, so that no count is ever trusted with memory or time.
    pub fn check_count(&self, n: i64, what: &str, bytes_each: usize) -> Result<usize, MeshError> {
        let most = self.remaining() / bytes_each.max(1);
        match usize::try_from(n) {
            Ok(n) if n <= most => Ok(n),
            _ => Err(self.error(
                format!("{n} as {what}"),
                format!("0 to {most}, as {} left", bytes_are(self.remaining())),
                "correct the count, or export the mesh again if it is cut off",
            )),
        }
    }

    /// A word as a finite number.
    pub fn parse_real(&self, word: &[u8], what: &str) -> Result<f64, MeshError> {
        let value: Option<f64> = std::str::from_utf8(word).ok().and_then(|text| text.parse().ok());
        match value {
            Some(value) if value.is_finite() => Ok(value),
            Some(_) => Err(self.error(
                quote(word),
                format!("{what} that is a finite number"),
                "the program that wrote it failed before: export the mesh again",
            )),
            None if word.contains(&b',') => Err(self.error(
                quote(word),
                format!("{what} as a number with a decimal point"),
                "write numbers with a point, not a comma",
            )),
            None => Err(self.error(quote(word), format!("{what} as a number"), EXPORT_AGAIN)),
        }
    }

    /// A word as a whole number.
    pub fn parse_integer(&self, word: &[u8], what: &str) -> Result<i64, MeshError> {
        let value: Option<i64> = std::str::from_utf8(word).ok().and_then(|text| text.parse().ok());
        value.ok_or_else(|| self.error(quote(word), format!("{what} as a whole number"), EXPORT_AGAIN))
    }

    /// Turns an index of a file that counts vertices from `first` into ours.
    pub fn index(&self, raw: i64, first: i64, points: usize) -> Result<u32, MeshError> {
        self.index_at(self.last, raw, first, points)
    }

    /// The same for an index read earlier, at `place`.
    pub fn index_at(&self, place: Place, raw: i64, first: i64, points: usize) -> Result<u32, MeshError> {
        match raw.checked_sub(first).and_then(|i| u32::try_from(i).ok()) {
            Some(index) if (index as usize) < points => Ok(index),
            _ if points == 0 => {
                Err(self.error_at(place, format!("vertex index {raw}"), "vertices before elements", BAD_INDEX))
            }
            _ => Err(self.error_at(
                place,
                format!("vertex index {raw}"),
                format!("{first} to {}, as {}", points as i64 - 1 + first, vertices_are(points)),
                BAD_INDEX,
            )),
        }
    }

    /// The same for an index of a binary or free-form file, where the number of its element says more than the place.
    pub fn index_in(&self, element: &str, i: usize, raw: i64, points: usize) -> Result<u32, MeshError> {
        match u32::try_from(raw) {
            Ok(index) if (index as usize) < points => Ok(index),
            _ => Err(self.error_at(
                Place::File,
                format!("vertex index {raw} in {element} {i}"),
                format!("0 to {}, as {}", points as i64 - 1, vertices_are(points)),
                BAD_INDEX,
            )),
        }
    }

    /// The next `n` bytes; from here on, places are offsets.
    pub fn take(&mut self, n: usize, what: &str) -> Result<&'a [u8], MeshError> {
        self.last = Place::Byte(self.at);
        if n > self.remaining() {
            let found = format!("{} before the end of the file", counted(self.remaining(), "byte", "bytes"));
            return Err(self.error(found, format!("{} of {what}", counted(n, "byte", "bytes")), CUT_OFF));
        }
        let taken = &self.bytes[self.at..self.at + n];
        self.at += n;
        Ok(taken)
    }

    /// The next binary number.
    pub fn number(&mut self, kind: Scalar, endian: Endian, what: &str) -> Result<Number, MeshError> {
        Ok(kind.decode(self.take(kind.size(), what)?, endian))
    }

    /// The next binary number as a finite real.
    pub fn binary_real(&mut self, kind: Scalar, endian: Endian, what: &str) -> Result<f64, MeshError> {
        let value = match self.number(kind, endian, what)? {
            Number::Whole(i) => i as f64,
            Number::Real(r) => r,
        };
        if value.is_finite() {
            return Ok(value);
        }
        let advice = "the program that wrote it failed before, or the byte order is wrong: export the mesh again";
        Err(self.error(format!("{value}"), format!("{what} that is a finite number"), advice))
    }

    /// The next binary number as a whole one.
    pub fn binary_integer(&mut self, kind: Scalar, endian: Endian, what: &str) -> Result<i64, MeshError> {
        match self.number(kind, endian, what)? {
            Number::Whole(i) => Ok(i),
            Number::Real(r) => {
                Err(self.error(format!("the real number {r:?}"), format!("{what} as a whole number"), EXPORT_AGAIN))
            }
        }
    }

    /// Goes behind the next occurrence of `needle`, which must be short: the time is the product of both lengths.
    pub fn skip_past(&mut self, needle: &[u8]) -> Result<(), MeshError> {
        let rest = &self.bytes[self.at..];
        let Some(offset) = rest.windows(needle.len()).position(|window| window == needle) else {
            return Err(self.error("the end of the file", quote(needle), CUT_OFF));
        };
        self.line += rest[..offset].iter().filter(|&&b| b == b'\n').count();
        self.at += offset + needle.len();
        Ok(())
    }
}

/// The words of a line.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// Text of the file as it may stand in a message: short, and without control characters.
pub(super) fn quote(word: &[u8]) -> String {
    const LONGEST: usize = 32;
    let text = String::from_utf8_lossy(&word[..word.len().min(LONGEST)]);
    let dots = if word.len() > LONGEST { "..." } else { "" };
    format!("`{}{dots}`", text.escape_debug())
}

/// Splits a polygon into triangles around its first corner.
pub(super) fn push_fan(polygon: &[u32], triangles: &mut Vec<[u32; 3]>) {
    for pair in polygon.windows(2).skip(1) {
        triangles.push([polygon[0], pair[0], pair[1]]);
    }
}

/// Byte order of binary numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Endian {
    Little,
    Big,
}

/// A number of a binary file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Whole(i64),
    Real(f64),
}

/// How a number is stored in a binary file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Scalar {
    /// Bytes.
    pub fn size(self) -> usize {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }

    /// Whether it holds whole numbers only.
    pub fn is_whole(self) -> bool {
        !matches!(self, Scalar::F32 | Scalar::F64)
    }

    /// Reads it; `bytes` has [`Scalar::size`] bytes. A `u64` past `i64::MAX` becomes −1, which no count or index is.
    pub fn decode(self, bytes: &[u8], endian: Endian) -> Number {
        let mut raw = [0u8; 8];
        let n = self.size().min(bytes.len());
        raw[..n].copy_from_slice(&bytes[..n]);
        if endian == Endian::Big {
            raw[..n].reverse();
        }
        let bits = u64::from_le_bytes(raw);
        match self {
            Scalar::I8 => Number::Whole((bits as i8).into()),
            Scalar::U8 => Number::Whole((bits as u8).into()),
            Scalar::I16 => Number::Whole((bits as i16).into()),
            Scalar::U16 => Number::Whole((bits as u16).into()),
            Scalar::I32 => Number::Whole((bits as i32).into()),
            Scalar::U32 => Number::Whole((bits as u32).into()),
            Scalar::I64 => Number::Whole(bits as i64),
            Scalar::U64 => Number::Whole(i64::try_from(bits).unwrap_or(-1)),
            Scalar::F32 => Number::Real(f32::from_bits(bits as u32).into()),
            Scalar::F64 => Number::Real(f64::from_bits(bits)),
        }
    }
}
/// `there is 1 vertex`
pub(super) fn vertices_are(count: usize) -> String {
    format!("there {} {}", if count == 1 { "is" } else { "are" }, counted(count, "vertex", "vertices"))
}

fn bytes_are(count: usize) -> String {
    format!("{} {}", counted(count, "byte", "bytes"), if count == 1 { "is" } else { "are" })
}
