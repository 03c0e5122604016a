//! Sequential first-fit colouring: the reference the parallel algorithms are measured against.
//!
//! Each node in turn takes the lowest colour that no neighbour has, so there are at most Δ + 1 colours, with Δ the
//! largest number of conflicts of a node. The result depends on the order of the nodes only. All of it counts as one round.

use super::{Colouring, Graph, Stencils};

/// Colours the nodes of a conflict graph, lowest node first.
pub fn greedy(graph: &Graph) -> Colouring {
    const NONE: u32 = u32::MAX;
    let mut colour = vec![NONE; graph.len()];
    // taken[c] == node means that colour c is taken as seen from this node; so it never has to be cleared.
    let mut taken: Vec<usize> = Vec::new();
    for (node, neighbours) in graph.rows().enumerate() {
        for &n in neighbours {
            let c = colour[n as usize];
            if c != NONE {
                taken[c as usize] = node;
            }
        }
        let free = taken.iter().position(|&by| by != node).unwrap_or(taken.len());
        if free == taken.len() {
            taken.push(node);
        }
        colour[node] = free as u32;
    }
    Colouring::new(colour, 1)
}

/// Colours elements so that no two of a colour share a vertex, without building the graph of elements: each vertex
/// remembers the colours of its elements. Elements are numbered through the groups in order, and the lowest goes first.
pub fn greedy_elements(vertices: usize, groups: &[Stencils]) -> Colouring {
    let mut used = vec![ColourSet::default(); vertices];
    let count = groups.iter().map(|group| group.iter().len()).sum();
    let mut colour = Vec::with_capacity(count);
    for element in groups.iter().flat_map(|group| group.iter()) {
        let free = first_free(&used, element);
        for &v in element {
            used[v as usize].insert(free);
        }
        colour.push(free);
    }
    Colouring::new(colour, 1)
}

/// The lowest colour that no vertex of the element has used.
fn first_free(used: &[ColourSet], element: &[u32]) -> u32 {
    let mut word = element.iter().map(|&v| used[v as usize].full).max().unwrap_or(0);
    loop {
        let taken = element.iter().fold(0, |taken, &v| taken | used[v as usize].word(word));
        if taken != u64::MAX {
            return word * 64 + taken.trailing_ones();
        }
        word += 1;
    }
}

/// A set of colours, 64 to a word; the first word needs no allocation, and few meshes need a second. Later words are
/// sparse and sorted, and full ones at the front are skipped: so a fan of a million triangles costs little too.
#[derive(Clone, Default)]
struct ColourSet {
    first: u64,
    more: Vec<(u32, u64)>,
    full: u32,
}

impl ColourSet {
    fn word(&self, i: u32) -> u64 {
        if i == 0 {
            return self.first;
        }
        self.more.binary_search_by_key(&i, |entry| entry.0).map_or(0, |at| self.more[at].1)
    }

    fn insert(&mut self, colour: u32) {
        let (word, bit) = (colour / 64, 1 << (colour % 64));
        if word == 0 {
            self.first |= bit;
        } else {
            match self.more.binary_search_by_key(&word, |entry| entry.0) {
                Ok(at) => self.more[at].1 |= bit,
                Err(at) => self.more.insert(at, (word, bit)),
            }
        }
        while self.word(self.full) == u64::MAX {
            self.full += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colouring::testing::random_graph;
    use crate::mesh::topology::{adjacency, stencil_edges};
    use proptest::prelude::*;

    /// Edges, triangles and tets over the same vertices, repeated corners and all.
    type Elements = (usize, Vec<[u32; 2]>, Vec<[u32; 3]>, Vec<[u32; 4]>);
    fn elements() -> impl Strategy<Value = Elements> {
        (1usize..30).prop_flat_map(|n| {
            let v = || 0..n as u32;
            (
                Just(n),
                prop::collection::vec([v(), v()], 0..60),
                prop::collection::vec([v(), v(), v()], 0..60),
                prop::collection::vec([v(), v(), v(), v()], 0..60),
            )
        })
    }

    proptest! {
        #[test]
        fn nodes_of_a_colour_are_listed_in_its_class(graph in random_graph()) {
            let colouring = greedy(&graph);
            prop_assert_eq!(colouring.classes.item.len(), graph.len());
            for c in 0..colouring.count() {
                let class = colouring.classes.of(c);
                prop_assert!(!class.is_empty() && class.is_sorted());
                prop_assert!(class.iter().all(|&v| colouring.colour[v as usize] == c as u32));
            }
        }

        #[test]
        fn element_colouring_is_first_fit_on_the_element_graph((n, edges, triangles, tets) in elements()) {
            let groups = [edges.as_slice().into(), triangles.as_slice().into(), tets.as_slice().into()];
            let colouring = greedy_elements(n, &groups);
            prop_assert!(colouring.valid_elements(n, &groups));
            let all: Vec<&[u32]> = groups.iter().flat_map(|g: &Stencils| g.iter()).collect();
            let mut conflicts = Vec::new();
            for i in 0..all.len() {
                for j in 0..i {
                    if all[i].iter().any(|v| all[j].contains(v)) {
                        conflicts.push([j as u32, i as u32]);
                    }
                }
            }
            let graph = adjacency(all.len(), &conflicts);
            prop_assert_eq!(&colouring, &greedy(&graph));
            prop_assert!(colouring.count() <= graph.max_degree() + 1);
        }
    }

    #[test]
    fn a_wrong_colouring_is_found_out() {
        let graph = adjacency(3, &[[0, 1], [1, 2]]);
        assert!(Colouring::new(vec![0, 1, 0], 1).valid(&graph));
        assert!(!Colouring::new(vec![0, 0, 1], 1).valid(&graph));
        assert!(!Colouring::new(vec![0, 1], 1).valid(&graph));
        let edges = [[0, 1], [1, 2]];
        assert!(!Colouring::new(vec![0, 0], 1).valid_elements(3, &[edges.as_slice().into()]));
        assert!(!Colouring::new(vec![0], 1).valid_elements(3, &[edges.as_slice().into()]));
    }

    #[test]
    fn a_grid_needs_few_colours_and_nothing_needs_none() {
        let mesh = crate::mesh::generate::grid([1.0, 1.0], [20, 20], crate::scene::Triangulation::Uniform).unwrap();
        let graph = adjacency(400, &stencil_edges(400, &mesh.triangles));
        assert_eq!(greedy(&graph).count(), 4);
        assert_eq!(greedy(&Graph::default()).count(), 0);
        assert_eq!(greedy_elements(0, &[]).count(), 0);
        assert_eq!(greedy_elements(0, &[]).balance(), 1.0);
        assert_eq!(greedy(&adjacency(5, &[])).balance(), 1.0);
    }

    #[test]
    fn a_large_fan_takes_one_colour_per_triangle_in_linear_time() {
        let fan: Vec<[u32; 3]> = (1..100_000).map(|i| [0, i, i + 1]).collect();
        let colouring = greedy_elements(100_001, &[fan.as_slice().into()]);
        assert_eq!(colouring.count(), fan.len());
        assert_eq!(colouring.colour[500], 500);
    }
}
