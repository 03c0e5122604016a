//! Small vectors and matrices, generic over `f32` and `f64`, the decompositions the materials need, and closest points.
// Matrices keep the letters they have in the papers: F, C, J, U, V.
#![allow(non_snake_case)]

pub(crate) mod closest;
pub mod eigen;
mod fnv;
mod mat3;
pub mod polar;
mod polar_sweeps;
mod real;
mod smooth;
mod split_mix;
pub mod svd;
mod sym3;
mod vec3;
mod wide;

pub use fnv::Fnv;
pub use mat3::Mat3;
pub use polar::{polar_3x2, polar_rotation};
pub use polar_sweeps::polar_by_sweeps;
pub use real::Real;
pub use smooth::{Dual, Jet, Smooth};
pub use split_mix::SplitMix;
pub use svd::{Svd, svd};
pub use sym3::Sym3;
pub use vec3::Vec3;
pub use wide::{LANES, Wide};

/// The twin of [`Sym3`] in WGSL, `f32`.
pub const SYM3_WGSL: &str = include_str!("sym3.wgsl");

/// Twins of closest points of points, triangles and segments in WGSL, `f32`; they follow [`WGSL`].
pub const CLOSEST_WGSL: &str = include_str!("closest.wgsl");

/// Twins of [`Vec3`], [`Mat3`], [`mod@svd`] and [`polar`] in WGSL, `f32`: what the formulas of elements call.
pub const WGSL: &str =
    concat!(include_str!("vec3.wgsl"), include_str!("mat3.wgsl"), include_str!("svd.wgsl"), include_str!("polar.wgsl"));
