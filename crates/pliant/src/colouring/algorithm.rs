use super::{Colouring, Graph, greedy, jones_plassmann, largest_degree_first, luby, vivace};
use std::str::FromStr;

/// The ways to colour a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// [`vivace`]
    Vivace,
    /// [`luby`]
    Luby,
    /// [`jones_plassmann`]
    JonesPlassmann,
    /// [`largest_degree_first`]
    LargestDegreeFirst,
    /// [`greedy`]
    Greedy,
}

/// There is no algorithm of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no colouring algorithm '{0}'; there are {names}", names = Algorithm::ALL.map(Algorithm::name).join(", "))]
pub struct UnknownAlgorithm(String);

impl Algorithm {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Vivace, Self::Luby, Self::JonesPlassmann, Self::LargestDegreeFirst, Self::Greedy];

    /// As it is written on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vivace => "vivace",
            Self::Luby => "luby",
            Self::JonesPlassmann => "jones-plassmann",
            Self::LargestDegreeFirst => "largest-degree-first",
            Self::Greedy => "greedy",
        }
    }

    /// Colours a graph on the CPU. The same seed gives the same colours, with any number of threads; `greedy` needs none.
    pub fn colour(self, graph: &Graph, seed: u32) -> Colouring {
        match self {
            Self::Vivace => vivace(graph, seed),
            Self::Luby => luby(graph, seed),
            Self::JonesPlassmann => jones_plassmann(graph, seed),
            Self::LargestDegreeFirst => largest_degree_first(graph, seed),
            Self::Greedy => greedy(graph),
        }
    }
}

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, UnknownAlgorithm> {
        Self::ALL.into_iter().find(|a| a.name() == name).ok_or_else(|| UnknownAlgorithm(name.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colouring::testing::random_graph;
    use crate::mesh::topology::{Incidence, adjacency};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_algorithm_is_valid_within_the_degree_plus_one_and_repeats_itself(graph in random_graph(), seed: u32) {
            for algorithm in Algorithm::ALL {
                let colouring = algorithm.colour(&graph, seed);
                prop_assert!(colouring.valid(&graph), "{algorithm:?}");
                prop_assert!(colouring.count() <= graph.max_degree() + 1, "{algorithm:?}");
                prop_assert!(colouring.classes.rows().all(|class| !class.is_empty()), "{algorithm:?}");
                let bounded = graph.rows().zip(&colouring.colour).all(|(row, &c)| c as usize <= row.len());
                prop_assert!(bounded, "{algorithm:?}: a colour above the number of neighbours");
                prop_assert_eq!(&algorithm.colour(&graph, seed), &colouring);
            }
        }

        #[test]
        fn a_vertex_that_is_its_own_neighbour_changes_nothing_for_the_worse(graph in random_graph(), seed: u32) {
            let pairs = graph.rows().enumerate().flat_map(|(v, row)| {
                row.iter().copied().chain([v as u32]).map(move |n| (v as u32, n))
            });
            let with_diagonal = Incidence::grouped(graph.len(), pairs);
            for algorithm in Algorithm::ALL {
                let colouring = algorithm.colour(&with_diagonal, seed);
                prop_assert!(colouring.valid(&graph), "{algorithm:?}");
                prop_assert!(colouring.count() <= graph.max_degree() + 1, "{algorithm:?}");
            }
        }
    }

    #[test]
    fn graphs_without_edges_or_vertices_are_coloured() {
        for algorithm in Algorithm::ALL {
            assert_eq!(algorithm.colour(&Graph::default(), 0).count(), 0);
            let lonely = algorithm.colour(&adjacency(5, &[]), 0);
            assert_eq!((lonely.count(), lonely.balance()), (1, 1.0));
        }
    }

    #[test]
    fn seeds_differ_and_threads_do_not() {
        let mesh = crate::mesh::generate::grid([1.0, 1.0], [120, 120], crate::scene::Triangulation::Uniform).unwrap();
        let graph = crate::colouring::mesh_graph(&mesh);
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for algorithm in Algorithm::ALL {
            let [one, seven] = [1, 7].map(|threads| pool(threads).install(|| algorithm.colour(&graph, 9)));
            assert_eq!(one, seven, "{algorithm:?}");
            let other = algorithm.colour(&graph, 10);
            assert_eq!(other.colour == one.colour, algorithm == Algorithm::Greedy, "{algorithm:?}");
        }
    }

    #[test]
    fn names_read_back_and_others_are_refused() {
        for algorithm in Algorithm::ALL {
            assert_eq!(algorithm.name().parse(), Ok(algorithm));
        }
        let refused = "dsatur".parse::<Algorithm>().unwrap_err().to_string();
        assert!(refused.contains("'dsatur'") && refused.contains("vivace, luby, jones-plassmann"), "{refused}");
    }
}
