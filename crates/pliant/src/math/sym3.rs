use super::{Real, Vec3};
use std::ops::{Add, Mul};

/// A symmetric 3×3 matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sym3<R> {
    /// xx, yy, zz.
    pub diagonal: Vec3<R>,
    /// yz, xz, xy: each opposite to the axis that it lacks.
    pub off: Vec3<R>,
}

impl<R: Real> Sym3<R> {
    /// All zero.
    pub const ZERO: Self = Self { diagonal: Vec3::ZERO, off: Vec3::ZERO };

    /// `s` times the identity.
    #[inline(always)]
    pub fn scalar(s: R) -> Self {
        Self { diagonal: Vec3::new(s, s, s), off: Vec3::ZERO }
    }
    /// v vᵀ
    #[inline(always)]
    pub fn square(v: Vec3<R>) -> Self {
        Self { diagonal: Vec3::new(v.x * v.x, v.y * v.y, v.z * v.z), off: Vec3::new(v.y * v.z, v.x * v.z, v.x * v.y) }
    }
    /// Sum of the diagonal.
    #[inline(always)]
    pub fn trace(self) -> R {
        self.diagonal.x + self.diagonal.y + self.diagonal.z
    }
    /// No eigenvalue is larger: the largest sum of absolute values in a row.
    #[inline(always)]
    pub fn bound(self) -> R {
        let (d, o) = (self.diagonal, self.off);
        let row = |d: R, a: R, b: R| d.abs() + a.abs() + b.abs();
        row(d.x, o.y, o.z).max(row(d.y, o.x, o.z)).max(row(d.z, o.x, o.y))
    }
    /// The product with a vector.
    #[inline(always)]
    pub fn times(self, v: Vec3<R>) -> Vec3<R> {
        let (d, o) = (self.diagonal, self.off);
        Vec3::new(
            d.x * v.x + o.z * v.y + o.y * v.z,
            o.z * v.x + d.y * v.y + o.x * v.z,
            o.y * v.x + o.x * v.y + d.z * v.z,
        )
    }
    /// The inverse of a positive definite matrix, by cofactors.
    #[inline(always)]
    pub fn inverse(self) -> Self {
        let (d, o) = (self.diagonal, self.off);
        let cofactor = Self {
            diagonal: Vec3::new(d.y * d.z - o.x * o.x, d.x * d.z - o.y * o.y, d.x * d.y - o.z * o.z),
            off: Vec3::new(o.y * o.z - d.x * o.x, o.x * o.z - d.y * o.y, o.x * o.y - d.z * o.z),
        };
        let det = d.x * cofactor.diagonal.x + o.z * cofactor.off.z + o.y * cofactor.off.y;
        cofactor * (R::ONE / det)
    }
}

impl<R: Real> Add for Sym3<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self { diagonal: self.diagonal + o.diagonal, off: self.off + o.off }
    }
}
impl<R: Real> Mul<R> for Sym3<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: R) -> Self {
        Self { diagonal: self.diagonal * s, off: self.off * s }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_undoes_the_product() {
        let of = |v: [f64; 3]| Sym3::square(Vec3::of(v));
        let m = Sym3::scalar(0.5) + of([1.0, -2.0, 0.3]) * 3.0 + of([0.1, 0.4, -0.7]);
        let v = Vec3::new(0.3, 0.9, -1.1);
        assert!((m.inverse().times(m.times(v)) - v).length() < 1e-14);
        assert!((of([0.6, 0.0, 0.8]).times(v) - Vec3::new(0.6, 0.0, 0.8) * (0.18 - 0.88)).length() < 1e-15);
        assert_eq!(of([0.6, 0.0, 0.8]).trace(), 1.0);
        assert!((of([0.6, 0.0, 0.8]).bound() - 1.12).abs() < 1e-15);
    }
}
