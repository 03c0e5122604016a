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

/// The same on the host.
#[derive(Default)]
struct HostRows {
    slices: Vec<[u32; 4]>,
    entries: Vec<[u32; 2]>,
    pulls: Vec<f32>,
}

impl HostRows {
    /// A slice with the rows of some vertices.
    fn push(&mut self, rows: &[Vec<RowEntry>], vertices: &[u32], order: &Order) {
        let split: Vec<[Vec<RowEntry>; 2]> = vertices
            .iter()
            .map(|&i| {
                let (springs, others) = rows[i as usize].iter().partition(|entry| entry.pull != 0.0);
                [springs, others]
            })
            .collect();
        let widths = [0, 1].map(|part| split.iter().map(|row| row[part].len()).max().unwrap_or(0));
        self.slices.push([self.entries.len() as u32, widths[0] as u32, widths[1] as u32, self.pulls.len() as u32]);
        for part in 0..2 {
            for k in 0..widths[part] {
                for lane in 0..SLICE {
                    let entry = split.get(lane).and_then(|row| row[part].get(k));
                    // A padded entry looks at a vertex that is there, which the next line of the slice reads anyway.
                    let own = vertices.get(lane).or(vertices.last()).map_or(0, |&i| order.place[i as usize]);
                    self.entries.push(entry.map_or([own, 0], |entry| {
                        let after = if entry.neighbour > vertices[lane] { AFTER } else { 0 };
                        [order.place[entry.neighbour as usize] | after, (entry.coefficient as f32).to_bits()]
                    }));
                    if part == 0 {
                        self.pulls.push(entry.map_or(0.0, |entry| entry.pull as f32));
                    }
                }
            }
        }
    }

    fn buffers(&self, context: &Context) -> Result<ForceRows, GpuError> {
        Ok(ForceRows {
            slices: Buffer::with(context, "slices of rows", &self.slices)?,
            entries: Buffer::with(context, "entries of rows", &self.entries)?,
            pulls: Buffer::with(context, "pulls of rows", &self.pulls)?,
        })
    }
}

/// The vertices of groups, each of which starts a slice.
pub(crate) struct Groups {
    /// Vertex of each row, NOBODY where a slice is padded.
    pub(crate) vertices: Buffer,
    /// First row and number of rows of each group.
    pub(crate) ranges: Vec<[u32; 2]>,
}

impl Groups {
    /// Calls `push` with the vertices of each slice.
    fn new<'a>(
        context: &Context,
        order: &Order,
        groups: impl Iterator<Item = &'a [u32]>,
        mut push: impl FnMut(&[u32]),
    ) -> Result<Self, GpuError> {
        let (mut vertices, mut ranges) = (Vec::new(), Vec::new());
        for group in groups {
            ranges.push([vertices.len() as u32, group.len() as u32]);
            for slice in group.chunks(SLICE) {
                push(slice);
                let end = vertices.len() + SLICE;
                vertices.extend(slice.iter().map(|&i| order.place[i as usize]));
                vertices.resize(end, NOBODY);
            }
        }
        Ok(Self { vertices: Buffer::with(context, "vertices of rows", &vertices)?, ranges })
    }
}

impl ForceRows {
    /// In the order of the vertices.
    pub(crate) fn new(context: &Context, model: &Model, system: &System, order: &Order) -> Result<Self, GpuError> {
        let (rows, mut host) = (vertex_rows(model, system), HostRows::default());
        order.vertex.chunks(SLICE).for_each(|slice| host.push(&rows, slice, order));
        host.buffers(context)
    }

    /// The rows of `groups` of vertices (of the model).
    pub(crate) fn grouped<'a>(
        context: &Context,
        (model, system, order): (&Model, &System, &Order),
        groups: impl Iterator<Item = &'a [u32]>,
    ) -> Result<(Self, Groups), GpuError> {
        let (rows, mut host) = (vertex_rows(model, system), HostRows::default());
        let groups = Groups::new(context, order, groups, |slice| host.push(&rows, slice, order))?;
        Ok((host.buffers(context)?, groups))
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
    pub(crate) groups: Groups,
}

impl MatrixRows {
    /// The rows of `groups` of vertices (of the model).
    pub(crate) fn new<'a>(
        context: &Context,
        matrix: &Csr,
        order: &Order,
        groups: impl Iterator<Item = &'a [u32]>,
    ) -> Result<Self, GpuError> {
        let mut all = Slices::default();
        let groups = Groups::new(context, order, groups, |slice| all.push_slice(matrix, slice, &order.place))?;
        let SlicedRows { slices, entries } = all.buffers(context, "the matrix")?;
        Ok(Self { slices, entries, groups })
    }
}
