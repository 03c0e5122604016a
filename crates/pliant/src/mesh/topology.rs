//! What touches what: edges, hinges, boundaries, incidence and adjacency of triangles and tetrahedra.
//!
//! Everything is bucketed by its lowest vertex and sorted inside the bucket, so results do not depend on hashing and
//! cost O(n) for meshes of bounded degree. Every index must be below the number of vertices that is passed along
//! (a reader or a check makes sure of it); a larger one panics.

mod incidence;
mod measure;
#[cfg(test)]
mod tests;

pub use incidence::{Components, Incidence, adjacency, components};
pub use measure::{signed_volume, vertex_areas, vertex_normals, vertex_volumes};

use super::Mesh;
use incidence::Buckets;

/// The corners of each face of a positive tetrahedron, seen counter-clockwise from outside; face i is opposite corner i.
pub const TET_FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// Every unordered pair once, as `[low, high]`, in ascending order; pairs of equal ends are dropped.
pub fn unique_edges(vertices: usize, pairs: impl Iterator<Item = [u32; 2]> + Clone) -> Vec<[u32; 2]> {
    let proper = pairs.filter(|[a, b]| a != b).map(|[a, b]| (a.min(b), a.max(b)));
    let buckets = Buckets::new(vertices, proper);
    let mut edges = Vec::with_capacity(buckets.len() / 2 + 1);
    for (low, highs) in buckets.iter() {
        let mut last = None;
        for &high in highs {
            if last != Some(high) {
                edges.push([low, high]);
                last = Some(high);
            }
        }
    }
    edges
}

/// Every pair of vertices that share a stencil, once, as `[low, high]` in ascending order: the edges of triangles
/// (N = 3) or tets (N = 4), and the conflict graph of any other stencils.
pub fn stencil_edges<const N: usize>(vertices: usize, stencils: &[[u32; N]]) -> Vec<[u32; 2]> {
    unique_edges(vertices, pairs(stencils))
}

/// The unique edges of a mesh, of its triangles and its tets together, as `[low, high]` in ascending order.
pub fn edges(mesh: &Mesh) -> Vec<[u32; 2]> {
    unique_edges(mesh.points.len(), pairs(&mesh.triangles).chain(pairs(&mesh.tets)))
}

fn pairs<const N: usize>(stencils: &[[u32; N]]) -> impl Iterator<Item = [u32; 2]> + Clone + '_ {
    stencils.iter().flat_map(|s| (0..N).flat_map(move |i| (i + 1..N).map(move |j| [s[i], s[j]])))
}

/// One side of an edge: the triangle's corner opposite it, and whether the triangle runs along it from high to low.
/// Ordered by triangle, because that is how ties are broken.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    high: u32,
    triangle: u32,
    opposite: u32,
    downward: bool,
}

/// The sides of every edge, bucketed by the edge's low vertex and sorted by its high vertex.
fn sides(vertices: usize, triangles: &[[u32; 3]]) -> Buckets<Side> {
    let each = triangles.iter().enumerate().flat_map(|(t, tri)| {
        (0..3).filter_map(move |corner| {
            let (a, b) = (tri[(corner + 1) % 3], tri[(corner + 2) % 3]);
            let side = Side { high: a.max(b), triangle: t as u32, opposite: tri[corner], downward: a > b };
            (a != b).then_some((a.min(b), side))
        })
    });
    Buckets::new(vertices, each)
}

/// Interior edges with the two vertices opposite: `[edge_a, edge_b, opposite_0, opposite_1]`.
///
/// Triangle 0 is (a, b, opposite_0): it has the edge in direction a → b. In an oriented manifold a < b, and triangle 1
/// is (b, a, opposite_1). Where both triangles run the same way (orientation is inconsistent), triangle 0 is the one
/// that comes first and the edge runs as it does, so a > b is possible. An edge with k > 2 triangles (non-manifold)
/// yields a hinge for each of its k(k−1)/2 pairs. Pairs with fewer than four distinct vertices (duplicate or
/// degenerate triangles) have no angle and are left out. Sorted by the edge (low, high), then by the triangles.
pub fn hinges(vertices: usize, triangles: &[[u32; 3]]) -> Vec<[u32; 4]> {
    let mut hinges = Vec::with_capacity(triangles.len() * 3 / 2);
    for (low, sides) in sides(vertices, triangles).iter() {
        for edge in sides.chunk_by(|p, q| p.high == q.high) {
            for (i, first) in edge.iter().enumerate() {
                hinges.extend(edge[i + 1..].iter().filter_map(|second| hinge(low, first, second)));
            }
        }
    }
    hinges
}

fn hinge(low: u32, first: &Side, second: &Side) -> Option<[u32; 4]> {
    let (o, p, high) = (first.opposite, second.opposite, first.high);
    let distinct = o != p && o != low && o != high && p != low && p != high;
    let quad = match (first.downward, second.downward) {
        (false, _) => [low, high, o, p],
        (true, false) => [low, high, p, o],
        (true, true) => [high, low, o, p],
    };
    distinct.then_some(quad)
}

/// Edges with exactly one triangle, directed as that triangle runs, sorted by (low, high).
pub fn boundary_edges(vertices: usize, triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut boundary = Vec::new();
    for (low, sides) in sides(vertices, triangles).iter() {
        for edge in sides.chunk_by(|p, q| p.high == q.high) {
            if let [only] = edge {
                boundary.push(if only.downward { [only.high, low] } else { [low, only.high] });
            }
        }
    }
    boundary
}

/// Faces with exactly one tetrahedron, counter-clockwise seen from outside when the tets are positive, in the order of
/// tets and then [`TET_FACES`]. Faces of tets with repeated vertices count like any other.
pub fn boundary_triangles(vertices: usize, tets: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let each = tets.iter().enumerate().flat_map(|(t, tet)| {
        TET_FACES.iter().enumerate().map(move |(f, corners)| {
            let mut face = corners.map(|c| tet[c]);
            face.sort_unstable();
            (face[0], (face[1], face[2], (t * 4 + f) as u32))
        })
    });
    let mut outer: Vec<u32> = Vec::new();
    for (_, faces) in Buckets::new(vertices, each).iter() {
        for same in faces.chunk_by(|p, q| (p.0, p.1) == (q.0, q.1)) {
            if let [only] = same {
                outer.push(only.2);
            }
        }
    }
    outer.sort_unstable();
    outer.into_iter().map(|id| TET_FACES[id as usize % 4].map(|c| tets[id as usize / 4][c])).collect()
}
