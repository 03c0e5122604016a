use crate::contact::ColliderError;
use crate::counted::short;
use crate::material::{LawError, MaterialError};
use crate::mesh::MeshError;

/// Why a scene cannot be made into a model.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The mesh cannot be read or generated.
    #[error("body '{body}': {source}")]
    Mesh {
        /// Name in the scene.
        body: String,
        /// What is wrong with the mesh.
        source: Box<MeshError>,
    },
    /// A material that cannot be.
    #[error("body '{body}': {source}")]
    Law {
        /// Name in the scene.
        body: String,
        /// What is wrong with it.
        source: LawError,
    },
    /// Nothing holds a body that is to be in equilibrium.
    #[error(
        "body '{body}': nothing holds {part}, so it has no equilibrium (`quasistatic` in [time]); hold it by a [[pin]] that is never \
         released, add a [[collider]] to lie on, or take `quasistatic` out"
    )]
    Unheld {
        /// Name in the scene.
        body: String,
        /// "it", or a part of it.
        part: &'static str,
    },
    /// A generator was asked for something it cannot make.
    #[error("body '{body}': {reason}")]
    Shape {
        /// Name in the scene.
        body: String,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// An element has no rest shape.
    #[error(
        "body '{body}', {what} {index} (vertices {vertices:?}): {source}; `pliant mesh check FILE` shows all that is wrong with a \
         mesh"
    )]
    Element {
        /// Name in the scene.
        body: String,
        /// Edge, triangle, hinge or tet.
        what: &'static str,
        /// Which one, from 0.
        index: usize,
        /// Its vertices in the body, from 0.
        vertices: Vec<u32>,
        /// What is wrong with it.
        source: Box<MaterialError>,
    },
    /// A cloth without triangles or a solid without tets.
    #[error("body '{body}': the mesh has no {expected}; {hint}")]
    Empty {
        /// Name in the scene.
        body: String,
        /// What is missing.
        expected: &'static str,
        /// What to do.
        hint: &'static str,
    },
    /// Pins that hold nothing or something that is not there.
    #[error("{}", each_pin(.0))]
    Pins(
        /// Which pin, from 0, what is wrong, and what to do.
        Vec<(usize, String)>,
    ),
    /// More memory than there is.
    #[error(
        "the scene needs about {} GB of memory, and {} GB are there; take a coarser mesh (a lower resolution or fewer cells, a \
         longer edge), or a machine with more memory",
        short(1e-9 * needed), short(1e-9 * there)
    )]
    Memory {
        /// Bytes.
        needed: f64,
        /// Bytes.
        there: f64,
    },
    /// A collider without a shape.
    #[error("collider '{collider}': {source}")]
    Collider {
        /// Name in the scene.
        collider: String,
        /// What is wrong with it.
        source: Box<ColliderError>,
    },
    /// Nothing to simulate.
    #[error("the scene has no body: add a [[cloth]] or a [[solid]]")]
    NoBody,
}

/// A line for every pin, counted from 0, with what is wrong and what to do.
fn each_pin(faults: &[(usize, String)]) -> String {
    faults.iter().map(|(index, fault)| format!("pin {index}: {fault}")).collect::<Vec<_>>().join("\n")
}
