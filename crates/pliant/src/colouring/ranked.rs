//! What Jones-Plassmann and largest-degree-first share: rounds in which every vertex that outranks all its uncoloured
//! neighbours takes the lowest colour that no neighbour has. So a colour is at most the number of neighbours.

use super::passes::{Cells, NONE, lowest_free, pass, retain};
use super::random::Draw;
use super::{Colouring, Graph};

/// Colours in the order of ranks: by `weight`, and for equal weights by a random permutation. `weigh` is called for the
/// uncoloured vertices before every round, with the colours so far and the weights, which are 0 at first.
pub(super) fn ranked(graph: &Graph, seed: u32, weigh: impl Fn(&[u32], &Cells, &Cells)) -> Colouring {
    let (colour, next) = (Cells::new(graph.len(), NONE), Cells::new(graph.len(), NONE));
    let weight = Cells::new(graph.len(), 0);
    let draw = Draw::new(seed, 0);
    let rank = |v| (weight.get(v), draw.of(v));
    let mut uncoloured: Vec<u32> = (0..graph.len() as u32).collect();
    let mut rounds = 0;
    while !uncoloured.is_empty() {
        weigh(&uncoloured, &colour, &weight);
        // Two passes: one that coloured at once would let some neighbours see it a round early.
        pass(&uncoloured, |v| {
            let own = rank(v);
            let outranked = |n: &u32| colour.get(*n) == NONE && rank(*n) > own;
            if !graph.of(v as usize).iter().any(outranked) {
                next.set(v, lowest_free(graph, &colour, v));
            }
        });
        pass(&uncoloured, |v| colour.set(v, next.get(v)));
        retain(&mut uncoloured, |v| colour.get(v) == NONE);
        rounds += 1;
    }
    Colouring::new(colour.into_values(), rounds)
}
