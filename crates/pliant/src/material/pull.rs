//! What stands for an element while the solid around it is wound up ([`crate::model::Unwinding`]).
//!
//! Ψ = κ vol ‖F − R̄‖² with a rotation R̄ that does not depend on x. It is convex and quadratic, so nothing of it can stay wound up;
//! and its Hessian is the constant one that projective dynamics has of ‖F − R‖² (course eq 47), so A stays what it is: only the
//! projection of the element is R̄ in place of its own.
//!
//! | symbol | code | |
//! |---|---|---|
//! | 2 κ vol | `weight` | N·m |
//! | R̄ | `rotation` | |
//! | b_i | `gradient` | 1/m |

use super::simplex::Simplex;
use super::{Compliant, Energy, Hessian, LocalStep, Projective};
use crate::math::{Mat3, Real, Vec3};

/// An element that pulls its deformation to one rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pull<R, const N: usize> {
    gradient: [Vec3<R>; N],
    weight: R,
    rotation: Mat3<R>,
}

impl<R: Real, const N: usize> Pull<R, N> {
    pub(super) fn new<const D: usize>(rest: &Simplex<R, N, D>, weight: R, rotation: Mat3<R>) -> Self {
        Self { gradient: std::array::from_fn(|i| rest.gradient_of_corner(i)), weight, rotation }
    }

    /// F − R̄
    fn difference(&self, x: &[Vec3<R>; N]) -> Mat3<R> {
        let mut F = Mat3::ZERO;
        for i in 1..N {
            F += (x[i] - x[0]).outer(self.gradient[i]);
        }
        F - self.rotation
    }

    /// What a stress does to the corners.
    fn pull_back(&self, P: Mat3<R>) -> [Vec3<R>; N] {
        self.gradient.map(|b| P * b)
    }
}

impl<R: Real, const N: usize> Energy<R, N> for Pull<R, N> {
    fn value(&self, x: &[Vec3<R>; N]) -> R {
        R::of(0.5) * self.weight * self.difference(x).norm_sq()
    }
    fn gradient(&self, x: &[Vec3<R>; N]) -> [Vec3<R>; N] {
        self.pull_back(self.difference(x) * self.weight)
    }
    fn hessian_psd(&self, _: &[Vec3<R>; N]) -> Hessian<R, N> {
        self.stiffness().map(|row| row.map(Mat3::scalar))
    }
}

impl<R: Real, const N: usize> Projective<R, N> for Pull<R, N> {
    const LOCAL: LocalStep = LocalStep::Slots;
    fn stiffness(&self) -> [[R; N]; N] {
        self.gradient.map(|a| self.gradient.map(|b| a.dot(b) * self.weight))
    }
    fn project(&self, _: &[Vec3<R>; N]) -> [Vec3<R>; N] {
        self.pull_back(self.rotation * self.weight)
    }
}

impl<R: Real, const N: usize> Compliant<R, N> for Pull<R, N> {
    fn compliance(&self) -> R {
        R::ONE / self.weight
    }
    /// C = ‖F − R̄‖
    fn constraint(&self, x: &[Vec3<R>; N]) -> (R, [Vec3<R>; N]) {
        let difference = self.difference(x);
        let C = difference.norm_sq().sqrt();
        let inv = if C > R::TINY { R::ONE / C } else { R::ZERO };
        (C, self.pull_back(difference * inv))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::harness::{TET, check_compliant, check_energy, check_projective};
    use crate::material::hyperelastic::{HyperelasticTet, NeoHookean};
    use crate::material::{ArapTet, LameParameters, StrainLimitTet, VolumeLimitTet};

    fn turn() -> Mat3<f64> {
        Mat3::rotation(Vec3::new(0.6, 0.0, -0.8), 2.0)
    }

    #[test]
    fn it_meets_its_derivatives_projection_and_constraint() {
        let arap = ArapTet::new(TET, 3.0).unwrap();
        let pull = arap.pull(turn()).unwrap();
        let single = arap.cast::<f32>().pull(turn().cast()).unwrap();
        check_energy(&pull, &single, &TET.map(|p| turn() * p));
        check_projective(&pull, &single, &TET);
        check_compliant(&pull, &single, &TET);
    }

    /// So that A needs no change, and nothing jumps where an element is as it is wanted.
    #[test]
    fn it_is_the_element_that_it_stands_for_where_that_is_turned_by_the_rotation() {
        let arap = ArapTet::new(TET, 3.0).unwrap();
        let pull = arap.pull(turn()).unwrap();
        for (a, b) in pull.stiffness().as_flattened().iter().zip(arap.stiffness().as_flattened()) {
            assert!((a - b).abs() < 1e-12 * b.abs().max(1.0), "{a}, {b}");
        }
        let stretched = TET.map(|p| turn() * Vec3::new(1.2 * p.x, 0.9 * p.y, p.z));
        assert!((pull.value(&stretched) / arap.value(&stretched) - 1.0).abs() < 1e-12);
        let (limit, volume) =
            (StrainLimitTet::new(TET, 5.0, [0.9, 1.2]).unwrap(), VolumeLimitTet::new(TET, 5.0, [0.9, 1.2]).unwrap());
        for (found, wanted) in [
            (limit.pull(turn()).unwrap().stiffness(), limit.stiffness()),
            (volume.pull(turn()).unwrap().stiffness(), volume.stiffness()),
        ] {
            assert!((found[1][2] - wanted[1][2]).abs() < 1e-12 * wanted[1][2].abs(), "{found:?}, {wanted:?}");
        }
    }

    #[test]
    fn what_is_never_converted_is_never_pulled() {
        let density = NeoHookean::from(LameParameters::solid(100.0, 0.3).unwrap());
        let tet = HyperelasticTet::new(TET, density).unwrap();
        assert!(tet.pull(turn()).is_some() && tet.never_converted().pull(turn()).is_none());
    }
}
