//! What the driver holds of one view: a patch in the hand, vertices pinned and freed.

use pliant::math::Vec3;
use pliant::model::{Body, Hands, Held, Model};

/// By how much a hand's spring gives way under the weight of a whole body, m.
const SAG: f64 = 0.002;

/// Radius of the patch that a hand takes, as a part of the diagonal of the body, unless it is told.
const PATCH: f64 = 0.03;

/// A hand takes no more vertices than this, the nearest.
const MOST: usize = 1000;

/// A patch in the hand.
#[derive(Clone, Debug)]
struct Pinch {
    /// Vertices with their places relative to the hand, m.
    vertices: Vec<(u32, Vec3<f64>)>,
    /// Of each vertex's spring, N/m.
    stiffness: f64,
    /// Where the hand is, m.
    target: Vec3<f64>,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grip {
    pinch: Option<Pinch>,
    /// Vertices with their places, m.
    pinned: Vec<(u32, [f64; 3])>,
    freed: Vec<u32>,
}

impl Grip {
    /// Takes a vertex and what is around it on the same body.
    pub fn grab(&mut self, model: &Model, x: &[[f64; 3]], vertex: u32, radius: Option<f64>, target: [f64; 3]) {
        let Some(body) = model.bodies.iter().find(|body| body.vertices.contains(&(vertex as usize))) else { return };
        let middle = Vec3::of(x[vertex as usize]);
        let radius = radius.unwrap_or_else(|| PATCH * diagonal(model, body));
        let from_middle = |i: usize| Vec3::<f64>::of(x[i]) - middle;
        let near = |&i: &usize| i == vertex as usize || from_middle(i).length() <= radius;
        let mut vertices: Vec<_> = body.vertices.clone().filter(near).map(|i| (i as u32, from_middle(i))).collect();
        vertices.sort_by(|a, b| a.1.length().total_cmp(&b.1.length()));
        vertices.truncate(MOST);
        let mass: f64 = body.vertices.clone().map(|i| model.mass[i]).sum();
        let stiffness = 9.81 * mass / (SAG * vertices.len() as f64);
        self.pinch = Some(Pinch { vertices, stiffness, target: Vec3::of(target) });
    }

    /// Moves the hand; whether there is one.
    pub fn drag(&mut self, target: [f64; 3]) -> bool {
        let Some(pinch) = &mut self.pinch else { return false };
        pinch.target = Vec3::of(target);
        true
    }

    pub fn release(&mut self) {
        self.pinch = None;
    }

    /// Holds a vertex where it is, or no longer.
    pub fn pin(&mut self, model: &Model, x: &[[f64; 3]], vertex: u32, on: bool) {
        self.pinned.retain(|pinned| pinned.0 != vertex);
        if on {
            self.pinned.push((vertex, x[vertex as usize]));
        } else if model.pins.iter().any(|pin| pin.vertex == vertex) && !self.freed.contains(&vertex) {
            self.freed.push(vertex);
        }
    }

    /// Vertices in the hand.
    pub fn held(&self) -> Vec<u32> {
        self.pinch.iter().flat_map(|pinch| pinch.vertices.iter().map(|held| held.0)).collect()
    }

    /// As the simulation wants it.
    pub fn hands(&self) -> Hands {
        let pins = self.pinned.iter().map(|&(vertex, target)| Held { vertex, target, stiffness: None });
        let pinch = self.pinch.iter().flat_map(|pinch| {
            let is_free = |held: &&(u32, Vec3<f64>)| !self.pinned.iter().any(|pinned| pinned.0 == held.0);
            pinch.vertices.iter().filter(is_free).map(|&(vertex, offset)| Held {
                vertex,
                target: (pinch.target + offset).f64(),
                stiffness: Some(pinch.stiffness),
            })
        });
        Hands { held: pins.chain(pinch).collect(), freed: self.freed.clone() }
    }
}

/// Of the box around a body at rest, m.
fn diagonal(model: &Model, body: &Body) -> f64 {
    let ends = |k: usize| {
        let all = model.rest_x[body.vertices.clone()].iter().map(|x| x[k]);
        all.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], c| [low.min(c), high.max(c)])
    };
    let sides = [0, 1, 2].map(ends).map(|[low, high]| high - low);
    sides.iter().map(|side| side * side).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::scene::Scene;

    #[test]
    fn a_hand_takes_a_patch_of_one_body_and_pins_overrule_it() {
        let text = "pliant = 1
            [[cloth]]
            name = 'own'
            resolution = 5
            [[cloth]]
            name = 'other'
            resolution = 5
            [[pin]]
            body = 'own'
            corners = ['-x-z']";
        let scene = Scene::parse(text, "t", ".".as_ref(), &[]).unwrap();
        let (model, state) = Model::new(&scene).unwrap();
        let mut grip = Grip::default();
        assert!(!grip.drag([0.0; 3]));
        grip.grab(&model, &state.x, 12, Some(0.26), [0.0, 1.0, 0.0]);
        let mut held = grip.held();
        held.sort();
        assert_eq!(held, [7, 11, 12, 13, 17]);
        assert!(grip.drag([0.0, 2.0, 0.0]));
        grip.pin(&model, &state.x, 13, true);
        grip.pin(&model, &state.x, 0, false);
        let hands = grip.hands();
        assert_eq!((hands.held.len(), hands.freed.as_slice()), (5, &[0][..]));
        assert_eq!((hands.held[0].vertex, hands.held[0].stiffness), (13, None));
        let own = hands.held.iter().find(|held| held.vertex == 12).unwrap();
        assert_eq!(own.target, [0.0, 2.0, 0.0]);
        grip.release();
        grip.pin(&model, &state.x, 13, false);
        assert!(grip.hands().held.is_empty());
        // A vertex that nothing held needs no freeing.
        assert_eq!(grip.hands().freed, [0]);
    }
}
