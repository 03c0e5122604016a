//! As-rigid-as-possible tetrahedron. Course eq 28; Chao, Pinkall, Sanan, Schröder 2010, "A simple geometric model for
//! elastic deformations".
//!
//! Ψ = κ vol ‖F − R‖², R the rotation nearest to F, det R = +1 even where F is inverted. R is a closest point, so
//! ∂Ψ/∂F = 2 κ vol (F − R) exactly, and projective dynamics with weight 2 κ vol has the same gradient. The Hessian is
//! Smith 2019's (see `isotropic`): twists 2κ(1 − 2/(σ_i+σ_j)), clamped at zero; all other eigenvalues 2κ.
//!
//! | symbol | code | |
//! |---|---|---|
//! | κ | `kappa` | Pa |
//! | vol, b_i | `rest` | m³, 1/m |

use super::error::not_negative;
use super::isotropic::{PrincipalHessian, corotated_twists};
use super::simplex::RestTet;
use super::{Compliant, Energy, Hessian, LocalStep, MaterialError, Projective, Pull, WgslTwin};
use crate::math::polar::{lane_of, polar_rotations, set_lane};
use crate::math::{Mat3, Real, Vec3, polar_rotation, svd};

/// Tetrahedra evaluated together.
const LANES: usize = 8;

/// A tetrahedron that resists everything but rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArapTet<R> {
    /// Shape at rest.
    pub rest: RestTet<R>,
    /// κ, Pa.
    pub kappa: R,
}

impl ArapTet<f64> {
    /// From rest positions, m, and κ, Pa (the shear modulus μ of a solid).
    pub fn new(rest: [Vec3<f64>; 4], kappa: f64) -> Result<Self, MaterialError> {
        let kappa = not_negative("as-rigid-as-possible tet", "kappa", kappa, "a finite number >= 0 Pa")?;
        Ok(Self { rest: RestTet::new("as-rigid-as-possible tet", rest)?, kappa })
    }
}

impl<R: Real> ArapTet<R> {
    /// The same tetrahedron in another precision.
    pub fn cast<S: Real>(&self) -> ArapTet<S> {
        ArapTet { rest: self.rest.cast(), kappa: S::of(self.kappa.f64()) }
    }

    /// 2 κ vol, N·m.
    #[inline(always)]
    pub fn weight(&self) -> R {
        R::of(2.0) * self.kappa * self.rest.measure
    }

    /// F and R.
    #[inline(always)]
    fn deformation_and_rotation(&self, x: &[Vec3<R>; 4]) -> (Mat3<R>, Mat3<R>) {
        let F = Mat3 { c: self.rest.deformation(x) };
        (F, polar_rotation(F))
    }

    fn principal_hessian(&self, x: &[Vec3<R>; 4]) -> PrincipalHessian<R> {
        let svd = svd(Mat3 { c: self.rest.deformation(x) });
        let (twist, flip) = corotated_twists(self.kappa, R::ZERO, svd.sigma, 3);
        let two_kappa = self.kappa + self.kappa;
        let mut scale = [[R::ZERO; 3]; 3];
        for p in 0..3 {
            scale[p][p] = two_kappa;
        }
        PrincipalHessian::new(&svd, scale, twist, flip)
    }
}

impl<R: Real> Energy<R, 4> for ArapTet<R> {
    #[inline]
    fn value(&self, x: &[Vec3<R>; 4]) -> R {
        let (F, R) = self.deformation_and_rotation(x);
        self.kappa * self.rest.measure * (F - R).norm_sq()
    }
    #[inline]
    fn gradient(&self, x: &[Vec3<R>; 4]) -> [Vec3<R>; 4] {
        let (F, R) = self.deformation_and_rotation(x);
        self.rest.pull_back(&((F - R) * self.weight()).c)
    }
    /// Eight tetrahedra at a time, so that the polar decompositions fill vector registers.
    fn gradient_many(elements: &[Self], x: &[[Vec3<R>; 4]], out: &mut [[Vec3<R>; 4]]) {
        let whole = elements.len() / LANES * LANES;
        for first in (0..whole).step_by(LANES) {
            let mut F = [[R::ZERO; LANES]; 9];
            for lane in 0..LANES {
                let deformation = elements[first + lane].rest.deformation(&x[first + lane]);
                set_lane(&mut F, lane, Mat3 { c: deformation });
            }
            let R = polar_rotations(&F);
            for lane in 0..LANES {
                let element = &elements[first + lane];
                out[first + lane] =
                    element.rest.pull_back(&((lane_of(&F, lane) - lane_of(&R, lane)) * element.weight()).c);
            }
        }
        for k in whole..elements.len() {
            out[k] = elements[k].gradient(&x[k]);
        }
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
        Some(Pull::new(&self.rest, self.weight(), rotation))
    }
}

