//! Projective dynamics, the global step replaced by one multigrid V-cycle on A (smoothed aggregation): nearly as good as
//! `pd-direct` per iteration, at a cost that grows with the mesh like a few sweeps, and on any device. Never increases E.

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
