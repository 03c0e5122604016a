//! Time of the verbs of an iteration of pd-multigrid, beside that of a Jacobi sweep.
//!
//!     cargo bench -p pliant-gpu --bench multigrid -- [RESOLUTION...]
#![allow(missing_docs)]

use pliant::device::{Blend, Device, DeviceError, Slot};
use pliant::model::{Model, System};
use pliant::scene::Scene;
use pliant::step::bench::shortest;
use pliant_gpu::{Choice, Gpu};
use std::sync::Arc;
use std::time::Duration;

fn main() {
    let mut gpu = Gpu::open(&Choice::Any).unwrap_or_else(|error| panic!("{error}"));
    println!("{}", gpu.name());
    let sizes: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![32, 100, 316] } else { sizes };
    println!("| vertices | jacobi, us | gradient | cycle | descend |\n|---|---|---|---|---|");
    for side in sizes {
        let text = format!(
            "pliant = 1\n[[cloth]]\nshape = 'grid'\nresolution = {side}\nmaterial = 'cotton'\n[[pin]]\n\
             corners = ['-x-z', '+x-z']\n"
        );
        let scene = Scene::parse(&text, "bench", ".".as_ref(), &[]).unwrap_or_else(|error| panic!("{error}"));
        let (model, state) = Model::new(&scene).unwrap_or_else(|error| panic!("{error}"));
        let model = Arc::new(model);
        let h = 1.0 / 60.0;
        let system = Arc::new(System::new(&model, h, h));
        let mut problem = gpu.upload(&model, &system).unwrap_or_else(|error| panic!("{error}"));
        let [mut x, mut g, mut z, mut before] = [(); 4].map(|()| gpu.points(&problem));
        gpu.write(&state.x, &mut x);
        gpu.begin_step(&mut problem, &pliant::step::step_input(&model, h, h), &x, &g);
        let blend = [Blend { omega: 1.0, under_relaxation: 1.0 }; 32];
        let mut time = |verb: usize| {
            let run = |times: usize| -> Result<usize, DeviceError> {
                for _ in 0..times {
                    match verb {
                        0 => gpu.jacobi(&mut problem, &mut x, &mut before, &blend, None),
                        1 => (0..32).for_each(|_| gpu.gradient(&mut problem, &x, &mut g)),
                        2 => (0..32).for_each(|_| gpu.cycle(&mut problem, &g, &mut z)),
                        _ => (0..32).for_each(|_| gpu.descend(&problem, &z, &x, &mut before, blend[0])),
                    }
                }
                gpu.scalar(Slot(0))?;
                Ok(32 * times)
            };
            1e6 * shortest(Duration::from_millis(500), run).unwrap_or(f64::NAN)
        };
        let times: Vec<String> = (0..4).map(|verb| format!("{:.1}", time(verb))).collect();
        println!("| {} | {} |", side * side, times.join(" | "));
    }
}
