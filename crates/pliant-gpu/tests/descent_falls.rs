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
