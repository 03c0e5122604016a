//! Bending for surfaces that are curved at rest: the hinge of `quadratic_bending` with a rest curvature. After Bouaziz,
//! Martin, Liu, Kavan, Pauly 2014, "Projective dynamics", section 5.2 (bending: the Laplacian vector keeps its length).
//!
//! Ψ = w/2 (‖K x‖ − ‖k₀‖)², k₀ = K X. Projection: ‖k₀‖ along K x, which is the closest point on a sphere; so
//! ∂Ψ/∂x = w Kᵀ(K x − p) exactly. Deviation: a rest vector rotated by the hinge's frame would need the derivative of
//! that frame, which projective dynamics leaves out; its gradient would not be the gradient of its energy. The price: Ψ
//! does not see to which side the hinge is folded, so a shell pushed through snaps to its mirror image.
//! A flat hinge (K x = 0) is pushed along the hinge's normal, to the side it had at rest.
//!
//! | symbol | code | |
//! |---|---|---|
//! | K | `stencil` | 1 |
//! | ‖k₀‖ | `rest_curvature` | m |
//! | w = k_b · 3/(A₀+A₁) | `weight` | N/m |

use super::quadratic_bending::{cotangent_stencil, curvature};
use super::{Compliant, Energy, Hessian, LocalStep, MaterialError, Projective, WgslTwin, diagonal};
use crate::math::{Mat3, Real, Vec3};

/// A hinge with a rest curvature: edge_a, edge_b, opposite_0, opposite_1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvedBending<R> {
    /// K: one number per corner, dimensionless; sums to zero.
    pub stencil: [R; 4],
    /// k_b · 3/(A₀ + A₁), N/m.
    pub weight: R,
    /// ‖K X‖, m.
    pub rest_curvature: R,
    /// +1 or −1: whether K X points along the hinge's normal (edge × first opposite corner) or against it.
    pub side: R,
}

impl CurvedBending<f64> {
    /// From rest positions, m, and bending stiffness k_b, N·m.
    pub fn new(rest: [Vec3<f64>; 4], stiffness: f64) -> Result<Self, MaterialError> {
        let (stencil, weight) = cotangent_stencil("curved bending", rest, stiffness)?;
        let bend = curvature(&stencil, &rest);
        let side = if bend.dot(hinge_normal(&rest)) < 0.0 { -1.0 } else { 1.0 };
        Ok(Self { stencil, weight, rest_curvature: bend.length(), side })
    }
}

fn hinge_normal<R: Real>(x: &[Vec3<R>; 4]) -> Vec3<R> {
    (x[1] - x[0]).cross(x[2] - x[0]).unit_or(Vec3::axis(1))
}

impl<R: Real> CurvedBending<R> {
    /// The same hinge in another precision.
    pub fn cast<S: Real>(&self) -> CurvedBending<S> {
        CurvedBending {
            stencil: self.stencil.map(|k| S::of(k.f64())),
            weight: S::of(self.weight.f64()),
            rest_curvature: S::of(self.rest_curvature.f64()),
            side: S::of(self.side.f64()),
        }
    }

    /// ‖K x‖ and its direction.
    #[inline]
    fn frame(&self, x: &[Vec3<R>; 4]) -> (R, Vec3<R>) {
        let bend = curvature(&self.stencil, x);
        let length = bend.length();
        (length, if length > R::TINY { bend / length } else { hinge_normal(x) * self.side })
    }
}

