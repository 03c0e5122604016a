//! Cost of one Jacobi+Chebyshev iteration on cloth (springs and bending), f32, beside the time to stream the same bytes.
//!
//! `cargo bench -p pliant --bench sweep`

use pliant::device::{Blend, Cpu, CpuProblem, Device, Slot, StepInput};
use pliant::model::{Model, System};
use pliant::scene::Scene;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

struct Case {
    device: Cpu<f32>,
    problem: CpuProblem<f32>,
    x: Vec<[f32; 4]>,
    x_before: Vec<[f32; 4]>,
}

fn cloth(resolution: usize) -> Case {
    let text =
        format!("pliant = 1\n[[cloth]]\nshape = 'grid'\nresolution = {resolution}\ntriangulation = 'alternating'\n");
    let scene = Scene::parse(&text, "cloth", ".".as_ref(), &[]).unwrap();
    let (model, mut state) = Model::new(&scene).unwrap();
    for (i, x) in state.x.iter_mut().enumerate() {
        x[1] = 0.01 * (i as f64 * 0.7).sin() / resolution as f64;
    }
    let h = 1.0 / 30.0;
    let (model, system) = (Arc::new(model.clone()), Arc::new(System::new(&model, h, h)));
    let mut device = Cpu::new();
    let mut problem = device.upload(&model, &system).unwrap();
    let [mut x, mut v, mut x_before] = std::array::from_fn(|_| device.points(&problem));
    device.write(&state.x, &mut x);
    device.write(&state.v, &mut v);
    device.begin_step(&mut problem, &StepInput::default(), &x, &v);
    device.copy(&x, &mut x_before);
    Case { device, problem, x, x_before }
}

/// Seconds per call: the fastest of several rounds, each of which is long enough for the clock.
fn time(mut f: impl FnMut()) -> f64 {
    f();
    let once = Instant::now();
    f();
    let calls = (0.1 / once.elapsed().as_secs_f64()).clamp(1.0, 1e5) as usize;
    let round = |f: &mut dyn FnMut()| {
        let begun = Instant::now();
        (0..calls).for_each(|_| f());
        begun.elapsed().as_secs_f64() / calls as f64
    };
    (0..7).map(|_| round(&mut f)).fold(f64::INFINITY, f64::min)
}

fn sweep_time(case: &mut Case) -> f64 {
    let Case { device, problem, x, x_before } = case;
    let blend = Blend { omega: 1.0, under_relaxation: 0.9 };
    time(|| {
        device.jacobi(problem, x, x_before, &[blend], Some(Slot(0)));
    })
}

/// Time to read as many bytes once, by all threads of the pool.
fn stream_time(bytes: usize) -> f64 {
    use rayon::prelude::*;
    let data = vec![1u64; bytes / 8];
    let chunk = (data.len() / rayon::current_num_threads()).max(1);
    time(|| {
        black_box(data.par_chunks(chunk).map(|part| part.iter().fold(0u64, |a, b| a.wrapping_add(*b))).sum::<u64>());
    })
}

fn main() {
    println!(
        "| vertices | threads | ns/vertex | bytes/vertex | sweep / stream of its bytes | speed-up over 1 thread |"
    );
    println!("|---|---|---|---|---|---|");
    for resolution in [101, 316, 1000] {
        let mut case = cloth(resolution);
        let n = (resolution * resolution) as f64;
        let bytes = case.problem.sweep_bytes();
        let mut single = 0.0;
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (seconds, floor) = pool.install(|| (sweep_time(&mut case), stream_time(bytes)));
            single = if threads == 1 { seconds } else { single };
            println!(
                "| {n} | {threads} | {:.1} | {:.0} | {:.2} | {:.2} |",
                seconds * 1e9 / n,
                bytes as f64 / n,
                seconds / floor,
                single / seconds
            );
        }
    }
}
