//! Projective dynamics, the global step solved by Cholesky (course 1.3.2, eq 14). A is factored once, and again when
//! contacts change it. Never increases E.

use super::precondition::Precondition;
use crate::device::{Device, DeviceError};

pub(super) struct Direct;

impl<D: Device> Precondition<D> for Direct {
    fn apply(
        &mut self,
        device: &mut D,
        problem: &mut D::Problem,
        r: &D::Points,
        z: &mut D::Points,
    ) -> Result<(), DeviceError> {
        device.solve_direct(problem, r, z)
    }
}
