//! What can go wrong on a GPU, and where faults wait until somebody asks.

use std::sync::{Arc, Mutex, PoisonError};

/// A GPU that is not there, cannot do what is asked, or failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GpuError {
    /// No adapter of the wanted kind.
    #[error("no hardware GPU found{}: install a Vulkan driver for your GPU, or use --device cpu{}",
        listed(" (only software adapters: ", .software, ")"),
        if .software.is_empty() { "" } else { " (or --device gpu to run on the software adapter)" })]
    NoAdapter {
        /// Software adapters that were passed over.
        software: Vec<String>,
    },
    /// No adapter has this name.
    #[error("no GPU is called {name:?}{}", listed("; there are: ", .there, "")
        .if_empty("; none was found: install a Vulkan driver, or use --device cpu"))]
    NotFound {
        /// What was asked for.
        name: String,
        /// The names there are.
        there: Vec<String>,
    },
    /// The adapter lacks something that every kernel needs.
    #[error("the GPU {name:?} cannot be used, it has no {lacks}: update its driver, or use --device cpu")]
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
    #[error("the GPU is out of memory ({what}): use a coarser mesh, or --device cpu")]
    OutOfMemory {
        /// What was being made.
        what: String,
    },
    /// A buffer is larger than the device can bind.
    #[error(
        "{name} needs {bytes} bytes in one buffer, this GPU takes at most {limit}: use a coarser mesh, or --device cpu"
    )]
    TooLarge {
        /// Name of the buffer.
        name: String,
        /// Wanted size, bytes.
        bytes: u64,
        /// Largest size, bytes.
        limit: u64,
    },
    /// An element has no formula in WGSL.
    #[error("there is no GPU formula for {element} elements: use --device cpu, or a projective material")]
    NoFormula {
        /// Name of the element.
        element: &'static str,
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

trait IfEmpty {
    fn if_empty(self, other: &str) -> String;
}

impl IfEmpty for String {
    fn if_empty(self, other: &str) -> String {
        if self.is_empty() { other.to_owned() } else { self }
    }
}

/// The names between two texts, or nothing if there are none.
fn listed(before: &str, names: &[String], after: &str) -> String {
    if names.is_empty() { String::new() } else { format!("{before}{}{after}", names.join(", ")) }
}

impl GpuError {
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
            tracing::error!("{error}");
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
