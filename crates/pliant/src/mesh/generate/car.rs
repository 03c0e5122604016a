//! A toy car, 1 m long: a body, a cabin and four wheels in one piece.

use super::GenerateError;
use super::filled::{Form, V};
use crate::mesh::Mesh;

/// A box with rounded edges: middle, half of its sides without the rounding, and the radius of that, m.
struct Block {
    middle: [f64; 3],
    half: [f64; 3],
    round: f64,
}

const BLOCKS: [Block; 2] = [
    Block { middle: [0.0, 0.15, 0.0], half: [0.15, 0.04, 0.45], round: 0.04 }, // body
    Block { middle: [0.0, 0.26, 0.05], half: [0.11, 0.04, 0.19], round: 0.04 }, // cabin
];

/// Radius of the wheels, where they are from the middle along z, from where to where they reach along x, m.
const WHEEL: f64 = 0.09;
const AXLE: f64 = 0.3;
const TYRE: [f64; 2] = [0.11, 0.21];

const FORM: Form = Form {
    shape: "car",
    corners: [[-0.22, 0.0, -0.5], [0.22, 0.35, 0.5]],
    middle: [0.0, 0.15, 0.0],
    volume: 0.075,
    // Of fewer tets wheels are not two cells wide.
    least: 5000,
    distance,
};

/// A car that stands on the origin and looks along −z, with as nearly `tets` tets as whole cells allow (within 3 %).
pub fn car(tets: usize) -> Result<Mesh, GenerateError> {
    FORM.filled(tets)
}

fn distance(p: V) -> f64 {
    let p = V::new(p.x.abs(), p.y, p.z);
    let block = |block: &Block| {
        let q = p - V::of(block.middle);
        let out = V::of(std::array::from_fn(|k| (q[k].abs() - block.half[k]).max(0.0)));
        let inside = (0..3).map(|k| q[k].abs() - block.half[k]).fold(f64::NEG_INFINITY, f64::max).min(0.0);
        out.length() + inside - block.round
    };
    let around = (p.y - WHEEL).hypot(p.z.abs() - AXLE) - WHEEL;
    let wheel = around.max(TYRE[0] - p.x).max(p.x - TYRE[1]);
    BLOCKS.iter().map(block).fold(wheel, f64::min)
}
