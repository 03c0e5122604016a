//! The device.

use crate::adapter::{AdapterInfo, Choice};
use crate::buffer::{Buffer, Field};
use crate::context::{Context, Trust};
use crate::error::GpuError;
use crate::library::Library;
use crate::recorder::Recorder;
use crate::rings::Cut;
use crate::vector::Vector;
use pliant::output::DiskCache;
use std::collections::HashMap;
use std::sync::Arc;

/// An open GPU.
#[derive(Debug)]
pub struct Gpu {
    pub(crate) context: Arc<Context>,
    pub(crate) recorder: Recorder,
    pub(crate) vector: Vector,
    pub(crate) library: Library,
    /// The best cuts found so far, by mesh.
    pub(crate) cuts: HashMap<u64, Cut>,
    pub(crate) cache: Option<DiskCache>,
    /// How every mesh is cut, instead of the best way.
    pub(crate) fixed_cut: Option<Cut>,
    /// Sizes and buffers of the last streams that were timed.
    pub(crate) streamed: Option<([u64; 2], [Buffer; 3])>,
}

impl Gpu {
    /// Opens the chosen GPU; shaders are checked in debug builds only.
    pub fn open(choice: &Choice) -> Result<Self, GpuError> {
        Self::open_with(choice, Trust::default())
    }

    /// Opens the chosen GPU.
    pub fn open_with(choice: &Choice, trust: Trust) -> Result<Self, GpuError> {
        let context = Context::open(choice, trust)?;
        let (cuts, cache) = (HashMap::new(), None);
        Ok(Self {
            cuts,
            cache,
            fixed_cut: None,
            streamed: None,
            recorder: Recorder::new(&context)?,
            vector: Vector::new(&context)?,
            library: Library::new(&context),
            context,
        })
    }

    /// Remembers what was measured in `cache`, too.
    pub fn with_cache(self, cache: DiskCache) -> Self {
        Self { cache: Some(cache), ..self }
    }

    /// The adapter.
    pub fn info(&self) -> &AdapterInfo {
        &self.context.info
    }

    /// The first fault there was, if any. Verbs are recorded and cannot fail by themselves.
    pub fn check(&self) -> Result<(), GpuError> {
        self.context.check()
    }

    /// A field of zeros.
    pub fn field(&self, label: &str, len: usize) -> Result<Field, GpuError> {
        Field::new(&self.context, label, len)
    }

    /// Submits what is recorded and waits until it is done.
    pub fn finish(&mut self) -> Result<(), GpuError> {
        self.recorder.finish()
    }
}
