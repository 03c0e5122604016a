//! As-rigid-as-possible triangle in space: the membrane that projective dynamics can solve. Bouaziz et al. 2014,
//! "Projective dynamics", section 5.1 (there with strain limits; here the limits are 1 and 1).
//!
//! Ψ = μ A ‖F − R‖², F 3×2, R the 3×2 matrix with orthonormal columns nearest to F. R is a closest point, so
//! ∂Ψ/∂F = 2 μ A (F − R) exactly; the projective weight is 2 μ A. A surface in space has no inverted side: R is
//! unique unless the triangle has collapsed to a line.
//!
//! | symbol | code | |
//! |---|---|---|
//! | μ | `lame_mu` | N/m (shear modulus times thickness) |
//! | A, b_i | `rest` | m², 1/m |

use super::error::not_negative;
use super::isotropic::{PrincipalHessian, corotated_twists};
use super::simplex::RestTriangle;
use super::{Compliant, Energy, Hessian, LocalStep, MaterialError, Projective, WgslTwin, diagonal};
use crate::math::svd::svd_3x2;
use crate::math::{Mat3, Real, Vec3, polar_3x2};

/// A triangle that resists stretch and shear in its plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArapTriangle<R> {
    /// Shape at rest.
    pub rest: RestTriangle<R>,
    /// μ, N/m.
    pub lame_mu: R,
}

impl ArapTriangle<f64> {
    /// From rest positions, m, and shear modulus times thickness, N/m.
    pub fn new(rest: [Vec3<f64>; 3], lame_mu: f64) -> Result<Self, MaterialError> {
        let name = "as-rigid-as-possible triangle";
        let lame_mu = not_negative(name, "mu", lame_mu, "a finite number >= 0 N/m")?;
        Ok(Self { rest: RestTriangle::new(name, rest)?, lame_mu })
    }
}

impl<R: Real> ArapTriangle<R> {
    /// The same triangle in another precision.
    pub fn cast<S: Real>(&self) -> ArapTriangle<S> {
        ArapTriangle { rest: self.rest.cast(), lame_mu: S::of(self.lame_mu.f64()) }
    }

    /// 2 μ A, N·m.
    #[inline(always)]
    pub fn weight(&self) -> R {
        R::of(2.0) * self.lame_mu * self.rest.measure
    }

    /// F − R.
    #[inline(always)]
    fn difference(&self, x: &[Vec3<R>; 3]) -> [Vec3<R>; 2] {
        let F = self.rest.deformation(x);
        let R = polar_3x2(F);
        [F[0] - R[0], F[1] - R[1]]
    }

    fn principal_hessian(&self, x: &[Vec3<R>; 3]) -> PrincipalHessian<R> {
        let svd = svd_3x2(self.rest.deformation(x));
        let (twist, flip) = corotated_twists(self.lame_mu, R::ZERO, svd.sigma, 2);
        let (z, two_mu) = (R::ZERO, self.lame_mu + self.lame_mu);
        PrincipalHessian::new(&svd, [[two_mu, z, z], [z, two_mu, z], [z, z, z]], twist, flip)
    }
}

impl<R: Real> Energy<R, 3> for ArapTriangle<R> {
    #[inline]
    fn value(&self, x: &[Vec3<R>; 3]) -> R {
        let [a, b] = self.difference(x);
        self.lame_mu * self.rest.measure * (a.length_sq() + b.length_sq())
    }
    #[inline]
    fn gradient(&self, x: &[Vec3<R>; 3]) -> [Vec3<R>; 3] {
        self.rest.pull_back(&self.difference(x).map(|d| d * self.weight()))
    }
    fn hessian_psd(&self, x: &[Vec3<R>; 3]) -> Hessian<R, 3> {
        self.principal_hessian(x).blocks(&self.rest)
    }
    fn hessian_exact(&self, x: &[Vec3<R>; 3]) -> Hessian<R, 3> {
        self.principal_hessian(x).exact().blocks(&self.rest)
    }
    fn hessian_excess(&self, x: &[Vec3<R>; 3]) -> Option<Hessian<R, 3>> {
        Some(self.principal_hessian(x).excess()?.blocks(&self.rest))
    }
    fn hessian_diagonal(&self, x: &[Vec3<R>; 3]) -> [Mat3<R>; 3] {
        self.principal_hessian(x).diagonal(&self.rest)
    }
    fn scale(&self, _: &[Vec3<R>; 3]) -> [Mat3<R>; 3] {
        diagonal(self.stiffness())
    }
}

impl<R: Real> Projective<R, 3> for ArapTriangle<R> {
    const LOCAL: LocalStep = LocalStep::Slots;
    fn stiffness(&self) -> [[R; 3]; 3] {
        self.rest.stiffness(self.weight())
    }
    #[inline]
    fn project(&self, x: &[Vec3<R>; 3]) -> [Vec3<R>; 3] {
        let R = polar_3x2(self.rest.deformation(x));
        self.rest.pull_back(&R.map(|r| r * self.weight()))
    }
}

impl<R: Real> Compliant<R, 3> for ArapTriangle<R> {
    #[inline]
    fn compliance(&self) -> R {
        R::ONE / self.weight()
    }
    /// C = ‖F − R‖.
    #[inline]
    fn constraint(&self, x: &[Vec3<R>; 3]) -> (R, [Vec3<R>; 3]) {
        self.rest.distance_constraint(&self.difference(x))
    }
}

impl<R: Real> WgslTwin for ArapTriangle<R> {
    const PREFIX: &'static str = "arap_triangle";
    const SOURCE: &'static str = include_str!("arap_triangle.wgsl");
    const WORDS: usize = 4;
    fn pack(&self, out: &mut [f32]) {
        out[..3].copy_from_slice(&self.rest.pack());
        out[3] = self.weight().f64() as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::harness::{
        TRIANGLE, UNIT_TRIANGLE, check_compliant, check_energy, check_invariance, check_projective, check_scales,
        check_spectral, count_convex_samples,
    };

    #[test]
    fn triangle_meets_its_derivatives_projection_and_constraint() {
        let triangle = ArapTriangle::new(TRIANGLE, 5.0).unwrap();
        let single = triangle.cast::<f32>();
        check_energy(&triangle, &single, &TRIANGLE);
        check_invariance(&triangle, &TRIANGLE);
        check_projective(&triangle, &single, &TRIANGLE);
        check_compliant(&triangle, &single, &TRIANGLE);
        assert!(count_convex_samples(&triangle, &TRIANGLE) > 5);
    }

    #[test]
    fn a_sliver_is_refused() {
        let [a, b, _] = TRIANGLE;
        assert!(ArapTriangle::new([a, b, (a + b) / 2.0], 1.0).is_err());
    }

    #[test]
    fn hessian_is_the_exact_one_without_its_negative_eigenvalues() {
        check_spectral(&ArapTriangle::new(UNIT_TRIANGLE, 5.0).unwrap(), &UNIT_TRIANGLE, 1);
    }

    #[test]
    fn micrometres_and_kilometres_are_both_fine() {
        check_scales(&TRIANGLE, |rest| ArapTriangle::new(rest, 5.0).unwrap(), |e| e.cast());
    }
}
