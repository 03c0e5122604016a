//! Singular value decomposition of 3×3 and 3×2 matrices: slow, robust, and what the fast polar decomposition is tested
//! against.
//!
//! One-sided Jacobi (Hestenes 1958; Demmel and Veselić 1992): columns of F are made orthogonal by rotations from the
//! right, so FᵀF, which squares the condition number, is never formed. Sign convention of Irving 2004: U and V are
//! rotations; an inverted F has its smallest singular value negative.
//!
//! F = U Σ Vᵀ, σ₀ ≥ σ₁ ≥ |σ₂| up to rounding.

use super::{Mat3, Real, Vec3};

/// F = U diag(sigma) Vᵀ with rotations U, V and σ₀ ≥ σ₁ ≥ |σ₂|; det F < 0 ⇔ σ₂ < 0.
#[derive(Clone, Copy, Debug)]
pub struct Svd<R> {
    /// Left singular vectors; det U = +1.
    pub u: Mat3<R>,
    /// Signed singular values.
    pub sigma: Vec3<R>,
    /// Right singular vectors; det V = +1.
    pub v: Mat3<R>,
}

impl<R: Real> Svd<R> {
    /// U Vᵀ: the rotation nearest to F.
    pub fn rotation(&self) -> Mat3<R> {
        self.u * self.v.transpose()
    }
    /// U diag(s) Vᵀ
    pub fn with_sigma(&self, s: Vec3<R>) -> Mat3<R> {
        let u = self.u.c;
        Mat3::from_columns(u[0] * s.x, u[1] * s.y, u[2] * s.z) * self.v.transpose()
    }
}

/// Sweeps of one-sided Jacobi; f64 needs at most 6 on random matrices, the rest is reserve.
const SWEEPS: usize = 16;

/// The decomposition of any finite matrix: flat, inverted, zero, with repeated singular values. Entries whose squares
/// overflow are handled by scaling.
pub fn svd<R: Real>(F: Mat3<R>) -> Svd<R> {
    let size = largest_entry(F);
    if !(size > R::ZERO && size.is_finite()) {
        return Svd { u: Mat3::IDENTITY, sigma: Vec3::ZERO, v: Mat3::IDENTITY };
    }
    // In two factors: 1/size overflows when size is subnormal.
    let root = size.sqrt();
    let mut B = Mat3 { c: F.c.map(|f| f / root / root) };
    let mut v = Mat3::IDENTITY;
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotated |= orthogonalise_columns(&mut B, &mut v, p, q);
        }
        if !rotated {
            break;
        }
    }
    sort_columns(&mut B, &mut v);
    let u0 = B.c[0].unit_or(Vec3::axis(0));
    let u1 = perpendicular_part(B.c[1], u0);
    let u2 = u0.cross(u1);
    let sigma = Vec3::new(B.c[0].length(), B.c[1].dot(u1), B.c[2].dot(u2)) * size;
    Svd { u: Mat3::from_columns(u0, u1, u2), sigma, v }
}

/// F = [u₀ u₁] diag(sigma) Vᵀ of a 3×2 matrix, with the unit normal u₂ completing U to a rotation.
///
/// V is embedded in 3×3 with the third axis fixed, so a membrane uses the same principal-frame formulas as a solid.
/// Both singular values are ≥ 0: a surface in space has no inverted side.
pub fn svd_3x2<R: Real>(F: [Vec3<R>; 2]) -> Svd<R> {
    let mut B = Mat3::from_columns(F[0], F[1], Vec3::ZERO);
    let size = largest_entry(B);
    if !(size > R::ZERO && size.is_finite()) {
        return Svd { u: Mat3::IDENTITY, sigma: Vec3::ZERO, v: Mat3::IDENTITY };
    }
    let root = size.sqrt();
    B = Mat3 { c: B.c.map(|f| f / root / root) };
    let mut v = Mat3::IDENTITY;
    for _ in 0..SWEEPS {
        if !orthogonalise_columns(&mut B, &mut v, 0, 1) {
            break;
        }
    }
    order_pair(&mut B, &mut v, 0, 1);
    let u0 = B.c[0].unit_or(Vec3::axis(0));
    let u1 = perpendicular_part(B.c[1], u0);
    let sigma = Vec3::new(B.c[0].length(), B.c[1].dot(u1), R::ZERO) * size;
    Svd { u: Mat3::from_columns(u0, u1, u0.cross(u1)), sigma, v }
}

