//! Numbers that tell how a state looks, and that anyone can measure again from the output.

use super::{Body, Model, Potential};
use crate::math::Vec3;
use rayon::prelude::*;

impl Model {
    /// Largest and mean |length/rest − 1| over all edges.
    pub fn stretch(&self, x: &[[f64; 4]]) -> (f64, f64) {
        let mut largest: f64 = 0.0;
        let mut sum = 0.0;
        for &[i, j] in &self.edges {
            let (i, j) = (i as usize, j as usize);
            let rest = (Vec3::<f64>::of(self.rest_x[i]) - Vec3::of(self.rest_x[j])).length();
            let stretch = ((Vec3::load(x[i]) - Vec3::load(x[j])).length() / rest - 1.0).abs();
            largest = largest.max(stretch);
            sum += stretch;
        }
        (largest, sum / self.edges.len().max(1) as f64)
    }

    /// Number of tets with negative volume.
    pub fn inverted(&self, x: &[[f64; 4]]) -> usize {
        let count = |body: &Body| {
            let at = |i: u32| Vec3::load(x[body.vertices.start + i as usize]);
            let volume = |&[a, b, c, d]: &[u32; 4]| (at(b) - at(a)).cross(at(c) - at(a)).dot(at(d) - at(a));
            body.tets.iter().filter(|tet| volume(tet) < 0.0).count()
        };
        self.bodies.iter().map(count).sum()
    }

    /// How many vertices are nearer to a collider than their thickness and a hundredth at `time`, s: what rests ends at its
    /// thickness up to rounding.
    pub fn touching(&self, x: &[[f64; 3]], time: f64) -> usize {
        let colliders: Vec<_> = self.colliders.iter().map(|collider| collider.at::<f64>(time)).collect();
        let touches = |(x, thickness): (&[f64; 3], &f64)| {
            colliders.iter().any(|collider| collider.distance(Vec3::of(*x)).0 < 1.01 * *thickness)
        };
        if colliders.is_empty() { 0 } else { x.par_iter().zip(&self.thickness).filter(|pair| touches(*pair)).count() }
    }
}

impl Potential {
    /// Smallest signed distance of a free vertex from a collider, m; infinite without colliders.
    pub fn min_gap(&self, x: &[[f64; 4]]) -> f64 {
        let held = &self.system().held;
        let free = x.iter().zip(held).filter(|(_, held)| !**held).map(|(x, _)| Vec3::load(*x));
        free.flat_map(|x| self.colliders.iter().map(move |collider| collider.distance(x).0))
            .fold(f64::INFINITY, f64::min)
    }
}
