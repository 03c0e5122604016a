// Twin of fung.rs.

struct FungTet {
    tet: Hyperelastic,
    /// s₀ vol, s₁ vol and s₂ vol, N·m.
    s: vec3<f32>,
    s3: f32,
}

/// The largest exponent, and exp of it.
const STEEPEST: f32 = 10.0;
const STEEPEST_POWER: f32 = 22026.465794806718;

fn fung_tet_load(at: u32, stride: u32) -> FungTet {
    let tet = hyperelastic_load(at, stride, 14u);
    let s = vec3<f32>(element_data[at + 9u * stride], element_data[at + 10u * stride], element_data[at + 11u * stride]);
    return FungTet(tet, s, element_data[at + 12u * stride]);
}

/// exp(y) − 1; by its series where exp(y) would lose digits.
fn growth(y: f32) -> f32 {
    if y > STEEPEST { return STEEPEST_POWER * (1.0 + 2.0 * (y - STEEPEST) - log(1.0 + (y - STEEPEST))) - 1.0; }
    if abs(y) > 0.3 { return exp(y) - 1.0; }
    return y * (1.0 + y / 2.0 * (1.0 + y / 3.0 * (1.0 + y / 4.0 * (1.0 + y / 5.0 * (1.0 + y / 6.0)))));
}

/// Its slope.
fn growth_slope(y: f32) -> f32 {
    if y > STEEPEST { return STEEPEST_POWER * (2.0 - 1.0 / (1.0 + (y - STEEPEST))); }
    return exp(y);
}

fn growth_jet(y: Jet) -> Jet {
    let slope = exp(min(y.value, STEEPEST));
    if y.value <= STEEPEST { return jet_chain(y, slope - 1.0, slope, slope); }
    let d = jet_line(y, 1.0, -STEEPEST);
    let rise = jet_add(jet_line(d, 2.0, 0.0), jet_line(jet_log(jet_line(d, 1.0, 1.0)), -1.0, 0.0));
    return jet_line(rise, slope, slope - 1.0);
}

fn fung_tet_shear(e: FungTet) -> f32 {
    return 2.0 * (e.s.x + e.s.z * e.s3);
}

fn fung_tet_value(e: FungTet, x: array<vec3<f32>, 4>) -> f32 {
    let F = tet_deformation(e.tet.gradients, x);
    let s = strain_of(F);
    let shape = isochoric(s);
    let own = e.s.x * shape + e.s.y * (s.j - 1.0) * (s.j - 1.0) + e.s.z * growth(e.s3 * shape);
    return hyperelastic_value(e.tet, F, own, fung_tet_shear(e));
}

fn fung_tet_gradient(e: FungTet, x: array<vec3<f32>, 4>) -> array<vec3<f32>, 4> {
    let F = tet_deformation(e.tet.gradients, x);
    let s = strain_of(F);
    let slopes = (e.s.x + e.s.z * e.s3 * growth_slope(e.s3 * isochoric(s))) * isochoric_slopes(s);
    let own = stress_without_squares(F, slopes.x, slopes.y + 2.0 * e.s.y * (s.j - 1.0));
    return hyperelastic_forces(e.tet, F, own, fung_tet_shear(e));
}

fn fung_tet_scale(e: FungTet, x: array<vec3<f32>, 4>) -> array<Sym3, 4> {
    let f = svd(tet_deformation(e.tet.gradients, x));
    let variables = invariants_of(f.sigma);
    let shape = isochoric_jet(variables, f.sigma);
    let slow = jet_add(jet_line(shape, e.s.x, 0.0), bulk_jet(e.s.y, variables[2]));
    let psi = jet_add(slow, jet_line(growth_jet(jet_line(shape, e.s3, 0.0)), e.s.z, 0.0));
    return hyperelastic_diagonal(e.tet, f, psi, fung_tet_shear(e));
}

fn fung_tet_share(e: FungTet, x: array<vec3<f32>, 4>) -> f32 {
    return share_of(tet_deformation(e.tet.gradients, x), 0.15);
}
