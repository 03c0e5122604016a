// Twin of polar.rs: the rotation nearest to F in closed form, by singular values where that is not accurate. The closed
// form has no branch; the other path is rare and the threads of a subgroup mostly agree on it.

struct Polar {
    rotation: mat3x3<f32>,
    trusted: bool,
}

/// 8 √EPSILON
const POLAR_LIMIT: f32 = 2.7621359e-3;

/// The rotation nearest to F: det R = +1 always. Where it is not unique, one of the nearest.
fn polar_rotation(F: mat3x3<f32>) -> mat3x3<f32> {
    let closed = polar_closed_form(F);
    if closed.trusted {
        return closed.rotation;
    }
    return svd_rotation(svd(F));
}

/// Halley's step for p(λ) = λ⁴ − 2 λ² − 8 J λ + constant.
fn polar_halley(lambda: f32, J: f32, constant: f32) -> f32 {
    let square = lambda * lambda;
    let p = square * (square - 2.0) - 8.0 * J * lambda + constant;
    let slope = 4.0 * (lambda * (square - 1.0) - 2.0 * J);
    return p * slope / max(slope * slope - p * (6.0 * square - 2.0), EPSILON);
}

fn polar_closed_form(unscaled: mat3x3<f32>) -> Polar {
    let size_sq = norm_sq(unscaled);
    let F = unscaled * inverseSqrt(max(size_sq, TINY));
    // C = FᵀF, symmetric.
    let c00 = dot(F[0], F[0]);
    let c11 = dot(F[1], F[1]);
    let c22 = dot(F[2], F[2]);
    let c01 = dot(F[0], F[1]);
    let c02 = dot(F[0], F[2]);
    let c12 = dot(F[1], F[2]);
    let cof = cofactor(F);
    let J = dot(F[0], cof[0]);
    let constant = 2.0 * (c00 * c00 + c11 * c11 + c22 * c22 + 2.0 * (c01 * c01 + c02 * c02 + c12 * c12)) - 1.0;
    var lambda = 1.7320508;
    lambda -= polar_halley(lambda, J, constant);
    lambda -= polar_halley(lambda, J, constant);
    lambda -= polar_halley(lambda, J, constant);
    let last = polar_halley(lambda, J, constant);
    lambda -= last;
    let square = lambda * lambda;
    let denominator = lambda * (square - 1.0) - 2.0 * J;
    // (λ² + 1) F + 2 λ cof F − 2 F C, by columns.
    let f = square + 1.0;
    let g = 2.0 * lambda;
    let raw0 = F[0] * (f - 2.0 * c00) + cof[0] * g - (F[1] * c01 + F[2] * c02) * 2.0;
    let raw1 = F[1] * (f - 2.0 * c11) + cof[1] * g - (F[0] * c01 + F[2] * c12) * 2.0;
    let scale = 1.0 / max(denominator, EPSILON);
    // Gram-Schmidt; the third column is a cross product, so det = +1 by construction and needs no raw2.
    let a = raw0 * scale;
    let b = raw1 * scale;
    let r0 = a * inverseSqrt(max(dot(a, a), TINY));
    let c = b - r0 * dot(r0, b);
    let r1 = c * inverseSqrt(max(dot(c, c), TINY));
    let trusted = denominator > POLAR_LIMIT && abs(last) < POLAR_LIMIT && size_sq > TINY && size_sq < 1e38;
    return Polar(mat3x3<f32>(r0, r1, cross(r0, r1)), trusted);
}

/// The 3×2 matrix with orthonormal columns nearest to [f₀ f₁].
fn polar_3x2(f0: vec3<f32>, f1: vec3<f32>) -> array<vec3<f32>, 2> {
    let size_sq = dot(f0, f0) + dot(f1, f1);
    let scale = inverseSqrt(max(size_sq, TINY));
    let a = f0 * scale;
    let b = f1 * scale;
    let normal = cross(a, b);
    let area = length(normal);
    if area > POLAR_LIMIT && size_sq > TINY && size_sq < 1e38 {
        let n = normal / area;
        let inv = inverseSqrt(dot(a, a) + dot(b, b) + area + area);
        return array<vec3<f32>, 2>((a + cross(b, n)) * inv, (b + cross(n, a)) * inv);
    }
    let s = svd_3x2(f0, f1);
    return array<vec3<f32>, 2>(s.u[0] * s.v[0].x + s.u[1] * s.v[1].x, s.u[0] * s.v[0].y + s.u[1] * s.v[1].y);
}
