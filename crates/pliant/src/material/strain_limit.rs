//! Strain limits: principal stretches outside a range are pulled back into it. Bouaziz et al. 2014, "Projective
//! dynamics", section 5.1.
//!
//! Ψ = w/2 V ‖F − p(F)‖², p(F) = U clamp(Σ) Vᵀ: the closest matrix with all singular values in [low, high], 0 < low, and
//! det > 0 in the case of a tetrahedron. p is a closest point, so ∂Ψ/∂F = w V (F − p) exactly. Inside the range there is
//! neither energy nor force. The Hessian is that of Σ f(σ_i), f = ½ (σ − clamp σ)² (see `isotropic`).
//!
//! | symbol | code | |
//! |---|---|---|
//! | w | `stiffness` | Pa for a tetrahedron, N/m for a triangle |
//! | V | `rest.measure` | m³, m² |
//! | low, high | `range` | 1 |

use super::error::{not_negative, positive_range};
use super::isotropic::{PrincipalHessian, separable};
use super::simplex::{RestTet, RestTriangle, Simplex};
use super::{Compliant, Energy, Hessian, LocalStep, MaterialError, Projective, Pull, WgslTwin, diagonal};
use crate::math::svd::svd_3x2;
use crate::math::{Mat3, Real, Svd, Vec3, svd};

/// Strain limit of a simplex: use [`StrainLimitTet`] or [`StrainLimitTriangle`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrainLimit<R, const N: usize, const D: usize> {
    /// Shape at rest.
    pub rest: Simplex<R, N, D>,
    /// w, Pa (tetrahedron) or N/m (triangle).
    pub stiffness: R,
    /// Smallest and largest principal stretch that cost nothing.
    pub range: [R; 2],
}

/// Keeps the principal stretches of a tetrahedron in a range.
pub type StrainLimitTet<R> = StrainLimit<R, 4, 3>;
/// Keeps the principal stretches of a triangle in a range.
pub type StrainLimitTriangle<R> = StrainLimit<R, 3, 2>;

impl StrainLimitTet<f64> {
    /// From rest positions, m, stiffness, Pa, and the range of principal stretches.
    pub fn new(rest: [Vec3<f64>; 4], stiffness: f64, range: [f64; 2]) -> Result<Self, MaterialError> {
        let name = "strain limit tet";
        let stiffness = not_negative(name, "stiffness", stiffness, "a finite number >= 0 Pa")?;
        let range = positive_range(name, "range of stretches", range)?;
        Ok(Self { rest: RestTet::new(name, rest)?, stiffness, range })
    }
}

impl StrainLimitTriangle<f64> {
    /// From rest positions, m, stiffness, N/m, and the range of principal stretches.
    pub fn new(rest: [Vec3<f64>; 3], stiffness: f64, range: [f64; 2]) -> Result<Self, MaterialError> {
        let name = "strain limit triangle";
        let stiffness = not_negative(name, "stiffness", stiffness, "a finite number >= 0 N/m")?;
        let range = positive_range(name, "range of stretches", range)?;
        Ok(Self { rest: RestTriangle::new(name, rest)?, stiffness, range })
    }
}

impl<R: Real, const N: usize, const D: usize> StrainLimit<R, N, D> {
    /// The same limit in another precision.
    pub fn cast<S: Real>(&self) -> StrainLimit<S, N, D> {
        StrainLimit {
            rest: self.rest.cast(),
            stiffness: S::of(self.stiffness.f64()),
            range: self.range.map(|r| S::of(r.f64())),
        }
    }

    /// w V, N·m.
    #[inline]
    pub fn weight(&self) -> R {
        self.stiffness * self.rest.measure
    }

    fn decompose(F: &[Vec3<R>; D]) -> Svd<R> {
        if D == 2 { svd_3x2([F[0], F[1]]) } else { svd(Mat3 { c: [F[0], F[1], F[D - 1]] }) }
    }

