//! What can be wrong with triangles, and with the surface they form.

use super::Mesh;
use super::check::{Kind, Of, Report, places};
use super::check_adjacency::{boundary_faces, bowtie_vertices, by_edge, duplicates, repeats, sides};
use super::info::{cross, norm_sq, sub};
use super::intersect::self_intersections;

/// Twice the area over the squared longest edge, below which a triangle counts as having no area.
const DEGENERATE: f64 = 1e-12;
/// Intersecting pairs looked for at most: beyond, the number says nothing new.
const MOST_PAIRS: usize = 10_000;

pub(super) fn check_topology(mesh: &Mesh, report: &mut Report) {
    let triangles = &mesh.triangles;
    report.add(Kind::RepeatedIndex, Of::Triangle, &places(triangles, |corners| repeats(corners)));
    let duplicates = duplicates(triangles);
    report.add(Kind::DuplicateFace, Of::TrianglePair, &duplicates);

    let sides = sides(triangles);
    let crowded: Vec<[u32; 2]> = by_edge(&sides).filter(|group| group.len() > 2).map(|group| group[0].edge).collect();
    report.add(Kind::NonManifoldEdge, Of::Edge, &crowded);
    let bowties: Vec<[u32; 1]> = bowtie_vertices(triangles, &sides).into_iter().map(|vertex| [vertex]).collect();
    report.add(Kind::NonManifoldVertex, Of::Vertex, &bowties);

    // A duplicate would make its edges crowded and hide how the original lies to its neighbours.
    let mut is_duplicate = vec![false; triangles.len()];
    for [_, later] in duplicates {
        is_duplicate[later as usize] = true;
    }
    let mut conflicts = Vec::new();
    for group in by_edge(&sides) {
        let mut kept = group.iter().filter(|side| !is_duplicate[side.triangle as usize]);
        if let (Some(a), Some(b), None) = (kept.next(), kept.next(), kept.next())
            && a.forward == b.forward
        {
            conflicts.push([a.triangle, b.triangle]);
        }
    }
    conflicts.sort_unstable();
    report.add(Kind::InconsistentOrientation, Of::TrianglePair, &conflicts);
}

pub(super) fn check_shapes(mesh: &Mesh, report: &mut Report) {
    let degenerate = places(&mesh.triangles, |corners| {
        let [a, b, c] = corners.map(|corner| mesh.points[corner as usize]);
        let (u, v, w) = (sub(b, a), sub(c, a), sub(c, b));
        let longest_sq = norm_sq(u).max(norm_sq(v)).max(norm_sq(w));
        let double_area = norm_sq(cross(u, v)).sqrt();
        let has_area = double_area > DEGENERATE * longest_sq && double_area > f64::from(f32::MIN_POSITIVE);
        !repeats(corners) && !has_area
    });
    report.add(Kind::DegenerateTriangle, Of::Triangle, &degenerate);
}

/// Of a solid the boundary is looked at, and its tetrahedra are named; of a surface, its triangles.
pub(super) fn check_self_intersections(mesh: &Mesh, report: &mut Report) {
    if mesh.tets.is_empty() {
        let pairs = self_intersections(&mesh.points, &mesh.triangles, MOST_PAIRS + 1);
        report.add_first(Kind::SelfIntersection, Of::TrianglePair, &pairs, MOST_PAIRS);
        return;
    }
    let boundary = boundary_faces(&mesh.tets);
    let triangles: Vec<[u32; 3]> = boundary.iter().map(|face| face.corners).collect();
    let mut pairs = self_intersections(&mesh.points, &triangles, MOST_PAIRS + 1);
    let capped = pairs.len() > MOST_PAIRS;
    for pair in &mut pairs {
        *pair = pair.map(|face| boundary[face as usize].tet);
        pair.sort_unstable();
    }
    pairs.sort_unstable();
    pairs.dedup();
    // Pairs of triangles were counted; of tetrahedra there may be fewer.
    let most = if capped { pairs.len() - 1 } else { pairs.len() };
    report.add_first(Kind::SelfIntersection, Of::TetPair, &pairs, most);
}
