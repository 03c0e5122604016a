//! A state on its way to the host, while the device goes on.

use crate::device::{Device, DeviceError};
use crate::model::State;

/// A state that was asked for.
pub(super) struct Showing<D: Device> {
    x: D::Reading,
    v: D::Reading,
    v_before: Option<D::Reading>,
    converted: D::Numbers,
    wound: u32,
    /// What the host knows of it.
    rest: State,
}

impl<D: Device> Showing<D> {
    /// Asks for a state: positions, velocities, those one step before if they are known, conversion, what is wound up.
    pub fn request(
        device: &mut D,
        x: &D::Points,
        v: &D::Points,
        v_before: Option<&D::Points>,
    ) -> Result<Self, DeviceError> {
        let (x, v) = (device.request(x)?, device.request(v)?);
        let v_before = v_before.map(|v_before| device.request(v_before)).transpose()?;
        let (converted, wound) = (device.request_conversion()?, device.wound());
        Ok(Self { x, v, v_before, converted, wound, rest: State::default() })
    }

    /// With what the host knows of it.
    pub fn with(self, rest: State) -> Self {
        Self { rest, ..self }
    }

    /// The state, of `n` vertices, as it was when it was asked for.
    pub fn receive(self, device: &mut D, n: usize) -> Result<State, DeviceError> {
        let Self { x, v, v_before, converted, wound, rest } = self;
        let mut state = State { x: vec![[0.0; 3]; n], v: vec![[0.0; 3]; n], wound, ..rest };
        device.receive(x, &mut state.x)?;
        device.receive(v, &mut state.v)?;
        if let Some(v_before) = v_before {
            state.v_before = vec![[0.0; 3]; n];
            device.receive(v_before, &mut state.v_before)?;
        }
        state.converted = device.receive_numbers(converted)?;
        Ok(state)
    }
}
