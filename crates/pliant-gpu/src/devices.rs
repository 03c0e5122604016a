//! The devices of a machine: the CPU and its GPUs.

use crate::{Choice, Gpu, GpuError};
use pliant::device::{CpuOnly, DeviceError, Devices, Task};
use pliant::output::DiskCache;
use pliant::scene::{DeviceSettings, Precision};

/// CPU and GPUs: `cpu`, `gpu` (the best one), `gpu:NAME`, and `auto`, which is a hardware GPU if there is one and else the
/// CPU.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllDevices;

impl AllDevices {
    fn open(settings: &DeviceSettings) -> Result<Option<Gpu>, DeviceError> {
        let name = settings.name.as_str();
        let (choice, auto) = match name {
            "cpu" => return Ok(None),
            "auto" => (Choice::Auto, true),
            "gpu" => (Choice::Any, false),
            _ => match name.strip_prefix("gpu:") {
                Some(wanted) if !wanted.trim().is_empty() => (Choice::Named(wanted.trim().to_string()), false),
                _ => {
                    let help = "there are 'auto', 'cpu', 'gpu' and 'gpu:NAME'; `pliant devices` lists the names";
                    return Err(DeviceError::Absent { device: name.to_string(), help: help.to_string() });
                }
            },
        };
        if settings.precision == Precision::F64 {
            if auto {
                return Ok(None);
            }
            let help = "use precision f32, or --device cpu".to_string();
            return Err(DeviceError::Unsupported { device: name.to_string(), what: "f64".to_string(), help });
        }
        match Gpu::open(&choice) {
            Ok(gpu) => Ok(Some(gpu.with_cache(DiskCache::of_user()))),
            // That there is none is nothing to warn of.
            Err(GpuError::NoAdapter { .. }) if auto => Ok(None),
            Err(error) if auto => {
                tracing::warn!("{error}; going on on the CPU");
                Ok(None)
            }
            Err(error @ (GpuError::NoAdapter { .. } | GpuError::NotFound { .. })) => {
                Err(DeviceError::Absent { device: name.to_string(), help: error.to_string() })
            }
            Err(error) => Err(DeviceError::Failed {
                device: name.to_string(),
                reason: error.to_string(),
                help: "use --device cpu".to_string(),
            }),
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
}
