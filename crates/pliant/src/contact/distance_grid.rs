//! Signed distances at the points of a regular grid, for colliders that no formula describes.
//!
//! Between its points the distance is interpolated trilinearly; gradient and second derivatives are those of the interpolant,
//! so that contact energies, forces and Hessians agree. The gradient is about one long, not exactly. Outside of the grid's box
//! the distance is that of the nearest point of the box plus the way from there: by the triangle inequality never too short.

use crate::math::{Mat3, Real, Vec3};
use rayon::prelude::*;

/// Cells around what is inside, on every side.
const MARGIN: usize = 2;

/// The most points of a grid: a GPU binds 128 MiB at once.
pub const MOST_GRID_POINTS: usize = (1 << 25) - 1024;

/// Where the points of a grid are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridLayout {
    /// The first point, m. In `f32` as everything here, so that all precisions see the same grid.
    low: Vec3<f32>,
    /// From a point to the next, m.
    cell: f32,
    /// Points along x, y, z; at least 2.
    counts: [usize; 3],
}

impl GridLayout {
    /// A grid around a box, m, with `cells` along its longest side, and its number of points, which may be too large.
    pub fn around([low, high]: [[f64; 3]; 2], cells: usize) -> (Self, f64) {
        let size: [f64; 3] = std::array::from_fn(|k| high[k] - low[k]);
        let cell = (size.into_iter().fold(0.0, f64::max) / cells as f64) as f32;
        // A cell that was rounded down makes no cell more.
        let along = |side: f64| (side / f64::from(cell) - 1e-3).ceil().max(1.0);
        let wanted = size.map(|side| along(side) + (1 + 2 * MARGIN) as f64);
        let counts = wanted.map(|count| count as usize);
        // Shapes with mirror symmetry get it back.
        let first = |k: usize| 0.5 * (low[k] + high[k]) - 0.5 * (counts[k] - 1) as f64 * f64::from(cell);
        let low = Vec3::of([first(0), first(1), first(2)]);
        (Self { low, cell, counts }, wanted.iter().product())
    }

    /// How many points.
    pub fn len(&self) -> usize {
        self.counts.iter().product()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// From a point to the next, m.
    pub fn cell(&self) -> f64 {
        f64::from(self.cell)
    }

    /// Points along x, y, z.
    pub fn counts(&self) -> [usize; 3] {
        self.counts
    }

    /// A point, m.
    pub fn point(&self, at: [usize; 3]) -> Vec3<f64> {
        let low: Vec3<f64> = self.low.cast();
        low + Vec3::new(at[0] as f64, at[1] as f64, at[2] as f64) * self.cell()
    }

    fn high<R: Real>(&self) -> Vec3<R> {
        let reach = self.counts.map(|count| (count - 1) as f64);
        self.low.cast() + Vec3::of(reach) * R::of(self.cell())
    }
}

/// Signed distances at the points of a grid.
#[derive(Clone, PartialEq)]
pub struct DistanceGrid {
    layout: GridLayout,
    /// m, along x first, then y, then z.
    values: Vec<f32>,
}

/// A few words instead of a million numbers.
impl std::fmt::Debug for DistanceGrid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DistanceGrid").field("layout", &self.layout).finish_non_exhaustive()
    }
}

/// The interpolant around a point: value and derivatives along x, y, z, per cell, and the mixed second ones (yz, xz, xy).
struct Local<R> {
    d: R,
    slope: Vec3<R>,
    mixed: Vec3<R>,
}

impl DistanceGrid {
    /// From distances, m; `None` if they are not as many as points.
    pub fn new(layout: GridLayout, values: Vec<f32>) -> Option<Self> {
        (values.len() == layout.len() && layout.counts.iter().all(|count| *count >= 2))
            .then_some(Self { layout, values })
    }

    /// A function of the place, m, at every point.
    pub fn sampled(layout: GridLayout, distance: impl Fn(Vec3<f64>) -> f64 + Sync) -> Self {
        Self::by_rows(layout, |[j, k], row| {
            row.iter_mut().enumerate().for_each(|(i, value)| *value = distance(layout.point([i, j, k])) as f32);
        })
    }

    /// Rows of points along x, each filled by a function of its y and z.
    pub(super) fn by_rows(layout: GridLayout, fill: impl Fn([usize; 2], &mut [f32]) + Sync) -> Self {
        let [nx, ny, _] = layout.counts;
        let mut values = vec![0.0; layout.len()];
        values.par_chunks_mut(nx).enumerate().for_each(|(row, values)| fill([row % ny, row / ny], values));
        Self { layout, values }
    }

    /// Where its points are.
    pub fn layout(&self) -> &GridLayout {
        &self.layout
    }

