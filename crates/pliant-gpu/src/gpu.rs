//! The device.

use crate::adapter::{AdapterInfo, Choice, Kind};
use crate::buffer::{Buffer, Field};
use crate::close::CloseSearch;
use crate::context::{Context, Trust};
use crate::conversion::Shares;
use crate::cut::Cut;
use crate::error::GpuError;
use crate::library::Library;
use crate::recorder::Recorder;
use crate::timer::StepClock;
use crate::vector::Vector;
use pliant::disk_cache::DiskCache;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// An open GPU.
#[derive(Debug)]
pub struct Gpu {
    pub(crate) context: Arc<Context>,
    pub(crate) recorder: Recorder,
    pub(crate) vector: Vector,
    pub(crate) library: Library,
    pub(crate) step_clock: StepClock,
    /// Where bodies touch each other: remembers from step to step on which side, whatever the size of steps.
    pub(crate) search: Option<CloseSearch>,
    /// Which elements are converted because they are crushed: remembers, too.
    pub(crate) shares: Option<Shares>,
    /// Shares that wait for a problem.
    pub(crate) pending_shares: Option<Vec<f64>>,
    /// The best cuts found so far, by mesh.
    pub(crate) cuts: HashMap<u64, Cut>,
    pub(crate) cache: Option<DiskCache>,
    /// How every mesh is cut, instead of the best way.
    pub(crate) fixed_cut: Option<Cut>,
    /// Whether fewer launches may be faster, so that ways to cut a mesh are measured.
    pub(crate) measures_cuts: bool,
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
            // A processor gains nothing from fewer launches.
            measures_cuts: context.info.kind != Kind::Software,
            streamed: None,
            recorder: Recorder::new(&context)?,
            vector: Vector::new(&context)?,
            library: Library::new(&context),
            step_clock: StepClock::default(),
            search: None,
            shares: None,
            pending_shares: None,
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

    /// How long the GPU works on what `work` records, s; `None` where the adapter cannot measure that. Waits.
    pub fn timed<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> Result<(T, Option<f64>), GpuError> {
        let scope = self.recorder.time_begin();
        let done = work(self);
        let Some(scope) = scope else { return Ok((done, None)) };
        self.recorder.time_end(scope);
        Ok((done, Some(self.recorder.seconds(scope)?)))
    }

    /// Dispatches and submissions recorded so far.
    pub fn recorded(&self) -> [u64; 2] {
        [self.recorder.dispatches(), self.recorder.submissions()]
    }

    /// Takes the device away when it is called, as a driver that resets does: for tests.
    #[doc(hidden)]
    pub fn puller(&self) -> impl Fn() + Send + 'static {
        let device = self.context.device.clone();
        move || device.destroy()
    }

    /// From now on buffers larger than this are refused, bytes: for tests.
    #[doc(hidden)]
    pub fn limit_buffers(&self, bytes: u64) {
        self.context.largest_buffer.store(bytes, Ordering::Relaxed);
    }

    /// Submits what is recorded and waits until it is done.
    pub fn finish(&mut self) -> Result<(), GpuError> {
        self.recorder.finish()
    }
}
