//! What is odd about a scene before its first step; `pliant check` and `pliant run` both say it.

use crate::counted::{counted, short};
use crate::math::Vec3;
use crate::model::{Body, Model, State};
use crate::scene::Scene;

/// Less than this far inside is rounding, m.
const ROUNDING: f64 = 1e-6;

/// Steps longer than this show no motion: within four of them a pendulum of a metre has swung to and fro, s.
const LONG_STEP: f64 = 0.5;

/// All that is odd at the start; cheap enough for every run.
pub(super) fn odd_at_start(scene: &Scene, model: &Model, start: &State) -> Vec<String> {
    let mut odd = Vec::new();
    let step = 1.0 / (scene.time.frame_rate * scene.time.steps_per_frame as f64);
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
    odd.extend(model.bodies.iter().flat_map(|body| inside_colliders(scene, model, body, start)));
    odd
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
