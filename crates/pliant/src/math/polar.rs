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
//! F too. Deviation: the root is found by Halley's iteration from the upper bound √3 ‖F‖, which converges monotonically
//! because all four roots are real, instead of by arc cosine; so the whole is +, −, ×, ÷, √ and select.
//!
//! The denominator is 2 (σ₀+σ₁)(σ₁+σ₂)(σ₀+σ₂): it vanishes exactly where the nearest rotation is not unique. Close to
//! that the answer comes from [`svd`]; see [`polar_closed_form`] for the bound.
//!
//! Measured with the loads of `benches/polar.rs` on one core of an AMD EPYC, ns per matrix, f32 / f64; strained and
//! crushed (inverted) elements cost the same:
//!
//! | | SSE2 | AVX2 | largest error |
//! |---|---|---|---|
//! | closed form, 8 lanes: [`polar_rotations`] | 21 / 51 | 11 / 27 | 1e-6 / 2e-15 |
//! | closed form, one by one: [`polar_rotation`] | 111 / 132 | 109 / 130 | the same bits |
//! | Newton from a guess 0.05 rad off, 2 / 3 steps: [`polar_from_guess`] | 126 / 177 | 114 / 166 | 4e-7 / 1e-15 |
//! | one-sided Jacobi: [`svd`] | 310 / 440 | 280 / 430 | 6e-7 / the oracle |
//!
//! A warm start would also need a rotation per element in memory and gains nothing, so the closed form is the default.

use super::svd::{svd, svd_3x2};
use super::{Mat3, Real, Vec3};

/// The rotation nearest to F: det R = +1 always. Where it is not unique (F zero, a line, or inverted with σ₁ = −σ₂),
/// one of the nearest, always the same for the same F.
#[inline]
pub fn polar_rotation<R: Real>(F: Mat3<R>) -> Mat3<R> {
    let (rotation, trusted) = polar_closed_form(F);
    if trusted { rotation } else { svd(F).rotation() }
}

/// Steps for λ. From √3 ‖F‖ a strained element (stretches 0.7 to 1.4) needs three; a crushed or inverted one four in
/// f32 and five in f64.
#[inline(always)]
fn halley_steps<R: Real>() -> usize {
    if R::EPSILON.f64() < 1e-10 { 5 } else { 4 }
}

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
    for _ in 0..halley_steps::<R>() {
        let square = lambda * lambda;
        let p = square * (square - two) - R::of(8.0) * J * lambda + constant;
        let slope = R::of(4.0) * (lambda * (square - R::ONE) - two * J);
        // Halley: p p′/(p′² − ½ p p″), p″ = 12 λ² − 4.
        last = p * slope / (slope * slope - p * (R::of(6.0) * square - two)).max(R::EPSILON);
        lambda -= last;
    }
    let square = lambda * lambda;
    let denominator = lambda * (square - R::ONE) - two * J;
    let scale = R::ONE / denominator.max(R::EPSILON);
    let raw = (F * (square + R::ONE) + cofactor * (two * lambda) - F * C * two) * scale;
    let rotation = orthonormalise(raw);
    // Convergence is cubic: a last step of √ε leaves an error far below ε.
    let limit = R::EPSILON.sqrt() * R::of(8.0);
    let trusted = (denominator > limit) & (last.abs() < limit) & (size_sq > R::TINY) & size_sq.is_finite();
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

/// Entries of L matrices side by side: `lanes[3 · column + row][lane]`.
pub type Lanes<R, const L: usize> = [[R; L]; 9];

/// [`polar_rotation`] of L matrices at once, to the same bits. The loop has no branch, so the compiler turns it into
/// vector instructions; lanes that cannot be trusted are done again, one by one.
#[inline]
pub fn polar_rotations<R: Real, const L: usize>(F: &Lanes<R, L>) -> Lanes<R, L> {
    let mut out = [[R::ZERO; L]; 9];
    let mut doubt = [R::ZERO; L];
    for lane in 0..L {
        let (rotation, trusted) = polar_closed_form(lane_of(F, lane));
        set_lane(&mut out, lane, rotation);
        doubt[lane] = if trusted { R::ZERO } else { R::ONE };
    }
    for lane in 0..L {
        if doubt[lane] != R::ZERO {
            set_lane(&mut out, lane, svd(lane_of(F, lane)).rotation());
        }
    }
    out
}

/// One matrix out of several.
#[inline(always)]
pub fn lane_of<R: Real, const L: usize>(m: &Lanes<R, L>, lane: usize) -> Mat3<R> {
    Mat3::from_columns(
        Vec3::new(m[0][lane], m[1][lane], m[2][lane]),
        Vec3::new(m[3][lane], m[4][lane], m[5][lane]),
        Vec3::new(m[6][lane], m[7][lane], m[8][lane]),
    )
}

