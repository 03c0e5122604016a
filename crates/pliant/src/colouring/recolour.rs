//! Recolouring when constraints appear and vanish, as contacts do: most of the graph is as it was, so most vertices keep
//! their colours.

use super::passes::{Cells, NONE, WINDOW, retain};
use super::vivace::colour_rest;
use super::{Colouring, Graph, vivace};

/// What [`recolour`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recoloured {
    /// So many of the touched vertices have another colour now; every other vertex kept its own.
    Some(usize),
    /// Everything was coloured anew: the number of vertices is another one, more than a quarter of them would have
    /// changed, or a colour would have been left without vertices.
    All,
}

/// Makes a colouring valid again after its graph has changed. `touched` are the vertices whose neighbours changed, in any
/// order; each must be one of the graph's.
///
/// Of the touched vertices those change that have the colour of a neighbour (of two touched ones the higher keeps it, as
/// in the Hungarian heuristic) or a colour above their number of neighbours. They are coloured by the rounds of [`vivace`],
/// from the colours in use. So a colouring of at most Δ + 1 colours stays one, with the Δ of the new graph. Every new
/// edge must have a touched end, and both ends of an edge that vanished must be touched for the bound to hold.
pub fn recolour(graph: &Graph, colouring: &mut Colouring, touched: &[u32], seed: u32) -> Recoloured {
    if let Some((colours, changed)) = changed_colouring(graph, colouring, touched, seed) {
        *colouring = colours;
        return Recoloured::Some(changed);
    }
    *colouring = vivace(graph, seed);
    Recoloured::All
}

/// The colouring with only touched vertices changed, and how many were; `None` if it is better to start afresh.
fn changed_colouring(graph: &Graph, old: &Colouring, touched: &[u32], seed: u32) -> Option<(Colouring, usize)> {
    if old.colour.len() != graph.len() {
        return None;
    }
    let wrong = wrong(graph, &old.colour, touched);
    if wrong.len() > graph.len() / 4 {
        return None;
    }
    let (colour, offered) = (Cells::of(old.colour.iter().copied()), Cells::new(graph.len(), 0));
    for &v in &wrong {
        colour.set(v, NONE);
        offered.set(v, old.count().min(graph.of(v as usize).len() + 1).min(WINDOW as usize) as u32);
    }
    let rounds = colour_rest(graph, &colour, &offered, wrong.clone(), seed);
    let new = Colouring::new(colour.into_values(), rounds);
    let changed = wrong.iter().filter(|&&v| new.colour[v as usize] != old.colour[v as usize]).count();
    let is_complete = new.classes.rows().all(|class| !class.is_empty());
    is_complete.then_some((new, changed))
}

