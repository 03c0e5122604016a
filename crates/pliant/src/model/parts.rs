//! Parts of a model that move on their own.

use super::{Model, System};
use crate::mesh::topology::{Incidence, adjacency, components};

/// Vertices, in ascending order, of every part that elements connect and that no pin holds or pulls; a single vertex is no
/// part. Forces inside such a part neither push nor turn it as a whole.
pub fn free_parts(model: &Model, system: &System) -> Incidence {
    let mut links: Vec<[u32; 2]> = Vec::new();
    for batch in model.elements.iter().map(|elements| elements.view()) {
        // A chain through the corners of an element connects as much as all their pairs.
        (0..batch.len()).for_each(|c| links.extend(batch.stencil(c).windows(2).map(|pair| [pair[0], pair[1]])));
    }
    let found = components(&adjacency(model.vertices(), &links));
    let mut size = vec![0; found.count];
    let mut free = vec![true; found.count];
    for (i, &part) in found.label.iter().enumerate() {
        size[part as usize] += 1;
        free[part as usize] &= !system.held[i] && system.pin_stiffness[i] == 0.0;
    }
    let mut rows = 0;
    let row: Vec<Option<u32>> = (0..found.count)
        .map(|part| {
            let kept = free[part] && size[part] > 1;
            rows += u32::from(kept);
            kept.then(|| rows - 1)
        })
        .collect();
    let members = (0u32..).zip(&found.label).filter_map(|(i, &part)| Some((row[part as usize]?, i)));
    Incidence::grouped(rows as usize, members)
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
        let parts = free_parts(&model, &System::new(&model, 0.01, 0.01));
        assert_eq!(parts.rows().collect::<Vec<_>>(), [&[0u32, 1, 5]]);
    }
}
