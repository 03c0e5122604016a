//! Springs and constant Hessians by vertex: what the fused sweep of every device loops over.

use crate::material::{Elements, LocalStep};
use crate::model::{Model, System};

/// What neighbour j adds to the negative force on vertex i: (c − s/‖xᵢ − xⱼ‖)(xᵢ − xⱼ).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowEntry {
    /// j
    pub neighbour: u32,
    /// c = k of a spring, −K_ij of a constant Hessian, or their sum, N/m.
    pub coefficient: f64,
    /// s = k r of a spring, N; 0 for the rest.
    pub pull: f64,
}

/// For each vertex its neighbours in ascending order; none for held vertices.
pub fn vertex_rows(model: &Model, system: &System) -> Vec<Vec<RowEntry>> {
    let mut lists: Vec<Vec<RowEntry>> = vec![Vec::new(); model.vertices()];
    let mut push = |i: u32, j: u32, coefficient: f64, pull: f64| {
        if !system.held[i as usize] {
            lists[i as usize].push(RowEntry { neighbour: j, coefficient, pull });
        }
    };
    for elements in &model.elements {
        if let Elements::Spring(batch) = elements {
            for (&[i, j], spring) in batch.iter() {
                let pull = spring.stiffness * spring.rest_length;
                push(i, j, spring.stiffness, pull);
                push(j, i, spring.stiffness, pull);
            }
        } else if let Some(projective) = elements.view().projective().filter(|p| p.local() == LocalStep::None) {
            let batch = elements.view();
            for c in 0..batch.len() {
                let stencil = batch.stencil(c);
                projective.stiffness(c, &mut |i, j, value| {
                    if i != j {
                        push(stencil[i], stencil[j], -value, 0.0);
                    }
                });
            }
        }
    }
    for list in &mut lists {
        list.sort_by_key(|entry| entry.neighbour);
        let merged = list.chunk_by(|a, b| a.neighbour == b.neighbour).map(|same| RowEntry {
            neighbour: same[0].neighbour,
            coefficient: same.iter().map(|entry| entry.coefficient).sum(),
            pull: same.iter().map(|entry| entry.pull).sum(),
        });
        *list = merged.collect();
    }
    lists
}

/// Whether a batch is part of [`vertex_rows`]; all others write their forces to slots, one per corner.
pub fn is_in_rows<R: crate::math::Real>(elements: &Elements<R>) -> bool {
    elements.view().projective().is_some_and(|projective| projective.local() != LocalStep::Slots)
}
