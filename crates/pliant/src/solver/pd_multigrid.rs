//! Projective dynamics, the global step replaced by one multigrid V-cycle on A: nearly as good as `pd-direct` per iteration,
//! at a cost that grows with the mesh like a few sweeps, and on any device. Like the direct step it never increases E, but for
//! contacts that a step brings and A did not know of; from then on A keeps them until the step ends.
//!
//! The hierarchy is smoothed aggregation as in Tamstorf, Jones and McCormick 2015. Deviations: they precondition conjugate
//! gradients for a Newton system with blocks of 3 × 3 and its rigid modes; here A is scalar and constant, its only smooth mode
//! is the constant, and the cycle itself takes the place of A⁻¹. One damped Jacobi sweep before and after each level.

use super::precondition::Precondition;
use crate::device::{Device, DeviceError};

pub(super) struct Multigrid;

impl<D: Device> Precondition<D> for Multigrid {
    fn apply(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        r: &D::Points,
        z: &mut D::Points,
    ) -> Result<(), DeviceError> {
        device.cycle(problem, r, z);
        Ok(())
    }
}
