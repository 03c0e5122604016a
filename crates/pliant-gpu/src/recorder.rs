//! Records kernels and submits them in chunks, so that recording overlaps execution.

use crate::buffer::{Buffer, Field};
use crate::context::{Context, Counts};
use crate::error::GpuError;
use crate::kernel::{Kernel, MAX_BINDINGS};
use crate::readback::{Readback, Ticket};
use crate::timer::{Scope, TICKS, Timer};
use bytemuck::{Pod, cast_slice};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Dispatches per submission: fewer cost more (7.6 against 5.9 µs per dispatch for chunks of 5 on an H200).
const CHUNK: u32 = 50;

/// The same for a GPU that waits for work; twice as many each time, up to [`CHUNK`].
const FIRST_CHUNK: u32 = 6;

/// Workgroups in one dimension of a dispatch, the limit of WebGPU.
const MAX_GROUPS: u32 = 65535;

/// The open command buffer and all that steady recording uses again.
#[derive(Debug)]
pub(crate) struct Recorder {
    context: Arc<Context>,
    // Before the encoder: a pass must end first.
    pass: Option<wgpu::ComputePass<'static>>,
    encoder: Option<wgpu::CommandEncoder>,
    /// Kernel that is set in the pass.
    set: Option<u32>,
    pending: u32,
    chunk: u32,
    dispatches: u64,
    /// By kernel and buffers.
    bind_groups: HashMap<Box<[u32]>, wgpu::BindGroup>,
    readback: Readback,
    timer: Option<Timer>,
    points: Vec<[f32; 4]>,
}

/// Workgroups of a dispatch in x and y; a few too many where y > 1.
pub(crate) fn grid(groups: u32) -> [u32; 2] {
    let y = groups.div_ceil(MAX_GROUPS).max(1);
    [groups.div_ceil(y), y]
}

impl Recorder {
    pub(crate) fn new(context: &Arc<Context>) -> Result<Self, GpuError> {
        Ok(Self {
            context: context.clone(),
            pass: None,
            encoder: None,
            set: None,
            pending: 0,
            chunk: FIRST_CHUNK,
            dispatches: 0,
            bind_groups: HashMap::new(),
            readback: Readback::default(),
            timer: Timer::new(context)?,
            points: Vec::new(),
        })
    }

    /// Records one invocation for each of `n`; nothing if n is 0.
    pub(crate) fn run<P: Pod>(&mut self, kernel: &Kernel, buffers: &[&Buffer], parameters: &P, n: u32) {
        self.dispatch(kernel, buffers, parameters, n.div_ceil(kernel.group));
    }

    /// Records so many workgroups; nothing if there are none.
    pub(crate) fn dispatch<P: Pod>(&mut self, kernel: &Kernel, buffers: &[&Buffer], parameters: &P, groups: u32) {
        if groups == 0 {
            return;
        }
        debug_assert_eq!(buffers.len(), kernel.bindings, "buffers of {}", kernel.label);
        debug_assert_eq!(size_of::<P>(), kernel.parameters, "parameters of {}", kernel.label);
        let mut key = [0; MAX_BINDINGS + 1];
        key[0] = kernel.id.number();
        for (place, buffer) in key[1..].iter_mut().zip(buffers) {
            *place = buffer.id.number();
        }
        let key = &key[..=buffers.len()];
        if !self.bind_groups.contains_key(key) {
            let made = bind_group(&self.context, kernel, buffers);
            self.bind_groups.insert(key.into(), made);
        }
        self.open_pass();
        let (Some(pass), Some(bind_group)) = (&mut self.pass, self.bind_groups.get(key)) else { return };
        if self.set != Some(key[0]) {
            pass.set_pipeline(&kernel.raw);
            self.set = Some(key[0]);
        }
        pass.set_bind_group(0, bind_group, &[]);
        if kernel.parameters > 0 {
            pass.set_immediates(0, bytemuck::bytes_of(parameters));
        }
        let [x, y] = grid(groups);
        pass.dispatch_workgroups(x, y, 1);
        self.dispatches += 1;
        self.pending += 1;
        if self.pending >= self.chunk {
            self.chunk = (2 * self.chunk).min(CHUNK);
            self.flush();
        }
    }

