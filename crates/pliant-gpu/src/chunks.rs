//! Connected parts of a model, cut into a workgroup's worth of vertices each: for sums over a part.

use crate::buffer::Buffer;
use crate::context::Context;
use crate::error::GpuError;
use crate::kernel::GROUP;
use crate::order::Order;
use pliant::model::{Model, System};

/// Where parts and their chunks lie.
pub(crate) struct Chunks {
    /// The first place, the one after the last, the part.
    pub(crate) chunks: Buffer,
    pub(crate) count: u32,
    /// First chunk, number of chunks, and whether a pin holds the part.
    pub(crate) parts: Buffer,
    pub(crate) part_count: u32,
}

impl Chunks {
    pub(crate) fn new(context: &Context, model: &Model, system: &System, order: &Order) -> Result<Self, GpuError> {
        let (mut chunks, mut parts, mut first) = (Vec::new(), Vec::new(), 0);
        for (number, part) in order.parts.rows().enumerate() {
            // The parts lie one after the other.
            let places = first..first + part.len();
            first = places.end;
            let starts = places.clone().step_by(GROUP as usize);
            parts.push([chunks.len(), starts.len(), usize::from(system.holds_some_of(model, part))].map(|i| i as u32));
            let chunk = |first| [first, places.end.min(first + GROUP as usize), number].map(|i| i as u32);
            chunks.extend(starts.map(chunk));
        }
        Ok(Self {
            count: chunks.len() as u32,
            chunks: Buffer::with(context, "chunks of parts", &chunks)?,
            part_count: parts.len() as u32,
            parts: Buffer::with(context, "parts", &parts)?,
        })
    }
}
