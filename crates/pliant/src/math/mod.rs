//! Small vectors and matrices, generic over `f32` and `f64`, and the decompositions the materials need.
// Matrices keep the letters they have in the papers: F, C, J, U, V.
#![allow(non_snake_case)]

pub mod eigen;
mod fnv;
mod mat3;
pub mod polar;
mod real;
mod split_mix;
pub mod svd;
mod vec3;
mod wide;

pub use fnv::Fnv;
pub use mat3::Mat3;
pub use polar::{polar_3x2, polar_rotation};
pub use real::Real;
pub use split_mix::SplitMix;
pub use svd::{Svd, svd};
pub use vec3::Vec3;
pub use wide::{LANES, Wide};
