//! A snowman, 1 m high: three balls that have grown together.

use super::GenerateError;
use super::filled::{Form, V};
use crate::mesh::Mesh;

/// Height of the middle, and radius, m.
const BALLS: [[f64; 2]; 3] = [[0.23, 0.23], [0.56, 0.18], [0.85, 0.15]];

const FORM: Form = Form {
    shape: "snowman",
    corners: [[-0.24, 0.0, -0.24], [0.24, 1.0, 0.24]],
    middle: [0.0, 0.23, 0.0],
    volume: 0.085,
    // Of fewer tets balls are not round.
    least: 1000,
    distance,
};

/// A snowman that stands on the origin, with as nearly `tets` tets as whole cells allow (within 5 %).
pub fn snowman(tets: usize) -> Result<Mesh, GenerateError> {
    FORM.filled(tets)
}

fn distance(p: V) -> f64 {
    let ball = |[height, radius]: [f64; 2]| (p - V::new(0.0, height, 0.0)).length() - radius;
    BALLS.map(ball).into_iter().fold(f64::INFINITY, f64::min)
}
