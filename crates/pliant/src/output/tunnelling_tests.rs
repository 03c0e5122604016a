//! Jumps over colliders are told, ways around them are not.

use super::*;
use crate::device::CpuOnly;
use crate::disk_cache::DiskCache;
use crate::output::{RunOptions, Tally, run};

fn shapes() -> [ColliderShape; 4] {
    [
        ColliderShape::Sphere { radius: 0.3 },
        ColliderShape::Capsule { radius: 0.2, height: 0.5 },
        ColliderShape::Box { size: [0.5, 0.2, 0.9] },
        ColliderShape::Cylinder { radius: 0.4, height: 0.3 },
    ]
}

/// Signed distance and normal in the shape's own frame, by the collider itself.
fn surface(shape: &ColliderShape, p: V) -> (f64, V) {
    let collider = Collider {
        name: String::new(),
        shape: shape.clone(),
        position: [0.0; 3],
        rotation: [0.0; 3],
        velocity: [0.0; 3],
        angular_velocity: [0.0; 3],
        moves: [0.0, f64::INFINITY],
        friction: 0.0,
    };
    let made = contact::Collider::new(&collider, "".as_ref(), &DiskCache::default()).unwrap();
    made.at::<f64>(0.0).distance(p)
}

#[test]
fn paths_are_inside_where_the_distance_says_so() {
    let skins = [0.03, 0.02, 0.01, 0.015];
    let mut random = crate::math::SplitMix(7);
    let mut point = || V::new(random.unit() - 0.5, random.unit() - 0.5, random.unit() - 0.5) * 2.0;
    for (shape, skin) in shapes().into_iter().zip(skins) {
        let (mut through, mut beside) = (0, 0);
        for _ in 0..2000 {
            let path = [point(), point()];
            let at = |t: f64| surface(&shape, path[0] + (path[1] - path[0]) * t).0 + skin;
            if at(0.0) <= 0.0 || at(1.0) <= 0.0 {
                continue;
            }
            let deepest = (0..=400).map(|k| at(f64::from(k) / 400.0)).fold(f64::INFINITY, f64::min);
            match shape.inside(path, skin) {
                Some([enters, leaves]) => {
                    through += 1;
                    let normal = |t: f64| surface(&shape, path[0] + (path[1] - path[0]) * t).1;
                    let long = (path[1] - path[0]).length() >= 1.5 * smallest_half(&shape, None);
                    assert!(long || normal(enters).dot(normal(leaves)) >= OPPOSITE, "{shape:?} {path:?}");
                    assert!(at(enters).abs() < 1e-9 && at(leaves).abs() < 1e-9, "{shape:?} {path:?}");
                    assert!(at(0.5 * (enters + leaves)) < 0.0, "{shape:?} {path:?}");
                }
                None => {
                    beside += 1;
                    assert!(deepest > -1e-9, "{shape:?} {path:?} {deepest}");
                }
            }
        }
        assert!(through > 50 && beside > 50, "{shape:?}: {through} {beside}");
    }
}

#[test]
fn paths_through_a_solid_enter_and_leave_where_its_surface_is() {
    let armchair = GridShape::armchair(1.0, 60).unwrap();
    let eighth = 1.0 / 60.0 / 8.0;
    // Through the back, which is 0.22 m deep: from z = -0.24 to -0.46.
    let [enters, leaves] = armchair.inside([V::new(0.0, 0.8, 0.26), V::new(0.0, 0.8, -0.74)], 0.0).unwrap();
    assert!((enters - 0.5).abs() < 1.5 * eighth && (leaves - 0.72).abs() < 1.5 * eighth, "{enters} {leaves}");
    let misses = [
        // Over the back, between the arm rests, into the seat, and far away.
        [V::new(0.0, 1.0, 0.5), V::new(0.0, 1.0, -0.9)],
        [V::new(-0.3, 0.6, 0.2), V::new(0.3, 0.6, 0.2)],
        [V::new(0.0, 0.8, 0.2), V::new(0.0, 0.3, 0.2)],
        [V::new(9.0, 0.8, 0.2), V::new(9.0, 0.8, -0.9)],
    ];
    for path in misses {
        assert_eq!(armchair.inside(path, 0.0), None, "{path:?}");
    }
}

