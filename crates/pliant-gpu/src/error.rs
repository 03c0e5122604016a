//! What can go wrong on a GPU, and where faults wait until somebody asks.

use pliant::device::DeviceError;
use std::sync::{Arc, Mutex, PoisonError};

/// A GPU that is not there, cannot do what is asked, or failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GpuError {
    /// No adapter of the wanted kind.
    #[error("no {}", if .software.is_empty() { "GPU was found".to_owned() }
        else { listed("hardware GPU was found, only software adapters: ", .software) })]
    NoAdapter {
        /// Software adapters that were passed over.
        software: Vec<String>,
    },
    /// No adapter has this name.
    #[error("no GPU is called {name:?}, {}", if .there.is_empty() { "and none was found".to_owned() }
        else { listed("there are: ", .there) })]
    NotFound {
        /// What was asked for.
        name: String,
        /// The names there are.
        there: Vec<String>,
    },
    /// The adapter lacks something that every kernel needs.
    #[error("the GPU {name:?} cannot be used, it has no {lacks}")]
    Unfit {
        /// Name of the adapter.
        name: String,
        /// The missing feature or limit.
        lacks: String,
    },
    /// The driver refused to open the device.
    #[error("the GPU {name:?} cannot be opened: {reason}")]
    Open {
        /// Name of the adapter.
        name: String,
        /// What the driver says.
        reason: String,
    },
    /// The device is gone: driver reset, unplugged, destroyed.
    #[error("the GPU was lost: {reason}")]
    Lost {
        /// What the driver says.
        reason: String,
    },
    /// The device's memory is used up.
    #[error("the GPU is out of memory ({what})")]
    OutOfMemory {
        /// What was being made.
        what: String,
    },
    /// A buffer is larger than the device can bind.
    #[error("{name} needs {bytes} bytes in one buffer, this GPU takes at most {limit}")]
    TooLarge {
        /// Name of the buffer.
        name: String,
        /// Wanted size, bytes.
        bytes: u64,
        /// Largest size, bytes.
        limit: u64,
    },
    /// An element has no formula in WGSL.
    #[error("there is no GPU formula for {element} elements")]
    NoFormula {
        /// Name of the element.
        element: &'static str,
    },
    /// An algorithm that runs on the CPU only.
    #[error("{algorithm} is sequential")]
    NoAlgorithm {
        /// Name of the algorithm.
        algorithm: &'static str,
    },
    /// A shader or a call that the API refuses: a bug of ours or of the driver.
    #[error("{what}: {message}")]
    Invalid {
        /// What was being made or done.
        what: String,
        /// What the API says.
        message: String,
    },
}

fn listed(before: &str, names: &[String]) -> String {
    format!("{before}{}", names.join(", "))
}

impl GpuError {
    /// What one can do about it.
    fn help(&self) -> &'static str {
        match self {
            Self::NoAdapter { software } | Self::NotFound { there: software, .. } if software.is_empty() => {
                "install the Vulkan driver of your GPU (docs/gpu.md), or use --device cpu"
            }
            Self::NoAdapter { .. } => "use --device cpu, or --device gpu for the software adapter",
            Self::NotFound { .. } => "use --device gpu for the best of them, or --device cpu",
            Self::Unfit { .. } | Self::Open { .. } => "update its driver, or use --device cpu",
            Self::OutOfMemory { .. } | Self::TooLarge { .. } => "use a coarser mesh, or --device cpu",
            Self::NoFormula { .. } => "use --device cpu, or a projective material",
            Self::NoAlgorithm { .. } => "use --device cpu or auto, or a parallel algorithm such as vivace",
            Self::Lost { .. } | Self::Invalid { .. } => "use --device cpu",
        }
    }

    /// What it means to those who know nothing of GPUs, where `device` was asked for or is in use.
    pub(crate) fn on(self, device: String) -> DeviceError {
        let help = self.help();
        match self {
            Self::NoAdapter { .. } | Self::NotFound { .. } => {
                DeviceError::Absent { device, help: format!("{self}; {help}") }
            }
            Self::NoFormula { element } => {
                let what = format!("formula for {element} elements");
                DeviceError::Unsupported { device, what, help: help.to_owned() }
            }
            Self::NoAlgorithm { algorithm } => {
                let what = format!("{algorithm} colouring, which is sequential");
                DeviceError::Unsupported { device, what, help: help.to_owned() }
            }
            _ => DeviceError::Failed { device, reason: self.to_string(), help: help.to_owned() },
        }
    }

    /// What it means that the device is gone. Drivers that find no memory for a submission take the device away.
    pub(crate) fn from_loss(reason: &str, message: &str) -> Self {
        if message.to_lowercase().contains("out of memory") {
            return Self::OutOfMemory { what: "it needs more for its work".to_owned() };
        }
        Self::Lost { reason: format!("{reason}: {message}").trim_end_matches(": ").to_owned() }
    }

    /// What an API error means while `what` was being made or done.
    pub(crate) fn from_api(what: &str, error: wgpu::Error) -> Self {
        match error {
            wgpu::Error::OutOfMemory { .. } => Self::OutOfMemory { what: what.to_owned() },
            wgpu::Error::Validation { description, .. } | wgpu::Error::Internal { description, .. } => {
                Self::Invalid { what: what.to_owned(), message: description }
            }
        }
    }
}

/// The first fault of a device. Verbs are recorded and cannot fail; their faults are seen at the next wait.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults(Arc<Mutex<Option<GpuError>>>);

impl Faults {
    /// Keeps the error, unless there is an earlier one. A lost device makes calls invalid before the loss is known, so
    /// a loss replaces those.
    pub(crate) fn report(&self, error: GpuError) {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let explained = matches!((&*first, &error), (Some(GpuError::Invalid { .. }), GpuError::Lost { .. }));
        if first.is_none() || explained {
            tracing::debug!("{error}");
            *first = Some(error);
        }
    }

    /// The first fault. It stays: after a fault, what lies on the device is not to be trusted.
    pub(crate) fn check(&self) -> Result<(), GpuError> {
        match &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            None => Ok(()),
            Some(error) => Err(error.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seen on lavapipe with little memory: "the GPU was lost: Unknown: Out of memory; use --device cpu".
    #[test]
    fn a_device_that_is_taken_away_for_want_of_memory_says_so() {
        let error = GpuError::from_loss("Unknown", "Out of memory");
        assert!(matches!(error, GpuError::OutOfMemory { .. }), "{error}");
        assert!(error.on("gpu".into()).to_string().contains("use a coarser mesh"));
        assert_eq!(GpuError::from_loss("Destroyed", "").to_string(), "the GPU was lost: Destroyed");
    }
}