    fn open_pass(&mut self) {
        if self.pass.is_none() {
            let descriptor = wgpu::ComputePassDescriptor { label: Some("pliant"), timestamp_writes: None };
            let pass = self.encoder().begin_compute_pass(&descriptor).forget_lifetime();
            self.pass = Some(pass);
            self.set = None;
        }
    }

    /// The encoder outside of a pass.
    fn encoder(&mut self) -> &mut wgpu::CommandEncoder {
        self.pass = None;
        let device = &self.context.device;
        self.encoder.get_or_insert_with(|| device.create_command_encoder(&Default::default()))
    }

    /// Submits what is recorded, if anything.
    pub(crate) fn flush(&mut self) {
        if self.encoder.is_some() {
            self.submit();
        }
    }

    fn submit(&mut self) -> wgpu::SubmissionIndex {
        self.pass = None;
        self.pending = 0;
        Counts::count(&self.context.counts.submissions);
        let gone = self.context.take_gone();
        if !gone.is_empty() {
            self.bind_groups.retain(|key, _| !key.iter().any(|id| gone.contains(id)));
        }
        self.context.queue.submit(self.encoder.take().map(wgpu::CommandEncoder::finish))
    }

    /// Submits what is recorded and waits until it is done.
    pub(crate) fn finish(&mut self) -> Result<(), GpuError> {
        let last = self.submit();
        self.chunk = FIRST_CHUNK;
        Counts::count(&self.context.counts.waits);
        self.context.poll(Some(&last))
    }

    /// Dispatches recorded so far.
    pub(crate) fn dispatches(&self) -> u64 {
        self.dispatches
    }

    /// Submissions so far.
    pub(crate) fn submissions(&self) -> u64 {
        self.context.counts.submissions.load(Ordering::Relaxed)
    }

    /// Bind groups and staging buffers that were made and are kept.
    #[cfg(test)]
    pub(crate) fn kept(&self) -> (usize, usize) {
        (self.bind_groups.len(), self.readback.len())
    }

    /// Host to device, after all that is recorded. `offset` and the length are multiples of 4 bytes.
    pub(crate) fn write<T: Pod>(&mut self, buffer: &Buffer, offset: u64, values: &[T]) {
        if !values.is_empty() && self.inside(buffer, offset, size_of_val(values) as u64) {
            self.flush();
            self.context.queue.write_buffer(&buffer.raw, offset, cast_slice(values));
        }
    }

    /// Host to device, after all that is recorded; rounds to `f32`.
    pub(crate) fn write_points(&mut self, field: &Field, from: impl Iterator<Item = [f64; 3]>) {
        let mut points = std::mem::take(&mut self.points);
        points.clear();
        points.extend(from.map(|x| [x[0] as f32, x[1] as f32, x[2] as f32, 0.0]));
        self.write(&field.buffer, 0, &points);
        self.points = points;
    }

    /// Asks for bytes as they are after all that is recorded. Offset and length are multiples of 4, the length is not 0.
    pub(crate) fn request_read(&mut self, buffer: &Buffer, range: Range<u64>) -> Result<Ticket, GpuError> {
        let bytes = range.end.saturating_sub(range.start);
        if bytes == 0 || !self.inside(buffer, range.start, bytes) {
            return Err(GpuError::Invalid {
                what: format!("read of {}", buffer.label()),
                message: format!("bytes {range:?} of {}", buffer.bytes()),
            });
        }
        self.request_raw(&[(&buffer.raw, range.start, bytes)])
    }

