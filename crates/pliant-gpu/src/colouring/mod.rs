//! The parallel colourings of [`pliant::colouring`] on a GPU: the same colours and rounds as on the CPU, bit by bit.
//!
//! Graph and colours stay on the device. Rounds are recorded in chunks, as many as the colouring before has taken and a
//! few more; vertices that have a colour leave the list, and rounds without vertices return at once. Then the host waits
//! for the counters, and only if vertices are left it records more. So a colouring usually takes one wait.

mod change;
mod colourer;
mod counters;
mod kernels;
mod rounds;

pub use colourer::Colourer;
#[cfg(test)]
pub(crate) use kernels::texts;

use crate::buffer::Buffer;
use crate::context::Context;
use crate::error::GpuError;
use crate::gpu::Gpu;
use counters::COUNTERS;
use kernels::Kernels;
use pliant::colouring::{Algorithm, Colouring, Graph};

/// Who must not share a colour with whom, on a GPU.
#[derive(Debug)]
pub struct GpuGraph {
    /// Number of vertices.
    n: u32,
    offsets: Buffer,
    neighbours: Buffer,
}

/// A colour for each vertex of a graph, on a GPU, with the room that it takes to find it: 36 bytes a vertex.
#[derive(Debug)]
pub struct GpuColouring {
    /// Number of vertices.
    n: u32,
    colours: usize,
    rounds: usize,
    waits: usize,
    expected: Expected,
    kernels: Kernels,
    work: Work,
}

/// How many rounds and packing passes to record at once.
#[derive(Clone, Copy, Debug)]
struct Expected {
    algorithm: Option<Algorithm>,
    rounds: usize,
    passes: usize,
    /// Rounds of a recolouring.
    change_rounds: usize,
}

/// The buffers; what the scratch is depends on the algorithm.
#[derive(Debug)]
struct Work {
    counters: Buffer,
    colour: Buffer,
    /// Vertices of each colour, and in the last place those of colours that no such graph needs.
    sizes: Buffer,
    scratch: [Buffer; 3],
    /// The vertices that are to be coloured.
    members: Buffer,
    /// Those that are left, in turns.
    lists: [Buffer; 2],
    /// The colours that `members` had.
    before: Buffer,
    /// Vertices whose neighbours changed.
    touched: Buffer,
}

impl Work {
    fn new(context: &Context, n: u32) -> Result<Self, GpuError> {
        let words = |label: &str, count: u64| Buffer::new(context, label, 4 * count);
        let one_each = |label: &str| words(label, u64::from(n));
        Ok(Self {
            counters: words("counters of a colouring", COUNTERS as u64)?,
            colour: one_each("colours")?,
            sizes: words("sizes of colours", u64::from(n) + 1)?,
            scratch: [one_each("colouring")?, one_each("colouring")?, one_each("colouring")?],
            members: one_each("vertices to colour")?,
            lists: [one_each("uncoloured vertices")?, one_each("uncoloured vertices")?],
            before: one_each("colours before")?,
            touched: words("touched vertices", 0)?,
        })
    }
}

impl GpuGraph {
    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.n as usize
    }

    /// There are no vertices.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }
}

impl GpuColouring {
    /// Number of colours.
    pub fn count(&self) -> usize {
        self.colours
    }

    /// Rounds of parallel passes that the last colouring took.
    pub fn rounds(&self) -> usize {
        self.rounds
    }

    /// How often the host waited for the device during the last colouring.
    pub fn waits(&self) -> usize {
        self.waits
    }
}

impl Gpu {
    /// Brings a graph to the device.
    pub fn graph(&mut self, graph: &Graph) -> Result<GpuGraph, GpuError> {
        debug_assert!(graph.item.iter().all(|&v| (v as usize) < graph.len()), "neighbours are vertices");
        let offsets = if graph.is_empty() { &[0][..] } else { &graph.offset[..] };
        Ok(GpuGraph {
            n: vertices(graph.len())?,
            offsets: Buffer::with(&self.context, "rows of a graph", offsets)?,
            neighbours: Buffer::with(&self.context, "neighbours", &graph.item)?,
        })
    }

    /// Brings another graph to where one is, in the same memory if it has room.
    pub fn update_graph(&mut self, old: &mut GpuGraph, graph: &Graph) -> Result<(), GpuError> {
        debug_assert!(graph.item.iter().all(|&v| (v as usize) < graph.len()), "neighbours are vertices");
        let fits = |buffer: &Buffer, values: &[u32]| size_of_val(values) as u64 <= buffer.bytes();
        if !fits(&old.offsets, &graph.offset) || !fits(&old.neighbours, &graph.item) {
            *old = self.graph(graph)?;
            return Ok(());
        }
        old.n = vertices(graph.len())?;
        self.recorder.write(&old.offsets, 0, &graph.offset);
        self.recorder.write(&old.neighbours, 0, &graph.item);
        Ok(())
    }

    /// Room for the colours of a graph with so many vertices; all have colour 0.
    pub fn colouring(&mut self, count: usize) -> Result<GpuColouring, GpuError> {
        let n = vertices(count)?;
        Ok(GpuColouring {
            n,
            colours: 0,
            rounds: 0,
            waits: 0,
            expected: Expected { algorithm: None, rounds: 0, passes: 0, change_rounds: 6 },
            kernels: Kernels::new(&mut self.library)?,
            work: Work::new(&self.context, n)?,
        })
    }

    /// Brings colours to the device, for [`Gpu::recolour`].
    pub fn write_colouring(&mut self, from: &Colouring, to: &mut GpuColouring) -> Result<(), GpuError> {
        if from.colour.len() != to.n as usize {
            *to = self.colouring(from.colour.len())?;
        }
        self.recorder.write(&to.work.colour, 0, &from.colour);
        let beyond = from.classes.rows().skip(from.colour.len()).map(<[u32]>::len).sum::<usize>() as u32;
        let mut sizes: Vec<u32> = from.classes.rows().take(from.colour.len()).map(|class| class.len() as u32).collect();
        sizes.resize(from.colour.len(), 0);
        sizes.push(beyond);
        self.recorder.write(&to.work.sizes, 0, &sizes);
        (to.colours, to.rounds) = (from.count(), from.rounds);
        Ok(())
    }

    /// Reads the colours back; waits.
    pub fn read_colouring(&mut self, from: &GpuColouring) -> Result<Colouring, GpuError> {
        let mut colour = vec![0; from.n as usize];
        self.recorder.read(&from.work.colour, 0, &mut colour)?;
        // A device that computes wrong must not make the host reserve a class for each number there is.
        if colour.iter().any(|&c| c as usize >= from.colours) {
            let message = format!("a vertex has no colour below {}", from.colours);
            return Err(GpuError::Invalid { what: "colouring".to_string(), message });
        }
        Ok(Colouring::new(colour, from.rounds))
    }
}

/// Number of vertices, as kernels take it.
fn vertices(count: usize) -> Result<u32, GpuError> {
    let limit = u64::from(u32::MAX);
    let error = GpuError::TooLarge { name: "graph".to_string(), bytes: 4 * count as u64, limit };
    u32::try_from(count).map_err(|_| error)
}
