//! Triangle surfaces that have an inside.

use crate::counted::counted;
use crate::math::Vec3;
use crate::mesh::{Mesh, topology, weld};

type V = Vec3<f64>;

/// Why a mesh cannot be a collider.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SurfaceError {
    /// There is no surface.
    #[error("it has no triangles, so it has no inside; a collider needs a closed surface")]
    Empty,
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} is at {at:?}, expected finite numbers; export the mesh again")]
    NotFinite {
        /// From 0.
        vertex: usize,
        /// As it stands there.
        at: [f64; 3],
    },
    /// It has holes.
    #[error(
        "it is not watertight: {} with a triangle on one side only, the first from {:.4?} to {:.4?}; a collider needs a \
         closed surface: close the holes", counted(*edges, "edge", "edges"), at[0], at[1]
    )]
    Open {
        /// How many edges.
        edges: usize,
        /// The ends of the first, as in the file.
        at: [[f64; 3]; 2],
    },
    /// Its triangles do not agree on where outside is.
    #[error(
        "it has no clear inside: at {} triangles face opposite ways, first from {:.4?} to {:.4?}; make normals consistent",
        counted(*edges, "edge", "edges"), at[0], at[1]
    )]
    Inconsistent {
        /// How many edges.
        edges: usize,
        /// The ends of the first, as in the file.
        at: [[f64; 3]; 2],
    },
    /// Nothing is inside.
    #[error("it encloses no volume; a collider needs a solid: give a sheet some thickness")]
    Flat,
    /// All of it is thinner than a cell.
    #[error("all of it falls between the points of its distance grid, {:.3} mm apart; raise `cells`", 1e3 * cell)]
    Lost {
        /// m
        cell: f64,
    },
    /// More points than fit.
    #[error("its distance grid would have {points:.2e} points, at most {most} fit; lower `cells`")]
    TooLarge {
        /// Points it would have.
        points: f64,
        /// The most that fit.
        most: usize,
    },
    /// Its size is in other units than metres.
    #[error("it is {size:.1e} m large, and colliders are from {:.0e} to {:.0e} m; `scale` changes its size", SIZES.start(), SIZES.end())]
    Size {
        /// m
        size: f64,
    },
}

/// Sizes of surfaces that colliders are made of, m: what is smaller or larger is a mistake in its units.
const SIZES: std::ops::RangeInclusive<f64> = 1e-6..=1e6;

/// A surface without holes, seen counter-clockwise from outside; vertices at one place are one vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct ClosedSurface {
    /// m
    points: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    turned_tets: usize,
}

impl ClosedSurface {
    /// The surface of a mesh, `scale` times as large; of a solid, the skin of its tetrahedra.
    pub fn new(mesh: &Mesh, scale: f64) -> Result<Self, SurfaceError> {
        let is_wrong = |(_, at): &(usize, &[f64; 3])| !at.iter().all(|c| c.is_finite());
        if let Some((vertex, at)) = mesh.points.iter().enumerate().find(is_wrong) {
            return Err(SurfaceError::NotFinite { vertex, at: *at });
        }
        let skin;
        let mut turned_tets = 0;
        let triangles = if mesh.tets.is_empty() {
            &mesh.triangles
        } else {
            let mut solid = mesh.clone();
            turned_tets = solid.orient_tets();
            skin = topology::boundary_triangles(solid.points.len(), &solid.tets);
            &skin
        };
        let (points, welded) = weld(&mesh.points, triangles);
        if welded.is_empty() {
            return Err(SurfaceError::Empty);
        }
        check_edges(&points, &welded)?;
        let mut surface = Self { points, triangles: welded, turned_tets };
        let (volume, size) = (surface.volume(), surface.size());
        // First: the volume of what is far too large is infinite, as no volume would be.
        if !SIZES.contains(&(size * scale)) {
            return Err(SurfaceError::Size { size: size * scale });
        }
        // What rounding leaves of a volume of zero.
        if volume.abs() <= 1e-12 * size * size * size {
            return Err(SurfaceError::Flat);
        }
        if volume < 0.0 {
            surface.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        surface.points.iter_mut().flatten().for_each(|c| *c *= scale);
        Ok(surface)
    }

    /// Its points, m.
    pub fn points(&self) -> &[[f64; 3]] {
        &self.points
    }

    /// Its triangles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// How many tetrahedra of the mesh had negative volume and were turned over.
    pub fn turned_tets(&self) -> usize {
        self.turned_tets
    }

    /// The corners of each triangle, m.
    pub fn corners(&self) -> impl Iterator<Item = [V; 3]> + '_ {
        self.triangles.iter().map(|triangle| triangle.map(|i| V::of(self.points[i as usize])))
    }

    /// Low and high corner of the box around it, m.
    pub fn bounds(&self) -> [[f64; 3]; 2] {
        let mut bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        for point in &self.points {
            for k in 0..3 {
                bounds[0][k] = bounds[0][k].min(point[k]);
                bounds[1][k] = bounds[1][k].max(point[k]);
            }
        }
        bounds
    }

    fn size(&self) -> f64 {
        let [low, high] = self.bounds();
        (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max)
    }

    fn volume(&self) -> f64 {
        let Some(origin) = self.points.first().map(|p| V::of(*p)) else { return 0.0 };
        self.corners().map(|[a, b, c]| (a - origin).dot((b - origin).cross(c - origin)) / 6.0).sum()
    }
}

/// Every edge must have as many triangles that run along it as against it.
fn check_edges(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Result<(), SurfaceError> {
    let sides = |t: &[u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    let mut edges: Vec<([u32; 2], i32)> =
        triangles.iter().flat_map(sides).map(|[a, b]| if a < b { ([a, b], 1) } else { ([b, a], -1) }).collect();
    edges.sort_unstable();
    let (mut open, mut inconsistent) = (Vec::new(), Vec::new());
    for group in edges.chunk_by(|a, b| a.0 == b.0) {
        match (group.len() % 2, group.iter().map(|(_, way)| way).sum::<i32>()) {
            (0, 0) => {}
            (0, _) => inconsistent.push(group[0].0),
            _ => open.push(group[0].0),
        }
    }
    let at = |edges: &[[u32; 2]]| edges[0].map(|i| points[i as usize]);
    if !open.is_empty() {
        return Err(SurfaceError::Open { edges: open.len(), at: at(&open) });
    }
    if !inconsistent.is_empty() {
        return Err(SurfaceError::Inconsistent { edges: inconsistent.len(), at: at(&inconsistent) });
    }
    Ok(())
}
