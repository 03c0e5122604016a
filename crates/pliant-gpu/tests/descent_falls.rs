//! Bodies without pins fall freely with descents on a GPU, whatever their unfinished solves leave.

mod required;

use pliant::scene::Scene;
use pliant::step::Simulation;
use pliant_gpu::{AllDevices, adapters};

#[test]
fn free_bodies_fall_freely_by_descent_on_a_gpu() {
    if required::skip_without_gpu(!adapters().is_empty()) {
        return;
    }
    let (steps, h) = (10.0, 1.0 / 30.0);
    let fall = 9.81 * h * h * steps * (steps + 1.0) / 2.0;
    let text = "pliant = 1\n[device]\nname = 'gpu'\n[time]\nframe_rate = 30\n[[solid]]\nshape = 'box'\nsize = 0.3\ncells = 3\n\
                model = 'neo-hookean'\nyoungs_modulus = 1e6\n[solver]\nmethod = 'descent'\n";
    let scene = Scene::parse(text, "block", ".".as_ref(), &[]).unwrap();
    let mut simulation = Simulation::on(&AllDevices, &scene).unwrap();
    let height = |simulation: &mut Simulation| {
        let x = simulation.state().unwrap().x;
        x.iter().map(|x| x[1]).sum::<f64>() / x.len() as f64
    };
    let before = height(&mut simulation);
    for _ in 0..10 {
        simulation.step().unwrap();
    }
    let fallen = before - height(&mut simulation);
    // A step that is made again in two pieces falls by g h²/4 less.
    assert!((fallen / fall - 1.0).abs() < 5e-3, "{fallen} m of {fall} m");
}

/// In free flight E is rounding, which must not make steps shorter and shorter.
#[test]
fn a_block_that_fell_freely_meets_the_floor_as_with_newton_on_a_gpu() {
    if required::skip_without_gpu(!adapters().is_empty()) {
        return;
    }
    let text = "pliant = 1\n[time]\nframe_rate = 30\n[[solid]]\nshape = 'box'\nsize = 0.3\ncells = 5\nmodel = 'neo-hookean'\n\
                youngs_modulus = 3e4\ndensity = 1000\nposition = [0, 0.6, 0]\n[[collider]]\nshape = 'half-space'\n";
    let energy = |device: &str, method: &str| {
        let set = [("device.name", device), ("solver.method", method)].map(|(key, value)| (key.into(), value.into()));
        let scene = Scene::parse(text, "block", ".".as_ref(), &set).unwrap();
        let mut simulation = Simulation::on(&AllDevices, &scene).unwrap();
        (0..12).map(|_| simulation.step().unwrap().certificate.energy).last().unwrap()
    };
    let newton = energy("cpu", "newton");
    for method in ["descent", "nesterov-jacobi"] {
        let reached = energy("gpu", method);
        println!("{method}: {reached:.2} J, newton {newton:.2} J");
        assert!((reached / newton - 1.0).abs() < 0.2, "{method}: {reached} J, newton {newton} J");
    }
}
