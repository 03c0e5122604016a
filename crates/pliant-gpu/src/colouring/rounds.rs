//! The algorithms: what is recorded for a round, and what after all rounds.

use super::counters::{Counters, ROUNDS};
use super::kernels::Parameters;
use super::{Expected, GpuColouring, GpuGraph, Work};
use crate::buffer::Buffer;
use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::kernel::Kernel;
use crate::recorder::Recorder;
use pliant::colouring::Algorithm;

/// Rounds that are recorded beyond those that the last colouring took: another seed may take one or two more.
const SPARE: usize = 2;

/// Records kernels of a colouring, whose first buffers are always the same.
pub(super) struct Launcher<'a> {
    pub(super) recorder: &'a mut Recorder,
    pub(super) graph: &'a GpuGraph,
    pub(super) counters: &'a Buffer,
}

impl Launcher<'_> {
    pub(super) fn run(&mut self, kernel: &Kernel, buffers: &[&Buffer], parameters: Parameters) {
        let all = [&[&self.graph.offsets, &self.graph.neighbours, self.counters][..], buffers].concat();
        self.recorder.run(kernel, &all, &parameters, parameters.n);
    }

    /// Records chunks of rounds, and what comes at their `end`, until the counters say that no vertex is left. `round`
    /// and `end` get the number of vertices that are left at most, the number of the round and its place in the chunk.
    pub(super) fn until_done(
        &mut self,
        n: u32,
        first: usize,
        round: impl Fn(&mut Self, Parameters),
        end: impl Fn(&mut Self, Parameters),
    ) -> Result<Done, GpuError> {
        let mut done = Done { counters: Counters::new(n), rounds: 0, waits: 0, place: 0 };
        let mut chunk = first.clamp(1, ROUNDS);
        let mut left = n;
        loop {
            let parameters = |at: usize| Parameters {
                n: left,
                round: (done.rounds + at) as u32,
                at: at as u32,
                ..Parameters::default()
            };
            (0..chunk).for_each(|at| round(self, parameters(at)));
            end(self, parameters(chunk));
            done.counters = self.read()?;
            done.waits += 1;
            done.rounds += done.counters.rounds(chunk);
            done.place = chunk;
            left = done.counters.left(chunk);
            if left == 0 {
                return Ok(done);
            }
            self.recorder.write(self.counters, 0, &done.counters.after(chunk)?.0);
            chunk = (2 * chunk).min(ROUNDS);
        }
    }

    /// Reads the counters; waits.
    fn read(&mut self) -> Result<Counters, GpuError> {
        let mut counters = Counters::new(0);
        self.recorder.read(self.counters, 0, &mut counters.0)?;
        Ok(counters)
    }
}

/// What came of the rounds.
pub(super) struct Done {
    pub(super) counters: Counters,
    pub(super) rounds: usize,
    pub(super) waits: usize,
    /// Where the counters have how many vertices are left.
    pub(super) place: usize,
}

/// The lists of uncoloured vertices before and after a round.
pub(super) fn lists(work: &Work, round: u32) -> [&Buffer; 2] {
    let before = if round == 0 { &work.members } else { &work.lists[(round as usize + 1) % 2] };
    [before, &work.lists[round as usize % 2]]
}

impl Gpu {
    /// Colours a graph as [`Algorithm::colour`] does, to the same colours in as many rounds. The colours stay on the
    /// device. There is no `greedy`: it is sequential.
    pub fn colour(
        &mut self,
        graph: &GpuGraph,
        algorithm: Algorithm,
        seed: u32,
        colouring: &mut GpuColouring,
    ) -> Result<(), GpuError> {
        if algorithm == Algorithm::Greedy {
            return Err(GpuError::NoAlgorithm { algorithm: algorithm.name() });
        }
        if colouring.n != graph.n {
            *colouring = self.colouring(graph.len())?;
        }
        if graph.is_empty() {
            (colouring.colours, colouring.rounds, colouring.waits) = (0, 0, 0);
            return self.check();
        }
        if colouring.expected.algorithm != Some(algorithm) {
            colouring.expected = expected(algorithm, colouring.expected);
        }
        self.recorder.write(&colouring.work.counters, 0, &Counters::new(graph.n).0);
        self.recorder.clear(&colouring.work.sizes);
        let mut launcher = Launcher { recorder: &mut self.recorder, graph, counters: &colouring.work.counters };
        let (done, passes) = match algorithm {
            Algorithm::Vivace => launcher.vivace(colouring, seed)?,
            Algorithm::Luby => (launcher.luby(colouring, seed)?, 0),
            _ => (launcher.ranked(colouring, seed, algorithm == Algorithm::LargestDegreeFirst)?, 0),
        };
        colouring.colours = done.counters.colours();
        colouring.rounds = done.rounds + passes;
        colouring.waits = done.waits;
        colouring.expected.rounds = done.rounds + SPARE;
        colouring.expected.passes = passes + SPARE;
        Ok(())
    }
}

