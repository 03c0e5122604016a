use super::{Cpu, Device, DeviceError};
use crate::disk_cache::DiskCache;
use crate::scene::{DeviceSettings, Precision, nearest};

/// What the name of a device asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceChoice {
    /// `auto`: the best there is.
    Auto,
    /// `cpu`
    Cpu,
    /// `gpu`: the best GPU.
    Gpu,
    /// `gpu:NAME`: the best GPU that has this in its name.
    Named(String),
}

impl DeviceChoice {
    /// What a name asks for, as it stands in a scene or after `--device`.
    pub fn of(name: &str) -> Result<Self, DeviceError> {
        match name {
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Cpu),
            "gpu" => Ok(Self::Gpu),
            _ => match name.strip_prefix("gpu:").map(str::trim) {
                Some(wanted) if !wanted.is_empty() => Ok(Self::Named(wanted.to_string())),
                _ => {
                    let near = nearest(name, ["auto", "cpu", "gpu"]);
                    let near = near.map_or(String::new(), |near| format!("did you mean '{near}'? "));
                    let all = "there are 'auto', 'cpu', 'gpu' and 'gpu:NAME', with any part of a name that \
                               `pliant devices` lists";
                    Err(DeviceError::Unknown { name: name.to_string(), help: format!("{near}{all}") })
                }
            },
        }
    }
}

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

    /// Where what takes long to find is kept between runs; unless a program says so, nowhere.
    fn cache(&self) -> DiskCache {
        DiskCache::default()
    }
}

/// The CPU and nothing else.
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuOnly;

impl Devices for CpuOnly {
    fn run<T: Task>(&self, settings: &DeviceSettings, task: T) -> Result<T::Output, DeviceError> {
        if !matches!(DeviceChoice::of(&settings.name)?, DeviceChoice::Auto | DeviceChoice::Cpu) {
            let help = "this program knows the CPU only: use 'cpu' or 'auto'".to_string();
            return Err(DeviceError::Absent { device: settings.name.clone(), help });
        }
        Ok(match settings.precision {
            Precision::F32 => task.on(Cpu::<f32>::new()),
            Precision::F64 => task.on(Cpu::<f64>::new()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_asked_for_in_four_ways() {
        let of = |name: &str| DeviceChoice::of(name).ok();
        assert_eq!(of("auto"), Some(DeviceChoice::Auto));
        assert_eq!(of("cpu"), Some(DeviceChoice::Cpu));
        assert_eq!(of("gpu"), Some(DeviceChoice::Gpu));
        assert_eq!(of("gpu: RTX 4090 "), Some(DeviceChoice::Named("RTX 4090".to_string())));
        for name in ["", "gpu:", "gpu: ", "gpu7", "cuda", "CPU"] {
            let error = DeviceChoice::of(name).unwrap_err().to_string();
            assert!(error.contains(&format!("'{name}'")) && error.contains("'gpu:NAME'"), "{error}");
        }
        assert!(DeviceChoice::of("CPU").unwrap_err().to_string().contains("did you mean 'cpu'?"));
    }
}
