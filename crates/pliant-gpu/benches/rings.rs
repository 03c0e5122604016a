//! Time per Jacobi-Chebyshev iteration for ways to cut a mesh, beside the streaming floor.
//!
//!     cargo bench -p pliant-gpu --bench rings -- [NAME]
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
    gpu.begin_step(&mut problem, &pliant::step::step_input(&model, 1.0 / 30.0), &x, &v);
    (problem, model.vertices(), model.element_count())
}

fn cloth(side: usize, bend: bool) -> String {
    let bend = if bend { "" } else { "bend = 'none'" };
    format!(
        "pliant = 1\n[[cloth]]\nshape = 'grid'\nresolution = {side}\ntriangulation = 'alternating'\n{bend}\n\
         [[pin]]\ncorners = ['-x-z', '+x-z']\n"
    )
}

fn solid(cells: usize) -> String {
    format!("pliant = 1\n[[solid]]\nshape = 'box'\nsize = 1\ncells = {cells}\nmaterial = 'gelatine'\n")
}

fn main() {
    let mut gpu = Gpu::open(&Choice::Any).unwrap_or_else(|error| panic!("{error}"));
    println!("{}", gpu.name());
    let only = std::env::args().nth(1).filter(|name| !name.starts_with("--"));
    let cases: [(&str, String, &[(usize, usize)]); 7] = [
        ("cloth-10k", cloth(101, true), &[(128, 3), (96, 4), (128, 4), (100, 5), (128, 5)]),
        ("cloth-16k", cloth(127, true), &[(128, 4), (128, 5)]),
        ("net-21k", cloth(146, false), &[(256, 4), (256, 6), (196, 8)]),
        ("cloth-100k", cloth(316, true), &[(128, 2), (256, 2), (256, 3)]),
        ("cloth-1m", cloth(1000, true), &[(512, 1), (256, 2), (400, 2)]),
        ("tets-55k", solid(21), &[]),
        ("tets-1m", solid(58), &[]),
    ];
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
        let mut show = |gpu: &mut Gpu, problem: &mut GpuProblem, label: String, seconds: f64| {
            let time = gpu.time_sweeps(problem, second).unwrap_or(f64::NAN);
            println!(
                "  {label:24} {:8.2} us per iteration, {:5.2} floors  (made in {seconds:.2} s)",
                1e6 * time,
                time / floor
            );
        };
        gpu.cut(&mut problem, None).unwrap_or_default();
        show(&mut gpu, &mut problem, "single".to_string(), 0.0);
        for &(patch, iterations) in cuts {
            let begun = Instant::now();
            if gpu.cut(&mut problem, Some(Cut { patch, iterations })).unwrap_or_else(|error| panic!("{error}")) {
                let seconds = begun.elapsed().as_secs_f64();
                show(&mut gpu, &mut problem, format!("{iterations} x patches of {patch}"), seconds);
            }
        }
    }
}
