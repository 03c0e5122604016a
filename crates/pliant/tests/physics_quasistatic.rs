//! Without inertia every step ends in equilibrium.

mod support;

use pliant::model::Model;
use pliant::scene::Scene;
use pliant::step::Simulation;
use std::path::Path;
use support::*;

const BAR: &str = "[[solid]]\nshape = \"bar\"\nsize = [0.1, 0.4, 0.1]\ncells = [1, 4, 1]\nmodel = \"neo-hookean\"\n\
                   youngs_modulus = 1e6\npoisson_ratio = 0\ndensity = 1000\n";
const TOP: &str = "[[pin]]\ninside = [[-1, 0.19, -1], [1, 1, 1]]\n";
const STILL: &str = "[time]\nquasistatic = true\n";

fn lowest(simulation: &mut Simulation) -> f64 {
    simulation.state().unwrap().x.iter().map(|x| x[1]).fold(f64::MAX, f64::min)
}

/// Mean height of the lower end: the masses of its corners are not all the same.
fn end(simulation: &mut Simulation) -> f64 {
    let (model, x) = (simulation.model().clone(), simulation.state().unwrap().x);
    let lower = (0..x.len()).filter(|i| model.rest_x[*i][1] < -0.199);
    let (sum, count) = lower.fold((0.0, 0), |(sum, count), i| (sum + x[i][1], count + 1));
    sum / f64::from(count)
}

/// ρ g L²/(2 E), 0.78 mm, up to squares of strain.
#[test]
fn a_hanging_bar_is_as_long_as_its_weight_makes_it_after_one_step_with_every_method() {
    let mut found = Vec::new();
    for method in ["newton", "newton-pcg", "descent", "nonlinear-cg-jacobi", "lbfgs-jacobi"] {
        let text = format!("{STILL}{BAR}{TOP}[solver]\nmethod = \"{method}\"\n[device]\nprecision = \"f64\"\n");
        let mut simulation = Simulation::new(&scene(&text)).unwrap();
        let report = simulation.step().unwrap();
        assert_eq!(report.retries, 0, "{method}: {report:?}");
        let longer = -0.2 - end(&mut simulation);
        assert!((longer / 7.848e-4 - 1.0).abs() < 0.02, "{method}: {longer} m");
        assert!(simulation.state().unwrap().v.iter().all(|v| *v == [0.0; 3]));
        simulation.step().unwrap();
        assert!((-0.2 - end(&mut simulation) - longer).abs() < 1e-7, "{method} moves on");
        found.push(longer);
    }
    assert!(found.iter().all(|longer| (longer - found[0]).abs() < 1e-7), "{found:?}");
}

/// The same place as a simulation with inertia comes to rest at.
#[test]
fn a_damped_swing_ends_where_one_step_without_inertia_does() {
    let beam = "[[solid]]\nshape = \"box\"\nsize = [0.4, 0.1, 0.1]\ncells = [4, 2, 2]\nmodel = \"stable-neo-hookean\"\n\
                youngs_modulus = 2e5\npoisson_ratio = 0.3\ndensity = 1000\n[[pin]]\ninside = [[-1, -1, -1], [-0.19, 1, 1]]\n\
                [[force]]\nkind = \"rayleigh\"\nrate = 20\nretardation = 0.02\n[solver]\nmethod = \"newton\"\n\
                [device]\nprecision = \"f64\"\n";
    let mut still = Simulation::new(&scene(&format!("{STILL}{beam}"))).unwrap();
    (0..6).for_each(|_| {
        still.step().unwrap();
    });
    let mut moving = Simulation::new(&scene(&format!("[time]\nframe_rate = 10\n{beam}"))).unwrap();
    (0..200).for_each(|_| {
        moving.step().unwrap();
    });
    let (still, moving) = (still.state().unwrap().x, moving.state().unwrap().x);
    let apart = still.iter().zip(&moving).flat_map(|(a, b)| (0..3).map(|k| (a[k] - b[k]).abs())).fold(0.0, f64::max);
    let sag = still.iter().map(|x| -0.05 - x[1]).fold(0.0, f64::max);
    assert!(sag > 0.04 && apart < 1e-4 * sag, "{apart} m apart, {sag} m sag");
}

#[test]
fn pins_that_move_carry_a_body_along_and_a_collider_bears_it() {
    let moved = format!("gravity = [0, 0, 0]\n{STILL}frame_rate = 10\n{BAR}{TOP}velocity = [1, 0, 0]\n");
    let mut simulation = Simulation::new(&scene(&moved)).unwrap();
    (0..10).for_each(|_| {
        simulation.step().unwrap();
    });
    let state = simulation.state().unwrap();
    let (start, end) = (Model::new(&scene(&moved)).unwrap().1.x, state.x);
    assert!(start.iter().zip(&end).all(|(a, b)| (b[0] - a[0] - 1.0).abs() < 1e-3), "{:?}", end[0]);

    let ball = "[[solid]]\nshape = \"sphere\"\nradius = 0.1\nedge = 0.05\nmodel = \"neo-hookean\"\nyoungs_modulus = 1e5\n\
                density = 1000\nposition = [0, 0.1, 0]\nthickness = 0.005\n[[collider]]\nshape = \"half-space\"\n";
    let mut simulation = Simulation::new(&scene(&format!("{STILL}{ball}[solver]\nmethod = \"newton\"\n"))).unwrap();
    let mut last = simulation.step().unwrap();
    (0..5).for_each(|_| last = simulation.step().unwrap());
    let low = lowest(&mut simulation);
    assert!((-1e-3..6e-3).contains(&low), "{low} m, {:?}", last.certificate);
}

#[test]
fn what_has_no_equilibrium_is_refused_with_what_to_do() {
    let parse = |text: &str| Scene::parse(&format!("pliant = 1\n{text}"), "t", Path::new("."), &[]);
    let refused = |text: &str| match parse(text) {
        Ok(scene) => Simulation::new(&scene).map(|_| ()).unwrap_err().to_string(),
        Err(error) => error.to_string(),
    };
    let error = refused(&format!("{STILL}{BAR}"));
    assert!(error.contains("nothing holds it") && error.contains("[[pin]]") && error.contains("'solid'"), "{error}");
    assert!(refused(&format!("{STILL}{BAR}{TOP}release = 1\n")).contains("never released"));
    assert!(refused(&format!("{STILL}{BAR}{TOP}[solver]\nmethod = \"xpbd\"\n")).contains("quasistatic"));
    assert!(refused(&format!("{STILL}{BAR}{TOP}[contact]\nself_collision = true\n")).contains("between bodies"));
}
