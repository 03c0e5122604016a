//! Graphs for tests.

use super::Graph;
use crate::mesh::topology::adjacency;
use proptest::prelude::*;

/// Graphs of up to 60 vertices, from none to nearly all edges, sometimes with a vertex that is joined to all others.
pub(super) fn random_graph() -> impl Strategy<Value = Graph> {
    random_edges().prop_map(|(n, edges)| adjacency(n, &edges))
}

/// The same as a list, repeats and edges from a vertex to itself included.
pub(super) fn random_edges() -> impl Strategy<Value = (usize, Vec<[u32; 2]>)> {
    (1usize..60, any::<bool>()).prop_flat_map(|(n, hub)| {
        let vertex = 0..n as u32;
        let edges = prop::collection::vec([vertex.clone(), vertex], 0..n * n.min(30));
        edges.prop_map(move |mut edges| {
            if hub {
                edges.extend((1..n as u32).map(|v| [0, v]));
            }
            (n, edges)
        })
    })
}