/// The largest magnitude in F; infinite if an entry is NaN.
fn largest_entry<R: Real>(F: Mat3<R>) -> R {
    let mut size = R::ZERO;
    for f in F.c {
        size = size.max(f.x.abs()).max(f.y.abs()).max(f.z.abs());
    }
    if F.is_finite() { size } else { R::ONE / R::ZERO }
}

/// One Jacobi rotation of columns p and q; false if they are orthogonal already.
fn orthogonalise_columns<R: Real>(B: &mut Mat3<R>, v: &mut Mat3<R>, p: usize, q: usize) -> bool {
    let (a, b) = (B.c[p].length_sq(), B.c[q].length_sq());
    let g = B.c[p].dot(B.c[q]);
    if g.abs() <= R::EPSILON * a.sqrt() * b.sqrt() || g.abs() <= R::TINY {
        return false;
    }
    let zeta = (b - a) / (g + g);
    let t = (R::ONE / (zeta.abs() + (R::ONE + zeta * zeta).sqrt())).copysign(zeta);
    let c = R::ONE / (R::ONE + t * t).sqrt();
    let s = c * t;
    for m in [B, v] {
        let (x, y) = (m.c[p], m.c[q]);
        m.c[p] = x * c - y * s;
        m.c[q] = x * s + y * c;
    }
    true
}

/// Swaps columns p < q if q is longer; one is negated so that V stays a rotation.
fn order_pair<R: Real>(B: &mut Mat3<R>, v: &mut Mat3<R>, p: usize, q: usize) {
    if B.c[p].length_sq() < B.c[q].length_sq() {
        for m in [B, v] {
            let x = m.c[p];
            m.c[p] = m.c[q];
            m.c[q] = -x;
        }
    }
}

fn sort_columns<R: Real>(B: &mut Mat3<R>, v: &mut Mat3<R>) {
    order_pair(B, v, 0, 1);
    order_pair(B, v, 1, 2);
    order_pair(B, v, 0, 1);
}

/// The unit vector along the part of `b` perpendicular to the unit vector `u`; if nothing is left, one made from the
/// axis that `u` leans on least.
fn perpendicular_part<R: Real>(b: Vec3<R>, u: Vec3<R>) -> Vec3<R> {
    let rest = b - u * u.dot(b);
    if rest.length_sq() > R::EPSILON * b.length_sq() && rest.length() > R::TINY {
        let unit = rest / rest.length();
        return (unit - u * u.dot(unit)).unit_or(any_perpendicular(u));
    }
    any_perpendicular(u)
}

