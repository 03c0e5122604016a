//! Welsh and Powell 1967, in parallel as in "Vivace" 4.2: the vertex with the most uncoloured neighbours goes first, ties
//! at random. Few colours, many rounds.

use super::passes::{Cells, NONE, pass};
use super::ranked::ranked;
use super::{Colouring, Graph};

/// Colours the vertices of a conflict graph: at most Δ + 1 colours, with Δ the largest number of neighbours.
pub fn largest_degree_first(graph: &Graph, seed: u32) -> Colouring {
    ranked(graph, seed, |uncoloured: &[u32], colour: &Cells, weight: &Cells| {
        pass(uncoloured, |v| {
            let left = graph.of(v as usize).iter().filter(|&&n| colour.get(n) == NONE).count();
            weight.set(v, left as u32);
        });
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::topology::adjacency;

    #[test]
    fn the_centre_of_a_star_goes_first() {
        let star: Vec<[u32; 2]> = (0..9).map(|leaf| [9, leaf]).collect();
        for seed in 0..20 {
            let colouring = largest_degree_first(&adjacency(10, &star), seed);
            assert_eq!(colouring.classes.of(0), [9]);
            assert_eq!((colouring.count(), colouring.rounds), (2, 2));
        }
    }

    #[test]
    fn neighbours_that_are_done_do_not_count() {
        // Hubs 0 to 3 have six leaves each. 4 hangs on three hubs and 5, which has a hub, 4 and a leaf: so 4 has more
        // neighbours, but 5 more of them without a colour once the hubs are done.
        let leaves = (0..4).flat_map(|hub| (0..6).map(move |leaf| [hub, 7 + 6 * hub + leaf]));
        let edges: Vec<[u32; 2]> = leaves.chain([[0, 4], [1, 4], [2, 4], [4, 5], [3, 5], [5, 6]]).collect();
        let graph = adjacency(31, &edges);
        for seed in 0..20 {
            let colouring = largest_degree_first(&graph, seed);
            assert!(colouring.valid(&graph));
            assert_eq!(colouring.colour[..6], [0, 0, 0, 0, 2, 1]);
        }
    }
}
