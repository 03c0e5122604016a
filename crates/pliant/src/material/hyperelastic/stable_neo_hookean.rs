//! Stable neo-Hookean material (Smith, de Goes, Kim 2018, "Stable neo-Hookean flesh simulation", eq 14): smooth and finite
//! everywhere, inside out too.
//!
//! ψ = μ/2 (I − 3) + λ/2 (J − α)² − μ/2 ln(I + 1) + const, α = 1 + μ/λ − μ/(4λ). Its μ is 4/3 of Lamé's and its λ is Lamé's plus
//! 5/6 μ of Lamé's (their section 3.4), so that small strains cost what linear elasticity says.

use super::{Density, Strain};
use crate::material::LameParameters;
use crate::math::{Real, Smooth};

/// ψ = μ/2 (I − 3) + λ/2 (J − α)² − μ/2 ln(I + 1) + const.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StableNeoHookean<R> {
    /// μ of the model, Pa.
    pub mu: R,
    /// λ of the model, Pa.
    pub lambda: R,
}

impl From<LameParameters> for StableNeoHookean<f64> {
    fn from(LameParameters { mu, lambda }: LameParameters) -> Self {
        Self { mu: 4.0 / 3.0 * mu, lambda: lambda + 5.0 / 6.0 * mu }
    }
}

impl<R: Real> Density<R> for StableNeoHookean<R> {
    const NAME: &'static str = "stable neo-Hookean tet";
    type In<S: Real> = StableNeoHookean<S>;

    /// With (J − 1)² λ/2 + (J − 1) λ (1 − α) in place of (J − α)² λ/2, and λ (1 − α) = −3/4 μ: zero at rest, and no λ to divide by.
    #[inline(always)]
    fn psi<S: Smooth<R>>(&self, Strain { i, j, .. }: Strain<S>) -> S {
        let (half, change) = (R::of(0.5), j.plus(-R::ONE));
        let shape = (i - i.times(R::of(0.25)).plus(R::ONE).log()).times(half) - change.times(R::of(0.75));
        shape.times(self.mu) + (change * change).times(half * self.lambda)
    }
    fn cast<S: Real>(&self) -> StableNeoHookean<S> {
        StableNeoHookean { mu: S::of(self.mu.f64()), lambda: S::of(self.lambda.f64()) }
    }
    fn shear_modulus(&self) -> R {
        R::of(0.75) * self.mu
    }
    const PREFIX: &'static str = "stable_neo_hookean_tet";
    const SOURCE: &'static str = include_str!("stable_neo_hookean.wgsl");
    const WORDS: usize = 12;
    fn parameters(&self, volume: R) -> [R; 4] {
        [self.mu * volume, self.lambda * volume, R::ZERO, R::ZERO]
    }
}