/// Puts one matrix among several.
#[inline(always)]
pub fn set_lane<R: Real, const L: usize>(m: &mut Lanes<R, L>, lane: usize, value: Mat3<R>) {
    let [a, b, c] = value.c;
    (m[0][lane], m[1][lane], m[2][lane]) = (a.x, a.y, a.z);
    (m[3][lane], m[4][lane], m[5][lane]) = (b.x, b.y, b.z);
    (m[6][lane], m[7][lane], m[8][lane]) = (c.x, c.y, c.z);
}

/// Newton's method on rotations from a guess, for callers that keep last iteration's rotation: maximises tr(RᵀF), as
/// Kugelstadt, Koschier, Bender 2018 ("Fast corotated FEM using operator splitting"), with the update as a quaternion.
///
/// With S = RᵀF, ω = (tr(S) I − sym S)⁻¹ axial(S − Sᵀ). Quadratic convergence near the answer; far from it, or where the
/// answer is not unique, the step is shortened and more steps are needed. Always returns a rotation if `guess` is one.
#[inline]
pub fn polar_from_guess<R: Real>(F: Mat3<R>, guess: Mat3<R>, steps: usize) -> Mat3<R> {
    let half = R::of(0.5);
    let F = F * (R::ONE / F.norm_sq().max(R::TINY).sqrt());
    let mut rotation = guess;
    for _ in 0..steps {
        let S = rotation.transpose() * F;
        let a = Vec3::new(S.at(2, 1) - S.at(1, 2), S.at(0, 2) - S.at(2, 0), S.at(1, 0) - S.at(0, 1));
        let G = Mat3::scalar(S.trace()) - (S + S.transpose()) * half;
        let adjugate = G.cofactor();
        let det = G.c[0].dot(adjugate.c[0]);
        // Not a maximum nearby: follow the gradient (Müller 2016) instead of the Newton step.
        let convex = det > R::EPSILON && G.trace() > R::ZERO && adjugate.trace() > R::ZERO;
        let omega = if convex { adjugate * a * (R::ONE / det) } else { a };
        rotation = rotation * turn(omega * half);
    }
    orthonormalise(rotation)
}

/// The rotation of the unit quaternion along (1, v): about 2 ‖v‖ radians around v, for small v.
#[inline(always)]
fn turn<R: Real>(v: Vec3<R>) -> Mat3<R> {
    let two = R::of(2.0);
    let w = R::ONE / (R::ONE + v.length_sq()).sqrt();
    let q = v * w;
    let k =
        Mat3::from_columns(Vec3::new(R::ZERO, q.z, -q.y), Vec3::new(-q.z, R::ZERO, q.x), Vec3::new(q.y, -q.x, R::ZERO));
    Mat3::IDENTITY + k * (two * w) + k * k * two
}

/// The 3×2 matrix with orthonormal columns nearest to F: R = (F + cof F)/(σ₀ + σ₁), where
/// cof F = [f₁ × n, n × f₀] = U diag(σ₁, σ₀) Vᵀ and σ₀ + σ₁ = √(‖F‖² + 2‖f₀ × f₁‖).
#[inline]
pub fn polar_3x2<R: Real>(F: [Vec3<R>; 2]) -> [Vec3<R>; 2] {
    let size_sq = F[0].length_sq() + F[1].length_sq();
    let scale = R::ONE / size_sq.max(R::TINY).sqrt();
    let (f0, f1) = (F[0] * scale, F[1] * scale);
    let normal = f0.cross(f1);
    let area = normal.length();
    if !(area > R::EPSILON.sqrt() * R::of(8.0) && size_sq > R::TINY && size_sq.is_finite()) {
        let svd = svd_3x2(F);
        let [u0, u1, _] = svd.u.c;
        let [v0, v1, _] = svd.v.c;
        return [u0 * v0.x + u1 * v1.x, u0 * v0.y + u1 * v1.y];
    }
    let n = normal / area;
    let inv = R::ONE / (f0.length_sq() + f1.length_sq() + area + area).sqrt();
    [(f0 + f1.cross(n)) * inv, (f1 + n.cross(f0)) * inv]
}

#[cfg(test)]
mod tests {
    use super::super::svd::tests::{any_matrix, check_rotation};
    use super::*;
    use proptest::prelude::*;