/// A plate 2 mm thick under one vertex that goes as said.
fn told(from: [f64; 3], to: [f64; 3], velocities: [[f64; 3]; 2], more: &str) -> Option<String> {
    let text = format!(
        "pliant = 1\n[time]\nsteps_per_frame = 4\n[[cloth]]\nresolution = 2\n[[collider]]\nname = 'plate'\n\
         shape = 'box'\nsize = [1, 0.002, 1]\n{more}\n"
    );
    let scene = Scene::parse(&text, "scene", ".".as_ref(), &[]).unwrap();
    let model = Arc::new(Model::new(&scene).unwrap().0);
    let state = |x, v, step: u64| {
        let state = State { x: vec![x], v: vec![v], time: step as f64 / 240.0, step, ..State::default() };
        Arc::new(Known { state, rho: None, sides: Default::default(), tally: Tally::default() })
    };
    let mut tunnelling = Tunnelling::new(&scene, &model, &state(from, velocities[0], 0));
    tunnelling.observe(1, &state(to, velocities[1], 4));
    tunnelling.warning()
}

const DOWN: [f64; 3] = [0.0, -6.0, 0.0];

#[test]
fn a_jump_through_a_plate_is_told_and_a_way_around_its_edge_is_not() {
    let [above, below] = [[0.1, 0.05, 0.1], [0.1, -0.05, 0.1]];
    let said = told(above, below, [DOWN; 2], "").unwrap();
    for word in ["1 vertex", "'plate'", "frame 1", "steps_per_frame", "thicker"] {
        assert!(said.contains(word), "{word} in {said}");
    }
    // Beside it, onto it, along it, and over the edge.
    assert_eq!(told([0.6, 0.05, 0.0], [0.6, -0.05, 0.0], [DOWN; 2], ""), None);
    assert_eq!(told(above, [0.1, 0.001, 0.1], [DOWN, [0.0; 3]], ""), None);
    assert_eq!(told([0.1, 0.001, 0.1], [0.3, 0.001, 0.1], [[6.0, 0.0, 0.0]; 2], ""), None);
    assert_eq!(told([0.48, 0.001, 0.0], [0.5, -0.0005, 0.0], [[6.0, 0.0, 0.0], DOWN], ""), None);
    // Around the edge, in several steps: out above, back below.
    assert_eq!(told([0.47, 0.002, 0.0], [0.47, -0.002, 0.0], [[6.0, 0.0, 0.0], [-6.0, -1.0, 0.0]], ""), None);
}

#[test]
fn a_plate_that_moves_with_a_vertex_is_not_passed_and_one_that_flies_past_it_is() {
    let still = [0.1, 0.05, 0.1];
    let up = told(still, still, [[0.0; 3]; 2], "velocity = [0, 6, 0]");
    assert!(up.is_some_and(|said| said.contains("'plate'")));
    assert_eq!(told(still, [0.1, 0.15, 0.1], [[0.0, 6.0, 0.0]; 2], "velocity = [0, 6, 0]"), None);
}

fn warnings(text: &str) -> Vec<String> {
    let scene = Scene::parse(text, "scene", ".".as_ref(), &[]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let options = RunOptions { out: folder.path().to_path_buf(), ..RunOptions::default() };
    run(&CpuOnly, &scene, &options, &mut ()).unwrap().warnings
}

#[test]
fn a_cloth_that_falls_through_a_thin_plate_is_told_once_and_one_that_lands_on_it_is_not() {
    let falls = |speed: f64, thick: f64, steps: usize| {
        warnings(&format!(
            "pliant = 1\n[time]\nframes = 12\nsteps_per_frame = {steps}\n[[cloth]]\nresolution = 5\nsize = 0.2\n\
             position = [0, 0.35, 0]\nvelocity = [0, -{speed}, 0]\n[[collider]]\nname = 'plate'\nshape = 'box'\n\
             size = [1, {thick}, 1]\n"
        ))
    };
    let said = falls(12.0, 0.004, 1);
    let about = said.iter().filter(|warning| warning.contains("25 vertices through the collider 'plate'")).count();
    assert_eq!((said.len(), about), (1, 1), "{said:?}");
    assert_eq!(falls(12.0, 0.6, 1), [""; 0]);
    assert_eq!(falls(0.5, 0.02, 2), [""; 0]);
}

/// Cloths that slide over edges and rods, and are pulled around them.
#[test]
fn sliding_over_an_edge_or_a_rod_is_no_jump() {
    let slides = |collider: &str| {
        warnings(&format!(
            "pliant = 1\n[time]\nframes = 60\nframe_rate = 30\nsteps_per_frame = 8\n[[cloth]]\nresolution = [9, 31]\n\
             size = [0.2, 0.8]\nposition = [0, 0.03, 0.15]\n[[collider]]\n{collider}\nfriction = 0\n"
        ))
    };
    let rod = "shape = 'capsule'\nradius = 0.02\nheight = 1\nrotation = [0, 0, 90]";
    let edge = "shape = 'box'\nsize = [1, 0.02, 0.4]\nposition = [0, 0, -0.2]";
    for collider in [rod, edge] {
        let said = slides(collider);
        assert!(said.iter().all(|warning| !warning.contains("through")), "{said:?}");
    }
}
