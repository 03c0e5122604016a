//! Descents on the GPU: their verbs and whole steps against the CPU in `f64`, for every material.

mod required;

use pliant::device::{Blend, Cpu, CpuOnly, Device, Devices, Scale, Slot};
use pliant::math::SplitMix;
use pliant::model::{Model, State, System};
use pliant::scene::Scene;
use pliant::solver::{METHODS, Needs};
use pliant::step::{Certificate, Simulation, step_input};
use pliant_gpu::{AllDevices, Choice, Gpu, adapters};
use std::sync::Arc;

const MODELS: [&str; 7] = ["arap", "corotated", "stvk", "neo-hookean", "mooney-rivlin", "fung", "stable-neo-hookean"];
const H: f64 = 1.0 / 30.0;

fn skip() -> bool {
    required::skip_without_gpu(!adapters().is_empty())
}

fn parse(text: &str) -> Scene {
    Scene::parse(text, "descent", ".".as_ref(), &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// A soft block that is held at one side and sags; `more` keys of the solid.
fn block(model: &str, more: &str) -> String {
    format!(
        "pliant = 1\n[time]\nframe_rate = 30\n[[solid]]\nshape = 'box'\nsize = [0.4, 0.2, 0.2]\ncells = [5, 3, 3]\n\
         jitter = 0.01\npoisson_ratio = 0.35\ndensity = 1000\nmodel = '{model}'\n{more}\n\
         [[pin]]\ninside = [[-0.22, -1, -1], [-0.18, 1, 1]]\n"
    )
}

/// What a device says about a step: what gradients are divided by, some iterations, energies, conversion.
#[derive(Debug)]
struct Answers {
    gradient: Vec<[f64; 3]>,
    divided: [Vec<[f64; 3]>; 2],
    moved: Vec<[f64; 3]>,
    residual: f64,
    held: Vec<[f64; 3]>,
    raised: f64,
    energies: [f64; 2],
    shares: Vec<f64>,
}

/// `x` is where verbs look, after a step was begun from the state.
fn ask<D: Device>(device: &mut D, model: &Arc<Model>, state: &State, x: &[[f64; 3]]) -> Answers {
    let n = model.vertices();
    let system = Arc::new(System::new(model, H, H));
    let mut problem = device.upload(model, &system).unwrap();
    let [mut a, mut b, mut c, mut d] = [(); 4].map(|()| device.points(&problem));
    device.write(&state.x, &mut a);
    device.write(&state.v, &mut b);
    device.set_conversion(&[]);
    device.begin_step(&mut problem, &step_input(model, H, H), &a, &b);
    let read = |device: &mut D, field: &D::Points| {
        let mut out = vec![[f64::NAN; 3]; n];
        device.read(field, &mut out).unwrap();
        out
    };
    device.write(x, &mut a);
    device.hold(&problem, &mut a);
    let held = read(device, &a);
    device.write(x, &mut a);
    device.objective_to(&mut problem, &a, Slot(1));
    device.convert(&mut problem, &a, Slot(2));
    device.objective_to(&mut problem, &a, Slot(3));
    let asked = device.request_scalars().unwrap();
    device.gradient(&mut problem, &a, &mut b);
    let gradient = read(device, &b);
    let divided = [Scale::Largest, Scale::Blocks].map(|scale| {
        device.rescale(&mut problem, scale, &a);
        device.divide_by_scale(&problem, &b, &mut c);
        read(device, &c)
    });
    device.copy(&a, &mut b);
    let blends = [1.0, 1.3, 1.5].map(|omega| Blend { omega, under_relaxation: 0.5 });
    device.descend_many(&mut problem, [&mut a, &mut b], &blends, Some(Slot(4)), [&mut c, &mut d]);
    let moved = read(device, &a);
    let residual = device.scalar(Slot(4)).unwrap();
    let scalars = device.receive_numbers(asked).unwrap();
    let shares = device.request_conversion().unwrap();
    let shares = device.receive_numbers(shares).unwrap();
    Answers { gradient, divided, moved, residual, held, raised: scalars[2], energies: [scalars[1], scalars[3]], shares }
}

/// The largest difference over the largest number.
fn apart(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    let largest = a.as_flattened().iter().fold(1e-30f64, |largest, c| largest.max(c.abs()));
    let apart = a.as_flattened().iter().zip(b.as_flattened()).map(|(a, b)| (a - b).abs());
    apart.fold(0.0, |most: f64, apart| if apart.is_nan() { f64::INFINITY } else { most.max(apart) }) / largest
}

/// Bounds: F of a tet with edges of 7 cm at 0.2 m is rounded by some 3·10⁻⁷, so gradients of strains of a few hundredths to some
/// 10⁻⁵ of them, and of the largest, which is what they are compared with, less; crushed elements are steeper. Seen: a tenth.
#[test]
fn every_verb_of_descent_agrees_with_the_cpu_for_every_material() {
    if skip() {
        return;
    }
    let mut gpu = Gpu::open(&Choice::Any).unwrap();
    for model in MODELS {
        for crushed in [false, true] {
            let (built, mut state) = Model::new(&parse(&block(model, "youngs_modulus = 4e4"))).unwrap();
            let built = Arc::new(built);
            let mut random = SplitMix(7);
            state.x.iter_mut().for_each(|x| *x = x.map(|c| f64::from(c as f32)));
            state.v.iter_mut().for_each(|v| *v = random.point().map(|c| f64::from(c as f32)));
            let reach = if crushed { 0.06 } else { 0.005 };
            let mut near = |x: &[f64; 3]| {
                let by = random.point();
                std::array::from_fn(|k| f64::from((x[k] + reach * by[k]) as f32))
            };
            let x: Vec<[f64; 3]> = state.x.iter().map(&mut near).collect();
            let exact = ask(&mut Cpu::<f64>::new(), &built, &state, &x);
            let found = ask(&mut gpu, &built, &state, &x);
            let error = |a: f64, b: f64| (a - b).abs() / a.abs().max(1e-30);
            println!(
                "{model}, crushed {crushed}: gradient {:.1e}, divided {:.1e} {:.1e}, moved {:.1e}, residual {:.1e}, E {:.1e} {:.1e}",
                apart(&exact.gradient, &found.gradient),
                apart(&exact.divided[0], &found.divided[0]),
                apart(&exact.divided[1], &found.divided[1]),
                apart(&exact.moved, &found.moved),
                error(exact.residual, found.residual),
                error(exact.energies[0], found.energies[0]),
                error(exact.energies[1], found.energies[1]),
            );
            let bound = if crushed { 4e-5 } else { 1e-5 };
            assert!(apart(&exact.gradient, &found.gradient) < bound, "{model}");
            assert!((0..2).all(|k| apart(&exact.divided[k], &found.divided[k]) < bound), "{model}");
            assert!(apart(&exact.moved, &found.moved) < bound, "{model}");
            assert!(
                error(exact.residual, found.residual) < 10.0 * bound,
                "{model}: {} {}",
                exact.residual,
                found.residual
            );
            assert!((0..2).all(|k| error(exact.energies[k], found.energies[k]) < bound), "{model}: {exact:?}");
            assert_eq!(exact.raised, found.raised, "{model}: how many elements are converted");
            assert!(apart(&exact.held, &found.held) < 1e-6, "{model}: held vertices");
            assert_eq!(exact.shares.len(), found.shares.len(), "{model}");
            let off = exact.shares.iter().zip(&found.shares).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-4, "{model}: conversion is {off} off");
            let converts = !["arap", "corotated"].contains(&model);
            assert_eq!(exact.raised > 0.0, crushed && converts, "{model}: the test looks at conversion");
        }
    }
}

fn after(scene: &Scene, devices: &impl Devices, steps: usize) -> (State, Certificate, usize) {
    let mut simulation = Simulation::on(devices, scene).unwrap();
    let (mut certificate, mut retries) = (Certificate::default(), 0);
    for _ in 0..steps {
        let report = simulation.step().unwrap();
        certificate = report.certificate;
        retries += report.retries;
    }
    (simulation.state().unwrap(), certificate, retries)
}

fn on(text: &str, [device, precision]: [&str; 2], method: &str, iterations: usize) -> Scene {
    let set = [
        ("device.name", device.to_string()),
        ("device.precision", precision.to_string()),
        ("solver.method", method.to_string()),
        ("solver.iterations", iterations.to_string()),
    ];
    let set: Vec<_> = set.into_iter().map(|(key, value)| (key.to_string(), value)).collect();
    Scene::parse(text, "descent", ".".as_ref(), &set).unwrap_or_else(|error| panic!("{error}"))
}

/// Both solve each step nearly to the end, by other ways: a GPU looks at E every 16th iteration, the CPU every 8th.
#[test]
fn steps_of_descent_agree_with_the_cpu_and_with_themselves_for_every_material() {
    if skip() {
        return;
    }
    for model in MODELS {
        let text = block(model, "youngs_modulus = 4e5\nvelocity = [0, 0.5, 0]");
        let (cpu, exact, _) = after(&on(&text, ["cpu", "f64"], "descent", 300), &CpuOnly, 4);
        let scene = on(&text, ["gpu", "f32"], "descent", 300);
        let (gpu, found, retries) = after(&scene, &AllDevices, 4);
        let (again, ..) = after(&scene, &AllDevices, 4);
        let farthest = apart(&cpu.x, &gpu.x);
        println!("{model}: {farthest:.2e} apart, E {} {}, {retries} retries", exact.energy, found.energy);
        assert_eq!(retries, 0, "{model}");
        assert_eq!(gpu.hash(), again.hash(), "{model}: another run, other bits");
        // What is converted depends on which iterates are looked at, and E is another one then.
        if cpu.converted.iter().chain(&gpu.converted).any(|share| *share > 0.0) {
            assert_eq!(model, "stvk", "only this one is converted from half of its length on");
            continue;
        }
        assert!(farthest < 1e-4, "{model}: {farthest}");
        assert!((found.energy - exact.energy).abs() < 1e-3 * exact.energy, "{model}: {found:?} {exact:?}");
    }
}

/// Enough iterations to end where the reference does, with contacts and friction, cloth and a solid.
#[test]
fn every_descent_ends_where_the_cpu_does_and_takes_cloth_and_contacts() {
    if skip() {
        return;
    }
    let text = "pliant = 1\n[time]\nframe_rate = 60\n[[cloth]]\nsize = 0.4\nresolution = 9\nposition = [0, 0.1, 0]\n\
                stretch_stiffness = 50\n[[solid]]\nshape = 'box'\nsize = 0.2\ncells = 2\nyoungs_modulus = 3e4\n\
                model = 'neo-hookean'\nposition = [0.5, 0.09, 0]\n[[collider]]\nshape = 'half-space'\n[[pin]]\n\
                body = 'cloth'\ncorners = ['-x-z']\n[solver]\ncontact_stiffness = 0.2\n";
    for method in METHODS.iter().filter(|method| method.needs == Needs::Energy && !method.needs_cpu()) {
        // Without preconditioner even 1500 iterations do not end there.
        let scaled = method.name.contains("jacobi") || method.name == "descent";
        let (iterations, bound) = if scaled { (400, 2e-3) } else { (1500, 1e-2) };
        let (cpu, exact, _) = after(&on(text, ["cpu", "f64"], method.name, iterations), &CpuOnly, 2);
        let (gpu, found, _) = after(&on(text, ["gpu", "f32"], method.name, iterations), &AllDevices, 2);
        let farthest = apart(&cpu.x, &gpu.x);
        println!("{}: {farthest:.2e} apart, E {} {}", method.name, exact.energy, found.energy);
        assert!(farthest < bound, "{}: {farthest}", method.name);
        assert!((found.energy - exact.energy).abs() < bound * exact.energy, "{}: {found:?} {exact:?}", method.name);
    }
}

/// METHODS 6: flattened and scrambled.
#[test]
fn crushed_blocks_come_back_to_their_shape() {
    if skip() {
        return;
    }
    for model in ["neo-hookean", "stvk"] {
        for crushed in ["scramble = true", "flatten = true"] {
            let text = format!(
                "pliant = 1\nseed = 1\ngravity = [0, 0, 0]\n[time]\nframe_rate = 30\n[[solid]]\nshape = 'box'\nsize = 0.2\n\
                 cells = 3\nmodel = '{model}'\nyoungs_modulus = 1e5\npoisson_ratio = 0.4\ndensity = 1000\n{crushed}\n"
            );
            let (state, certificate, retries) = after(&on(&text, ["gpu", "f32"], "descent", 96), &AllDevices, 150);
            println!("{model}, {crushed}: {certificate:?}, {retries} retries, {} shares", state.converted.len());
            assert!(certificate.inverted == 0 && certificate.max_stretch < 0.02, "{model}, {crushed}: {certificate:?}");
        }
    }
}

/// Conversion, step length and velocities of the step before belong to the state, on every device.
#[test]
fn a_resumed_simulation_takes_the_same_steps() {
    if skip() {
        return;
    }
    let text = "pliant = 1\n[time]\nframe_rate = 30\n[[solid]]\nshape = 'box'\nsize = 0.2\ncells = 3\nmodel = 'stvk'\n\
                scramble = true\n";
    let scene = on(text, ["gpu", "f32"], "descent", 48);
    let mut whole = Simulation::on(&AllDevices, &scene).unwrap();
    for _ in 0..5 {
        whole.step().unwrap();
    }
    let (middle, rho) = (whole.state().unwrap(), whole.rho().unwrap());
    let mut shown = State::default();
    let next = whole.step_showing(&mut |state| shown = state).unwrap();
    assert!(shown == middle, "what is shown while the device goes on is the whole state");
    assert!(next.iterations > 0 && !middle.v_before.is_empty() && middle.step_length > 0.0);
    assert!(middle.converted.iter().any(|share| *share > 0.0 && *share < 1.0), "nothing is converted");
    let mut resumed = Simulation::on(&AllDevices, &scene).unwrap();
    resumed.set_state(&middle).unwrap();
    resumed.set_rho(rho);
    resumed.step().unwrap();
    for step in 0..3 {
        assert!(whole.state().unwrap() == resumed.state().unwrap(), "step {step}");
        whole.step().unwrap();
        resumed.step().unwrap();
    }
}
