//! Projective dynamics, one Jacobi sweep per local step (course Algorithm 1; with ω = 1 without Chebyshev).
//!
//! Deviation: γ. The paper under-relaxes by hand (0.6 to 0.9 for tets). Jacobi converges if γ λ < 2 for the largest
//! eigenvalue λ of D⁻¹A; and because A bounds the curvature of E from above, it then never increases E. λ is below 2 for
//! springs, but not for hinges and tets, so it is computed once, and γ = min(1, 1.9/λ). Across active
//! contacts the blend is left out: a step ends there with ω = γ = 1.

use super::stationary::Sweep;
use crate::device::{Blend, Device, DeviceError, Slot};

pub(super) struct Jacobi {
    /// Wanted factor on the step: 1, or more for over-relaxation; kept below what is safe.
    pub relaxation: f64,
}

impl<D: Device> Sweep<D> for Jacobi {
    fn safe_relaxation(&mut self, device: &mut D, problem: &mut D::Problem) -> f64 {
        self.relaxation.min(1.9 / device.largest_jacobi_eigenvalue(problem).max(f64::MIN_POSITIVE))
    }

    fn batch(&self) -> usize {
        usize::MAX
    }

    fn sweep(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        (x, x_before): (&mut D::Points, &mut D::Points),
        blends: &[Blend],
        residual: Option<Slot>,
    ) -> Result<(), DeviceError> {
        device.jacobi(problem, x, x_before, blends, residual);
        Ok(())
    }
}
