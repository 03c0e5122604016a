//! Descents move bodies as they fall, whatever their unfinished solves leave of how they deform.

mod support;

use pliant::solver::{METHODS, Needs};
use pliant::step::Simulation;
use support::*;

/// Mean height over all vertices after so many steps, m.
fn height(text: &str, method: &str, steps: usize) -> f64 {
    let mut scene = scene(text);
    scene.solver.method = method.to_string();
    let mut simulation = Simulation::new(&scene).unwrap();
    for _ in 0..steps {
        simulation.step().unwrap();
    }
    let x = simulation.state().unwrap().x;
    x.iter().map(|x| x[1]).sum::<f64>() / x.len() as f64
}

fn descents() -> impl Iterator<Item = &'static str> {
    METHODS.iter().filter(|method| method.needs == Needs::Energy).map(|method| method.name)
}

const CLOTH: &str = "[time]\nframe_rate = 30\n[[cloth]]\nresolution = 21\nstretch = \"corotated\"\n";
const BLOCK: &str = "[time]\nframe_rate = 30\n[[solid]]\nshape = \"box\"\nsize = 0.3\ncells = 3\nmodel = \"neo-hookean\"\n\
                     youngs_modulus = 1e6\n";

/// Solves that began at x + h v let cloth hang in the air: in 96 iterations it moved by less than an `f32` can say.
#[test]
fn free_bodies_fall_freely_whatever_the_method() {
    let (steps, h) = (15.0, 1.0 / 30.0);
    let fall = 9.81 * h * h * steps * (steps + 1.0) / 2.0;
    for (name, text) in [("cloth", CLOTH), ("block", BLOCK)] {
        for method in descents() {
            let fallen = height(text, method, 0) - height(text, method, 15);
            println!("{name} {method}: {:.4}", fallen / fall);
            // A step that is made again in two pieces falls by g h²/4 less.
            assert!((fallen / fall - 1.0).abs() < 5e-3, "{name} {method}: {fallen} m of {fall} m");
        }
    }
}

#[test]
fn a_cloth_at_two_corners_swings_down_as_with_newton() {
    let text = format!("{CLOTH}[[pin]]\ncorners = [\"-x-z\", \"+x-z\"]\n");
    let newton = height(&text, "newton", 10);
    for method in ["descent", "nonlinear-cg-jacobi", "lbfgs-jacobi", "nesterov-jacobi", "gradient-descent-jacobi"] {
        let reached = height(&text, method, 10);
        println!("{method}: {reached:.4} m, newton {newton:.4} m");
        assert!(newton < -0.1 && reached < 0.6 * newton, "{method}: {reached} m, newton {newton} m");
    }
}

/// In free flight E is rounding, and for each time that it did not fall steps became shorter: with what was left of their length a
/// block that met the floor had five times the energy that it should have.
#[test]
fn a_block_that_fell_freely_meets_the_floor_as_with_newton() {
    let text = "[time]\nframe_rate = 30\n[[solid]]\nshape = \"box\"\nsize = 0.3\ncells = 5\nmodel = \"neo-hookean\"\n\
                youngs_modulus = 3e4\ndensity = 1000\nposition = [0, 0.6, 0]\n[[collider]]\nshape = \"half-space\"\n";
    let energy = |method: &str| {
        let mut scene = scene(text);
        scene.solver.method = method.to_string();
        let mut simulation = Simulation::new(&scene).unwrap();
        (0..12).map(|_| simulation.step().unwrap().certificate.energy).last().unwrap()
    };
    let newton = energy("newton");
    for method in ["descent", "nesterov-jacobi", "gradient-descent-jacobi"] {
        let reached = energy(method);
        println!("{method}: {reached:.2} J, newton {newton:.2} J");
        assert!((reached / newton - 1.0).abs() < 0.2, "{method}: {reached} J, newton {newton} J");
    }
}

/// What is not seen of an unfinished solve in E is said by what it leaves unbalanced.
#[test]
fn a_run_says_that_a_body_hangs_behind() {
    let text = format!("pliant = 1\n{CLOTH}[[pin]]\ncorners = [\"-x-z\", \"+x-z\"]\n");
    let set = [("solver.method", "descent"), ("solver.initial_guess", "velocity"), ("time.frames", "5")];
    let set: Vec<(String, String)> = set.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let scene = pliant::scene::Scene::parse(&text, "cloth", ".".as_ref(), &set).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let options = pliant::output::RunOptions { out: folder.path().to_path_buf(), ..Default::default() };
    let report = pliant::output::run(&pliant::device::CpuOnly, &scene, &options, &mut ()).unwrap();
    assert!(report.warnings.iter().any(|warning| warning.contains("unbalanced")), "{:?}", report.warnings);
}