    /// Asks for bytes of some buffers: buffer, offset, length. They come one after the other.
    fn request_raw(&mut self, parts: &[(&wgpu::Buffer, u64, u64)]) -> Result<Ticket, GpuError> {
        let bytes = parts.iter().map(|(.., bytes)| bytes).sum();
        let staging = self.readback.acquire(&self.context, bytes)?;
        let to = self.readback.buffer(staging).clone();
        let mut at = 0;
        for &(from, offset, bytes) in parts {
            self.encoder().copy_buffer_to_buffer(from, offset, &to, at, bytes);
            at += bytes;
        }
        let submission = self.submit();
        Ok(self.readback.request(staging, bytes, submission))
    }

    /// Waits for a read and shows its bytes to `see`.
    pub(crate) fn wait<T>(&mut self, ticket: Ticket, see: impl FnOnce(&[u8]) -> T) -> Result<T, GpuError> {
        self.chunk = FIRST_CHUNK;
        Counts::count(&self.context.counts.waits);
        self.readback.wait(&self.context, ticket, see)
    }

    /// Fills `out` from `offset` bytes on; waits.
    pub(crate) fn read<T: Pod>(&mut self, buffer: &Buffer, offset: u64, out: &mut [T]) -> Result<(), GpuError> {
        if out.is_empty() {
            return self.context.check();
        }
        let ticket = self.request_read(buffer, offset..offset + size_of_val(out) as u64)?;
        self.wait(ticket, |bytes| bytemuck::cast_slice_mut(out).copy_from_slice(bytes))
    }

    /// Fills `out` from the start of a buffer and ends a scope there; its GPU time, s, comes along. Waits once, without
    /// sleeping around the time it is `expected` to be done.
    pub(crate) fn read_ending<T: Pod>(
        &mut self,
        buffer: &Buffer,
        out: &mut [T],
        scope: Option<Scope>,
        expected: Option<Instant>,
    ) -> Result<Option<f64>, GpuError> {
        let bytes = size_of_val(out) as u64;
        let values = (&buffer.raw, 0, bytes);
        let mut results = None;
        if let Some(scope) = scope {
            self.time_end(scope);
            if let (Some(timer), Some(encoder)) = (&self.timer, &mut self.encoder) {
                results = Some((timer.resolve(encoder, scope), timer.results.clone()));
            }
        }
        let ticket = match &results {
            Some((at, results)) => self.request_raw(&[values, (results, *at, TICKS)])?,
            None => self.request_raw(&[values])?,
        };
        if let Some(expected) = expected {
            self.readback.watch(&self.context, &ticket, expected)?;
        }
        let ticks = self.wait(ticket, |all| {
            let (values, ticks) = all.split_at(bytes as usize);
            bytemuck::cast_slice_mut(out).copy_from_slice(values);
            (!ticks.is_empty()).then(|| bytemuck::pod_read_unaligned::<[u64; 2]>(ticks))
        })?;
        Ok(self.timer.as_ref().zip(ticks).map(|(timer, ticks)| timer.seconds(ticks)))
    }

    /// Shows every point of a field with its place; waits.
    pub(crate) fn read_points(&mut self, field: &Field, see: impl FnMut(usize, [f64; 3])) -> Result<(), GpuError> {
        let ticket = self.request_points(field)?;
        self.receive_points(ticket, see)
    }

    /// Asks for the points of a field, if it has any, as they are after all that is recorded.
    pub(crate) fn request_points(&mut self, field: &Field) -> Result<Option<Ticket>, GpuError> {
        if field.is_empty() {
            return self.context.check().map(|()| None);
        }
        self.request_read(&field.buffer, 0..16 * field.len() as u64).map(Some)
    }