    /// Distances at its points, m, along x first.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// For `distance_grid.wgsl`: the first point and the cell, then all distances, four to a vector.
    pub fn pack(&self) -> impl Iterator<Item = [f32; 4]> + '_ {
        let GridLayout { low, cell, .. } = self.layout;
        let four = |values: &[f32]| std::array::from_fn(|k| values.get(k).copied().unwrap_or(0.0));
        std::iter::once([low.x, low.y, low.z, cell]).chain(self.values.chunks(4).map(four))
    }

    /// Signed distance at a point, m, and its gradient.
    #[inline]
    pub fn distance<R: Real>(&self, p: Vec3<R>) -> (R, Vec3<R>) {
        let (q, out) = self.nearest_in_box(p);
        let local = self.interpolated(q);
        let slope = local.slope * (R::ONE / R::of(self.layout.cell()));
        if out == Vec3::ZERO {
            return (local.d, slope);
        }
        let way = out.length();
        (local.d + way, along_the_box(slope, out) + out / way)
    }

    /// Second derivatives of the distance, 1/m; at borders of cells, where the gradient jumps, those of one of them.
    pub fn curvature<R: Real>(&self, p: Vec3<R>) -> Mat3<R> {
        let (q, out) = self.nearest_in_box(p);
        let cell = R::of(self.layout.cell());
        let mixed = self.interpolated(q).mixed / (cell * cell);
        let axis = |k| Vec3::<R>::axis(k);
        let pair = |a: usize, b: usize, by: R| (axis(a).outer(axis(b)) + axis(b).outer(axis(a))) * by;
        let outside = |k: usize| out[k] != R::ZERO;
        let mut sum = Mat3::ZERO;
        for (a, b, by) in [(1, 2, mixed.x), (0, 2, mixed.y), (0, 1, mixed.z)] {
            if !outside(a) && !outside(b) {
                sum += pair(a, b, by);
            }
        }
        if out == Vec3::ZERO {
            return sum;
        }
        let n = out / out.length();
        let span = (0..3).filter(|k| outside(*k)).fold(Mat3::ZERO, |span, k| span + axis(k).outer(axis(k)));
        sum + (span - n.outer(n)) * (R::ONE / out.length())
    }

    /// The point of the grid's box that is nearest, and the way from there.
    #[inline(always)]
    fn nearest_in_box<R: Real>(&self, p: Vec3<R>) -> (Vec3<R>, Vec3<R>) {
        let (low, high): (Vec3<R>, Vec3<R>) = (self.layout.low.cast(), self.layout.high());
        let q = Vec3::new(p.x.max(low.x).min(high.x), p.y.max(low.y).min(high.y), p.z.max(low.z).min(high.z));
        (q, p - q)
    }

    /// At a point of the box.
    #[inline(always)]
    fn interpolated<R: Real>(&self, q: Vec3<R>) -> Local<R> {
        let u = (q - self.layout.low.cast()) / R::of(self.layout.cell());
        let [nx, ny, nz] = self.layout.counts;
        // A border belongs to the cell after it, but for the last one.
        let before = |u: R, count: usize| (u.f64() as usize).min(count - 2);
        let (i, j, k) = (before(u.x, nx), before(u.y, ny), before(u.z, nz));
        let f = u - Vec3::of([i as f64, j as f64, k as f64]);
        let first = i + nx * (j + ny * k);
        // Along x: value and slope on the four edges of the cell, then along y, then along z.
        let edge = |at: usize| {
            let [a, b] = [self.values[at], self.values[at + 1]].map(|value| R::of(f64::from(value)));
            (a + (b - a) * f.x, b - a)
        };
        let face = |at: usize| {
            let ((a, a_x), (b, b_x)) = (edge(at), edge(at + nx));
            Face { d: a + (b - a) * f.y, x: a_x + (b_x - a_x) * f.y, y: b - a, xy: b_x - a_x }
        };
        let (a, b) = (face(first), face(first + nx * ny));
        let between = |a: R, b: R| a + (b - a) * f.z;
        Local {
            d: between(a.d, b.d),
            slope: Vec3::new(between(a.x, b.x), between(a.y, b.y), b.d - a.d),
            mixed: Vec3::new(b.y - a.y, b.x - a.x, between(a.xy, b.xy)),
        }
    }
}

/// The interpolant on a face of a cell across z, and its derivatives per cell.
struct Face<R> {
    d: R,
    x: R,
    y: R,
    xy: R,
}

/// A gradient of the nearest point of a box, of which only directions count in which that point moves.
#[inline(always)]
fn along_the_box<R: Real>(slope: Vec3<R>, out: Vec3<R>) -> Vec3<R> {
    let kept = |slope: R, out: R| if out == R::ZERO { slope } else { R::ZERO };
    Vec3::new(kept(slope.x, out.x), kept(slope.y, out.y), kept(slope.z, out.z))
}
