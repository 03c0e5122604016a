// Twin of neo_hookean.rs.

struct NeoHookeanTet {
    tet: Hyperelastic,
    /// s₀ vol and s₁ vol, N·m.
    s: vec2<f32>,
}

fn neo_hookean_tet_load(at: u32, stride: u32) -> NeoHookeanTet {
    let tet = hyperelastic_load(at, stride, 12u);
    return NeoHookeanTet(tet, vec2<f32>(element_data[at + 9u * stride], element_data[at + 10u * stride]));
}

fn neo_hookean_tet_value(e: NeoHookeanTet, x: array<vec3<f32>, 4>) -> f32 {
    let F = tet_deformation(e.tet.gradients, x);
    let s = strain_of(F);
    let own = e.s.x * isochoric(s) + e.s.y * (s.j - 1.0) * (s.j - 1.0);
    return hyperelastic_value(e.tet, F, own, 2.0 * e.s.x);
}

fn neo_hookean_tet_gradient(e: NeoHookeanTet, x: array<vec3<f32>, 4>) -> array<vec3<f32>, 4> {
    let F = tet_deformation(e.tet.gradients, x);
    let s = strain_of(F);
    let slopes = e.s.x * isochoric_slopes(s);
    let own = stress_without_squares(F, slopes.x, slopes.y + 2.0 * e.s.y * (s.j - 1.0));
    return hyperelastic_forces(e.tet, F, own, 2.0 * e.s.x);
}

fn neo_hookean_tet_scale(e: NeoHookeanTet, x: array<vec3<f32>, 4>) -> array<Sym3, 4> {
    let f = svd(tet_deformation(e.tet.gradients, x));
    let variables = invariants_of(f.sigma);
    let psi = jet_add(jet_line(isochoric_jet(variables, f.sigma), e.s.x, 0.0), bulk_jet(e.s.y, variables[2]));
    return hyperelastic_diagonal(e.tet, f, psi, 2.0 * e.s.x);
}

fn neo_hookean_tet_share(e: NeoHookeanTet, x: array<vec3<f32>, 4>) -> f32 {
    return share_of(tet_deformation(e.tet.gradients, x), 0.15);
}
