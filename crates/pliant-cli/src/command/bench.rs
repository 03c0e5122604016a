//! `pliant bench`

use crate::Exit;
use crate::args::{Args, BenchArgs};
use crate::printed::print_json;
use crate::progress::{say, showing};
use crate::table::{Table, short};
use pliant::scene::Scene;
use pliant::step::bench::{LATE, StepTimes, SweepTimes, time_steps, time_sweeps};
use pliant_gpu::AllDevices;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A scene of the course with its time there, on a GTX 970, ms per step.
struct Case {
    name: &'static str,
    scene: String,
    iterations: usize,
    course_ms: f64,
}

fn cloth(side: usize, more: &str) -> String {
    format!(
        "pliant = 1\n[time]\nframe_rate = 30\n[[cloth]]\nshape = 'grid'\nresolution = {side}\n\
         triangulation = 'alternating'\nmaterial = 'cotton'\n{more}\n[[pin]]\ncorners = ['-x-z', '+x-z']\n"
    )
}

fn solid(mesh: &str) -> String {
    format!(
        "pliant = 1\n[time]\nframe_rate = 30\n[[solid]]\n{mesh}\nmaterial = 'rubber'\nmodel = 'arap'\n\
         [[pin]]\nnearest = [[0, 1e3, 0]]\n"
    )
}

/// The creature of the course if the data are there, else a box of as many tets.
fn creature() -> String {
    let found = std::env::var_os("PLIANT_DATA")
        .map(PathBuf::from)
        .into_iter()
        .flat_map(|folder| {
            ["tet/armadillo_55k.msh", "tet/armadillo_55k.vtk", "tet/armadillo_55k.node"].map(|f| folder.join(f))
        })
        .find(|path| path.exists());
    found.map_or("shape = 'box'\nsize = 1\ncells = 21".to_string(), |path| format!("mesh = '{}'", path.display()))
}

fn cases() -> [Case; 4] {
    let no_bending = "bend = 'none'";
    [
        Case { name: "tablecloth", scene: cloth(101, ""), iterations: 400, course_ms: 26.3 },
        Case { name: "dress", scene: cloth(127, ""), iterations: 192, course_ms: 27.0 },
        Case { name: "armadillo", scene: solid(&creature()), iterations: 64, course_ms: 20.8 },
        Case { name: "fishnet", scene: cloth(146, no_bending), iterations: 64, course_ms: 26.7 },
    ]
}

/// What sweeps are timed on; the larger ones only where `large` is asked for.
fn sweeps(large: bool) -> Vec<(&'static str, String)> {
    let mut all = vec![("cloth 10K", cloth(101, "")), ("cloth 100K", cloth(316, ""))];
    if large {
        all.push(("cloth 1M", cloth(1000, "")));
    }
    all.push(("armadillo 55K", solid(&creature())));
    all.push(("tets 55K", solid("shape = 'box'\nsize = 1\ncells = 21")));
    if large {
        all.push(("tets 1M", solid("shape = 'box'\nsize = 1\ncells = 58")));
    }
    all
}

pub(crate) fn bench(args: &Args, typed: &BenchArgs) -> anyhow::Result<Exit> {
    match typed.name.as_str() {
        "colouring" => super::bench_colouring::bench(args, typed),
        _ => bench_pd(args, typed),
    }
}

/// Nothing has the name after --only.
pub(crate) fn not_there(typed: &BenchArgs, names: &[&str]) -> anyhow::Error {
    let only = typed.only.as_deref().unwrap_or_default();
    anyhow::anyhow!("nothing to time is called '{only}'; there are: {}", names.join(", "))
}

