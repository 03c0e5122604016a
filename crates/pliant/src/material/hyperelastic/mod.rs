//! Hyperelastic tetrahedra (course 3.3; Wang and Yang 2016): any density of the invariants of C = FᵀF.
//!
//! Ψ = vol ψ(I − 3, ‖C − 1‖², J) with I = tr C, J = det F; course eq 39 has II = tr C² = ‖C − 1‖² + 2I − 3 and III = J². These
//! three are zero or one at rest, so that small strains are not lost in rounding. A model is one formula, [`Density`]; its
//! derivatives by the three are made by [`crate::math::Smooth`], and what follows from them is written here once:
//!
//! ```text
//! P = 2 ψ_i F + 4 ψ_ii F (C − 1) + ψ_j cof F                                       no decomposition of F
//! ψ_pq = Σ_ab ψ_ab a_p b_q + Σ_a ψ_a a_pq                                           by singular values
//! twist, flip of axes p, q = 2 ψ_i + 4 ψ_ii (σ_p² ∓ σ_p σ_q + σ_q² − 1) ± ψ_j σ_r       difference quotients divided out
//! ```
//!
//! **Invertible model conversion** (course eq 45 to 47): Ψ = (1 − l) Ψ_model + l κ vol ‖F − R‖², and l of an element is 1 where its
//! least stretch is at most λ⁻ = 0.05, 0 from λ⁺ on, and falls by at most L = 0.05 a step ([`crate::model::Conversion`]). Deviation: l is renewed when a step
//! begins, and within a step only raised, at the looks at E of descent, so that there is an objective that E can fall of; κ is the shear modulus,
//! where the paper has 1 Pa.
//!
//! Beyond the papers: where a model would be infinite, because an element is nearly or wholly inside out, its formula goes on
//! with finite values ([`shape`]), so that nothing is ever NaN.

mod fung;
mod mooney_rivlin;
mod neo_hookean;
pub mod shape;
mod st_venant_kirchhoff;
mod stable_neo_hookean;

pub use fung::Fung;
pub use mooney_rivlin::MooneyRivlin;
pub use neo_hookean::NeoHookean;
pub use st_venant_kirchhoff::StVenantKirchhoff;
pub use stable_neo_hookean::StableNeoHookean;

use super::convert::{NEVER, least_to_share, with_projective};
use super::error::not_negative;
use super::isotropic::PrincipalHessian;
use super::simplex::RestTet;
use super::{Convertible, Energy, Hessian, MaterialError, Pull, WgslTwin};
use crate::math::{Dual, Jet, Mat3, Real, Smooth, Svd, Vec3, polar_rotation, svd};

/// A tetrahedron of St. Venant and Kirchhoff's material.
pub type StvkTet<R> = HyperelasticTet<R, StVenantKirchhoff<R>>;
/// A neo-Hookean tetrahedron.
pub type NeoHookeanTet<R> = HyperelasticTet<R, NeoHookean<R>>;
/// A Mooney-Rivlin tetrahedron.
pub type MooneyRivlinTet<R> = HyperelasticTet<R, MooneyRivlin<R>>;
/// A tetrahedron of Fung's material.
pub type FungTet<R> = HyperelasticTet<R, Fung<R>>;
/// A stable neo-Hookean tetrahedron.
pub type StableNeoHookeanTet<R> = HyperelasticTet<R, StableNeoHookean<R>>;

/// What a density is a function of.
#[derive(Clone, Copy, Debug)]
pub struct Strain<S> {
    /// I − 3 = tr C − 3.
    pub i: S,
    /// ‖C − 1‖² = II − 2I + 3.
    pub ii: S,
    /// J = det F.
    pub j: S,
}

/// An isotropic strain energy density.
pub trait Density<R: Real>: Copy + Send + Sync + std::fmt::Debug + PartialEq {
    /// What elements of it are called.
    const NAME: &'static str;
    /// λ⁺: the least stretch below which an element is converted.
    const CONVERTED_BELOW: f64 = 0.15;
    /// The same in another precision.
    type In<S: Real>: Density<S>;

    /// ψ, Pa; zero at rest and nowhere negative.
    fn psi<S: Smooth<R>>(&self, strain: Strain<S>) -> S;
    /// The same density in another precision.
    fn cast<S: Real>(&self) -> Self::In<S>;
    /// Shear modulus at rest, Pa.
    fn shear_modulus(&self) -> R;
    /// What the functions of tetrahedra of it start with in WGSL.
    const PREFIX: &'static str;
    /// Its formula in WGSL.
    const SOURCE: &'static str;
    /// Numbers of a tetrahedron there.
    const WORDS: usize;
    /// Its parameters, those in Pa times `volume`.
    fn parameters(&self, volume: R) -> [R; 4];
}