/// A unit vector perpendicular to the unit vector `u`, always the same one for the same `u`.
pub fn any_perpendicular<R: Real>(u: Vec3<R>) -> Vec3<R> {
    let (x, y, z) = (u.x.abs(), u.y.abs(), u.z.abs());
    let axis = if x <= y && x <= z {
        0
    } else if y <= z {
        1
    } else {
        2
    };
    u.cross(Vec3::axis(axis)).unit_or(Vec3::axis((axis + 1) % 3))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Matrices with any signs and magnitudes of singular values: generic, nearly singular, inverted, repeated, zero.
    pub fn any_matrix() -> impl Strategy<Value = Mat3<f64>> {
        let vector = || prop::array::uniform3(-1.0..1.0f64).prop_map(Vec3::of);
        let sigma = prop_oneof![
            prop::array::uniform3(-2.0..2.0f64),
            Just([1.0, 1.0, 1.0]),
            Just([1.0, 1.0, -1.0]),
            Just([-1.0, -1.0, -1.0]),
            Just([0.0, 0.0, 0.0]),
            (0.1..2.0f64).prop_map(|s| [s, s, 0.0]),
            (0.1..2.0f64).prop_map(|s| [s, 0.0, 0.0]),
            (0.1..2.0f64, -12.0..0.0f64).prop_map(|(s, e)| [s, s * 10f64.powf(e), -s * 10f64.powf(e)]),
            (0.1..2.0f64, -12.0..0.0f64).prop_map(|(s, e)| [s, s * (1.0 + 10f64.powf(e)), 10f64.powf(e)]),
            (-14.0..14.0f64).prop_map(|e| [10f64.powf(e), -1.0, 1e-3]),
        ];
        (vector(), -3.0..3.0f64, vector(), -3.0..3.0f64, sigma).prop_map(|(a, s, b, t, sigma)| {
            let rotation = |axis: Vec3<f64>, angle| Mat3::rotation(axis.unit_or(Vec3::axis(2)), angle);
            rotation(a, s) * Mat3::diagonal(Vec3::of(sigma)) * rotation(b, t)
        })
    }

    pub fn check_rotation<R: Real>(m: Mat3<R>, tolerance: f64) {
        let error = (m.transpose() * m - Mat3::IDENTITY).norm_sq().f64().sqrt();
        assert!(error <= tolerance, "{}: not orthogonal by {error}: {m:?}", R::NAME);
        assert!((m.det().f64() - 1.0).abs() <= tolerance, "{}: det {}", R::NAME, m.det());
    }

    fn check_svd<R: Real>(F: Mat3<R>) {
        let eps = R::EPSILON.f64();
        let out = svd(F);
        check_rotation(out.u, 16.0 * eps);
        check_rotation(out.v, 32.0 * eps);
        let s = out.sigma;
        let round = R::of(1.0 + 8.0 * eps);
        assert!(s.x * round >= s.y && s.y * round >= s.z.abs() && s.y >= R::ZERO, "{s:?}");
        let size = F.cast::<f64>().norm_sq().sqrt();
        let error = (out.with_sigma(s).cast::<f64>() - F.cast::<f64>()).norm_sq().sqrt();
        assert!(error <= 32.0 * eps * size, "{}: rebuilt {error} off {size}", R::NAME);
    }

    fn check_svd_3x2<R: Real>(F: [Vec3<R>; 2]) {
        let eps = R::EPSILON.f64();
        let out = svd_3x2(F);
        check_rotation(out.u, 16.0 * eps);
        check_rotation(out.v, 32.0 * eps);
        assert_eq!(out.v.c[2], Vec3::axis(2));
        assert!(
            out.sigma.x * R::of(1.0 + 8.0 * eps) >= out.sigma.y && out.sigma.y >= R::ZERO && out.sigma.z == R::ZERO,
            "{:?}",
            out.sigma
        );
        let rebuilt = out.with_sigma(out.sigma);
        let whole = Mat3::from_columns(F[0], F[1], Vec3::ZERO).cast::<f64>();
        let error = (rebuilt.cast::<f64>() - whole).norm_sq().sqrt();
        assert!(error <= 32.0 * eps * whole.norm_sq().sqrt(), "{}: rebuilt {error} off", R::NAME);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]
        #[test]
        fn svd_rebuilds_any_matrix_from_rotations_and_sorted_values(F in any_matrix()) {
            check_svd::<f64>(F);
            check_svd::<f32>(F.cast());
            check_svd_3x2::<f64>([F.c[0], F.c[1]]);
            check_svd_3x2::<f32>([F.c[0].cast(), F.c[1].cast()]);
        }
    }

    #[test]
    fn svd_survives_numbers_whose_squares_overflow_or_vanish() {
        for scale in [1e-40, 1e-30, 1e-20, 1e20, 1e30, 1e37] {
            let F =
                Mat3::from_columns(Vec3::of([1.0, 2.0, 0.5]), Vec3::of([0.0, 1.0, -1.0]), Vec3::of([0.3, 0.1, 2.0]));
            let out = svd((F * scale).cast::<f32>());
            check_rotation(out.u, 1e-5);
            check_rotation(out.v, 1e-5);
            assert!((out.sigma.x.f64() / scale - svd(F).sigma.x).abs() < 1e-4);
        }
        assert!(svd(Mat3::<f64>::scalar(f64::NAN)).u.is_finite());
        assert!(svd(Mat3::<f64>::scalar(f64::INFINITY)).v.is_finite());
    }

    #[test]
    fn inverted_matrices_have_a_negative_smallest_value() {
        let out = svd(Mat3::diagonal(Vec3::new(-3.0, 2.0, 1.0)));
        assert!((out.sigma - Vec3::new(3.0, 2.0, -1.0)).length() < 1e-14, "{:?}", out.sigma);
    }
}
