// Twin of mod.rs and shape.rs; follows isotropic.wgsl and smooth.wgsl. What a material adds are its density, the slopes of that
// by I − 3, ‖C − 1‖² and J, and the density as a jet. Parameters have the volume of the element in them.
//
// Deviation: values do not come from the invariants, whose first order cancels: a strain of 10⁻³ would leave one digit of f32.
// With D = dev(C − 1) and u = (I − 3)/3, Q² = 1 + d with d = (det D/(1 + u) − ‖D‖²/2)/(1 + u)², all of it of second order.

/// What all have in common: b of corners 1, 2, 3, 1/m; and l.
struct Hyperelastic {
    gradients: mat3x3<f32>,
    share: f32,
}

/// What a density is a function of: C − 1, I − 3, ‖C − 1‖², J.
struct Strain {
    G: Sym3,
    i: f32,
    ii: f32,
    j: f32,
}

fn strain_of(F: mat3x3<f32>) -> Strain {
    let diagonal = vec3<f32>(dot(F[0], F[0]), dot(F[1], F[1]), dot(F[2], F[2])) - 1.0;
    let off = vec3<f32>(dot(F[1], F[2]), dot(F[0], F[2]), dot(F[0], F[1]));
    let i = diagonal.x + diagonal.y + diagonal.z;
    let ii = dot(diagonal, diagonal) + 2.0 * dot(off, off);
    return Strain(Sym3(diagonal, off), i, ii, dot(F[0], cross(F[1], F[2])));
}

/// ψ turned into (1 − l) ψ + l κ ‖F − R‖²; `kappa` is the shear modulus.
fn hyperelastic_value(e: Hyperelastic, F: mat3x3<f32>, own: f32, kappa: f32) -> f32 {
    if e.share <= 0.0 { return own; }
    return (1.0 - e.share) * own + e.share * kappa * norm_sq(F - polar_rotation(F));
}

/// Forces at the corners, from P of ψ.
fn hyperelastic_forces(e: Hyperelastic, F: mat3x3<f32>, own: mat3x3<f32>, kappa: f32) -> array<vec3<f32>, 4> {
    if e.share <= 0.0 { return tet_pull_back(e.gradients, own); }
    let pull = 2.0 * e.share * kappa;
    return tet_pull_back(e.gradients, own * (1.0 - e.share) + (F - polar_rotation(F)) * pull);
}

/// Diagonal blocks, from the jet of ψ at the singular values.
fn hyperelastic_diagonal(e: Hyperelastic, f: Svd, psi: Jet, kappa: f32) -> array<Sym3, 4> {
    let own = with_projective(principal_of(f.sigma, psi), e.share, e.share * kappa, f.sigma);
    return principal_diagonal(f, own, e.gradients);
}

/// The invariants as variables, from singular values.
fn invariants_of(sigma: vec3<f32>) -> array<Jet, 3> {
    let stretch = sigma * sigma - 1.0;
    return array<Jet, 3>(
        jet_variable(stretch.x + stretch.y + stretch.z, vec3<f32>(1.0, 0.0, 0.0)),
        jet_variable(dot(stretch, stretch), vec3<f32>(0.0, 1.0, 0.0)),
        jet_variable(sigma.x * sigma.y * sigma.z, vec3<f32>(0.0, 0.0, 1.0)),
    );
}

/// Scaling matrix, twists and flips of ψ.
fn principal_of(sigma: vec3<f32>, psi: Jet) -> Principal {
    let square = sigma * sigma;
    let stretch = square - 1.0;
    let product = sigma.yxx * sigma.zzy;
    // Of the invariants by each singular value.
    let x = vec3<f32>(2.0 * sigma.x, 4.0 * sigma.x * stretch.x, product.x);
    let y = vec3<f32>(2.0 * sigma.y, 4.0 * sigma.y * stretch.y, product.y);
    let z = vec3<f32>(2.0 * sigma.z, 4.0 * sigma.z * stretch.z, product.z);
    let bent_x = sym_times(psi.curvature, x);
    let bent_y = sym_times(psi.curvature, y);
    let bent_z = sym_times(psi.curvature, z);
    let own = 2.0 * psi.slope.x + psi.slope.y * (12.0 * square - 4.0);
    let diagonal = vec3<f32>(dot(x, bent_x), dot(y, bent_y), dot(z, bent_z)) + own;
    let off = vec3<f32>(dot(y, bent_z), dot(x, bent_z), dot(x, bent_y)) + psi.slope.z * sigma;
    let sum = square.yxx + square.zzy - 1.0;
    let base = vec3<f32>(2.0 * psi.slope.x);
    return Principal(
        Sym3(diagonal, off),
        base + 4.0 * psi.slope.y * (sum - product) + psi.slope.z * sigma,
        base + 4.0 * psi.slope.y * (sum + product) - psi.slope.z * sigma,
    );
}

