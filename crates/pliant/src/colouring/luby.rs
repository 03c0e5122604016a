//! Luby 1985, "A simple parallel algorithm for the maximal independent set problem": colour after colour is a maximal
//! independent set of what is left, so a vertex has a neighbour in every colour below its own, and Δ + 1 colours do.
//!
//! A set takes several rounds: candidates that drew a larger number than all candidates around them join it, their
//! neighbours wait for the next colour. The numbers of a round are a random permutation, drawn anew each time.

use super::passes::{Cells, NONE, pass, retain};
use super::random::Draw;
use super::{Colouring, Graph};

/// Colours the vertices of a conflict graph: at most Δ + 1 colours, with Δ the largest number of neighbours.
pub fn luby(graph: &Graph, seed: u32) -> Colouring {
    let state = State {
        graph,
        colour: Cells::new(graph.len(), NONE),
        waits: Cells::new(graph.len(), NONE),
        joined: Cells::new(graph.len(), NONE),
    };
    let mut uncoloured: Vec<u32> = (0..graph.len() as u32).collect();
    let (mut current, mut rounds) = (0, 0);
    while !uncoloured.is_empty() {
        let mut candidates = uncoloured.clone();
        while !candidates.is_empty() {
            state.round(&candidates, current, rounds, Draw::new(seed, rounds));
            retain(&mut candidates, |v| state.is_candidate(v, current));
            rounds += 1;
        }
        retain(&mut uncoloured, |v| state.colour.get(v) == NONE);
        current += 1;
    }
    Colouring::new(state.colour.into_values(), rounds as usize)
}

struct State<'a> {
    graph: &'a Graph,
    colour: Cells,
    /// The colour in which a vertex has a neighbour, so that it cannot have it itself.
    waits: Cells,
    /// The round in which a vertex joined a set.
    joined: Cells,
}

impl State<'_> {
    fn is_candidate(&self, v: u32, current: u32) -> bool {
        self.colour.get(v) == NONE && self.waits.get(v) != current
    }

    fn neighbours(&self, v: u32) -> impl Iterator<Item = u32> {
        self.graph.of(v as usize).iter().copied().filter(move |&n| n != v)
    }

    fn round(&self, candidates: &[u32], current: u32, round: u32, draw: Draw) {
        pass(candidates, |v| {
            let own = draw.of(v);
            if self.neighbours(v).all(|n| draw.of(n) < own || !self.is_candidate(n, current)) {
                self.joined.set(v, round);
            }
        });
        pass(candidates, |v| {
            if self.joined.get(v) == round {
                self.colour.set(v, current);
            } else if self.neighbours(v).any(|n| self.joined.get(n) == round) {
                self.waits.set(v, current);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colouring::testing::random_graph;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_vertex_has_a_neighbour_in_every_lower_colour(graph in random_graph(), seed: u32) {
            let colouring = luby(&graph, seed);
            for (v, row) in graph.rows().enumerate() {
                for lower in 0..colouring.colour[v] {
                    prop_assert!(row.iter().any(|&n| colouring.colour[n as usize] == lower));
                }
            }
        }
    }
}
