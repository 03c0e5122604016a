//! What a person should know before believing the result of a run.

use super::report::RunReport;
use crate::counted::counted;
use crate::math::Vec3;
use crate::model::{Body, Model};
use crate::scene::Scene;

/// Forces left over that are this many times the weight of everything are no rounding.
const DOUBTFUL_FORCE: f64 = 20.0;

/// Edges of more than twice their length are doubted. A stretch is |length/rest − 1|, so up to 1 it may be a compression,
/// which crumpled and squeezed bodies have by right; beyond it is a pull, which no woven fabric bears and rubber only where
/// somebody means it. Shipped scenes end at 0.6 or less on the CPU.
const DOUBTFUL_STRETCH: f64 = 1.0;

/// Fewer iterations a step than this leave nothing to be had from a longer deadline but its own.
const HOPELESS: f64 = 1.5;

/// All doubts about a run whose last state is at `time`, s.
pub(super) fn doubts(scene: &Scene, model: &Model, report: &RunReport, time: f64) -> Vec<String> {
    let doubts = [
        hopeless_budget(scene, report),
        unsolved(scene, model, report),
        overstretched(scene, model, report, time),
        tried_again(report),
    ];
    doubts.into_iter().flatten().collect()
}

/// What to change for a better answer.
fn advice(scene: &Scene) -> &'static str {
    match scene.solver.budget_ms {
        Some(_) => "try a larger budget_ms, a smaller mesh, another method, or compare with method 'newton'",
        None => "try more steps_per_frame, more iterations, or compare with method 'newton'",
    }
}

fn hopeless_budget(scene: &Scene, report: &RunReport) -> Option<String> {
    let budget = scene.solver.budget_ms.filter(|_| 2 * report.over_budget > report.steps)?;
    let fits = report.iterations as f64 >= HOPELESS * report.steps as f64;
    let cheap = "pd-jacobi-chebyshev";
    let method = if report.method == cheap { String::new() } else { format!(" (the cheapest are those of '{cheap}')") };
    (!fits).then(|| {
        format!(
            "budget_ms is {budget}, less than one iteration takes: every step makes one all the same, and half of them took \
             {:.3} ms or more. Raise the budget, take a smaller mesh, or a method with cheaper iterations{method}",
            report.ms_per_step.p50
        )
    })
}

fn unsolved(scene: &Scene, model: &Model, report: &RunReport) -> Option<String> {
    let weight = model.mass.iter().sum::<f64>() * Vec3::<f64>::of(model.acceleration).length();
    let force = report.gradient_norm;
    (weight > 0.0 && force > DOUBTFUL_FORCE * weight).then(|| {
        format!(
            "the last step is far from solved: forces of {force:.3} N are left, against a weight of {weight:.3} N; the \
             motion may be wrong: {}",
            advice(scene)
        )
    })
}

fn overstretched(scene: &Scene, model: &Model, report: &RunReport, time: f64) -> Option<String> {
    // Twice what is meant, because no pull spreads evenly.
    let bound = DOUBTFUL_STRETCH.max(2.0 * intended_stretch(scene, model, time));
    (report.max_stretch > bound).then(|| {
        format!(
            "an edge is stretched by {:.0} %, and nothing in the scene asks for more than {:.0} %: the material is too soft \
             for its load, or the motion is wrong: {}",
            100.0 * report.max_stretch,
            100.0 * bound,
            advice(scene)
        )
    })
}

/// The largest stretch that a scene asks for: what its strain limits allow, and how far its pins pull a body apart.
fn intended_stretch(scene: &Scene, model: &Model, time: f64) -> f64 {
    let limits = scene.cloth.iter().map(|cloth| cloth.strain_limit).chain(scene.solid.iter().map(|s| s.strain_limit));
    let allowed = limits.flatten().map(|[_, high]| high - 1.0);
    let pulled = model.bodies.iter().map(|body| pulled_apart(model, body, time));
    allowed.chain(pulled).fold(0.0, f64::max)
}

