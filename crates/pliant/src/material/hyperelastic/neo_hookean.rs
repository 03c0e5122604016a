//! Compressible neo-Hookean material (course eq 41, corrected).
//!
//! ψ = s₀ (J^(−2/3) I − 3) + s₁ (J − 1)². Deviation: the printed bulk term s₁ (III^(−1/2) − 1) has stress at rest; with this one
//! the shear modulus is 2s₀ and the bulk modulus 2s₁.

use super::shape::isochoric;
use super::{Density, Strain};
use crate::material::LameParameters;
use crate::math::{Real, Smooth};

/// ψ = s₀ (J^(−2/3) I − 3) + s₁ (J − 1)².
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeoHookean<R> {
    /// s₀ and s₁, Pa.
    pub s: [R; 2],
}

impl From<LameParameters> for NeoHookean<f64> {
    fn from(lame: LameParameters) -> Self {
        Self { s: [lame.mu / 2.0, lame.bulk_modulus() / 2.0] }
    }
}

/// s₁ (J − 1)².
#[inline(always)]
pub(super) fn bulk<R: Real, S: Smooth<R>>(s1: R, j: S) -> S {
    let change = j.plus(-R::ONE);
    (change * change).times(s1)
}

impl<R: Real> Density<R> for NeoHookean<R> {
    const NAME: &'static str = "neo-Hookean tet";
    type In<S: Real> = NeoHookean<S>;

    #[inline(always)]
    fn psi<S: Smooth<R>>(&self, strain: Strain<S>) -> S {
        isochoric(strain).times(self.s[0]) + bulk(self.s[1], strain.j)
    }
    fn cast<S: Real>(&self) -> NeoHookean<S> {
        NeoHookean { s: self.s.map(|s| S::of(s.f64())) }
    }
    fn shear_modulus(&self) -> R {
        self.s[0] + self.s[0]
    }
    const PREFIX: &'static str = "neo_hookean_tet";
    const SOURCE: &'static str = include_str!("neo_hookean.wgsl");
    const WORDS: usize = 12;
    fn parameters(&self, volume: R) -> [R; 4] {
        [self.s[0] * volume, self.s[1] * volume, R::ZERO, R::ZERO]
    }
}
