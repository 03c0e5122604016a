// Twin of strain_limit.rs for tetrahedra.

struct StrainLimitTet {
    /// b of corners 1, 2, 3, 1/m.
    gradients: mat3x3<f32>,
    /// w V, N·m.
    weight: f32,
    low: f32,
    high: f32,
}
struct StrainLimitTetConstraint {
    value: f32,
    gradient: array<vec3<f32>, 4>,
}

fn strain_limit_tet_load(at: u32, stride: u32) -> StrainLimitTet {
    return StrainLimitTet(
        tet_gradients_load(at, stride),
        element_data[at + 9u * stride], element_data[at + 10u * stride], element_data[at + 11u * stride],
    );
}

/// F − p(F) = U (Σ − clamp Σ) Vᵀ: exactly zero inside the range.
fn strain_limit_tet_difference(e: StrainLimitTet, x: array<vec3<f32>, 4>) -> mat3x3<f32> {
    let f = svd(tet_deformation(e.gradients, x));
    return svd_with_sigma(f, f.sigma - clamp(f.sigma, vec3<f32>(e.low), vec3<f32>(e.high)));
}

fn strain_limit_tet_value(e: StrainLimitTet, x: array<vec3<f32>, 4>) -> f32 {
    return 0.5 * e.weight * norm_sq(strain_limit_tet_difference(e, x));
}

fn strain_limit_tet_gradient(e: StrainLimitTet, x: array<vec3<f32>, 4>) -> array<vec3<f32>, 4> {
    return tet_pull_back(e.gradients, strain_limit_tet_difference(e, x) * e.weight);
}

fn strain_limit_tet_compliance(e: StrainLimitTet) -> f32 {
    return 1.0 / e.weight;
}

/// C = ‖F − p(F)‖.
fn strain_limit_tet_constraint(e: StrainLimitTet, x: array<vec3<f32>, 4>) -> StrainLimitTetConstraint {
    let d = distance3(strain_limit_tet_difference(e, x));
    return StrainLimitTetConstraint(d.value, tet_pull_back(e.gradients, d.direction));
}
