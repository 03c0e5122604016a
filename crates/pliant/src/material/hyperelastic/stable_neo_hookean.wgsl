// Twin of stable_neo_hookean.rs. Deviation: the value is written without what cancels at first order, with c = III − 1 − tr G
// and J − 1 = (tr G + c)/(J + 1): i/2 − (J − 1) = (i (J − 1)/2 − c)/(J + 1).

struct StableNeoHookeanTet {
    tet: Hyperelastic,
    /// μ vol and λ vol of the model, N·m.
    mu: f32,
    lambda: f32,
}

fn stable_neo_hookean_tet_load(at: u32, stride: u32) -> StableNeoHookeanTet {
    let tet = hyperelastic_load(at, stride, 12u);
    return StableNeoHookeanTet(tet, element_data[at + 9u * stride], element_data[at + 10u * stride]);
}

/// y − ln(1 + y); by its series where that would lose digits.
fn above_log(y: f32) -> f32 {
    if abs(y) > 0.1 { return y - log(1.0 + y); }
    return y * y * (1.0 / 2.0 - y * (1.0 / 3.0 - y * (1.0 / 4.0 - y * (1.0 / 5.0 - y * (1.0 / 6.0 - y / 7.0)))));
}

/// i/2 − (J − 1).
fn beyond_volume(s: Strain) -> f32 {
    if s.j < 0.5 || s.j > 2.0 { return 0.5 * s.i - (s.j - 1.0); }
    let g = s.G.diagonal;
    let o = s.G.off;
    let det = g.x * (g.y * g.z - o.x * o.x) - o.z * (o.z * g.z - o.x * o.y) + o.y * (o.z * o.x - g.y * o.y);
    let second = g.x * g.y + g.y * g.z + g.z * g.x - dot(o, o);
    return (0.5 * s.i * (s.j - 1.0) - second - det) / (s.j + 1.0);
}

fn stable_neo_hookean_tet_value(e: StableNeoHookeanTet, x: array<vec3<f32>, 4>) -> f32 {
    let F = tet_deformation(e.tet.gradients, x);
    let s = strain_of(F);
    let change = s.j - 1.0;
    let shape = 0.75 * beyond_volume(s) + 0.5 * above_log(0.25 * s.i);
    return hyperelastic_value(e.tet, F, e.mu * shape + 0.5 * e.lambda * change * change, 0.75 * e.mu);
}

fn stable_neo_hookean_tet_gradient(e: StableNeoHookeanTet, x: array<vec3<f32>, 4>) -> array<vec3<f32>, 4> {
    let F = tet_deformation(e.tet.gradients, x);
    let s = strain_of(F);
    let by_i = 0.5 * e.mu * (0.75 + 0.25 * s.i / (4.0 + s.i));
    let own = stress_without_squares(F, by_i, e.lambda * (s.j - 1.0) - 0.75 * e.mu);
    return hyperelastic_forces(e.tet, F, own, 0.75 * e.mu);
}

fn stable_neo_hookean_tet_scale(e: StableNeoHookeanTet, x: array<vec3<f32>, 4>) -> array<Sym3, 4> {
    let f = svd(tet_deformation(e.tet.gradients, x));
    let variables = invariants_of(f.sigma);
    let slow = jet_line(jet_log(jet_line(variables[0], 0.25, 1.0)), -1.0, 0.0);
    let change = jet_line(variables[2], 1.0, -1.0);
    let shape = jet_add(jet_line(jet_add(variables[0], slow), 0.5, 0.0), jet_line(change, -0.75, 0.0));
    let psi = jet_add(jet_line(shape, e.mu, 0.0), jet_line(jet_product(change, change), 0.5 * e.lambda, 0.0));
    return hyperelastic_diagonal(e.tet, f, psi, 0.75 * e.mu);
}

fn stable_neo_hookean_tet_share(e: StableNeoHookeanTet, x: array<vec3<f32>, 4>) -> f32 {
    return share_of(tet_deformation(e.tet.gradients, x), 0.15);
}
