//! An open device: its queue, its faults, and the identities of what was made on it.

use crate::adapter::{self, AdapterInfo, Choice};
use crate::error::{Faults, GpuError};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Whether shaders check their indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Bounds of buffers and loops are checked; workgroup memory starts as zeros.
    Checked,
    /// Nothing is checked: up to a third faster.
    Trusted,
}

impl Default for Trust {
    /// Checked in debug builds and tests, trusted in release builds.
    fn default() -> Self {
        if cfg!(debug_assertions) { Self::Checked } else { Self::Trusted }
    }
}

/// An open device.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) info: AdapterInfo,
    pub(crate) trust: Trust,
    pub(crate) faults: Faults,
    /// Largest buffer that a kernel can see whole, bytes.
    pub(crate) largest_buffer: AtomicU64,
    pub(crate) counts: Counts,
    next_id: AtomicU32,
    gone: Arc<Mutex<Vec<u32>>>,
}

/// What was made and done so far, on a device.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// Buffers made, staging included.
    pub(crate) buffers: AtomicU64,
    /// Bind groups made.
    pub(crate) bind_groups: AtomicU64,
    /// Submissions.
    pub(crate) submissions: AtomicU64,
    /// How often the host waited for something, whether that was there already or not.
    pub(crate) waits: AtomicU64,
}

impl Counts {
    /// One more.
    pub(crate) fn count(of: &AtomicU64) {
        of.fetch_add(1, Ordering::Relaxed);
    }
}

/// A number that no other kernel or buffer of the device has. When it is dropped, the bind groups it is part of are.
#[derive(Debug)]
pub(crate) struct Id {
    number: u32,
    gone: Arc<Mutex<Vec<u32>>>,
}

impl Id {
    pub(crate) fn number(&self) -> u32 {
        self.number
    }
}

impl Drop for Id {
    fn drop(&mut self) {
        self.gone.lock().unwrap_or_else(PoisonError::into_inner).push(self.number);
    }
}

impl Context {
    /// Opens the chosen adapter.
    pub(crate) fn open(choice: &Choice, trust: Trust) -> Result<Arc<Self>, GpuError> {
        let (info, adapter) = adapter::choose(choice)?;
        let (device, queue) = adapter::open(&info, &adapter)?;
        let faults = Faults::default();
        let sink = faults.clone();
        device.on_uncaptured_error(Arc::new(move |error| sink.report(GpuError::from_api("GPU", error))));
        let sink = faults.clone();
        device.set_device_lost_callback(move |reason, message| {
            sink.report(GpuError::from_loss(&format!("{reason:?}"), &message));
        });
        tracing::debug!(name = info.name, driver = info.driver, "GPU opened");
        let (next_id, gone) = (AtomicU32::new(0), Arc::default());
        let largest_buffer = AtomicU64::new(info.largest_buffer());
        let counts = Counts::default();
        Ok(Arc::new(Self { device, queue, info, trust, faults, largest_buffer, counts, next_id, gone }))
    }

    /// The device's first fault.
    pub(crate) fn check(&self) -> Result<(), GpuError> {
        self.faults.check()
    }

    pub(crate) fn id(&self) -> Id {
        Id { number: self.next_id.fetch_add(1, Ordering::Relaxed), gone: self.gone.clone() }
    }

    /// Numbers of the kernels and buffers dropped since the last call.
    pub(crate) fn take_gone(&self) -> Vec<u32> {
        std::mem::take(&mut *self.gone.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Does `make` and returns its error, if any, instead of a fault seen later.
    pub(crate) fn checked<T>(&self, what: &str, make: impl FnOnce() -> T) -> Result<T, GpuError> {
        let scopes = [wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::Validation, wgpu::ErrorFilter::OutOfMemory]
            .map(|filter| self.device.push_error_scope(filter));
        let made = make();
        let mut found = None;
        for scope in scopes.into_iter().rev() {
            found = pollster::block_on(scope.pop()).or(found);
        }
        match found {
            Some(error) => Err(GpuError::from_api(what, error)),
            // A device that is gone makes things without complaint; polling tells.
            None => self.poll(None).map(|()| made),
        }
    }

    /// A buffer for any use.
    pub(crate) fn raw_buffer(
        &self,
        label: &str,
        bytes: u64,
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer, GpuError> {
        let limit = self.largest_buffer.load(Ordering::Relaxed);
        if bytes > limit {
            return Err(GpuError::TooLarge { name: label.to_owned(), bytes, limit });
        }
        Counts::count(&self.counts.buffers);
        let descriptor = wgpu::BufferDescriptor { label: Some(label), size: bytes, usage, mapped_at_creation: false };
        self.checked(&format!("{bytes} bytes for {label}"), || self.device.create_buffer(&descriptor))
    }

    /// Lets callbacks run; waits for a submission if one is given.
    pub(crate) fn poll(&self, wait_for: Option<&wgpu::SubmissionIndex>) -> Result<(), GpuError> {
        self.poll_as(match wait_for {
            Some(index) => wgpu::PollType::Wait { submission_index: Some(index.clone()), timeout: None },
            None => wgpu::PollType::Poll,
        })
    }

    /// Waits for a submission for at most so long.
    pub(crate) fn poll_for(&self, index: &wgpu::SubmissionIndex, time: Duration) -> Result<(), GpuError> {
        self.poll_as(wgpu::PollType::Wait { submission_index: Some(index.clone()), timeout: Some(time) })
    }

    /// wgpu panics where the device is lost during a wait, which is caught here.
    fn poll_as(&self, poll: wgpu::PollType) -> Result<(), GpuError> {
        let done = catch_unwind(AssertUnwindSafe(|| {
            // A submission that failed cannot be waited for. That the device is lost is told after the last good one.
            match self.device.poll(poll) {
                Err(wgpu::PollError::Timeout) => Ok(wgpu::PollStatus::Poll),
                done => done.inspect_err(|_| _ = self.device.poll(wgpu::PollType::wait_indefinitely())),
            }
        }));
        self.check()?;
        match done {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(GpuError::Lost { reason: error.to_string() }),
            Err(_) => Err(GpuError::Lost { reason: "the driver failed while waiting".into() }),
        }
    }
}
