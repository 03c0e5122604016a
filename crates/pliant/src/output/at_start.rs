//! What is odd about a scene before its first step; `pliant check` and `pliant run` both say it.

use super::report::count_intersections;
use crate::counted::{counted, short};
use crate::math::Vec3;
use crate::model::{Body, Model, Pin, State};
use crate::scene::{Precision, Scene};

/// Less than this far inside is rounding, m.
const ROUNDING: f64 = 1e-6;

/// Steps longer than this show no motion: within four of them a pendulum of a metre has swung to and fro, s.
const LONG_STEP: f64 = 0.5;

/// Part of an edge to which single precision should know the places of its ends: a stretch of as much is noise.
const COARSE: f64 = 1e-3;

/// All that is odd at the start; cheap enough for every run.
pub(super) fn odd_at_start(scene: &Scene, model: &Model, start: &State) -> Vec<String> {
    let mut odd = Vec::new();
    let step = scene.time.step_size();
    if step > LONG_STEP {
        odd.push(format!(
            "a step lasts {step} s, which damps away every motion: raise time.frame_rate ({} Hz) or time.steps_per_frame",
            scene.time.frame_rate
        ));
    }
    let scrambled =
        scene.cloth.iter().map(|c| c.placement.scramble).chain(scene.solid.iter().map(|s| s.placement.scramble));
    let meant_well = model.bodies.iter().zip(scrambled).filter(|(_, scrambled)| !scrambled);
    let inverted: usize = meant_well.map(|(body, _)| inverted_tets(body, start)).sum();
    if inverted > 0 {
        odd.push(format!("{} inside out at the start", counted(inverted, "tetrahedron is", "tetrahedra are")));
    }
    odd.extend(pins_that_disagree(scene, model));
    let end = scene.time.frames as f64 / scene.time.frame_rate;
    let released = model.pins.iter().any(|pin| !pin.holds_at(end));
    if held_vertices(model) == model.vertices() && !released {
        odd.push("every vertex is held by a pin: nothing is left that could move by itself".to_string());
    }
    for (index, drag) in model.drags.iter().enumerate() {
        let [from, to] = drag.path.times();
        if from >= end || to <= step {
            odd.push(format!(
                "drag {index} holds from {} to {} s, in no step of this run, which lasts {} s",
                short(from),
                short(to),
                short(end)
            ));
        }
    }
    odd.extend(weak_wind(model, step));
    odd.extend(far_away(scene, model, start));
    odd.extend(model.bodies.iter().flat_map(|body| inside_colliders(scene, model, body, start)));
    odd
}

/// Wind on so light a cloth that a step is too long for all of it.
fn weak_wind(model: &Model, step: f64) -> Option<String> {
    let drag: f64 = model.winds.iter().map(|wind| wind.1).sum();
    let mut resistance = vec![0.0; if drag > 0.0 { model.vertices() } else { 0 }];
    for triangle in model.surface().filter(|_| drag > 0.0) {
        let [a, b, c] = triangle.map(|i| Vec3::<f64>::of(model.rest_x[i as usize]));
        let share = (b - a).cross(c - a).length() / 6.0 * drag;
        triangle.iter().for_each(|&i| resistance[i as usize] += share);
    }
    let ratio = |(resistance, mass): (&f64, &f64)| if *mass > 0.0 { step * resistance / mass } else { 0.0 };
    let most = resistance.iter().zip(&model.mass).map(ratio).fold(0.0, f64::max);
    (most > 1.0 + 1e-9).then(|| {
        format!(
            "wind: steps of {} ms are too long for so light a body, which will feel {} % of it: set time.steps_per_frame to {} \
             times what it is",
            short(1e3 * step),
            short(100.0 / most),
            most.ceil()
        )
    })
}

/// Bodies so far from the origin that `f32` cannot tell the places of their vertices apart well enough.
fn far_away(scene: &Scene, model: &Model, start: &State) -> Option<String> {
    let farthest = start.x.iter().flatten().fold(0.0f64, |most, x| most.max(x.abs()));
    let rounding = farthest * f64::from(f32::EPSILON) / 2.0;
    let length = |&[i, j]: &[u32; 2]| {
        let [a, b] = [i, j].map(|i| Vec3::<f64>::of(model.rest_x[i as usize]));
        (b - a).length()
    };
    let edge = model.edges.iter().map(length).sum::<f64>() / model.edges.len().max(1) as f64;
    (scene.device.precision == Precision::F32 && edge > 0.0 && rounding > COARSE * edge).then(|| {
        format!(
            "up to {} m from the origin single precision knows places to {} mm, and edges are {} mm long: forces will be rough; \
             set device.precision to \"f64\", or move the scene to the origin",
            short(farthest),
            short(1e3 * rounding),
            short(1e3 * edge)
        )
    })
}

