//! What a scene file says, in SI units, with every default filled in. No maths, no meshes.

mod types;

pub use types::*;
