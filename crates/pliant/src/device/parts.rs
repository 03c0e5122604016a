//! What moves as a whole.

use crate::mesh::topology::Incidence;
use crate::model::{Model, System, connected_parts, part_of_each};

/// What elements connect, and so moves as a whole.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// Of each part, ascending.
    pub vertices: Incidence,
    /// The part of each vertex.
    pub of: Vec<u32>,
    /// Whether a pin holds some of it.
    pub is_held: Vec<bool>,
}

impl Parts {
    /// Those of a model.
    pub fn new(model: &Model, system: &System) -> Self {
        let vertices = connected_parts(model);
        let of = part_of_each(&vertices, model.vertices());
        let is_held = vertices.rows().map(|part| system.holds_some_of(model, part)).collect();
        Self { vertices, of, is_held }
    }
}
