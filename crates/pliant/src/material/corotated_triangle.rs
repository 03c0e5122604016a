//! Corotated linear membrane: `corotated_tet` in the plane.
//!
//! Ψ = A (μ‖F − R‖² + λ/2 tr²(RᵀF − I)), F 3×2 in space, R as in `arap_triangle`; plane-stress λ from
//! `elastic_constants`. P = 2μ(F − R) + λ tr(RᵀF − I) R, because tr(RᵀF) = σ₀ + σ₁ has gradient R. Hessian by its
//! eigensystem (see `isotropic`): out of plane ψ_i/σ_i, twist, flip 2μ, scaling 2μ I + λ 11ᵀ; negative ones become zero.
//!
//! | symbol | code | |
//! |---|---|---|
//! | μ, λ | `lame_mu`, `lame_lambda` | N/m |

use super::elastic_constants::LameParameters;
use super::error::not_negative;
use super::isotropic::{PrincipalHessian, corotated_twists};
use super::simplex::RestTriangle;
use super::{Energy, Hessian, MaterialError, in_all_directions};
use crate::math::eigen::project_psd;
use crate::math::svd::svd_3x2;
use crate::math::{Mat3, Real, Vec3, polar_3x2};

/// A triangle with linear elasticity in its own rotated plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CorotatedTriangle<R> {
    /// Shape at rest.
    pub rest: RestTriangle<R>,
    /// μ, N/m.
    pub lame_mu: R,
    /// λ, N/m; negative for an auxetic sheet.
    pub lame_lambda: R,
}

impl CorotatedTriangle<f64> {
    /// From rest positions, m, and Lamé's parameters times thickness, N/m.
    pub fn new(rest: [Vec3<f64>; 3], lame: LameParameters) -> Result<Self, MaterialError> {
        let name = "corotated triangle";
        not_negative(name, "mu", lame.mu, "a finite number >= 0 N/m")?;
        not_negative(name, "lambda + mu", lame.lambda + lame.mu, "a finite number >= 0 N/m")?;
        Ok(Self { rest: RestTriangle::new(name, rest)?, lame_mu: lame.mu, lame_lambda: lame.lambda })
    }
}

impl<R: Real> CorotatedTriangle<R> {
    /// The same triangle in another precision.
    pub fn cast<S: Real>(&self) -> CorotatedTriangle<S> {
        CorotatedTriangle {
            rest: self.rest.cast(),
            lame_mu: S::of(self.lame_mu.f64()),
            lame_lambda: S::of(self.lame_lambda.f64()),
        }
    }

    /// F − R, R and tr(RᵀF − I).
    #[inline]
    fn strain(&self, x: &[Vec3<R>; 3]) -> ([Vec3<R>; 2], [Vec3<R>; 2], R) {
        let F = self.rest.deformation(x);
        let R = polar_3x2(F);
        let d = [F[0] - R[0], F[1] - R[1]];
        (d, R, R[0].dot(d[0]) + R[1].dot(d[1]))
    }

    fn principal_hessian(&self, x: &[Vec3<R>; 3]) -> PrincipalHessian<R> {
        let svd = svd_3x2(self.rest.deformation(x));
        let (twist, flip) = corotated_twists(self.lame_mu, self.lame_lambda, svd.sigma, 2);
        let (z, l) = (R::ZERO, self.lame_lambda);
        let d = self.lame_mu + self.lame_mu + l;
        PrincipalHessian::new(&svd, project_psd([[d, l, z], [l, d, z], [z, z, z]]), twist, flip)
    }
}

impl<R: Real> Energy<R, 3> for CorotatedTriangle<R> {
    #[inline]
    fn value(&self, x: &[Vec3<R>; 3]) -> R {
        let (d, _, trace) = self.strain(x);
        let stretch = self.lame_mu * (d[0].length_sq() + d[1].length_sq());
        self.rest.measure * (stretch + R::of(0.5) * self.lame_lambda * trace * trace)
    }
    #[inline]
    fn gradient(&self, x: &[Vec3<R>; 3]) -> [Vec3<R>; 3] {
        let (d, R, trace) = self.strain(x);
        let (a, b) = (R::of(2.0) * self.lame_mu * self.rest.measure, self.lame_lambda * trace * self.rest.measure);
        self.rest.pull_back(&[d[0] * a + R[0] * b, d[1] * a + R[1] * b])
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
        let triangle = CorotatedTriangle::new(TRIANGLE, LameParameters::membrane(100.0, 0.3).unwrap()).unwrap();
        check_energy(&triangle, &triangle.cast::<f32>(), &TRIANGLE);
        check_invariance(&triangle, &TRIANGLE);
        assert!(count_convex_samples(&triangle, &TRIANGLE) > 5);
    }

    #[test]
    fn auxetic_triangle_meets_its_derivatives() {
        let triangle = CorotatedTriangle::new(TRIANGLE, LameParameters::membrane(100.0, -0.4).unwrap()).unwrap();
        check_energy(&triangle, &triangle.cast::<f32>(), &TRIANGLE);
    }

    #[test]
    fn hessian_is_the_exact_one_without_its_negative_eigenvalues() {
        let lame = LameParameters::membrane(100.0, 0.3).unwrap();
        check_spectral(&CorotatedTriangle::new(UNIT_TRIANGLE, lame).unwrap(), &UNIT_TRIANGLE, 1);
    }

    #[test]
    fn micrometres_and_kilometres_are_both_fine() {
        let lame = LameParameters::membrane(100.0, 0.3).unwrap();
        check_scales(&TRIANGLE, |rest| CorotatedTriangle::new(rest, lame).unwrap(), |e| e.cast());
    }
}
