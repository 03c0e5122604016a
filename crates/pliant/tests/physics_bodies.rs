//! Bodies stop each other and themselves, and Coulomb's law holds between them.

mod support;

use pliant::math::Vec3;
use pliant::mesh::self_intersections;
use pliant::model::{Model, State};
use pliant::scene::Scene;
use pliant::solver::METHODS;
use pliant::step::Simulation;
use std::sync::Arc;
use support::*;

const H: f64 = 1.0 / 60.0;
const ON: &str = "[contact]\nself_collision = true\n";

/// Methods of every kind.
const KINDS: [&str; 9] = [
    "pd-multigrid-chebyshev",
    "pd-jacobi-chebyshev",
    "pd-gauss-seidel-chebyshev",
    "pd-pcg",
    "pd-direct-chebyshev",
    "newton",
    "pbd-jacobi",
    "pbd-gauss-seidel",
    "xpbd",
];

fn with_method(text: &str, method: &str) -> Scene {
    let mut scene = scene(&format!("{ON}{text}"));
    scene.solver.method = method.to_string();
    scene
}

/// Pairs of triangles that cross.
fn crossings(model: &Model, state: &State) -> usize {
    let triangles: Vec<[u32; 3]> = model.surface().collect();
    self_intersections(&state.x, &triangles, 10_000).len()
}

fn speed(state: &State) -> f64 {
    let length = |v: &[f64; 3]| Vec3::<f64>::of(*v).length();
    state.v.iter().map(length).sum::<f64>() / state.v.len() as f64
}

fn middle(model: &Model, state: &State, body: usize) -> Vec3<f64> {
    let vertices = model.bodies[body].vertices.clone();
    let mass: f64 = vertices.clone().map(|i| model.mass[i]).sum();
    vertices.map(|i| Vec3::<f64>::of(state.x[i]) * (model.mass[i] / mass)).fold(Vec3::ZERO, |sum, x| sum + x)
}

/// A cloth that falls on another one, tilted against it, in the middle of its fall.
fn two_cloths(friction: f64) -> (Arc<Model>, State) {
    build(&scene(&format!(
        "{ON}friction = {friction}\n[[cloth]]\nsize = 0.5\nresolution = 8\nthickness = \"1 cm\"\nstretch_stiffness = 300\n\
         [[cloth]]\nsize = 0.4\nresolution = 7\nthickness = \"1 cm\"\nstretch_stiffness = 300\nposition = [0.03, 0.012, 0.02]\n\
         rotation = [2, 20, 1]\nvelocity = [0.4, -0.6, 0]\n[[pin]]\nbody = \"cloth0\"\ncorners = [\"-x-z\", \"+x-z\", \"-x+z\"]\n"
    )))
}

#[test]
fn every_exact_method_solves_a_step_of_two_cloths_in_contact_as_newton_does() {
    for friction in [0.0, 0.4] {
        let (model, state) = two_cloths(friction);
        let truth = newton_steps(&model, &state, H, 3);
        let mut step = Step::<f64>::new(&model, &truth, H);
        let potential = step.potential();
        let (solved, report) = newton(&model, &truth, H);
        let active = potential.active_touches(&solved.x);
        assert!(report.converged && active > 20, "{active}");
        for method in METHODS.iter().filter(|method| method.minimises) {
            let mut step = Step::<f64>::new(&model, &truth, H);
            let report = step.solve(method.name, 20_000, 1e-12, |_, _| {}).unwrap();
            let error = distance(&step.x, &solved.x);
            println!("friction {friction} {}: {error:e} m after {} iterations", method.name, report.iterations);
            assert!(error < 1e-7, "{} with friction {friction}: {error:e}", method.name);
        }
    }
}

#[test]
fn a_cloth_that_falls_on_another_one_rests_on_it() {
    let text = "[[cloth]]\nsize = 0.6\nresolution = 16\nposition = [0, 0.0012, 0]\n[[cloth]]\nsize = 0.4\nresolution = 13\n\
                position = [0.01, 0.08, 0.02]\nrotation = [3, 30, 2]\n[[collider]]\nshape = \"half-space\"\n";
    for method in KINDS {
        let mut simulation = Simulation::new(&with_method(text, method)).unwrap();
        let mut retries = 0;
        for _ in 0..120 {
            retries += simulation.step().unwrap().retries;
        }
        let state = simulation.state().unwrap();
        let model = simulation.model().clone();
        let height = middle(&model, &state, 1).y;
        let (crossed, speed) = (crossings(&model, &state), speed(&state));
        println!(
            "{method}: {:.2} mm high, {crossed} crossings, {:.2} mm/s, {retries} retries",
            1e3 * height,
            1e3 * speed
        );
        assert!((height - 2e-3).abs() < 5e-4 && crossed == 0, "{method}: {height} m, {crossed} crossings");
        assert!(speed < 2e-2, "{method}: {speed} m/s");
    }
}

#[test]
fn a_cloth_that_falls_on_its_edge_folds_without_passing_through_itself() {
    let text = "[[cloth]]\nsize = [0.3, 0.5]\nresolution = [16, 26]\nthickness = \"4 mm\"\nposition = [0, 0.28, 0]\nrotation = [84, 10, 0]\n\
                [[collider]]\nshape = \"half-space\"\nfriction = 0.5\n";
    for method in KINDS {
        let mut simulation = Simulation::new(&with_method(text, method)).unwrap();
        let mut most = 0;
        for k in 0..120 {
            simulation.step().unwrap();
            if k % 10 == 9 {
                most = most.max(crossings(&simulation.model().clone(), &simulation.state().unwrap()));
            }
        }
        let state = simulation.state().unwrap();
        let crossed = crossings(simulation.model(), &state);
        println!("{method}: {crossed} crossings at the end, {most} at most, {:.2} mm/s", 1e3 * speed(&state));
    }
}

#[test]
fn momentum_of_two_bodies_that_collide_is_conserved() {
    let text = "gravity = [0, 0, 0]\n[[cloth]]\nsize = 0.4\nresolution = 11\nvelocity = [0, 0.5, 0]\nstretch_stiffness = 100\n[[cloth]]\nsize = 0.3\n\
                resolution = 8\nposition = [0.02, 0.03, 0.01]\nrotation = [5, 20, 0]\nvelocity = [0.1, -1, 0]\nstretch_stiffness = 100\n";
    for method in KINDS {
        let mut scene = scene(&text.replacen("[[cloth]]", &format!("{ON}[[cloth]]"), 1));
        scene.solver.method = method.to_string();
        scene.solver.iterations = Some(400).filter(|_| method != "newton");
        let mut simulation = Simulation::new(&scene).unwrap();
        let model = simulation.model().clone();
        let momentum = |state: &State| {
            (0..state.v.len()).fold(Vec3::ZERO, |sum, i| sum + Vec3::<f64>::of(state.v[i]) * model.mass[i])
        };
        let before = simulation.state().unwrap();
        let first = momentum(&before);
        for _ in 0..20 {
            simulation.step().unwrap();
        }
        let after = simulation.state().unwrap();
        let lost = (momentum(&after) - first).length();
        let scale: f64 = (0..before.v.len()).map(|i| Vec3::<f64>::of(before.v[i]).length() * model.mass[i]).sum();
        let turned = middle(&model, &after, 1).y - middle(&model, &after, 0).y;
        println!("{method}: {:.3} % of the momentum, upper one {:.1} mm above", 100.0 * lost / scale, 1e3 * turned);
        assert!(lost < 0.01 * scale && turned > 0.0, "{method}: {lost} of {scale}");
    }
}
