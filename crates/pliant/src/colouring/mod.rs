//! Colourings: sets of vertices (or elements) that do not touch, so that a set can be updated in parallel.
//!
//! Every algorithm but [`greedy`] works in rounds of parallel passes over vertices, and gives the same colours for any
//! number of threads: see `passes.rs`. All use at most Δ + 1 colours, with Δ the largest number of neighbours, and give no
//! vertex a colour above its own number of neighbours.

mod algorithm;
mod greedy;
mod jones_plassmann;
mod largest_degree_first;
mod luby;
mod pack;
mod passes;
mod random;
mod ranked;
mod recolour;
#[cfg(test)]
mod testing;
mod vivace;

pub use algorithm::{Algorithm, UnknownAlgorithm};
pub use greedy::{greedy, greedy_elements};
pub use jones_plassmann::jones_plassmann;
pub use largest_degree_first::largest_degree_first;
pub use luby::luby;
pub use pack::pack;
pub use recolour::{Recoloured, recolour};
pub use vivace::vivace;

use crate::mesh::Mesh;
use crate::mesh::topology::{self, Incidence};

/// The random numbers of the parallel algorithms in WGSL: `draw_key(seed, round)` and `draw(key, vertex)`.
pub const RANDOM_WGSL: &str = include_str!("random.wgsl");

/// Who must not share a colour with whom: row v holds the neighbours of v. Symmetric, without repeats; a vertex may be
/// its own neighbour, as in the pattern of a matrix, which forbids nothing. [`topology::adjacency`] makes such rows.
pub type Graph = Incidence;

/// The graph of a mesh: vertices are neighbours if they share a triangle or a tetrahedron.
pub fn mesh_graph(mesh: &Mesh) -> Graph {
    topology::adjacency(mesh.points.len(), &topology::edges(mesh))
}

/// A colour for each node of a conflict graph, and the nodes of each colour.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Colouring {
    /// The colour of each node, from 0.
    pub colour: Vec<u32>,
    /// Row c holds the nodes of colour c, ascending.
    pub classes: Incidence,
    /// Rounds of parallel passes that it took.
    pub rounds: usize,
}

impl Colouring {
    /// From the colour of each node, found in so many rounds; there are as many classes as the largest colour asks for.
    pub fn new(colour: Vec<u32>, rounds: usize) -> Self {
        let count = colour.iter().max().map_or(0, |&c| c as usize + 1);
        let nodes = colour.iter().enumerate().map(|(node, &c)| (c, node as u32));
        let classes = Incidence::grouped(count, nodes);
        Self { colour, classes, rounds }
    }

    /// Number of colours.
    pub fn count(&self) -> usize {
        self.classes.len()
    }

    /// Largest class over smallest class; 1 is perfect, also for no nodes; infinite if a class is empty.
    pub fn balance(&self) -> f64 {
        let sizes = self.classes.rows().map(<[u32]>::len);
        match (sizes.clone().max(), sizes.min()) {
            (Some(largest), Some(smallest)) => largest as f64 / smallest as f64,
            _ => 1.0,
        }
    }

    /// Every node has a colour and no two neighbours have the same one.
    pub fn valid(&self, graph: &Graph) -> bool {
        let differs = |(node, row): (usize, &[u32])| {
            row.iter().all(|&n| n as usize == node || self.colour[n as usize] != self.colour[node])
        };
        self.colour.len() == graph.len() && graph.rows().enumerate().all(differs)
    }

    /// Every element has a colour and no two elements of one colour share a vertex.
    pub fn valid_elements(&self, vertices: usize, groups: &[Stencils]) -> bool {
        let elements: Vec<&[u32]> = groups.iter().flat_map(|group| group.iter()).collect();
        let mut owner = vec![u32::MAX; vertices];
        elements.len() == self.colour.len()
            && (0..self.count()).all(|c| {
                let class = self.classes.of(c);
                owner.fill(u32::MAX);
                class.iter().all(|&e| {
                    elements[e as usize].iter().all(|&v| {
                        let last = std::mem::replace(&mut owner[v as usize], e);
                        last == u32::MAX || last == e
                    })
                })
            })
    }
}

/// Elements with the same number of corners: edges, triangles, hinges or tets, whichever `From` they come.
#[derive(Clone, Copy, Debug)]
pub struct Stencils<'a> {
    corners: usize,
    vertices: &'a [u32],
}

impl<'a, const N: usize> From<&'a [[u32; N]]> for Stencils<'a> {
    fn from(stencils: &'a [[u32; N]]) -> Self {
        Self { corners: N.max(1), vertices: stencils.as_flattened() }
    }
}

impl<'a> Stencils<'a> {
    /// From the vertices of all elements one after the other, `corners` each.
    pub fn flat(corners: usize, vertices: &'a [u32]) -> Self {
        Self { corners: corners.max(1), vertices }
    }
    /// The vertices of each element in turn.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'a [u32]> + Clone {
        self.vertices.chunks_exact(self.corners)
    }
}
