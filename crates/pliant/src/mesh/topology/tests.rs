use super::*;
use crate::mesh::generate::{grid, solid_box};
use crate::scene::Triangulation;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Any triangles over few vertices: non-manifold, inconsistent, duplicate and degenerate ones included.
fn soup() -> impl Strategy<Value = (usize, Vec<[u32; 3]>)> {
    (1usize..12).prop_flat_map(|n| {
        let v = 0..n as u32;
        (Just(n), prop::collection::vec([v.clone(), v.clone(), v], 0..30))
    })
}

fn tet_soup() -> impl Strategy<Value = (usize, Vec<[u32; 4]>)> {
    (1usize..10).prop_flat_map(|n| {
        let v = 0..n as u32;
        (Just(n), prop::collection::vec([v.clone(), v.clone(), v.clone(), v], 0..20))
    })
}

/// Direction and opposite corner of each side of each edge.
type BruteSides = BTreeMap<[u32; 2], Vec<([u32; 2], u32)>>;

fn brute_sides(triangles: &[[u32; 3]]) -> BruteSides {
    let mut sides = BruteSides::new();
    for &[a, b, c] in triangles {
        for (from, to, opposite) in [(a, b, c), (b, c, a), (c, a, b)] {
            if from != to {
                sides.entry([from.min(to), from.max(to)]).or_default().push(([from, to], opposite));
            }
        }
    }
    sides
}

proptest! {
    #[test]
    fn edges_are_the_set_of_all_pairs((n, triangles) in soup(), (m, tets) in tet_soup()) {
        let n = n.max(m);
        let mut expected = BTreeSet::new();
        for t in &triangles {
            for i in 0..3 { for j in 0..i { expected.insert([t[i].min(t[j]), t[i].max(t[j])]); } }
        }
        for t in &tets {
            for i in 0..4 { for j in 0..i { expected.insert([t[i].min(t[j]), t[i].max(t[j])]); } }
        }
        expected.retain(|[a, b]| a != b);
        let mesh = Mesh { points: vec![[0.0; 3]; n], triangles, tets };
        prop_assert_eq!(edges(&mesh), expected.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn hinges_are_all_pairs_of_triangles_at_each_edge((n, triangles) in soup()) {
        let mut expected = Vec::new();
        for (edge, sides) in brute_sides(&triangles) {
            for i in 0..sides.len() {
                for j in i + 1..sides.len() {
                    let distinct: BTreeSet<u32> = [edge[0], edge[1], sides[i].1, sides[j].1].into();
                    if distinct.len() == 4 {
                        expected.push([edge[0], edge[1], sides[i].1.min(sides[j].1), sides[i].1.max(sides[j].1)]);
                    }
                }
            }
        }
        let found = hinges(n, &triangles);
        let runs = |a: u32, b: u32, o: u32| triangles.iter().any(|&t| [[a, b, o], [b, o, a], [o, a, b]].contains(&t));
        for &[a, b, o, p] in &found {
            prop_assert!(runs(a, b, o), "triangle 0 runs along the edge");
            prop_assert!(runs(b, a, p) || runs(a, b, p), "triangle 1 exists");
            prop_assert!(a < b || runs(a, b, p), "a low-to-high edge is preferred");
        }
        let mut unordered: Vec<_> =
            found.iter().map(|&[a, b, o, p]| [a.min(b), a.max(b), o.min(p), o.max(p)]).collect();
        unordered.sort_unstable();
        expected.sort_unstable();
        prop_assert_eq!(unordered, expected);
    }

    #[test]
    fn boundary_edges_have_one_triangle((n, triangles) in soup()) {
        let expected: Vec<[u32; 2]> =
            brute_sides(&triangles).into_values().filter(|sides| sides.len() == 1).map(|sides| sides[0].0).collect();
        prop_assert_eq!(boundary_edges(n, &triangles), expected);
    }

    #[test]
    fn boundary_triangles_have_one_tet((n, tets) in tet_soup()) {
        let mut faces: BTreeMap<[u32; 3], Vec<(usize, [u32; 3])>> = BTreeMap::new();
        for (t, &[a, b, c, d]) in tets.iter().enumerate() {
            for (f, face) in [[b, c, d], [a, d, c], [a, b, d], [a, c, b]].into_iter().enumerate() {
                let mut key = face;
                key.sort_unstable();
                faces.entry(key).or_default().push((t * 4 + f, face));
            }
        }
        let mut outer: Vec<_> = faces.into_values().filter(|same| same.len() == 1).map(|same| same[0]).collect();
        outer.sort_unstable();
        prop_assert_eq!(boundary_triangles(n, &tets), outer.into_iter().map(|(_, face)| face).collect::<Vec<_>>());
    }

    #[test]
    fn incidence_lists_every_corner_at_its_vertex((n, tets) in tet_soup()) {
        let incidence = Incidence::new(n, &tets);
        prop_assert_eq!(incidence.len(), n);
        for v in 0..n {
            let corners = tets.as_flattened().iter().enumerate();
            let expected: Vec<u32> = corners.filter(|(_, w)| **w == v as u32).map(|(i, _)| i as u32).collect();
            prop_assert_eq!(incidence.of(v), &expected[..]);
        }
        prop_assert_eq!(incidence.max_degree(), incidence.rows().map(|r| r.len()).max().unwrap());
    }

    #[test]
    fn adjacency_is_symmetric_sorted_and_complete((n, triangles) in soup()) {
        // Repeated, reversed and self edges on purpose.
        let pairs: Vec<[u32; 2]> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, a], [c, b]]).collect();
        let graph = adjacency(n, &pairs);
        for v in 0..n as u32 {
            let touching = pairs.iter().filter(|p| p.contains(&v) && p[0] != p[1]);
            let expected: BTreeSet<u32> = touching.map(|p| if p[0] == v { p[1] } else { p[0] }).collect();
            prop_assert_eq!(graph.of(v as usize), &expected.into_iter().collect::<Vec<_>>()[..]);
        }
    }

    #[test]
    fn components_are_what_can_be_reached((n, triangles) in soup()) {
        let edges = stencil_edges(n, &triangles);
        let found = components(&adjacency(n, &edges));
        // Labels as the fixed point of taking the lower one along edges.
        let mut lowest: Vec<usize> = (0..n).collect();
        for _ in 0..n {
            for &[a, b] in &edges {
                let low = lowest[a as usize].min(lowest[b as usize]);
                lowest[a as usize] = low;
                lowest[b as usize] = low;
            }
        }
        let roots: Vec<usize> = (0..n).filter(|&v| lowest[v] == v).collect();
        prop_assert_eq!(found.count, roots.len());
        for v in 0..n {
            prop_assert_eq!(roots[found.label[v] as usize], lowest[v]);
        }
    }
}

