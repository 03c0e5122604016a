//! A point held by a spring of zero length (course, section 2.1): Ψ = k/2 ‖x − target‖².
//!
//! Projection: p = target, stencil A = (1), weight w = k.
//!
//! | symbol | code | |
//! |---|---|---|
//! | k_p | `stiffness` | N/m |
//! | target | `target` | m |

use super::error::not_negative;
use super::{Compliant, Energy, Hessian, LocalStep, MaterialError, Projective};
use crate::math::{Mat3, Real, Vec3};

/// Pulls a point towards a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pin<R> {
    /// Where the point should be, m.
    pub target: Vec3<R>,
    /// k, N/m.
    pub stiffness: R,
}

impl Pin<f64> {
    /// From the target, m, and the stiffness, N/m.
    pub fn new(target: Vec3<f64>, stiffness: f64) -> Result<Self, MaterialError> {
        if !target.is_finite() {
            return Err(MaterialError::NonFiniteRest { element: "pin", corner: 0, found: target.f64() });
        }
        Ok(Self { target, stiffness: not_negative("pin", "stiffness", stiffness, "a finite number >= 0 N/m")? })
    }
}

impl<R: Real> Pin<R> {
    /// The same pin in another precision.
    pub fn cast<S: Real>(&self) -> Pin<S> {
        Pin { target: self.target.cast(), stiffness: S::of(self.stiffness.f64()) }
    }
}

impl<R: Real> Energy<R, 1> for Pin<R> {
    #[inline]
    fn value(&self, x: &[Vec3<R>; 1]) -> R {
        R::of(0.5) * self.stiffness * (x[0] - self.target).length_sq()
    }
    #[inline]
    fn gradient(&self, x: &[Vec3<R>; 1]) -> [Vec3<R>; 1] {
        [(x[0] - self.target) * self.stiffness]
    }
    fn hessian_psd(&self, _: &[Vec3<R>; 1]) -> Hessian<R, 1> {
        [[Mat3::scalar(self.stiffness)]]
    }
}

impl<R: Real> Projective<R, 1> for Pin<R> {
    const LOCAL: LocalStep = LocalStep::Slots;
    fn stiffness(&self) -> [[R; 1]; 1] {
        [[self.stiffness]]
    }
    #[inline]
    fn project(&self, _: &[Vec3<R>; 1]) -> [Vec3<R>; 1] {
        [self.target * self.stiffness]
    }
}

impl<R: Real> Compliant<R, 1> for Pin<R> {
    #[inline]
    fn compliance(&self) -> R {
        R::ONE / self.stiffness
    }
    /// C = ‖x − target‖.
    #[inline]
    fn constraint(&self, x: &[Vec3<R>; 1]) -> (R, [Vec3<R>; 1]) {
        let d = x[0] - self.target;
        (d.length(), [d.unit_or(Vec3::ZERO)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::harness::{check_compliant, check_energy, check_projective, count_convex_samples};

    #[test]
    fn pin_meets_its_derivatives_projection_and_constraint() {
        let rest = [Vec3::new(0.1, 0.2, -0.3)];
        let pin = Pin::new(rest[0], 40.0).unwrap();
        let single = pin.cast::<f32>();
        check_energy(&pin, &single, &rest);
        check_projective(&pin, &single, &rest);
        check_compliant(&pin, &single, &rest);
        assert!(count_convex_samples(&pin, &rest) > 5);
        assert_eq!(pin.value(&rest), 0.0);
        assert!(Pin::new(Vec3::new(0.0, f64::INFINITY, 0.0), 1.0).is_err());
    }
}
