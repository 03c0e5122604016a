// Twin of quadratic_bending.rs. K sums to zero, so its first number is left out of the rest data.

struct QuadraticBending {
    stencil: vec4<f32>,
    weight: f32,
}
struct QuadraticBendingConstraint {
    value: f32,
    gradient: array<vec3<f32>, 4>,
}

fn quadratic_bending_load(at: u32, stride: u32) -> QuadraticBending {
    let k = vec3<f32>(element_data[at], element_data[at + stride], element_data[at + 2u * stride]);
    return QuadraticBending(vec4<f32>(-(k.x + k.y + k.z), k), element_data[at + 3u * stride]);
}

/// K x, from differences to the first corner.
fn quadratic_bending_curvature(e: QuadraticBending, x: array<vec3<f32>, 4>) -> vec3<f32> {
    return (x[1] - x[0]) * e.stencil.y + (x[2] - x[0]) * e.stencil.z + (x[3] - x[0]) * e.stencil.w;
}

fn quadratic_bending_value(e: QuadraticBending, x: array<vec3<f32>, 4>) -> f32 {
    let bend = quadratic_bending_curvature(e, x);
    return 0.5 * e.weight * dot(bend, bend);
}

fn quadratic_bending_gradient(e: QuadraticBending, x: array<vec3<f32>, 4>) -> array<vec3<f32>, 4> {
    let pull = quadratic_bending_curvature(e, x) * e.weight;
    return array<vec3<f32>, 4>(pull * e.stencil.x, pull * e.stencil.y, pull * e.stencil.z, pull * e.stencil.w);
}

fn quadratic_bending_compliance(e: QuadraticBending) -> f32 {
    return 1.0 / e.weight;
}

/// C = ‖K x‖; flat has no direction, so its gradient is zero.
fn quadratic_bending_constraint(e: QuadraticBending, x: array<vec3<f32>, 4>) -> QuadraticBendingConstraint {
    let bend = quadratic_bending_curvature(e, x);
    let n = unit_or(bend, vec3<f32>(0.0));
    return QuadraticBendingConstraint(
        length(bend),
        array<vec3<f32>, 4>(n * e.stencil.x, n * e.stencil.y, n * e.stencil.z, n * e.stencil.w),
    );
}