/// Q where Q^(−2/3) is replaced, and that power of it.
const LEAST_Q: f32 = 5e-3;
const LEAST_Q_POWER: f32 = 34.19951893353394;
/// Least I/3, and least I₂/3 is its square.
const LEAST_SIZE: f32 = 1e-4;

/// 3 (Q^(−2/3) − 1), or what takes its place.
fn of_quality(q: f32) -> f32 {
    if q >= LEAST_Q { return 3.0 * (pow(q, -2.0 / 3.0) - 1.0); }
    let d = 1.0 - q / LEAST_Q;
    return 3.0 * (LEAST_Q_POWER * (1.0 + 16.0 / 9.0 * d - 10.0 / 9.0 * log(1.0 + d)) - 1.0);
}

/// Its slope.
fn quality_slope(q: f32) -> f32 {
    if q >= LEAST_Q { return -2.0 * pow(q, -5.0 / 3.0); }
    let d = 1.0 - q / LEAST_Q;
    return (-3.0 * LEAST_Q_POWER / LEAST_Q) * (16.0 / 9.0 - 10.0 / 9.0 / (1.0 + d));
}

fn of_quality_jet(q: Jet) -> Jet {
    let least = LEAST_Q;
    if q.value >= least {
        return jet_line(jet_power(q, -2.0 / 3.0), 3.0, -3.0);
    }
    let d = jet_line(q, -1.0 / least, 1.0);
    let rise = jet_add(jet_line(d, 16.0 / 9.0, 0.0), jet_line(jet_log(jet_line(d, 1.0, 1.0)), -10.0 / 9.0, 0.0));
    return jet_line(rise, 3.0 * LEAST_Q_POWER, 3.0 * LEAST_Q_POWER - 3.0);
}

/// Q² − 1 of M + 1, where det (M + 1) = Q² (tr (M + 1)/3)³.
fn quality_change(M: Sym3) -> f32 {
    let u = sym_trace(M) / 3.0;
    let d = M.diagonal - u;
    let o = M.off;
    let det = d.x * (d.y * d.z - o.x * o.x) - o.z * (o.z * d.z - o.x * o.y) + o.y * (o.z * o.x - d.y * o.y);
    let inverse = 1.0 / (1.0 + u);
    return (det * inverse - 0.5 * dot(d, d) - dot(o, o)) * inverse * inverse;
}

/// 3 (Q^(−2/3) − 1) from Q² − 1 = d.
fn of_quality_change(d: f32) -> f32 {
    // p³ = 1/(1 + d), with a step of Newton.
    let rough = pow(1.0 + d, -1.0 / 3.0);
    let p = rough * (4.0 - (1.0 + d) * rough * rough * rough) / 3.0;
    return -3.0 * d / ((1.0 + d) * (1.0 + p + p * p));
}

/// J^(−2/3) I − 3.
fn isochoric(s: Strain) -> f32 {
    let third = s.i / 3.0 + 1.0;
    if s.j > 0.0 && third > LEAST_SIZE {
        let d = quality_change(s.G);
        if abs(d) < 0.5 { return of_quality_change(d); }
    }
    return of_quality(s.j * pow(max(third, LEAST_SIZE), -1.5));
}

/// Its slopes by I − 3 and J.
fn isochoric_slopes(s: Strain) -> vec2<f32> {
    let third = s.i / 3.0 + 1.0;
    let size = max(third, LEAST_SIZE);
    let power = inverseSqrt(size) / size;
    let q = s.j * power;
    return quality_slope(q) * vec2<f32>(select(0.0, -0.5 * q / size, third > LEAST_SIZE), power);
}

