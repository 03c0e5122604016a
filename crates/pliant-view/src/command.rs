//! What clients may ask for (docs/viewer.md). Everything is checked here for its form; whether it makes sense, where it is done.

use crate::settings::Change;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use std::fmt;

/// The longest message of a client, bytes.
pub(crate) const LONGEST: usize = 16 << 10;

/// The largest number of a command: what a page can count to.
const LARGEST: u64 = (1 << 53) - 1;

/// A command.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Command {
    Drive,
    /// A frame has come.
    Seen,
    Play,
    Pause,
    Step,
    Reset,
    Grab {
        vertex: u32,
        /// m
        target: [f64; 3],
        /// m
        radius: Option<f64>,
    },
    Drag {
        /// m
        target: [f64; 3],
    },
    Release,
    Pin {
        vertex: u32,
        on: bool,
    },
    Set(Change),
    Scene {
        name: String,
    },
    Show {
        residual: Option<bool>,
        curve: Option<bool>,
    },
    Record {
        on: bool,
    },
}

impl Command {
    /// Has no fields. Serde does not look for any that should not be there then, whatever `deny_unknown_fields` says.
    fn is_bare(&self) -> bool {
        use Command::{Drive, Pause, Play, Release, Reset, Seen, Step};
        matches!(self, Drive | Seen | Play | Pause | Step | Reset | Release)
    }
}

/// A command with its number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Numbered {
    /// 0 if it had none.
    pub n: u64,
    pub command: Command,
}

/// An object that names nothing twice: of two values JSON says not which one counts.
struct Fields(Map<String, Value>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Fields;

            fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
                to.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Map::new();
                while let Some((key, value)) = map.next_entry::<String, Value>()? {
                    if fields.contains_key(&key) {
                        return Err(A::Error::custom(format_args!("`{key}` is there twice")));
                    }
                    fields.insert(key, value);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Each)
    }
}

/// Reads a message; what is wrong with it is said in a few words.
pub(crate) fn parse(text: &str) -> Result<Numbered, String> {
    let Fields(mut fields) = serde_json::from_str(text).map_err(|error| format!("no command: {error}"))?;
    let n = match fields.remove("n") {
        None => 0,
        Some(n) => n.as_u64().filter(|n| *n <= LARGEST).ok_or("`n` is not a whole number below 2^53")?,
    };
    let more = fields.keys().find(|field| *field != "do").cloned();
    let command: Command = serde_json::from_value(fields.into()).map_err(|error| error.to_string())?;
    if let (true, Some(more)) = (command.is_bare(), more) {
        return Err(format!("unknown field `{more}`"));
    }
    match &command {
        Command::Grab { radius: Some(radius), .. } if !(0.0..1e3).contains(radius) => {
            Err("a radius is not between 0 and 1000 m".to_string())
        }
        Command::Grab { target, .. } | Command::Drag { target } if !target.iter().all(|c| c.abs() < 1e6) => {
            Err("a target is farther than 1000 km away".to_string())
        }
        _ => Ok(Numbered { n, command }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_and_everything_else_is_refused_with_a_reason() {
        let read = |text: &str| parse(text).unwrap();
        assert_eq!(read(r#"{"do":"play","n":3}"#), Numbered { n: 3, command: Command::Play });
        assert_eq!(read(r#"{"do":"pause","n":9007199254740991}"#).n, LARGEST);
        let grab = Command::Grab { vertex: 7, target: [0.0, 1.0, 2.5], radius: None };
        assert_eq!(read(r#"{"do":"grab","vertex":7,"target":[0,1,2.5]}"#).command, grab);
        assert!(matches!(read(r#"{"do":"set","rho":null,"iterations":5}"#).command, Command::Set(_)));
        for text in [
            "",
            "[]",
            "{}",
            "\u{0}",
            r#"{"do":"explode"}"#,
            r#"{"do":"play","n":-1}"#,
            r#"{"do":"play","n":1.5}"#,
            r#"{"do":"play","n":9007199254740992}"#,
            r#"{"do":"play","n":18446744073709551615}"#,
            r#"{"do":"play","x":1}"#,
            r#"{"do":"seen","vertex":1}"#,
            r#"{"do":"reset","":null}"#,
            r#"{"do":"grab","vertex":-1,"target":[0,0,0]}"#,
            r#"{"do":"grab","vertex":4294967296,"target":[0,0,0]}"#,
            r#"{"do":"grab","vertex":1,"target":[0,0,0],"radius":-1}"#,
            r#"{"do":"grab","vertex":1,"target":[0,0,0],"radius":1e300}"#,
            r#"{"do":"drag","target":[0,0]}"#,
            r#"{"do":"drag","target":[0,0,1e7]}"#,
            r#"{"do":"drag","target":[0,0,1e999]}"#,
            r#"{"do":"set","colour":"red"}"#,
            r#"{"do":"set","iterations":"many"}"#,
            r#"{"do":"pin","vertex":1}"#,
            r#"{"do":"scene","name":7}"#,
            r#"{"do":"pause","do":"play"}"#,
            r#"{"do":"pause","n":1,"n":2}"#,
            r#"{"do":"pin","vertex":1,"vertex":2,"on":true}"#,
        ] {
            assert!(parse(text).is_err_and(|reason| !reason.is_empty()), "{text}");
        }
        let deep = format!("{}{}", "[".repeat(8000), "]".repeat(8000));
        assert!(parse(&deep).is_err());
    }
}
