// Twin of svd.rs: one-sided Jacobi. Columns are passed by value and never indexed by a variable, so that they stay in
// registers. Deviation: columns count as orthogonal from 2 EPSILON on, because square roots are not rounded to nearest.

/// F = U diag(sigma) Vᵀ with rotations U, V and σ₀ ≥ σ₁ ≥ |σ₂|; det F < 0 ⇔ σ₂ < 0.
struct Svd {
    u: mat3x3<f32>,
    sigma: vec3<f32>,
    v: mat3x3<f32>,
}

/// Columns p and q of F V and of V.
struct ColumnPair {
    bp: vec3<f32>,
    bq: vec3<f32>,
    vp: vec3<f32>,
    vq: vec3<f32>,
    rotated: bool,
}

const SVD_SWEEPS: u32 = 16u;

/// U Vᵀ: the rotation nearest to F.
fn svd_rotation(s: Svd) -> mat3x3<f32> {
    return s.u * transpose(s.v);
}

/// U diag(s) Vᵀ
fn svd_with_sigma(f: Svd, s: vec3<f32>) -> mat3x3<f32> {
    return mat3x3<f32>(f.u[0] * s.x, f.u[1] * s.y, f.u[2] * s.z) * transpose(f.v);
}

/// One Jacobi rotation.
fn orthogonalise_columns(in: ColumnPair) -> ColumnPair {
    let a = dot(in.bp, in.bp);
    let b = dot(in.bq, in.bq);
    let g = dot(in.bp, in.bq);
    if abs(g) <= 2.0 * EPSILON * sqrt(a) * sqrt(b) || abs(g) <= TINY {
        return ColumnPair(in.bp, in.bq, in.vp, in.vq, false);
    }
    // Clamped so that the square stays finite; beyond, the angle is far below rounding anyway.
    let zeta = clamp((b - a) / (g + g), -1e18, 1e18);
    let t = select(-1.0, 1.0, zeta >= 0.0) / (abs(zeta) + sqrt(1.0 + zeta * zeta));
    // A step of Newton on c: inverseSqrt is 2 ulp off, and dozens of rotations multiply.
    let square = 1.0 + t * t;
    let rough = inverseSqrt(square);
    let c = rough * (1.5 - 0.5 * square * rough * rough);
    let s = c * t;
    return ColumnPair(
        in.bp * c - in.bq * s,
        in.bp * s + in.bq * c,
        in.vp * c - in.vq * s,
        in.vp * s + in.vq * c,
        true,
    );
}

/// Swaps the columns if the second is longer; one is negated so that V stays a rotation.
fn order_pair(in: ColumnPair) -> ColumnPair {
    if dot(in.bp, in.bp) < dot(in.bq, in.bq) {
        return ColumnPair(in.bq, -in.bp, in.vq, -in.vp, true);
    }
    return in;
}

/// A unit vector perpendicular to the unit vector u, always the same one for the same u.
fn any_perpendicular(u: vec3<f32>) -> vec3<f32> {
    let a = abs(u);
    if a.x <= a.y && a.x <= a.z {
        return unit_or(cross(u, vec3<f32>(1.0, 0.0, 0.0)), vec3<f32>(0.0, 1.0, 0.0));
    }
    if a.y <= a.z {
        return unit_or(cross(u, vec3<f32>(0.0, 1.0, 0.0)), vec3<f32>(0.0, 0.0, 1.0));
    }
    return unit_or(cross(u, vec3<f32>(0.0, 0.0, 1.0)), vec3<f32>(1.0, 0.0, 0.0));
}

/// The unit vector along the part of b perpendicular to the unit vector u; if nothing is left, any_perpendicular(u).
fn perpendicular_part(b: vec3<f32>, u: vec3<f32>) -> vec3<f32> {
    let rest = b - u * dot(u, b);
    let square = dot(rest, rest);
    if square > EPSILON * dot(b, b) && square > TINY {
        let unit = rest * inverseSqrt(square);
        return unit_or(unit - u * dot(u, unit), any_perpendicular(u));
    }
    return any_perpendicular(u);
}

/// The decomposition of any finite matrix: flat, inverted, zero, with repeated singular values.
fn svd(F: mat3x3<f32>) -> Svd {
    let size = max(largest_component(F[0]), max(largest_component(F[1]), largest_component(F[2])));
    if size <= TINY {
        return Svd(identity(), vec3<f32>(0.0), identity());
    }
    // In two factors: 1/size is flushed to zero when size is huge.
    let root = sqrt(size);
    var b0 = F[0] / root / root;
    var b1 = F[1] / root / root;
    var b2 = F[2] / root / root;
    var v0 = vec3<f32>(1.0, 0.0, 0.0);
    var v1 = vec3<f32>(0.0, 1.0, 0.0);
    var v2 = vec3<f32>(0.0, 0.0, 1.0);
    for (var sweep = 0u; sweep < SVD_SWEEPS; sweep++) {
        let p = orthogonalise_columns(ColumnPair(b0, b1, v0, v1, false));
        let q = orthogonalise_columns(ColumnPair(p.bp, b2, p.vp, v2, false));
        let r = orthogonalise_columns(ColumnPair(p.bq, q.bq, p.vq, q.vq, false));
        b0 = q.bp;
        b1 = r.bp;
        b2 = r.bq;
        v0 = q.vp;
        v1 = r.vp;
        v2 = r.vq;
        if !(p.rotated || q.rotated || r.rotated) {
            break;
        }
    }
    let p = order_pair(ColumnPair(b0, b1, v0, v1, false));
    let q = order_pair(ColumnPair(p.bq, b2, p.vq, v2, false));
    let r = order_pair(ColumnPair(p.bp, q.bp, p.vp, q.vp, false));
    let u0 = unit_or(r.bp, vec3<f32>(1.0, 0.0, 0.0));
    let u1 = perpendicular_part(r.bq, u0);
    let u2 = cross(u0, u1);
    let sigma = vec3<f32>(length(r.bp), dot(r.bq, u1), dot(q.bq, u2)) * size;
    return Svd(mat3x3<f32>(u0, u1, u2), sigma, mat3x3<f32>(r.vp, r.vq, q.vq));
}

/// [u₀ u₁] diag(sigma) Vᵀ of a 3×2 matrix, the unit normal u₂ completing U; V is embedded in 3×3 with the third axis
/// fixed. Both singular values are ≥ 0.
fn svd_3x2(f0: vec3<f32>, f1: vec3<f32>) -> Svd {
    let size = max(largest_component(f0), largest_component(f1));
    if size <= TINY {
        return Svd(identity(), vec3<f32>(0.0), identity());
    }
    let root = sqrt(size);
    var pair = ColumnPair(f0 / root / root, f1 / root / root, vec3<f32>(1.0, 0.0, 0.0), vec3<f32>(0.0, 1.0, 0.0), true);
    for (var sweep = 0u; sweep < SVD_SWEEPS && pair.rotated; sweep++) {
        pair = orthogonalise_columns(pair);
    }
    pair = order_pair(pair);
    let u0 = unit_or(pair.bp, vec3<f32>(1.0, 0.0, 0.0));
    let u1 = perpendicular_part(pair.bq, u0);
    let sigma = vec3<f32>(length(pair.bp), dot(pair.bq, u1), 0.0) * size;
    return Svd(mat3x3<f32>(u0, u1, cross(u0, u1)), sigma, mat3x3<f32>(pair.vp, pair.vq, vec3<f32>(0.0, 0.0, 1.0)));
}
