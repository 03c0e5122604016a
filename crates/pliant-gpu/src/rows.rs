//! Sparse rows in slices: the rows of [`SLICE`] vertices lie entry by entry, so that neighbouring invocations read
//! neighbouring memory. Each slice is as wide as its widest row; what is missing is padded with entries that do nothing.

use crate::buffer::Buffer;
use crate::context::Context;
use crate::error::GpuError;
use crate::order::Order;
use pliant::device::rows::{RowEntry, vertex_rows};
use pliant::linear::Csr;
use pliant::model::{Model, System};

/// Rows in a slice.
pub(crate) const SLICE: usize = 32;

/// Set on a neighbour that comes after the vertex in the model.
const AFTER: u32 = 0x8000_0000;

/// No vertex.
const NOBODY: u32 = u32::MAX;

/// Springs and constant Hessians.
pub(crate) struct ForceRows {
    pub(crate) slices: Buffer,
    pub(crate) entries: Buffer,
    pub(crate) pulls: Buffer,
}

impl ForceRows {
    pub(crate) fn new(context: &Context, model: &Model, system: &System, order: &Order) -> Result<Self, GpuError> {
        let rows = vertex_rows(model, system);
        let (mut slices, mut entries, mut pulls) = (Vec::new(), Vec::<[u32; 2]>::new(), Vec::<f32>::new());
        for (s, places) in order.vertex.chunks(SLICE).enumerate() {
            let split: Vec<[Vec<RowEntry>; 2]> = places
                .iter()
                .map(|&i| {
                    let (springs, others) = rows[i as usize].iter().partition(|entry| entry.pull != 0.0);
                    [springs, others]
                })
                .collect();
            let widths = [0, 1].map(|part| split.iter().map(|row| row[part].len()).max().unwrap_or(0));
            slices.push([entries.len() as u32, widths[0] as u32, widths[1] as u32, pulls.len() as u32]);
            for part in 0..2 {
                for k in 0..widths[part] {
                    for lane in 0..SLICE {
                        let entry = split.get(lane).and_then(|row| row[part].get(k));
                        // A padded entry looks at a vertex that is there, which the next line of the slice reads anyway.
                        let nothing = [(s * SLICE + lane).min(order.place.len() - 1) as u32, 0];
                        entries.push(entry.map_or(nothing, |entry| {
                            let after = if entry.neighbour > places[lane] { AFTER } else { 0 };
                            [order.place[entry.neighbour as usize] | after, (entry.coefficient as f32).to_bits()]
                        }));
                        if part == 0 {
                            pulls.push(entry.map_or(0.0, |entry| entry.pull as f32));
                        }
                    }
                }
            }
        }
        Ok(Self {
            slices: Buffer::with(context, "slices of rows", &slices)?,
            entries: Buffer::with(context, "entries of rows", &entries)?,
            pulls: Buffer::with(context, "pulls of rows", &pulls)?,
        })
    }

    /// Bytes that one sweep reads of them.
    pub(crate) fn bytes(&self) -> u64 {
        self.slices.bytes() + self.entries.bytes() + self.pulls.bytes()
    }
}

/// Rows of sparse matrices in given orders, one matrix after the other.
#[derive(Default)]
pub(crate) struct Slices {
    slices: Vec<[u32; 2]>,
    entries: Vec<[u32; 2]>,
}

impl Slices {
    /// The given rows of a matrix, with each column at its place; returns their first slice.
    pub(crate) fn push(&mut self, matrix: &Csr, rows: &[u32], places: &[u32]) -> u32 {
        let first = self.slices.len() as u32;
        rows.chunks(SLICE).for_each(|slice| self.push_slice(matrix, slice, places));
        first
    }

    fn push_slice(&mut self, matrix: &Csr, slice: &[u32], places: &[u32]) {
        let rows: Vec<Vec<(usize, f64)>> = slice.iter().map(|&i| matrix.row(i as usize).collect()).collect();
        let width = rows.iter().map(Vec::len).max().unwrap_or(0);
        self.slices.push([self.entries.len() as u32, width as u32]);
        for k in 0..width {
            self.entries.extend((0..SLICE).map(|lane| {
                let entry = rows.get(lane).and_then(|row| row.get(k));
                entry.map_or([0, 0], |&(j, value)| [places[j], (value as f32).to_bits()])
            }));
        }
    }

    /// Brings them to the device.
    pub(crate) fn buffers(&self, context: &Context, name: &str) -> Result<SlicedRows, GpuError> {
        Ok(SlicedRows {
            slices: Buffer::with(context, &format!("slices of {name}"), &self.slices)?,
            entries: Buffer::with(context, &format!("entries of {name}"), &self.entries)?,
        })
    }
}

/// First entry and width of each slice, and the entries: column and the bits of the value.
pub(crate) struct SlicedRows {
    pub(crate) slices: Buffer,
    pub(crate) entries: Buffer,
}

impl SlicedRows {
    /// The given rows of a matrix, with each column at its place.
    pub(crate) fn new(
        context: &Context,
        name: &str,
        matrix: &Csr,
        rows: &[u32],
        places: &[u32],
    ) -> Result<Self, GpuError> {
        let mut all = Slices::default();
        all.push(matrix, rows, places);
        all.buffers(context, name)
    }
}

/// Rows of a matrix for some vertices in some order.
pub(crate) struct MatrixRows {
    pub(crate) slices: Buffer,
    pub(crate) entries: Buffer,
    pub(crate) vertices: Buffer,
    /// First row and number of rows of each group.
    pub(crate) groups: Vec<[u32; 2]>,
}

impl MatrixRows {
    /// The rows of `groups` of vertices (of the model); every group starts a slice.
    pub(crate) fn new<'a>(
        context: &Context,
        matrix: &Csr,
        order: &Order,
        groups: impl Iterator<Item = &'a [u32]>,
    ) -> Result<Self, GpuError> {
        let mut all = Slices::default();
        let (mut vertices, mut ranges) = (Vec::new(), Vec::new());
        for group in groups {
            ranges.push([vertices.len() as u32, group.len() as u32]);
            for slice in group.chunks(SLICE) {
                all.push_slice(matrix, slice, &order.place);
                vertices.extend(slice.iter().map(|&i| order.place[i as usize]));
                vertices.resize(all.slices.len() * SLICE, NOBODY);
            }
        }
        let SlicedRows { slices, entries } = all.buffers(context, "the matrix")?;
        Ok(Self { slices, entries, vertices: Buffer::with(context, "rows of the matrix", &vertices)?, groups: ranges })
    }
}
