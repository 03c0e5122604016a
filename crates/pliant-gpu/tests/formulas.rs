//! WGSL formulas against their Rust twins, on random stencils and on those that break careless formulas.

mod support;

use pliant::material::{
    ArapTet, ArapTriangle, CurvedBending, QuadraticBending, Spring, StrainLimitTet, StrainLimitTriangle, VolumeLimitTet,
};
use pliant::math::Vec3;
use support::colliders::check_colliders;
use support::elements::check_element;
use support::rotations::check_rotations;

/// Tetrahedra: without symmetry, and a sliver a hundred times wider than high, m.
const TETS: [[Vec3<f64>; 4]; 2] = [
    [Vec3::new(0.1, 0.0, 0.05), Vec3::new(1.0, 0.1, 0.0), Vec3::new(0.2, 0.9, 0.1), Vec3::new(0.0, 0.15, 1.1)],
    [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.1, 0.0), Vec3::new(0.2, 0.9, 0.0), Vec3::new(0.3, 0.4, 0.01)],
];
/// Triangles: without symmetry, and a sliver, m.
const TRIANGLES: [[Vec3<f64>; 3]; 2] = [
    [Vec3::new(0.1, 0.0, 0.05), Vec3::new(1.0, 0.1, 0.2), Vec3::new(0.2, 0.9, 0.1)],
    [Vec3::new(0.1, 0.0, 0.05), Vec3::new(1.0, 0.1, 0.2), Vec3::new(0.4, 0.04, 0.1)],
];
/// Hinges, flat and folded: edge_a, edge_b, opposite_0, opposite_1, m.
const HINGES: [[Vec3<f64>; 4]; 3] = [
    [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.1), Vec3::new(0.3, 0.0, 0.9), Vec3::new(0.6, 0.0, -0.8)],
    [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.1), Vec3::new(0.3, 0.5, 0.9), Vec3::new(0.6, 0.1, -0.8)],
    [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.1), Vec3::new(0.3, 0.0, 0.02), Vec3::new(0.6, 0.0, -0.8)],
];

#[test]
fn nearest_rotations_and_singular_values_agree_with_their_twins() {
    check_rotations();
}

#[test]
fn colliders_and_friction_agree_with_their_twins() {
    check_colliders();
}

#[test]
fn springs_agree_with_their_twin() {
    let ends = [[Vec3::new(0.1, 0.2, -0.3), Vec3::new(0.4, 0.9, 0.2)]];
    check_element(&ends, |rest| Spring::new(rest, 40.0).unwrap(), |e| e.cast::<f32>(), |e| e.cast());
}

#[test]
fn quadratic_hinges_agree_with_their_twin() {
    check_element(&HINGES, |rest| QuadraticBending::new(rest, 0.3).unwrap(), |e| e.cast::<f32>(), |e| e.cast());
}

#[test]
fn curved_hinges_agree_with_their_twin() {
    check_element(&HINGES, |rest| CurvedBending::new(rest, 0.3).unwrap(), |e| e.cast::<f32>(), |e| e.cast());
}

#[test]
fn as_rigid_as_possible_triangles_agree_with_their_twin() {
    check_element(&TRIANGLES, |rest| ArapTriangle::new(rest, 5.0).unwrap(), |e| e.cast::<f32>(), |e| e.cast());
}

#[test]
fn as_rigid_as_possible_tets_agree_with_their_twin() {
    check_element(&TETS, |rest| ArapTet::new(rest, 5.0).unwrap(), |e| e.cast::<f32>(), |e| e.cast());
}

#[test]
fn strain_limits_of_triangles_agree_with_their_twin() {
    for range in [[0.9, 1.2], [0.999, 1.001], [1.0, 1.0]] {
        check_element(
            &TRIANGLES,
            |rest| StrainLimitTriangle::new(rest, 5.0, range).unwrap(),
            |e| e.cast::<f32>(),
            |e| e.cast(),
        );
    }
}

#[test]
fn strain_limits_of_tets_agree_with_their_twin() {
    for range in [[0.9, 1.2], [0.999, 1.001], [1.0, 1.0]] {
        check_element(&TETS, |rest| StrainLimitTet::new(rest, 5.0, range).unwrap(), |e| e.cast::<f32>(), |e| e.cast());
    }
}

#[test]
fn volume_limits_of_tets_agree_with_their_twin() {
    for range in [[0.95, 1.05], [0.5, 2.0], [1.0, 1.0], [0.1, 0.14], [0.1, 0.148]] {
        check_element(&TETS, |rest| VolumeLimitTet::new(rest, 5.0, range).unwrap(), |e| e.cast::<f32>(), |e| e.cast());
    }
}
