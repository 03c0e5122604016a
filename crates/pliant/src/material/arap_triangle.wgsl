// Twin of arap_triangle.rs.

struct ArapTriangle {
    /// b₁ and the second component of b₂, 1/m.
    gradients: vec3<f32>,
    /// 2 μ A, N·m.
    weight: f32,
}
struct ArapTriangleConstraint {
    value: f32,
    gradient: array<vec3<f32>, 3>,
}

fn arap_triangle_load(at: u32, stride: u32) -> ArapTriangle {
    return ArapTriangle(triangle_gradients_load(at, stride), element_data[at + 3u * stride]);
}

/// F − R.
fn arap_triangle_difference(e: ArapTriangle, x: array<vec3<f32>, 3>) -> array<vec3<f32>, 2> {
    let F = triangle_deformation(e.gradients, x);
    let R = polar_3x2(F[0], F[1]);
    return array<vec3<f32>, 2>(F[0] - R[0], F[1] - R[1]);
}

fn arap_triangle_value(e: ArapTriangle, x: array<vec3<f32>, 3>) -> f32 {
    let D = arap_triangle_difference(e, x);
    return 0.5 * e.weight * (dot(D[0], D[0]) + dot(D[1], D[1]));
}

fn arap_triangle_gradient(e: ArapTriangle, x: array<vec3<f32>, 3>) -> array<vec3<f32>, 3> {
    let D = arap_triangle_difference(e, x);
    return triangle_pull_back(e.gradients, array<vec3<f32>, 2>(D[0] * e.weight, D[1] * e.weight));
}

fn arap_triangle_compliance(e: ArapTriangle) -> f32 {
    return 1.0 / e.weight;
}

/// C = ‖F − R‖.
fn arap_triangle_constraint(e: ArapTriangle, x: array<vec3<f32>, 3>) -> ArapTriangleConstraint {
    let d = distance2(arap_triangle_difference(e, x));
    return ArapTriangleConstraint(d.value, triangle_pull_back(e.gradients, d.direction));
}
