//! V-cycles over several large levels, which small models do not have, and with contacts that come and go in a step.

use super::{BOTH, gpu};
use pliant::device::{Cpu, Device, StepInput};
use pliant::model::{Model, State, System};
use pliant::scene::Scene;
use pliant::step::step_input;
use std::sync::Arc;

const SCENE: &str = "
pliant = 1
[[cloth]]
shape = 'grid'
resolution = 125
triangulation = 'delaunay'
position = [0, 0.3, 0]
[[pin]]
corners = ['-x-z']
[[collider]]
shape = 'sphere'
radius = 0.3
";

/// The answers to two cycles of a step: the first with all vertices in contact that a ball touches, the second after the
/// cloth was lifted off, when A still has these contacts.
fn cycles<D: Device>(device: &mut D, model: &Arc<Model>, state: &State, input: &StepInput) -> [Vec<[f64; 3]>; 2] {
    let h = 1.0 / 60.0;
    let system = Arc::new(System::new(model, h, h));
    let mut problem = device.upload(model, &system).unwrap();
    let [mut x, mut v, mut r, mut g, mut z] = std::array::from_fn(|_| device.points(&problem));
    device.write(&state.x, &mut x);
    device.clear(&mut v);
    device.begin_step(&mut problem, input, &x, &v);
    let wave = |i: usize| [1.0, 0.7, 0.3].map(|f| (f * i as f64 * 0.013).sin() + 0.2 * (f * i as f64).cos());
    let forces: Vec<[f64; 3]> = (0..state.x.len()).map(|i| if system.held[i] { [0.0; 3] } else { wave(i) }).collect();
    device.write(&forces, &mut r);
    [-0.02, 0.5].map(|lift| {
        let moved: Vec<[f64; 3]> = state.x.iter().map(|x| [x[0], x[1] + lift, x[2]]).collect();
        device.write(&moved, &mut x);
        device.gradient(&mut problem, &x, &mut g);
        device.cycle(&mut problem, &r, &mut z);
        let mut out = vec![[f64::NAN; 3]; state.x.len()];
        device.read(&z, &mut out).unwrap();
        out
    })
}

#[test]
fn a_cycle_over_several_large_levels_meets_its_twin() {
    let scene = Scene::parse(SCENE, "cycle", ".".as_ref(), &[]).unwrap();
    let (model, state) = Model::new(&scene).unwrap();
    let model = Arc::new(model);
    let input = step_input(&model, 1.0 / 60.0, 1.0 / 60.0);
    let expected = cycles(&mut Cpu::<f64>::new(), &model, &state, &input);
    let length = |x: &[f64; 3]| x.iter().map(|c| c * c).sum::<f64>().sqrt();
    let largest = expected[0].iter().map(length).fold(0.0, f64::max);
    for trust in BOTH {
        let Some(mut gpu) = gpu(trust) else { return };
        let found = cycles(&mut gpu, &model, &state, &input);
        for (found, expected) in found.iter().zip(&expected) {
            let apart = |(a, b): (&[f64; 3], &[f64; 3])| length(&std::array::from_fn(|k| a[k] - b[k]));
            let worst = found.iter().zip(expected).map(apart).fold(0.0, f64::max);
            println!("{trust:?}: {worst:e} of {largest:e}");
            // 64 roundings of the largest answer, as in the selftest.
            assert!(worst < 64.0 * 6e-8 * largest, "{trust:?}: {worst:e} of {largest:e}");
        }
    }
    let free = cycles(&mut Cpu::<f64>::new(), &model, &state, &StepInput { colliders: Vec::new(), ..input });
    assert!(free[0] != expected[0], "nothing touched the ball");
    assert!(free[1] != expected[1], "contacts of the step were forgotten");
}
