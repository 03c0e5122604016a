//! What a certificate needs, measured in `f64` whatever the solver computes in.

use super::problem::CpuProblem;
use crate::device::Moment;
use crate::math::{Real, Vec3};
use crate::model::Potential;

impl<R: Real> CpuProblem<R> {
    pub(super) fn measure(&mut self, moment: Moment, x: &[[R; 4]]) {
        let (mut wide, mut gradient) =
            (std::mem::take(&mut self.scratch.x), std::mem::take(&mut self.scratch.gradient));
        wide.clear();
        wide.extend(x.iter().map(|p| p.map(Real::f64)));
        if moment == Moment::Still {
            let held = (0..wide.len()).filter(|i| self.system.held[*i]);
            held.for_each(|i| wide[i] = self.x_tilde[i].map(Real::f64));
        }
        let potential = self.current_potential();
        let energy = if moment == Moment::End { 0.0 } else { potential.value(&wide) };
        match moment {
            Moment::Still => {
                let motion = potential.inertia_value(&wide);
                (self.measures.still_energy, self.measures.motion_energy) = (energy, motion);
            }
            Moment::Start => self.measures.start_energy = energy,
            Moment::Solution => {
                potential.gradient(&wide, &mut gradient);
                let norm = gradient.iter().map(|g| Vec3::load(*g).length_sq()).sum::<f64>().sqrt();
                let (possible, rounding) = (possible_decrease(potential, &gradient), rounding::<R>(potential, &wide));
                let unbalanced = unbalanced(potential, &gradient);
                let measures = &mut self.measures;
                (measures.energy, measures.gradient_norm, measures.unbalanced) = (energy, norm, unbalanced);
                (measures.possible_decrease, measures.rounding_energy) = (possible, rounding);
            }
            Moment::End => {
                let (stretch, gap) = (potential.model().stretch(&wide), potential.min_gap(&wide));
                let inverted = potential.model().inverted(&wide);
                let measures = &mut self.measures;
                (measures.max_stretch, measures.mean_stretch) = stretch;
                (measures.min_gap, measures.inverted) = (gap, inverted);
            }
        }
        (self.scratch.x, self.scratch.gradient) = (wide, gradient);
    }
}

impl<R: Real> CpuProblem<R> {
    /// E(x), J; no part of a certificate.
    pub(super) fn objective(&mut self, x: &[[R; 4]]) -> f64 {
        let mut wide = std::mem::take(&mut self.scratch.x);
        wide.clear();
        wide.extend(x.iter().map(|p| p.map(Real::f64)));
        let energy = self.current_potential().value(&wide);
        self.scratch.x = wide;
        energy
    }
}

/// The gradient is zero where vertices are held.
fn unbalanced(potential: &Potential, gradient: &[[f64; 4]]) -> f64 {
    let down = Vec3::<f64>::of(potential.model().acceleration).unit_or(Vec3::ZERO);
    -gradient.iter().map(|g| Vec3::load(*g).dot(down)).sum::<f64>()
}

fn rounding<R: Real>(potential: &Potential, x: &[[f64; 4]]) -> f64 {
    let epsilon = R::EPSILON.f64();
    let system = potential.system();
    let own = |i: usize| (system.stiffness[i] + potential.contact_bound(i)) * Vec3::load(x[i]).length_sq();
    epsilon * epsilon * (0..x.len()).map(own).sum::<f64>()
}

fn possible_decrease(potential: &Potential, gradient: &[[f64; 4]]) -> f64 {
    let system = potential.system();
    let own = |i: usize| Vec3::load(gradient[i]).length_sq() / (system.stiffness[i] + potential.contact_bound(i));
    0.5 * (0..gradient.len()).map(own).sum::<f64>()
}
