//! Passes over vertices: the parts of a round that run in parallel.
//!
//! In a pass a vertex writes its own cells only, and reads of the others only cells that the pass does not write. So a
//! pass gives the same for any number of threads, in any order, and a shader can do it with an invocation per vertex.

use super::Graph;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

/// No colour yet.
pub(super) const NONE: u32 = u32::MAX;

/// Colours that a palette holds at once: the bits of a word.
pub(super) const WINDOW: u32 = u32::BITS;

/// Vertices per task.
const TASK: usize = 1024;

/// A number per vertex that passes read and write. Relaxed atomics are plain loads and stores to the processor.
pub(super) struct Cells(Vec<AtomicU32>);

impl Cells {
    pub(super) fn new(count: usize, value: u32) -> Self {
        Self::of((0..count).map(|_| value))
    }

    pub(super) fn of(values: impl Iterator<Item = u32>) -> Self {
        Self(values.map(AtomicU32::new).collect())
    }

    #[inline]
    pub(super) fn get(&self, vertex: u32) -> u32 {
        self.0[vertex as usize].load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn set(&self, vertex: u32, value: u32) {
        self.0[vertex as usize].store(value, Ordering::Relaxed);
    }

    pub(super) fn into_values(self) -> Vec<u32> {
        self.0.into_iter().map(AtomicU32::into_inner).collect()
    }
}

/// One pass.
pub(super) fn pass(vertices: &[u32], f: impl Fn(u32) + Sync) {
    if vertices.len() <= TASK {
        vertices.iter().for_each(|&v| f(v));
    } else {
        vertices.par_chunks(TASK).for_each(|chunk| chunk.iter().for_each(|&v| f(v)));
    }
}

/// Drops the vertices that are done; the others keep their order.
pub(super) fn retain(vertices: &mut Vec<u32>, keep: impl Fn(u32) -> bool + Sync) {
    if vertices.len() <= 4 * TASK {
        vertices.retain(|&v| keep(v));
    } else {
        *vertices = vertices.par_iter().copied().with_min_len(TASK).filter(|&v| keep(v)).collect();
    }
}

/// Which of the colours `base..base + WINDOW` the neighbours of a vertex have; bit 0 is `base`.
#[inline]
pub(super) fn taken(graph: &Graph, colour: &Cells, vertex: u32, base: u32) -> u32 {
    graph.of(vertex as usize).iter().fold(0, |taken, &n| {
        // NONE is beyond every window.
        let above = colour.get(n).wrapping_sub(base);
        if above < WINDOW { taken | 1 << above } else { taken }
    })
}

/// The lowest colour that no neighbour has; at most the number of neighbours.
pub(super) fn lowest_free(graph: &Graph, colour: &Cells, vertex: u32) -> u32 {
    let mut base = 0;
    loop {
        let taken = taken(graph, colour, vertex, base);
        if taken != u32::MAX {
            return base + taken.trailing_ones();
        }
        base += WINDOW;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::topology::adjacency;

    #[test]
    fn the_lowest_free_colour_is_found_beyond_the_first_window() {
        let star: Vec<[u32; 2]> = (1..=100).map(|leaf| [0, leaf]).collect();
        let graph = adjacency(101, &star);
        for gap in [0, 31, 32, 63, 64, 99, 100] {
            let colour = Cells::of(std::iter::once(NONE).chain((0..100).map(|c| if c == gap { NONE } else { c })));
            assert_eq!(lowest_free(&graph, &colour, 0), gap);
        }
    }

    #[test]
    fn retain_keeps_the_order_however_many_there_are() {
        for count in [0, 10, 100_000] {
            let mut vertices: Vec<u32> = (0..count).collect();
            retain(&mut vertices, |v| v % 3 == 1);
            assert!(vertices.iter().copied().eq((0..count).filter(|v| v % 3 == 1)));
        }
    }
}
