use super::passes::{Cells, NONE, lowest_free, pass};
use super::{Colouring, Graph};

/// The same vertices in fewer colours, or as many: from the highest colour down, the vertices of a colour take the lowest
/// one that no neighbour has got in its turn (Culberson 1992, "Iterated greedy graph coloring").
///
/// The vertices of a colour share no edge, so a colour is one parallel pass, which counts as a round. There are never
/// more colours than before, because the vertices of the k-th colour that is treated find one among the first k; and
/// none is left without a vertex. No vertex gets a colour above its number of neighbours.
pub fn pack(graph: &Graph, colouring: &Colouring) -> Colouring {
    let colour = Cells::new(graph.len(), NONE);
    for class in colouring.classes.rows().rev() {
        pass(class, |v| colour.set(v, lowest_free(graph, &colour, v)));
    }
    Colouring::new(colour.into_values(), colouring.rounds + colouring.count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colouring::testing::random_graph;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn packing_keeps_a_colouring_valid_and_never_adds_a_colour(graph in random_graph(), seed: u32) {
            let before = Colouring::new(super::super::vivace::algorithm_2(&graph, seed).0, 0);
            let packed = pack(&graph, &before);
            prop_assert!(packed.valid(&graph));
            prop_assert!(packed.count() <= before.classes.rows().filter(|class| !class.is_empty()).count());
            prop_assert!(packed.classes.rows().all(|class| !class.is_empty()));
        }
    }
}