    /// The nearest rotation moves by at most eps ‖F‖/(σ₁ + σ₂) when F is rounded; the bound is a multiple of that.
    fn check_polar<R: Real>(F: Mat3<R>, factor: f64) {
        let eps = R::EPSILON.f64();
        let rotation = polar_rotation(F);
        check_rotation(rotation, 16.0 * eps);
        let wide = F.cast::<f64>();
        let oracle = svd(wide);
        let size = wide.norm_sq().sqrt();
        let condition = size / (oracle.sigma.y + oracle.sigma.z).max(1e-300);
        let error = (rotation.cast::<f64>() - oracle.rotation()).norm_sq().sqrt();
        if condition * eps < 1e-2 {
            assert!(error <= factor * eps * condition, "{}: {error:e} off, condition {condition:e}", R::NAME);
        }
        // Unique or not, it is a nearest one: tr(RᵀF) = σ₀ + σ₁ + σ₂.
        let reached = rotation.cast::<f64>().dot(wide);
        let best = oracle.sigma.x + oracle.sigma.y + oracle.sigma.z;
        assert!(reached >= best - 64.0 * eps * size, "{}: tr(RᵀF) is {reached}, best {best}", R::NAME);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 4000, ..ProptestConfig::default() })]
        #[test]
        fn polar_rotation_is_the_nearest_rotation(F in any_matrix()) {
            check_polar::<f64>(F, 16.0);
            check_polar::<f32>(F.cast(), 16.0);
        }

        #[test]
        fn polar_3x2_is_the_nearest_orthonormal_pair(F in any_matrix()) {
            let F = [F.c[0], F.c[1]];
            let oracle = svd_3x2(F);
            let [a, b] = polar_3x2(F);
            prop_assert!((a.length() - 1.0).abs() < 1e-14 && (b.length() - 1.0).abs() < 1e-14 && a.dot(b).abs() < 1e-14);
            let size = (F[0].length_sq() + F[1].length_sq()).sqrt();
            prop_assert!(a.dot(F[0]) + b.dot(F[1]) >= oracle.sigma.x + oracle.sigma.y - 1e-14 * size);
            let [a, b] = polar_3x2::<f32>([F[0].cast(), F[1].cast()]);
            prop_assert!((a.length() - 1.0).abs() < 2e-6 && (b.length() - 1.0).abs() < 2e-6 && a.dot(b).abs() < 2e-6);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 500, ..ProptestConfig::default() })]
        #[test]
        fn eight_lanes_give_the_same_bits_as_one(F in prop::collection::vec(any_matrix(), 8)) {
            let mut lanes = [[0.0f32; 8]; 9];
            for (lane, m) in F.iter().enumerate() {
                for e in 0..9 {
                    lanes[e][lane] = m.at(e % 3, e / 3) as f32;
                }
            }
            let out = polar_rotations(&lanes);
            for (lane, m) in F.iter().enumerate() {
                let alone = polar_rotation::<f32>(m.cast());
                for e in 0..9 {
                    prop_assert_eq!(out[e][lane].to_bits(), alone.at(e % 3, e / 3).to_bits());
                }
            }
        }

        #[test]
        fn newton_from_a_guess_finds_the_nearest_rotation(
            axis in prop::array::uniform3(-1.0..1.0f64),
            angle in -0.5..0.5f64,
            sigma in prop::array::uniform3(0.5..2.0f64),
        ) {
            let S = Mat3::diagonal(Vec3::of(sigma));
            let R = Mat3::rotation(Vec3::of(axis).unit_or(Vec3::axis(0)), angle);
            let found = polar_from_guess(R * S, Mat3::IDENTITY, 5);
            prop_assert!((found - R).norm_sq().sqrt() < 1e-14);
            let found = polar_from_guess::<f32>((R * S).cast(), Mat3::IDENTITY, 4);
            prop_assert!((found.cast::<f64>() - R).norm_sq().sqrt() < 2e-6);
        }
    }

    #[test]
    fn newton_from_any_guess_returns_a_rotation() {
        for F in [Mat3::ZERO, Mat3::scalar(-1.0), Mat3::diagonal(Vec3::of([1.0, 0.0, 0.0]))] {
            check_rotation(polar_from_guess::<f64>(F, Mat3::IDENTITY, 10), 1e-14);
        }
    }

    #[test]
    fn strained_elements_never_need_the_slow_path() {
        for stretch in [0.2, 0.5, 0.9, 1.0, 1.1, 2.0, 5.0] {
            let F = Mat3::rotation(Vec3::of([0.6, 0.0, 0.8]), 1.0) * Mat3::diagonal(Vec3::of([stretch, 1.0, 1.2]));
            assert!(polar_closed_form::<f64>(F).1 && polar_closed_form::<f32>(F.cast()).1, "stretch {stretch}");
        }
    }
}
