//! The stability matrix: every method × every shipped scene × stiffness 0.01, 1, 100, at h = 1/30 s, and a table of
//! what failed.
//!
//!     cargo bench -p pliant-gpu --bench stability -- [vertices=MOST] [scale=0.25] [frames=300] [scene=NAME,...]
//!         [method=NAME,...] [without=METHOD,...] [scenes=FOLDER] [set=KEY=VALUE] [stiffness=FACTOR]
//!         [iterations=PER_STEP] [newton=PER_STEP] [device=NAME] [threads=N] [first=RUN] [minutes=LIMIT]
//!
//! `scale` makes meshes coarser (vertices along each side); `vertices` as coarse as a scene needs to have that many at most, with
//! fewer bodies where it has many. Solids are as rigid as possible, so that every method runs.
//! `iterations` replaces what the scene asks for, `newton` that of Newton's methods only, which take hours on the largest
//! scenes without. `set` changes a key of the scenes, as `--set` of a run does, before their meshes are made coarser:
//! `set=cloth.noodle.copies=6`. `device=gpu` takes the methods that GPUs have. Runs are numbered; `first` begins at one of
//! them, and after `minutes` those under way end and are told.
#![allow(missing_docs)]

#[path = "../../pliant/tests/support/stability.rs"]
mod stability;

use pliant::model::Model;
use pliant::scene::Scene;
use pliant::solver::Method;
use pliant_gpu::AllDevices;
use stability::{Bounds, End, Outcome, Plan, STIFFNESSES, coarsen, methods, run_on};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

