//! Eight numbers computed at once, by the `wide` crate: SSE on any x86-64, NEON on ARM, plain code elsewhere. Only
//! `+ − × ÷ √` and comparisons, each rounded once, so every processor gives the same bits.

use super::Real;
use std::ops::{Add, Div, Mul, Sub};

/// Numbers in a [`Wide`].
pub const LANES: usize = 8;

/// Eight `R` at once.
pub trait Wide<R>: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> {
    /// From eight numbers.
    fn new(lanes: [R; LANES]) -> Self;
    /// The same number eight times.
    fn splat(value: R) -> Self;
    /// As eight numbers.
    fn lanes(self) -> [R; LANES];
    /// Square roots.
    fn sqrt(self) -> Self;
    /// The larger ones; unspecified for NaN.
    fn larger(self, other: Self) -> Self;
    /// The smaller ones; unspecified for NaN.
    fn smaller(self, other: Self) -> Self;
    /// x, y and z of eight stored points.
    fn gather(points: [[R; 4]; LANES]) -> [Self; 3];
}

macro_rules! wide {
    ($real:ident, $wide:ident, $gather:expr) => {
        impl Wide<$real> for wide::$wide {
            #[inline(always)]
            fn new(lanes: [$real; LANES]) -> Self {
                Self::new(lanes)
            }
            #[inline(always)]
            fn splat(value: $real) -> Self {
                Self::splat(value)
            }
            #[inline(always)]
            fn lanes(self) -> [$real; LANES] {
                self.to_array()
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                self.sqrt()
            }
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                self.fast_max(other)
            }
            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                self.fast_min(other)
            }
            #[inline(always)]
            fn gather(points: [[$real; 4]; LANES]) -> [Self; 3] {
                $gather(points)
            }
        }
    };
}
wide!(f32, f32x8, gather_f32);
wide!(f64, f64x8, gather_plain);

/// Four by four transposes: left to itself the compiler loads and inserts every number alone.
#[inline(always)]
fn gather_f32(points: [[f32; 4]; LANES]) -> [wide::f32x8; 3] {
    use wide::f32x4;
    let half = |first: usize| f32x4::transpose(std::array::from_fn(|l| f32x4::new(points[first + l])));
    let (low, high) = (half(0), half(4));
    std::array::from_fn(|k| bytemuck::cast([low[k], high[k]]))
}

#[inline(always)]
fn gather_plain<R: Real, W: Wide<R>>(points: [[R; 4]; LANES]) -> [W; 3] {
    std::array::from_fn(|k| W::new(std::array::from_fn(|l| points[l][k])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same_as_scalar<R: Real>() {
        let points: [[R; 4]; LANES] = std::array::from_fn(|l| std::array::from_fn(|k| R::of((l * 4 + k) as f64 + 0.3)));
        let [x, y, z] = R::Wide::gather(points);
        let value = (x * y - z / x).larger(R::Wide::splat(R::ONE)).sqrt().smaller(R::Wide::splat(R::of(20.0))).lanes();
        for l in 0..LANES {
            let [px, py, pz, _] = points[l];
            assert_eq!(value[l], (px * py - pz / px).max(R::ONE).sqrt().min(R::of(20.0)));
        }
    }

    #[test]
    fn eight_at_once_gives_the_bits_of_one_by_one() {
        same_as_scalar::<f32>();
        same_as_scalar::<f64>();
    }
}
