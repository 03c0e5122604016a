use super::quality::*;
use super::*;
use crate::mesh::topology;
use crate::scene::Triangulation;
use std::f64::consts::PI;

const ALL: [Triangulation; 3] = [Triangulation::Uniform, Triangulation::Alternating, Triangulation::Delaunay];

fn centred(mesh: &Mesh) -> bool {
    let [low, high] = bounds(mesh);
    (0..3).all(|k| (low[k] + high[k]).abs() <= 1e-9 * (high[k] - low[k]))
}

#[test]
fn grids_are_flat_discs_of_the_right_area_facing_up() {
    for triangulation in ALL {
        for (size, resolution) in
            [([1.0, 1.0], [2, 2]), ([2.0, 1.0], [9, 5]), ([0.3, 1.0], [3, 40]), ([1.0, 1.0], [33, 33])]
        {
            let mesh = grid(size, resolution, triangulation).unwrap();
            let [nx, nz] = resolution;
            assert_eq!(mesh.points.len(), nx * nz);
            assert_eq!(mesh.triangles.len(), 2 * (nx - 1) * (nz - 1));
            assert!(mesh.tets.is_empty() && centred(&mesh));
            assert!((area(&mesh) - size[0] * size[1]).abs() < 1e-12);
            assert_eq!(euler_number(&mesh), 1);
            assert_eq!(pieces(&mesh), 1);
            for normal in topology::vertex_normals(&mesh.points, &mesh.triangles) {
                assert!(normal[1] > 1.0 - 1e-12, "{triangulation:?} {resolution:?}");
            }
            assert!(mesh.points.iter().all(|p| p[1] == 0.0));
            assert_eq!(topology::boundary_edges(nx * nz, &mesh.triangles).len(), 2 * (nx + nz - 2));
            assert_eq!(grid(size, resolution, triangulation).unwrap(), mesh);
        }
    }
}

#[test]
fn every_grid_has_vertices_exactly_at_its_corners_and_evenly_along_its_sides() {
    for triangulation in ALL {
        let mesh = grid([0.7, 1.3], [8, 14], triangulation).unwrap();
        let has = |x: f64, z: f64| mesh.points.iter().filter(|p| p[0] == x && p[2] == z).count() == 1;
        assert!(has(-0.35, -0.65) && has(0.35, -0.65) && has(-0.35, 0.65) && has(0.35, 0.65));
        for side in [-0.65, 0.65] {
            let mut along: Vec<f64> = mesh.points.iter().filter(|p| p[2] == side).map(|p| p[0]).collect();
            along.sort_by(f64::total_cmp);
            assert_eq!(along.len(), 8);
            assert!(along.windows(2).all(|w| (w[1] - w[0] - 0.1).abs() < 1e-12));
        }
    }
}

#[test]
fn regular_grids_number_vertices_along_x_first() {
    for triangulation in [Triangulation::Uniform, Triangulation::Alternating] {
        let mesh = grid([3.0, 2.0], [4, 3], triangulation).unwrap();
        assert_eq!(mesh.points[1 + 2 * 4], [-0.5, 0.0, 1.0]);
    }
}

#[test]
fn alternating_diagonals_meet_at_every_other_vertex() {
    let mesh = grid([1.0, 1.0], [5, 5], Triangulation::Alternating).unwrap();
    let graph = topology::adjacency(25, &topology::edges(&mesh));
    let inner = [6, 7, 8, 11, 12, 13, 16, 17, 18].map(|v| graph.of(v).len());
    assert_eq!(inner, [8, 4, 8, 4, 8, 4, 8, 4, 8]);
}

