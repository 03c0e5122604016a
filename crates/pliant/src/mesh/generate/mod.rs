//! Meshes made from numbers: cloth rectangles, solids cut from mapped lattices, and surfaces to draw.
//!
//! Everything is centred at the origin (creatures, cars and snowmen stand on it), y up, and the same to the bit on every call. Cloth and surfaces fill
//! `Mesh::triangles` only, solids fill `Mesh::tets` only (their skin is `topology::boundary_triangles`).

mod car;
mod creature;
mod double_helix;
mod filled;
mod grid;
mod kuhn;
mod level_set;
mod limits;
#[cfg(test)]
mod quality;
mod relax;
mod round;
mod snowman;
mod solid_box;
pub mod surface;
#[cfg(test)]
mod tests;

pub use car::car;
pub use creature::creature;
pub use double_helix::double_helix;
pub use grid::grid;
pub use level_set::level_set;
pub use limits::GenerateError;
pub use round::{cylinder, sphere, torus};
pub use snowman::snowman;
pub use solid_box::solid_box;

use super::Mesh;
use crate::scene::MeshSource;

/// The mesh a scene asks for, or `None` if it is to be read from a file.
pub fn from_source(source: &MeshSource) -> Result<Option<Mesh>, GenerateError> {
    match *source {
        MeshSource::File(_) => Ok(None),
        MeshSource::Grid { size, resolution, triangulation } => grid(size, resolution, triangulation).map(Some),
        MeshSource::Box { size, cells } => solid_box(size, cells).map(Some),
        MeshSource::Cylinder { radius, height, edge } => cylinder(radius, height, edge).map(Some),
        MeshSource::Sphere { radius, edge } => sphere(radius, edge).map(Some),
        MeshSource::Torus { major_radius, minor_radius, edge } => torus(major_radius, minor_radius, edge).map(Some),
        MeshSource::DoubleHelix { tets } => double_helix(tets).map(Some),
        MeshSource::Creature { tets } => creature(tets).map(Some),
        MeshSource::Car { tets } => car(tets).map(Some),
        MeshSource::Snowman { tets } => snowman(tets).map(Some),
    }
}
