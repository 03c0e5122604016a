//! What an answer of a given quality costs: a cloth that hangs by two corners and one that falls on a sphere, by steps per
//! frame and iterations, beside Newton on the CPU where that is small enough.
//!
//!     cargo bench -p pliant-gpu --bench quality -- [scenes=FOLDER] [scene=NAME] [RESOLUTION...]
//!         [N:METHOD:STEPSxITERATIONS[@RHO]...]
//!
//! With cases such as `316:pd-jacobi-chebyshev:40x100@0.999`, only these.
#![allow(missing_docs)]

#[path = "../../pliant/benches/support/mod.rs"]
mod support;

use pliant::device::CpuOnly;
use pliant::model::State;
use pliant::scene::Scene;
use pliant::step::Simulation;
use pliant_gpu::AllDevices;
use std::time::Instant;
use support::stretch_at_pins;

fn height(state: &State) -> f64 {
    state.x.iter().map(|x| x[1]).sum::<f64>() / state.x.len() as f64
}

/// Method, steps per frame, iterations, ρ unless it is to be found, and whether on the GPU (if there is one).
#[derive(Clone, Copy)]
struct Case<'a>(&'a str, usize, usize, Option<f64>, bool);

/// Frames at which the mean height is noted: on the ball a cloth of 1 m is in free fall till the 17th.
const LOOKS: [usize; 3] = [25, 40, 60];

struct Outcome {
    device: String,
    mean: f64,
    at_pins: f64,
    /// Fall of the mean height in the first quarter of a second, as a part of free fall with the same steps.
    fall: f64,
    /// Mean height at the frames of [`LOOKS`], m.
    heights: [f64; 3],
    /// How far a vertex rose above where all started, m: a cloth that hangs from pins should not.
    rise: f64,
    ms: f64,
    rho: f64,
    retries: usize,
}

fn run(file: &str, n: usize, case: Case) -> Outcome {
    let Case(method, steps, iterations, rho, gpu) = case;
    let mut set = vec![
        ("cloth.resolution", n.to_string()),
        ("solver.method", method.to_string()),
        ("solver.iterations", iterations.to_string()),
        ("time.steps_per_frame", steps.to_string()),
        ("device.name", if gpu { "auto" } else { "cpu" }.to_string()),
    ];
    set.extend(rho.map(|rho| ("solver.rho", rho.to_string())));
    let set: Vec<(String, String)> = set.into_iter().map(|(key, value)| (key.to_string(), value)).collect();
    let scene = Scene::read(file.as_ref(), &set).unwrap_or_else(|error| panic!("{error}"));
    let simulation = if gpu { Simulation::on(&AllDevices, &scene) } else { Simulation::on(&CpuOnly, &scene) };
    let mut simulation = simulation.unwrap_or_else(|error| panic!("{error}"));
    let model = simulation.model().clone();
    let top = |state: &State| state.x.iter().map(|x| x[1]).fold(f64::NEG_INFINITY, f64::max);
    let highest = top(&simulation.state().unwrap_or_else(|error| panic!("{error}")));
    let start = height(&simulation.state().unwrap_or_else(|error| panic!("{error}")));
    let (mut mean, mut at_pins, mut fall, mut retries, mut rise) = (0.0, 0.0f64, f64::NAN, 0, 0.0f64);
    let mut times = Vec::new();
    let mut heights = [f64::NAN; 3];
    let frames = scene.time.frames.min(60);
    for frame in 1..=frames {
        let mut stretch = 0.0;
        for _ in 0..steps {
            let report = simulation.step().unwrap_or_else(|error| panic!("{error}"));
            retries += report.retries;
            stretch = report.certificate.mean_stretch;
        }
        let state = simulation.state().unwrap_or_else(|error| panic!("{error}"));
        if let Some(k) = LOOKS.iter().position(|look| *look == frame) {
            heights[k] = height(&state);
        }
        mean += stretch;
        rise = rise.max(top(&state) - highest);
        at_pins = at_pins.max(stretch_at_pins(&model, &state));
        if frame == (scene.time.frame_rate / 4.0) as usize {
            // Implicit Euler falls by g h² (1 + 2 + … + k).
            let (k, h) = ((frame * steps) as f64, 1.0 / (scene.time.frame_rate * steps as f64));
            fall = (start - height(&state)) / (9.81 * h * h * k * (k + 1.0) / 2.0);
        }
    }
    // One frame after the other, after half a second: a GPU that waits for the figures above slows down.
    let warm = Instant::now();
    while times.len() < 20 {
        let begun = Instant::now();
        for _ in 0..steps {
            simulation.step().unwrap_or_else(|error| panic!("{error}"));
        }
        if warm.elapsed().as_secs_f64() > 0.5 {
            times.push(begun.elapsed().as_secs_f64() * 1e3);
        }
    }
    times.sort_by(f64::total_cmp);
    let ms = times[times.len() / 2];
    let rho = simulation.rho().unwrap_or(f64::NAN);
    Outcome {
        device: simulation.device().to_string(),
        mean: mean / frames as f64,
        at_pins,
        fall,
        heights,
        rise,
        ms,
        rho,
        retries,
    }
}