#[test]
fn delaunay_grids_are_irregular_and_well_shaped() {
    for resolution in [[10, 10], [40, 40], [31, 101], [160, 120]] {
        let size = resolution.map(|n| 0.1 * (n - 1) as f64);
        let mesh = grid(size, resolution, Triangulation::Delaunay).unwrap();
        let least = min_angle(&mesh);
        println!("Delaunay {resolution:?}: smallest angle {least:.1}°");
        assert!(least > 20.0, "{resolution:?}: {least}");
        let graph = topology::adjacency(mesh.points.len(), &topology::edges(&mesh));
        let six = graph.rows().filter(|row| row.len() == 6).count();
        assert!(six * 10 < mesh.points.len() * 8, "{six} of {} vertices are regular", mesh.points.len());
    }
}

#[test]
fn delaunay_neighbours_are_near_in_memory() {
    let mesh = grid([1.0, 1.0], [64, 64], Triangulation::Delaunay).unwrap();
    let mut gaps: Vec<u32> = topology::edges(&mesh).iter().map(|[a, b]| b - a).collect();
    gaps.sort_unstable();
    assert!(gaps[gaps.len() / 2] <= 12, "median gap {}", gaps[gaps.len() / 2]);
}

#[test]
fn delaunay_works_when_the_two_spacings_differ_a_lot() {
    for size in [[1.0, 20.0], [1e-3, 50.0], [1e-9, 1e9]] {
        let mesh = grid(size, [12, 12], Triangulation::Delaunay).unwrap();
        assert!((area(&mesh) / (size[0] * size[1]) - 1.0).abs() < 1e-9);
        assert_eq!(euler_number(&mesh), 1);
    }
}

/// What must be true of every solid.
struct Solid {
    /// m³
    exact: f64,
    /// Relative.
    missing: f64,
    euler: i64,
    /// Degrees.
    dihedral: f64,
}

fn check(name: &str, mesh: &Mesh, must: Solid) {
    let (least, skin) = (min_dihedral(mesh), skin(mesh));
    let missing = 1.0 - volume(mesh) / must.exact;
    println!("{name}: {} tets, dihedral {least:.1}°, volume missing {missing:.2e}", mesh.tets.len());
    assert!(least > must.dihedral, "{name}: dihedral {least}");
    assert!((-1e-12..=must.missing).contains(&missing), "{name}: volume missing {missing}");
    assert!(closed_and_oriented(&skin), "{name}");
    assert_eq!(euler_number(&skin), must.euler, "{name}");
    assert!((enclosed(&skin) - volume(mesh)).abs() < 1e-9 * must.exact, "{name}");
    assert_eq!(pieces(mesh), 1, "{name}");
    assert!(mesh.triangles.is_empty() && centred(mesh), "{name}");
}

#[test]
fn boxes_fill_their_size_exactly() {
    for (size, cells) in [([1.0, 1.0, 1.0], [1, 1, 1]), ([4.0, 1.0, 1.0], [8, 2, 2]), ([0.1, 0.3, 0.2], [2, 6, 4])] {
        let mesh = solid_box(size, cells).unwrap();
        assert_eq!(mesh.tets.len(), 6 * cells.iter().product::<usize>());
        assert_eq!(mesh.points.len(), cells.iter().map(|n| n + 1).product::<usize>());
        let exact = size.iter().product();
        check("box", &mesh, Solid { exact, missing: 1e-12, euler: 2, dihedral: 44.9 });
        assert_eq!(mesh, solid_box(size, cells).unwrap());
    }
    let bar = solid_box([2.0, 1.0, 1.0], [2, 1, 1]).unwrap();
    assert_eq!(bar.points[1 + 3], [0.0, 0.5, -0.5]);
}

#[test]
fn cylinders_are_round_closed_and_well_shaped() {
    for (radius, height, edge) in
        [(1.0, 1.0, 5.0), (1.0, 2.0, 0.5), (0.5, 3.0, 0.1), (1.0, 0.3, 0.2), (0.02, 0.5, 0.01)]
    {
        let mesh = cylinder(radius, height, edge).unwrap();
        let missing = 0.4 * (edge.min(radius).min(height) / radius).powi(2);
        check("cylinder", &mesh, Solid { exact: PI * radius * radius * height, missing, euler: 2, dihedral: 20.0 });
        let [low, high] = bounds(&mesh);
        assert!((high[0] - radius).abs() < 1e-12 && (high[1] - low[1] - height).abs() < 1e-12);
        assert_eq!(mesh, cylinder(radius, height, edge).unwrap());
    }
}

