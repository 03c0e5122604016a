//! Which results of a solve are taken for a step.

use crate::device::Measures;
use crate::math::Vec3;
use crate::model::Model;
use crate::solver::Method;

/// Energy that nobody would see in a step of `h` s, J: a billionth of ½ Σ m |a h|², the motion that gravity alone gives a body
/// in the step. Of a body of a millimetre that falls freely in `f64`, E is less than that and consists of rounding, more of it
/// than positions have by themselves, so that its ups and downs say nothing about the solver.
pub(super) fn negligible_energy(model: &Model, h: f64) -> f64 {
    let speed_sq = Vec3::<f64>::of(model.acceleration).length_sq() * h * h;
    1e-9 * 0.5 * model.mass.iter().sum::<f64>() * speed_sq
}

/// Refuses what is not finite, and what increased the energy that it was to decrease by more than a ten-thousandth of it, more
/// than rounding, and more than is `negligible`, J. Where the start is not known it is infinite.
pub(super) fn accept(method: &Method, measures: &Measures, negligible: f64) -> Result<(), String> {
    let Measures { energy, start_energy, rounding_energy, .. } = *measures;
    if !energy.is_finite() {
        return Err("the result is not finite".to_string());
    }
    let rise = energy - start_energy;
    if method.minimises && rise > 1e-4 * start_energy.abs() && rise > rounding_energy.max(negligible) {
        return Err(format!("the solver raised the energy from {start_energy:.6e} J to {energy:.6e} J"));
    }
    Ok(())
}

/// Refuses a solution that is worse than not moving by more than the energy of the motion: where E has many valleys,
/// acceleration may lead over a ridge into another one, from there back in the next step, and so on without end.
pub(super) fn accept_beside_staying(measures: &Measures, negligible: f64) -> Result<(), String> {
    let Measures { energy, still_energy, motion_energy, rounding_energy, .. } = *measures;
    if energy - still_energy > motion_energy + rounding_energy.max(negligible) {
        return Err(format!("the solver ended at {energy:.6e} J, where not moving has {still_energy:.6e} J"));
    }
    Ok(())
}

/// Edges of more than this many times their length, and twice as long as at the very start, are no motion that any method
/// means, however few its iterations: position-based sweeps that are too few for a cloth stretch it some 200 times.
const TORN: f64 = 1e4;

/// Refuses a step that pulls edges apart without end; `first` is the largest |length/rest − 1| that the run began with.
pub(super) fn accept_shape(measures: &Measures, first: f64) -> Result<(), String> {
    let stretch = measures.max_stretch;
    if stretch > TORN && stretch > 2.0 * first {
        return Err(format!("an edge would be {stretch:.1e} times as long as at rest"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ModelBuilder;
    use crate::solver::find_method;

    #[test]
    fn only_a_rise_that_nobody_would_see_is_let_pass() {
        let mut builder = ModelBuilder::new("points");
        builder.add_points("points", &[[0.0; 3]; 8], &[0.1; 8]);
        builder.model().acceleration = [0.0, -9.81, 0.0];
        let (model, h) = (builder.finish().0, 1.0 / 30.0);
        let negligible = negligible_energy(&model, h);
        // 0.8 kg that gravity makes 0.327 m/s fast.
        assert!((negligible / (1e-9 * 0.5 * 0.8 * (9.81 * h).powi(2)) - 1.0).abs() < 1e-12, "{negligible}");
        let method = find_method("pd-jacobi").unwrap();
        let risen = |energy: f64| Measures { energy, still_energy: 0.0, ..Measures::default() };
        assert!(accept(method, &risen(0.9 * negligible), negligible).is_ok());
        assert!(accept(method, &risen(1.1 * negligible), negligible).is_err());
        let unknown = |energy: f64| Measures { start_energy: f64::INFINITY, ..risen(energy) };
        assert!(accept(method, &unknown(1e9), negligible).is_ok() && accept(method, &unknown(f64::NAN), 1.0).is_err());
        assert!(accept_beside_staying(&risen(0.9 * negligible), negligible).is_ok());
        assert!(accept_beside_staying(&risen(1.1 * negligible), negligible).is_err());
    }

    #[test]
    fn edges_that_tear_are_refused_unless_they_came_so() {
        let stretched = |max_stretch: f64| Measures { max_stretch, ..Measures::default() };
        assert!(accept_shape(&stretched(300.0), 0.1).is_ok());
        assert!(accept_shape(&stretched(2e4), 0.1).is_err());
        assert!(accept_shape(&stretched(2e4), 1.5e4).is_ok());
    }
}