/// A tetrahedron with a density.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HyperelasticTet<R, D> {
    /// Shape at rest.
    pub rest: RestTet<R>,
    /// ψ.
    pub density: D,
    /// l, from 0 to 1; negative: it is never converted.
    pub share: R,
}

impl<D: Density<f64>> HyperelasticTet<f64, D> {
    /// From rest positions, m.
    pub fn new(rest: [Vec3<f64>; 4], density: D) -> Result<Self, MaterialError> {
        not_negative(D::NAME, "shear modulus", density.shear_modulus(), "a finite number >= 0 Pa")?;
        Ok(Self { rest: RestTet::new(D::NAME, rest)?, density, share: 0.0 })
    }

    /// The same, never converted: something else has to pull it back when it is crushed.
    pub fn never_converted(self) -> Self {
        Self { share: NEVER, ..self }
    }
}

impl<R: Real, D: Density<R>> HyperelasticTet<R, D> {
    /// The same tetrahedron in another precision.
    pub fn cast<S: Real>(&self) -> HyperelasticTet<S, D::In<S>> {
        HyperelasticTet { rest: self.rest.cast(), density: self.density.cast(), share: S::of(self.share.f64()) }
    }

    /// l, κ and F − R where the element is converted.
    #[inline]
    fn projective(&self, F: Mat3<R>) -> Option<(R, Mat3<R>)> {
        (self.share > R::ZERO).then(|| (self.share * self.density.shear_modulus(), F - polar_rotation(F)))
    }

    fn principal_hessian(&self, x: &[Vec3<R>; 4]) -> PrincipalHessian<R> {
        let svd = svd(Mat3 { c: self.rest.deformation(x) });
        let own = principal(&self.density, &svd);
        let kappa = self.share * self.density.shear_modulus();
        let (scale, twist, flip) = with_projective(own, self.share, kappa, svd.sigma);
        PrincipalHessian::projected(&svd, scale, twist, flip)
    }
}

/// C − 1 and the invariants.
#[inline(always)]
fn strain<R: Real>(F: Mat3<R>) -> (Mat3<R>, Strain<R>) {
    let G = F.transpose() * F - Mat3::IDENTITY;
    (G, Strain { i: G.trace(), ii: G.norm_sq(), j: F.det() })
}

/// ψ(F), Pa.
#[inline]
pub fn density_at<R: Real, D: Density<R>>(density: &D, F: Mat3<R>) -> R {
    density.psi(strain(F).1)
}

/// P(F) = ∂ψ/∂F, Pa.
#[inline]
pub fn stress_at<R: Real, D: Density<R>>(density: &D, F: Mat3<R>) -> Mat3<R> {
    let (G, Strain { i, ii, j }) = strain(F);
    let (i, ii, j) = (Dual::variable(0, i), Dual::variable(1, ii), Dual::variable(2, j));
    let slope = density.psi(Strain { i, ii, j }).slope;
    F * (slope[0] + slope[0]) + F * G * (R::of(4.0) * slope[1]) + F.cofactor() * slope[2]
}

/// Scaling matrix, twists and flips of ψ, Pa.
fn principal<R: Real, D: Density<R>>(density: &D, svd: &Svd<R>) -> ([[R; 3]; 3], [R; 3], [R; 3]) {
    let (two, four, twelve) = (R::of(2.0), R::of(4.0), R::of(12.0));
    let sigma: [R; 3] = [svd.sigma.x, svd.sigma.y, svd.sigma.z];
    let square = sigma.map(|s| s * s);
    let stretch = square.map(|s| s - R::ONE);
    let invariants = [
        stretch[0] + stretch[1] + stretch[2],
        stretch[0] * stretch[0] + stretch[1] * stretch[1] + stretch[2] * stretch[2],
        sigma[0] * sigma[1] * sigma[2],
    ];
    let [i, ii, j] = std::array::from_fn(|k| Jet::variable(k, invariants[k]));
    let Jet { slope: [d_i, d_ii, d_j], curvature, .. } = density.psi(Strain { i, ii, j });
    // Of the invariants by each singular value.
    let by: [[R; 3]; 3] = std::array::from_fn(|p| {
        [two * sigma[p], four * sigma[p] * stretch[p], sigma[(p + 1) % 3] * sigma[(p + 2) % 3]]
    });
    let scale = std::array::from_fn(|p| {
        std::array::from_fn(|q| {
            let bent = (0..3).map(|a| by[p][a] * (0..3).map(|b| curvature[a][b] * by[q][b]).sum::<R>()).sum::<R>();
            let own = if p == q { two * d_i + d_ii * (twelve * square[p] - four) } else { d_j * sigma[3 - p - q] };
            bent + own
        })
    });
    let (mut twist, mut flip) = ([R::ZERO; 3], [R::ZERO; 3]);
    for r in 0..3 {
        let (p, q) = ((r + 1) % 3, (r + 2) % 3);
        let (sum, product) = (square[p] + square[q] - R::ONE, sigma[p] * sigma[q]);
        twist[r] = two * d_i + four * d_ii * (sum - product) + d_j * sigma[r];
        flip[r] = two * d_i + four * d_ii * (sum + product) - d_j * sigma[r];
    }
    (scale, twist, flip)
}

