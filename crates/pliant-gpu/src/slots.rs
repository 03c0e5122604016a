//! Slots: what elements write for their corners, for the vertices to gather.

use crate::buffer::Buffer;
use crate::context::Context;
use crate::error::GpuError;

/// A vector per corner; those of one vertex lie together.
pub(crate) struct Slots {
    pub(crate) vectors: Buffer,
    /// Where the slots of each vertex start, and one more.
    pub(crate) offsets: Buffer,
    /// The slot of each corner.
    pub(crate) destinations: Buffer,
}

impl Slots {
    /// For corners at these places.
    pub(crate) fn new(context: &Context, vertices: usize, corners: &[u32]) -> Result<Self, GpuError> {
        let (offsets, destinations) = grouped(vertices, corners);
        Ok(Self {
            vectors: Buffer::new(context, "slots", 16 * corners.len() as u64)?,
            offsets: Buffer::with(context, "slot offsets", &offsets)?,
            destinations: Buffer::with(context, "slots of corners", &destinations)?,
        })
    }
}

/// Sorts corners by the vertex they are at: where the ones of each vertex start, and the place of each corner.
pub(crate) fn grouped(vertices: usize, of: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut offsets = vec![0u32; vertices + 1];
    of.iter().for_each(|&i| offsets[i as usize + 1] += 1);
    for i in 0..vertices {
        offsets[i + 1] += offsets[i];
    }
    let mut next = offsets.clone();
    let place = |&i: &u32| {
        next[i as usize] += 1;
        next[i as usize] - 1
    };
    (offsets, of.iter().map(place).collect())
}
