//! What moves as a whole.

use super::touches::Touches;
use crate::mesh::topology::Incidence;
use crate::model::{Links, Model, System, connected_parts, part_of_each};

/// What elements connect, and so moves as a whole.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// Of each part, ascending.
    pub vertices: Incidence,
    /// The part of each vertex.
    pub of: Vec<u32>,
    /// Whether a pin holds some of it.
    pub is_held: Vec<bool>,
}

impl Parts {
    /// Those of a model.
    pub fn new(model: &Model, system: &System) -> Self {
        let vertices = connected_parts(model);
        let of = part_of_each(&vertices, model.vertices());
        let is_held = vertices.rows().map(|part| system.holds_some_of(model, part)).collect();
        Self { vertices, of, is_held }
    }
}

/// Parts that may touch in a step, and so are moved together.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    links: Links,
    touches: Vec<bool>,
    leaders: Vec<[u32; 2]>,
}

impl Groups {
    /// Those of a step.
    pub fn take<R>(&mut self, parts: &Parts, touches: &Touches<R>) {
        let count = parts.is_held.len();
        self.links.restart(count);
        self.touches.clear();
        self.touches.resize(count, false);
        for touch in &touches.all {
            let [a, b] = [0, 3].map(|k| parts.of[touch.stencil[k] as usize]);
            self.links.join(a, b);
            self.touches[a as usize] = true;
        }
        let firsts = self.links.firsts();
        for (part, &first) in firsts.iter().enumerate() {
            self.touches[first as usize] |= self.touches[part];
        }
        self.leaders.clear();
        self.leaders.extend(firsts.iter().map(|&first| [first, self.touches[first as usize].into()]));
    }

    /// Of each part: the first part of its group, and 1 if bodies touch somewhere in the group, else 0.
    pub fn leaders(&self) -> &[[u32; 2]] {
        &self.leaders
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::close::Touch;

    #[test]
    fn parts_in_contact_have_a_leader_and_what_touches_nothing_leads_itself() {
        let parts = Parts { of: vec![0, 0, 1, 2, 3, 4], is_held: vec![false; 5], ..Parts::default() };
        let touch = |a, b| Touch { stencil: [a, a, a, b], ..Touch::default() };
        let mut touches = Touches::<f64>::default();
        touches.all.extend([touch(4, 3), touch(3, 1), touch(5, 5)]);
        let mut groups = Groups::default();
        groups.take(&parts, &touches);
        assert_eq!(groups.leaders(), [[0, 1], [1, 0], [0, 1], [0, 1], [4, 1]]);
    }
}
