//! Projective dynamics, one forward and one backward Gauss-Seidel sweep per local step (course 2.2.1: both directions,
//! so that the iteration matrix has real eigenvalues and Chebyshev applies). ω ≠ 1 is symmetric over-relaxation.
//!
//! Deviation: sweeps go colour by colour instead of vertex by vertex, so that a colour can run in parallel.

use super::precondition::Precondition;
use crate::device::{Device, DeviceError};

pub(super) struct SymmetricGaussSeidel {
    /// ω, between 0 and 2.
    pub omega: f64,
}

impl<D: Device> Precondition<D> for SymmetricGaussSeidel {
    fn apply(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        r: &D::Points,
        z: &mut D::Points,
    ) -> Result<(), DeviceError> {
        let colours = device.colours(problem);
        device.clear(z);
        for colour in (0..colours).chain((0..colours).rev()) {
            device.gauss_seidel(problem, colour, self.omega, r, z);
        }
        Ok(())
    }
}