fn bench_pd(args: &Args, typed: &BenchArgs) -> anyhow::Result<Exit> {
    let warm = Duration::from_secs_f64(typed.warm);
    let parse = |name: &str, text: &str| -> anyhow::Result<Scene> {
        let mut scene = Scene::parse(text, name, Path::new("."), &[])?;
        scene.device.name.clone_from(&typed.device);
        scene.solver.method = "pd-jacobi-chebyshev".to_string();
        scene.solver.budget_ms = typed.budget_ms;
        Ok(scene)
    };
    let wanted = |name: &str| typed.only.as_ref().is_none_or(|only| name.contains(only.as_str()));
    let names: Vec<&str> = cases().iter().map(|case| case.name).chain(sweeps(true).iter().map(|s| s.0)).collect();
    if !names.iter().any(|name| wanted(name)) {
        return Err(not_there(typed, &names));
    }
    let mut steps: Vec<(Case, StepTimes)> = Vec::new();
    for case in cases().into_iter().filter(|case| wanted(case.name)) {
        let mut scene = parse(case.name, &case.scene)?;
        scene.solver.iterations = typed.budget_ms.is_none().then_some(case.iterations);
        match typed.budget_ms {
            Some(budget) => say(&format!("{}: deadline of {} ms", case.name, short(budget))),
            None => say(&format!("{}: {} iterations", case.name, case.iterations)),
        }
        let times = showing("timing", || time_steps(&AllDevices, &scene, warm, typed.steps as usize))?;
        steps.push((case, times));
    }
    let mut sweep_times: Vec<(&str, SweepTimes)> = Vec::new();
    for (name, text) in sweeps(typed.large).into_iter().filter(|(name, _)| wanted(name)) {
        say(&format!("{name}: sweeps"));
        let scene = parse(name, &text)?;
        sweep_times.push((name, showing("timing", || time_sweeps(&AllDevices, &scene, warm))?));
    }
    say(&tables(&steps, &sweep_times));
    if args.json {
        let steps: Vec<_> = steps
            .iter()
            .map(|(case, times)| json!({ "scene": case.name, "course_ms": case.course_ms, "times": times }))
            .collect();
        let sweeps: Vec<_> = sweep_times.iter().map(|(name, times)| json!({ "mesh": name, "times": times })).collect();
        print_json(&json!({ "bench": "pd", "steps": steps, "sweeps": sweeps }))?;
    }
    Ok(Exit::Done)
}

fn tables(steps: &[(Case, StepTimes)], sweeps: &[(&str, SweepTimes)]) -> String {
    let mut text = String::new();
    if let Some((_, first)) = steps.first() {
        text += &format!("{}, {}, ms per step", first.device, first.method);
        text += &match first.budget {
            Some(budget) => deadline_table(budget, first.skipped, steps),
            None => course_table(steps),
        };
    }
    if !sweeps.is_empty() {
        text += "\nJacobi-Chebyshev iterations, us, beside streaming the bytes they move at least\n\n";
        let mut table = Table::new(&["mesh", "vertices", "elements", "bytes/vertex", "us", "floor", "us/floor"]);
        for (name, times) in sweeps {
            table.row([
                (*name).to_string(),
                times.vertices.to_string(),
                times.elements.to_string(),
                short(times.bytes as f64 / times.vertices.max(1) as f64),
                short(times.us),
                short(times.floor_us),
                short(times.us / times.floor_us),
            ]);
        }
        text += &table.text();
    }
    text
}

/// Steps of a fixed number of iterations, beside the course's.
fn course_table(steps: &[(Case, StepTimes)]) -> String {
    let mut table = Table::new(&[
        "scene",
        "vertices",
        "elements",
        "iterations",
        "mean",
        "p50",
        "p99",
        "max",
        "course",
        "times faster",
        "mean stretch, %",
    ]);
    for (case, times) in steps {
        let iterations = if times.fewest_iterations == times.most_iterations {
            times.most_iterations.to_string()
        } else {
            format!("{} to {}", times.fewest_iterations, times.most_iterations)
        };
        table.row([
            case.name.to_string(),
            times.vertices.to_string(),
            times.elements.to_string(),
            iterations,
            short(times.mean),
            short(times.p50),
            short(times.p99),
            short(times.max),
            short(case.course_ms),
            short(case.course_ms / times.p50),
            short(100.0 * times.mean_stretch),
        ]);
    }
    format!("\n\n{}", table.text())
}

/// Steps with a deadline.
fn deadline_table(budget: f64, skipped: usize, steps: &[(Case, StepTimes)]) -> String {
    let mut table = Table::new(&[
        "scene",
        "vertices",
        "elements",
        "mean iterations",
        "least",
        "mean",
        "p50",
        "p99",
        "max",
        "late, %",
    ]);
    for (case, times) in steps {
        table.row([
            case.name.to_string(),
            times.vertices.to_string(),
            times.elements.to_string(),
            short(times.mean_iterations),
            times.fewest_iterations.to_string(),
            short(times.mean),
            short(times.p50),
            short(times.p99),
            short(times.max),
            short(100.0 * times.late_share.unwrap_or(0.0)),
        ]);
    }
    let late = short(LATE * budget);
    format!(
        "; deadline {} ms, late after {late} ms, without the first {skipped} steps\n\n{}",
        short(budget),
        table.text()
    )
}
