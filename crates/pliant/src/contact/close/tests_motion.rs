//! What is promised of things that move: who is found, on which side, and who is left out.

use super::tests::{ALL, Case, field};
use super::*;
use crate::math::SplitMix;
use crate::math::closest::{point_triangle, segment_segment};

const THICKNESS: f64 = 0.01;

/// A vertex (corner of a small triangle that stands on it) over the middle of a large triangle.
fn over_a_triangle() -> Case {
    let rest_x = vec![
        [-1.0, 0.0, -1.0],
        [1.0, 0.0, -1.0],
        [0.0, 0.0, 1.5],
        [0.0, 0.0, 0.0],
        [0.01, 0.3, 0.0],
        [-0.01, 0.3, 0.02],
    ];
    let triangles = vec![[0, 1, 2], [3, 4, 5]];
    let thickness = vec![THICKNESS; 6];
    let (start, target) = (rest_x.clone(), rest_x.clone());
    Case { body: vec![0, 0, 0, 1, 1, 1], rest_x, thickness, triangles, start, target, reach: 0.0 }
}

/// Two triangles, an edge of the upper one across an edge of the lower one.
fn crossed_edges() -> Case {
    let rest_x =
        vec![[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.1, 0.0, -1.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]];
    Case { rest_x: rest_x.clone(), start: rest_x.clone(), target: rest_x, ..over_a_triangle() }
}

/// Puts the second body at a height above the first one, m.
fn lift(case: &mut Case, from: f64, to: f64) {
    for i in 3..6 {
        (case.start[i], case.target[i]) = (case.rest_x[i], case.rest_x[i]);
        (case.start[i][1], case.target[i][1]) = (case.rest_x[i][1] + from, case.rest_x[i][1] + to);
    }
}

#[test]
fn what_moves_three_thicknesses_through_a_triangle_is_found_and_kept_above() {
    for mut case in [over_a_triangle(), crossed_edges()] {
        case.reach = 0.1;
        lift(&mut case, 2.0 * THICKNESS, -THICKNESS);
        let contacts = case.find(&mut case.finder::<f64>(ALL));
        assert_eq!(contacts.len(), 1);
        // The first side of two edges is the first edge, which is the lower one.
        let (contact, y) =
            (contacts[0], Vec3::axis(1) * if contacts[0].kind == ContactKind::EdgeEdge { -1.0 } else { 1.0 });
        assert!((contact.normal - y).length() < 1e-12 && (contact.gap - THICKNESS).abs() < 1e-15, "{contact:?}");
        assert!((contact.clearance(&field(&case.target)) + 2.0 * THICKNESS).abs() < 1e-12);
        // The other way round, it stays below.
        lift(&mut case, -2.0 * THICKNESS, THICKNESS);
        let contacts = case.find(&mut case.finder::<f64>(ALL));
        assert!(contacts.iter().any(|c| (c.normal + y).length() < 1e-12), "{contacts:?}");
        // What does not move is far enough.
        lift(&mut case, 2.0 * THICKNESS, 2.0 * THICKNESS);
        assert!(case.find(&mut case.finder::<f64>(ALL)).is_empty());
        // Beyond the reach it is not looked for.
        case.reach = 0.5 * THICKNESS;
        lift(&mut case, 2.0 * THICKNESS, -THICKNESS);
        assert!(case.find(&mut case.finder::<f64>(ALL)).is_empty());
    }
}

#[test]
fn the_normal_of_a_pair_never_flips_in_a_slow_passing() {
    for edges in [false, true] {
        for from_below in [false, true] {
            let mut case = if edges { crossed_edges() } else { over_a_triangle() };
            let mut finder = case.finder::<f32>(ALL);
            case.reach = 2.0 * THICKNESS;
            let mut steps = 0;
            for k in -40..=40 {
                // 1/40 of a thickness per step, with one in the middle that touches exactly.
                let height = |k: i32| f64::from(if from_below { k } else { -k }) * THICKNESS / 40.0;
                lift(&mut case, height(k), height(k + 1));
                // The first side of two edges is the first edge, which is the one that does not move.
                let side = if edges { -1.0 } else { 1.0 };
                let up = if from_below { -side } else { side };
                let kind = if edges { ContactKind::EdgeEdge } else { ContactKind::VertexTriangle };
                for contact in case.find(&mut finder) {
                    // Others of the small triangle may come to lie near as well; here it is the pair that counts.
                    if contact.kind == kind && [[3, 0, 1, 2], [0, 1, 3, 4]].contains(&contact.stencil) {
                        assert!(contact.normal.y * up > 0.99, "{edges} {k}: {contact:?}");
                        let expected = height(k) as f32 * up * side;
                        assert!((contact.clearance(&field(&case.start)) + contact.gap - expected).abs() < 1e-6);
                        steps += 1;
                    }
                }
            }
            assert_eq!(steps, 81, "{edges} {from_below}");
            // Whoever forgets sees it on the other side.
            finder.forget();
            let contacts = case.find(&mut finder);
            let up = if from_below != edges { 1.0 } else { -1.0 };
            assert!(contacts.iter().any(|c| c.normal.y * up > 0.99), "{contacts:?}");
        }
    }
}

