//! What a scene file says, in SI units, with every default filled in. No maths, no meshes.
//!
//! What was typed (`tree`, changed by `set`) and what it means (`types`) are two things; `parse` leads from one
//! to the other with the help of one table of all keys (`keys`).

mod change;
mod elasticity;
mod error;
mod hash;
mod key;
mod keys;
mod parse;
mod presets;
mod reader;
mod reference;
mod set;
mod suggest;
mod tree;
mod types;
mod units;

#[cfg(test)]
mod tests;

pub use elasticity::{Drawn, DrawnFibre, Elasticity, Knot};
pub use error::{Diagnostic, Location, SceneError};
#[cfg(test)]
pub(crate) use keys::METHOD_NAMES;
pub use presets::{CLOTH_PRESETS, ClothPreset, SOLID_PRESETS, SolidPreset};
pub use reference::reference_markdown;
pub use suggest::nearest;
pub use types::*;
pub use units::{PLAUSIBLE_LENGTHS, typed_pressure};
