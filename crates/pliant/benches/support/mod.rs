//! What the benchmarks of both crates share.

use pliant::math::Vec3;
use pliant::model::{Model, State};
use std::collections::HashSet;

/// Largest |length/rest − 1| of the edges at pins.
pub fn stretch_at_pins(model: &Model, state: &State) -> f64 {
    let pinned: HashSet<u32> = model.pins.iter().map(|pin| pin.vertex).collect();
    let at_pins = model.edges.iter().filter(|edge| edge.iter().any(|i| pinned.contains(i)));
    at_pins
        .map(|&[i, j]| {
            let length = |x: &[[f64; 3]]| (Vec3::<f64>::of(x[i as usize]) - Vec3::of(x[j as usize])).length();
            (length(&state.x) / length(&model.rest_x) - 1.0).abs()
        })
        .fold(0.0, f64::max)
}
