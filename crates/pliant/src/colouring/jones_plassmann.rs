//! Jones and Plassmann 1993, "A parallel graph coloring heuristic": first fit in a random order, everything at once that
//! does not wait for a neighbour.

use super::ranked::ranked;
use super::{Colouring, Graph};

/// Colours the vertices of a conflict graph: at most Δ + 1 colours, with Δ the largest number of neighbours.
pub fn jones_plassmann(graph: &Graph, seed: u32) -> Colouring {
    ranked(graph, seed, |_, _, _| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colouring::random::Draw;
    use crate::colouring::testing::random_graph;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_first_fit_in_the_order_of_the_random_numbers(graph in random_graph(), seed: u32) {
            let mut order: Vec<u32> = (0..graph.len() as u32).collect();
            order.sort_by_key(|&v| std::cmp::Reverse(Draw::new(seed, 0).of(v)));
            let mut colour = vec![u32::MAX; graph.len()];
            for v in order {
                let free = |c: &u32| graph.of(v as usize).iter().all(|&n| colour[n as usize] != *c);
                colour[v as usize] = (0..).find(free).unwrap();
            }
            prop_assert_eq!(jones_plassmann(&graph, seed).colour, colour);
        }
    }
}
