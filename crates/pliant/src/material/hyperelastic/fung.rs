//! Fung's material, for tissue that gets stiffer the more it is stretched (course eq 43, corrected as in `neo_hookean`).
//!
//! ψ = s₀ (J^(−2/3) I − 3) + s₁ (J − 1)² + s₂ (exp(s₃ (J^(−2/3) I − 3)) − 1); shear modulus 2 (s₀ + s₂ s₃), bulk modulus 2s₁. From
//! Young's modulus and Poisson's ratio: s₃ = 1/2, and each of the two terms has half of the shear modulus. Beyond the paper:
//! from an exponent of 10 on, which is 20,000 times as stiff as at rest, what grows along a straight line in the end takes the
//! place of the exponential.

use super::neo_hookean::bulk;
use super::shape::isochoric;
use super::{Density, Strain};
use crate::material::LameParameters;
use crate::math::{Real, Smooth};

/// ψ of [`super::NeoHookean`] + s₂ (exp(s₃ (J^(−2/3) I − 3)) − 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fung<R> {
    /// s₀, s₁ and s₂, Pa; s₃ has no unit.
    pub s: [R; 4],
}

/// The largest exponent.
const STEEPEST: f64 = 10.0;

impl From<LameParameters> for Fung<f64> {
    fn from(lame: LameParameters) -> Self {
        Self { s: [lame.mu / 4.0, lame.bulk_modulus() / 2.0, lame.mu / 2.0, 0.5] }
    }
}

/// exp(y) − 1; with d = y − Y > 0 beyond the largest exponent Y, exp(Y) (1 + 2d − ln(1 + d)) − 1.
#[inline(always)]
fn growth<R: Real, S: Smooth<R>>(y: S) -> S {
    let steepest = R::of(STEEPEST);
    let below = y.value().min(steepest).exp_m1();
    let slope = below + R::ONE;
    if y.value() <= steepest {
        return y.chain(below, slope, slope);
    }
    let d = y.plus(-steepest);
    (d.times(R::of(2.0)) - d.plus(R::ONE).log()).times(slope).plus(below)
}

impl<R: Real> Density<R> for Fung<R> {
    const NAME: &'static str = "Fung tet";
    type In<S: Real> = Fung<S>;

    #[inline(always)]
    fn psi<S: Smooth<R>>(&self, strain: Strain<S>) -> S {
        let [s0, s1, s2, s3] = self.s;
        let shape = isochoric(strain);
        shape.times(s0) + bulk(s1, strain.j) + growth(shape.times(s3)).times(s2)
    }
    fn cast<S: Real>(&self) -> Fung<S> {
        Fung { s: self.s.map(|s| S::of(s.f64())) }
    }
    fn shear_modulus(&self) -> R {
        R::of(2.0) * (self.s[0] + self.s[2] * self.s[3])
    }
    const PREFIX: &'static str = "fung_tet";
    const SOURCE: &'static str = include_str!("fung.wgsl");
    const WORDS: usize = 14;
    fn parameters(&self, volume: R) -> [R; 4] {
        let [s0, s1, s2, s3] = self.s;
        [s0 * volume, s1 * volume, s2 * volume, s3]
    }
}
