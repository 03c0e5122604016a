use super::{Cpu, Device, DeviceError};
use crate::scene::{DeviceSettings, Precision};

/// Something to be done on a device, whichever it turns out to be.
pub trait Task {
    /// What it gives.
    type Output;
    /// Does it.
    fn on<D: Device + 'static>(self, device: D) -> Self::Output
    where
        D::Points: 'static;
}

/// The devices a program knows.
pub trait Devices {
    /// Does `task` on the device that the settings ask for.
    fn run<T: Task>(&self, settings: &DeviceSettings, task: T) -> Result<T::Output, DeviceError>;
}

/// The CPU and nothing else.
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuOnly;

impl Devices for CpuOnly {
    fn run<T: Task>(&self, settings: &DeviceSettings, task: T) -> Result<T::Output, DeviceError> {
        if !["auto", "cpu"].contains(&settings.name.as_str()) {
            return Err(DeviceError::Absent {
                device: settings.name.clone(),
                help: "there is 'cpu' (and 'auto', which picks the best there is)".to_string(),
            });
        }
        Ok(match settings.precision {
            Precision::F32 => task.on(Cpu::<f32>::new()),
            Precision::F64 => task.on(Cpu::<f64>::new()),
        })
    }
}
