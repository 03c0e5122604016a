//! What contacts between bodies cost: the search of a step, and an iteration with and without them.
//!
//!     cargo bench -p pliant-gpu --bench contacts -- SCENE [FRAME...] [KEY=VALUE...]
//!
//! runs the scene on the GPU up to each frame and times the verbs of a step from there.
#![allow(missing_docs)]

use pliant::contact::close::Since;
use pliant::device::{Blend, Device, DeviceError, Slot, StepInput};
use pliant::model::{Model, State, System};
use pliant::scene::Scene;
use pliant::step::bench::shortest;
use pliant::step::{Simulation, step_input};
use pliant_gpu::{AllDevices, Choice, Gpu};
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let Some(path) = arguments.first() else { return Err("usage: contacts SCENE [FRAME...] [KEY=VALUE...]".into()) };
    let mut set: Vec<(String, String)> =
        arguments.iter().filter_map(|a| a.split_once('=')).map(|(key, value)| (key.into(), value.into())).collect();
    set.push(("device.name".to_string(), "gpu".to_string()));
    let frames: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    let scene = Scene::read(path.as_ref(), &set)?;
    let mut simulation = Simulation::on(&AllDevices, &scene)?;
    println!(
        "| frame | contacts | search, us | jacobi | relax | without contacts: jacobi |\n|---|---|---|---|---|---|"
    );
    let mut frame = 0;
    for until in frames {
        while frame < until {
            for _ in 0..scene.time.steps_per_frame {
                simulation.step()?;
            }
            frame += 1;
        }
        let state = simulation.state()?;
        let (mut model, _) = Model::new(&scene)?;
        let [contacts, times @ ..] = times(Arc::new(model.clone()), &state, &scene)?;
        model.self_friction = None;
        let alone = self::times(Arc::new(model), &state, &scene)?;
        let times = times.map(|time| format!("{:.1}", 1e6 * time));
        println!("| {frame} | {contacts} | {} | {:.1} |", times.join(" | "), 1e6 * alone[2]);
    }
    Ok(())
}

/// Contacts of a step from a state; then how long a search, a Jacobi iteration and a sweep over all colours take, s.
fn times(model: Arc<Model>, state: &State, scene: &Scene) -> Result<[f64; 4], Box<dyn Error>> {
    let mut gpu = Gpu::open(&Choice::Any)?;
    let h = 1.0 / (scene.time.frame_rate * scene.time.steps_per_frame as f64);
    let system = Arc::new(System::new(&model, h, h));
    let mut problem = gpu.upload(&model, &system)?;
    let [mut x, mut v, mut before] = [(); 3].map(|()| gpu.points(&problem));
    gpu.write(&state.x, &mut x);
    gpu.write(&state.v, &mut v);
    let input = StepInput { since: Since::Retry, ..step_input(&model, state.time + h, h) };
    gpu.begin_step(&mut problem, &input, &x, &v);
    let contacts = gpu.potential(&mut problem)?.touches().len() as f64;
    let colours = gpu.colours(&mut problem);
    let blend = [Blend { omega: 1.0, under_relaxation: 1.0 }; 16];
    let mut out = [contacts, 0.0, 0.0, 0.0];
    for (verb, out) in out[1..].iter_mut().enumerate() {
        let run = |times: usize| -> Result<usize, DeviceError> {
            for _ in 0..times {
                match verb {
                    0 => gpu.begin_step(&mut problem, &input, &x, &v),
                    1 => gpu.jacobi(&mut problem, &mut x, &mut before, &blend, None),
                    _ => (0..16 * colours).for_each(|k| gpu.relax(&mut problem, k % colours, 1.0, &mut x, None)),
                }
            }
            gpu.scalar(Slot(0))?;
            Ok(times * if verb == 0 { 1 } else { blend.len() })
        };
        *out = shortest(Duration::from_millis(500), run)?;
        gpu.write(&state.x, &mut x);
    }
    Ok(out)
}
