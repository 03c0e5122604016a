//! Small vectors and matrices, generic over `f32` and `f64`, and the two decompositions the materials need.

mod mat3;
mod real;
mod vec3;

pub use mat3::Mat3;
pub use real::Real;
pub use vec3::Vec3;
