//! How good a step is, in numbers that can be checked again from the output.

use crate::device::Measures;

/// Measures of one state, and of how well it solves its step.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Certificate {
    /// E of the solution, J.
    pub energy: f64,
    /// E where the solve began, at x̃ out of colliders, J.
    pub start_energy: f64,
    /// ‖∇E‖ of the solution, N.
    pub gradient_norm: f64,
    /// Force along gravity that all free vertices together lack to move as they should, N; see [`Measures::unbalanced`].
    pub unbalanced: f64,
    /// Largest |length/rest − 1| of an edge.
    pub max_stretch: f64,
    /// Mean |length/rest − 1| over all edges.
    pub mean_stretch: f64,
    /// Smallest signed distance of a free vertex from a collider, m; infinite without colliders.
    pub min_gap: f64,
    /// Tets with negative volume.
    pub inverted: usize,
}

impl From<Measures> for Certificate {
    fn from(measures: Measures) -> Self {
        let Measures { start_energy, energy, gradient_norm, unbalanced, .. } = measures;
        let Measures { max_stretch, mean_stretch, min_gap, inverted, .. } = measures;
        Self { energy, start_energy, gradient_norm, unbalanced, max_stretch, mean_stretch, min_gap, inverted }
    }
}