#[test]
fn balls_are_round_closed_and_well_shaped() {
    for (radius, edge) in [(1.0, 3.0), (1.0, 0.5), (0.5, 0.1), (2.0, 0.15)] {
        let mesh = sphere(radius, edge).unwrap();
        let missing = 0.7 * (edge.min(radius) / radius).powi(2);
        check("sphere", &mesh, Solid { exact: 4.0 / 3.0 * PI * radius.powi(3), missing, euler: 2, dihedral: 15.0 });
        let skin = skin(&mesh);
        for &v in skin.triangles.as_flattened() {
            let p = mesh.points[v as usize];
            assert!((p.iter().map(|c| c * c).sum::<f64>().sqrt() - radius).abs() < 1e-12 * radius);
        }
        assert_eq!(mesh, sphere(radius, edge).unwrap());
    }
}

#[test]
fn tori_have_one_hole_and_are_well_shaped() {
    for (major, minor, edge) in [(1.0, 0.3, 1.0), (1.0, 0.3, 0.1), (3.0, 1.0, 0.3), (1.0, 0.6, 0.15)] {
        let mesh = torus(major, minor, edge).unwrap();
        let missing = 0.6 * (edge.min(minor) / minor).powi(2);
        check(
            "torus",
            &mesh,
            Solid { exact: 2.0 * PI * PI * major * minor * minor, missing, euler: 0, dihedral: 12.0 },
        );
        assert_eq!(mesh, torus(major, minor, edge).unwrap());
    }
}

#[test]
fn double_helices_have_the_size_asked_for_and_one_hole() {
    for tets in [240, 700, 3_000, 10_000, 41_000, 82_000] {
        let mesh = double_helix(tets).unwrap();
        let off = mesh.tets.len() as f64 / tets as f64 - 1.0;
        println!("asked {tets}, off {off:.4}, bounds {:?}", bounds(&mesh));
        assert!(off.abs() < if tets < 10_000 { 0.03 } else { 0.01 }, "{tets}: {}", mesh.tets.len());
        let [low, high] = bounds(&mesh);
        let exact = volume(&mesh);
        check("double helix", &mesh, Solid { exact, missing: 0.0, euler: 0, dihedral: 12.0 });
        assert!((high[1] - low[1] - 1.0).abs() < 1e-9);
    }
    assert_eq!(double_helix(3_000).unwrap(), double_helix(3_000).unwrap());
}

#[test]
fn double_helices_come_near_any_number_from_small_to_figure_18() {
    for tets in (240..12_000).step_by(97).chain([158_000, 316_000]) {
        let mesh = double_helix(tets).unwrap();
        let got = mesh.tets.len();
        assert!((got as f64 / tets as f64 - 1.0).abs() < 0.03, "{tets}: {got}");
        assert!(min_dihedral(&mesh) > 8.0, "{tets}: {}", min_dihedral(&mesh));
    }
}

#[test]
fn creatures_stand_in_one_piece_with_their_hands_up() {
    for tets in [4000, 12_000, 55_000] {
        let mesh = creature(tets).unwrap();
        let (got, least) = (mesh.tets.len(), min_dihedral(&mesh));
        println!("creature of {tets}: {got} tets, {} vertices, dihedral {least:.1}°", mesh.points.len());
        assert!((got as f64 / tets as f64 - 1.0).abs() < 0.03, "{tets}: {got}");
        assert!(least > 8.0, "{tets}: {least}");
        assert_eq!(pieces(&mesh), 1);
        assert!((enclosed(&skin(&mesh)) / volume(&mesh) - 1.0).abs() < 1e-9);
        let [low, high] = bounds(&mesh);
        assert!(low[1].abs() < 0.03 && (high[1] - 1.0).abs() < 0.04 && (low[0] + high[0]).abs() < 1e-12);
        let hand = mesh.points.iter().filter(|p| p[0] > 0.3 && p[1] > 0.78 && p[2] < -0.1).count();
        assert!(hand >= 4, "{tets}: {hand} vertices in a hand");
    }
}