    /// Shows every point that was asked for with its place. Waits for them; what is recorded meanwhile is submitted, so
    /// that the GPU goes on.
    pub(crate) fn receive_points(
        &mut self,
        ticket: Option<Ticket>,
        mut see: impl FnMut(usize, [f64; 3]),
    ) -> Result<(), GpuError> {
        let Some(ticket) = ticket else { return self.context.check() };
        self.flush();
        self.wait(ticket, |bytes| {
            for (place, bytes) in bytes.chunks_exact(16).enumerate() {
                let [a, b, c, _]: [f32; 4] = bytemuck::pod_read_unaligned(bytes);
                see(place, [a.into(), b.into(), c.into()]);
            }
        })
    }

    /// Shows every vector of four in a buffer that is not empty; waits for them.
    pub(crate) fn read_vectors(
        &mut self,
        buffer: &Buffer,
        mut see: impl FnMut(usize, [f32; 4]),
    ) -> Result<(), GpuError> {
        let ticket = self.request_read(buffer, 0..buffer.bytes())?;
        self.wait(ticket, |bytes| {
            bytes.chunks_exact(16).enumerate().for_each(|(k, bytes)| see(k, bytemuck::pod_read_unaligned(bytes)));
        })
    }

    /// Device to device; both are equally long.
    pub(crate) fn copy(&mut self, from: &Buffer, to: &Buffer) {
        let (from_raw, to_raw) = (from.raw.clone(), to.raw.clone());
        self.encoder().copy_buffer_to_buffer(&from_raw, 0, &to_raw, 0, from.bytes().min(to.bytes()));
    }

    /// Fills a buffer with zeros.
    pub(crate) fn clear(&mut self, buffer: &Buffer) {
        let raw = buffer.raw.clone();
        self.encoder().clear_buffer(&raw, 0, None);
    }

    /// Starts to measure; `None` where the adapter has no timestamps.
    pub(crate) fn time_begin(&mut self) -> Option<Scope> {
        let scope = self.timer.as_mut()?.scope();
        self.stamp(scope, false);
        Some(scope)
    }

    /// Ends a measurement.
    pub(crate) fn time_end(&mut self, scope: Scope) {
        self.stamp(scope, true);
    }

    fn stamp(&mut self, scope: Scope, end: bool) {
        self.encoder();
        if let (Some(timer), Some(encoder)) = (&self.timer, &mut self.encoder) {
            timer.stamp(encoder, scope, end);
        }
    }

    /// GPU time of an ended scope, s; waits. Only the last 64 scopes are kept.
    pub(crate) fn seconds(&mut self, scope: Scope) -> Result<f64, GpuError> {
        self.encoder();
        let (Some(timer), Some(encoder)) = (&self.timer, &mut self.encoder) else { return Ok(0.0) };
        let (at, results) = (timer.resolve(encoder, scope), timer.results.clone());
        let ticket = self.request_raw(&[(&results, at, TICKS)])?;
        let ticks = self.wait(ticket, bytemuck::pod_read_unaligned::<[u64; 2]>)?;
        Ok(self.timer.as_ref().map_or(0.0, |timer| timer.seconds(ticks)))
    }

    /// Whether a range can be copied; reports a fault if not.
    fn inside(&self, buffer: &Buffer, offset: u64, bytes: u64) -> bool {
        let inside = offset + bytes <= buffer.bytes() && offset.is_multiple_of(4) && bytes.is_multiple_of(4);
        if !inside {
            self.context.faults.report(GpuError::Invalid {
                what: format!("copy of {}", buffer.label()),
                message: format!("{bytes} bytes at {offset} of {}", buffer.bytes()),
            });
        }
        inside
    }
}

fn bind_group(context: &Context, kernel: &Kernel, buffers: &[&Buffer]) -> wgpu::BindGroup {
    Counts::count(&context.counts.bind_groups);
    let entries: Vec<_> = (0..)
        .zip(buffers)
        .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.raw.as_entire_binding() })
        .collect();
    context.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some(&kernel.label),
        layout: &kernel.layout,
        entries: &entries,
    })
}
