//! What was typed: the TOML text as a tree in which every name and value knows where it stands.

use toml::de::{DeTable, DeValue};

/// Where a name or value was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// Bytes of the scene's text.
    Text { start: usize, end: usize },
    /// The override with this index.
    Override(usize),
}

/// A value and its place.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub place: Place,
    pub value: Value,
}

/// A TOML value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Text(String),
    /// Beyond 128 bits it is taken for a float.
    Integer(i128),
    Float(f64),
    Flag(bool),
    Date,
    List(Vec<Node>),
    Table(Table),
}

/// Names and values, sorted by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    pub entries: Vec<Entry>,
}

/// A name, its place, and its value.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub key: String,
    pub place: Place,
    pub node: Node,
}

impl Table {
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|e| e.key == key)
    }

    pub fn get_mut(&mut self, key: &str) -> Option<&mut Entry> {
        self.entries.iter_mut().find(|e| e.key == key)
    }

    /// Sets `key`, in the place of an earlier value if there is one.
    pub fn put(&mut self, key: &str, node: Node) {
        let place = node.place;
        match self.get_mut(key) {
            Some(entry) => (entry.place, entry.node) = (place, node),
            None => self.entries.push(Entry { key: key.to_string(), place, node }),
        }
    }

    pub fn remove(&mut self, key: &str) -> Option<Entry> {
        let at = self.entries.iter().position(|e| e.key == key)?;
        Some(self.entries.remove(at))
    }

    pub fn from_toml(table: &DeTable<'_>) -> Table {
        let entries = table
            .iter()
            .map(|(key, value)| Entry {
                key: key.get_ref().to_string(),
                place: Place::Text { start: key.span().start, end: key.span().end },
                node: Node::from_toml(
                    value.get_ref(),
                    Place::Text { start: value.span().start, end: value.span().end },
                ),
            })
            .collect();
        Table { entries }
    }
}

impl Node {
    fn from_toml(value: &DeValue<'_>, place: Place) -> Node {
        let value = match value {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Integer(digits) => match i128::from_str_radix(digits.as_str(), digits.radix()) {
                Ok(integer) => Value::Integer(integer),
                Err(_) => Value::Float(digits.as_str().parse().unwrap_or(f64::NAN)),
            },
            DeValue::Float(digits) => Value::Float(digits.as_str().parse().unwrap_or(f64::NAN)),
            DeValue::Boolean(flag) => Value::Flag(*flag),
            DeValue::Datetime(_) => Value::Date,
            DeValue::Array(items) => Value::List(
                items
                    .iter()
                    .map(|i| Node::from_toml(i.get_ref(), Place::Text { start: i.span().start, end: i.span().end }))
                    .collect(),
            ),
            DeValue::Table(table) => Value::Table(Table::from_toml(table)),
        };
        Node { place, value }
    }

    /// The value of an override: a TOML value if it reads as one, else the text itself.
    pub fn from_override(text: &str, place: Place) -> Node {
        let mut node = match DeValue::parse(text) {
            Ok(value) => Node::from_toml(value.get_ref(), place),
            Err(_) => Node { place, value: Value::Text(text.trim().to_string()) },
        };
        node.stand_at(place);
        node
    }

    fn stand_at(&mut self, place: Place) {
        self.place = place;
        match &mut self.value {
            Value::List(items) => items.iter_mut().for_each(|i| i.stand_at(place)),
            Value::Table(table) => table.entries.iter_mut().for_each(|e| {
                e.place = place;
                e.node.stand_at(place);
            }),
            _ => {}
        }
    }

    /// What it is, for "found ...".
    pub fn described(&self) -> String {
        match &self.value {
            Value::Text(text) => format!("the text \"{}\"", shortened(text)),
            Value::Integer(i) => format!("{i}"),
            Value::Float(f) => format!("{f:?}"),
            Value::Flag(flag) => format!("{flag}"),
            Value::Date => "a date".to_string(),
            Value::List(items) => format!("a list of {}", items.len()),
            Value::Table(_) => "a table".to_string(),
        }
    }
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= 40 {
        text.escape_debug().to_string()
    } else {
        format!("{}…", text.chars().take(40).collect::<String>().escape_debug())
    }
}
