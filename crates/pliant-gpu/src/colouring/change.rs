//! Recolouring after constraints have come and gone.

use super::counters::Counters;
use super::kernels::Parameters;
use super::rounds::{Done, Launcher};
use super::{GpuColouring, GpuGraph, Work};
use crate::buffer::Buffer;
use crate::error::GpuError;
use crate::gpu::Gpu;
use pliant::colouring::{Algorithm, Recoloured};

impl Gpu {
    /// Makes a colouring valid again after its graph has changed, as [`pliant::colouring::recolour`] does, to the same
    /// colours. `touched` are the vertices whose neighbours changed, in any order; the colours stay on the device. One
    /// wait, unless everything has to be coloured anew.
    pub fn recolour(
        &mut self,
        graph: &GpuGraph,
        colouring: &mut GpuColouring,
        touched: &[u32],
        seed: u32,
    ) -> Result<Recoloured, GpuError> {
        if let Some(v) = touched.iter().find(|&&v| v >= graph.n) {
            let message = format!("vertex {v} is touched, there are {}", graph.n);
            return Err(GpuError::Invalid { what: "recolouring".to_string(), message });
        }
        let mut waits = 0;
        if colouring.n == graph.n && touched.len() <= u32::MAX as usize {
            if graph.is_empty() {
                (colouring.rounds, colouring.waits) = (0, 0);
                return self.check().map(|()| Recoloured::Some(0));
            }
            let done = self.change(graph, colouring, touched, seed)?;
            if done.counters.wrong() <= most_wrong(graph) && done.counters.is_complete() {
                colouring.colours = done.counters.colours();
                colouring.rounds = done.rounds;
                colouring.waits = done.waits;
                colouring.expected.change_rounds = done.rounds + 2;
                return Ok(Recoloured::Some(done.counters.changed()));
            }
            waits = done.waits;
        }
        self.colour(graph, Algorithm::Vivace, seed, colouring)?;
        colouring.waits += waits;
        Ok(Recoloured::All)
    }

    /// Colours the touched vertices that are wrong, and counts.
    fn change(
        &mut self,
        graph: &GpuGraph,
        colouring: &mut GpuColouring,
        touched: &[u32],
        seed: u32,
    ) -> Result<Done, GpuError> {
        if colouring.work.touched.bytes() < size_of_val(touched) as u64 {
            let room = touched.len().next_power_of_two().min(u32::MAX as usize) as u64;
            colouring.work.touched = Buffer::new(&self.context, "touched vertices", 4 * room)?;
        }
        self.recorder.write(&colouring.work.touched, 0, touched);
        self.recorder.write(&colouring.work.counters, 0, &Counters::new(0).0);
        let launcher = Launcher { recorder: &mut self.recorder, graph, counters: &colouring.work.counters };
        launcher.change(colouring, touched.len() as u32, seed)
    }
}

/// More than this is not worth changing: a quarter of all.
fn most_wrong(graph: &GpuGraph) -> usize {
    graph.len() / 4
}

impl Launcher<'_> {
    fn change(mut self, colouring: &GpuColouring, touched: u32, seed: u32) -> Result<Done, GpuError> {
        let GpuColouring { kernels, work, n, .. } = colouring;
        let Work { scratch: [mark, tentative, offered], .. } = work;
        let plain = Parameters::default();
        self.run(&kernels.start, &[mark, tentative, offered, &work.members], Parameters { n: *n, ..plain });
        let buffers = [&work.colour, mark, offered, &work.members, &work.touched, &work.before, &work.sizes];
        let most = most_wrong(self.graph) as u32;
        self.run(&kernels.touch, &buffers, Parameters { n: touched, ..plain });
        self.run(&kernels.find, &buffers, Parameters { n: touched, ..plain });
        let colours = u32::try_from(colouring.colours).unwrap_or(u32::MAX);
        self.run(&kernels.uncolour, &buffers, Parameters { n: touched, round: most, extra: colours, ..plain });
        let round = |launcher: &mut Self, parameters: Parameters| {
            launcher.vivace_round(colouring, &work.colour, seed, false, parameters);
        };
        let end = |launcher: &mut Self, Parameters { at, .. }: Parameters| {
            let counted = Parameters { n: touched, round: most, at, extra: *n, ..plain };
            launcher.run(&kernels.compare, &buffers, counted);
            launcher.survey(colouring, &buffers, colours.min(n + 1));
        };
        self.until_done(touched.min(*n), colouring.expected.change_rounds, round, end)
    }

    /// Counts the colours in use, in one workgroup.
    fn survey(&mut self, colouring: &GpuColouring, buffers: &[&Buffer], colours: u32) {
        let all = [&[&self.graph.offsets, &self.graph.neighbours, self.counters][..], buffers].concat();
        let parameters = Parameters { n: colours, extra: colouring.n, ..Parameters::default() };
        self.recorder.dispatch(&colouring.kernels.survey, &all, &parameters, 1);
    }
}
