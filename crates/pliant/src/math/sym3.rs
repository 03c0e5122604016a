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
    /// The same matrix in another precision.
    pub fn cast<S: Real>(self) -> Sym3<S> {
        Sym3 { diagonal: self.diagonal.cast(), off: self.off.cast() }
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
    /// The solution of `self` x = v, for a positive definite matrix.
    #[inline(always)]
    pub fn solve(self, v: Vec3<R>) -> Vec3<R> {
        let (d, l) = self.factor();
        let y = v.y - l.z * v.x;
        let z = v.z - l.y * v.x - l.x * y;
        let x = Vec3::new(v.x / d.x, y / d.y, z / d.z);
        let y = x.y - l.x * x.z;
        Vec3::new(x.x - l.z * y - l.y * x.z, y, x.z)
    }
    /// The inverse of a positive definite matrix: Σ rᵀ r / d over the rows r of L⁻¹.
    #[inline(always)]
    pub fn inverse(self) -> Self {
        let (d, l) = self.factor();
        let second = Vec3::new(-l.z, R::ONE, R::ZERO);
        let third = Vec3::new(l.z * l.x - l.y, -l.x, R::ONE);
        let first = Self { diagonal: Vec3::new(R::ONE / d.x, R::ZERO, R::ZERO), off: Vec3::ZERO };
        first + Self::square(second) * (R::ONE / d.y) + Self::square(third) * (R::ONE / d.z)
    }
    /// d and l of L diag(d) Lᵀ, with l as `off` of L. Cofactors would be shorter, but lose twice the digits: where a contact is
    /// a thousand times as stiff as the rest of its vertex, all that `f32` has.
    #[inline(always)]
    fn factor(self) -> (Vec3<R>, Vec3<R>) {
        let (d, o) = (self.diagonal, self.off);
        let (l_z, l_y) = (o.z / d.x, o.y / d.x);
        let d_y = d.y - l_z * o.z;
        let rest = o.x - l_y * o.z;
        let l_x = rest / d_y;
        (Vec3::new(d.x, d_y, d.z - l_y * o.y - l_x * rest), Vec3::new(l_x, l_y, l_z))
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
        assert!((m.solve(m.times(v)) - v).length() < 1e-14);
        assert!((of([0.6, 0.0, 0.8]).times(v) - Vec3::new(0.6, 0.0, 0.8) * (0.18 - 0.88)).length() < 1e-15);
        assert_eq!(of([0.6, 0.0, 0.8]).trace(), 1.0);
        assert!((of([0.6, 0.0, 0.8]).bound() - 1.12).abs() < 1e-15);
    }

    #[test]
    fn stiff_contacts_leave_the_digits_of_motion_along_the_surface() {
        for normal in [[1.0, 0.0, 0.0], [0.6, 0.0, 0.8], [0.48, 0.6, 0.64], [-0.36, 0.48, 0.8]].map(Vec3::<f32>::of) {
            for stiffness in [1e2, 1e4, 1e5f32] {
                let m = Sym3::scalar(1.0) + Sym3::square(normal) * stiffness;
                let along = normal.cross(Vec3::new(0.3, -0.5, 0.7));
                let lost = 4.0 * stiffness * f32::EPSILON;
                for x in [m.solve(along), m.inverse().times(along)] {
                    assert!((x - along).length() < lost, "{normal:?} {stiffness}: {x:?} {along:?}");
                }
            }
        }
    }
}
