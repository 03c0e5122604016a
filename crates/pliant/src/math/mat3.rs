use super::{Real, Vec3};
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A 3×3 matrix, stored by columns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Mat3<R> {
    /// The three columns.
    pub c: [Vec3<R>; 3],
}

impl<R: Real> Mat3<R> {
    /// All zero.
    pub const ZERO: Self = Self { c: [Vec3::ZERO; 3] };
    /// The identity.
    pub const IDENTITY: Self = Self {
        c: [
            Vec3::new(R::ONE, R::ZERO, R::ZERO),
            Vec3::new(R::ZERO, R::ONE, R::ZERO),
            Vec3::new(R::ZERO, R::ZERO, R::ONE),
        ],
    };

    /// From columns.
    #[inline(always)]
    pub const fn from_columns(a: Vec3<R>, b: Vec3<R>, c: Vec3<R>) -> Self {
        Self { c: [a, b, c] }
    }
    /// With `d` on the diagonal.
    #[inline(always)]
    pub fn diagonal(d: Vec3<R>) -> Self {
        let z = R::ZERO;
        Self::from_columns(Vec3::new(d.x, z, z), Vec3::new(z, d.y, z), Vec3::new(z, z, d.z))
    }
    /// `s` times the identity.
    #[inline(always)]
    pub fn scalar(s: R) -> Self {
        Self::diagonal(Vec3::new(s, s, s))
    }
    /// The entry in `row`, `col`.
    #[inline(always)]
    pub fn at(&self, row: usize, col: usize) -> R {
        self.c[col][row]
    }
    /// The same matrix in another precision.
    pub fn cast<S: Real>(self) -> Mat3<S> {
        Mat3 { c: self.c.map(|v| v.cast()) }
    }
    /// Rows become columns.
    #[inline(always)]
    pub fn transpose(self) -> Self {
        let [a, b, c] = self.c;
        Self::from_columns(Vec3::new(a.x, b.x, c.x), Vec3::new(a.y, b.y, c.y), Vec3::new(a.z, b.z, c.z))
    }
    /// Determinant.
    #[inline(always)]
    pub fn det(self) -> R {
        self.c[0].dot(self.c[1].cross(self.c[2]))
    }
    /// Sum of the diagonal.
    #[inline(always)]
    pub fn trace(self) -> R {
        self.c[0].x + self.c[1].y + self.c[2].z
    }
    /// The matrix of cofactors: `det · inverseᵀ`, which exists even when the inverse does not.
    #[inline(always)]
    pub fn cofactor(self) -> Self {
        let [a, b, c] = self.c;
        Self::from_columns(b.cross(c), c.cross(a), a.cross(b))
    }
    /// The inverse, or `None` if the determinant is zero or not finite.
    pub fn inverse(self) -> Option<Self> {
        let det = self.det();
        (det != R::ZERO && det.is_finite()).then(|| self.cofactor().transpose() * (R::ONE / det))
    }
    /// Σ over entries of `self` · `o`.
    #[inline(always)]
    pub fn dot(self, o: Self) -> R {
        self.c[0].dot(o.c[0]) + self.c[1].dot(o.c[1]) + self.c[2].dot(o.c[2])
    }
    /// Squared Frobenius norm.
    #[inline(always)]
    pub fn norm_sq(self) -> R {
        self.dot(self)
    }
    /// Rotation by `angle` radians about the unit vector `axis`.
    pub fn rotation(axis: Vec3<R>, angle: R) -> Self {
        let (s, c) = angle.sin_cos();
        let k = Self::from_columns(
            Vec3::new(R::ZERO, axis.z, -axis.y),
            Vec3::new(-axis.z, R::ZERO, axis.x),
            Vec3::new(axis.y, -axis.x, R::ZERO),
        );
        Self::IDENTITY + k * s + k * k * (R::ONE - c)
    }
    /// No entry is infinite or NaN.
    pub fn is_finite(self) -> bool {
        self.c.iter().all(|v| v.is_finite())
    }
}

impl<R: Real> Add for Mat3<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self::from_columns(self.c[0] + o.c[0], self.c[1] + o.c[1], self.c[2] + o.c[2])
    }
}
impl<R: Real> Sub for Mat3<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self::from_columns(self.c[0] - o.c[0], self.c[1] - o.c[1], self.c[2] - o.c[2])
    }
}
impl<R: Real> Neg for Mat3<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::from_columns(-self.c[0], -self.c[1], -self.c[2])
    }
}
impl<R: Real> Mul<R> for Mat3<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: R) -> Self {
        Self::from_columns(self.c[0] * s, self.c[1] * s, self.c[2] * s)
    }
}
impl<R: Real> Mul<Vec3<R>> for Mat3<R> {
    type Output = Vec3<R>;
    #[inline(always)]
    fn mul(self, v: Vec3<R>) -> Vec3<R> {
        self.c[0] * v.x + self.c[1] * v.y + self.c[2] * v.z
    }
}
impl<R: Real> Mul for Mat3<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Self::from_columns(self * o.c[0], self * o.c[1], self * o.c[2])
    }
}
impl<R: Real> AddAssign for Mat3<R> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}
impl<R: Real> SubAssign for Mat3<R> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}
