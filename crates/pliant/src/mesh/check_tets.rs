//! What can be wrong with tetrahedra.

use super::Mesh;
use super::check::{Kind, Of, Report, places};
use super::check_adjacency::{by_corners, duplicates, faces, repeats};
use super::info::{norm_sq, sub, tet_volume};
use crate::counted::counted;

/// Shape = 6√2 × volume / (root mean square edge)³: 1 for the regular tetrahedron. Below this it has no volume.
const FLAT: f64 = 1e-12;
/// Below this shape it is a sliver.
const SLIVER: f64 = 1e-3;

pub(super) fn check_topology(mesh: &Mesh, report: &mut Report) {
    report.add(Kind::RepeatedIndex, Of::Tet, &places(&mesh.tets, |tet| repeats(tet)));
    report.add(Kind::DuplicateTet, Of::TetPair, &duplicates(&mesh.tets));
    let faces = faces(&mesh.tets);
    let crowded: Vec<[u32; 3]> =
        by_corners(&faces).filter(|group| group.len() > 2).map(|group| group[0].corners).collect();
    report.add(Kind::FaceSharedByThreeTets, Of::Face, &crowded);
}

pub(super) fn check_shapes(mesh: &Mesh, report: &mut Report) {
    let shapes: Vec<Option<f64>> = mesh.tets.iter().map(|tet| (!repeats(tet)).then(|| shape(mesh, tet))).collect();
    let inverted = places(&shapes, |shape| shape.is_some_and(|shape| shape < -FLAT));
    // NaN, from products that overflow, counts as flat too.
    let flat = places(&shapes, |shape| shape.is_some_and(|shape| shape.is_nan() || shape.abs() <= FLAT));
    let slivers = places(&shapes, |shape| shape.is_some_and(|shape| shape.abs() > FLAT && shape.abs() < SLIVER));
    let kind = if inverted.len() == mesh.tets.len() { Kind::AllTetsInverted } else { Kind::InvertedTet };
    report.add(kind, Of::Tet, &inverted);
    report.add(Kind::FlatTet, Of::Tet, &flat);
    report.add(Kind::SliverTet, Of::Tet, &slivers);
}

fn shape(mesh: &Mesh, tet: &[u32; 4]) -> f64 {
    let x = tet.map(|corner| mesh.points[corner as usize]);
    let edges = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    let mean_sq = edges.iter().map(|&[i, j]| norm_sq(sub(x[j], x[i]))).sum::<f64>() / 6.0;
    6.0 * std::f64::consts::SQRT_2 * tet_volume(x) / (mean_sq * mean_sq.sqrt())
}

/// A sentence about what [`Mesh::orient_tets`] did, if it did anything.
pub(crate) fn turned_over(tets: usize) -> Option<String> {
    (tets > 0).then(|| {
        let had = counted(tets, "tetrahedron had negative volume and was", "tetrahedra had negative volume and were");
        format!("{had} turned over, by swapping two corners: `pliant mesh check FILE` shows where")
    })
}

impl Mesh {
    /// Swaps two corners of every tetrahedron with negative volume; returns how many there were.
    pub fn orient_tets(&mut self) -> usize {
        let mut swapped = 0;
        for tet in &mut self.tets {
            let corners = tet.map(|corner| self.points.get(corner as usize).copied());
            let [Some(a), Some(b), Some(c), Some(d)] = corners else { continue };
            if tet_volume([a, b, c, d]) < 0.0 {
                tet.swap(2, 3);
                swapped += 1;
            }
        }
        swapped
    }
}