/// The touched vertices that need another colour, ascending.
fn wrong(graph: &Graph, colour: &[u32], touched: &[u32]) -> Vec<u32> {
    let mut sorted = touched.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut wrong = sorted.clone();
    retain(&mut wrong, |v| {
        let (own, row) = (colour[v as usize], graph.of(v as usize));
        let yields = |n: u32| colour[n as usize] == own && (n > v || n < v && sorted.binary_search(&n).is_err());
        own as usize > row.len() || row.iter().any(|&n| yields(n))
    });
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colouring::testing::random_edges;
    use crate::colouring::{Algorithm, mesh_graph};
    use crate::mesh::topology::{adjacency, edges};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn edges_come_and_go_and_only_touched_vertices_change(
            (n, edges) in random_edges(),
            which in 0..Algorithm::ALL.len(),
            changes in prop::collection::vec(prop::collection::vec((any::<bool>(), 0u32..60, 0u32..60), 0..8), 1..8),
            seed: u32,
        ) {
            let mut edges: std::collections::BTreeSet<[u32; 2]> =
                edges.into_iter().filter(|[a, b]| a != b).map(|[a, b]| [a.min(b), a.max(b)]).collect();
            let graph = |edges: &std::collections::BTreeSet<[u32; 2]>| {
                adjacency(n, &edges.iter().copied().collect::<Vec<_>>())
            };
            let mut colouring = Algorithm::ALL[which].colour(&graph(&edges), seed);
            for step in changes {
                let mut touched = Vec::new();
                for (appears, a, b) in step {
                    let (a, b) = (a % n as u32, b % n as u32);
                    let edge = [a.min(b), a.max(b)];
                    if a != b && (if appears { edges.insert(edge) } else { edges.remove(&edge) }) {
                        touched.extend(edge);
                    }
                }
                let (graph, before) = (graph(&edges), colouring.clone());
                let done = recolour(&graph, &mut colouring, &touched, seed);
                prop_assert!(colouring.valid(&graph));
                prop_assert!(colouring.count() <= graph.max_degree() + 1);
                prop_assert!(colouring.classes.rows().all(|class| !class.is_empty()));
                let changed: Vec<u32> = (0..n as u32)
                    .filter(|&v| before.colour[v as usize] != colouring.colour[v as usize])
                    .collect();
                if let Recoloured::Some(count) = done {
                    prop_assert_eq!(changed.len(), count);
                    prop_assert!(changed.iter().all(|v| touched.contains(v)));
                } else {
                    prop_assert_eq!(&colouring, &vivace(&graph, seed));
                }
            }
        }
    }

    fn sheet(side: usize) -> (usize, Vec<[u32; 2]>) {
        let mesh = crate::mesh::generate::grid([1.0, 1.0], [side, side], crate::scene::Triangulation::Uniform).unwrap();
        (mesh.points.len(), edges(&mesh))
    }

    #[test]
    fn a_few_contacts_on_a_cloth_change_a_few_vertices() {
        let (n, mut edges) = sheet(60);
        let mut colouring = vivace(&adjacency(n, &edges), 1);
        let colours = colouring.count();
        let contacts: Vec<[u32; 2]> = (0..40).map(|i| [i * 20, 3599 - i * 20]).collect();
        edges.extend(&contacts);
        let graph = adjacency(n, &edges);
        let done = recolour(&graph, &mut colouring, contacts.as_flattened(), 1);
        assert!(matches!(done, Recoloured::Some(1..=40)), "{done:?}");
        assert!(colouring.valid(&graph) && colouring.count() <= colours + 1);
    }

    #[test]
    fn what_touches_nothing_changes_nothing() {
        let (n, edges) = sheet(20);
        let graph = adjacency(n, &edges);
        let mut colouring = vivace(&graph, 1);
        let before = colouring.clone();
        assert_eq!(recolour(&graph, &mut colouring, &[], 2), Recoloured::Some(0));
        assert_eq!(recolour(&graph, &mut colouring, &[0, 5, 5, 17], 2), Recoloured::Some(0));
        assert_eq!(colouring.colour, before.colour);
    }

    #[test]
    fn another_number_of_vertices_or_too_many_changes_start_afresh() {
        let (n, edges) = sheet(20);
        let graph = adjacency(n, &edges);
        let mut smaller = Colouring::new(vec![0; n - 1], 1);
        assert_eq!(recolour(&graph, &mut smaller, &[], 2), Recoloured::All);
        assert_eq!(smaller, vivace(&graph, 2));
        let mut wrong = Colouring::new(vec![0; n], 1);
        let all: Vec<u32> = (0..n as u32).collect();
        assert_eq!(recolour(&graph, &mut wrong, &all, 2), Recoloured::All);
        assert!(wrong.valid(&graph));
    }

    #[test]
    fn a_colouring_of_a_mesh_can_be_repaired_at_one_vertex() {
        let mesh = crate::mesh::generate::grid([1.0, 1.0], [9, 9], crate::scene::Triangulation::Uniform).unwrap();
        let graph = mesh_graph(&mesh);
        let mut colouring = vivace(&graph, 4);
        colouring.colour[40] = colouring.colour[41];
        let mut colouring = Colouring::new(colouring.colour, 1);
        assert!(!colouring.valid(&graph));
        assert_eq!(recolour(&graph, &mut colouring, &[40], 0), Recoloured::Some(1));
        assert!(colouring.valid(&graph));
    }
}
