//! Parts of a model that move on their own.

use super::{Model, System};
use crate::mesh::topology::Incidence;

/// Vertices, in ascending order, of every part that elements connect, and of every vertex that none does: each vertex is in one
/// part. A body that is one mesh has several if the mesh has.
pub fn connected_parts(model: &Model) -> Incidence {
    let mut root: Vec<u32> = (0..model.vertices() as u32).collect();
    for batch in model.elements.iter().map(|elements| elements.view()) {
        for stencil in (0..batch.len()).map(|c| batch.stencil(c)) {
            // A chain through the corners of an element connects as much as all their pairs.
            for pair in stencil.windows(2) {
                let [a, b] = [pair[0], pair[1]].map(|i| find(&mut root, i));
                root[a.max(b) as usize] = a.min(b);
            }
        }
    }
    let mut parts = 0;
    let mut label = vec![0; root.len()];
    for i in 0..root.len() {
        let first = find(&mut root, i as u32) as usize;
        if first == i {
            (label[i], parts) = (parts, parts + 1);
        }
        label[i] = label[first];
    }
    Incidence::grouped(parts as usize, label.into_iter().zip(0u32..))
}

/// The lowest vertex that is known to be connected to vertex i; shortens the way to it.
fn find(root: &mut [u32], mut i: u32) -> u32 {
    while root[i as usize] != i {
        root[i as usize] = root[root[i as usize] as usize];
        i = root[i as usize];
    }
    i
}

/// Those of [`connected_parts`] that no pin holds or pulls; a single vertex is no part. Forces inside such a part neither push nor
/// turn it as a whole.
pub fn free_parts(model: &Model, system: &System) -> Incidence {
    let parts = connected_parts(model);
    let is_free = |i: &u32| !system.held[*i as usize] && system.pin_stiffness[*i as usize] == 0.0;
    let free: Vec<&[u32]> = parts.rows().filter(|part| part.len() > 1 && part.iter().all(is_free)).collect();
    let members = (0u32..).zip(&free).flat_map(|(row, part)| part.iter().map(move |&i| (row, i)));
    Incidence::grouped(free.len(), members)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ModelBuilder, Pin};

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
