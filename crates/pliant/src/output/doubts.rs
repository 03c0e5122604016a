//! What a person should know before believing the result of a run.

use super::report::{RunReport, Status};
use crate::counted::{counted, short};
use crate::math::Vec3;
use crate::model::{Body, Model};
use crate::scene::Scene;

/// Forces left over that are this many times the weight of everything are no rounding.
const DOUBTFUL_FORCE: f64 = 20.0;

/// Part of the weight that a mean step may leave unbalanced. Shipped scenes leave up to 0.03, Newton up to 0.01 on stiff paper;
/// with 0.3 such paper falls visibly too slowly.
const DOUBTFUL_BALANCE: f64 = 0.1;

/// Edges of more than twice their length are doubted. A stretch is |length/rest − 1|, so up to 1 it may be a compression,
/// which crumpled and squeezed bodies have by right; beyond it is a pull, which no woven fabric bears and rubber only where
/// somebody means it. Shipped scenes end at about 0.6 or less on the CPU.
const DOUBTFUL_STRETCH: f64 = 1.0;

/// Fewer iterations a step than this mean that most steps make a single one.
const HOPELESS: f64 = 1.5;

/// A step that takes less than this part of its deadline, without its certificate, ended because it was solved.
const BUSY: f64 = 0.2;

/// All doubts about a run whose last state is at `time`, s.
pub(super) fn doubts(scene: &Scene, model: &Model, report: &RunReport, time: f64) -> Vec<String> {
    let doubts = [
        hopeless_budget(scene, report),
        unsolved(scene, model, report).or_else(|| unbalanced(scene, report)),
        overstretched(scene, model, report, time),
        inside_out(scene, report),
        intersecting(scene, model, report),
        tried_again(report),
    ];
    doubts.into_iter().flatten().collect()
}

/// What to change for a better answer.
fn advice(scene: &Scene, report: &RunReport) -> String {
    match scene.solver.budget_ms {
        Some(_) => cheaper_steps(report).to_string(),
        None if report.method.starts_with("newton") => "try more steps_per_frame or more iterations".to_string(),
        None => "try more steps_per_frame, more iterations, or compare with method 'newton'".to_string(),
    }
}

/// A deadline that leaves a step one iteration, with time to spare for none. Steps that end sooner have nothing left to do.
fn hopeless_budget(scene: &Scene, report: &RunReport) -> Option<String> {
    let budget = scene.solver.budget_ms?;
    let single = scene.solver.iterations != Some(1) && (report.iterations as f64) < HOPELESS * report.steps as f64;
    let busy = report.ms_per_step.p50 > BUSY * budget || 2 * report.over_budget > report.steps;
    let late = match report.over_budget {
        0 => String::new(),
        late => format!(", and {} of {} end late even so", late, counted(report.steps, "step", "steps")),
    };
    (single && busy).then(|| {
        format!(
            "budget_ms is {budget}, which leaves a step no time for a second iteration{late}: to begin a step and to measure \
             its result takes time, too, and 'ms per step' is without the latter. One iteration solves next to nothing: {}",
            cheaper_steps(report)
        )
    })
}

/// What makes more iterations fit into a deadline.
fn cheaper_steps(report: &RunReport) -> &'static str {
    match report.device.as_str() {
        "cpu" => "try a larger budget_ms, a coarser mesh or a GPU",
        _ => "try a larger budget_ms or a coarser mesh",
    }
}

/// What to doubt about a step that leaves so much gradient, N, and stretches an edge so much.
pub fn doubt_of_step(model: &Model, gradient_norm: f64, max_stretch: f64) -> Option<String> {
    let weight = weight(model);
    if weight > 0.0 && gradient_norm > DOUBTFUL_FORCE * weight {
        let [left, weight] = [gradient_norm, weight].map(short);
        return Some(format!("far from solved: {left} N are left, the weight is {weight} N"));
    }
    (max_stretch > DOUBTFUL_STRETCH).then(|| format!("an edge is stretched by {} %", short(100.0 * max_stretch)))
}

fn unsolved(scene: &Scene, model: &Model, report: &RunReport) -> Option<String> {
    let weight = weight(model);
    let force = report.gradient_norm;
    (weight > 0.0 && force > DOUBTFUL_FORCE * weight).then(|| {
        format!(
            "the last step is far from solved: forces of {} N are left, against a weight of {} N; the motion may be \
             wrong: {}",
            short(force),
            short(weight),
            advice(scene, report)
        )
    })
}

