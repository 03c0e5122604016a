//! `pliant compare`

use crate::args::{Args, CompareArgs};
use crate::failure::print_plain;
use crate::printed::print_json;
use crate::progress::{Progress, say};
use crate::table::{Table, short};
use crate::{Exit, interrupt};
use anyhow::Context;
use pliant::counted::counted;
use pliant::model::{Model, State, Use, check_memory};
use pliant::output::write_comparison;
use pliant::scene::{Scene, SolverSettings};
use pliant::solver::{METHODS, Method, choose_method, find_method, find_method_for};
use pliant::step::{Comparison, Curve, Question, Simulation, SimulationError, rho_for};
use pliant_gpu::AllDevices;

pub(crate) fn compare(args: &Args, typed: &CompareArgs) -> anyhow::Result<Exit> {
    let scene = super::scene(&typed.scene)?;
    if typed.frame > scene.time.frames as u64 {
        let frames = scene.time.frames;
        say(&format!(
            "the scene has only {}; simulating on to frame {}",
            counted(frames, "frame", "frames"),
            typed.frame
        ));
    }
    let mut progress =
        Progress::new(args.verbose, interrupt::watch(args.json, || "nothing of the comparison is saved".to_string()));
    progress.begin("preparing", 0, "");
    check_memory(&scene, Use::Run).map_err(SimulationError::from)?;
    let mut simulation = Simulation::on(&AllDevices, &scene)?;
    let model = simulation.model().clone();
    let methods = chosen(typed, &scene, &model, simulation.has_direct_solver())?;
    let Some(state) = simulate(&mut simulation, &scene, typed.frame, &mut progress)? else {
        let message = "interrupted before the comparison began";
        say(message);
        if args.json {
            print_plain("interrupted", message, Exit::Interrupted);
        }
        return Ok(Exit::Interrupted);
    };

    let questions = questions(typed, &scene, &model, methods, &mut progress);
    progress.begin("comparing", questions.len() as u64 + 1, "solves");
    let sides = simulation.sides()?;
    // Drags may have pinched something meanwhile.
    let question = Question { scene: &scene, model: simulation.model(), state: &state, sides: &sides };
    let mut done = 0;
    let comparison = pliant::step::compare(&AllDevices, &question, &questions, |_| {
        progress.set(done);
        done += 1;
    })?;
    progress.clear();
    tell(typed, &comparison)?;
    if args.json {
        print_json(&comparison)?;
    }
    Ok(Exit::Done)
}

/// Each method with its ρ and its iterations: those of the command line, of the scene, or its own.
fn questions(
    typed: &CompareArgs,
    scene: &Scene,
    model: &Model,
    methods: Vec<&'static Method>,
    progress: &mut Progress,
) -> Vec<(&'static str, Option<f64>, usize)> {
    progress.begin("finding rho", methods.len() as u64, "methods");
    let iterations = typed.iterations.map(|n| n as usize).or(scene.solver.iterations);
    let mut questions = Vec::new();
    for (done, method) in methods.into_iter().enumerate() {
        let solver = SolverSettings { method: method.name.to_string(), iterations, ..scene.solver.clone() };
        let rho = rho_for(&Scene { solver, ..scene.clone() }, model, method);
        questions.push((method.name, rho, iterations.unwrap_or(method.iterations)));
        progress.set(done as u64 + 1);
    }
    questions
}

/// Writes the files and says what was found.
fn tell(typed: &CompareArgs, comparison: &Comparison) -> anyhow::Result<()> {
    let (scene, step) = (&comparison.scene, comparison.step);
    if comparison.nothing_to_solve {
        say(&format!(
            "{scene}, step {step}: there is nothing to solve, because the step begins at its solution, as in free flight: \
             methods have no errors to compare; choose a later step with --frame"
        ));
        return Ok(());
    }
    let out = typed.out.clone().unwrap_or_else(|| super::default_folder(&format!("{scene}-compare")));
    let files = write_comparison(&out, comparison)
        .with_context(|| format!("{}: the comparison cannot be written; choose another --out", out.display()))?;
    say(&format!("{scene}, step {step}: error of each method\n\n{}", table(comparison)));
    for file in files {
        say(&format!("  {}", file.display()));
    }
    Ok(())
}