// Jets take the sizes from the singular values themselves: of what is shrunk little is left of I − 3, plus 3.
fn isochoric_jet(x: array<Jet, 3>, sigma: vec3<f32>) -> Jet {
    var third = jet_line(x[0], 1.0 / 3.0, 1.0);
    third.value = dot(sigma, sigma) / 3.0;
    if third.value <= LEAST_SIZE { third = jet_constant(LEAST_SIZE); }
    return of_quality_jet(jet_product(x[2], jet_power(third, -1.5)));
}

/// I₂/3, from (I² − II)/2 = 3 + 2 (I−3) + ((I−3)² − ‖C−1‖²)/2.
fn third_of_area(s: Strain) -> f32 {
    return (2.0 * s.i + 0.5 * (s.i * s.i - s.ii)) / 3.0 + 1.0;
}

const LEAST_AREA: f32 = 1e-8;

/// J^(−4/3) (I² − II)/2 − 3.
fn isochoric_area(s: Strain) -> f32 {
    let third = third_of_area(s);
    if s.j > 0.0 && third > LEAST_SIZE {
        // cof C − 1 = tr G − G + cof G.
        let g = s.G.diagonal;
        let o = s.G.off;
        let cof = Sym3(g.yxx * g.zzy - o * o, o.yxx * o.zzy - g * o);
        let d = quality_change(sym_add(sym_add(sym_scalar(s.i), sym_scale(s.G, -1.0)), cof));
        if abs(d) < 0.5 { return of_quality_change(d); }
    }
    return of_quality(select(0.0, s.j * s.j, s.j > 0.0) * pow(max(third, LEAST_AREA), -1.5));
}

/// Its slopes by I − 3, ‖C − 1‖² and J.
fn isochoric_area_slopes(s: Strain) -> vec3<f32> {
    let third = third_of_area(s);
    let size = max(third, LEAST_AREA);
    let power = inverseSqrt(size) / size;
    let j = max(s.j, 0.0);
    let q = j * j * power;
    let by_size = select(0.0, -1.5 * q / size, third > LEAST_AREA);
    return quality_slope(q) * vec3<f32>(by_size * (2.0 + s.i) / 3.0, by_size / -6.0, 2.0 * j * power);
}

fn isochoric_area_jet(x: array<Jet, 3>, sigma: vec3<f32>) -> Jet {
    let bent = jet_add(jet_product(x[0], x[0]), jet_line(x[1], -1.0, 0.0));
    var third = jet_line(jet_add(jet_line(x[0], 2.0, 0.0), jet_line(bent, 0.5, 0.0)), 1.0 / 3.0, 1.0);
    let areas = sigma.yxx * sigma.zzy;
    third.value = dot(areas, areas) / 3.0;
    if third.value <= LEAST_AREA { third = jet_constant(LEAST_AREA); }
    var j_sq = jet_product(x[2], x[2]);
    if x[2].value <= 0.0 { j_sq = jet_constant(0.0); }
    return of_quality_jet(jet_product(j_sq, jet_power(third, -1.5)));
}

/// s₁ (J − 1)².
fn bulk_jet(s1: f32, j: Jet) -> Jet {
    let change = jet_line(j, 1.0, -1.0);
    return jet_line(jet_product(change, change), s1, 0.0);
}

/// P = 2 ψ_i F + 4 ψ_ii F (C − 1) + ψ_j cof F.
fn stress_of(F: mat3x3<f32>, s: Strain, slopes: vec3<f32>) -> mat3x3<f32> {
    let g = s.G.diagonal;
    let o = s.G.off;
    let G = mat3x3<f32>(g.x, o.z, o.y, o.z, g.y, o.x, o.y, o.x, g.z);
    return F * (2.0 * slopes.x) + F * G * (4.0 * slopes.y) + cofactor(F) * slopes.z;
}

/// The same without ψ_ii.
fn stress_without_squares(F: mat3x3<f32>, i: f32, j: f32) -> mat3x3<f32> {
    return F * (2.0 * i) + cofactor(F) * j;
}

fn hyperelastic_load(at: u32, stride: u32, words: u32) -> Hyperelastic {
    return Hyperelastic(tet_gradients_load(at, stride), element_data[at + (words - 1u) * stride]);
}
