//! The numbers that describe a mesh.

use std::fmt;

use serde::Serialize;

use super::Mesh;
use super::check_adjacency::{Sets, boundary_faces, bowtie_vertices, by_edge, sides};

/// What a mesh is like. "Surface" is the boundary of the tetrahedra, or the triangles where there are none.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Info {
    /// Vertices, used or not.
    pub vertices: usize,
    /// Vertices in no element.
    pub unused_vertices: usize,
    /// Edges of all elements.
    pub edges: usize,
    /// Triangles as stored.
    pub triangles: usize,
    /// Tetrahedra.
    pub tets: usize,
    /// Triangles of the surface.
    pub surface_triangles: usize,
    /// Lowest and highest coordinates of the vertices in use, m; zero without any.
    pub bounding_box: [[f64; 3]; 2],
    /// Area of the surface, m².
    pub area: f64,
    /// Volume, m³: of the tetrahedra, or enclosed by the surface (negative when it faces inward; without meaning when
    /// it is open).
    pub volume: f64,
    /// Shortest edge, m.
    pub min_edge: f64,
    /// Longest edge, m.
    pub max_edge: f64,
    /// Surface edges with one triangle.
    pub boundary_edges: usize,
    /// Surface edges with three or more triangles.
    pub non_manifold_edges: usize,
    /// Surface vertices where several fans meet.
    pub non_manifold_vertices: usize,
    /// Connected pieces of the surface.
    pub components: usize,
    /// Euler number of the surface: vertices − edges + triangles.
    pub euler: i64,
    /// Whether every surface edge has exactly two triangles.
    pub watertight: bool,
    /// Smallest and largest angle between two faces of a tetrahedron, degrees.
    pub dihedral_deg: Option<[f64; 2]>,
    /// Smallest and largest volume of a tetrahedron, m³.
    pub tet_volume: Option<[f64; 2]>,
    /// Most edges at one vertex.
    pub max_degree: usize,
}

/// Measures a mesh. Elements with an index out of range are left out.
pub fn info(mesh: &Mesh) -> Info {
    let n = mesh.points.len();
    let in_range = |corners: &[u32]| corners.iter().all(|&corner| (corner as usize) < n);
    let triangles: Vec<[u32; 3]> = mesh.triangles.iter().copied().filter(|t| in_range(t)).collect();
    let tets: Vec<[u32; 4]> = mesh.tets.iter().copied().filter(|t| in_range(t)).collect();
    let mut info = Info { vertices: n, triangles: mesh.triangles.len(), tets: mesh.tets.len(), ..Info::default() };
    measure_vertices(mesh, &triangles, &tets, &mut info);
    measure_edges(mesh, &triangles, &tets, &mut info);
    measure_tets(mesh, &tets, &mut info);
    let surface =
        if tets.is_empty() { triangles } else { boundary_faces(&tets).into_iter().map(|face| face.corners).collect() };
    measure_surface(mesh, &surface, &mut info);
    if !tets.is_empty() {
        info.volume = tets.iter().map(|tet| tet_volume(corners(mesh, tet))).sum();
    }
    info
}

fn corners<const N: usize>(mesh: &Mesh, element: &[u32; N]) -> [[f64; 3]; N] {
    element.map(|corner| mesh.points[corner as usize])
}

fn measure_vertices(mesh: &Mesh, triangles: &[[u32; 3]], tets: &[[u32; 4]], info: &mut Info) {
    let mut used = vec![false; mesh.points.len()];
    for &corner in triangles.as_flattened().iter().chain(tets.as_flattened()) {
        used[corner as usize] = true;
    }
    let mut points = mesh.points.iter().zip(&used).filter(|(_, used)| **used).map(|(point, _)| point);
    info.unused_vertices = used.iter().filter(|used| !**used).count();
    let Some(first) = points.next() else { return };
    info.bounding_box = points.fold([*first; 2], |[low, high], point| {
        [std::array::from_fn(|i| low[i].min(point[i])), std::array::from_fn(|i| high[i].max(point[i]))]
    });
}

fn measure_edges(mesh: &Mesh, triangles: &[[u32; 3]], tets: &[[u32; 4]], info: &mut Info) {
    let mut edges: Vec<[u32; 2]> = Vec::with_capacity(3 * triangles.len() + 6 * tets.len());
    let mut push = |a: u32, b: u32| edges.push([a.min(b), a.max(b)]);
    for &[a, b, c] in triangles {
        [[a, b], [b, c], [c, a]].into_iter().for_each(|[a, b]| push(a, b));
    }
    for &[a, b, c, d] in tets {
        [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]].into_iter().for_each(|[a, b]| push(a, b));
    }
    edges.sort_unstable();
    edges.dedup();
    edges.retain(|[a, b]| a != b);
    let mut degree = vec![0usize; mesh.points.len()];
    let mut range = [f64::INFINITY, 0.0f64];
    for edge in &edges {
        edge.iter().for_each(|&vertex| degree[vertex as usize] += 1);
        let [a, b] = corners(mesh, edge);
        let length = norm_sq(sub(b, a)).sqrt();
        range = [range[0].min(length), range[1].max(length)];
    }
    info.edges = edges.len();
    info.max_degree = degree.iter().copied().max().unwrap_or(0);
    info.min_edge = if edges.is_empty() { 0.0 } else { range[0] };
    info.max_edge = range[1];
}

