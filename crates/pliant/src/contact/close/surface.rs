//! What may touch: frozen, over all bodies.

use super::{Contact, ContactKind};
use crate::math::Real;
use crate::mesh::topology::{Incidence, boundary_edges, stencil_edges};

/// What a [`CloseSurface`] is made of. Every slice but `triangles` has one entry per vertex.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceParts<'a> {
    /// Positions in the rest shape, m. Those of different bodies are not compared.
    pub rest_x: &'a [[f64; 3]],
    /// Two vertices keep half the sum of these apart, m.
    pub thickness: &'a [f64],
    /// Which body a vertex belongs to.
    pub body: &'a [u32],
    /// Surfaces of all bodies that may touch. A triangle with a vertex that does not exist is left out.
    pub triangles: &'a [[u32; 3]],
}

/// How large boxes of triangles and edges usually are, in mean lengths of edges.
const USUAL_EXTENT: f64 = 1.3;
/// How deep vertices of solids are looked for in others, in mean lengths of edges. Deeper, opposite surfaces come into it.
const DEEPEST: f64 = 0.25;

/// A vertex of a [`CloseSurface`].
#[derive(Clone, Copy, Debug)]
pub struct SurfaceVertex<'a> {
    /// Position in the rest shape, m.
    pub rest_x: [f64; 3],
    /// Half the thickness, m.
    pub half: f64,
    /// Which body it belongs to.
    pub body: u32,
    /// Whether it is a vertex of an edge with one triangle.
    pub is_at_hem: bool,
    /// Whether its body is a solid.
    pub is_solid: bool,
    /// Corners of triangles at it, as triangle · 3 + corner.
    pub corners: &'a [u32],
}

/// How many contacts are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CloseLimits {
    /// Triangles per vertex.
    pub per_vertex: usize,
    /// Edges per edge; an edge may be close to more that keep it as one of theirs.
    pub per_edge: usize,
}

impl Default for CloseLimits {
    fn default() -> Self {
        Self { per_vertex: 8, per_edge: 8 }
    }
}

/// Vertices, edges and triangles that may touch, and how near they may come. Never changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CloseSurface {
    pub(super) rest_x: Vec<[f64; 3]>,
    /// Half the thickness of each vertex, m.
    pub(super) half: Vec<f64>,
    pub(super) body: Vec<u32>,
    /// Vertices of triangles, ascending.
    pub(super) vertices: Vec<u32>,
    pub(super) edges: Vec<[u32; 2]>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// Both triangles of each edge; `u32::MAX` where there are not two.
    pub(super) sides: Vec<[u32; 2]>,
    /// Which corners of triangles are at each vertex, as triangle · 3 + corner.
    pub(super) corners: Incidence,
    /// Vertices of edges with one triangle.
    pub(super) hem: Vec<bool>,
    /// Vertices of solids, whose triangles face outwards.
    pub(super) solid: Vec<bool>,
    /// How deep vertices of solids are looked for in others, m.
    deepest: f64,
    mean_edge: f64,
}

impl CloseSurface {
    /// From its parts. Where a slice is too short, a vertex has no thickness and belongs to body 0.
    pub fn new(parts: &SurfaceParts) -> Self {
        let n = parts.rest_x.len();
        let there = |t: &[u32; 3]| t.iter().all(|&i| (i as usize) < n);
        let triangles: Vec<[u32; 3]> = parts.triangles.iter().copied().filter(there).collect();
        let edges = stencil_edges(n, &triangles);
        let mut used = vec![false; n];
        triangles.as_flattened().iter().for_each(|&i| used[i as usize] = true);
        let mut hem = vec![false; n];
        boundary_edges(n, &triangles).as_flattened().iter().for_each(|&i| hem[i as usize] = true);
        let lengths = edges.iter().map(|&[i, j]| {
            let [a, b] = [i, j].map(|i| parts.rest_x[i as usize]);
            (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
        });
        let mean_edge = lengths.sum::<f64>() / edges.len().max(1) as f64;
        let sides = sides(&edges, &triangles);
        Self {
            rest_x: parts.rest_x.to_vec(),
            half: (0..n).map(|i| 0.5 * parts.thickness.get(i).copied().unwrap_or(0.0)).collect(),
            body: (0..n).map(|i| parts.body.get(i).copied().unwrap_or(0)).collect(),
            vertices: (0..n as u32).filter(|&i| used[i as usize]).collect(),
            edges,
            corners: Incidence::new(n, &triangles),
            triangles,
            sides,
            hem,
            solid: vec![false; n],
            deepest: 0.0,
            mean_edge,
        }
    }

    /// The same where some bodies, a flag per vertex, are solids with triangles that face outwards: what gets into one is
    /// pushed out on the side where it came in.
    pub fn with_solids(mut self, solid: Vec<bool>) -> Self {
        let any = solid.iter().any(|&solid| solid);
        self.solid = solid;
        self.solid.resize(self.rest_x.len(), false);
        self.deepest = if any { DEEPEST * self.mean_edge } else { 0.0 };
        self
    }

    /// How deep vertices of solids are looked for in others, m.
    pub fn deepest(&self) -> f64 {
        self.deepest
    }

    /// Vertices of triangles, ascending: those that look for triangles.
    pub fn owners(&self) -> &[u32] {
        &self.vertices
    }

    /// Both triangles of each edge; `u32::MAX` where there are not two.
    pub fn sides(&self) -> &[[u32; 2]] {
        &self.sides
    }

    /// What is known of vertex i.
    pub fn vertex(&self, i: usize) -> SurfaceVertex<'_> {
        SurfaceVertex {
            rest_x: self.rest_x[i],
            half: self.half[i],
            body: self.body[i],
            is_at_hem: self.hem[i],
            is_solid: self.solid[i],
            corners: self.corners.of(i),
        }
    }

