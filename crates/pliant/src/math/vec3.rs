use super::{Mat3, Real};
use std::ops::{Add, AddAssign, Div, Index, IndexMut, Mul, Neg, Sub, SubAssign};

/// Three numbers: a point, a direction or a force.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Vec3<R> {
    /// First component.
    pub x: R,
    /// Second component (up).
    pub y: R,
    /// Third component.
    pub z: R,
}

// SAFETY: three equal fields without padding, each of them Pod.
unsafe impl<R: Real> bytemuck::Zeroable for Vec3<R> {}
// SAFETY: as above.
unsafe impl<R: Real> bytemuck::Pod for Vec3<R> {}

impl<R: Real> Vec3<R> {
    /// (0, 0, 0)
    pub const ZERO: Self = Self { x: R::ZERO, y: R::ZERO, z: R::ZERO };

    /// From components.
    #[inline(always)]
    pub const fn new(x: R, y: R, z: R) -> Self {
        Self { x, y, z }
    }
    /// From three `f64`, rounded.
    #[inline(always)]
    pub fn of(v: [f64; 3]) -> Self {
        Self::new(R::of(v[0]), R::of(v[1]), R::of(v[2]))
    }
    /// To three `f64`, exact.
    #[inline(always)]
    pub fn f64(self) -> [f64; 3] {
        [self.x.f64(), self.y.f64(), self.z.f64()]
    }
    /// The same vector in another precision.
    #[inline(always)]
    pub fn cast<S: Real>(self) -> Vec3<S> {
        Vec3::of(self.f64())
    }
    /// The first three of four numbers: how fields store points.
    #[inline(always)]
    pub fn load(p: [R; 4]) -> Self {
        Self::new(p[0], p[1], p[2])
    }
    /// Padded to four numbers: how fields store points.
    #[inline(always)]
    pub fn store(self) -> [R; 4] {
        [self.x, self.y, self.z, R::ZERO]
    }
    /// The unit vector along `axis` (0, 1 or 2).
    pub fn axis(axis: usize) -> Self {
        let mut v = Self::ZERO;
        v[axis] = R::ONE;
        v
    }
    /// Scalar product.
    #[inline(always)]
    pub fn dot(self, o: Self) -> R {
        self.x * o.x + self.y * o.y + self.z * o.z
    }
    /// Vector product.
    #[inline(always)]
    pub fn cross(self, o: Self) -> Self {
        Self::new(self.y * o.z - self.z * o.y, self.z * o.x - self.x * o.z, self.x * o.y - self.y * o.x)
    }
    /// Squared length.
    #[inline(always)]
    pub fn length_sq(self) -> R {
        self.dot(self)
    }
    /// Length.
    #[inline(always)]
    pub fn length(self) -> R {
        self.length_sq().sqrt()
    }
    /// This vector at length one, or `otherwise` if it is too short to have a direction.
    #[inline(always)]
    pub fn unit_or(self, otherwise: Self) -> Self {
        let length = self.length();
        if length > R::TINY { self / length } else { otherwise }
    }
    /// `self` · `o`ᵀ
    #[inline(always)]
    pub fn outer(self, o: Self) -> Mat3<R> {
        Mat3::from_columns(self * o.x, self * o.y, self * o.z)
    }
    /// No component is infinite or NaN.
    #[inline(always)]
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }
}

impl<R: Real> Add for Vec3<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self::new(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}
impl<R: Real> Sub for Vec3<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self::new(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}
impl<R: Real> Neg for Vec3<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y, -self.z)
    }
}
impl<R: Real> Mul<R> for Vec3<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: R) -> Self {
        Self::new(self.x * s, self.y * s, self.z * s)
    }
}
impl<R: Real> Div<R> for Vec3<R> {
    type Output = Self;
    #[inline(always)]
    fn div(self, s: R) -> Self {
        Self::new(self.x / s, self.y / s, self.z / s)
    }
}
impl<R: Real> AddAssign for Vec3<R> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}
impl<R: Real> SubAssign for Vec3<R> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}
impl<R: Real> Index<usize> for Vec3<R> {
    type Output = R;
    #[inline(always)]
    fn index(&self, i: usize) -> &R {
        [&self.x, &self.y, &self.z][i]
    }
}
impl<R: Real> IndexMut<usize> for Vec3<R> {
    #[inline(always)]
    fn index_mut(&mut self, i: usize) -> &mut R {
        [&mut self.x, &mut self.y, &mut self.z][i]
    }
}
