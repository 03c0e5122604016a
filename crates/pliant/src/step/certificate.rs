//! How good a step is, in numbers that can be checked again from the output.

use crate::math::Vec3;
use crate::model::{Model, Potential};

/// Measures of one state, and of how well it solves its step.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Certificate {
    /// E of the solution, before friction, J.
    pub energy: f64,
    /// E at the start of the solve, J.
    pub start_energy: f64,
    /// ‖∇E‖ of the solution, N.
    pub gradient_norm: f64,
    /// Largest |length/rest − 1| of an edge.
    pub max_stretch: f64,
    /// Mean |length/rest − 1| over all edges.
    pub mean_stretch: f64,
    /// Smallest signed distance of a free vertex from a collider, m; infinite without colliders.
    pub min_gap: f64,
    /// Tets with negative volume.
    pub inverted: usize,
}

impl Certificate {
    /// How well `x` solves the step; the measures of the state are still zero.
    pub fn of_solve(
        potential: &Potential,
        x: &[[f64; 4]],
        start_energy: f64,
        gradient: &mut Vec<[f64; 4]>,
    ) -> Certificate {
        potential.gradient(x, gradient);
        let gradient_norm = gradient.iter().map(|g| Vec3::load(*g).length_sq()).sum::<f64>().sqrt();
        Certificate { energy: potential.value(x), start_energy, gradient_norm, ..Certificate::default() }
    }

    /// Measures the state the step ended with, after friction: what anyone can measure again from the output.
    pub fn add_state(&mut self, potential: &Potential, x: &[[f64; 4]]) {
        let model = potential.model();
        (self.max_stretch, self.mean_stretch) = stretch(model, x);
        self.min_gap = min_gap(potential, x);
        self.inverted = inverted(model, x);
    }
}

fn stretch(model: &Model, x: &[[f64; 4]]) -> (f64, f64) {
    let mut largest: f64 = 0.0;
    let mut sum = 0.0;
    for &[i, j] in &model.edges {
        let (i, j) = (i as usize, j as usize);
        let rest = (Vec3::<f64>::of(model.rest_x[i]) - Vec3::of(model.rest_x[j])).length();
        let stretch = ((Vec3::load(x[i]) - Vec3::load(x[j])).length() / rest - 1.0).abs();
        largest = largest.max(stretch);
        sum += stretch;
    }
    (largest, sum / model.edges.len().max(1) as f64)
}

fn min_gap(potential: &Potential, x: &[[f64; 4]]) -> f64 {
    let held = &potential.system().held;
    let free = x.iter().zip(held).filter(|(_, held)| !**held).map(|(x, _)| Vec3::load(*x));
    free.flat_map(|x| potential.colliders.iter().map(move |collider| collider.distance(x).0))
        .fold(f64::INFINITY, f64::min)
}

fn inverted(model: &Model, x: &[[f64; 4]]) -> usize {
    let count = |body: &crate::model::Body| {
        let at = |i: u32| Vec3::load(x[body.vertices.start + i as usize]);
        let volume = |&[a, b, c, d]: &[u32; 4]| (at(b) - at(a)).cross(at(c) - at(a)).dot(at(d) - at(a));
        body.tets.iter().filter(|tet| volume(tet) < 0.0).count()
    };
    model.bodies.iter().map(count).sum()
}
