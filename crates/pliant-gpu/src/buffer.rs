//! Memory on the device.

use crate::context::{Context, Id};
use crate::error::GpuError;

/// A storage buffer; zeros at first.
#[derive(Debug)]
pub(crate) struct Buffer {
    pub(crate) id: Id,
    pub(crate) raw: wgpu::Buffer,
    bytes: u64,
    label: String,
}

impl Buffer {
    /// A buffer of zeros. Of length 0 it still can be bound.
    pub(crate) fn new(context: &Context, label: &str, bytes: u64) -> Result<Self, GpuError> {
        use wgpu::BufferUsages as Usage;
        // No element of an array is larger than 128 bytes, and an array must have room for one. Past all limits stays past
        // all limits.
        let size = bytes.max(128).checked_next_multiple_of(16).unwrap_or(u64::MAX);
        let raw = context.raw_buffer(label, size, Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST)?;
        Ok(Self { id: context.id(), raw, bytes, label: label.to_owned() })
    }

    /// A buffer that holds `values`.
    pub(crate) fn with<T: bytemuck::Pod>(context: &Context, label: &str, values: &[T]) -> Result<Self, GpuError> {
        let buffer = Self::new(context, label, size_of_val(values) as u64)?;
        let bytes: &[u8] = bytemuck::cast_slice(values);
        // The last bytes of a length that is no multiple of 4 travel with padding.
        let whole = bytes.len() / 4 * 4;
        context.queue.write_buffer(&buffer.raw, 0, &bytes[..whole]);
        if whole < bytes.len() {
            let mut last = [0; 4];
            last[..bytes.len() - whole].copy_from_slice(&bytes[whole..]);
            context.queue.write_buffer(&buffer.raw, whole as u64, &last);
        }
        Ok(buffer)
    }

    /// Length, bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Name for messages.
    pub(crate) fn label(&self) -> &str {
        &self.label
    }
}

/// A point or vector per vertex: n of `vec4<f32>`, whose last component no verb looks at.
#[derive(Debug)]
pub struct Field {
    pub(crate) buffer: Buffer,
    len: u32,
}

impl Field {
    /// A field of zeros.
    pub(crate) fn new(context: &Context, label: &str, len: usize) -> Result<Self, GpuError> {
        let buffer = Buffer::new(context, label, (len as u64).saturating_mul(16))?;
        let limit = u64::from(u32::MAX);
        let len =
            u32::try_from(len).map_err(|_| GpuError::TooLarge { name: label.into(), bytes: buffer.bytes, limit })?;
        Ok(Self { buffer, len })
    }

    /// A field without points, which takes no memory.
    pub(crate) fn empty(context: &Context, any: &Buffer) -> Self {
        let buffer = Buffer { id: context.id(), raw: any.raw.clone(), bytes: 0, label: "nothing".to_owned() };
        Self { buffer, len: 0 }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Number of points, as kernels take it.
    pub(crate) fn count(&self) -> u32 {
        self.len
    }
}
