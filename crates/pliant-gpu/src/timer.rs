//! GPU time of a stretch of recorded work.

use crate::context::Context;
use crate::error::GpuError;
use std::time::{Duration, Instant};

/// Scopes that can be remembered at a time; older ones are overwritten.
const SCOPES: u32 = 64;
/// Bytes between the results of two scopes, as the API aligns them.
const STRIDE: u64 = wgpu::QUERY_RESOLVE_BUFFER_ALIGNMENT;

/// Bytes of the two timestamps of a scope.
pub(crate) const TICKS: u64 = 16;

/// Of steps that take longer nobody minds that a sleeping thread is woken late.
const SHORT: Duration = Duration::from_millis(5);

/// A stretch of recorded work whose GPU time is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope(pub(crate) u32);

/// The clock of the step at hand.
#[derive(Debug, Default)]
pub(crate) struct StepClock {
    /// From its begin to its measures.
    pub(crate) scope: Option<Scope>,
    /// When it was begun.
    pub(crate) begun: Option<Instant>,
    /// GPU time of the last step that was measured, s.
    pub(crate) seconds: Option<f64>,
    /// About when its measures are there, where somebody knows.
    pub(crate) expected: Option<Instant>,
}

impl StepClock {
    /// About when the measures of the step at hand are there: as long after its begin as those of the last were, if that
    /// was so short that waking up late matters.
    pub(crate) fn take_expected(&mut self) -> Option<Instant> {
        let last = self.seconds.map(Duration::from_secs_f64).filter(|last| *last < SHORT);
        let as_last = self.begun.take().zip(last).map(|(begun, last)| begun + last);
        self.expected.take().or(as_last)
    }
}

/// Timestamps, where the adapter has them.
#[derive(Debug)]
pub(crate) struct Timer {
    queries: wgpu::QuerySet,
    pub(crate) results: wgpu::Buffer,
    next: u32,
    /// Seconds per tick.
    period: f64,
}

impl Timer {
    /// `None` where the adapter has no timestamps.
    pub(crate) fn new(context: &Context) -> Result<Option<Self>, GpuError> {
        if !context.info.timestamps {
            return Ok(None);
        }
        use wgpu::BufferUsages as Usage;
        let size = u64::from(SCOPES) * STRIDE;
        let results = context.raw_buffer("timestamps", size, Usage::QUERY_RESOLVE | Usage::COPY_SRC)?;
        let descriptor =
            wgpu::QuerySetDescriptor { label: Some("timestamps"), ty: wgpu::QueryType::Timestamp, count: 2 * SCOPES };
        let queries = context.checked("timestamps", || context.device.create_query_set(&descriptor))?;
        let period = f64::from(context.queue.get_timestamp_period()) * 1e-9;
        Ok(Some(Self { queries, results, next: 0, period }))
    }

    pub(crate) fn scope(&mut self) -> Scope {
        self.next = (self.next + 1) % SCOPES;
        Scope(self.next)
    }

    /// Writes the time at which all work recorded before is done. An empty pass does it, so that passes with kernels
    /// need not know of timing.
    pub(crate) fn stamp(&self, encoder: &mut wgpu::CommandEncoder, scope: Scope, end: bool) {
        let index = Some(2 * scope.0 + u32::from(end));
        drop(encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("time"),
            timestamp_writes: Some(wgpu::ComputePassTimestampWrites {
                query_set: &self.queries,
                beginning_of_pass_write_index: if end { None } else { index },
                end_of_pass_write_index: if end { index } else { None },
            }),
        }));
    }

    /// Brings the two timestamps of a scope to `results`; returns where they lie there.
    pub(crate) fn resolve(&self, encoder: &mut wgpu::CommandEncoder, scope: Scope) -> u64 {
        let at = u64::from(scope.0) * STRIDE;
        encoder.resolve_query_set(&self.queries, 2 * scope.0..2 * scope.0 + 2, &self.results, at);
        at
    }

    /// Seconds between two timestamps.
    pub(crate) fn seconds(&self, ticks: [u64; 2]) -> f64 {
        ticks[1].saturating_sub(ticks[0]) as f64 * self.period
    }
}
