// Twin of vec3.rs, for what WGSL does not have itself. Numbers smaller than TINY are zero: a GPU may flush them, so no
// answer here depends on them.

const EPSILON: f32 = 1.1920929e-7;
const TINY: f32 = 1.1754944e-38;

/// v at length one, or `otherwise` if its square is below TINY: shorter than 1.1e-19 (the Rust twin: 1e-23 in f32).
fn unit_or(v: vec3<f32>, otherwise: vec3<f32>) -> vec3<f32> {
    let square = dot(v, v);
    return select(otherwise, v * inverseSqrt(max(square, TINY)), square > TINY);
}

/// The largest magnitude among the components.
fn largest_component(v: vec3<f32>) -> f32 {
    let a = abs(v);
    return max(a.x, max(a.y, a.z));
}
