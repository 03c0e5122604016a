// Twin of normal.rs; follows vec3.wgsl.

const ROUND_A_HEM: f32 = -0.5;
const ROUNDINGS: f32 = 16.0;
// The square root of TINY.
const NO_LENGTH: f32 = 1.1e-19;

struct Apart {
    // From the second side to the first, between closest points, m.
    offset: vec3<f32>,
    // Perpendicular to both sides, of any length.
    across: vec3<f32>,
    // Closest inside both sides: then the offset runs along `across`.
    inside: bool,
    // How far the first side would go relative to the second in the step, m.
    motion: vec3<f32>,
    // Largest coordinate, m.
    magnitude: f32,
    // The normal in the step before; zero if there was none.
    before: vec3<f32>,
    // It was closest to a hem then, so it may have gone round it.
    hem: bool,
}

// n, turned to the side of `to`.
fn turned_to(n: vec3<f32>, to: vec3<f32>) -> vec3<f32> {
    return select(n, -n, dot(n, to) < 0.0);
}

// The unit normal from the second side to the first, on the side where the pair was.
fn apart_normal(pair: Apart) -> vec3<f32> {
    let noise = ROUNDINGS * EPSILON * pair.magnitude + NO_LENGTH;
    let distance = length(pair.offset);
    let size = length(pair.across);
    let has_across = size > NO_LENGTH;
    let across = pair.across / max(size, NO_LENGTH);
    let is_perpendicular = has_across && pair.inside;
    let has_before = any(pair.before != vec3(0.0));
    if distance > noise {
        let straight = select(pair.offset / distance, turned_to(across, pair.offset), is_perpendicular);
        let passed = select(0.0, ROUND_A_HEM, pair.hem);
        if has_before && dot(pair.before, straight) < passed { return select(pair.before, -straight, is_perpendicular); }
        return straight;
    }
    if has_before { return select(pair.before, turned_to(across, pair.before), is_perpendicular); }
    if has_across { return turned_to(across, -pair.motion); }
    return unit_or(-pair.motion, vec3(0.0, 1.0, 0.0));
}