impl<R: Real> Energy<R, 4> for CurvedBending<R> {
    #[inline]
    fn value(&self, x: &[Vec3<R>; 4]) -> R {
        let excess = curvature(&self.stencil, x).length() - self.rest_curvature;
        R::of(0.5) * self.weight * excess * excess
    }
    #[inline]
    fn gradient(&self, x: &[Vec3<R>; 4]) -> [Vec3<R>; 4] {
        let (length, n) = self.frame(x);
        let pull = n * (self.weight * (length - self.rest_curvature));
        self.stencil.map(|k| pull * k)
    }
    fn hessian_psd(&self, x: &[Vec3<R>; 4]) -> Hessian<R, 4> {
        let (length, n) = self.frame(x);
        let across = (R::ONE - self.rest_curvature / length.max(R::TINY)).max(R::ZERO);
        let block = (n.outer(n) * (R::ONE - across) + Mat3::scalar(across)) * self.weight;
        self.stencil.map(|a| self.stencil.map(|b| block * (a * b)))
    }
    fn scale(&self, _: &[Vec3<R>; 4]) -> [Mat3<R>; 4] {
        diagonal(self.stiffness())
    }
}

impl<R: Real> Projective<R, 4> for CurvedBending<R> {
    const LOCAL: LocalStep = LocalStep::Slots;
    fn stiffness(&self) -> [[R; 4]; 4] {
        self.stencil.map(|a| self.stencil.map(|b| a * b * self.weight))
    }
    #[inline]
    fn project(&self, x: &[Vec3<R>; 4]) -> [Vec3<R>; 4] {
        let (_, n) = self.frame(x);
        let p = n * (self.weight * self.rest_curvature);
        self.stencil.map(|k| p * k)
    }
}

impl<R: Real> Compliant<R, 4> for CurvedBending<R> {
    #[inline]
    fn compliance(&self) -> R {
        R::ONE / self.weight
    }
    /// C = ‖K x‖ − ‖k₀‖.
    #[inline]
    fn constraint(&self, x: &[Vec3<R>; 4]) -> (R, [Vec3<R>; 4]) {
        let (length, n) = self.frame(x);
        (length - self.rest_curvature, self.stencil.map(|k| n * k))
    }
}

impl<R: Real> WgslTwin for CurvedBending<R> {
    const PREFIX: &'static str = "curved_bending";
    const SOURCE: &'static str = include_str!("curved_bending.wgsl");
    const WORDS: usize = 5;
    fn pack(&self, out: &mut [f32]) {
        let [_, a, b, c] = self.stencil;
        out.copy_from_slice(&[a, b, c, self.weight, self.rest_curvature * self.side].map(|r| r.f64() as f32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::harness::{
        FOLDED_HINGE, check_compliant, check_energy, check_invariance, check_projective, check_scales, check_spectral,
        count_convex_samples,
    };

    #[test]
    fn curved_hinge_meets_its_derivatives_projection_and_constraint() {
        let hinge = CurvedBending::new(FOLDED_HINGE, 0.3).unwrap();
        let single = hinge.cast::<f32>();
        check_energy(&hinge, &single, &FOLDED_HINGE);
        check_invariance(&hinge, &FOLDED_HINGE);
        check_projective(&hinge, &single, &FOLDED_HINGE);
        check_compliant(&hinge, &single, &FOLDED_HINGE);
        assert!(count_convex_samples(&hinge, &FOLDED_HINGE) > 5);
    }

    #[test]
    fn a_hinge_that_is_exactly_flat_folds_to_the_side_it_had_at_rest() {
        let straight = CurvedBending { stencil: [0.5, 0.5, -0.5, -0.5], weight: 1.0, rest_curvature: 0.1, side: -1.0 };
        let square = [(0.0, 0.0), (1.0, 1.0), (0.0, 1.0), (1.0, 0.0)].map(|(x, z)| Vec3::new(x, 0.0, z));
        let g = straight.gradient(&square);
        let n = hinge_normal(&square);
        assert!((g[0] - n * 0.05).length() < 1e-15, "{g:?}");
    }

    #[test]
    fn hessian_is_the_exact_one_without_its_negative_eigenvalues() {
        check_spectral(&CurvedBending::new(FOLDED_HINGE, 0.3).unwrap(), &FOLDED_HINGE, 0);
    }

    #[test]
    fn micrometres_and_kilometres_are_both_fine() {
        check_scales(&FOLDED_HINGE, |rest| CurvedBending::new(rest, 0.3).unwrap(), |e| e.cast());
    }
}
