//! The devices of a machine: the CPU and its GPUs.

use crate::{Choice, Gpu, GpuError};
use pliant::device::{CpuOnly, DeviceChoice, DeviceError, Devices, Task};
use pliant::disk_cache::DiskCache;
use pliant::scene::{DeviceSettings, Precision};

/// CPU and GPUs: `cpu`, `gpu` (the best one), `gpu:NAME`, and `auto`, which is a hardware GPU if there is one and else the
/// CPU.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllDevices;

impl AllDevices {
    /// The GPU that the settings ask for; `None` is the CPU.
    pub(crate) fn open(settings: &DeviceSettings) -> Result<Option<Gpu>, DeviceError> {
        let choice = match DeviceChoice::of(&settings.name)? {
            DeviceChoice::Cpu => return Ok(None),
            DeviceChoice::Auto => Choice::Auto,
            DeviceChoice::Gpu => Choice::Any,
            DeviceChoice::Named(name) => Choice::Named(name),
        };
        let (device, auto) = (settings.name.clone(), choice == Choice::Auto);
        if settings.precision == Precision::F64 {
            let help = "use precision f32, or --device cpu".to_string();
            let refused = DeviceError::Unsupported { device, what: "f64".to_string(), help };
            return if auto { Ok(None) } else { Err(refused) };
        }
        match Gpu::open(&choice) {
            Ok(gpu) => Ok(Some(gpu.with_cache(DiskCache::of_user()))),
            // That there is none is nothing to warn of.
            Err(GpuError::NoAdapter { .. }) if auto => Ok(None),
            Err(error) if auto => {
                tracing::warn!("{error}; going on on the CPU");
                Ok(None)
            }
            Err(error) => Err(error.on(device)),
        }
    }
}

impl Devices for AllDevices {
    fn run<T: Task>(&self, settings: &DeviceSettings, task: T) -> Result<T::Output, DeviceError> {
        match Self::open(settings)? {
            Some(gpu) => Ok(task.on(gpu)),
            None => CpuOnly.run(&DeviceSettings { name: "cpu".to_string(), ..settings.clone() }, task),
        }
    }

    fn cache(&self) -> DiskCache {
        DiskCache::of_user()
    }
}
