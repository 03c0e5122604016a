//! What bodies bounce off: colliders, their motion, their signed distances, friction; and each other ([`close`]).

mod approach;
mod armchair;
pub mod close;
mod closed_surface;
mod collider;
mod cover;
mod distance_grid;
mod friction;
mod grid_shape;
mod mesh_distance;
mod nearest_triangle;
mod pressing;

pub use approach::{Approach, SAME_SIDE};
pub use closed_surface::{ClosedSurface, SurfaceError};
pub(crate) use collider::rotation_from_degrees;
pub use collider::{Collider, ColliderError, PosedCollider};
pub use cover::{covered, without_momentum};
pub use distance_grid::{DistanceGrid, GridLayout, MOST_GRID_POINTS};
pub use friction::{Grip, STICKING_SPEED, limit_slip, sticking_slip};
pub use grid_shape::GridShape;
pub use pressing::{Pressed, Pressing, pressed};

/// Twins of [`covered`] and [`without_momentum`] in WGSL; they follow [`crate::math::SYM3_WGSL`].
pub const COVER_WGSL: &str = include_str!("cover.wgsl");

/// Twins of [`PosedCollider::distance`], [`PosedCollider::velocity_at`], [`PosedCollider::approach`], [`Grip`] and
/// [`limit_slip`] in WGSL; they follow [`crate::math::WGSL`]. The module has a constant `GRIDS`, whether there are grids, and a
/// storage buffer `colliders: array<vec4<f32>>`: what [`PosedCollider::pack`] says of each, then what [`DistanceGrid::pack`]
/// does.
pub const WGSL: &str = concat!(
    include_str!("collider.wgsl"),
    include_str!("distance_grid.wgsl"),
    include_str!("approach.wgsl"),
    include_str!("friction.wgsl")
);

/// Twin of [`pressed`] in WGSL; it follows [`crate::math::WGSL`] and [`crate::math::SYM3_WGSL`].
pub const PRESSING_WGSL: &str = include_str!("pressing.wgsl");

#[cfg(test)]
mod grid_tests;
