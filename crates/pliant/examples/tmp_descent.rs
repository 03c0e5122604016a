#![allow(missing_docs)]
use pliant::device::CpuOnly;
use pliant::scene::Scene;
use pliant::step::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let set: Vec<(String, String)> = args[3..]
        .iter()
        .map(|s| {
            let (a, b) = s.split_once('=').unwrap();
            (a.to_string(), b.to_string())
        })
        .collect();
    let frames: usize = args[2].parse().unwrap();
    let scene = Scene::read(std::path::Path::new(&args[1]), &set).unwrap();
    let mut newton = scene.clone();
    newton.solver.method = "newton".into();
    let mut sim = Simulation::new(&newton).unwrap();
    for _ in 0..frames {
        sim.step().unwrap();
    }
    let model = sim.model().clone();
    let mut state = sim.state().unwrap();
    let sides = sim.sides().unwrap();
    println!("{} vertices", model.vertices());
    for guess in ["acceleration"] {
        for rho in [0.99, 0.998, 0.999, 0.9995, 0.9998, 0.9999] {
            for alpha in [0.4f64, 0.5, 0.6] {
                let mut scene = scene.clone();
                scene.solver.under_relaxation = Some(alpha);
                scene.solver.initial_guess = Some(if guess == "inertia" {
                    pliant::scene::InitialGuess::Inertia
                } else {
                    pliant::scene::InitialGuess::Acceleration
                });
                state.v_before.clear();
                let q = Question { scene: &scene, model: &model, state: &state, sides: &sides };
                let c = compare(&CpuOnly, &q, &[("descent", Some(rho), 96)], |_| ()).unwrap();
                let cv = &c.methods[0].curve;
                println!(
                    "{guess:12} rho {rho} alpha {alpha}: {}",
                    [0, 8, 16, 32, 64, 96]
                        .map(|k| format!("{k}: {:.2e}", cv[k.min(cv.len() - 1)].relative_error))
                        .join(" ")
                );
            }
        }
    }
}
