//! What a surface is fit for: nothing wrong, but not good for everything.

use super::check::Report;
use super::check_adjacency::{by_edge, sides};
use super::{Mesh, topology};
use crate::counted::counted;

/// Makes one vertex of those at the same place, and leaves out what has no area then or is not used.
pub(crate) fn weld(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    // Adding zero turns −0 into +0: they are one place.
    let key = |i: u32| points[i as usize].map(|c| (c + 0.0).to_bits());
    let known = |triangle: &&[u32; 3]| triangle.iter().all(|i| (*i as usize) < points.len());
    let mut used: Vec<u32> = triangles.iter().filter(known).flatten().copied().collect();
    used.sort_unstable_by_key(|&i| (key(i), i));
    used.dedup();
    let (mut place, mut kept) = (vec![0u32; points.len()], Vec::new());
    for group in used.chunk_by(|&a, &b| key(a) == key(b)) {
        group.iter().for_each(|&i| place[i as usize] = kept.len() as u32);
        kept.push(points[group[0] as usize]);
    }
    let welded = triangles.iter().filter(known).map(|triangle| triangle.map(|i| place[i as usize]));
    (kept, welded.filter(|[a, b, c]| a != b && b != c && c != a).collect())
}

/// Notes whether a surface is open or inside out, with vertices at one place as one, as colliders have it. A solid's surface is
/// the skin of its tetrahedra, which is neither.
pub(super) fn note_surface(mesh: &Mesh, report: &mut Report) {
    if !mesh.tets.is_empty() {
        return;
    }
    let (points, triangles) = weld(&mesh.points, &mesh.triangles);
    let sides = sides(&triangles);
    let open = by_edge(&sides).filter(|group| group.len() == 1).count();
    if open > 0 {
        let edges = counted(open, "boundary edge", "boundary edges");
        report.notes.push(format!("open: {edges}; fine for cloth, not for a collider or solid"));
        return;
    }
    // Where neighbours face opposite ways, a volume means nothing.
    let consistent = by_edge(&sides).all(|group| 2 * group.iter().filter(|side| side.forward).count() == group.len());
    let volumes = || triangles.iter().map(|&[a, b, c]| topology::signed_volume(&points, &[0, a, b, c]));
    // What rounding leaves of a flat sheet's volume is none.
    if consistent && volumes().sum::<f64>() < -1e-9 * volumes().map(f64::abs).sum::<f64>() {
        let note =
            "inside out: its volume is negative; colliders turn it over by themselves, cloth has its front inside";
        report.notes.push(note.to_string());
    }
}

#[cfg(test)]
mod tests {
    use crate::mesh::{Mesh, check};

    fn notes(mesh: &Mesh) -> Vec<String> {
        let report = check(mesh);
        assert!(report.findings.is_empty(), "{report}");
        report.notes
    }

    fn tetrahedron() -> Mesh {
        let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        Mesh { points, triangles: vec![[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]], tets: Vec::new() }
    }

    /// Regression: an open surface had no problems, although the check is for open surfaces.
    #[test]
    fn open_surfaces_and_those_inside_out_are_noted_and_others_are_not() {
        let mut mesh = tetrahedron();
        assert_eq!(notes(&mesh), [""; 0]);
        mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        assert!(notes(&mesh)[0].starts_with("inside out: its volume is negative"));
        // Where it lies makes no difference.
        mesh.points.iter_mut().for_each(|point| point[1] += 100.0);
        assert!(notes(&mesh)[0].starts_with("inside out"));
        mesh.triangles.pop();
        let report = check(&mesh);
        assert_eq!(report.notes, ["open: 3 boundary edges; fine for cloth, not for a collider or solid"]);
        assert!(!report.has_errors());
        assert_eq!(report.to_string(), format!("no problems found\nnote: {}", report.notes[0]));
    }

    #[test]
    fn a_surface_that_is_closed_but_not_welded_is_not_open() {
        let whole = tetrahedron();
        let points = whole.triangles.as_flattened().iter().map(|i| whole.points[*i as usize]).collect();
        let apart =
            Mesh { points, triangles: (0..4).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect(), tets: Vec::new() };
        assert_eq!(check(&apart).notes, [""; 0]);
    }
}
