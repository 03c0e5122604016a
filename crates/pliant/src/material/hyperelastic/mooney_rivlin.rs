//! Compressible Mooney-Rivlin material, for rubber (course eq 42, corrected as in `neo_hookean`).
//!
//! ψ = s₀ (J^(−2/3) I − 3) + s₁ (J − 1)² + s₂ (J^(−4/3) (I² − II)/2 − 3); shear modulus 2 (s₀ + s₂), bulk modulus 2s₁. From Young's
//! modulus and Poisson's ratio: s₂ = s₀/4, about that of vulcanised rubber (Treloar 1975, "The physics of rubber elasticity",
//! chapter 5).

use super::neo_hookean::bulk;
use super::shape::{isochoric, isochoric_area};
use super::{Density, Strain};
use crate::material::LameParameters;
use crate::math::{Real, Smooth};

/// ψ of [`super::NeoHookean`] + s₂ (J^(−4/3) (I² − II)/2 − 3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MooneyRivlin<R> {
    /// s₀, s₁ and s₂, Pa.
    pub s: [R; 3],
}

impl From<LameParameters> for MooneyRivlin<f64> {
    fn from(lame: LameParameters) -> Self {
        Self { s: [0.4 * lame.mu, lame.bulk_modulus() / 2.0, 0.1 * lame.mu] }
    }
}

impl<R: Real> Density<R> for MooneyRivlin<R> {
    const NAME: &'static str = "Mooney-Rivlin tet";
    type In<S: Real> = MooneyRivlin<S>;

    #[inline(always)]
    fn psi<S: Smooth<R>>(&self, strain: Strain<S>) -> S {
        let [s0, s1, s2] = self.s;
        isochoric(strain).times(s0) + bulk(s1, strain.j) + isochoric_area(strain).times(s2)
    }
    fn cast<S: Real>(&self) -> MooneyRivlin<S> {
        MooneyRivlin { s: self.s.map(|s| S::of(s.f64())) }
    }
    fn shear_modulus(&self) -> R {
        R::of(2.0) * (self.s[0] + self.s[2])
    }
    const PREFIX: &'static str = "mooney_rivlin_tet";
    const SOURCE: &'static str = include_str!("mooney_rivlin.wgsl");
    const WORDS: usize = 13;
    fn parameters(&self, volume: R) -> [R; 4] {
        let [s0, s1, s2] = self.s.map(|s| s * volume);
        [s0, s1, s2, R::ZERO]
    }
}
