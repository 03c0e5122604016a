//! Signed distances from a closed triangle surface.
//!
//! The distance is that of the nearest triangle, exactly, for every point of the grid. The sign is that of the winding number
//! (a point is inside if the surface turns around it), which along a row of points changes where the row crosses a triangle: by
//! one, to the side that the triangle faces. No normal is asked near an edge or a vertex, where normals mislead, and parts of a
//! surface may cross each other. A row that meets an edge or a vertex is moved by an infinitely small amount (simulation of
//! simplicity, Edelsbrunner and Mücke 1990), the same for all triangles, so that it crosses each surface an even number of
//! times.

use super::closed_surface::{ClosedSurface, SurfaceError};
use super::distance_grid::{DistanceGrid, GridLayout, MOST_GRID_POINTS};
use super::nearest_triangle::TriangleTree;
use crate::math::Vec3;
use crate::mesh::orient2d;

type V = Vec3<f64>;

/// Where a row along x crosses a triangle, m, and what the winding number grows by there.
type Crossing = (f64, i32);

impl DistanceGrid {
    /// Of a surface, with `cells` along its longest side.
    pub fn of_surface(surface: &ClosedSurface, cells: usize) -> Result<Self, SurfaceError> {
        let layout = layout(surface, cells)?;
        let crossings = crossings(surface, &layout);
        let tree = TriangleTree::new(surface.corners().collect());
        let [_, ny, _] = layout.counts();
        let grid = Self::by_rows(layout, |[j, k], row| fill(&layout, &tree, [j, k], &crossings[j + ny * k], row));
        Ok(grid)
    }
}

/// The grid of a surface, if it fits.
pub(super) fn layout(surface: &ClosedSurface, cells: usize) -> Result<GridLayout, SurfaceError> {
    let (layout, points) = GridLayout::around(surface.bounds(), cells);
    if points > MOST_GRID_POINTS as f64 {
        return Err(SurfaceError::TooLarge { points, most: MOST_GRID_POINTS });
    }
    Ok(layout)
}

fn fill(layout: &GridLayout, tree: &TriangleTree, [j, k]: [usize; 2], crossings: &[Crossing], row: &mut [f32]) {
    let (mut hint, mut passed, mut winding) = (0, 0, 0);
    for (i, value) in row.iter_mut().enumerate() {
        let p = layout.point([i, j, k]);
        while let Some((_, turn)) = crossings.get(passed).filter(|(x, _)| *x < p.x) {
            winding += turn;
            passed += 1;
        }
        let (distance_sq, nearest) = tree.nearest(p, hint);
        hint = nearest;
        let d = distance_sq.sqrt();
        *value = if winding == 0 { d } else { -d } as f32;
    }
}

/// Of every row along x, by y first, in ascending order.
fn crossings(surface: &ClosedSurface, layout: &GridLayout) -> Vec<Vec<Crossing>> {
    let [_, ny, nz] = layout.counts();
    let mut rows: Vec<Vec<Crossing>> = vec![Vec::new(); ny * nz];
    let (first, cell) = (layout.point([0; 3]), layout.cell());
    for corners in surface.corners() {
        let span = |axis: usize, count: usize| {
            let at = corners.map(|corner| (corner[axis] - first[axis]) / cell);
            let (low, high) = (at[0].min(at[1]).min(at[2]), at[0].max(at[1]).max(at[2]));
            // One row more on either side: rounding decides nothing here.
            (low.floor().max(1.0) as usize - 1)..((high.ceil() + 2.0).max(0.0) as usize).min(count)
        };
        for k in span(2, nz) {
            for j in span(1, ny) {
                let row = layout.point([0, j, k]);
                rows[j + ny * k].extend(crossing([row.y, row.z], &corners));
            }
        }
    }
    rows.iter_mut().for_each(|row| row.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))));
    rows
}

/// Where the row along x through (y, z) crosses a triangle, if it does.
fn crossing(row: [f64; 2], corners: &[V; 3]) -> Option<Crossing> {
    let flat = corners.map(|corner| [corner.y, corner.z]);
    let sides = [1, 2, 0].map(|k| side(row, flat[k], flat[(k + 1) % 3]));
    if sides[0] != sides[1] || sides[1] != sides[2] {
        return None;
    }
    let weight =
        |a: [f64; 2], b: [f64; 2]| ((a[0] - row[0]) * (b[1] - row[1]) - (a[1] - row[1]) * (b[0] - row[0])).abs();
    let weights = [1, 2, 0].map(|k| weight(flat[k], flat[(k + 1) % 3]));
    let sum = weights[0] + weights[1] + weights[2];
    let x = corners.map(|corner| corner.x);
    let at = if sum > 0.0 { (0..3).map(|k| weights[k] * x[k]).sum::<f64>() / sum } else { x[0] };
    let (low, high) = (x[0].min(x[1]).min(x[2]), x[0].max(x[1]).max(x[2]));
    // Seen along +x, a triangle that faces −x lets the row in.
    Some((at.clamp(low, high), -sides[0]))
}

/// 1 or −1: the side of the line from a to b that the row is on, after it was moved by ε along y and ε² along z.
fn side(row: [f64; 2], a: [f64; 2], b: [f64; 2]) -> i32 {
    let sign = |x: f64| if x > 0.0 { 1 } else { -1 };
    match orient2d(a, b, row) {
        // d/dε of det[a − row, b − row]: −(b₁ − a₁) along y, b₀ − a₀ along z.
        0 if a[1] != b[1] => -sign(b[1] - a[1]),
        0 => sign(b[0] - a[0]),
        sign => sign,
    }
}
