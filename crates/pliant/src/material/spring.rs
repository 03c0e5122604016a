//! A spring along an edge. Liu, Bargteil, O'Brien, Kavan 2013, "Fast simulation of mass-spring systems", eq 9; course
//! section 1.3.3 (there printed without the square; Hooke's energy is meant).
//!
//! Ψ = k/2 (l − r)², l = ‖x₀ − x₁‖. Projection: p = r n, n = (x₀ − x₁)/l, stencil A = (+1, −1), weight w = k.
//! Deviation: at l = 0 the direction is n = +x, so that a collapsed spring still pushes its ends apart, the same way
//! every time.
//!
//! | symbol | code | |
//! |---|---|---|
//! | k | `stiffness` | N/m |
//! | r | `rest_length` | m |
//! | l, n | `length`, `n` | m, 1 |

use super::error::not_negative;
use super::simplex::longest_edge;
use super::{Compliant, Energy, Hessian, LocalStep, MaterialError, Projective, WgslTwin};
use crate::math::{Mat3, Real, Vec3};

/// A spring between two points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring<R> {
    /// r, m.
    pub rest_length: R,
    /// k, N/m.
    pub stiffness: R,
}

impl Spring<f64> {
    /// From the rest positions of its ends, m, and its stiffness, N/m.
    pub fn new(rest: [Vec3<f64>; 2], stiffness: f64) -> Result<Self, MaterialError> {
        let stiffness = not_negative("spring", "stiffness", stiffness, "a finite number >= 0 N/m")?;
        let rest_length = longest_edge("spring", &rest)?;
        if rest_length > 0.0 {
            return Ok(Self { rest_length, stiffness });
        }
        Err(MaterialError::DegenerateRest {
            element: "spring",
            measure: "length",
            found: rest_length,
            least: 0.0,
            unit: "m",
            longest_edge: rest_length,
        })
    }
}

impl<R: Real> Spring<R> {
    /// The same spring in another precision.
    pub fn cast<S: Real>(&self) -> Spring<S> {
        Spring { rest_length: S::of(self.rest_length.f64()), stiffness: S::of(self.stiffness.f64()) }
    }

    /// l and n.
    #[inline(always)]
    fn frame(x: &[Vec3<R>; 2]) -> (R, Vec3<R>) {
        let d = x[0] - x[1];
        let length = d.length();
        let inv = R::ONE / length.max(R::TINY);
        let n = if length > R::TINY { d * inv } else { Vec3::new(R::ONE, R::ZERO, R::ZERO) };
        (length, n)
    }

    /// k [n nᵀ + max(0, 1 − r/l)(I − n nᵀ)]
    #[inline(always)]
    fn block(&self, x: &[Vec3<R>; 2]) -> Mat3<R> {
        let (length, n) = Self::frame(x);
        let across = (R::ONE - self.rest_length / length.max(R::TINY)).max(R::ZERO);
        (n.outer(n) * (R::ONE - across) + Mat3::scalar(across)) * self.stiffness
    }

    /// −k min(0, 1 − r/l)(I − n nᵀ): how a compressed spring pushes across its axis; a collapsed one has none to speak of.
    #[inline(always)]
    fn push(&self, x: &[Vec3<R>; 2]) -> Mat3<R> {
        let (length, n) = Self::frame(x);
        if length <= R::TINY {
            return Mat3::ZERO;
        }
        let across = (self.rest_length / length - R::ONE).max(R::ZERO);
        (Mat3::IDENTITY - n.outer(n)) * (self.stiffness * across)
    }
}

