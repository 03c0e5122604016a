//! Colourings: sets of vertices (or elements) that do not touch, so that a set can be updated in parallel.

mod greedy;

pub use greedy::{greedy, greedy_elements};

use crate::mesh::topology::Incidence;

/// A colour for each node of a conflict graph, and the nodes of each colour.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Colouring {
    /// The colour of each node, from 0.
    pub colour: Vec<u32>,
    /// Row c holds the nodes of colour c, ascending.
    pub classes: Incidence,
}

impl Colouring {
    /// From the colour of each node; there are as many classes as the largest colour asks for.
    pub fn new(colour: Vec<u32>) -> Self {
        let count = colour.iter().max().map_or(0, |&c| c as usize + 1);
        let nodes = colour.iter().enumerate().map(|(node, &c)| (c, node as u32));
        let classes = Incidence::grouped(count, nodes);
        Self { colour, classes }
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
    pub fn valid(&self, adjacency: &Incidence) -> bool {
        let differs = |(node, row): (usize, &[u32])| {
            row.iter().all(|&n| n as usize == node || self.colour[n as usize] != self.colour[node])
        };
        self.colour.len() == adjacency.len() && adjacency.rows().enumerate().all(differs)
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
