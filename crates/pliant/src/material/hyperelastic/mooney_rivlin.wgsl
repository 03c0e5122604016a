// Twin of mooney_rivlin.rs.

struct MooneyRivlinTet {
    tet: Hyperelastic,
    /// s₀ vol, s₁ vol and s₂ vol, N·m.
    s: vec3<f32>,
}

fn mooney_rivlin_tet_load(at: u32, stride: u32) -> MooneyRivlinTet {
    let tet = hyperelastic_load(at, stride, 13u);
    let s = vec3<f32>(element_data[at + 9u * stride], element_data[at + 10u * stride], element_data[at + 11u * stride]);
    return MooneyRivlinTet(tet, s);
}

fn mooney_rivlin_tet_value(e: MooneyRivlinTet, x: array<vec3<f32>, 4>) -> f32 {
    let F = tet_deformation(e.tet.gradients, x);
    let s = strain_of(F);
    let own = e.s.x * isochoric(s) + e.s.y * (s.j - 1.0) * (s.j - 1.0) + e.s.z * isochoric_area(s);
    return hyperelastic_value(e.tet, F, own, 2.0 * (e.s.x + e.s.z));
}

fn mooney_rivlin_tet_gradient(e: MooneyRivlinTet, x: array<vec3<f32>, 4>) -> array<vec3<f32>, 4> {
    let F = tet_deformation(e.tet.gradients, x);
    let s = strain_of(F);
    let shape = e.s.x * isochoric_slopes(s);
    let slopes = e.s.z * isochoric_area_slopes(s) + vec3<f32>(shape.x, 0.0, shape.y + 2.0 * e.s.y * (s.j - 1.0));
    return hyperelastic_forces(e.tet, F, stress_of(F, s, slopes), 2.0 * (e.s.x + e.s.z));
}

fn mooney_rivlin_tet_scale(e: MooneyRivlinTet, x: array<vec3<f32>, 4>) -> array<Sym3, 4> {
    let f = svd(tet_deformation(e.tet.gradients, x));
    let variables = invariants_of(f.sigma);
    let shape = jet_add(jet_line(isochoric_jet(variables, f.sigma), e.s.x, 0.0), bulk_jet(e.s.y, variables[2]));
    let psi = jet_add(shape, jet_line(isochoric_area_jet(variables, f.sigma), e.s.z, 0.0));
    return hyperelastic_diagonal(e.tet, f, psi, 2.0 * (e.s.x + e.s.z));
}

fn mooney_rivlin_tet_share(e: MooneyRivlinTet, x: array<vec3<f32>, 4>) -> f32 {
    return share_of(tet_deformation(e.tet.gradients, x), 0.15);
}
