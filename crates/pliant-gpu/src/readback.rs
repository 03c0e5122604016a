//! Reads that wait later, or not at all: staging buffers that are used again and again.

use crate::context::Context;
use crate::error::GpuError;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

const ON_ITS_WAY: u8 = 0;
const THERE: u8 = 1;
const FAILED: u8 = 2;

/// How long before and after the expected end of a read its waiting thread stays awake.
const AWAKE_BEFORE: Duration = Duration::from_micros(300);
const AWAKE_AFTER: Duration = Duration::from_micros(700);

/// A read under way. Dropping it forgets the read.
#[derive(Debug)]
#[must_use = "a read is finished with `wait`"]
pub(crate) struct Ticket {
    staging: usize,
    bytes: u64,
    state: Arc<AtomicU8>,
    submission: wgpu::SubmissionIndex,
}

#[derive(Debug)]
struct Staging {
    raw: wgpu::Buffer,
    /// Shared with the ticket and the callback of the read it serves; nobody else holds it when it is free.
    state: Arc<AtomicU8>,
}

/// Staging buffers: as many as there were tickets at one time.
#[derive(Debug, Default)]
pub(crate) struct Readback {
    stagings: Vec<Staging>,
}

impl Readback {
    /// Staging buffers there are.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.stagings.len()
    }

    /// A free staging buffer for so many bytes.
    pub(crate) fn acquire(&mut self, context: &Context, bytes: u64) -> Result<usize, GpuError> {
        let free = |staging: &Staging| Arc::strong_count(&staging.state) == 1;
        let fits = |staging: &Staging| staging.raw.size() >= bytes;
        let found = self.stagings.iter().position(|s| free(s) && fits(s));
        let index = match found.or_else(|| self.stagings.iter().position(free)) {
            Some(index) if fits(&self.stagings[index]) => {
                release(&self.stagings[index]);
                return Ok(index);
            }
            other => other,
        };
        use wgpu::BufferUsages as Usage;
        let limit = context.largest_buffer.load(Ordering::Relaxed);
        let size = bytes.next_power_of_two().clamp(256, limit.max(bytes));
        let raw = context.raw_buffer("staging", size, Usage::MAP_READ | Usage::COPY_DST)?;
        let staging = Staging { raw, state: Arc::new(AtomicU8::new(FAILED)) };
        Ok(match index {
            Some(index) => {
                self.stagings[index] = staging;
                index
            }
            None => {
                self.stagings.push(staging);
                self.stagings.len() - 1
            }
        })
    }

    /// The buffer to copy to before [`Readback::request`].
    pub(crate) fn buffer(&self, staging: usize) -> &wgpu::Buffer {
        &self.stagings[staging].raw
    }

    /// Asks for the bytes that `submission` copies to the staging buffer.
    pub(crate) fn request(&mut self, staging: usize, bytes: u64, submission: wgpu::SubmissionIndex) -> Ticket {
        let Staging { raw, state } = &self.stagings[staging];
        state.store(ON_ITS_WAY, Ordering::Release);
        let (ours, theirs) = (state.clone(), state.clone());
        raw.map_async(wgpu::MapMode::Read, 0..bytes, move |mapped| {
            theirs.store(if mapped.is_ok() { THERE } else { FAILED }, Ordering::Release);
        });
        Ticket { staging, bytes, state: ours, submission }
    }

    /// Waits for a read that should be done about then: asleep until shortly before, awake for a while around it. A
    /// thread that sleeps is woken late, by a twentieth of a millisecond or much more. It may not be done after this.
    pub(crate) fn watch(&self, context: &Context, ticket: &Ticket, expected: Instant) -> Result<(), GpuError> {
        let asleep = expected.saturating_duration_since(Instant::now()).saturating_sub(AWAKE_BEFORE);
        if !asleep.is_zero() {
            context.poll_for(&ticket.submission, asleep)?;
        }
        let end = Instant::now() + AWAKE_BEFORE + AWAKE_AFTER;
        while ticket.state.load(Ordering::Acquire) == ON_ITS_WAY && Instant::now() < end {
            context.poll(None)?;
            std::thread::yield_now();
        }
        Ok(())
    }

    /// Waits for the bytes and shows them to `see`.
    pub(crate) fn wait<T>(
        &mut self,
        context: &Context,
        ticket: Ticket,
        see: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, GpuError> {
        if ticket.state.load(Ordering::Acquire) != THERE {
            context.poll(Some(&ticket.submission))?;
        }
        context.check()?;
        let staging = &self.stagings[ticket.staging];
        let refused = |reason: &str| GpuError::Lost { reason: format!("a read was refused: {reason}") };
        if ticket.state.load(Ordering::Acquire) != THERE {
            return Err(refused("it was not mapped"));
        }
        let seen = match staging.raw.get_mapped_range(0..ticket.bytes) {
            Ok(bytes) => Ok(see(&bytes)),
            Err(error) => Err(refused(&error.to_string())),
        };
        release(staging);
        seen
    }
}

/// Takes back the memory that a finished read shows.
fn release(staging: &Staging) {
    if staging.state.swap(FAILED, Ordering::AcqRel) == THERE {
        staging.raw.unmap();
    }
}
