//! The stability matrix: every method × every shipped scene × stiffness 0.01, 1, 100, at h = 1/30 s, and a table of
//! what failed.
//!
//!     cargo bench --bench stability -- [scale=0.25] [frames=300] [scene=NAME] [method=NAME] [without=METHOD]
//!         [scenes=FOLDER] [set=KEY=VALUE] [stiffness=FACTOR] [iterations=PER_STEP] [minutes=LIMIT]
//!
//! `scale` makes meshes coarser (vertices along each side); solids are as rigid as possible, so that every method runs.
//! `iterations` replaces what the scene asks for: Newton takes hours on the largest scenes without. `set` changes a key of
//! the scenes, as `--set` of a run does, before their meshes are made coarser: `set=cloth.noodle.copies=6`.
#![allow(missing_docs)]

#[path = "../tests/support/stability.rs"]
mod stability;

use pliant::scene::Scene;
use stability::{Bounds, Outcome, STIFFNESSES, coarsen, methods, run};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

fn main() {
    let given = |key: &str| {
        let prefix = format!("{key}=");
        std::env::args().find_map(|argument| argument.strip_prefix(&prefix).map(str::to_string))
    };
    let number = |key: &str, default: f64| given(key).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (scale, frames) = (number("scale", 0.25), number("frames", 300.0) as usize);
    // With few sweeps for its size the tablecloth is a soft spring to `pbd-jacobi`, on which it goes up and down to 14 times
    // its size, less each time; whether anything grows is judged by the last third of the run.
    let bounds = Bounds { stretch: f64::INFINITY, extent: 30.0, speed: 100.0 };
    let (only_scene, only_method, without) = (given("scene"), given("method"), given("without"));
    let given_set = given("set");
    let only_stiffness = given("stiffness").and_then(|text| text.parse::<f64>().ok());
    let iterations = given("iterations").and_then(|text| text.parse().ok());
    let end = std::time::Instant::now() + std::time::Duration::from_secs_f64(60.0 * number("minutes", 1e6));
    let wanted = |only: &Option<String>, name: &str| only.as_ref().is_none_or(|only| only == name);

    let folder = given("scenes").map_or(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes"), PathBuf::from);
    let mut files: Vec<_> = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|f| f.path()).collect();
    files.sort();
    let mut cases = Vec::new();
    let of_scene = |file: &&PathBuf| {
        file.extension().is_some_and(|e| e == "toml")
            && file.file_stem().is_some_and(|stem| wanted(&only_scene, &stem.to_string_lossy()))
    };
    for file in files.iter().filter(of_scene) {
        // A mesh from a file cannot be made coarser; the generated one beside it can.
        let generated = file.ends_with("armadillo.toml").then_some(("solid.data", "none"));
        let set = generated.into_iter().chain(given_set.as_deref().and_then(|set| set.split_once('=')));
        let set: Vec<_> = set.map(|(key, value)| (key.to_string(), value.to_string())).collect();
        let mut scene = Scene::read(file, &set).unwrap_or_else(|error| panic!("{error}"));
        coarsen(&mut scene, scale);
        scene.solver.iterations = iterations.or(scene.solver.iterations);
        let methods = methods(&scene).into_iter().filter(|method| without.as_deref() != Some(method.name));
        for method in methods.filter(|method| wanted(&only_method, method.name)) {
            let stiffnesses = STIFFNESSES.into_iter().filter(|&factor| only_stiffness.is_none_or(|f| f == factor));
            cases.extend(stiffnesses.map(|stiffness| (scene.clone(), method, stiffness)));
        }
    }
    println!("{} runs of {frames} steps, meshes at {scale} of their resolution", cases.len());
    // Each run alone in a pool of one thread: threads that wait in one run would otherwise pick up another.
    let next = AtomicUsize::new(0);
    let work = || {
        let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(1).build() else { return Vec::new() };
        let mut done = Vec::new();
        while let Some((scene, method, stiffness)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            if std::time::Instant::now() > end {
                break;
            }
            let outcome = pool.install(|| run(scene, method, *stiffness, frames, bounds));
            print(&outcome);
            done.push(outcome);
        }
        done
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let outcomes: Vec<Outcome> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
    });
    let failures: Vec<_> = outcomes.iter().filter(|outcome| outcome.failed.is_some()).collect();
    println!("\n{} of {} failed; {} runs not begun", failures.len(), outcomes.len(), cases.len() - outcomes.len());
    for o in failures {
        println!("| {} | {} | {} | {} |", o.scene, o.method, o.stiffness, o.failed.as_deref().unwrap_or(""));
    }
}

fn print(outcome: &Outcome) {
    println!(
        "{:11} {:28} x{:<5} stretch {:9.3e} speed {:9.3e} m/s {:3} retries {:6.1} s  {}",
        outcome.scene,
        outcome.method,
        outcome.stiffness,
        outcome.max_stretch,
        outcome.max_speed,
        outcome.retries,
        outcome.seconds,
        outcome.failed.as_deref().unwrap_or("ok")
    );
}