/// Of everything, N.
pub(super) fn weight(model: &Model) -> f64 {
    model.mass.iter().sum::<f64>() * Vec3::<f64>::of(model.acceleration).length()
}

fn unbalanced(scene: &Scene, report: &RunReport) -> Option<String> {
    let left = report.unbalanced.filter(|left| *left > DOUBTFUL_BALANCE)?;
    let advice = advice(scene, report);
    Some(format!(
        "a step leaves {} % of the weight unbalanced in the mean: bodies may fall and swing too slowly: {advice}",
        short(100.0 * left)
    ))
}

fn overstretched(scene: &Scene, model: &Model, report: &RunReport, time: f64) -> Option<String> {
    // Twice what is meant, because no pull spreads evenly.
    let bound = DOUBTFUL_STRETCH.max(2.0 * intended_stretch(scene, model, time));
    (report.max_stretch > bound).then(|| {
        format!(
            "an edge is stretched by {} %, and nothing in the scene asks for more than {} %: the material is too soft \
             for its load, or the motion is wrong: {}",
            short(100.0 * report.max_stretch),
            short(100.0 * bound),
            advice(scene, report)
        )
    })
}

/// Gelatine and rubber bear any stretch below [`DOUBTFUL_STRETCH`], but nothing turns inside out.
fn inside_out(scene: &Scene, report: &RunReport) -> Option<String> {
    (report.inverted > 0).then(|| {
        format!(
            "{} inside out at the end, which no solid bears: the material is too soft for its load, or the motion is wrong: {}",
            counted(report.inverted, "tetrahedron is", "tetrahedra are"),
            advice(scene, report)
        )
    })
}