    /// clamp σ
    fn clamped(&self, sigma: Vec3<R>) -> Vec3<R> {
        let clamp = |s: R| s.max(self.range[0]).min(self.range[1]);
        Vec3::new(clamp(sigma.x), clamp(sigma.y), if D == 2 { R::ZERO } else { clamp(sigma.z) })
    }

    /// F and p(F).
    fn deformation_and_projection(&self, x: &[Vec3<R>; N]) -> ([Vec3<R>; D], [Vec3<R>; D]) {
        let F = self.rest.deformation(x);
        let svd = Self::decompose(&F);
        let clamped = self.clamped(svd.sigma);
        if clamped == svd.sigma {
            return (F, F);
        }
        let p = svd.with_sigma(clamped);
        (F, std::array::from_fn(|a| p.c[a]))
    }

    fn difference(&self, x: &[Vec3<R>; N]) -> [Vec3<R>; D] {
        let (F, p) = self.deformation_and_projection(x);
        std::array::from_fn(|a| F[a] - p[a])
    }

    fn principal_hessian(&self, x: &[Vec3<R>; N]) -> PrincipalHessian<R> {
        let svd = Self::decompose(&self.rest.deformation(x));
        let excess = svd.sigma - self.clamped(svd.sigma);
        let w = self.stiffness;
        let bend = |e: R| if e == R::ZERO { R::ZERO } else { w };
        let bend = Vec3::new(bend(excess.x), bend(excess.y), bend(excess.z));
        let (scale, twist, flip) = separable(svd.sigma, excess * w, bend, D);
        PrincipalHessian::new(&svd, scale, twist, flip)
    }
}

impl<R: Real, const N: usize, const D: usize> Energy<R, N> for StrainLimit<R, N, D> {
    fn value(&self, x: &[Vec3<R>; N]) -> R {
        R::of(0.5) * self.weight() * self.difference(x).iter().map(|d| d.length_sq()).sum::<R>()
    }
    fn gradient(&self, x: &[Vec3<R>; N]) -> [Vec3<R>; N] {
        self.rest.pull_back(&self.difference(x).map(|d| d * self.weight()))
    }
    fn hessian_psd(&self, x: &[Vec3<R>; N]) -> Hessian<R, N> {
        self.principal_hessian(x).blocks(&self.rest)
    }
    fn hessian_diagonal(&self, x: &[Vec3<R>; N]) -> [Mat3<R>; N] {
        self.principal_hessian(x).diagonal(&self.rest)
    }
    /// As if the limit was reached: it may be, meanwhile.
    fn scale(&self, _: &[Vec3<R>; N]) -> [Mat3<R>; N] {
        diagonal(self.stiffness())
    }
    fn pull(&self, rotation: Mat3<R>) -> Option<Pull<R, N>> {
        (D == 3).then(|| Pull::new(&self.rest, self.weight(), rotation))
    }
}

impl<R: Real, const N: usize, const D: usize> Projective<R, N> for StrainLimit<R, N, D> {
    const LOCAL: LocalStep = LocalStep::Slots;
    fn stiffness(&self) -> [[R; N]; N] {
        self.rest.stiffness(self.weight())
    }
    fn project(&self, x: &[Vec3<R>; N]) -> [Vec3<R>; N] {
        let (_, p) = self.deformation_and_projection(x);
        self.rest.pull_back(&p.map(|c| c * self.weight()))
    }
}

impl<R: Real, const N: usize, const D: usize> Compliant<R, N> for StrainLimit<R, N, D> {
    fn compliance(&self) -> R {
        R::ONE / self.weight()
    }
    /// C = ‖F − p(F)‖.
    fn constraint(&self, x: &[Vec3<R>; N]) -> (R, [Vec3<R>; N]) {
        self.rest.distance_constraint(&self.difference(x))
    }
}