/// What is compared if nobody says what: a method of each kind.
const DEFAULT: [&str; 6] =
    ["pd-jacobi", "pd-jacobi-chebyshev", "pd-gauss-seidel-chebyshev", "pd-pcg", "pd-direct", "pd-multigrid-chebyshev"];
/// The same where elements have no projections.
const DEFAULT_OF_ANY: [&str; 5] =
    ["gradient-descent-jacobi", "nesterov-jacobi", "descent", "nonlinear-cg-jacobi", "lbfgs-jacobi"];

fn chosen(typed: &CompareArgs, scene: &Scene, model: &Model, direct: bool) -> anyhow::Result<Vec<&'static Method>> {
    let all = typed.methods == ["all"];
    if all || typed.methods.is_empty() {
        let wanted: Vec<&Method> = if all {
            METHODS.iter().collect()
        } else {
            let any = model.elements.iter().any(|elements| !elements.is_projective());
            let names: &[&str] = if any { &DEFAULT_OF_ANY } else { &DEFAULT };
            names.iter().filter_map(|name| find_method(name).ok()).collect()
        };
        let (mut fitting, others): (Vec<_>, Vec<_>) =
            wanted.into_iter().partition(|m| m.check(model).is_ok() && (direct || !m.needs_cpu()));
        if fitting.is_empty() {
            fitting.push(choose_method(scene, model, direct));
        }
        if !others.is_empty() {
            let names = |methods: &[&Method]| methods.iter().map(|method| method.name).collect::<Vec<_>>().join(", ");
            say(&format!(
                "comparing {}; left out, because they cannot solve this scene's elements or not on this device: {}",
                names(&fitting),
                names(&others)
            ));
        }
        return Ok(fitting);
    }
    let mut methods = Vec::new();
    for name in &typed.methods {
        let method = find_method_for(name.trim(), scene, model, direct)?;
        method.check(model)?;
        methods.push(method);
    }
    Ok(methods)
}

/// The state after `frame` frames, or nothing if that was interrupted.
fn simulate(
    simulation: &mut Simulation,
    scene: &Scene,
    frame: u64,
    progress: &mut Progress,
) -> anyhow::Result<Option<State>> {
    let steps = frame * scene.time.steps_per_frame as u64;
    progress.begin("simulating", steps.max(1), "steps");
    for step in 0..steps {
        if progress.stopped() {
            return Ok(None);
        }
        simulation.step()?;
        progress.set(step + 1);
    }
    Ok(Some(simulation.state()?))
}

/// The iterations at which the table shows errors.
const SHOWN: [usize; 4] = [1, 10, 30, 100];

fn table(comparison: &Comparison) -> String {
    let mut header = vec!["method".to_string(), "rho".to_string()];
    header.extend(SHOWN.iter().map(|k| format!("after {k}")));
    header.extend(["last", "iterations", "ms", "ms to 1e-2", "ms to 1e-3"].map(str::to_string));
    let mut table = Table::new(&header.iter().map(String::as_str).collect::<Vec<_>>());
    for curve in &comparison.methods {
        let after = |k: usize| curve.curve.get(k).map_or("-".to_string(), |p| short(p.relative_error));
        let last = curve.curve.last();
        let mut cells = vec![curve.name.clone(), curve.rho.map_or("-".to_string(), |rho| format!("{rho:.5}"))];
        cells.extend(SHOWN.iter().map(|k| after(*k)));
        cells.push(last.map_or("-".to_string(), |p| short(p.relative_error)));
        cells.push(last.map_or("-".to_string(), |p| p.iteration.to_string()));
        cells.push(last.map_or("-".to_string(), |p| short(p.ms)));
        cells.extend([1e-2, 1e-3].map(|error| time_to(curve, error)));
        table.row(cells);
    }
    let mut text = table.text();
    for curve in &comparison.methods {
        if let Some(why) = &curve.failed {
            text.push_str(&format!("{} failed: {why}\n", curve.name));
        }
    }
    text
}

/// When the error fell below `error`, ms.
fn time_to(curve: &Curve, error: f64) -> String {
    curve.curve.iter().find(|p| p.relative_error <= error).map_or("-".to_string(), |p| short(p.ms))
}