/// What is tried for N by N vertices unless cases are given.
fn usual(n: usize) -> Vec<Case<'static>> {
    let jacobi = |steps, iterations, rho| Case("pd-jacobi-chebyshev", steps, iterations, rho, true);
    let mut cases = Vec::new();
    if n <= 32 {
        cases.extend(
            [(1, "newton", 200), (4, "newton", 200), (1, "pd-direct-chebyshev", 80)]
                .map(|(steps, method, iterations)| Case(method, steps, iterations, None, false)),
        );
    }
    let found: &[(usize, usize)] = match n {
        0..500 => &[(1, 200), (1, 1000), (1, 4000), (4, 100), (4, 400), (20, 50)],
        _ => &[(1, 1000), (4, 250)],
    };
    cases.extend(found.iter().map(|&(steps, iterations)| jacobi(steps, iterations, None)));
    let bold: &[(usize, usize, f64)] = match n {
        0..500 => &[(1, 1000, 0.9999), (1, 2000, 0.9999), (4, 250, 0.9997), (4, 500, 0.9999)],
        _ => &[(1, 2000, 0.9999)],
    };
    cases.extend(bold.iter().map(|&(steps, iterations, rho)| jacobi(steps, iterations, Some(rho))));
    cases
}

/// `N:METHOD:STEPSxITERATIONS[@RHO]`
fn given(text: &str) -> Option<(usize, Case<'_>)> {
    let (n, rest) = text.split_once(':')?;
    let (method, rest) = rest.split_once(':')?;
    let (counts, rho) = rest.split_once('@').map_or((rest, None), |(counts, rho)| (counts, rho.parse().ok()));
    let (steps, iterations) = counts.split_once('x')?;
    let on_gpu = !method.contains("direct") && method != "newton";
    let case = Case(method, steps.parse().ok()?, iterations.parse().ok()?, rho, on_gpu);
    Some((n.parse().ok()?, case))
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let value = |key: &str| arguments.iter().find_map(|argument| argument.strip_prefix(key)).map(str::to_string);
    let folder = value("scenes=").unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes").into());
    let scenes = value("scene=").map_or(vec!["hanging".to_string(), "drop".to_string()], |name| vec![name]);
    let mut sizes: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    let mut cases: Vec<(usize, Case)> = arguments.iter().filter_map(|argument| given(argument)).collect();
    if sizes.is_empty() && cases.is_empty() {
        sizes = vec![32, 100, 316];
    }
    cases.extend(sizes.into_iter().flat_map(|n| usual(n).into_iter().map(move |case| (n, case))));
    println!(
        "| scene | N | method | steps x iterations | rho | mean stretch | at pins | fall / free fall | height at frames \
         25, 40, 60, m | rise, m | ms per frame | retries |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for name in &scenes {
        for &(n, case) in &cases {
            let o = run(&format!("{folder}/{name}.toml"), n, case);
            let Case(method, steps, iterations, ..) = case;
            println!(
                "| {name} | {n} | {method} on {} | {steps} x {iterations} | {:.5} | {:.4} % | {:.2} % | {:.4} | {} | {:.3} \
                 | {:.2} | {} |",
                o.device,
                o.rho,
                100.0 * o.mean,
                100.0 * o.at_pins,
                o.fall,
                o.heights.map(|height| format!("{height:.3}")).join(" "),
                o.rise,
                o.ms,
                o.retries
            );
        }
    }
}
