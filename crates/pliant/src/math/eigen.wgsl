// Twin of eigen.rs for 3×3 matrices: Jacobi's rotations; follows vec3.wgsl and sym3.wgsl. Nothing is indexed by a variable, so
// that all stays in registers.

/// Rows p and q of a matrix whose third row is k, with eigenvectors.
struct EigenPair {
    pp: f32,
    qq: f32,
    pq: f32,
    kp: f32,
    kq: f32,
    vp: vec3<f32>,
    vq: vec3<f32>,
}

const EIGEN_SWEEPS: u32 = 8u;

/// Makes entry (p, q) zero, unless it is as good as that.
fn eigen_rotated(in: EigenPair, negligible: f32) -> EigenPair {
    if abs(in.pq) <= negligible { return in; }
    let zeta = clamp((in.qq - in.pp) / (in.pq + in.pq), -1e18, 1e18);
    let t = select(-1.0, 1.0, zeta >= 0.0) / (abs(zeta) + sqrt(1.0 + zeta * zeta));
    let square = 1.0 + t * t;
    let rough = inverseSqrt(square);
    let c = rough * (1.5 - 0.5 * square * rough * rough);
    let s = c * t;
    return EigenPair(
        in.pp - t * in.pq,
        in.qq + t * in.pq,
        0.0,
        c * in.kp - s * in.kq,
        s * in.kp + c * in.kq,
        in.vp * c - in.vq * s,
        in.vp * s + in.vq * c,
    );
}

/// The positive semi-definite matrix nearest to m (Frobenius): negative eigenvalues become zero.
fn project_psd(m: Sym3) -> Sym3 {
    var d = m.diagonal;
    var o = m.off;
    // By its minors: most matrices have no negative eigenvalue.
    let minor = d.x * d.y - o.z * o.z;
    let det = d.z * minor - o.x * (o.x * d.x - o.y * o.z) + o.y * (o.z * o.x - o.y * d.y);
    if d.x > 0.0 && minor > 0.0 && det > 0.0 { return m; }
    let negligible = 0.1 * EPSILON * max(largest_component(d), largest_component(o));
    var v0 = vec3<f32>(1.0, 0.0, 0.0);
    var v1 = vec3<f32>(0.0, 1.0, 0.0);
    var v2 = vec3<f32>(0.0, 0.0, 1.0);
    for (var sweep = 0u; sweep < EIGEN_SWEEPS && largest_component(o) > negligible; sweep++) {
        let a = eigen_rotated(EigenPair(d.x, d.y, o.z, o.y, o.x, v0, v1), negligible);
        let b = eigen_rotated(EigenPair(a.pp, d.z, a.kp, a.pq, a.kq, a.vp, v2), negligible);
        let c = eigen_rotated(EigenPair(a.qq, b.qq, b.kq, b.kp, b.pq, a.vq, b.vq), negligible);
        d = vec3<f32>(b.pp, c.pp, c.qq);
        o = vec3<f32>(c.pq, c.kq, c.kp);
        v0 = b.vp;
        v1 = c.vp;
        v2 = c.vq;
    }
    // From whichever part is smaller: rounding is then relative to what is left, even if that is zero.
    let negative = d < vec3<f32>(0.0);
    let count = select(0u, 1u, negative.x) + select(0u, 1u, negative.y) + select(0u, 1u, negative.z);
    let keeps_positive = count > 1u;
    let taken = select(max(-d, vec3<f32>(0.0)), max(d, vec3<f32>(0.0)), keeps_positive);
    let part = sym_turned(Sym3(taken, vec3<f32>(0.0)), mat3x3<f32>(v0, v1, v2));
    if keeps_positive { return part; }
    return sym_add(m, part);
}