#[test]
fn a_step_that_is_tried_again_finds_the_same() {
    let mut case = over_a_triangle();
    let mut finder = case.finder::<f64>(ALL);
    case.reach = 2.0 * THICKNESS;
    for k in 0..20 {
        let height = THICKNESS * (0.5 - 0.1 * f64::from(k));
        lift(&mut case, height, height - 0.1 * THICKNESS);
        let first = case.find(&mut finder);
        let (x, target) = (field(&case.start), field(&case.target));
        assert_eq!(first, finder.find_since(Since::Retry, &x, &target, case.reach), "{k}");
    }
}

/// What goes through something in a step that is tried again in two pieces has passed in the second one, and in the whole step,
/// too.
#[test]
fn sides_are_those_of_the_step_before_whatever_was_tried_since() {
    let mut case = over_a_triangle();
    case.reach = 2.0 * THICKNESS;
    let mut finder = case.finder::<f64>(ALL);
    let up = |contacts: &[Contact<f64>]| {
        let contact = contacts.iter().find(|contact| contact.stencil == [3, 0, 1, 2]).copied();
        contact.map(|contact| contact.normal.y.signum())
    };
    let mut find = |since: Since, from: f64, to: f64| {
        lift(&mut case, from * THICKNESS, to * THICKNESS);
        up(finder.find_since(since, &field(&case.start), &field(&case.target), case.reach))
    };
    let above = find(Since::Step, 0.4, 0.2);
    assert!(above.is_some());
    // Tried, and left below; then the same step again: it starts above, whatever the try did.
    assert_eq!(find(Since::Retry, 0.4, 0.2), above);
    // In pieces: the second starts below, and knows from the first that it has passed.
    assert_eq!(find(Since::Piece, -0.1, -0.2), above);
    // The next step starts below as well: it was above at the start of the last one that was searched.
    assert_eq!(find(Since::Step, -0.2, -0.3), above);
}

#[test]
fn a_sheet_that_sinks_and_slides_through_another_keeps_every_normal() {
    let mut case = Case { reach: 0.05, ..Case::default() };
    case.add_sheet(9, 1.0, 0.04, |x| x);
    case.add_sheet(6, 0.5, 0.04, |x| x);
    let mut finder = case.finder::<f64>(ALL);
    let mut random = SplitMix(4);
    let bumps: Vec<f64> = (0..case.start.len()).map(|_| 0.01 * random.signed()).collect();
    let place = |case: &mut Case, k: f64| {
        for i in 81..case.start.len() {
            let [x, _, z] = case.rest_x[i];
            // Wholly over the first sheet, so nothing goes round its border.
            case.start[i] = [x + 0.21 + 0.002 * k, 0.03 - 0.001 * k + bumps[i], z + 0.23 + 0.001 * k];
        }
    };
    let mut checked = 0;
    for k in 0..45 {
        place(&mut case, f64::from(k + 1));
        case.target = case.start.clone();
        place(&mut case, f64::from(k));
        for contact in case.find(&mut finder) {
            // The vertex of one sheet and the inside of a triangle of the other.
            if contact.kind == ContactKind::VertexTriangle && contact.weight[1..].iter().all(|w| *w < 0.0) {
                let up = if contact.stencil[0] >= 81 { 1.0 } else { -1.0 };
                assert!(contact.normal.y * up > 0.5, "{k}: {contact:?}");
                checked += 1;
            }
        }
    }
    assert!(checked > 1500, "{checked}");
}

/// Positions at a fraction of the way.
fn on_the_way(case: &Case, part: f64) -> Vec<Vec3<f64>> {
    let way = case.start.iter().zip(&case.target);
    way.map(|(a, b)| Vec3::of(*a) + (Vec3::of(*b) - Vec3::of(*a)) * part).collect()
}

