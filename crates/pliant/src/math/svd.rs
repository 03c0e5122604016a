//! Singular value decomposition of 3×3 and 3×2 matrices: slow, robust, and what the fast polar decomposition is tested
//! against.
//!
//! One-sided Jacobi (Hestenes 1958; Demmel and Veselić 1992): columns of F are made orthogonal by rotations from the
//! right, so FᵀF, which squares the condition number, is never formed. Sign convention of Irving 2004: U and V are
//! rotations; an inverted F has its smallest singular value negative.
//!
//! F = U Σ Vᵀ, σ₀ ≥ σ₁ ≥ |σ₂|.

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
