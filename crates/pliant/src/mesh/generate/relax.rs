//! Irregular points that still make well-shaped triangles: a jittered lattice, relaxed a few times towards the mean of
//! its Delaunay neighbours.

use crate::mesh::topology::{adjacency, stencil_edges};
use spade::{DelaunayTriangulation, InsertionError, Point2, Triangulation};

/// How far points start from the lattice, in spacings; rows may overlap, so that no lattice lines survive.
const JITTER: f64 = 0.6;
/// Each pass costs a triangulation; after the first few the smallest angle hardly rises any more.
const PASSES: usize = 4;

/// Points of a lattice with unit spacing, boundary in place, interior spread.
pub(super) struct Relaxed {
    /// In lattice units; the point that started at (ix, iz) is number ix + iz·nx.
    pub at: Vec<[f64; 2]>,
}

impl Relaxed {
    pub fn new([nx, nz]: [usize; 2]) -> Result<Self, InsertionError> {
        let interior = |v: usize| (1..nx - 1).contains(&(v % nx)) && (1..nz - 1).contains(&(v / nx));
        let mut random = SplitMix64(0x5eed);
        let mut at: Vec<[f64; 2]> = (0..nx * nz).map(|v| [(v % nx) as f64, (v / nx) as f64]).collect();
        for v in (0..at.len()).filter(|&v| interior(v)) {
            for (axis, n) in [(0, nx), (1, nz)] {
                let moved = at[v][axis] + JITTER * (2.0 * random.unit() - 1.0);
                at[v][axis] = moved.clamp(0.5, n as f64 - 1.5);
            }
        }
        for _ in 0..PASSES {
            let triangles = triangulate(at.iter().copied())?;
            let neighbours = adjacency(at.len(), &stencil_edges(at.len(), &triangles));
            at = (0..at.len())
                .map(|v| if interior(v) { mean(&at, neighbours.of(v)).unwrap_or(at[v]) } else { at[v] })
                .collect();
        }
        Ok(Self { at })
    }
}

fn mean(at: &[[f64; 2]], among: &[u32]) -> Option<[f64; 2]> {
    let sum = among.iter().fold([0.0; 2], |[x, z], &v| [x + at[v as usize][0], z + at[v as usize][1]]);
    (!among.is_empty()).then(|| sum.map(|s| s / among.len() as f64))
}

/// Delaunay triangles of points (x, z), numbered as they come, seen counter-clockwise from +y.
pub(super) fn triangulate(points: impl Iterator<Item = [f64; 2]>) -> Result<Vec<[u32; 3]>, InsertionError> {
    let points = points.map(|[x, z]| Point2::new(x, z)).collect();
    let triangulation = DelaunayTriangulation::<Point2<f64>>::bulk_load_stable(points)?;
    // From +y, z runs clockwise of x, the other way round than in the triangulation's plane.
    let upward = |[a, b, c]: [usize; 3]| [a as u32, c as u32, b as u32];
    Ok(triangulation.inner_faces().map(|face| upward(face.vertices().map(|v| v.index()))).collect())
}

/// Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators".
struct SplitMix64(u64);

impl SplitMix64 {
    /// Uniform in 0..1.
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}
