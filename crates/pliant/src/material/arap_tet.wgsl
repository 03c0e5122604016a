// Twin of arap_tet.rs.

struct ArapTet {
    /// b of corners 1, 2, 3, 1/m.
    gradients: mat3x3<f32>,
    /// 2 κ vol, N·m.
    weight: f32,
}
struct ArapTetConstraint {
    value: f32,
    gradient: array<vec3<f32>, 4>,
}

fn arap_tet_load(at: u32, stride: u32) -> ArapTet {
    return ArapTet(tet_gradients_load(at, stride), element_data[at + 9u * stride]);
}

/// F − R.
fn arap_tet_difference(e: ArapTet, x: array<vec3<f32>, 4>) -> mat3x3<f32> {
    let F = tet_deformation(e.gradients, x);
    return F - polar_rotation(F);
}

fn arap_tet_value(e: ArapTet, x: array<vec3<f32>, 4>) -> f32 {
    return 0.5 * e.weight * norm_sq(arap_tet_difference(e, x));
}

fn arap_tet_gradient(e: ArapTet, x: array<vec3<f32>, 4>) -> array<vec3<f32>, 4> {
    return tet_pull_back(e.gradients, arap_tet_difference(e, x) * e.weight);
}

fn arap_tet_compliance(e: ArapTet) -> f32 {
    return 1.0 / e.weight;
}

/// C = ‖F − R‖.
fn arap_tet_constraint(e: ArapTet, x: array<vec3<f32>, 4>) -> ArapTetConstraint {
    let d = distance3(arap_tet_difference(e, x));
    return ArapTetConstraint(d.value, tet_pull_back(e.gradients, d.direction));
}

fn arap_tet_scale(e: ArapTet, x: array<vec3<f32>, 4>) -> array<Sym3, 4> {
    let f = svd(tet_deformation(e.gradients, x));
    let own = Principal(
        sym_scalar(e.weight), corotated_twists(0.5 * e.weight, 0.0, f.sigma), vec3<f32>(e.weight),
    );
    return principal_diagonal(f, own, e.gradients);
}
