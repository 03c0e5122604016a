//! Who shares an edge, a face or a corner with whom: the sorted lists behind the checks.

/// One side of a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    /// The two vertices, smaller first.
    pub edge: [u32; 2],
    /// The triangle.
    pub triangle: u32,
    /// Whether the triangle runs from the smaller to the larger vertex.
    pub forward: bool,
}

/// Whether an element names a vertex twice.
pub(super) fn repeats(corners: &[u32]) -> bool {
    corners.iter().enumerate().any(|(i, corner)| corners[..i].contains(corner))
}

/// The sides of all triangles, sorted by edge; triangles that name a vertex twice have none.
pub(super) fn sides(triangles: &[[u32; 3]]) -> Vec<Side> {
    let mut sides = Vec::with_capacity(3 * triangles.len());
    for (t, corners) in triangles.iter().enumerate().filter(|(_, corners)| !repeats(*corners)) {
        for i in 0..3 {
            let (a, b) = (corners[i], corners[(i + 1) % 3]);
            sides.push(Side { edge: [a.min(b), a.max(b)], triangle: t as u32, forward: a < b });
        }
    }
    sides.sort_unstable_by_key(|side| (side.edge, side.triangle));
    sides
}

/// Groups of sides on the same edge.
pub(super) fn by_edge(sides: &[Side]) -> impl Iterator<Item = &[Side]> {
    sides.chunk_by(|a, b| a.edge == b.edge)
}

/// A face of a tetrahedron.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    /// The corners, sorted.
    pub key: [u32; 3],
    /// The corners, counter-clockwise from outside when the tetrahedron is positive.
    pub corners: [u32; 3],
    /// The tetrahedron.
    pub tet: u32,
}

/// The faces of all tetrahedra, sorted by corners; tetrahedra that name a vertex twice have none.
pub(super) fn faces(tets: &[[u32; 4]]) -> Vec<Face> {
    const CORNERS: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
    let mut faces = Vec::with_capacity(4 * tets.len());
    for (t, tet) in tets.iter().enumerate().filter(|(_, tet)| !repeats(*tet)) {
        for face in CORNERS {
            let corners = face.map(|i| tet[i]);
            faces.push(Face { key: sorted(corners), corners, tet: t as u32 });
        }
    }
    faces.sort_unstable_by_key(|face| (face.key, face.tet));
    faces
}

/// Groups of faces with the same corners.
pub(super) fn by_corners(faces: &[Face]) -> impl Iterator<Item = &[Face]> {
    faces.chunk_by(|a, b| a.key == b.key)
}

/// The faces with a tetrahedron on one side only, in the order of the tetrahedra.
pub(super) fn boundary_faces(tets: &[[u32; 4]]) -> Vec<Face> {
    let faces = faces(tets);
    let mut boundary: Vec<Face> =
        by_corners(&faces).filter_map(|group| if let [face] = group { Some(*face) } else { None }).collect();
    boundary.sort_unstable_by_key(|face| (face.tet, face.key));
    boundary
}

/// Corners in increasing order.
pub(super) fn sorted<const N: usize>(mut corners: [u32; N]) -> [u32; N] {
    corners.sort_unstable();
    corners
}

/// Elements that have the same corners as an earlier one, each with that earlier one.
pub(super) fn duplicates<const N: usize>(elements: &[[u32; N]]) -> Vec<[u32; 2]> {
    let mut keyed: Vec<([u32; N], u32)> = elements.iter().enumerate().map(|(i, e)| (sorted(*e), i as u32)).collect();
    keyed.sort_unstable();
    let groups = keyed.chunk_by(|a, b| a.0 == b.0);
    let mut pairs: Vec<[u32; 2]> =
        groups.flat_map(|group| group[1..].iter().map(|later| [group[0].1, later.1])).collect();
    pairs.sort_unstable();
    pairs
}

/// Disjoint sets of numbers.
pub(super) struct Sets(Vec<u32>);

impl Sets {
    pub fn new(n: usize) -> Self {
        Sets((0..n as u32).collect())
    }

    pub fn find(&mut self, mut i: u32) -> u32 {
        while self.0[i as usize] != i {
            self.0[i as usize] = self.0[self.0[i as usize] as usize];
            i = self.0[i as usize];
        }
        i
    }

    /// Joins two sets; the smaller number stays the name.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

/// Vertices in which several fans of triangles meet that share no edge there.
pub(super) fn bowtie_vertices(triangles: &[[u32; 3]], sides: &[Side]) -> Vec<u32> {
    let corner = |triangle: u32, vertex: u32| {
        let place = triangles[triangle as usize].iter().position(|&v| v == vertex).unwrap_or(0);
        3 * triangle + place as u32
    };
    let mut fans = Sets::new(3 * triangles.len());
    for group in by_edge(sides) {
        for side in &group[1..] {
            for vertex in side.edge {
                fans.join(corner(group[0].triangle, vertex), corner(side.triangle, vertex));
            }
        }
    }
    let mut roots: Vec<(u32, u32)> = Vec::with_capacity(3 * triangles.len());
    for (t, corners) in triangles.iter().enumerate().filter(|(_, corners)| !repeats(*corners)) {
        for (i, &vertex) in corners.iter().enumerate() {
            roots.push((vertex, fans.find((3 * t + i) as u32)));
        }
    }
    roots.sort_unstable();
    roots.dedup();
    roots.chunk_by(|a, b| a.0 == b.0).filter(|fans| fans.len() > 1).map(|fans| fans[0].0).collect()
}
