//! Corotated linear tetrahedron (cg, section 3.1; Müller and Gross 2004), with the exact rotation gradient.
//!
//! Ψ = vol (μ‖F − R‖² + λ/2 tr²(RᵀF − I)), R the rotation nearest to F, det R = +1. P = 2μ(F − R) + λ tr(RᵀF − I) R.
//! Deviation: cg eq 8 freezes R in its stiffness K_ij; here the Hessian is the exact one by its eigensystem (Smith 2019,
//! see `isotropic`): twists 2μ + (λ tr(RᵀF−I) − 2μ)·2/(σ_i+σ_j), clamped at zero, flips 2μ, scaling 2μ I + λ 11ᵀ.
//!
//! | symbol | code | |
//! |---|---|---|
//! | μ, λ | `lame_mu`, `lame_lambda` | Pa |

use super::elastic_constants::LameParameters;
use super::error::not_negative;
use super::isotropic::{PrincipalHessian, corotated_twists};
use super::simplex::RestTet;
use super::{Energy, Hessian, MaterialError, Pull, WgslTwin};
use crate::math::eigen::project_psd;
use crate::math::{Mat3, Real, Vec3, polar_rotation, svd};

/// A tetrahedron with linear elasticity in its own rotated frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CorotatedTet<R> {
    /// Shape at rest.
    pub rest: RestTet<R>,
    /// μ, Pa.
    pub lame_mu: R,
    /// λ, Pa; negative for an auxetic solid.
    pub lame_lambda: R,
}

impl CorotatedTet<f64> {
    /// From rest positions, m, and Lamé's parameters, Pa.
    pub fn new(rest: [Vec3<f64>; 4], lame: LameParameters) -> Result<Self, MaterialError> {
        let name = "corotated tet";
        not_negative(name, "mu", lame.mu, "a finite number >= 0 Pa")?;
        not_negative(name, "lambda + 2/3 mu", lame.lambda + 2.0 / 3.0 * lame.mu, "a finite number >= 0 Pa")?;
        Ok(Self { rest: RestTet::new(name, rest)?, lame_mu: lame.mu, lame_lambda: lame.lambda })
    }
}

impl<R: Real> CorotatedTet<R> {
    /// The same tetrahedron in another precision.
    pub fn cast<S: Real>(&self) -> CorotatedTet<S> {
        CorotatedTet {
            rest: self.rest.cast(),
            lame_mu: S::of(self.lame_mu.f64()),
            lame_lambda: S::of(self.lame_lambda.f64()),
        }
    }

    /// F − R, R and tr(RᵀF − I).
    #[inline]
    fn strain(&self, x: &[Vec3<R>; 4]) -> (Mat3<R>, Mat3<R>, R) {
        let F = Mat3 { c: self.rest.deformation(x) };
        let R = polar_rotation(F);
        (F - R, R, R.dot(F - R))
    }

    fn principal_hessian(&self, x: &[Vec3<R>; 4]) -> PrincipalHessian<R> {
        let svd = svd(Mat3 { c: self.rest.deformation(x) });
        let (twist, flip) = corotated_twists(self.lame_mu, self.lame_lambda, svd.sigma, 3);
        let l = self.lame_lambda;
        let d = self.lame_mu + self.lame_mu + l;
        PrincipalHessian::new(&svd, project_psd([[d, l, l], [l, d, l], [l, l, d]]), twist, flip)
    }
}

impl<R: Real> Energy<R, 4> for CorotatedTet<R> {
    #[inline]
    fn value(&self, x: &[Vec3<R>; 4]) -> R {
        let (d, _, trace) = self.strain(x);
        self.rest.measure * (self.lame_mu * d.norm_sq() + R::of(0.5) * self.lame_lambda * trace * trace)
    }
    #[inline]
    fn gradient(&self, x: &[Vec3<R>; 4]) -> [Vec3<R>; 4] {
        let (d, R, trace) = self.strain(x);
        let P = d * (R::of(2.0) * self.lame_mu) + R * (self.lame_lambda * trace);
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
        Some(Pull::new(&self.rest, R::of(2.0) * self.lame_mu * self.rest.measure, rotation))
    }
}

impl<R: Real> WgslTwin for CorotatedTet<R> {
    const PREFIX: &'static str = "corotated_tet";
    const SOURCE: &'static str = include_str!("corotated_tet.wgsl");
    const WORDS: usize = 11;
    const ISOTROPIC: bool = true;
    fn pack(&self, out: &mut [f32]) {
        out[..9].copy_from_slice(&self.rest.pack());
        out[9..].copy_from_slice(&[self.lame_mu, self.lame_lambda].map(|r| (r * self.rest.measure).f64() as f32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::harness::{
        TET, UNIT_TET, check_energy, check_invariance, check_scales, check_spectral, count_convex_samples,
    };

    #[test]
    fn tet_meets_its_derivatives() {
        let tet = CorotatedTet::new(TET, LameParameters::solid(100.0, 0.4).unwrap()).unwrap();
        check_energy(&tet, &tet.cast::<f32>(), &TET);
        check_invariance(&tet, &TET);
        assert!(count_convex_samples(&tet, &TET) > 5);
    }

    #[test]
    fn auxetic_tet_meets_its_derivatives() {
        let tet = CorotatedTet::new(TET, LameParameters::solid(100.0, -0.3).unwrap()).unwrap();
        check_energy(&tet, &tet.cast::<f32>(), &TET);
    }

    #[test]
    fn without_lambda_it_is_as_rigid_as_possible() {
        let tet = CorotatedTet::new(TET, LameParameters { mu: 3.0, lambda: 0.0 }).unwrap();
        let arap = crate::material::ArapTet::new(TET, 3.0).unwrap();
        let x = TET.map(|p| Vec3::new(p.x * 1.3 + 0.2 * p.y, p.y * p.y, p.z - p.x));
        assert_eq!(tet.value(&x), arap.value(&x));
        assert_eq!(tet.hessian_psd(&x), arap.hessian_psd(&x));
    }

    #[test]
    fn hessian_is_the_exact_one_without_its_negative_eigenvalues() {
        let lame = LameParameters::solid(100.0, 0.3).unwrap();
        check_spectral(&CorotatedTet::new(UNIT_TET, lame).unwrap(), &UNIT_TET, 1);
    }

    #[test]
    fn micrometres_and_kilometres_are_both_fine() {
        let lame = LameParameters::solid(100.0, 0.3).unwrap();
        check_scales(&TET, |rest| CorotatedTet::new(rest, lame).unwrap(), |e| e.cast());
    }
}
