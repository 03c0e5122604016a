// Twin of grid.rs: boxes in hashed cells of several sizes. Deviation: boxes of one hash are in no order; what depends on the
// order of boxes goes by their numbers.

// Levels, finest first.
const LEVELS: u32 = 32u;
// Of a box that is not in the grid.
const NOWHERE: u32 = 0xffffffffu;
// In the words that have a level above something else.
const LEVEL_SHIFT: u32 = 27u;
const BELOW_LEVEL: u32 = 0x07ffffffu;
const CELLS_ALONG: f32 = 4.0;
const CELLS_ACROSS: f32 = 1.0;
const ROWS: i32 = 8;

struct Box {
    low: vec3<f32>,
    // How far its vertices may go in the step, m.
    motion: f32,
    high: vec3<f32>,
    // Number of the triangle or the edge, and the level above it.
    tag: u32,
}

// The hash of a row of cells along x; that of a cell is x more.
fn grid_row(y: i32, z: i32, level: u32) -> u32 {
    let sum = bitcast<u32>(y) * 0x9E3779B1u + bitcast<u32>(z) * 0x85EBCA77u;
    return (sum ^ (sum >> 15u)) + level * 0xC2B2AE3Du;
}

// Cells of a level per metre, where boxes of the finest are up to `base` m large.
fn grid_scale(base: f32, level: u32) -> vec3<f32> {
    return vec3(CELLS_ALONG, CELLS_ACROSS, CELLS_ACROSS) / (base * f32(1u << level));
}

// Saturates far outside.
fn grid_cell(at: vec3<f32>, scale: vec3<f32>) -> vec3<i32> {
    return vec3<i32>(floor(clamp(at * scale, vec3(-2e9), vec3(2e9))));
}

// The finest level whose boxes are as large as this; NOWHERE if there is none.
fn grid_level(extent: f32, base: f32) -> u32 {
    var size = base;
    var level = 0u;
    while level < LEVELS && size < extent {
        size += size;
        level++;
    }
    return select(NOWHERE, level, level < LEVELS && size >= extent);
}

fn is_finite_point(v: vec3<f32>) -> bool {
    // As bits: compilers may think that all numbers are finite.
    let bits = bitcast<vec3<u32>>(v) & vec3(0x7f800000u);
    return !any(bits == vec3(0x7f800000u));
}
