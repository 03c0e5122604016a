//! St. Venant and Kirchhoff's material (course eq 40, corrected): linear elasticity in Green's strain E = (C − 1)/2.
//!
//! ψ = λ/8 (I − 3)² + μ/4 (II − 2I + 3) = λ/2 tr²E + μ‖E‖². Deviation: printed is s₀/2 (I − 3)² with s₀ = λ. Known trait: squeezed
//! below 0.58 of its length it gets softer, and mirrored it is at rest; so it is converted from 0.5 on (course 3.3).

use super::{Density, Strain};
use crate::material::LameParameters;
use crate::math::{Real, Smooth};

/// ψ = λ/8 (I − 3)² + μ/4 ‖C − 1‖².
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StVenantKirchhoff<R> {
    /// μ, Pa.
    pub lame_mu: R,
    /// λ, Pa.
    pub lame_lambda: R,
}

impl From<LameParameters> for StVenantKirchhoff<f64> {
    fn from(LameParameters { mu, lambda }: LameParameters) -> Self {
        Self { lame_mu: mu, lame_lambda: lambda }
    }
}

impl<R: Real> Density<R> for StVenantKirchhoff<R> {
    const NAME: &'static str = "St. Venant-Kirchhoff tet";
    const CONVERTED_BELOW: f64 = 0.5;
    type In<S: Real> = StVenantKirchhoff<S>;

    #[inline(always)]
    fn psi<S: Smooth<R>>(&self, Strain { i, ii, .. }: Strain<S>) -> S {
        (i * i).times(R::of(0.125) * self.lame_lambda) + ii.times(R::of(0.25) * self.lame_mu)
    }
    fn cast<S: Real>(&self) -> StVenantKirchhoff<S> {
        StVenantKirchhoff { lame_mu: S::of(self.lame_mu.f64()), lame_lambda: S::of(self.lame_lambda.f64()) }
    }
    fn shear_modulus(&self) -> R {
        self.lame_mu
    }
    const PREFIX: &'static str = "stvk_tet";
    const SOURCE: &'static str = include_str!("st_venant_kirchhoff.wgsl");
    const WORDS: usize = 12;
    fn parameters(&self, volume: R) -> [R; 4] {
        [self.lame_lambda * volume, self.lame_mu * volume, R::ZERO, R::ZERO]
    }
}