impl<R: Real> Projective<R, 4> for ArapTet<R> {
    const LOCAL: LocalStep = LocalStep::Slots;
    fn stiffness(&self) -> [[R; 4]; 4] {
        self.rest.stiffness(self.weight())
    }
    #[inline]
    fn project(&self, x: &[Vec3<R>; 4]) -> [Vec3<R>; 4] {
        let (_, R) = self.deformation_and_rotation(x);
        self.rest.pull_back(&(R * self.weight()).c)
    }
}

impl<R: Real> Compliant<R, 4> for ArapTet<R> {
    #[inline]
    fn compliance(&self) -> R {
        R::ONE / self.weight()
    }
    /// C = ‖F − R‖.
    #[inline]
    fn constraint(&self, x: &[Vec3<R>; 4]) -> (R, [Vec3<R>; 4]) {
        let (F, R) = self.deformation_and_rotation(x);
        self.rest.distance_constraint(&(F - R).c)
    }
}

impl<R: Real> WgslTwin for ArapTet<R> {
    const PREFIX: &'static str = "arap_tet";
    const SOURCE: &'static str = include_str!("arap_tet.wgsl");
    const WORDS: usize = 10;
    const ISOTROPIC: bool = true;
    fn pack(&self, out: &mut [f32]) {
        out[..9].copy_from_slice(&self.rest.pack());
        out[9] = self.weight().f64() as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::harness::{
        TET, UNIT_TET, check_compliant, check_energy, check_invariance, check_projective, check_scales, check_spectral,
        count_convex_samples, nasty, samples,
    };

    #[test]
    fn tet_meets_its_derivatives_projection_and_constraint() {
        let tet = ArapTet::new(TET, 5.0).unwrap();
        let single = tet.cast::<f32>();
        check_energy(&tet, &single, &TET);
        check_invariance(&tet, &TET);
        check_projective(&tet, &single, &TET);
        check_compliant(&tet, &single, &TET);
        assert!(count_convex_samples(&tet, &TET) > 5);
    }

    #[test]
    fn twice_the_size_costs_three_kappa_per_volume() {
        let tet = ArapTet::new(TET, 5.0).unwrap();
        let expected = 3.0 * 5.0 * tet.rest.measure;
        assert!((tet.value(&TET.map(|p| p * 2.0)) - expected).abs() < 1e-12);
    }

    #[test]
    fn tets_evaluated_together_give_the_same_bits_as_one_by_one() {
        let tet = ArapTet::new(TET, 5.0).unwrap().cast::<f32>();
        let x: Vec<[Vec3<f32>; 4]> =
            samples(&TET).into_iter().chain(nasty(&TET)).map(|x| x.map(Vec3::cast)).take(77).collect();
        let mut out = vec![[Vec3::ZERO; 4]; x.len()];
        ArapTet::gradient_many(&vec![tet; x.len()], &x, &mut out);
        for (x, out) in x.iter().zip(&out) {
            assert_eq!(*out, tet.gradient(x));
        }
    }

    #[test]
    fn a_tet_inside_out_or_flat_is_refused() {
        let [a, b, c, d] = TET;
        let error = ArapTet::new([a, c, b, d], 1.0).unwrap_err();
        assert!(error.to_string().contains("volume is -"), "{error}");
        assert!(ArapTet::new([a, b, c, (a + b + c) / 3.0], 1.0).is_err());
    }

    #[test]
    fn hessian_is_the_exact_one_without_its_negative_eigenvalues() {
        check_spectral(&ArapTet::new(UNIT_TET, 5.0).unwrap(), &UNIT_TET, 1);
    }

    #[test]
    fn micrometres_and_kilometres_are_both_fine() {
        check_scales(&TET, |rest| ArapTet::new(rest, 5.0).unwrap(), |e| e.cast());
    }
}
