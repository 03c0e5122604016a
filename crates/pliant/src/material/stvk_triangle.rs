//! St. Venant-Kirchhoff membrane (Volino, Magnenat-Thalmann, Faure 2009, "A simple approach to nonlinear tensile
//! stiffness for accurate cloth simulation", linear case).
//!
//! Ψ = A (μ‖E‖² + λ/2 tr²E), E = ½(FᵀF − I), F 3×2. P = F (2μE + λ tr(E) I). Known trait: a triangle squeezed below
//! about 0.6 of its size gets softer, not stiffer. Hessian by its eigensystem (see `isotropic`), with every difference
//! quotient divided out by hand, so nothing is singular:
//! twist μ(σ₀² − σ₀σ₁ + σ₁²) + λ trE − μ, flip μ(σ₀² + σ₀σ₁ + σ₁²) + λ trE − μ, out of plane 2μ E_i + λ trE.
//!
//! | symbol | code | |
//! |---|---|---|
//! | μ, λ | `lame_mu`, `lame_lambda` | N/m |

use super::elastic_constants::LameParameters;
use super::error::not_negative;
use super::isotropic::PrincipalHessian;
use super::simplex::RestTriangle;
use super::{Energy, Hessian, MaterialError, in_all_directions};
use crate::math::eigen::project_psd;
use crate::math::svd::svd_3x2;
use crate::math::{Mat3, Real, Vec3};

/// A triangle with an energy quadratic in Green's strain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StvkTriangle<R> {
    /// Shape at rest.
    pub rest: RestTriangle<R>,
    /// μ, N/m.
    pub lame_mu: R,
    /// λ, N/m.
    pub lame_lambda: R,
}

impl StvkTriangle<f64> {
    /// From rest positions, m, and Lamé's parameters times thickness, N/m.
    pub fn new(rest: [Vec3<f64>; 3], lame: LameParameters) -> Result<Self, MaterialError> {
        let name = "St. Venant-Kirchhoff triangle";
        not_negative(name, "mu", lame.mu, "a finite number >= 0 N/m")?;
        not_negative(name, "lambda + mu", lame.lambda + lame.mu, "a finite number >= 0 N/m")?;
        Ok(Self { rest: RestTriangle::new(name, rest)?, lame_mu: lame.mu, lame_lambda: lame.lambda })
    }
}

impl<R: Real> StvkTriangle<R> {
    /// The same triangle in another precision.
    pub fn cast<S: Real>(&self) -> StvkTriangle<S> {
        StvkTriangle {
            rest: self.rest.cast(),
            lame_mu: S::of(self.lame_mu.f64()),
            lame_lambda: S::of(self.lame_lambda.f64()),
        }
    }

    /// E₀₀, E₁₁ and E₀₁.
    #[inline]
    fn green_strain(F: &[Vec3<R>; 2]) -> [R; 3] {
        let half = R::of(0.5);
        [half * (F[0].length_sq() - R::ONE), half * (F[1].length_sq() - R::ONE), half * F[0].dot(F[1])]
    }

    fn principal_hessian(&self, x: &[Vec3<R>; 3]) -> PrincipalHessian<R> {
        let svd = svd_3x2(self.rest.deformation(x));
        let (mu, lambda) = (self.lame_mu, self.lame_lambda);
        let (a, b) = (svd.sigma.x, svd.sigma.y);
        let trace = R::of(0.5) * (a * a + b * b) - R::ONE;
        let base = lambda * trace - mu;
        let out = [mu * a * a + base, mu * b * b + base];
        let twist = mu * (a * a - a * b + b * b) + base;
        let flip = mu * (a * a + a * b + b * b) + base;
        let (z, three_mu, cross) = (R::ZERO, R::of(3.0) * mu + lambda, lambda * a * b);
        let scale = [[three_mu * a * a + base, cross, z], [cross, three_mu * b * b + base, z], [z, z, z]];
        PrincipalHessian::new(&svd, project_psd(scale), [out[1], out[0], twist], [out[1], out[0], flip])
    }
}

impl<R: Real> Energy<R, 3> for StvkTriangle<R> {
    #[inline]
    fn value(&self, x: &[Vec3<R>; 3]) -> R {
        let [e00, e11, e01] = Self::green_strain(&self.rest.deformation(x));
        let (trace, norm_sq) = (e00 + e11, e00 * e00 + e11 * e11 + R::of(2.0) * e01 * e01);
        self.rest.measure * (self.lame_mu * norm_sq + R::of(0.5) * self.lame_lambda * trace * trace)
    }
    #[inline]
    fn gradient(&self, x: &[Vec3<R>; 3]) -> [Vec3<R>; 3] {
        let F = self.rest.deformation(x);
        let [e00, e11, e01] = Self::green_strain(&F);
        let (two_mu, trace) = (R::of(2.0) * self.lame_mu, self.lame_lambda * (e00 + e11));
        let [s00, s11, s01] = [two_mu * e00 + trace, two_mu * e11 + trace, two_mu * e01].map(|s| s * self.rest.measure);
        self.rest.pull_back(&[F[0] * s00 + F[1] * s01, F[0] * s01 + F[1] * s11])
    }
    fn hessian_psd(&self, x: &[Vec3<R>; 3]) -> Hessian<R, 3> {
        self.principal_hessian(x).blocks(&self.rest)
    }
    fn hessian_diagonal(&self, x: &[Vec3<R>; 3]) -> [Mat3<R>; 3] {
        self.principal_hessian(x).diagonal(&self.rest)
    }
    fn scale(&self, x: &[Vec3<R>; 3]) -> [Mat3<R>; 3] {
        in_all_directions(self.hessian_diagonal(x))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::harness::{
        TRIANGLE, UNIT_TRIANGLE, check_energy, check_invariance, check_scales, check_spectral, count_convex_samples,
    };

    #[test]
    fn triangle_meets_its_derivatives() {
        let triangle = StvkTriangle::new(TRIANGLE, LameParameters::membrane(100.0, 0.3).unwrap()).unwrap();
        check_energy(&triangle, &triangle.cast::<f32>(), &TRIANGLE);
        check_invariance(&triangle, &TRIANGLE);
        assert!(count_convex_samples(&triangle, &TRIANGLE) > 5);
    }

    /// Both are linear elasticity when strains are small.
    #[test]
    fn small_strains_cost_the_same_as_corotated() {
        let lame = LameParameters::membrane(100.0, 0.3).unwrap();
        let stvk = StvkTriangle::new(TRIANGLE, lame).unwrap();
        let corotated = crate::material::CorotatedTriangle::new(TRIANGLE, lame).unwrap();
        let mut x = TRIANGLE;
        x[1] += Vec3::new(1e-5, 2e-5, 0.0);
        assert!((stvk.value(&x) / corotated.value(&x) - 1.0).abs() < 1e-3);
    }

    #[test]
    fn hessian_is_the_exact_one_without_its_negative_eigenvalues() {
        let lame = LameParameters::membrane(100.0, 0.3).unwrap();
        check_spectral(&StvkTriangle::new(UNIT_TRIANGLE, lame).unwrap(), &UNIT_TRIANGLE, 1);
    }

    #[test]
    fn micrometres_and_kilometres_are_both_fine() {
        let lame = LameParameters::membrane(100.0, 0.3).unwrap();
        check_scales(&TRIANGLE, |rest| StvkTriangle::new(rest, lame).unwrap(), |e| e.cast());
    }
}
