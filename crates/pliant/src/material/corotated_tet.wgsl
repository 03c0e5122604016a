// Twin of corotated_tet.rs.

struct CorotatedTet {
    /// b of corners 1, 2, 3, 1/m.
    gradients: mat3x3<f32>,
    /// μ vol and λ vol, N·m.
    lame_mu: f32,
    lame_lambda: f32,
}

fn corotated_tet_load(at: u32, stride: u32) -> CorotatedTet {
    return CorotatedTet(
        tet_gradients_load(at, stride), element_data[at + 9u * stride], element_data[at + 10u * stride],
    );
}

/// tr(RᵀF − I), from F − R.
fn corotated_tet_trace(R: mat3x3<f32>, D: mat3x3<f32>) -> f32 {
    return dot(R[0], D[0]) + dot(R[1], D[1]) + dot(R[2], D[2]);
}

fn corotated_tet_value(e: CorotatedTet, x: array<vec3<f32>, 4>) -> f32 {
    let F = tet_deformation(e.gradients, x);
    let R = polar_rotation(F);
    let trace = corotated_tet_trace(R, F - R);
    return e.lame_mu * norm_sq(F - R) + 0.5 * e.lame_lambda * trace * trace;
}

fn corotated_tet_gradient(e: CorotatedTet, x: array<vec3<f32>, 4>) -> array<vec3<f32>, 4> {
    let F = tet_deformation(e.gradients, x);
    let R = polar_rotation(F);
    let pressure = e.lame_lambda * corotated_tet_trace(R, F - R);
    return tet_pull_back(e.gradients, (F - R) * (2.0 * e.lame_mu) + R * pressure);
}

fn corotated_tet_scale(e: CorotatedTet, x: array<vec3<f32>, 4>) -> array<Sym3, 4> {
    let f = svd(tet_deformation(e.gradients, x));
    let scale = Sym3(vec3<f32>(2.0 * e.lame_mu + e.lame_lambda), vec3<f32>(e.lame_lambda));
    let own = Principal(scale, corotated_twists(e.lame_mu, e.lame_lambda, f.sigma), vec3<f32>(2.0 * e.lame_mu));
    return principal_diagonal(f, own, e.gradients);
}
