//! `pliant bench descent`: the solids of course section 3 (table 2), each step with 96 iterations of `descent`.

use crate::args::{Args, BenchArgs};
use crate::printed::print_json;
use crate::progress::{say, showing};
use crate::table::{Table, short};
use crate::{Exit, command::bench::chosen, command::bench::creature};
use pliant::scene::Scene;
use pliant::step::bench::{ForceTimes, StepTimes, time_forces, time_steps};
use pliant_gpu::AllDevices;
use serde_json::json;
use std::path::Path;
use std::time::Duration;

/// Iterations of a step, as in the course.
const ITERATIONS: usize = 96;

/// A scene of the course with its time there, on a GTX Titan X, and what is wanted on an H200, ms per step.
struct Case {
    name: &'static str,
    scene: String,
    course_ms: f64,
    wanted_ms: f64,
}

/// All of the course's have steps of 1/30 s; its text does not say which material, so it is the first of its list that is
/// stable when squeezed.
fn solid(shape: &str, pins: &str) -> String {
    format!(
        "pliant = 1\n[time]\nframe_rate = 30\n[[solid]]\n{shape}\nmodel = 'neo-hookean'\npoisson_ratio = 0.4\n{pins}\n\
         [solver]\nmethod = 'descent'\niterations = {ITERATIONS}\n"
    )
}

fn helix(tets: usize) -> String {
    let shape = format!("shape = 'double-helix'\ntets = {tets}\nyoungs_modulus = '500 kPa'\ndensity = '1 g/cm^3'");
    solid(&shape, "[[pin]]\ninside = [[-0.5, 0.49, -0.5], [0.5, 0.51, 0.5]]")
}

fn cases() -> [Case; 6] {
    let mesh = creature().unwrap_or_else(|| "shape = 'creature'\ntets = 55000".to_string());
    let armadillo = format!("{mesh}\nyoungs_modulus = '800 kPa'\ndensity = '0.3 g/cm^3'");
    // Drawn to twice its length, then held.
    let stretched = "shape = 'box'\nsize = [0.2, 0.3, 0.2]\ncells = [20, 30, 20]\nyoungs_modulus = '100 kPa'\n\
                     density = '1 g/cm^3'";
    let ends = "[[pin]]\ninside = [[-0.11, -0.151, -0.11], [0.11, -0.149, 0.11]]\n[[pin]]\n\
                inside = [[-0.11, 0.149, -0.11], [0.11, 0.151, 0.11]]\nvelocity = [0, 0.15, 0]\nmoves = [0, 2]";
    let case = |name, scene, course_ms, wanted_ms| Case { name, scene, course_ms, wanted_ms };
    [
        case("armadillo 55K", solid(&armadillo, "[[pin]]\nnearest = [[0, 1e3, 0]]"), 31.4, 2.0),
        case("box 72K", solid(stretched, ends), 37.6, 2.2),
        case("helix 41K", helix(41_000), 27.5, 1.6),
        case("helix 82K", helix(82_000), 38.5, 2.0),
        case("helix 158K", helix(158_000), 65.4, 3.0),
        case("helix 316K", helix(316_000), 122.0, 5.0),
    ]
}

pub(crate) fn bench(args: &Args, typed: &BenchArgs) -> anyhow::Result<Exit> {
    let warm = Duration::from_secs_f64(typed.warm);
    let cases = cases();
    let chosen = chosen(typed, &cases.iter().map(|case| case.name).collect::<Vec<_>>())?;
    let mut rows: Vec<(Case, StepTimes, ForceTimes)> = Vec::new();
    for case in cases.into_iter().filter(|case| chosen.contains(&case.name)) {
        let mut scene = Scene::parse(&case.scene, case.name, Path::new("."), &[])?;
        scene.device.name.clone_from(&typed.device);
        say(&format!("{}: {ITERATIONS} iterations", case.name));
        let count = typed.steps as usize;
        let times = showing("timing", || time_steps(&AllDevices, &scene, warm, count, typed.error))?;
        let forces = showing("timing forces", || time_forces(&AllDevices, &scene, warm))?;
        rows.push((case, times, forces));
    }
    say(&table(&rows));
    if args.json {
        let steps: Vec<_> = rows
            .iter()
            .map(|(case, times, forces)| {
                let (course_ms, wanted_ms) = (case.course_ms, case.wanted_ms);
                json!({ "scene": case.name, "course_ms": course_ms, "wanted_ms": wanted_ms, "times": times, "forces": forces })
            })
            .collect();
        print_json(&json!({ "bench": "descent", "steps": steps }))?;
    }
    Ok(Exit::Done)
}

fn table(rows: &[(Case, StepTimes, ForceTimes)]) -> String {
    let Some((_, first, _)) = rows.first() else { return String::new() };
    let mut steps = Table::new(&[
        "scene",
        "vertices",
        "tets",
        "mean",
        "p50",
        "p99",
        "max",
        "GPU, p50",
        "course",
        "times faster",
        "wanted",
        "E/E0",
        "retries",
        "error",
    ]);
    let mut forces = Table::new(&["scene", "iteration", "force", "share, %", "bytes/tet", "floor", "force/floor"]);
    for (case, times, own) in rows {
        steps.row([
            case.name.to_string(),
            times.vertices.to_string(),
            times.elements.to_string(),
            short(times.mean),
            short(times.p50),
            short(times.p99),
            short(times.max),
            times.working_p50.map_or("-".to_string(), short),
            short(case.course_ms),
            short(case.course_ms / times.p50),
            short(case.wanted_ms),
            short(times.energy_left),
            times.retries.to_string(),
            times.relative_error.map_or("-".to_string(), short),
        ]);
        forces.row([
            case.name.to_string(),
            short(own.iteration_us),
            short(own.force_us),
            short(100.0 * own.force_us / own.iteration_us),
            short(own.bytes as f64 / own.elements.max(1) as f64),
            short(own.floor_us),
            short(own.force_us / own.floor_us),
        ]);
    }
    format!(
        "{}, {}, ms per step of {ITERATIONS} iterations\n\n{}\nIterations and evaluations of forces, us, beside streaming the \
         bytes that a force evaluation moves at least\n\n{}",
        first.device,
        first.method,
        steps.text(),
        forces.text()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_is_sound_and_has_about_as_many_tets_as_its_name_says() {
        for case in cases() {
            let scene = Scene::parse(&case.scene, case.name, Path::new("."), &[]);
            let scene = scene.unwrap_or_else(|error| panic!("{}: {error}", case.name));
            if case.name.ends_with("316K") || case.name.ends_with("158K") {
                continue;
            }
            let (model, _) = pliant::model::Model::new(&scene).unwrap();
            let named: f64 = case.name.rsplit(' ').next().unwrap().trim_end_matches('K').parse().unwrap();
            let ratio = model.element_count() as f64 / (1e3 * named);
            assert!((0.8..1.25).contains(&ratio), "{}: {} tets", case.name, model.element_count());
        }
    }
}
