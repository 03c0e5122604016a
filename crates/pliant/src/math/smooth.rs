//! Numbers that know how they change: a formula written once gives its value, or its value and slopes, or these and its
//! curvatures, by three variables.
//!
//! Forward differentiation (Griewank and Walther 2008, chapter 2): (f·g)′ = f′g + fg′, f(g)′ = f′g′, f(g)″ = f″g′² + f′g″.

use super::Real;
use std::ops::{Add, Mul, Sub};

/// A number that formulas are written in: `f32` or `f64`, [`Dual`] or [`Jet`].
pub trait Smooth<R: Real>: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// A number that depends on nothing.
    fn constant(value: R) -> Self;
    /// The value alone.
    fn value(self) -> R;
    /// f(self), from f, f′ and f″ there.
    fn chain(self, f: R, slope: R, curvature: R) -> Self;

    /// Times a constant.
    fn times(self, factor: R) -> Self {
        self.chain(self.value() * factor, factor, R::ZERO)
    }
    /// Plus a constant.
    fn plus(self, term: R) -> Self {
        self.chain(self.value() + term, R::ONE, R::ZERO)
    }
    /// A positive number to a power.
    fn power(self, power: f64) -> Self {
        let x = self.value();
        let f = x.powf(R::of(power));
        self.chain(f, R::of(power) * f / x, R::of(power * (power - 1.0)) * f / (x * x))
    }
    /// Natural logarithm of a positive number.
    fn log(self) -> Self {
        let x = self.value();
        self.chain(x.ln(), R::ONE / x, -R::ONE / (x * x))
    }
}

impl<R: Real> Smooth<R> for R {
    #[inline(always)]
    fn constant(value: R) -> Self {
        value
    }
    #[inline(always)]
    fn value(self) -> R {
        self
    }
    #[inline(always)]
    fn chain(self, f: R, _slope: R, _curvature: R) -> Self {
        f
    }
}

/// A value and its slopes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<R> {
    /// The value.
    pub value: R,
    /// Its derivative by each variable.
    pub slope: [R; 3],
}

impl<R: Real> Dual<R> {
    /// The variable of this number.
    #[inline(always)]
    pub fn variable(index: usize, value: R) -> Self {
        let mut slope = [R::ZERO; 3];
        slope[index] = R::ONE;
        Self { value, slope }
    }
}

impl<R: Real> Add for Dual<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self { value: self.value + o.value, slope: std::array::from_fn(|a| self.slope[a] + o.slope[a]) }
    }
}

impl<R: Real> Sub for Dual<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self { value: self.value - o.value, slope: std::array::from_fn(|a| self.slope[a] - o.slope[a]) }
    }
}

impl<R: Real> Mul for Dual<R> {
    type Output = Self;
    // Leibniz's rule is a sum.
    #[allow(clippy::suspicious_arithmetic_impl)]
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        let slope = std::array::from_fn(|a| self.slope[a] * o.value + self.value * o.slope[a]);
        Self { value: self.value * o.value, slope }
    }
}

impl<R: Real> Smooth<R> for Dual<R> {
    #[inline(always)]
    fn constant(value: R) -> Self {
        Self { value, slope: [R::ZERO; 3] }
    }
    #[inline(always)]
    fn value(self) -> R {
        self.value
    }
    #[inline(always)]
    fn chain(self, f: R, slope: R, _curvature: R) -> Self {
        Self { value: f, slope: self.slope.map(|s| s * slope) }
    }
}

/// A value, its slopes and its curvatures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jet<R> {
    /// The value.
    pub value: R,
    /// Its derivative by each variable.
    pub slope: [R; 3],
    /// Its second derivatives.
    pub curvature: [[R; 3]; 3],
}

impl<R: Real> Jet<R> {
    /// The variable of this number.
    #[inline(always)]
    pub fn variable(index: usize, value: R) -> Self {
        let Dual { value, slope } = Dual::variable(index, value);
        Self { value, slope, curvature: [[R::ZERO; 3]; 3] }
    }

    #[inline(always)]
    fn with(value: R, slope: impl Fn(usize) -> R, curvature: impl Fn(usize, usize) -> R) -> Self {
        let curvature = std::array::from_fn(|a| std::array::from_fn(|b| curvature(a, b)));
        Self { value, slope: std::array::from_fn(slope), curvature }
    }
}

impl<R: Real> Add for Jet<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        let curvature = |a: usize, b: usize| self.curvature[a][b] + o.curvature[a][b];
        Self::with(self.value + o.value, |a| self.slope[a] + o.slope[a], curvature)
    }
}

impl<R: Real> Sub for Jet<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        let curvature = |a: usize, b: usize| self.curvature[a][b] - o.curvature[a][b];
        Self::with(self.value - o.value, |a| self.slope[a] - o.slope[a], curvature)
    }
}

impl<R: Real> Mul for Jet<R> {
    type Output = Self;
    // Leibniz's rule is a sum.
    #[allow(clippy::suspicious_arithmetic_impl)]
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        let slope = |a: usize| self.slope[a] * o.value + self.value * o.slope[a];
        let curvature = |a: usize, b: usize| {
            let cross = self.slope[a] * o.slope[b] + self.slope[b] * o.slope[a];
            self.curvature[a][b] * o.value + self.value * o.curvature[a][b] + cross
        };
        Self::with(self.value * o.value, slope, curvature)
    }
}

impl<R: Real> Smooth<R> for Jet<R> {
    #[inline(always)]
    fn constant(value: R) -> Self {
        Self { value, slope: [R::ZERO; 3], curvature: [[R::ZERO; 3]; 3] }
    }
    #[inline(always)]
    fn value(self) -> R {
        self.value
    }
    #[inline(always)]
    fn chain(self, f: R, slope: R, curvature: R) -> Self {
        let bent = |a: usize, b: usize| curvature * self.slope[a] * self.slope[b] + slope * self.curvature[a][b];
        Self::with(f, |a| slope * self.slope[a], bent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formula<S: Smooth<f64>>(x: [S; 3]) -> S {
        let [a, b, c] = x;
        (a * b - c.times(3.0)).plus(7.0).power(-2.0 / 3.0) * (b * c).log() + a * a * a
    }

    #[test]
    fn slopes_and_curvatures_are_those_of_finite_differences() {
        let at = [1.3, 0.7, 1.9];
        let jet = formula(std::array::from_fn(|k| Jet::variable(k, at[k])));
        let dual = formula(std::array::from_fn(|k| Dual::variable(k, at[k])));
        assert_eq!((jet.value, jet.slope), (dual.value, dual.slope));
        assert_eq!(jet.value, formula(at));
        let moved = |k: usize, by: f64| std::array::from_fn(|a| if a == k { at[a] + by } else { at[a] });
        for k in 0..3 {
            let slope = (formula(moved(k, 1e-6)) - formula(moved(k, -1e-6))) / 2e-6;
            assert!((slope - jet.slope[k]).abs() < 1e-8, "{k}: {slope}, {}", jet.slope[k]);
            let slopes = |by| {
                formula::<Dual<f64>>({
                    let x = moved(k, by);
                    std::array::from_fn(|a| Dual::variable(a, x[a]))
                })
            };
            for l in 0..3 {
                let curvature = (slopes(1e-6).slope[l] - slopes(-1e-6).slope[l]) / 2e-6;
                assert!((curvature - jet.curvature[k][l]).abs() < 1e-7, "{k}{l}: {curvature}, {:?}", jet.curvature);
            }
        }
    }
}
