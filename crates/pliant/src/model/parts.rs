//! Parts of a model that move on their own.

use super::{Model, ModelError, System};
use crate::mesh::topology::Incidence;

/// Vertices, in ascending order, of every part that elements connect, and of every vertex that none does: each vertex is in one
/// part. A body that is one mesh has several if the mesh has.
pub fn connected_parts(model: &Model) -> Incidence {
    let mut links = Links::default();
    links.restart(model.vertices());
    for batch in model.elements.iter().map(|elements| elements.view()) {
        for stencil in (0..batch.len()).map(|c| batch.stencil(c)) {
            // A chain through the corners of an element connects as much as all their pairs.
            stencil.windows(2).for_each(|pair| links.join(pair[0], pair[1]));
        }
    }
    let mut parts = 0;
    let mut label = vec![0; model.vertices()];
    for (i, &first) in links.firsts().iter().enumerate() {
        if first as usize == i {
            (label[i], parts) = (parts, parts + 1);
        }
        label[i] = label[first as usize];
    }
    Incidence::grouped(parts as usize, label.into_iter().zip(0u32..))
}

/// The part of each vertex.
pub fn part_of_each(parts: &Incidence, vertices: usize) -> Vec<u32> {
    let mut of = vec![0; vertices];
    for (number, part) in (0..).zip(parts.rows()) {
        part.iter().for_each(|&i| of[i as usize] = number);
    }
    of
}

/// Which of some things are linked, directly or by others.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// A lower one that each is linked to; itself if it is the lowest.
    lower: Vec<u32>,
}

impl Links {
    /// `count` things, none of them linked.
    pub fn restart(&mut self, count: usize) {
        self.lower.clear();
        self.lower.extend(0..count as u32);
    }

    /// Links two.
    pub fn join(&mut self, a: u32, b: u32) {
        let [a, b] = [a, b].map(|i| self.first(i));
        self.lower[a.max(b) as usize] = a.min(b);
    }

    /// The lowest that one is linked to; shortens the way to it.
    fn first(&mut self, mut i: u32) -> u32 {
        let lower = &mut self.lower;
        while lower[i as usize] != i {
            lower[i as usize] = lower[lower[i as usize] as usize];
            i = lower[i as usize];
        }
        i
    }

    /// The lowest that each is linked to.
    pub fn firsts(&mut self) -> &[u32] {
        for i in 0..self.lower.len() {
            self.lower[i] = self.lower[self.lower[i] as usize];
        }
        &self.lower
    }
}

/// Those of [`connected_parts`] that no pin holds or pulls; a single vertex is no part. Forces inside such a part neither push
/// nor turn it as a whole.
pub fn free_parts(model: &Model, system: &System) -> Incidence {
    let parts = connected_parts(model);
    let is_free = |i: &u32| !system.held[*i as usize] && system.pin_stiffness[*i as usize] == 0.0;
    let free: Vec<&[u32]> = parts.rows().filter(|part| part.len() > 1 && part.iter().all(is_free)).collect();
    let members = (0u32..).zip(&free).flat_map(|(row, part)| part.iter().map(move |&i| (row, i)));
    Incidence::grouped(free.len(), members)
}

impl Model {
    /// Refuses a quasistatic model with a part that nothing holds.
    pub(super) fn check_rest(&self) -> Result<(), ModelError> {
        if !self.quasistatic || !self.colliders.is_empty() {
            return Ok(());
        }
        // What pins let go of some time is not held for good; what has no mass stays where it is.
        let mut held: Vec<bool> = self.mass.iter().map(|mass| *mass == 0.0).collect();
        self.pins.iter().filter(|pin| pin.holds_at(f64::MAX)).for_each(|pin| held[pin.vertex as usize] = true);
        let parts = connected_parts(self);
        let unheld = parts.rows().find(|part| part.iter().all(|i| !held[*i as usize]));
        let Some(&first) = unheld.and_then(|part| part.first()) else { return Ok(()) };
        let found = self.bodies.iter().find(|body| body.vertices.contains(&(first as usize)));
        let whole = found.is_some_and(|body| unheld.is_some_and(|part| part.len() == body.vertices.len()));
        let body = found.map_or_else(String::new, |body| body.name.clone());
        Err(ModelError::Unheld { body, part: if whole { "it" } else { "a part of it" } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ModelBuilder, Pin};

    #[test]
    fn linked_things_have_the_lowest_of_them_in_common() {
        let mut links = Links::default();
        for _ in 0..2 {
            links.restart(8);
            [[5, 1], [7, 6], [5, 3], [6, 2], [3, 1], [4, 4]].iter().for_each(|&[a, b]| links.join(a, b));
            assert_eq!(links.firsts(), [0, 1, 2, 1, 4, 1, 2, 2]);
        }
    }

    #[test]
    fn parts_are_what_elements_connect_and_pins_leave_alone() {
        let mut builder = ModelBuilder::new("parts");
        let x: Vec<[f64; 3]> = (0..9).map(|i| [f64::from(i), 0.0, 0.0]).collect();
        builder.add_points("points", &x, &[0.1; 9]);
        for ends in [[5, 1], [1, 0], [2, 3], [6, 7]] {
            builder.add_spring(ends, 10.0).unwrap();
        }
        builder.model().pins.push(Pin::fixed(3, x[3]));
        builder.model().pins.push(Pin { stiffness: Some(5.0), ..Pin::fixed(6, x[6]) });
        let (model, _) = builder.finish();
        let all: [&[u32]; 5] = [&[0, 1, 5], &[2, 3], &[4], &[6, 7], &[8]];
        assert_eq!(connected_parts(&model).rows().collect::<Vec<_>>(), all);
        let system = System::new(&model, 0.01, 0.01);
        assert_eq!(free_parts(&model, &system).rows().collect::<Vec<_>>(), [&[0u32, 1, 5]]);
        assert_eq!(all.map(|part| system.holds_some_of(&model, part)), [false, true, false, true, false]);
    }
}
