// Twin of isotropic.rs, for diagonal blocks; and of convert.rs. Follows svd.wgsl, sym3.wgsl, eigen.wgsl and simplex.wgsl.

/// ∂²ψ/∂F² in the principal frame: the scaling matrix, and the eigenvalues of twists and flips; pair k means the two axes other
/// than k.
struct Principal {
    scale: Sym3,
    twist: vec3<f32>,
    flip: vec3<f32>,
}

/// The diagonal blocks of a tetrahedron's Hessian without its negative eigenvalues; `own` has its volume in it.
fn principal_diagonal(f: Svd, own: Principal, gradients: mat3x3<f32>) -> array<Sym3, 4> {
    let twist = max(own.twist, vec3<f32>(0.0));
    let flip = max(own.flip, vec3<f32>(0.0));
    let whole = Principal(project_psd(own.scale), 0.5 * (flip + twist), 0.5 * (flip - twist));
    let beta = transpose(f.v) * gradients;
    return array<Sym3, 4>(
        principal_block(whole, f.u, -(beta[0] + beta[1] + beta[2])),
        principal_block(whole, f.u, beta[0]),
        principal_block(whole, f.u, beta[1]),
        principal_block(whole, f.u, beta[2]),
    );
}

/// The block of a corner with shape gradient β, in V's frame; `own` has half of flip and twist added up, and subtracted.
fn principal_block(own: Principal, U: mat3x3<f32>, beta: vec3<f32>) -> Sym3 {
    let square = beta * beta;
    let same = own.twist;
    let along = own.scale.diagonal * square + same.zxy * square.yzx + same.yzx * square.zxy;
    return sym_turned(Sym3(along, (own.scale.off + own.flip) * beta.yxx * beta.zzy), U);
}

/// Eigenvalues of the twists of μ‖F−R‖² + λ/2 tr²(RᵀF−I); those of flips are 2μ.
fn corotated_twists(mu: f32, lambda: f32, sigma: vec3<f32>) -> vec3<f32> {
    let pull = lambda * (sigma.x + sigma.y + sigma.z - 3.0) - 2.0 * mu;
    return 2.0 * mu + 2.0 * pull / max(sigma.yxx + sigma.zzy, vec3<f32>(EPSILON));
}

/// λ⁻: the least stretch at which an element is converted wholly.
const CONVERTED_AT: f32 = 0.05;

/// l of an element by its F, with λ⁺ = `below`. Where it is surely stretched more it is −1: σ₂ is at least 2 J/‖F‖².
fn share_of(F: mat3x3<f32>, below: f32) -> f32 {
    if dot(F[0], cross(F[1], F[2])) > 0.505 * below * norm_sq(F) { return -1.0; }
    return (below - svd(F).sigma.z) / (below - CONVERTED_AT);
}

/// Of (1 − l) ψ + κ ‖F − R‖², from that of ψ; `kappa` has l in it.
fn with_projective(own: Principal, share: f32, kappa: f32, sigma: vec3<f32>) -> Principal {
    if share <= 0.0 { return own; }
    let rest = 1.0 - share;
    return Principal(
        sym_add(sym_scale(own.scale, rest), sym_scalar(2.0 * kappa)),
        rest * own.twist + corotated_twists(kappa, 0.0, sigma),
        rest * own.flip + vec3<f32>(2.0 * kappa),
    );
}