    /// Number of vertices, those that no triangle uses included.
    pub fn vertices(&self) -> usize {
        self.rest_x.len()
    }

    /// Unique edges of all triangles, low vertex first, ascending.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// Triangles, in the order they came in.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Whether a contact is with the hem of a cloth: a vertex that is nearest to an edge with one triangle, or to an end of it.
    pub fn is_at_hem<R: Real>(&self, contact: &Contact<R>) -> bool {
        // A weight that is what others leave of 1 is rounded.
        let corners = || (1..4).filter(|&k| contact.weight[k].abs() > R::EPSILON);
        let is_hem = |k: usize| self.hem[contact.stencil[k] as usize];
        contact.kind == ContactKind::VertexTriangle && corners().count() < 3 && corners().all(is_hem)
    }

    /// Largest distance that two of its vertices keep, m.
    pub fn largest_gap(&self) -> f64 {
        2.0 * self.half.iter().copied().fold(0.0, f64::max)
    }

    /// A `reach` that finds most of what moves fast and not more triangles per vertex than are kept: the mean length of
    /// an edge, or the largest gap where that is more, m.
    pub fn usual_reach(&self) -> f64 {
        self.mean_edge.max(self.largest_gap())
    }

    /// How large boxes of its triangles and edges usually are, m.
    pub fn usual_extent(&self) -> f64 {
        USUAL_EXTENT * self.mean_edge
    }
}

/// Both triangles of each of the `edges`, which are ascending; `u32::MAX` where there are not two.
fn sides(edges: &[[u32; 2]], triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    const NONE: u32 = u32::MAX;
    let (mut sides, mut count) = (vec![[NONE; 2]; edges.len()], vec![0u8; edges.len()]);
    for (t, &[a, b, c]) in (0..).zip(triangles) {
        for [i, j] in [[a, b], [b, c], [c, a]] {
            let Ok(e) = edges.binary_search(&[i.min(j), i.max(j)]) else { continue };
            if let Some(side) = sides[e].get_mut(usize::from(count[e])) {
                *side = t;
            }
            count[e] = count[e].saturating_add(1);
        }
    }
    sides.iter_mut().zip(count).filter(|(_, count)| *count != 2).for_each(|(sides, _)| *sides = [NONE; 2]);
    sides
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_vertices_of_triangles_take_part_and_bad_triangles_are_left_out() {
        let rest_x = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [5.0; 3], [1.0, 1.0, 0.0]];
        let parts = SurfaceParts {
            rest_x: &rest_x,
            thickness: &[0.1, 0.2],
            body: &[7; 5],
            triangles: &[[0, 1, 2], [1, 4, 2], [0, 1, 9]],
        };
        let surface = CloseSurface::new(&parts);
        assert_eq!(surface.vertices, [0, 1, 2, 4]);
        assert_eq!(surface.edges, [[0, 1], [0, 2], [1, 2], [1, 4], [2, 4]]);
        assert_eq!(surface.sides[2], [0, 1]);
        assert!([0, 1, 3, 4].iter().all(|&e: &usize| surface.sides[e] == [u32::MAX; 2]));
        assert_eq!((surface.triangles.len(), surface.half.clone()), (2, vec![0.05, 0.1, 0.0, 0.0, 0.0]));
        assert_eq!(surface.largest_gap(), 0.2);
        assert!((surface.usual_reach() - (4.0 + 2f64.sqrt()) / 5.0).abs() < 1e-15);
        assert_eq!(
            CloseSurface::new(&SurfaceParts { rest_x: &[], thickness: &[], body: &[], triangles: &[] }).usual_reach(),
            0.0
        );
    }
}
