//! A state on its way to the host, while the device goes on.

use crate::device::{Device, DeviceError};
use crate::model::{Pinched, State};

/// A state that was asked for.
pub(super) struct Showing<D: Device> {
    x: D::Reading,
    v: D::Reading,
    time: f64,
    step: u64,
    pinched: Vec<Pinched>,
}

impl<D: Device> Showing<D> {
    /// Asks for a state.
    pub fn request(device: &mut D, x: &D::Points, v: &D::Points, time: f64, step: u64) -> Result<Self, DeviceError> {
        Ok(Self { x: device.request(x)?, v: device.request(v)?, time, step, pinched: Vec::new() })
    }

    /// With what drags have pinched by then.
    pub fn with_pinched(self, pinched: &[Pinched]) -> Self {
        Self { pinched: pinched.to_vec(), ..self }
    }

    /// The state, of `n` vertices, as it was when it was asked for.
    pub fn receive(self, device: &mut D, n: usize) -> Result<State, DeviceError> {
        let (x, v) = (vec![[0.0; 3]; n], vec![[0.0; 3]; n]);
        let (time, step, pinched) = (self.time, self.step, self.pinched);
        let mut state = State { x, v, time, step, pinched, ..State::default() };
        device.receive(self.x, &mut state.x)?;
        device.receive(self.v, &mut state.v)?;
        Ok(state)
    }
}