impl<R: Real> Energy<R, 2> for Spring<R> {
    #[inline]
    fn value(&self, x: &[Vec3<R>; 2]) -> R {
        let stretch = (x[0] - x[1]).length() - self.rest_length;
        R::of(0.5) * self.stiffness * stretch * stretch
    }
    #[inline]
    fn gradient(&self, x: &[Vec3<R>; 2]) -> [Vec3<R>; 2] {
        let (length, n) = Self::frame(x);
        let pull = n * (self.stiffness * (length - self.rest_length));
        [pull, -pull]
    }
    #[inline]
    fn hessian_psd(&self, x: &[Vec3<R>; 2]) -> Hessian<R, 2> {
        let block = self.block(x);
        [[block, -block], [-block, block]]
    }
    fn hessian_exact(&self, x: &[Vec3<R>; 2]) -> Hessian<R, 2> {
        let block = self.block(x) - self.push(x);
        [[block, -block], [-block, block]]
    }
    fn hessian_excess(&self, x: &[Vec3<R>; 2]) -> Option<Hessian<R, 2>> {
        let block = self.push(x);
        (block != Mat3::ZERO).then_some([[block, -block], [-block, block]])
    }
    #[inline]
    fn hessian_diagonal(&self, x: &[Vec3<R>; 2]) -> [Mat3<R>; 2] {
        [self.block(x); 2]
    }
    #[inline]
    fn scale(&self, _: &[Vec3<R>; 2]) -> [Mat3<R>; 2] {
        [Mat3::scalar(self.stiffness); 2]
    }
}

impl<R: Real> Projective<R, 2> for Spring<R> {
    const LOCAL: LocalStep = LocalStep::Spring;
    fn stiffness(&self) -> [[R; 2]; 2] {
        let k = self.stiffness;
        [[k, -k], [-k, k]]
    }
    #[inline]
    fn project(&self, x: &[Vec3<R>; 2]) -> [Vec3<R>; 2] {
        let (_, n) = Self::frame(x);
        let p = n * (self.stiffness * self.rest_length);
        [p, -p]
    }
}

impl<R: Real> Compliant<R, 2> for Spring<R> {
    #[inline]
    fn compliance(&self) -> R {
        R::ONE / self.stiffness
    }
    #[inline]
    fn constraint(&self, x: &[Vec3<R>; 2]) -> (R, [Vec3<R>; 2]) {
        let (length, n) = Self::frame(x);
        (length - self.rest_length, [n, -n])
    }
}

impl<R: Real> WgslTwin for Spring<R> {
    const PREFIX: &'static str = "spring";
    const SOURCE: &'static str = include_str!("spring.wgsl");
    const WORDS: usize = 2;
    fn pack(&self, out: &mut [f32]) {
        out.copy_from_slice(&[self.rest_length, self.stiffness].map(|r| r.f64() as f32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::harness::{
        check_compliant, check_energy, check_invariance, check_projective, check_scales, check_spectral,
        count_convex_samples,
    };

    #[test]
    fn spring_meets_its_derivatives_projection_and_constraint() {
        let rest = [Vec3::new(0.1, 0.2, -0.3), Vec3::new(0.4, 0.9, 0.2)];
        let spring = Spring::new(rest, 40.0).unwrap();
        let single = spring.cast::<f32>();
        check_energy(&spring, &single, &rest);
        check_invariance(&spring, &rest);
        check_projective(&spring, &single, &rest);
        check_compliant(&spring, &single, &rest);
        assert!(count_convex_samples(&spring, &rest) > 5);
    }

    #[test]
    fn spring_of_zero_length_pushes_its_ends_apart_along_x() {
        let spring = Spring { rest_length: 2.0, stiffness: 3.0 };
        let g = spring.gradient(&[Vec3::ZERO; 2]);
        assert_eq!(g, [Vec3::new(-6.0, 0.0, 0.0), Vec3::new(6.0, 0.0, 0.0)]);
    }

    #[test]
    fn spring_without_length_or_with_negative_stiffness_is_refused() {
        let error = Spring::new([Vec3::ZERO; 2], 1.0).unwrap_err();
        assert!(error.to_string().contains("rest length is 0e0 m"), "{error}");
        assert!(Spring::new([Vec3::ZERO, Vec3::axis(1)], -1.0).is_err());
        assert!(Spring::new([Vec3::ZERO, Vec3::new(f64::NAN, 0.0, 0.0)], 1.0).is_err());
    }

    #[test]
    fn hessian_is_the_exact_one_without_its_negative_eigenvalues() {
        let rest = [Vec3::new(0.1, 0.2, -0.3), Vec3::new(0.4, 0.9, 0.2)];
        check_spectral(&Spring::new(rest, 40.0).unwrap(), &rest, 0);
    }

    #[test]
    fn micrometres_and_kilometres_are_both_fine() {
        let rest = [Vec3::new(0.1, 0.2, -0.3), Vec3::new(0.4, 0.9, 0.2)];
        check_scales(&rest, |rest| Spring::new(rest, 40.0).unwrap(), |e| e.cast());
    }
}
