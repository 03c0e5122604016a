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

const BOX: &str = "shape = 'box'\nsize = 1\ncells = 21";

/// The mesh of the course's creature, if the data are where `PLIANT_DATA` says, or in `../shared/data`.
pub(super) fn creature() -> Option<String> {
    let folder = std::env::var_os("PLIANT_DATA").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    let files = ["tet/armadillo_55k.msh", "tet/armadillo_55k.vtk"].map(|file| folder.join(file));
    files.into_iter().find(|path| path.exists()).map(|path| mesh_key(&path))
}

/// A string of JSON is one of TOML.
fn mesh_key(path: &Path) -> String {
    format!("mesh = {}", json!(path.to_string_lossy()))
}

fn cases() -> [Case; 4] {
    let no_bending = "bend = 'none'";
    let (name, body) = match creature() {
        Some(mesh) => ("armadillo", mesh),
        None => ("box (no armadillo: set PLIANT_DATA)", BOX.to_string()),
    };
    [
        Case { name: "tablecloth", scene: cloth(101, ""), iterations: 400, course_ms: 26.3 },
        Case { name: "dress", scene: cloth(127, ""), iterations: 192, course_ms: 27.0 },
        Case { name, scene: solid(&body), iterations: 64, course_ms: 20.8 },
        Case { name: "fishnet", scene: cloth(146, no_bending), iterations: 64, course_ms: 26.7 },
    ]
}

/// What sweeps are timed on.
fn sweeps() -> Vec<(&'static str, String)> {
    let mut all = vec![("cloth 10K", cloth(101, "")), ("cloth 100K", cloth(316, "")), ("cloth 1M", cloth(1000, ""))];
    all.extend(creature().map(|mesh| ("armadillo 55K", solid(&mesh))));
    all.push(("tets 55K", solid(BOX)));
    all.push(("tets 1M", solid("shape = 'box'\nsize = 1\ncells = 58")));
    all
}

pub(crate) fn bench(args: &Args, typed: &BenchArgs) -> anyhow::Result<Exit> {
    match typed.name.as_str() {
        "colouring" => super::bench_colouring::bench(args, typed),
        "descent" => super::bench_descent::bench(args, typed),
        _ => bench_pd(args, typed),
    }
}

/// Which of these to time: those that --only says, large ones with --large or by their whole name. None is a mistake.
pub(crate) fn chosen(typed: &BenchArgs, names: &[&'static str]) -> anyhow::Result<Vec<&'static str>> {
    let only = typed.only.as_deref().unwrap_or_default();
    let named: Vec<&str> = names.iter().copied().filter(|name| name.contains(only)).collect();
    anyhow::ensure!(!named.is_empty(), "nothing to time is called '{only}'; there are: {}", names.join(", "));
    let is_small = |name: &str| !name.ends_with("1M") || typed.large || name == only;
    let chosen: Vec<&str> = named.iter().copied().filter(|name| is_small(name)).collect();
    anyhow::ensure!(
        !chosen.is_empty(),
        "{}: timed only with --large, or with --only and the whole name",
        named.join(", ")
    );
    Ok(chosen)
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
    let (cases, sweeps) = (cases(), sweeps());
    let names: Vec<&str> = cases.iter().map(|case| case.name).chain(sweeps.iter().map(|sweep| sweep.0)).collect();
    let chosen = chosen(typed, &names)?;
    let wanted = |name: &str| chosen.contains(&name);
    let mut steps: Vec<(Case, StepTimes)> = Vec::new();
    for case in cases.into_iter().filter(|case| wanted(case.name)) {
        let mut scene = parse(case.name, &case.scene)?;
        scene.solver.iterations = typed.budget_ms.is_none().then_some(case.iterations);
        match typed.budget_ms {
            Some(budget) => say(&format!("{}: deadline of {} ms", case.name, short(budget))),
            None => say(&format!("{}: {} iterations", case.name, case.iterations)),
        }
        let count = typed.steps as usize;
        let times = showing("timing", || time_steps(&AllDevices, &scene, warm, count, typed.error))?;
        steps.push((case, times));
    }
    let mut sweep_times: Vec<(&str, SweepTimes)> = Vec::new();
    for (name, text) in sweeps.into_iter().filter(|(name, _)| wanted(name)) {
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
        text += "\nJacobi-Chebyshev iterations, us, beside streaming the bytes they move at least (rings: those of single \
                 sweeps)\n\n";
        let mut table =
            Table::new(&["mesh", "vertices", "elements", "swept in", "bytes/vertex", "us", "floor", "us/floor"]);
        for (name, times) in sweeps {
            table.row([
                (*name).to_string(),
                times.vertices.to_string(),
                times.elements.to_string(),
                times.way.to_string(),
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
        "GPU, p50",
        "course",
        "times faster",
        "mean stretch, %",
        "error",
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
            times.working_p50.map_or("-".to_string(), short),
            short(case.course_ms),
            short(case.course_ms / times.p50),
            short(100.0 * times.mean_stretch),
            error(times),
        ]);
    }
    format!("\n\n{}", table.text())
}

/// What --error found.
fn error(times: &StepTimes) -> String {
    times.relative_error.map_or("-".to_string(), short)
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
        "|grad E|, N",
        "E/E0",
        "error",
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
            short(times.gradient_norm),
            short(times.energy_left),
            error(times),
        ]);
    }
    let late = short(LATE * budget);
    format!(
        "; deadline {} ms, late after {late} ms, without the first {skipped} steps\n\n{}",
        short(budget),
        table.text()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::scene::MeshSource;

    /// Regression: an apostrophe in the path of the data ended the string.
    #[test]
    fn a_mesh_may_lie_in_a_folder_of_any_name() {
        for folder in ["it's", "two words", "\u{e9}t\u{e9}"] {
            let place = tempfile::tempdir().unwrap();
            let path = place.path().join(folder).join("a.msh");
            std::fs::create_dir(place.path().join(folder)).unwrap();
            std::fs::write(&path, "").unwrap();
            let scene = Scene::parse(&solid(&mesh_key(&path)), "solid", Path::new("."), &[]);
            let scene = scene.unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(scene.solid[0].mesh, MeshSource::File(path));
        }
    }
}
