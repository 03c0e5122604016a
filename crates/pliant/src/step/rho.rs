//! Chebyshev's ρ for a scene (course 2.2.1, where it is picked by hand): the largest one that is of use.
//!
//! Too small a ρ leaves the slow modes, those of turning and falling, where they are: cloth falls in slow motion and
//! stretches. Too large a one converges evenly, but more slowly. Of use is what the iterations can use, what the slowest
//! mode needs, and what gains no energy; `docs/results.md` has what other choices did.
//!
//! Deviation: ρ was to come from a pre-simulation, from the decay of ‖∇E‖ and by bisection on oscillation, kept in a cache with
//! the scene's hash. Trial solves were there first: the ρ of least error in E often was that of a step which hardly moved,
//! because E hardly notices turning and falling, and near contacts trials chose 0.9 or none. A rule needs no trials and no cache,
//! and was as near to Newton's motion or nearer on every scene tried. What it cannot know, that a scene bears less, shows in
//! restarts, after which the stepper goes on with a smaller ρ (`docs/decisions.md`).

use crate::model::Model;
use crate::solver::{Method, Needs, largest_stiffness_ratio, largest_useful_rho};

/// Compressed springs have negative curvature, and what Chebyshev does to such modes is amplify them, the more the nearer
/// ρ is to 1. Every step still lowers its E, but motion gains energy: a tablecloth that starts level swings above its
/// pins with ρ = 0.9999, whatever the number of iterations, and follows Newton's with 0.999.
const LARGEST: f64 = 0.999;
/// Solids by descent are solved with the ρ that so many times fewer iterations can use: it leaves a fiftieth of each mode in
/// place of a sixth, because steps that begin near their solution must end nearer to it.
const SMOOTHER: f64 = 2.0;

/// ρ for solves of so many iterations and steps of `h` seconds.
///
/// With κ the largest ratio of a vertex's stiffness to its inertia, no eigenvalue of D⁻¹A is below 1/(1 + κ), so no mode
/// needs ρ above 1 − γ/(1 + κ); γ is at least about a half.
pub(super) fn find_rho(method: &Method, model: &Model, iterations: usize, h: f64) -> f64 {
    let needed = 1.0 - 0.5 / (1.0 + largest_stiffness_ratio(model, h));
    let begins_near = method.needs == Needs::Energy && model.is_of_solids();
    let used = iterations as f64 / if begins_near { SMOOTHER } else { 1.0 };
    largest_useful_rho(used).min(needed).min(largest_rho(method, model))
}

/// ρ beyond which motion gains energy. Descent knows the curvature of what is compressed, and solids have no springs.
pub(super) fn largest_rho(method: &Method, model: &Model) -> f64 {
    if method.needs == Needs::Energy && model.is_of_solids() { 1.0 } else { LARGEST }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use crate::solver::find_method;

    fn rho(stiffness: f64, iterations: usize) -> f64 {
        let text = format!("pliant = 1\n[[cloth]]\nresolution = 9\nstretch_stiffness = {stiffness}\nbend = 'none'\n");
        let scene = Scene::parse(&text, "cloth", ".".as_ref(), &[]).unwrap();
        let method = find_method("pd-jacobi-chebyshev").unwrap();
        find_rho(method, &Model::new(&scene).unwrap().0, iterations, 1.0 / 60.0)
    }

    #[test]
    fn rho_is_what_the_iterations_can_use_and_the_stiffness_needs() {
        assert_eq!(rho(1e6, 1000), LARGEST);
        assert_eq!(rho(1e6, 20), largest_useful_rho(20.0));
        // κ of springs of 1 N/m at vertices of about 2 g, six at most, diagonals among them: below 2.
        assert!((0.5..0.85).contains(&rho(1.0, 1000)), "{}", rho(1.0, 1000));
        assert!(rho(1.0, 1000) < rho(10.0, 1000));
    }
}