impl<R: Real> WgslTwin for StrainLimitTriangle<R> {
    const PREFIX: &'static str = "strain_limit_triangle";
    const SOURCE: &'static str = include_str!("strain_limit_triangle.wgsl");
    const WORDS: usize = 6;
    fn pack(&self, out: &mut [f32]) {
        out[..3].copy_from_slice(&self.rest.pack());
        out[3..].copy_from_slice(&[self.weight(), self.range[0], self.range[1]].map(|r| r.f64() as f32));
    }
}

impl<R: Real> WgslTwin for StrainLimitTet<R> {
    const PREFIX: &'static str = "strain_limit_tet";
    const SOURCE: &'static str = include_str!("strain_limit_tet.wgsl");
    const WORDS: usize = 12;
    fn pack(&self, out: &mut [f32]) {
        out[..9].copy_from_slice(&self.rest.pack());
        out[9..].copy_from_slice(&[self.weight(), self.range[0], self.range[1]].map(|r| r.f64() as f32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::harness::{
        TET, TRIANGLE, UNIT_TET, UNIT_TRIANGLE, check_compliant, check_energy, check_invariance, check_projective,
        check_scales, check_spectral, count_convex_samples,
    };

    #[test]
    fn tet_limit_meets_its_derivatives_projection_and_constraint() {
        let limit = StrainLimitTet::new(TET, 5.0, [0.9, 1.2]).unwrap();
        let single = limit.cast::<f32>();
        check_energy(&limit, &single, &TET);
        check_invariance(&limit, &TET);
        check_projective(&limit, &single, &TET);
        check_compliant(&limit, &single, &TET);
        assert!(count_convex_samples(&limit, &TET) > 3);
    }

    #[test]
    fn triangle_limit_meets_its_derivatives_projection_and_constraint() {
        let limit = StrainLimitTriangle::new(TRIANGLE, 5.0, [0.9, 1.2]).unwrap();
        let single = limit.cast::<f32>();
        check_energy(&limit, &single, &TRIANGLE);
        check_invariance(&limit, &TRIANGLE);
        check_projective(&limit, &single, &TRIANGLE);
        check_compliant(&limit, &single, &TRIANGLE);
        assert!(count_convex_samples(&limit, &TRIANGLE) > 3);
    }

    #[test]
    fn stretches_inside_the_range_cost_nothing() {
        let limit = StrainLimitTet::new(TET, 5.0, [0.9, 1.2]).unwrap();
        let x = TET.map(|p| p * 1.15);
        assert_eq!(limit.value(&x), 0.0);
        assert_eq!(limit.gradient(&x), [Vec3::ZERO; 4]);
        let range_one = StrainLimitTet::new(TET, 6.0, [1.0, 1.0]).unwrap();
        let arap = crate::material::ArapTet::new(TET, 3.0).unwrap();
        assert!((range_one.value(&x) - arap.value(&x)).abs() < 1e-13);
    }

    #[test]
    fn ranges_that_are_empty_or_reach_zero_are_refused() {
        assert!(StrainLimitTet::new(TET, 1.0, [0.0, 1.0]).is_err());
        assert!(StrainLimitTet::new(TET, 1.0, [1.2, 0.9]).is_err());
        assert!(StrainLimitTriangle::new(TRIANGLE, 1.0, [0.9, f64::NAN]).is_err());
    }

    #[test]
    fn hessian_is_the_exact_one_without_its_negative_eigenvalues() {
        check_spectral(&StrainLimitTet::new(UNIT_TET, 5.0, [0.9, 1.2]).unwrap(), &UNIT_TET, 1);
        check_spectral(&StrainLimitTriangle::new(UNIT_TRIANGLE, 5.0, [0.9, 1.2]).unwrap(), &UNIT_TRIANGLE, 1);
    }

    #[test]
    fn micrometres_and_kilometres_are_both_fine() {
        check_scales(&TET, |rest| StrainLimitTet::new(rest, 5.0, [0.9, 1.2]).unwrap(), |e| e.cast());
        check_scales(&TRIANGLE, |rest| StrainLimitTriangle::new(rest, 5.0, [0.9, 1.2]).unwrap(), |e| e.cast());
    }
}
