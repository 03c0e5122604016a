//! Contacts that are pressed beyond what they bear.
//!
//! A contact is a spring as long as its body is thick: squeezed to nothing it still holds the body on the surface, but no
//! longer presses as hard as its load, so that friction is less than Coulomb's. Between colliders that overlap nothing can be.

use crate::counted::{counted, short};
use crate::math::Vec3;
use crate::model::{Model, State};
use crate::scene::Scene;
use std::collections::BTreeMap;

type V = Vec3<f64>;

/// What is left of a contact that counts as squeezed through, as a part of the thickness.
const NOTHING_LEFT: f64 = 0.01;

/// What to tell about the contacts of a state, if there is anything.
pub(super) fn pressed(scene: &Scene, model: &Model, state: &State) -> Vec<String> {
    let colliders: Vec<_> = model.colliders.iter().map(|collider| collider.at::<f64>(state.time)).collect();
    let mut crushed: BTreeMap<[usize; 2], (usize, f64)> = BTreeMap::new();
    let mut squeezed: BTreeMap<usize, usize> = BTreeMap::new();
    let mut held = model.pins.iter().filter(|pin| pin.stiffness.is_none() && pin.holds_at(state.time)).peekable();
    for (i, x) in state.x.iter().enumerate() {
        while held.next_if(|pin| (pin.vertex as usize) < i).is_some() {}
        let thickness = model.thickness[i];
        if thickness <= 0.0 || held.peek().is_some_and(|pin| pin.vertex as usize == i) {
            continue;
        }
        let near = |(k, posed): (usize, &crate::contact::PosedCollider<f64>)| {
            let (distance, normal) = posed.distance(V::of(*x));
            (distance <= thickness).then_some((k, distance, normal))
        };
        let near: Vec<(usize, f64, V)> = colliders.iter().enumerate().filter_map(near).collect();
        if let Some((pair, depth)) = between(&near).filter(|(_, depth)| *depth > thickness) {
            let (count, deepest) = crushed.entry(pair).or_default();
            (*count, *deepest) = (*count + 1, deepest.max(depth));
        } else if let Some((k, ..)) = near.iter().find(|(_, distance, _)| *distance <= NOTHING_LEFT * thickness) {
            *squeezed.entry(*k).or_default() += 1;
        }
    }
    // Beside what is crushed, everything is squeezed.
    if !crushed.is_empty() {
        return crushed.into_iter().map(|(pair, found)| overlapping(scene, pair, found)).collect();
    }
    // Without friction nobody sees it.
    let rough = squeezed.into_iter().filter(|(k, _)| model.colliders[*k].friction() > 0.0);
    rough.map(|(k, count)| too_soft(scene, k, count)).collect()
}

/// The two colliders that a point is between although they overlap there, and how far it is inside one of them at least, m.
/// Faces that look at each other are apart by the sum of the distances.
fn between(near: &[(usize, f64, V)]) -> Option<([usize; 2], f64)> {
    let pairs = near.iter().enumerate().flat_map(|(i, a)| near[i + 1..].iter().map(move |b| (a, b)));
    let overlap = pairs.filter(|(a, b)| a.2.dot(b.2) < -0.5 && a.1 + b.1 < 0.0);
    overlap.map(|(a, b)| ([a.0, b.0], -a.1.min(b.1))).next()
}

fn overlapping(scene: &Scene, [a, b]: [usize; 2], (count, deepest): (usize, f64)) -> String {
    let name = |k: usize| scene.collider.get(k).map_or("", |collider| &*collider.name);
    format!(
        "the colliders '{}' and '{}' overlap where {} between them at the end, up to {} mm inside: nothing fits there, so what \
         happens to it means nothing; let them stop earlier, at a distance of twice the thickness or more",
        name(a),
        name(b),
        counted(count, "vertex is", "vertices are"),
        short(1e3 * deepest),
    )
}

fn too_soft(scene: &Scene, k: usize, count: usize) -> String {
    format!(
        "{} pressed on the collider '{}' through the whole thickness at the end: contact is too soft for its load, so friction \
         is less than it should be; raise solver.contact_stiffness ({}), by ten times to begin with",
        counted(count, "vertex is", "vertices are"),
        scene.collider.get(k).map_or("", |collider| &*collider.name),
        scene.solver.contact_stiffness
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is told of a sheet between two boxes whose faces are at these heights, m.
    fn told(lower: f64, upper: f64, y: f64, friction: f64, more: &str) -> Vec<String> {
        let text = format!(
            "pliant = 1\n[[cloth]]\nresolution = 3\nposition = [0, {y}, 0]\nthickness = 0.001\n{more}\n\
             [[collider]]\nname = 'table'\nshape = 'box'\nsize = 2\nfriction = {friction}\nposition = [0, {}, 0]\n\
             [[collider]]\nname = 'lid'\nshape = 'box'\nsize = 2\nposition = [0, {}, 0]\n",
            lower - 1.0,
            upper + 1.0
        );
        let scene = Scene::parse(&text, "t", ".".as_ref(), &[]).unwrap();
        let (model, state) = Model::new(&scene).unwrap();
        pressed(&scene, &model, &state)
    }

    #[test]
    fn a_body_between_colliders_that_overlap_is_told_and_one_that_fits_is_not() {
        assert_eq!(told(0.0, 0.002, 0.001, 0.5, ""), [""; 0]);
        assert_eq!(told(0.0, 0.5, 0.0009, 0.5, ""), [""; 0]);
        for y in [0.0, -0.01, -0.02] {
            let said = told(0.0, -0.02, y, 0.5, "");
            assert_eq!(said.len(), 1, "{said:?}");
            for word in ["'table' and 'lid' overlap", "9 vertices are between", "mm inside", "stop earlier"] {
                assert!(said[0].contains(word), "{word}: {said:?}");
            }
        }
    }

    #[test]
    fn a_contact_squeezed_through_its_thickness_is_told_with_what_to_do() {
        assert_eq!(told(0.0, 0.5, 0.0, 0.0, ""), [""; 0]);
        let said = told(0.0, 0.5, 0.0, 0.5, "");
        assert_eq!(said.len(), 1, "{said:?}");
        for word in ["9 vertices are pressed on the collider 'table'", "solver.contact_stiffness (1)", "ten times"] {
            assert!(said[0].contains(word), "{word}: {said:?}");
        }
        // Held vertices are where the scene wants them.
        assert_eq!(told(0.0, 0.5, 0.0, 0.5, "[[pin]]\ninside = [[-9, -9, -9], [9, 9, 9]]"), [""; 0]);
    }

    #[test]
    fn cloth_without_thickness_is_on_the_surface_by_right() {
        let text = "pliant = 1\n[[cloth]]\nresolution = 3\nthickness = 0\n[[collider]]\nshape = 'half-space'\n";
        let scene = Scene::parse(text, "t", ".".as_ref(), &[]).unwrap();
        let (model, state) = Model::new(&scene).unwrap();
        assert_eq!(pressed(&scene, &model, &state), [""; 0]);
    }
}