/// Bodies that should stop each other, but cross from the start: nobody knows on which side they belong.
pub(super) fn crossing_at_start(scene: &Scene, model: &Model, start: &State) -> Option<String> {
    let surface: Vec<[u32; 3]> = if scene.contact.self_collision { model.surface().collect() } else { Vec::new() };
    let (count, capped) = count_intersections(&start.x, &surface);
    (count > 0).then(|| crossing(count, capped))
}

/// A sentence about pairs of triangles that cross at the start.
pub(super) fn crossing(count: usize, capped: bool) -> String {
    let least = if capped { "at least " } else { "" };
    let pairs = counted(count, "pair of triangles touches or crosses", "pairs of triangles touch or cross");
    format!("{least}{pairs} at the start")
}

/// Vertices with one pin or more.
pub(super) fn held_vertices(model: &Model) -> usize {
    model.pins.chunk_by(|a, b| a.vertex == b.vertex).count()
}

/// Exact pins that want a vertex to be in different places at the same time. The last one in the scene has it.
fn pins_that_disagree(scene: &Scene, model: &Model) -> Option<String> {
    let end = scene.time.frames as f64 / scene.time.frame_rate;
    let apart = |a: &Pin, b: &Pin| {
        let until = end.min(a.release).min(b.release);
        // While they hold, where one of them starts or ends its motion, and in between.
        let changes = [a.motion.moves, b.motion.moves].concat();
        let times = (0..=8).map(|k| until * f64::from(k) / 8.0).chain(changes).filter(|time| *time <= until);
        let distance = |time: f64| (Vec3::<f64>::of(a.target(time)) - Vec3::of(b.target(time))).length();
        times.map(distance).fold(0.0, f64::max) > ROUNDING
    };
    let disagree = |pins: &&[Pin]| {
        let mut exact = pins.iter().filter(|pin| pin.stiffness.is_none());
        exact.next_back().is_some_and(|last| exact.any(|pin| apart(pin, last)))
    };
    let count = model.pins.chunk_by(|a, b| a.vertex == b.vertex).filter(disagree).count();
    (count > 0).then(|| {
        format!(
            "{} held exactly by several pins that want {} in different places: the last [[pin]] in the scene has {}; remove \
             the others there, or give all of them a stiffness",
            counted(count, "vertex is", "vertices are"),
            if count == 1 { "it" } else { "them" },
            if count == 1 { "it" } else { "them" },
        )
    })
}

/// Tets with negative volume.
pub(super) fn inverted_tets(body: &Body, start: &State) -> usize {
    let at = |i: u32| Vec3::<f64>::of(start.x[body.vertices.start + i as usize]);
    let volume = |&[a, b, c, d]: &[u32; 4]| (at(b) - at(a)).cross(at(c) - at(a)).dot(at(d) - at(a));
    body.tets.iter().filter(|tet| volume(tet) < 0.0).count()
}

