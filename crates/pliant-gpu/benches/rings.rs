//! Time per Jacobi-Chebyshev iteration for ways to cut a mesh, beside the streaming floor.
//!
//!     cargo bench -p pliant-gpu --bench rings -- [NAME]
//!
//! The armadillo is among the meshes where `PLIANT_DATA` says where it is.
#![allow(missing_docs)]

use pliant::device::Device;
use pliant::model::{Model, System};
use pliant::scene::Scene;
use pliant::step::bench::shortest;
use pliant_gpu::{Choice, Cut, Gpu, GpuProblem};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn problem(gpu: &mut Gpu, text: &str) -> (GpuProblem, usize, usize) {
    let scene = Scene::parse(text, "bench", ".".as_ref(), &[]).unwrap_or_else(|error| panic!("{error}"));
    let (model, state) = Model::new(&scene).unwrap_or_else(|error| panic!("{error}"));
    let model = Arc::new(model);
    let system = Arc::new(System::new(&model, 1.0 / 30.0, 1.0 / 30.0));
    let mut problem = gpu.upload(&model, &system).unwrap_or_else(|error| panic!("{error}"));
    let [mut x, v] = [(); 2].map(|()| gpu.points(&problem));
    gpu.write(&state.x, &mut x);
    gpu.begin_step(&mut problem, &pliant::step::step_input(&model, 1.0 / 30.0, 1.0 / 30.0), &x, &v);
    (problem, model.vertices(), model.element_count())
}

fn cloth(side: usize, bend: bool) -> String {
    let bend = if bend { "" } else { "bend = 'none'" };
    format!(
        "pliant = 1\n[[cloth]]\nshape = 'grid'\nresolution = {side}\ntriangulation = 'alternating'\n{bend}\n\
         [[pin]]\ncorners = ['-x-z', '+x-z']\n"
    )
}

fn solid(mesh: &str) -> String {
    format!("pliant = 1\n[[solid]]\n{mesh}\nmaterial = 'gelatine'\n")
}

/// The creature of the course, where the data are.
fn armadillo() -> Option<String> {
    let path = std::path::PathBuf::from(std::env::var_os("PLIANT_DATA")?).join("tet/armadillo_55k.msh");
    path.exists().then(|| format!("mesh = '{}'", path.display()))
}

fn label(cut: Cut) -> String {
    match cut {
        Cut::Single => "single".to_string(),
        Cut::Rings { patch, iterations } => format!("{iterations} iterations, {patch} vertices"),
        Cut::Patches { patch, elements_per_invocation } => {
            format!("patches of {patch}, {elements_per_invocation} elements each")
        }
    }
}

fn main() {
    let mut gpu = Gpu::open(&Choice::Any).unwrap_or_else(|error| panic!("{error}"));
    println!("{}", gpu.name());
    let only = std::env::args().nth(1).filter(|name| !name.starts_with("--"));
    type Case<'a> = (&'a str, String, Vec<Cut>);
    let rings = |cuts: &[(usize, usize)]| -> Vec<Cut> {
        cuts.iter().map(|&(patch, iterations)| Cut::Rings { patch, iterations }).collect()
    };
    let patches = [(24, 1), (32, 1), (32, 2), (32, 3), (48, 1), (48, 2), (48, 3), (64, 2), (64, 4), (96, 4)]
        .map(|(patch, elements_per_invocation)| Cut::Patches { patch, elements_per_invocation });
    let mut cases: Vec<Case> = vec![
        ("cloth-10k", cloth(101, true), rings(&[(128, 3), (96, 4), (128, 4), (100, 5), (128, 5)])),
        ("cloth-16k", cloth(127, true), rings(&[(128, 4), (128, 5)])),
        ("net-21k", cloth(146, false), rings(&[(256, 4), (256, 6), (196, 8)])),
        ("cloth-100k", cloth(316, true), rings(&[(128, 2), (256, 2), (256, 3)])),
        ("cloth-1m", cloth(1000, true), rings(&[(512, 1), (256, 2), (400, 2)])),
        ("tets-55k", solid("shape = 'box'\nsize = 1\ncells = 21"), patches.to_vec()),
        ("tets-1m", solid("shape = 'box'\nsize = 1\ncells = 58"), patches.to_vec()),
    ];
    if let Some(mesh) = armadillo() {
        cases.push(("armadillo", solid(&mesh), patches.to_vec()));
    }
    let second = Duration::from_secs(1);
    for (name, text, cuts) in cases {
        if only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        let (mut problem, vertices, elements) = problem(&mut gpu, &text);
        let bytes = gpu.sweep_bytes(&problem);
        let floor = shortest(second, |times| gpu.stream(bytes, 50 * times).map(|()| 50 * times)).unwrap_or(f64::NAN);
        println!(
            "{name}: {vertices} vertices, {elements} elements, {} B per vertex, floor {:.2} us",
            bytes[0] / vertices as u64,
            1e6 * floor
        );
        let show = |gpu: &mut Gpu, problem: &mut GpuProblem, label: String, seconds: f64| {
            let time = gpu.time_sweeps(problem, second).unwrap_or(f64::NAN);
            println!(
                "  {label:32} {:8.2} us per iteration, {:5.2} floors  (made in {seconds:.2} s)",
                1e6 * time,
                time / floor
            );
        };
        for cut in [Cut::Single].into_iter().chain(cuts) {
            let begun = Instant::now();
            if gpu.cut(&mut problem, cut).unwrap_or_else(|error| panic!("{error}")) {
                show(&mut gpu, &mut problem, label(cut), begun.elapsed().as_secs_f64());
            }
        }
    }
}