type Case = (Scene, &'static Method, f64);

fn given(key: &str) -> Option<String> {
    let prefix = format!("{key}=");
    std::env::args().find_map(|argument| argument.strip_prefix(&prefix).map(str::to_string))
}

fn number(key: &str) -> Option<f64> {
    let read = |text: String| text.parse().unwrap_or_else(|_| panic!("{key}={text} is not a number"));
    given(key).map(read)
}

/// Whether a name is in a list such as `scene=bar,twist`; every one is if there is no list.
fn listed(key: &str, name: &str) -> bool {
    given(key).is_none_or(|list| list.split(',').any(|one| one == name))
}

/// What `vertices` asks of scenes of many bodies, and of the grid of a collider that need not be finer than they are.
const FEWER_BODIES: [(&str, &str, &str); 3] = [
    ("noodles", "cloth.noodle.copies", "4"),
    ("cloth-heap", "cloth.throw.copies", "3"),
    ("cloth-heap", "collider.armchair.cells", "32"),
];

/// Vertices of all bodies of a scene.
fn vertices(scene: &Scene) -> usize {
    Model::new(scene).unwrap_or_else(|error| panic!("{error}")).0.vertices()
}

/// A shipped scene with the changes asked for, as large as they allow.
fn sized(file: &Path) -> Scene {
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let most = number("vertices").map(|most| most as usize);
    let scale = number("scale").unwrap_or(if most.is_some() { 1.0 } else { 0.25 });
    let mut set: Vec<(String, String)> = Vec::new();
    // A mesh from a file cannot be made coarser; the generated one beside it can.
    if ["armadillo", "dragon"].contains(&stem.as_str()) && (scale != 1.0 || most.is_some()) {
        set.push(("solid.data".to_string(), "none".to_string()));
    }
    let fewer = FEWER_BODIES.iter().filter(|(scene, ..)| *scene == stem && most.is_some());
    set.extend(fewer.map(|(_, key, value)| (key.to_string(), value.to_string())));
    let asked = given("set");
    set.extend(asked.iter().filter_map(|set| set.split_once('=')).map(|(key, value)| (key.into(), value.into())));
    let full = Scene::read(file, &set).unwrap_or_else(|error| panic!("{error}"));
    let at = |scale: f64| {
        let mut scene = full.clone();
        if scale != 1.0 {
            coarsen(&mut scene, scale);
        }
        scene
    };
    let Some(most) = most else { return at(scale) };
    let coarser = std::iter::successors(Some(scale), |scale| (*scale > 0.02).then_some(0.8 * scale)).map(at);
    coarser.into_iter().find(|scene| vertices(scene) <= most).unwrap_or_else(|| at(0.02))
}

fn cases() -> Vec<Case> {
    let folder = given("scenes").map_or(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes"), PathBuf::from);
    let mut files: Vec<_> = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|f| f.path()).collect();
    files.retain(|file| {
        file.extension().is_some_and(|e| e == "toml")
            && file.file_stem().is_some_and(|stem| listed("scene", &stem.to_string_lossy()))
    });
    files.sort();
    let device = given("device").unwrap_or("cpu".to_string());
    let mut cases = Vec::new();
    for file in &files {
        let mut scene = sized(file);
        scene.device.name = device.clone();
        println!("{}: {} vertices", scene.name, vertices(&scene));
        for method in methods(&scene) {
            let skipped = given("without").is_some() && listed("without", method.name);
            if skipped || !listed("method", method.name) || (device != "cpu" && method.needs_cpu()) {
                continue;
            }
            let newton = method.name.starts_with("newton").then(|| number("newton")).flatten();
            let mut scene = scene.clone();
            let iterations = newton.or(number("iterations")).map(|count| count as usize);
            scene.solver.iterations = iterations.or(scene.solver.iterations);
            let only = number("stiffness");
            let stiffnesses = STIFFNESSES.into_iter().filter(|&factor| only.is_none_or(|only| only == factor));
            cases.extend(stiffnesses.map(|stiffness| (scene.clone(), method, stiffness)));
        }
    }
    cases
}

fn main() {
    let frames = number("frames").unwrap_or(300.0) as usize;
    // With few sweeps for its size the tablecloth is a soft spring to `pbd-jacobi`, on which it goes up and down to 14 times
    // its size, less each time; whether anything grows is judged by the last third of the run.
    let bounds = Bounds { stretch: f64::INFINITY, extent: 30.0, speed: 100.0 };
    let until = number("minutes").map(|minutes| Instant::now() + Duration::from_secs_f64(60.0 * minutes));
    let plan = Plan { steps: frames, bounds, until };
    let cases = cases();
    let first = number("first").unwrap_or(0.0) as usize;
    println!("runs {first} to {} of {frames} steps", cases.len());
    // Each run alone in a pool of one thread: threads that wait in one run would otherwise pick up another.
    let next = AtomicUsize::new(first);
    let work = || {
        let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(1).build() else { return Vec::new() };
        let mut done = Vec::new();
        loop {
            let run = next.fetch_add(1, Ordering::Relaxed);
            let Some((scene, method, stiffness)) = cases.get(run) else { return done };
            if until.is_some_and(|until| Instant::now() > until) {
                return done;
            }
            let outcome = pool.install(|| run_on(&AllDevices, scene, method, *stiffness, plan));
            print(run, &outcome);
            done.push(outcome);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = number("threads").map_or(threads, |threads| threads as usize);
    let outcomes: Vec<Outcome> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
    });
    let failed = |o: &&Outcome| o.failed().is_some();
    let unfinished = outcomes.iter().filter(|o| matches!(o.end, End::Unfinished(_))).count();
    let not_begun = cases.len().saturating_sub(first + outcomes.len());
    println!(
        "\n{} of {} failed; {unfinished} runs not finished, {not_begun} not begun",
        outcomes.iter().filter(failed).count(),
        outcomes.len() - unfinished
    );
    for o in outcomes.iter().filter(failed) {
        println!("| {} | {} | {} | {} |", o.scene, o.method, o.stiffness, o.end);
    }
}

fn print(run: usize, outcome: &Outcome) {
    println!(
        "{run:4} {:14} {:38} x{:<5} stretch {:9.3e} speed {:9.3e} m/s {:3} retries {:6.1} s  {}",
        outcome.scene,
        outcome.method,
        outcome.stiffness,
        outcome.max_stretch,
        outcome.max_speed,
        outcome.retries,
        outcome.seconds,
        outcome.end
    );
}
