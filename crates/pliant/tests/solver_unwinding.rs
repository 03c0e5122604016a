//! Crushed solids that came to rest wound up around some of their inner edges, every tet the right way out.

#[path = "support/recovery.rs"]
mod recovery;
mod support;

use pliant::device::Device;
use pliant::material::Elements;
use pliant::math::Vec3;
use pliant::model::State;
use pliant::scene::Scene;
use pliant::solver::{METHODS, Needs, minimise};
use pliant::step::Simulation;
use recovery::{MODELS, crushed, from_data, generated, recover};
use support::*;

/// Among them those that did not before their tets were pulled straight.
#[test]
fn solids_that_came_to_rest_wound_up_come_back() {
    let [lattice, ball] = generated();
    let bar = from_data("ipcbar_186", 0.05);
    let bar = bar.iter().map(|bar| (bar, 5, &["arap", "corotated"][..]));
    for (shape, seed, models) in [(&lattice, 5, &MODELS[..]), (&ball, 2, &["arap"][..])].into_iter().chain(bar) {
        for model in models {
            let recovery = recover(&crushed(shape, model, seed, "descent"));
            assert!(recovery.is_whole(), "{model} {} {seed}: {recovery:?}", shape.name);
        }
    }
}

/// A block that is wound up, with a method that goes on from it, and the state when it has been so for `steps`.
fn wound_block(method: &str, steps: u32) -> (Scene, State) {
    let [lattice, _] = generated();
    let mut simulation = Simulation::new(&crushed(&lattice, "arap", 5, "descent")).unwrap();
    for _ in 0..100 {
        simulation.step().unwrap();
        let state = simulation.state().unwrap();
        if state.wound > steps {
            return (crushed(&lattice, "arap", 5, method), state);
        }
    }
    panic!("nothing was wound up for long");
}

#[test]
fn a_block_that_is_wound_up_comes_back_with_every_method() {
    let mut lost = Vec::new();
    // This block is as rigid as possible, which no method of held rotations solves.
    for method in METHODS.iter().filter(|method| method.needs != Needs::Rotations).map(|method| method.name) {
        let (scene, state) = wound_block(method, 9);
        let mut simulation = Simulation::new(&scene).unwrap();
        simulation.set_state(&state).unwrap();
        let mut longest = 0;
        for _ in 0..150 {
            simulation.step().unwrap();
            longest = longest.max(simulation.state().unwrap().wound);
        }
        let certificate = simulation.step().unwrap().certificate;
        let line = format!("{method}: stretch {:.2e}, {} inverted", certificate.max_stretch, certificate.inverted);
        println!("{line}, wound for {longest} steps");
        assert!(longest > 10, "{method}: it was not wound up");
        if certificate.inverted > 0 || certificate.max_stretch > 0.01 {
            lost.push(line);
        }
    }
    assert!(lost.is_empty(), "{lost:?}");
}

#[test]
fn what_is_pulled_meets_its_derivatives_and_methods_end_where_newton_does() {
    let (scene, state) = wound_block("descent", 10);
    let model = Simulation::new(&scene).unwrap().model().clone();
    let h = scene.time.step_size();
    let mut step = Step::<f64>::new(&model, &state, h);
    let potential = step.potential();
    let pulled: usize = potential.elements().iter().map(|elements: &Elements<f64>| elements.pulled().len()).sum();
    assert!(pulled > 0 && pulled < model.elements.iter().map(Elements::len).sum(), "{pulled} tets are pulled");

    let mut random = Random(7);
    let (mut gradient, mut device_gradient) = (Vec::new(), step.x.clone());
    potential.gradient(&step.x, &mut gradient);
    let Step { device, problem, x, .. } = &mut step;
    device.gradient(problem, x, &mut device_gradient);
    let apart = distance(&gradient, &device_gradient);
    assert!(apart < 1e-9, "{apart} N between the device and the potential");
    for _ in 0..5 {
        let along: Vec<Vec3<f64>> = x.iter().map(|_| Vec3::of(random.point())).collect();
        let at = |t: f64| -> Vec<[f64; 4]> {
            x.iter().zip(&along).map(|(x, d)| (Vec3::load(*x) + *d * t).store()).collect()
        };
        let t = 1e-6;
        let slope = (potential.value(&at(t)) - potential.value(&at(-t))) / (2.0 * t);
        let known: f64 = gradient.iter().zip(&along).map(|(g, d)| Vec3::load(*g).dot(*d)).sum();
        assert!((slope - known).abs() < 1e-6 * known.abs().max(1.0), "{slope}, {known}");
    }

    for method in ["pd-direct", "pd-jacobi", "pd-gauss-seidel", "descent"] {
        let mut step = Step::<f64>::new(&model, &state, h);
        step.solve(method, 20_000, 1e-12, |_, _| ()).unwrap();
        let mut there = step.x.clone();
        minimise(&step.potential(), &mut there, 1e-10, |k, _| k < 2000).unwrap();
        let apart = distance(&step.x, &there);
        assert!(apart < 1e-6, "{method}: {apart} m from where Newton goes on to");
    }
}

#[test]
fn a_run_that_is_resumed_while_tets_are_pulled_takes_the_same_steps() {
    let (scene, state) = wound_block("descent", 10);
    let [mut whole, mut resumed] = [0, 1].map(|_| Simulation::new(&scene).unwrap());
    while whole.state().unwrap().step < state.step {
        whole.step().unwrap();
    }
    assert!(whole.state().unwrap() == state, "a second run is another one");
    resumed.set_state(&state).unwrap();
    resumed.set_rho(whole.rho().unwrap());
    for _ in 0..8 {
        whole.step().unwrap();
        resumed.step().unwrap();
        assert!(whole.state().unwrap() == resumed.state().unwrap());
    }
}
