// Twin of strain_limit.rs for triangles.

struct StrainLimitTriangle {
    /// b₁ and the second component of b₂, 1/m.
    gradients: vec3<f32>,
    /// w V, N·m.
    weight: f32,
    low: f32,
    high: f32,
}
struct StrainLimitTriangleConstraint {
    value: f32,
    gradient: array<vec3<f32>, 3>,
}

fn strain_limit_triangle_load(at: u32, stride: u32) -> StrainLimitTriangle {
    return StrainLimitTriangle(
        triangle_gradients_load(at, stride),
        element_data[at + 3u * stride], element_data[at + 4u * stride], element_data[at + 5u * stride],
    );
}

/// F − p(F) = U (Σ − clamp Σ) Vᵀ: exactly zero inside the range.
fn strain_limit_triangle_difference(e: StrainLimitTriangle, x: array<vec3<f32>, 3>) -> array<vec3<f32>, 2> {
    let F = triangle_deformation(e.gradients, x);
    let f = svd_3x2(F[0], F[1]);
    let excess = f.sigma.xy - clamp(f.sigma.xy, vec2<f32>(e.low), vec2<f32>(e.high));
    let D = svd_with_sigma(f, vec3<f32>(excess, 0.0));
    return array<vec3<f32>, 2>(D[0], D[1]);
}

fn strain_limit_triangle_value(e: StrainLimitTriangle, x: array<vec3<f32>, 3>) -> f32 {
    let D = strain_limit_triangle_difference(e, x);
    return 0.5 * e.weight * (dot(D[0], D[0]) + dot(D[1], D[1]));
}

fn strain_limit_triangle_gradient(e: StrainLimitTriangle, x: array<vec3<f32>, 3>) -> array<vec3<f32>, 3> {
    let D = strain_limit_triangle_difference(e, x);
    return triangle_pull_back(e.gradients, array<vec3<f32>, 2>(D[0] * e.weight, D[1] * e.weight));
}

fn strain_limit_triangle_compliance(e: StrainLimitTriangle) -> f32 {
    return 1.0 / e.weight;
}

/// C = ‖F − p(F)‖.
fn strain_limit_triangle_constraint(
    e: StrainLimitTriangle,
    x: array<vec3<f32>, 3>,
) -> StrainLimitTriangleConstraint {
    let d = distance2(strain_limit_triangle_difference(e, x));
    return StrainLimitTriangleConstraint(d.value, triangle_pull_back(e.gradients, d.direction));
}