#[test]
fn cars_and_snowmen_stand_in_one_piece() {
    for (shape, make, few) in [("car", car as fn(usize) -> _, 5000), ("snowman", snowman, 1000)] {
        for tets in [few, 2 * few, 12 * few] {
            let mesh = make(tets).unwrap();
            let (got, least) = (mesh.tets.len(), min_dihedral(&mesh));
            println!("{shape} of {tets}: {got} tets, {} vertices, dihedral {least:.1}°", mesh.points.len());
            assert!((got as f64 / tets as f64 - 1.0).abs() < 0.05, "{tets}: {got}");
            assert!(least > 8.0, "{tets}: {least}");
            assert_eq!(pieces(&mesh), 1);
            assert!((enclosed(&skin(&mesh)) / volume(&mesh) - 1.0).abs() < 1e-9);
            let [low, high] = bounds(&mesh);
            let along = if shape == "car" { high[2] - low[2] } else { high[1] };
            assert!(
                low[1].abs() < 0.03 && (along - 1.0).abs() < 0.06 && (low[0] + high[0]).abs() < 1e-12,
                "{low:?} {high:?}"
            );
        }
    }
}

/// Rounding to whole cells stretches them most when there are few.
#[test]
fn no_coarse_round_solid_has_flat_tets() {
    let mut least: f64 = 180.0;
    for i in 0..12 {
        let edge = 0.25 + 0.1 * i as f64;
        least = least.min(min_dihedral(&sphere(1.0, edge).unwrap()));
        for height in [0.2, 0.37, 0.8, 1.1, 2.9] {
            least = least.min(min_dihedral(&cylinder(1.0, height, edge).unwrap()));
        }
        for major in [1.4, 2.0, 3.3, 10.0] {
            least = least.min(min_dihedral(&torus(major, 1.0, edge).unwrap()));
        }
    }
    println!("round solids: smallest dihedral {least:.1}°");
    assert!(least > 8.0, "{least}");
}

#[test]
fn surfaces_are_closed_outward_and_of_the_right_volume() {
    let ball = 4.0 / 3.0 * PI;
    let cases = [
        ("icosphere 0", surface::icosphere(1.0, 0), ball, 0.4),
        ("icosphere 3", surface::icosphere(1.0, 3), ball, 0.02),
        ("cuboid", surface::cuboid([1.0, 2.0, 3.0]), 6.0, 1e-12),
        ("cylinder", surface::cylinder(1.0, 2.0, 64), 2.0 * PI, 0.01),
        ("prism", surface::cylinder(1.0, 2.0, 3), 2.0 * PI, 0.6),
        ("capsule", surface::capsule(1.0, 2.0, 64), ball + 2.0 * PI, 0.01),
        ("capsule of height 0", surface::capsule(1.0, 0.0, 64), ball, 0.01),
        ("capsule 4", surface::capsule(1.0, 1.0, 4), ball + PI, 0.7),
    ];
    for (name, mesh, exact, missing) in cases {
        let mesh = mesh.unwrap();
        assert!(closed_and_oriented(&mesh), "{name}");
        assert_eq!(euler_number(&mesh), 2, "{name}");
        assert_eq!(pieces(&mesh), 1, "{name}");
        let short = 1.0 - enclosed(&mesh) / exact;
        assert!((-1e-12..=missing).contains(&short), "{name}: {short}");
        assert!(min_angle(&mesh) > 1.0, "{name}: {}", min_angle(&mesh));
    }
    assert_eq!(surface::icosphere(1.0, 3).unwrap().triangles.len(), 1280);
}