/// What to expect of an algorithm that was not used before: about what meshes take.
fn expected(algorithm: Algorithm, before: Expected) -> Expected {
    let rounds = match algorithm {
        Algorithm::Vivace => 9,
        Algorithm::Luby => 32,
        _ => 24,
    };
    Expected { algorithm: Some(algorithm), rounds, passes: 9, ..before }
}

impl Launcher<'_> {
    /// Empties the scratch and the colours, and lists all vertices.
    fn start(&mut self, colouring: &GpuColouring) {
        let GpuColouring { kernels, work, .. } = colouring;
        let buffers = [&work.colour, &work.scratch[0], &work.scratch[1], &work.members];
        self.run(&kernels.start, &buffers, Parameters { n: colouring.n, ..Parameters::default() });
    }

    /// One round of Vivace: colours of `colour` change.
    pub(super) fn vivace_round(
        &mut self,
        colouring: &GpuColouring,
        colour: &Buffer,
        seed: u32,
        is_fresh: bool,
        parameters: Parameters,
    ) {
        let GpuColouring { kernels, work: work @ Work { scratch: [_, tentative, offered], .. }, .. } = colouring;
        let parameters = Parameters { seed, extra: u32::from(is_fresh && parameters.round == 0), ..parameters };
        let [before, after] = lists(work, parameters.round);
        let buffers = [colour, tentative, offered, before, after];
        self.run(&kernels.choose, &buffers, parameters);
        self.run(&kernels.resolve, &buffers, parameters);
    }

    /// The rounds of Algorithm 2 into a draft, then packing; how many passes that took comes along.
    fn vivace(&mut self, colouring: &GpuColouring, seed: u32) -> Result<(Done, usize), GpuError> {
        self.start(colouring);
        let draft = &colouring.work.scratch[0];
        let passes = colouring.expected.passes;
        let mut done = self.until_done(
            colouring.n,
            colouring.expected.rounds,
            |launcher, parameters| launcher.vivace_round(colouring, draft, seed, true, parameters),
            |launcher, parameters| {
                launcher.pack(colouring, 0..passes, parameters.at);
                launcher.count(colouring, passes, parameters.at);
            },
        )?;
        let highest = done.counters.highest();
        if highest > passes {
            self.pack(colouring, passes..highest, done.place as u32);
            self.count(colouring, highest, done.place as u32);
            done.counters = self.read()?;
            done.waits += 1;
        }
        Ok((done, highest))
    }

    fn pack(&mut self, colouring: &GpuColouring, passes: std::ops::Range<usize>, at: u32) {
        let GpuColouring { kernels, work, n, .. } = colouring;
        for pass in passes {
            let parameters = Parameters { n: *n, at, extra: pass as u32, ..Parameters::default() };
            self.run(&kernels.pack, &[&work.colour, &work.scratch[0], &work.sizes], parameters);
        }
    }

    /// Counts the vertices of each colour if none is left and so many passes have packed all.
    fn count(&mut self, colouring: &GpuColouring, passes: usize, at: u32) {
        let GpuColouring { kernels, work, n, .. } = colouring;
        let parameters = Parameters { n: *n, at, extra: passes as u32, ..Parameters::default() };
        self.run(&kernels.count, &[&work.colour, &work.scratch[0], &work.sizes], parameters);
    }

    fn luby(&mut self, colouring: &GpuColouring, seed: u32) -> Result<Done, GpuError> {
        self.start(colouring);
        let GpuColouring { kernels, work, n, .. } = colouring;
        let buffers = [&work.colour, &work.scratch[0], &work.scratch[1]];
        let round = |launcher: &mut Self, parameters: Parameters| {
            let parameters = Parameters { n: *n, seed, ..parameters };
            launcher.run(&kernels.join, &buffers, parameters);
            launcher.run(&kernels.settle, &buffers, parameters);
        };
        let end = |launcher: &mut Self, parameters: Parameters| launcher.count(colouring, 0, parameters.at);
        self.until_done(*n, colouring.expected.rounds, round, end)
    }

    fn ranked(&mut self, colouring: &GpuColouring, seed: u32, is_weighed: bool) -> Result<Done, GpuError> {
        self.start(colouring);
        let GpuColouring { kernels, work, n, .. } = colouring;
        let round = |launcher: &mut Self, parameters: Parameters| {
            let parameters = Parameters { seed, ..parameters };
            let [before, after] = lists(work, parameters.round);
            let buffers = [&work.colour, &work.scratch[0], &work.scratch[1], before, after];
            if is_weighed {
                launcher.run(&kernels.weigh, &buffers, parameters);
            }
            launcher.run(&kernels.decide[usize::from(is_weighed)], &buffers, parameters);
        };
        let end = |launcher: &mut Self, parameters: Parameters| launcher.count(colouring, 0, parameters.at);
        self.until_done(*n, colouring.expected.rounds, round, end)
    }
}
