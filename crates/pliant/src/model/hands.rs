//! Hands that hold and let go of vertices while a scene is simulated, as somebody who looks on wants it.

use super::{Model, Pin};
use std::collections::HashSet;

/// A vertex in a hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// Which vertex of the model.
    pub vertex: u32,
    /// Where it is to be at the end of the next step, m.
    pub target: [f64; 3],
    /// Of the spring that pulls it there, N/m; `None` puts it there exactly.
    pub stiffness: Option<f64>,
}

/// What hands hold and what they have freed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hands {
    /// At most one entry per vertex.
    pub held: Vec<Held>,
    /// Vertices that pins of the scene hold no longer.
    pub freed: Vec<u32>,
}

impl Hands {
    /// Whether other hands hold the same vertices in the same way, only elsewhere.
    pub fn only_moved_from(&self, other: &Hands) -> bool {
        let same = |(a, b): (&Held, &Held)| (a.vertex, a.stiffness) == (b.vertex, b.stiffness);
        self.freed == other.freed && self.held.len() == other.held.len() && self.held.iter().zip(&other.held).all(same)
    }
}

impl Model {
    /// The model with a pin for each vertex in a hand. A hand that holds exactly replaces every other pin of its vertex, a
    /// spring only those that are springs: what is held exactly stays where it is.
    pub fn in_hands(&self, hands: &Hands) -> Model {
        let mut model = self.clone();
        let freed: HashSet<u32> = hands.freed.iter().copied().collect();
        model.pins.retain(|pin| !freed.contains(&pin.vertex));
        let exact = model.pins.iter().filter(|pin| pin.stiffness.is_none());
        let exact: HashSet<u32> = exact.map(|pin| pin.vertex).collect();
        let is_taken = |held: &&Held| {
            let overruled = held.stiffness.is_some() && exact.contains(&held.vertex);
            (held.vertex as usize) < self.vertices() && !overruled
        };
        let taken: HashSet<u32> = hands.held.iter().filter(is_taken).map(|held| held.vertex).collect();
        model.pins.retain(|pin| !taken.contains(&pin.vertex));
        let pin = |held: &Held| Pin { stiffness: held.stiffness, ..Pin::fixed(held.vertex, held.target) };
        model.pins.extend(hands.held.iter().filter(is_taken).map(pin));
        model.pins.sort_by_key(|pin| pin.vertex);
        model
    }

    /// Whether a pin holds this vertex exactly.
    pub fn is_pinned(&self, vertex: u32) -> bool {
        let first = self.pins.partition_point(|pin| pin.vertex < vertex);
        let own = self.pins[first..].iter().take_while(|pin| pin.vertex == vertex);
        own.into_iter().any(|pin| pin.stiffness.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(vertex: u32, stiffness: Option<f64>) -> Held {
        Held { vertex, target: [f64::from(vertex), 9.0, 0.0], stiffness }
    }

    #[test]
    fn hands_replace_springs_and_leave_exact_pins_to_exact_hands() {
        let spring = Pin { stiffness: Some(2.0), ..Pin::fixed(3, [3.0, 0.0, 0.0]) };
        let pins = vec![Pin::fixed(1, [0.0; 3]), Pin::fixed(2, [0.0; 3]), spring, Pin::fixed(4, [0.0; 3])];
        let model = Model { pins, rest_x: vec![[0.0; 3]; 6], ..Model::default() };
        let held = vec![held(1, Some(5.0)), held(2, None), held(3, Some(7.0)), held(5, Some(1.0)), held(77, None)];
        let model = model.in_hands(&Hands { held, freed: vec![4] });
        let pins: Vec<_> = model.pins.iter().map(|pin| (pin.vertex, pin.stiffness, pin.anchor[1])).collect();
        assert_eq!(pins, [(1, None, 0.0), (2, None, 9.0), (3, Some(7.0), 9.0), (5, Some(1.0), 9.0)]);
        assert!(model.is_pinned(1) && !model.is_pinned(3) && !model.is_pinned(4));
    }

    #[test]
    fn hands_that_only_move_are_known() {
        let at = |vertex, stiffness| Hands { held: vec![held(vertex, stiffness)], freed: vec![1] };
        let mut moved = at(3, Some(1.0));
        moved.held[0].target = [0.0; 3];
        assert!(moved.only_moved_from(&at(3, Some(1.0))));
        assert!(!moved.only_moved_from(&at(4, Some(1.0))) && !moved.only_moved_from(&at(3, None)));
        assert!(!moved.only_moved_from(&Hands { freed: Vec::new(), ..moved.clone() }));
        assert!(!moved.only_moved_from(&Hands { held: Vec::new(), ..moved.clone() }));
    }
}
