//! Triangle and tetrahedron meshes: what they are, where they come from, and what is wrong with them.

pub mod generate;
pub mod topology;

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