#[test]
fn two_triangles_make_one_hinge_in_the_documented_order() {
    assert_eq!(hinges(4, &[[0, 1, 2], [1, 0, 3]]), [[0, 1, 2, 3]]);
    assert_eq!(hinges(4, &[[1, 0, 3], [0, 1, 2]]), [[0, 1, 2, 3]]);
    assert_eq!(hinges(4, &[[1, 0, 3], [1, 0, 2]]), [[1, 0, 3, 2]]);
}

#[test]
fn an_edge_with_three_triangles_yields_three_hinges() {
    let book = [[0, 1, 2], [0, 1, 3], [1, 0, 4]];
    assert_eq!(hinges(5, &book), [[0, 1, 2, 3], [0, 1, 2, 4], [0, 1, 3, 4]]);
    assert_eq!(boundary_edges(5, &book).len(), 6);
}

#[test]
fn empty_meshes_have_nothing() {
    let none = Mesh::default();
    assert!(edges(&none).is_empty());
    assert!(hinges(0, &[]).is_empty() && boundary_edges(0, &[]).is_empty() && boundary_triangles(0, &[]).is_empty());
    assert!(Incidence::new::<3>(0, &[]).is_empty());
    assert_eq!(components(&adjacency(0, &[])).count, 0);
    assert_eq!(components(&Incidence::default()).count, 0);
    assert_eq!(components(&adjacency(3, &[])).count, 3);
    assert_eq!(vertex_normals(&[[0.0; 3]], &[]), [[0.0; 3]]);
}

#[test]
fn lumped_areas_and_volumes_add_up() {
    for triangulation in [Triangulation::Uniform, Triangulation::Delaunay] {
        let cloth = grid([2.0, 3.0], [11, 17], triangulation).unwrap();
        let areas = vertex_areas(&cloth.points, &cloth.triangles);
        assert!((areas.iter().sum::<f64>() - 6.0).abs() < 1e-12);
        assert!(areas.iter().all(|&a| a > 0.0));
    }
    let single = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    assert_eq!(vertex_volumes(&single, &[[0, 1, 2, 3]]), [1.0 / 24.0; 4]);
    assert_eq!(vertex_volumes(&single, &[[1, 0, 2, 3]]), [1.0 / 24.0; 4]);
    assert_eq!(signed_volume(&single, &[1, 0, 2, 3]), -1.0 / 6.0);
    let solid = solid_box([1.0, 2.0, 3.0], [2, 3, 4]).unwrap();
    let total: f64 = vertex_volumes(&solid.points, &solid.tets).iter().sum();
    assert!((total - 6.0).abs() < 1e-12);
}

#[test]
fn normals_of_a_box_point_away_from_its_middle() {
    let solid = solid_box([1.0, 1.0, 1.0], [2, 2, 2]).unwrap();
    let skin = boundary_triangles(solid.points.len(), &solid.tets);
    assert_eq!(skin.len(), 48);
    let normals = vertex_normals(&solid.points, &skin);
    for (point, normal) in solid.points.iter().zip(&normals) {
        let out: f64 = (0..3).map(|k| point[k] * normal[k]).sum();
        let inside = *point == [0.0; 3];
        assert!(if inside { *normal == [0.0; 3] } else { out > 0.0 }, "{point:?} {normal:?}");
    }
}
