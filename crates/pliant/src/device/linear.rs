//! The linear system of a step: what a device is asked to make, and what it tells of solving it.

use super::DeviceError;
use crate::scene::LinearPreconditioner;

/// How A of [`crate::device::Device::linearise`] is kept and solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinearSetting {
    /// P.
    pub preconditioner: LinearPreconditioner,
    /// A is written down in blocks of 3×3; else each product goes over the elements.
    pub assembled: bool,
    /// What no element connects has α and β of its own, as if each object was solved alone.
    pub per_object: bool,
}

/// What the last iteration of conjugate gradients did, of the object where it did most. Positions are weighted by inertia.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Bound of the mean square of how much nearer to the solution vertices are, m²: α r·z over M/h², because ‖·‖_A falls by α r·z
    /// and is at least that of M/h².
    pub gained_sq: f64,
    /// Mean square of how far vertices moved, m².
    pub moved_sq: f64,
}

/// What a device says of verbs on systems that it cannot make.
pub(super) const NEVER_MADE: &str = "a device that refuses to linearise has no system";

/// Why a device without these verbs refuses them.
pub(super) fn unsupported(device: String) -> DeviceError {
    let help = "use --device cpu, or another method, such as descent".to_string();
    DeviceError::Unsupported { device, what: "linear system of a step".to_string(), help }
}