/// How much farther from each other the held vertices of a body are at `time`, s, than at rest; 0: not at all.
fn pulled_apart(model: &Model, body: &Body, time: f64) -> f64 {
    let holding =
        || model.pins.iter().filter(|pin| body.vertices.contains(&(pin.vertex as usize)) && pin.holds_at(time));
    let spread = |points: Vec<Vec3<f64>>| {
        let centre = points.iter().fold(Vec3::ZERO, |sum, p| sum + *p) * (1.0 / points.len().max(1) as f64);
        points.iter().map(|p| (*p - centre).length()).fold(0.0, f64::max)
    };
    let now = spread(holding().map(|pin| Vec3::of(pin.target(time))).collect());
    let rest = spread(holding().map(|pin| Vec3::of(model.rest_x[pin.vertex as usize])).collect());
    if rest > 0.0 { (now / rest - 1.0).max(0.0) } else { 0.0 }
}

fn tried_again(report: &RunReport) -> Option<String> {
    let tries = counted(report.retries, "try of a step", "tries of steps");
    (report.retries > 0).then(|| format!("{tries} failed and had to be made again more carefully"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::CpuOnly;
    use crate::output::{RunOptions, run};

    fn warnings(text: &str) -> Vec<String> {
        let scene = Scene::parse(text, "scene", ".".as_ref(), &[]).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let options = RunOptions { out: folder.path().to_path_buf(), ..RunOptions::default() };
        run(&CpuOnly, &scene, &options, &mut ()).unwrap().warnings
    }

    /// A strip that hangs from one side, as stiff and with as much of a limit as is said.
    fn strip(stiffness: &str, more: &str) -> String {
        format!(
            "pliant = 1\n[time]\nframes = 30\n[[cloth]]\nresolution = [3, 9]\nsize = [0.2, 1]\nrotation = [90, 0, 0]\n\
             stretch_stiffness = {stiffness}\n{more}\n[[pin]]\ncorners = ['-x-z', '+x-z']\n[solver]\nmethod = 'newton'\n"
        )
    }

    #[test]
    fn edges_of_more_than_twice_their_length_are_doubted_unless_the_scene_asks_for_them() {
        let soft = warnings(&strip("0.5", ""));
        assert!(soft.len() == 1 && soft[0].contains("an edge is stretched by "), "{soft:?}");
        assert!(soft[0].contains("too soft") && soft[0].contains("steps_per_frame"), "{soft:?}");
        assert_eq!(warnings(&strip("5000", "")), [""; 0]);
        assert_eq!(warnings(&strip("0.5", "strain_limit = [0.1, 9]")), [""; 0]);
    }

    #[test]
    fn pins_that_pull_a_body_apart_ask_for_stretch_and_pins_that_turn_it_do_not() {
        let pulled = |motion: &str| {
            let text = format!(
                "pliant = 1\ngravity = [0, 0, 0]\n[[cloth]]\nresolution = 3\n[[pin]]\ncorners = ['-x-z', '-x+z']\n\
                 [[pin]]\ncorners = ['+x-z', '+x+z']\n{motion}\n"
            );
            let scene = Scene::parse(&text, "scene", ".".as_ref(), &[]).unwrap();
            intended_stretch(&scene, &Model::new(&scene).unwrap().0, 1.0)
        };
        assert_eq!(pulled(""), 0.0);
        assert!(pulled("angular_velocity = ['30 deg/s', 0, 0]") < 1e-9);
        let twice = pulled("velocity = [1, 0, 0]");
        assert!((0.5..=1.0).contains(&twice), "{twice}");
    }

    #[test]
    fn a_budget_below_one_iteration_says_what_to_do_about_it() {
        let hopeless = "pliant = 1\n[time]\nframes = 5\n[[cloth]]\nresolution = 20\n[solver]\nbudget_ms = 0.0001\n";
        let said = warnings(hopeless);
        assert!(said[0].contains("less than one iteration"), "{said:?}");
        for word in ["budget_ms is 0.0001", "Raise the budget", "smaller mesh", "cheaper", "pd-jacobi-chebyshev"] {
            assert!(said[0].contains(word), "{word} in {said:?}");
        }
        assert!(said.iter().all(|warning| !warning.contains("more iterations")), "{said:?}");
        assert!(!warnings(&hopeless.replace("0.0001", "500")).iter().any(|warning| warning.contains("budget")));
    }
}
