//! The rotation nearest to a 3×3 matrix: the local step of every solid, called millions of times a frame.
//!
//! Closed form from invariants, in the spirit of Franca 1989 ("An algorithm to compute the square root of a 3×3
//! positive definite matrix") and Lin, Chitalu, Komura 2022 ("Isotropic ARAP energy using Cauchy-Green invariants").
//! With signed singular values σ, λ = σ₀ + σ₁ + σ₂ is the largest root of
//!
//! ```text
//! p(λ) = λ⁴ − 2 I λ² − 8 J λ + 2 II − I²,    I = ‖F‖², II = ‖FᵀF‖², J = det F
//! ```
//!
//! and R = ∂λ/∂F = ((λ² + I) F + 2 λ cof F − 2 F FᵀF) / (λ³ − I λ − 2 J). The sign of J makes det R = +1 for inverted
//! F too. Deviation: the root is found by Newton from the upper bound √3 ‖F‖, which converges monotonically because
//! all four roots are real, instead of by arc cosine; so the whole is +, −, ×, ÷, √ and select.
//!
//! The denominator is 2 (σ₀+σ₁)(σ₁+σ₂)(σ₀+σ₂): it vanishes exactly where the nearest rotation is not unique. Close to
//! that the answer comes from [`svd`]; see [`polar_closed_form`] for the bound.

use super::svd::{svd, svd_3x2};
use super::{Mat3, Real, Vec3};

/// The rotation nearest to F: det R = +1 always. Where it is not unique (F zero, a line, or inverted with σ₁ = −σ₂),
/// one of the nearest, always the same for the same F.
#[inline]
pub fn polar_rotation<R: Real>(F: Mat3<R>) -> Mat3<R> {
    let (rotation, trusted) = polar_closed_form(F);
    if trusted { rotation } else { svd(F).rotation() }
}

/// Newton steps for λ. From √3 ‖F‖ a strained element (stretches within 2×) needs three in f32, four in f64.
const NEWTON_STEPS: usize = 7;

/// The closed form alone, without a branch: a rotation and whether it can be trusted.
///
/// Trusted means that λ has converged and that (σ₀+σ₁)(σ₁+σ₂)(σ₀+σ₂) is not small beside ‖F‖³.
#[inline(always)]
pub fn polar_closed_form<R: Real>(F: Mat3<R>) -> (Mat3<R>, bool) {
    let two = R::of(2.0);
    let size_sq = F.norm_sq();
    let F = F * (R::ONE / size_sq.max(R::TINY).sqrt());
    let C = F.transpose() * F;
    let cofactor = F.cofactor();
    let J = F.c[0].dot(cofactor.c[0]);
    let constant = two * C.norm_sq() - R::ONE;
    let mut lambda = R::of(1.732_050_807_568_877_2);
    let mut last = R::ZERO;
    for _ in 0..NEWTON_STEPS {
        let square = lambda * lambda;
        let p = square * (square - two) - R::of(8.0) * J * lambda + constant;
        let slope = R::of(4.0) * (lambda * (square - R::ONE) - two * J);
        last = p / slope.max(R::EPSILON);
        lambda -= last;
    }
    let square = lambda * lambda;
    let denominator = lambda * (square - R::ONE) - two * J;
    let scale = R::ONE / denominator.max(R::EPSILON);
    let raw = (F * (square + R::ONE) + cofactor * (two * lambda) - F * C * two) * scale;
    let rotation = orthonormalise(raw);
    let limit = R::EPSILON.sqrt();
    let trusted = (denominator > limit * R::of(8.0)) & (last.abs() < limit) & (size_sq > R::TINY) & size_sq.is_finite();
    (rotation, trusted)
}

/// Gram-Schmidt on nearly orthonormal columns; the third is a cross product, so det = +1 by construction.
#[inline(always)]
fn orthonormalise<R: Real>(m: Mat3<R>) -> Mat3<R> {
    let a = m.c[0] * (R::ONE / m.c[0].length_sq().max(R::TINY).sqrt());
    let b = m.c[1] - a * a.dot(m.c[1]);
    let b = b * (R::ONE / b.length_sq().max(R::TINY).sqrt());
    Mat3::from_columns(a, b, a.cross(b))
}

/// The 3×2 matrix with orthonormal columns nearest to F: R = (F + cof F)/(σ₀ + σ₁), where
/// cof F = [f₁ × n, n × f₀] = U diag(σ₁, σ₀) Vᵀ and σ₀ + σ₁ = √(‖F‖² + 2‖f₀ × f₁‖).
#[inline]
pub fn polar_3x2<R: Real>(F: [Vec3<R>; 2]) -> [Vec3<R>; 2] {
    let normal = F[0].cross(F[1]);
    let area = normal.length();
    let size_sq = F[0].length_sq() + F[1].length_sq();
    if !(area > R::EPSILON.sqrt() * R::of(8.0) * size_sq && size_sq > R::TINY.sqrt()) {
        let svd = svd_3x2(F);
        let [u0, u1, _] = svd.u.c;
        let [v0, v1, _] = svd.v.c;
        return [u0 * v0.x + u1 * v1.x, u0 * v0.y + u1 * v1.y];
    }
    let n = normal / area;
    let inv = R::ONE / (size_sq + area + area).sqrt();
    [(F[0] + F[1].cross(n)) * inv, (F[1] + n.cross(F[0])) * inv]
}