fn measure_tets(mesh: &Mesh, tets: &[[u32; 4]], info: &mut Info) {
    if tets.is_empty() {
        return;
    }
    let (mut angles, mut volumes) = ([f64::INFINITY, f64::NEG_INFINITY], [f64::INFINITY, f64::NEG_INFINITY]);
    let widen = |range: &mut [f64; 2], value: f64| *range = [range[0].min(value), range[1].max(value)];
    for tet in tets {
        let x = corners(mesh, tet);
        widen(&mut volumes, tet_volume(x));
        dihedral_angles(x).into_iter().for_each(|angle| widen(&mut angles, angle.to_degrees()));
    }
    info.dihedral_deg = Some(angles);
    info.tet_volume = Some(volumes);
}

/// The angles between the faces at the six edges, radians.
fn dihedral_angles([a, b, c, d]: [[f64; 3]; 4]) -> [f64; 6] {
    let normal = |p, q, r| cross(sub(q, p), sub(r, p));
    let normals = [normal(b, c, d), normal(a, d, c), normal(a, b, d), normal(a, c, b)];
    let pairs = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    pairs.map(|[i, j]: [usize; 2]| {
        let sine = norm_sq(cross(normals[i], normals[j])).sqrt();
        sine.atan2(-dot(normals[i], normals[j]))
    })
}

fn measure_surface(mesh: &Mesh, surface: &[[u32; 3]], info: &mut Info) {
    info.surface_triangles = surface.len();
    let sides = sides(surface);
    let mut edges = 0usize;
    for group in by_edge(&sides) {
        edges += 1;
        info.boundary_edges += usize::from(group.len() == 1);
        info.non_manifold_edges += usize::from(group.len() > 2);
    }
    info.non_manifold_vertices = bowtie_vertices(surface, &sides).len();
    let mut pieces = Sets::new(mesh.points.len());
    for &[a, b, c] in surface {
        pieces.join(a, b);
        pieces.join(a, c);
    }
    let mut vertices: Vec<u32> = surface.as_flattened().to_vec();
    vertices.sort_unstable();
    vertices.dedup();
    info.components = vertices.iter().filter(|&&vertex| pieces.find(vertex) == vertex).count();
    info.euler = vertices.len() as i64 - edges as i64 + surface.len() as i64;
    info.watertight = !surface.is_empty() && info.boundary_edges == 0 && info.non_manifold_edges == 0;
    for triangle in surface {
        let [a, b, c] = corners(mesh, triangle);
        info.area += norm_sq(cross(sub(b, a), sub(c, a))).sqrt() / 2.0;
        info.volume += dot(a, cross(b, c)) / 6.0;
    }
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let [low, high] = self.bounding_box;
        let size: [f64; 3] = std::array::from_fn(|i| high[i] - low[i]);
        writeln!(f, "vertices        {} ({} unused)", self.vertices, self.unused_vertices)?;
        writeln!(f, "edges           {} ({:.6} to {:.6} m)", self.edges, self.min_edge, self.max_edge)?;
        writeln!(f, "triangles       {}", self.triangles)?;
        writeln!(f, "tetrahedra      {}", self.tets)?;
        writeln!(f, "size            {:.6} x {:.6} x {:.6} m", size[0], size[1], size[2])?;
        writeln!(f, "bounding box    {low:?} to {high:?}")?;
        writeln!(f, "surface         {} triangles, {:.6} m²", self.surface_triangles, self.area)?;
        writeln!(f, "volume          {:.6e} m³", self.volume)?;
        writeln!(f, "watertight      {}", if self.watertight { "yes" } else { "no" })?;
        writeln!(f, "boundary edges  {}", self.boundary_edges)?;
        writeln!(f, "non-manifold    {} edges, {} vertices", self.non_manifold_edges, self.non_manifold_vertices)?;
        writeln!(f, "components      {}", self.components)?;
        writeln!(f, "Euler number    {}", self.euler)?;
        if let (Some([low, high]), Some([least, most])) = (self.dihedral_deg, self.tet_volume) {
            writeln!(f, "dihedral angle  {low:.2}° to {high:.2}°")?;
            writeln!(f, "tet volume      {least:.3e} to {most:.3e} m³")?;
        }
        write!(f, "max degree      {}", self.max_degree)
    }
}

pub(super) fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn norm_sq(a: [f64; 3]) -> f64 {
    dot(a, a)
}

/// Signed volume, m³.
pub(super) fn tet_volume([a, b, c, d]: [[f64; 3]; 4]) -> f64 {
    dot(sub(b, a), cross(sub(c, a), sub(d, a))) / 6.0
}
