//! What can go wrong between a mesh and its file.

use std::fmt;

/// Where in a file something was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of a text file, from 1.
    Line(usize),
    /// An offset into a binary file, bytes from 0.
    Byte(usize),
    /// The file as a whole.
    File,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Place::Line(line) => write!(f, "line {line}: "),
            Place::Byte(byte) => write!(f, "byte {byte}: "),
            Place::File => Ok(()),
        }
    }
}

/// Why a mesh could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum MeshError {
    /// The operating system would not give the file.
    #[error("{path}: cannot be read: {source}; check the path and its permissions")]
    Read {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file could not be written; what was there before is untouched.
    #[error("{path}: cannot be written: {source}; the file is as it was before")]
    Write {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// Neither the extension nor the content says what the file is.
    #[error("{path}: found {found}, expected {expected}; rename the file or convert it")]
    UnknownFormat {
        /// The file.
        path: String,
        /// The extension as found.
        found: String,
        /// The extensions that would do.
        expected: &'static str,
    },
    /// The content breaks the rules of its format.
    #[error("{name}: {place}found {found}, expected {expected}; {advice}")]
    Malformed {
        /// The file.
        name: String,
        /// Where in it.
        place: Place,
        /// What stands there.
        found: String,
        /// What should stand there.
        expected: String,
        /// What to do.
        advice: &'static str,
    },
}
