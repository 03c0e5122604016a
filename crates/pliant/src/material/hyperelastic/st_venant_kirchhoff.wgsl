// Twin of st_venant_kirchhoff.rs.

struct StvkTet {
    tet: Hyperelastic,
    /// λ vol and μ vol, N·m.
    lame_lambda: f32,
    lame_mu: f32,
}

fn stvk_tet_load(at: u32, stride: u32) -> StvkTet {
    let tet = hyperelastic_load(at, stride, 12u);
    return StvkTet(tet, element_data[at + 9u * stride], element_data[at + 10u * stride]);
}

fn stvk_tet_value(e: StvkTet, x: array<vec3<f32>, 4>) -> f32 {
    let F = tet_deformation(e.tet.gradients, x);
    let s = strain_of(F);
    return hyperelastic_value(e.tet, F, 0.125 * e.lame_lambda * s.i * s.i + 0.25 * e.lame_mu * s.ii, e.lame_mu);
}

fn stvk_tet_gradient(e: StvkTet, x: array<vec3<f32>, 4>) -> array<vec3<f32>, 4> {
    let F = tet_deformation(e.tet.gradients, x);
    let s = strain_of(F);
    // S = 2 ψ_i + 4 ψ_ii G.
    let a = 0.5 * e.lame_lambda * s.i + e.lame_mu * s.G.diagonal;
    let b = e.lame_mu * s.G.off;
    let own = F * mat3x3<f32>(a.x, b.z, b.y, b.z, a.y, b.x, b.y, b.x, a.z);
    return hyperelastic_forces(e.tet, F, own, e.lame_mu);
}

fn stvk_tet_scale(e: StvkTet, x: array<vec3<f32>, 4>) -> array<Sym3, 4> {
    let f = svd(tet_deformation(e.tet.gradients, x));
    let variables = invariants_of(f.sigma);
    let squared = jet_product(variables[0], variables[0]);
    let psi = jet_add(jet_line(squared, 0.125 * e.lame_lambda, 0.0), jet_line(variables[1], 0.25 * e.lame_mu, 0.0));
    return hyperelastic_diagonal(e.tet, f, psi, e.lame_mu);
}

fn stvk_tet_share(e: StvkTet, x: array<vec3<f32>, 4>) -> f32 {
    return share_of(tet_deformation(e.tet.gradients, x), 0.5);
}
