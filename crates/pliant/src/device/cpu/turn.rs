//! The turn of free parts after a position-based solve.
//!
//! Corrections are made one after the other, each along the line through its points as they are just then. Forces at one
//! instant turn nothing as a whole, but these do: a part under stress of its own (compressed here, stretched there, in
//! balance) would be spun faster and faster by nothing. E of a rigid motion is known, though: elements do not feel it,
//! so the best turn is the one that brings the part nearest to its inertial target, weighed by mass:
//!
//! min Σ m ‖c + R (x − c) − x̃‖²  ⇒  R nearest to Σ m (x̃ − c̃)(x − c)ᵀ, with c, c̃ the centres of mass.
//!
//! Then Σ m x × (x − x̃) = 0 about c, as for the exact solution. Parts that touched a collider in the step are left alone:
//! contact may turn them.

use super::problem::CpuProblem;
use crate::math::{Mat3, Real, Vec3, polar_rotation};
use crate::mesh::topology::Incidence;
use crate::model::free_parts;

impl<R: Real> CpuProblem<R> {
    /// Turns every free part to where E is least.
    pub(super) fn turn_free_parts(&mut self, x: &mut [[R; 4]]) {
        let parts = self.free_parts.get_or_insert_with(|| free_parts(&self.model, &self.system));
        turn(parts, &self.model.mass, (&self.x_tilde, &self.start), x);
    }
}

fn turn<R: Real>(parts: &Incidence, mass: &[f64], (x_tilde, start): (&[[R; 4]], &[[R; 4]]), x: &mut [[R; 4]]) {
    for part in parts.rows() {
        let members = || part.iter().map(|&i| i as usize);
        if members().any(|i| start[i][3] > R::ZERO) {
            continue;
        }
        let wide = |p: [R; 4]| Vec3::load(p).cast::<f64>();
        let total: f64 = members().map(|i| mass[i]).sum();
        let mean = |x: &[[R; 4]]| members().fold(Vec3::ZERO, |sum, i| sum + wide(x[i]) * mass[i]) / total;
        let (centre, target) = (mean(x), mean(x_tilde));
        let moment =
            members().fold(Mat3::ZERO, |sum, i| sum + (wide(x_tilde[i]) - target).outer(wide(x[i]) - centre) * mass[i]);
        let rotation = polar_rotation(moment);
        if rotation.is_finite() {
            for i in members() {
                x[i] = (centre + rotation * (wide(x[i]) - centre)).cast::<R>().store();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::SplitMix;

    #[test]
    fn a_turned_part_has_no_torque_left_and_its_shape_and_centre() {
        let mut random = SplitMix(3);
        let mut points = || -> Vec<[f64; 4]> { (0..12).map(|_| Vec3::of(random.point()).store()).collect() };
        let (x_tilde, before) = (points(), points());
        let mass: Vec<f64> = (1..13).map(f64::from).collect();
        // The second part touched something; the last two vertices are in none.
        let parts = Incidence { offset: vec![0, 6, 10], item: (0..10).collect() };
        let mut start = [[0.0; 4]; 12];
        start[8][3] = 1e-3;
        let mut x = before.clone();
        turn(&parts, &mass, (&x_tilde, &start), &mut x);
        let at = |x: &[[f64; 4]], i: usize| Vec3::load(x[i]);
        let sum = |f: &dyn Fn(usize) -> Vec3<f64>| (0..6).fold(Vec3::ZERO, |sum, i| sum + f(i) * mass[i]);
        assert!((sum(&|i| at(&x, i)) - sum(&|i| at(&before, i))).length() < 1e-12);
        let centre = sum(&|i| at(&x, i)) / 21.0;
        let torque = |x: &[[f64; 4]]| sum(&|i| (at(x, i) - centre).cross(at(x, i) - at(&x_tilde, i))).length();
        assert!(torque(&before) > 0.1 && torque(&x) < 1e-12, "{:e}", torque(&x));
        for (i, j) in (0..6).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let apart = |x: &[[f64; 4]]| (at(x, i) - at(x, j)).length();
            assert!((apart(&x) - apart(&before)).abs() < 1e-12);
        }
        assert_eq!(x[6..], before[6..]);
    }
}
