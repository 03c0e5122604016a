use super::GenerateError;
use super::kuhn::Lattice;
use super::limits::Limits;
use crate::mesh::Mesh;

/// A solid box (a bar, a slab) of `size` along x, y, z, m, with `cells` along each and six tets per cell; vertex
/// (ix, iy, iz) has the index ix + (cells_x + 1)·(iy + (cells_y + 1)·iz).
pub fn solid_box(size: [f64; 3], cells: [usize; 3]) -> Result<Mesh, GenerateError> {
    let limits = Limits { shape: "box", remedy: "lower cells" };
    for (axis, what) in ["size along x", "size along y", "size along z"].into_iter().enumerate() {
        limits.length(what, size[axis])?;
    }
    for (axis, what) in ["cells along x", "cells along y", "cells along z"].into_iter().enumerate() {
        limits.count(what, cells[axis], 1)?;
    }
    let [x, y, z] = cells.map(|n| n as f64);
    limits.size((x + 1.0) * (y + 1.0) * (z + 1.0), 6.0 * x * y * z)?;
    let lattice = Lattice { cells, mirrored: [false; 3], ring: false };
    let place = |at: [usize; 3]| std::array::from_fn(|k| (at[k] as f64 / cells[k] as f64 - 0.5) * size[k]);
    Ok(lattice.mesh(|_| true, place))
}
