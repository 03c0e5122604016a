//! Triangle and tetrahedron meshes: what they are, where they come from, and what is wrong with them.

mod check;
mod check_adjacency;
mod check_notes;
mod check_surface;
mod check_tets;
mod error;
pub mod generate;
mod info;
mod intersect;
mod intersect_predicates;
mod io;
mod io_cursor;
mod io_gmsh;
mod io_obj;
mod io_ply;
mod io_stl;
mod io_tetgen;
mod io_vtk;
mod io_vtu;
mod io_vtu_read;
pub mod topology;

pub use check::{Finding, Kind, Of, Report, Severity, check};
pub(crate) use check_notes::weld;
pub(crate) use check_tets::turned_over;
pub use error::{MeshError, Place};
pub use info::{Info, info};
pub use intersect::self_intersections;
pub(crate) use intersect_predicates::orient2d;
pub use io::{Format, parse, read, write, write_with_fields};
pub use io_gmsh::write_gmsh;
pub use io_obj::write_obj;
pub use io_ply::write_ply;
pub use io_stl::write_stl;
pub use io_tetgen::{TetgenPart, parse_tetgen};
pub use io_vtk::write_vtk;
pub use io_vtu::{PointField, write_vtu};

/// A mesh as read or generated: points, and triangles and/or tetrahedra over them. Always in `f64`, metres, y up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Points, m.
    pub points: Vec<[f64; 3]>,
    /// Triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Tetrahedra, positive: det[x1−x0, x2−x0, x3−x0] > 0.
    pub tets: Vec<[u32; 4]>,
}