impl<R: Real, D: Density<R>> Energy<R, 4> for HyperelasticTet<R, D> {
    #[inline]
    fn value(&self, x: &[Vec3<R>; 4]) -> R {
        let F = Mat3 { c: self.rest.deformation(x) };
        let own = density_at(&self.density, F);
        let psi = match self.projective(F) {
            Some((kappa, d)) => (R::ONE - self.share) * own + kappa * d.norm_sq(),
            None => own,
        };
        self.rest.measure * psi
    }
    #[inline]
    fn gradient(&self, x: &[Vec3<R>; 4]) -> [Vec3<R>; 4] {
        let F = Mat3 { c: self.rest.deformation(x) };
        let own = stress_at(&self.density, F);
        let P = match self.projective(F) {
            Some((kappa, d)) => own * (R::ONE - self.share) + d * (kappa + kappa),
            None => own,
        };
        self.rest.pull_back(&(P * self.rest.measure).c)
    }
    fn hessian_psd(&self, x: &[Vec3<R>; 4]) -> Hessian<R, 4> {
        self.principal_hessian(x).blocks(&self.rest)
    }
    fn hessian_exact(&self, x: &[Vec3<R>; 4]) -> Hessian<R, 4> {
        self.principal_hessian(x).exact().blocks(&self.rest)
    }
    fn hessian_excess(&self, x: &[Vec3<R>; 4]) -> Option<Hessian<R, 4>> {
        Some(self.principal_hessian(x).excess()?.blocks(&self.rest))
    }
    fn hessian_diagonal(&self, x: &[Vec3<R>; 4]) -> [Mat3<R>; 4] {
        self.principal_hessian(x).diagonal(&self.rest)
    }
    fn pull(&self, rotation: Mat3<R>) -> Option<Pull<R, 4>> {
        let weight = R::of(2.0) * self.density.shear_modulus() * self.rest.measure;
        (self.share >= R::ZERO).then(|| Pull::new(&self.rest, weight, rotation))
    }
}

impl<R: Real, D: Density<R>> WgslTwin for HyperelasticTet<R, D> {
    const PREFIX: &'static str = D::PREFIX;
    const SOURCE: &'static str = D::SOURCE;
    const WORDS: usize = D::WORDS;
    const ISOTROPIC: bool = true;
    /// Shape, parameters, and l at the end.
    fn pack(&self, out: &mut [f32]) {
        let (shape, rest) = out.split_at_mut(9);
        shape.copy_from_slice(&self.rest.pack());
        let parameters = self.density.parameters(self.rest.measure).map(|r| r.f64() as f32);
        let (own, share) = rest.split_at_mut(rest.len() - 1);
        own.copy_from_slice(&parameters[..own.len()]);
        share[0] = self.share.f64() as f32;
    }
}

impl<R: Real, D: Density<R>> Convertible<R, 4> for HyperelasticTet<R, D> {
    fn share(&self) -> R {
        self.share.max(R::ZERO)
    }
    fn set_share(&mut self, share: R) {
        if self.share >= R::ZERO {
            self.share = share;
        }
    }
    fn share_at(&self, x: &[Vec3<R>; 4]) -> R {
        if self.share < R::ZERO {
            return R::ZERO;
        }
        least_to_share(svd(Mat3 { c: self.rest.deformation(x) }).sigma.z, D::CONVERTED_BELOW)
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
