//! Solids that colliders know by a distance grid: from a mesh, or made here.

use super::armchair;
use super::closed_surface::{ClosedSurface, SurfaceError};
use super::distance_grid::{DistanceGrid, GridLayout, MOST_GRID_POINTS};
use super::mesh_distance;
use crate::disk_cache::DiskCache;
use crate::math::{Fnv, Vec3};
use crate::mesh::{Mesh, generate};

type V = Vec3<f64>;

/// Raised when the distances of a mesh are found in another way, so that those found the old way are not used.
const REVISION: u8 = 2;

/// As deep below its surface a solid is looked for in its grid, in cells.
const DEPTHS: [f64; 5] = [0.25, 0.5, 1.0, 1.5, 2.0];

/// A solid: its distances, and its surface to look at.
#[derive(Clone, Debug, PartialEq)]
pub struct GridShape {
    grid: DistanceGrid,
    surface: Mesh,
    lost: f64,
    turned_tets: usize,
}

impl GridShape {
    /// Of a mesh, `scale` times as large, with `cells` along its longest side. Distances that are in the cache are not found
    /// again.
    pub fn of_mesh(mesh: &Mesh, scale: f64, cells: usize, cache: &DiskCache) -> Result<Self, SurfaceError> {
        let surface = ClosedSurface::new(mesh, scale)?;
        let layout = mesh_distance::layout(&surface, cells)?;
        let key = key(&surface, &layout);
        let kept = cache.load_numbers(key).and_then(|values| DistanceGrid::new(layout, values));
        let grid = match kept {
            Some(grid) => grid,
            None => {
                let grid = DistanceGrid::of_surface(&surface, cells)?;
                cache.store_numbers(key, grid.values());
                grid
            }
        };
        if grid.values().iter().all(|d| *d >= 0.0) {
            return Err(SurfaceError::Lost { cell: layout.cell() });
        }
        let (lost, turned_tets) = (lost_share(&surface, &grid), surface.turned_tets());
        let (points, triangles) = (surface.points().to_vec(), surface.triangles().to_vec());
        Ok(Self { grid, surface: Mesh { points, triangles, tets: Vec::new() }, lost, turned_tets })
    }

    /// An armchair of this width, m, that stands on the plane y = 0 and looks along z.
    pub fn armchair(width: f64, cells: usize) -> Result<Self, SurfaceError> {
        let (layout, points) = GridLayout::around(armchair::bounds(width), cells);
        if points > MOST_GRID_POINTS as f64 {
            return Err(SurfaceError::TooLarge { points, most: MOST_GRID_POINTS });
        }
        let grid = DistanceGrid::sampled(layout, |p| armchair::distance(width, p));
        let surface = generate::level_set(layout.counts(), grid.values(), |at| layout.point(at).f64());
        Ok(Self { grid, surface, lost: 0.0, turned_tets: 0 })
    }

    /// Its distances.
    pub fn grid(&self) -> &DistanceGrid {
        &self.grid
    }

    /// Its surface, m, in its own frame.
    pub fn surface(&self) -> &Mesh {
        &self.surface
    }

    /// How much of its surface has no inside in the grid, because it is thinner than a cell: 0 to 1.
    pub fn lost(&self) -> f64 {
        self.lost
    }

    /// How many tetrahedra of its mesh had negative volume and were turned over.
    pub fn turned_tets(&self) -> usize {
        self.turned_tets
    }
}

/// What the distances of a surface depend on.
fn key(surface: &ClosedSurface, layout: &GridLayout) -> u64 {
    let mut hash = Fnv::default();
    hash.add([REVISION]);
    hash.add(layout.counts().into_iter().flat_map(|count| (count as u64).to_le_bytes()));
    hash.add([layout.cell()].into_iter().chain(layout.point([0; 3]).f64()).flat_map(|c| c.to_bits().to_le_bytes()));
    hash.add(surface.points().as_flattened().iter().flat_map(|c| c.to_bits().to_le_bytes()));
    hash.add(surface.triangles().as_flattened().iter().flat_map(|i| i.to_le_bytes()));
    hash.value()
}

/// The share of the area below which the grid knows no inside.
fn lost_share(surface: &ClosedSurface, grid: &DistanceGrid) -> f64 {
    let (mut all, mut lost) = (0.0, 0.0);
    for [a, b, c] in surface.corners() {
        let across = (b - a).cross(c - a);
        let (area, inward) = (0.5 * across.length(), -across.unit_or(V::ZERO));
        let centre = (a + b + c) / 3.0;
        let is_inside = |depth: f64| grid.distance(centre + inward * (depth * grid.layout().cell())).0 < 0.0;
        all += area;
        lost += if DEPTHS.into_iter().any(is_inside) { 0.0 } else { area };
    }
    lost / all
}
