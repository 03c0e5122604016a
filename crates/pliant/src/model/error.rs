use crate::contact::ColliderError;
use crate::material::MaterialError;
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
    /// A generator was asked for something it cannot make.
    #[error("body '{body}': {reason}")]
    Shape {
        /// Name in the scene.
        body: String,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// An element has no rest shape.
    #[error("body '{body}', {what} {index} (vertices {vertices:?}): {source}")]
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
    /// A pin that holds nothing or something that is not there.
    #[error("pin {index}: {reason}")]
    Pin {
        /// Which pin, from 0.
        index: usize,
        /// What is wrong, and what to do.
        reason: String,
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