#[test]
fn patches_face_their_normal() {
    for normal in [[0.0, 1.0, 0.0], [0.0, -3.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.2], [-1e-200, 0.0, 1e-200]] {
        let mesh = surface::plane_patch(normal, [2.0, 3.0], [3, 4]).unwrap();
        let largest = normal.iter().fold(0.0f64, |m, c| m.max(c.abs()));
        let scaled = normal.map(|c| c / largest);
        let length = scaled.iter().map(|c| c * c).sum::<f64>().sqrt();
        for found in topology::vertex_normals(&mesh.points, &mesh.triangles) {
            assert!((0..3).all(|k| (found[k] - scaled[k] / length).abs() < 1e-12), "{normal:?} {found:?}");
        }
        assert!((area(&mesh) - 6.0).abs() < 1e-12);
    }
}

#[test]
fn sources_lead_to_their_generators() {
    let box_source = MeshSource::Box { size: [1.0; 3], cells: [2; 3] };
    assert_eq!(from_source(&box_source).unwrap(), Some(solid_box([1.0; 3], [2; 3]).unwrap()));
    let torus_source = MeshSource::Torus { major_radius: 1.0, minor_radius: 0.4, edge: 0.2 };
    assert_eq!(from_source(&torus_source).unwrap(), Some(torus(1.0, 0.4, 0.2).unwrap()));
    assert_eq!(from_source(&MeshSource::File("a.obj".into())).unwrap(), None);
}

#[test]
fn silly_parameters_are_refused_with_what_and_what_to_do() {
    let uniform = Triangulation::Uniform;
    let huge = usize::MAX;
    let cases = [
        (grid([0.0, 1.0], [3, 3], uniform), "grid: size along x is 0 m"),
        (grid([1.0, f64::NAN], [3, 3], uniform), "size along z is NaN m"),
        (grid([1.0, 1.0], [3, 1], uniform), "resolution along z is 1, expected at least 2; raise"),
        (grid([1.0, 1.0], [huge, huge], Triangulation::Delaunay), "lower resolution"),
        (solid_box([1.0, -1.0, 1.0], [1; 3]), "size along y is -1 m"),
        (solid_box([1.0; 3], [1, 1, 0]), "cells along z is 0"),
        (solid_box([1.0; 3], [huge; 3]), "lower cells"),
        (cylinder(1.0, f64::INFINITY, 0.1), "height is inf m"),
        (cylinder(1.0, 1.0, 1e-8), "raise edge"),
        (sphere(1.0, 0.0), "edge is 0 m"),
        (sphere(1e9, 1e-9), "raise edge"),
        (torus(1.0, 1.0, 0.1), "major_radius > minor_radius"),
        (torus(1.0, 1e-9, 1.0), "raise edge"),
        (double_helix(10), "tets is 10, expected at least 240"),
        (double_helix(huge), "lower tets"),
        (creature(10), "tets is 10, expected at least 4000"),
        (creature(huge), "lower tets"),
        (car(10), "tets is 10, expected at least 5000"),
        (snowman(huge), "lower tets"),
        (surface::icosphere(1.0, huge), "lower subdivisions"),
        (surface::capsule(1.0, -1.0, 16), "height is -1 m"),
        (surface::capsule(1.0, 1.0, huge), "lower segments"),
        (surface::cylinder(1.0, 1.0, 2), "segments is 2"),
        (surface::plane_patch([0.0; 3], [1.0; 2], [2; 2]), "normal is [0.0, 0.0, 0.0]"),
        (surface::plane_patch([f64::NAN, 1.0, 0.0], [1.0; 2], [2; 2]), "finite direction"),
    ];
    for (result, expected) in cases {
        let message = result.unwrap_err().to_string();
        assert!(message.contains(expected), "{message:?} does not say {expected:?}");
    }
}
