//! What a key of a scene file is: a name, what it takes, and what it means. The keys themselves are in `keys`.

use super::units::Quantity;

/// Numbers that are allowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range {
    pub low: f64,
    pub low_is_allowed: bool,
    pub high: f64,
    pub high_is_allowed: bool,
}

impl Range {
    pub const ANY: Range = Range { low: f64::NEG_INFINITY, low_is_allowed: false, ..Range::NOT_NEGATIVE };
    pub const POSITIVE: Range = Range { low_is_allowed: false, ..Range::NOT_NEGATIVE };
    pub const NOT_NEGATIVE: Range =
        Range { low: 0.0, low_is_allowed: true, high: f64::INFINITY, high_is_allowed: false };
    /// Times may be infinite: never.
    pub const MOMENT: Range = Range { high_is_allowed: true, ..Range::NOT_NEGATIVE };
    pub const SHARE: Range = Range { high: 1.0, high_is_allowed: true, ..Range::NOT_NEGATIVE };
    pub const POISSON: Range = Range { high: 0.5, ..Range::NOT_NEGATIVE };
    pub const BELOW_ONE: Range = Range { high: 1.0, ..Range::NOT_NEGATIVE };
    /// Milliseconds of a step; longer than a week is a mistake.
    pub const BUDGET: Range = Range { high: 1e9, high_is_allowed: true, ..Range::POSITIVE };
    pub const BELOW_TWO: Range = Range { high: 2.0, ..Range::POSITIVE };

    pub fn holds(&self, x: f64) -> bool {
        (x > self.low || (self.low_is_allowed && x == self.low))
            && (x < self.high || (self.high_is_allowed && x == self.high))
    }

    /// `at least 0 and below 0.5`
    pub fn described(&self) -> String {
        let low = match (self.low == f64::NEG_INFINITY, self.low_is_allowed) {
            (true, _) => None,
            (_, true) => Some(format!("at least {}", self.low)),
            (_, false) => Some(format!("above {}", self.low)),
        };
        let high = match (self.high == f64::INFINITY, self.high_is_allowed) {
            (true, _) => None,
            (_, true) => Some(format!("at most {}", self.high)),
            (_, false) => Some(format!("below {}", self.high)),
        };
        match (low, high) {
            (None, None) => "finite".to_string(),
            (Some(one), None) | (None, Some(one)) => one,
            (Some(low), Some(high)) => format!("{low} and {high}"),
        }
    }
}

/// What a key takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Text,
    /// An existing file, relative to the scene's folder.
    File,
    Flag,
    Count(u64, u64),
    /// One count for all, or a list of that many.
    Counts(usize, u64, u64),
    Number(Quantity, Range),
    /// One number for all, or a list of that many.
    Numbers(usize, Quantity, Range),
    Vector(Quantity),
    /// `[low, high]`
    Interval(Quantity, Range),
    Choice(&'static [&'static str]),
    Choices(&'static [&'static str]),
    /// One vertex or a list.
    Indices,
    /// One point or a list.
    Points,
    /// Low and high corner.
    Corners,
    /// Times and places.
    Waypoints,
    /// `"tuned"`, or iterations and a ρ for each phase.
    Phases,
    /// s₀, s₁, ... of a model.
    Parameters,
    /// One direction or up to three.
    Directions,
    /// Knots of a curve.
    Knots,
    /// Knots of one curve or of several.
    Curves,
}

/// A key of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub name: &'static str,
    pub kind: Kind,
    /// As one would type it, or in words.
    pub default: &'static str,
    pub about: &'static str,
    /// It has a meaning for these shapes (or kinds) only; empty: for all.
    pub only: &'static [&'static str],
}

/// A table of a scene file.
#[derive(Clone, Copy, Debug)]
pub(super) struct SectionKeys {
    /// Empty for the top of the file.
    pub name: &'static str,
    /// `[[name]]` rather than `[name]`.
    pub many: bool,
    /// The key that decides which others have a meaning.
    pub decides: &'static str,
    pub about: &'static str,
    pub keys: &'static [Key],
}

impl SectionKeys {
    pub fn find(&self, key: &str) -> Option<&'static Key> {
        self.keys.iter().find(|k| k.name == key)
    }

    /// `[[cloth]]`, `[time]`, `the top of the file`
    pub fn title(&self) -> String {
        match (self.name, self.many) {
            ("", _) => "the top of the file".to_string(),
            (name, true) => format!("[[{name}]]"),
            (name, false) => format!("[{name}]"),
        }
    }
}

pub(super) const fn key(name: &'static str, kind: Kind, default: &'static str, about: &'static str) -> Key {
    Key { name, kind, default, about, only: &[] }
}

impl Key {
    pub const fn only(self, only: &'static [&'static str]) -> Key {
        Key { only, ..self }
    }
}