/// Triangles that are not connected: then whatever comes within its gap on the way to the target was found, edges that are
/// closest at an end by the vertex there.
#[test]
fn nothing_comes_within_its_gap_on_its_way_without_being_found() {
    const GAP: f64 = 0.1;
    let mut met = [0; 2];
    for seed in 0..300 {
        let case = loose_triangles(seed, GAP);
        let contacts = case.find(&mut case.finder::<f64>(CloseLimits { per_vertex: 40, per_edge: 100 }));
        let found: Vec<[u32; 4]> = contacts.iter().map(|contact| contact.stencil).collect();
        let edges: Vec<[u32; 2]> = case.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [a, c]]).collect();
        for part in [0.0, 0.3, 0.7, 1.0] {
            let x = on_the_way(&case, part);
            let at = |i: u32| x[i as usize];
            for (v, t) in (0..case.start.len() as u32).flat_map(|v| case.triangles.iter().map(move |t| (v, *t))) {
                if !t.contains(&v) && point_triangle(at(v), t.map(at)).offset.length() < GAP - 1e-9 {
                    assert!(found.contains(&[v, t[0], t[1], t[2]]), "{seed} at {part}: {v} {t:?}");
                    met[0] += 1;
                }
            }
            let pairs = edges.iter().enumerate().flat_map(|(k, e)| edges[k + 1..].iter().map(move |f| (*e, *f)));
            for ([i, j], [k, l]) in pairs.filter(|([i, _], [k, _])| i / 3 != k / 3) {
                let closest = segment_segment([i, j].map(at), [k, l].map(at));
                if closest.offset.length() < GAP - 1e-9 {
                    let by_end = |v: u32, t: u32| found.contains(&[v, t / 3 * 3, t / 3 * 3 + 1, t / 3 * 3 + 2]);
                    // On the way an end may become an inside: then the vertex was found, or both edges were.
                    let ends = [(i, k), (j, k), (k, i), (l, i)].iter().any(|&(v, t)| by_end(v, t));
                    let found = found.contains(&[i, j, k, l]) || found.contains(&[k, l, i, j]) || ends;
                    assert!(found, "{seed} at {part}: {:?} {closest:?}", [i, j, k, l]);
                    met[1] += 1;
                }
            }
        }
    }
    assert!(met.iter().all(|n| *n > 5000), "{met:?}");
}

/// Thirty triangles, each a body, that move.
fn loose_triangles(seed: u64, thickness: f64) -> Case {
    let mut random = SplitMix(seed);
    let mut case = Case { reach: 10.0, ..Case::default() };
    for t in 0..30 {
        let (middle, size) = (random.point(), [0.05, 0.3, 1.0][random.below(3)]);
        for _ in 0..3 {
            let way = random.point();
            case.start.push(std::array::from_fn(|k| middle[k] + size * way[k]));
        }
        case.triangles.push([3 * t, 3 * t + 1, 3 * t + 2]);
        case.body.resize(case.start.len(), t);
    }
    case.rest_x = case.start.clone();
    case.thickness = vec![thickness; case.start.len()];
    case.stir(&mut random, 0.1);
    case
}

#[test]
fn where_there_is_no_room_the_nearest_are_kept_and_it_says_so() {
    // A vertex under seven triangles, one over the other.
    let mut case = Case { reach: 1.0, ..Case::default() };
    let heights = [0.05, 0.02, 0.07, 0.01, 0.03, 0.06, 0.04];
    let point = |case: &mut Case, x: [f64; 3], body: u32| {
        case.rest_x.push(x);
        case.start.push(x);
        case.thickness.push(0.2);
        case.body.push(body);
    };
    for (body, y) in (0..).zip(heights) {
        let first = case.rest_x.len() as u32;
        [[-1.0, y, -1.0], [1.0, y, -1.0], [0.0, y, 1.5]].into_iter().for_each(|x| point(&mut case, x, body));
        case.triangles.push([first, first + 1, first + 2]);
    }
    let vertex = case.rest_x.len() as u32;
    [[0.0; 3], [0.01, -5.0, 0.0], [0.0, -5.0, 0.01]].into_iter().for_each(|x| point(&mut case, x, 99));
    case.triangles.push([vertex, vertex + 1, vertex + 2]);
    case.target = case.start.clone();
    let mut finder = case.finder::<f64>(CloseLimits { per_vertex: 3, per_edge: 8 });
    let contacts = case.find(&mut finder);
    let of_vertex: Vec<u32> = contacts.iter().filter(|c| c.stencil[0] == vertex).map(|c| c.stencil[1] / 3).collect();
    assert_eq!(of_vertex, [3, 1, 4]);
    assert_eq!(finder.report().crowded_vertices, 22);
    let mut finder = case.finder::<f64>(CloseLimits { per_vertex: 7, per_edge: 8 });
    case.find(&mut finder);
    assert_eq!(finder.report().crowded_vertices, 0);
    let mut finder = case.finder::<f64>(CloseLimits { per_vertex: 0, per_edge: 0 });
    assert!(case.find(&mut finder).is_empty());
}
