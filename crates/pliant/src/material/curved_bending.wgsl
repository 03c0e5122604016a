// Twin of curved_bending.rs. K sums to zero, so its first number is left out of the rest data; the sign of the rest
// curvature says to which side a flat hinge is pushed. Deviation: a hinge with ‖K x‖ below 1.1e-19 m counts as flat.

struct CurvedBending {
    stencil: vec4<f32>,
    weight: f32,
    rest_curvature: f32,
    side: f32,
}
struct CurvedBendingConstraint {
    value: f32,
    gradient: array<vec3<f32>, 4>,
}
/// ‖K x‖ and its direction.
struct CurvedBendingFrame {
    length: f32,
    n: vec3<f32>,
}

fn curved_bending_load(at: u32, stride: u32) -> CurvedBending {
    let k = vec3<f32>(element_data[at], element_data[at + stride], element_data[at + 2u * stride]);
    let signed = element_data[at + 4u * stride];
    let side = select(-1.0, 1.0, signed >= 0.0);
    return CurvedBending(vec4<f32>(-(k.x + k.y + k.z), k), element_data[at + 3u * stride], abs(signed), side);
}

fn curved_bending_frame(e: CurvedBending, x: array<vec3<f32>, 4>) -> CurvedBendingFrame {
    let edge = x[1] - x[0];
    let first = x[2] - x[0];
    let bend = edge * e.stencil.y + first * e.stencil.z + (x[3] - x[0]) * e.stencil.w;
    let normal = unit_or(cross(edge, first), vec3<f32>(0.0, 1.0, 0.0));
    return CurvedBendingFrame(length(bend), unit_or(bend, normal * e.side));
}

fn curved_bending_value(e: CurvedBending, x: array<vec3<f32>, 4>) -> f32 {
    let excess = curved_bending_frame(e, x).length - e.rest_curvature;
    return 0.5 * e.weight * excess * excess;
}

fn curved_bending_gradient(e: CurvedBending, x: array<vec3<f32>, 4>) -> array<vec3<f32>, 4> {
    let frame = curved_bending_frame(e, x);
    let pull = frame.n * (e.weight * (frame.length - e.rest_curvature));
    return array<vec3<f32>, 4>(pull * e.stencil.x, pull * e.stencil.y, pull * e.stencil.z, pull * e.stencil.w);
}

fn curved_bending_compliance(e: CurvedBending) -> f32 {
    return 1.0 / e.weight;
}

/// C = ‖K x‖ − ‖k₀‖.
fn curved_bending_constraint(e: CurvedBending, x: array<vec3<f32>, 4>) -> CurvedBendingConstraint {
    let frame = curved_bending_frame(e, x);
    let n = frame.n;
    return CurvedBendingConstraint(
        frame.length - e.rest_curvature,
        array<vec3<f32>, 4>(n * e.stencil.x, n * e.stencil.y, n * e.stencil.z, n * e.stencil.w),
    );
}
