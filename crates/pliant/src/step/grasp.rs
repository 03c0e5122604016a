//! What holds a model besides its own pins: drags of the scene, and hands.

use crate::device::StepInput;
use crate::model::{Hands, Model, Pinched};
use std::sync::Arc;

/// A model with pins for what drags have pinched and what is in hands.
pub(super) struct Grasp {
    /// As it was built.
    free: Arc<Model>,
    model: Arc<Model>,
    pinched: Vec<Pinched>,
    hands: Hands,
}

impl Grasp {
    pub fn new(model: Arc<Model>) -> Self {
        Self { free: model.clone(), model, pinched: Vec::new(), hands: Hands::default() }
    }

    /// With all pins.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// What drags have pinched so far.
    pub fn pinched(&self) -> &[Pinched] {
        &self.pinched
    }

    /// Replaces what drags have pinched.
    pub fn pinch(&mut self, pinched: Vec<Pinched>) {
        if self.pinched != pinched {
            self.pinched = pinched;
            self.make();
        }
    }

    /// Replaces what is in hands. Where these only move, the model stays as it is.
    pub fn hold(&mut self, hands: &Hands) {
        let moved = hands.only_moved_from(&self.hands);
        self.hands.clone_from(hands);
        if !moved {
            self.make();
        }
    }

    fn make(&mut self) {
        self.model = self.free.clone();
        if !self.pinched.is_empty() {
            self.model = Arc::new(self.model.dragged(&self.pinched));
        }
        if self.hands != Hands::default() {
            self.model = Arc::new(self.model.in_hands(&self.hands));
        }
    }

    /// Puts targets where hands are now.
    pub fn guide(&self, input: &mut StepInput) {
        for held in &self.hands.held {
            // Targets are sorted by vertex, one each.
            let found = input.targets.binary_search_by_key(&held.vertex, |target| target.0);
            let overruled = || held.stiffness.is_some() && self.model.is_pinned(held.vertex);
            if let Some(at) = found.ok().filter(|_| !overruled()) {
                input.targets[at].1 = held.target;
            }
        }
    }
}