/// A sentence for every collider that vertices of a body start in. Held ones may: contact does not move them.
fn inside_colliders(scene: &Scene, model: &Model, body: &Body, start: &State) -> Vec<String> {
    let held = |vertex: usize| {
        let first = model.pins.partition_point(|pin| pin.vertex < vertex as u32);
        let pins = model.pins[first..].iter().take_while(|pin| pin.vertex == vertex as u32);
        pins.into_iter().any(|pin| pin.stiffness.is_none())
    };
    let mut sentences = Vec::new();
    for (collider, named) in model.colliders.iter().zip(&scene.collider) {
        let posed = collider.at::<f64>(start.time);
        let depths = body.vertices.clone().filter(|&vertex| !held(vertex));
        let depths = depths.map(|vertex| -posed.distance(Vec3::of(start.x[vertex])).0).filter(|d| *d > ROUNDING);
        let (count, deepest) = depths.fold((0usize, 0.0f64), |(count, most), d| (count + 1, most.max(d)));
        if count > 0 {
            sentences.push(format!(
                "{} of '{}' {} inside the collider '{}' at the start, up to {} mm deep: the first step throws {} out; move \
                 one of the two away",
                counted(count, "vertex", "vertices"),
                body.name,
                if count == 1 { "is" } else { "are" },
                named.name,
                short(1e3 * deepest),
                if count == 1 { "it" } else { "them" },
            ));
        }
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(pins: &str) -> (Vec<String>, usize) {
        let text = format!("pliant = 1\n[[cloth]]\nresolution = 3\n{pins}\n");
        let scene = Scene::parse(&text, "t", ".".as_ref(), &[]).unwrap();
        let (model, start) = Model::new(&scene).unwrap();
        (odd_at_start(&scene, &model, &start), held_vertices(&model))
    }

    #[test]
    fn pins_that_want_a_vertex_in_two_places_are_told_and_others_are_not() {
        let corner = "[[pin]]\ncorners = ['-x-z']\n";
        let two = |more: &str| told(&format!("{corner}velocity = [1, 0, 0]\n{corner}{more}"));
        for more in ["velocity = [-1, 0, 0]", "", "velocity = [1, 0, 0]\nmoves = [0, 0.5]"] {
            let (said, held) = two(more);
            assert_eq!((said.len(), held), (1, 1), "{said:?}");
            assert!(said[0].starts_with("1 vertex is held exactly by several pins"), "{said:?}");
        }
        // The same motion; a spring beside an exact one; released before the other moves.
        for more in ["velocity = [1, 0, 0]", "velocity = [-1, 0, 0]\nstiffness = 5"] {
            assert_eq!(two(more), (Vec::new(), 1), "{more}");
        }
        let late = format!("{corner}release = 0.5\n{corner}velocity = [1, 0, 0]\nmoves = [0.6, 9]");
        assert_eq!(told(&late), (Vec::new(), 1));
    }

    #[test]
    fn what_is_far_from_the_origin_needs_double_precision() {
        let at = |place: &str, more: &str| told(&format!("position = {place}\n[[pin]]\ncorners = ['-x-z']\n{more}")).0;
        let said = at("[20000, 0, 3000]", "");
        assert!(said.len() == 1 && said[0].contains("20000 m from the origin") && said[0].contains("f64"), "{said:?}");
        assert_eq!(at("[50, 0, 30]", ""), [""; 0]);
        assert_eq!(at("[20000, 0, 3000]", "[device]\nprecision = 'f64'"), [""; 0]);
    }

    #[test]
    fn bodies_that_cross_at_the_start_are_told_where_they_should_stop_each_other() {
        let said = |text: &str| {
            let solid = |x: f64| format!("[[solid]]\nshape = 'box'\ncells = 2\nsize = 0.2\nposition = [{x}, 0, 0]\n");
            let text = format!("pliant = 1\n{text}\n{}{}", solid(0.0), solid(0.13));
            let scene = Scene::parse(&text, "t", ".".as_ref(), &[]).unwrap();
            let (model, start) = Model::new(&scene).unwrap();
            crossing_at_start(&scene, &model, &start)
        };
        assert!(said("[contact]\nself_collision = true").is_some_and(|said| said.ends_with("cross at the start")));
        assert_eq!(said(""), None);
    }

    #[test]
    fn a_drag_that_comes_too_late_is_told() {
        let drag = |from: f64, to: f64| {
            told(&format!("[[drag]]\nstiffness = 1\npath = [[{from}, 0, 0, 0], [{to}, 0, 1, 0]]\n")).0
        };
        assert_eq!(drag(1.9, 3.0), [""; 0]);
        assert!(drag(2.0, 3.0)[0].starts_with("drag 0 holds from 2.00 to 3.00 s"), "{:?}", drag(2.0, 3.0));
        assert_eq!(drag(0.0, 0.01).len(), 1);
    }

    #[test]
    fn a_scene_in_which_everything_is_held_says_so() {
        let (said, held) = told("[[pin]]\ninside = [[-9, -9, -9], [9, 9, 9]]\n[[pin]]\ncorners = ['-x-z']");
        assert_eq!(held, 9);
        assert!(said.len() == 1 && said[0].contains("every vertex is held"), "{said:?}");
        assert_eq!(told("[[pin]]\ncorners = ['-x-z']").0, [""; 0]);
    }
}
