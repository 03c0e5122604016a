//! How good a generated mesh is: angles, volumes, and whether its skin is a closed surface.

use crate::math::Vec3;
use crate::mesh::{Mesh, topology};

fn at(mesh: &Mesh, v: u32) -> Vec3<f64> {
    Vec3::of(mesh.points[v as usize])
}

/// Smallest angle of any triangle, degrees.
pub fn min_angle(mesh: &Mesh) -> f64 {
    let corner = |t: &[u32; 3], i: usize| {
        let p = at(mesh, t[i]);
        let (a, b) = (at(mesh, t[(i + 1) % 3]) - p, at(mesh, t[(i + 2) % 3]) - p);
        a.cross(b).length().atan2(a.dot(b)).to_degrees()
    };
    mesh.triangles.iter().flat_map(|t| (0..3).map(move |i| corner(t, i))).fold(180.0, f64::min)
}

/// Smallest angle between two faces of a tet, degrees; negative if a tet is inverted.
pub fn min_dihedral(mesh: &Mesh) -> f64 {
    let mut least: f64 = 180.0;
    for tet in &mesh.tets {
        if topology::signed_volume(&mesh.points, tet) <= 0.0 {
            return -1.0;
        }
        let outward = topology::TET_FACES.map(|face| {
            let [a, b, c] = face.map(|i| at(mesh, tet[i]));
            (b - a).cross(c - a).unit_or(Vec3::ZERO)
        });
        for i in 0..4 {
            for j in 0..i {
                least = least.min((-outward[i].dot(outward[j])).clamp(-1.0, 1.0).acos().to_degrees());
            }
        }
    }
    least
}

/// Sum of the triangles' areas, m².
pub fn area(mesh: &Mesh) -> f64 {
    topology::vertex_areas(&mesh.points, &mesh.triangles).iter().sum()
}

/// Sum of the tets' volumes, m³.
pub fn volume(mesh: &Mesh) -> f64 {
    mesh.tets.iter().map(|tet| topology::signed_volume(&mesh.points, tet)).sum()
}

/// Volume that the triangles enclose, m³; positive if they are seen counter-clockwise from outside.
pub fn enclosed(mesh: &Mesh) -> f64 {
    let cone = |t: &[u32; 3]| at(mesh, t[0]).dot(at(mesh, t[1]).cross(at(mesh, t[2]))) / 6.0;
    mesh.triangles.iter().map(cone).sum()
}

/// The tets' outer faces, with all the points.
pub fn skin(mesh: &Mesh) -> Mesh {
    let triangles = topology::boundary_triangles(mesh.points.len(), &mesh.tets);
    Mesh { points: mesh.points.clone(), triangles, tets: Vec::new() }
}

/// Each directed edge occurs once, and so does its reverse.
pub fn closed_and_oriented(mesh: &Mesh) -> bool {
    let mut directed: Vec<[u32; 2]> = mesh.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    directed.sort_unstable();
    directed.windows(2).all(|w| w[0] != w[1]) && directed.iter().all(|&[a, b]| directed.binary_search(&[b, a]).is_ok())
}

/// V − E + F over the vertices that triangles use.
pub fn euler_number(mesh: &Mesh) -> i64 {
    let mut used: Vec<u32> = mesh.triangles.as_flattened().to_vec();
    used.sort_unstable();
    used.dedup();
    let edges = topology::stencil_edges(mesh.points.len(), &mesh.triangles);
    used.len() as i64 - edges.len() as i64 + mesh.triangles.len() as i64
}

/// Number of connected pieces.
pub fn pieces(mesh: &Mesh) -> usize {
    topology::components(&topology::adjacency(mesh.points.len(), &topology::edges(mesh))).count
}

/// Lowest and highest coordinate along each axis, m.
pub fn bounds(mesh: &Mesh) -> [[f64; 3]; 2] {
    let axis = |k: usize| mesh.points.iter().map(move |p| p[k]);
    [
        std::array::from_fn(|k| axis(k).fold(f64::INFINITY, f64::min)),
        std::array::from_fn(|k| axis(k).fold(f64::NEG_INFINITY, f64::max)),
    ]
}