/// Bodies that should stop each other did not. Without `self_collision` nobody promised it, but who has several bodies may think so.
fn intersecting(scene: &Scene, model: &Model, report: &RunReport) -> Option<String> {
    if !scene.contact.self_collision {
        return (model.bodies.len() > 1 && report.intersections > 0).then(|| {
            let crossing = counted(report.intersections, "pair of triangles crosses", "pairs of triangles cross");
            format!(
                "{crossing} each other at the end: bodies do not feel each other unless contact.self_collision is true"
            )
        });
    }
    (scene.contact.self_collision && report.intersections > 0).then(|| {
        let least = if report.intersections_capped { "at least " } else { "" };
        format!(
            "{least}{} each other at the end, though self_collision is on: contact is found once a step, and what goes far in a \
             step may pass: raise time.steps_per_frame ({}) or the thickness",
            counted(report.intersections, "pair of triangles crosses", "pairs of triangles cross"),
            scene.time.steps_per_frame
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
    let then = match report.status {
        Status::Failed => ", the last one for good",
        _ => " and had to be made again more carefully",
    };
    (report.retries > 0).then(|| format!("{tries} failed{then}"))
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

    /// Regression: paper fell in slow motion, and its run had no trouble.
    #[test]
    fn motion_that_is_too_slow_is_told_from_what_rounding_leaves_of_stiff_materials() {
        let sheet = |material: &str, method: &str| {
            warnings(&format!(
                "pliant = 1\n[time]\nframes = 20\n[[cloth]]\nresolution = 31\nmaterial = '{material}'\n[[pin]]\n\
                 corners = ['-x-z', '+x-z']\n[solver]\nmethod = '{method}'\n"
            ))
        };
        let slow = sheet("paper", "pd-multigrid-chebyshev");
        assert!(slow.len() == 1 && slow[0].contains("of the weight unbalanced"), "{slow:?}");
        assert_eq!(sheet("paper", "newton"), [""; 0]);
        assert_eq!(sheet("cotton", "pd-multigrid-chebyshev"), [""; 0]);
    }

    /// Regression: cloth that lies, and is rounded to a hair above its thickness, was taken for cloth that hangs in the air.
    #[test]
    fn light_cloth_that_lies_on_a_floor_does_not_fall_too_slowly() {
        let small = "pliant = 1\n[time]\nframes = 20\nsteps_per_frame = 2\n[[cloth]]\nsize = '20 mm'\nresolution = 15\n\
                     position = [0, '50 mm', 0]\nthickness = '1 mm'\n[[collider]]\nshape = 'half-space'\n";
        assert_eq!(warnings(small), [""; 0]);
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
    fn a_budget_for_a_single_iteration_says_so_and_what_to_do_about_it() {
        let hopeless = "pliant = 1\n[time]\nframes = 5\n[[cloth]]\nresolution = 20\n[solver]\nbudget_ms = 0.0001\n";
        let said = warnings(hopeless);
        for word in
            ["budget_ms is 0.0001", "no time for a second iteration", "5 of 5 steps end late", "larger budget_ms"]
        {
            assert!(said[0].contains(word), "{word} in {said:?}");
        }
        // Cheaper iterations are no way out: they solve less, and are not what takes the time.
        let wrong = |warning: &String| warning.contains("jacobi") || warning.contains("more iterations");
        assert!(!said.iter().any(wrong), "{said:?}");
        assert!(said[0].contains("coarser mesh or a GPU"), "{said:?}");
        assert!(!warnings(&hopeless.replace("0.0001", "500")).iter().any(|warning| warning.contains("budget")));
    }

    /// What the times of a report say, without a clock.
    #[test]
    fn steps_that_are_solved_in_one_iteration_have_no_hopeless_budget() {
        let scene = Scene::parse(
            "pliant = 1\n[[cloth]]\nresolution = 3\n[solver]\nbudget_ms = 5\n",
            "scene",
            ".".as_ref(),
            &[],
        )
        .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let options = RunOptions { out: folder.path().to_path_buf(), ..RunOptions::default() };
        let mut report = run(&CpuOnly, &scene, &options, &mut ()).unwrap();
        let said = |report: &RunReport| hopeless_budget(&scene, report);
        (report.iterations, report.over_budget, report.ms_per_step.p50) = (report.steps, 0, 0.3);
        assert_eq!(said(&report), None);
        // Half the budget for the only iteration, the rest for the certificate.
        report.ms_per_step.p50 = 2.4;
        assert!(said(&report).is_some_and(|said| !said.contains("late") && said.contains("'ms per step'")));
        (report.over_budget, report.device) = (report.steps - 1, "Some GPU".to_string());
        assert!(said(&report).is_some_and(|said| said.contains("119 of 120 steps") && !said.contains("or a GPU")));
        let mut asked_for_one = scene.clone();
        asked_for_one.solver.iterations = Some(1);
        assert_eq!(hopeless_budget(&asked_for_one, &report), None);
        report.iterations = 2 * report.steps;
        assert_eq!(said(&report), None);
    }

    #[test]
    fn tets_that_end_inside_out_are_told_and_a_squeezed_gelatine_is_not() {
        let scene =
            Scene::parse("pliant = 1\n[time]\nframes = 1\n[[solid]]\nshape = 'box'\n", "scene", ".".as_ref(), &[])
                .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let options = RunOptions { out: folder.path().to_path_buf(), ..RunOptions::default() };
        let mut report = run(&CpuOnly, &scene, &options, &mut ()).unwrap();
        let model = Model::new(&scene).unwrap().0;
        let said = |report: &RunReport| doubts(&scene, &model, report, 0.0);
        report.max_stretch = 0.56;
        assert_eq!(said(&report), [""; 0]);
        report.inverted = 3;
        assert!(said(&report)[0].contains("3 tetrahedra are inside out at the end"), "{:?}", said(&report));
    }

    /// Regression: "forces of 0.000 N are left, against a weight of 0.000 N".
    #[test]
    fn forces_on_specks_have_digits() {
        let text = "pliant = 1\n[time]\nframes = 1\n[[cloth]]\nsize = '1 mm'\nresolution = 3\ndensity = 0.2\n";
        let scene = Scene::parse(text, "scene", ".".as_ref(), &[]).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let options = RunOptions { out: folder.path().to_path_buf(), ..RunOptions::default() };
        let mut report = run(&CpuOnly, &scene, &options, &mut ()).unwrap();
        report.gradient_norm = 1e-4;
        let said = unsolved(&scene, &Model::new(&scene).unwrap().0, &report).unwrap();
        assert!(said.contains("forces of 1.00e-4 N are left, against a weight of 1.96e-6 N"), "{said}");
    }
}
