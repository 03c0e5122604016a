//! How much too stiff linear tetrahedra are in bending: a cantilever with a load at its tip against beam theory.
//!
//!     cargo test -p pliant --test physics_cantilever -- --nocapture
//!
//! Euler and Bernoulli: the tip sinks by P L³ / (3 E I), I = a⁴ / 12; Timoshenko adds P L / (5/6 G A) for shear, here less than
//! 1 %. The load is small enough for the beam to stay straight: what is missing is the elements' fault.

mod support;

use pliant::device::Cpu;
use pliant::model::{Model, State};
use pliant::scene::LinearSettings;
use pliant::solver::{Control, Parameters, find_method, minimise};
use std::sync::Arc;
use support::*;

/// Length and sides of the beam, m; Young's modulus, Pa; load, N.
const LENGTH: f64 = 1.0;
const SIDE: f64 = 0.1;
const YOUNG: f64 = 1e6;
const LOAD: f64 = 0.0025;
const H: f64 = 1.0;

/// A beam along x with so many cells across, held at its low end, with all its mass at the other: its weight is the load.
fn beam(model: &str, across: usize, poisson_ratio: f64) -> (Arc<Model>, State, Vec<usize>) {
    let (model, state) = Model::new(&scene(&format!(
        "gravity = [0, -10, 0]\n[[solid]]\nshape = 'bar'\nsize = [{LENGTH}, {SIDE}, {SIDE}]\ncells = [{}, {across}, {across}]\n\
         model = '{model}'\nyoungs_modulus = {YOUNG}\npoisson_ratio = {poisson_ratio}\n\
         [[pin]]\ninside = [[-0.51, -1, -1], [-0.49999, 1, 1]]\n",
        10 * across
    )))
    .unwrap();
    let end: Vec<usize> = (0..model.vertices()).filter(|&i| model.rest_x[i][0] > LENGTH / 2.0 - 1e-9).collect();
    // An edge of the end face has half of an inner vertex's part of it, a corner a quarter.
    let part = |i: usize| {
        let half = |c: f64| if c.abs() > SIDE / 2.0 - 1e-9 { 0.5 } else { 1.0 };
        half(model.rest_x[i][1]) * half(model.rest_x[i][2]) / (across * across) as f64
    };
    let mut mass = vec![1e-12; model.vertices()];
    end.iter().for_each(|&i| mass[i] = LOAD / 10.0 * part(i));
    (Arc::new(Model { mass, ..model }), state, end)
}

/// How far the end of the beam sinks, over what Euler and Bernoulli say.
fn sag(model: &str, across: usize, poisson_ratio: f64) -> f64 {
    let (model, mut state, end) = beam(model, across, poisson_ratio);
    // The load pulls at a spring a hundred thousand times as stiff as inertia: the second step, from rest again, is exact.
    for _ in 0..2 {
        let mut step = Step::<f64>::new(&model, &state, H);
        let potential = step.potential();
        step.x = step.x_prev.clone();
        let report = minimise(&potential, &mut step.x, 1e-9, |k, _| k < 100).unwrap();
        assert!(report.gradient_norm < 1e-6 * LOAD, "{across} {poisson_ratio}: {report:?}");
        state = State { v: vec![[0.0; 3]; model.vertices()], ..step.end(&state) };
    }
    let sunk = end.iter().map(|&i| model.rest_x[i][1] - state.x[i][1]).sum::<f64>() / end.len() as f64;
    sunk / (LOAD * LENGTH.powi(3) / (3.0 * YOUNG * SIDE.powi(4) / 12.0))
}

/// The same by linear solves with the rotations of the step before. The load is small, so that one of them is all.
fn linear_sag(across: usize, poisson_ratio: f64) -> f64 {
    let (model, mut state, end) = beam("corotated", across, poisson_ratio);
    let linear = LinearSettings { assembled: true, ..LinearSettings::default() };
    let parameters = Parameters { linear, ..Parameters::default() };
    let mut solver = find_method("corotated-cg").unwrap().solver::<Cpu<f64>>(&model, &parameters);
    for _ in 0..2 {
        let mut step = Step::<f64>::new(&model, &state, H);
        step.x = step.x_prev.clone();
        let mut control = Control::iterations(100_000).to_tolerance(1e-7);
        let report = solver.solve(&mut step.device, &mut step.problem, &mut step.x, &mut control).unwrap();
        assert!(report.converged, "{report:?}");
        state = State { v: vec![[0.0; 3]; model.vertices()], ..step.end(&state) };
    }
    let sunk = end.iter().map(|&i| model.rest_x[i][1] - state.x[i][1]).sum::<f64>() / end.len() as f64;
    sunk / (LOAD * LENGTH.powi(3) / (3.0 * YOUNG * SIDE.powi(4) / 12.0))
}

/// What locks is the coarse mesh, not the method: with half the cells' side two fifths to a quarter of the error are left. Limits
/// are 0.5 % (ν = 0) and 1.6 % (ν = 0.3) below Timoshenko's: with ν = 0.3, 1 % was wanted, but errors are not yet of second order.
#[test]
fn refined_beams_solved_by_conjugate_gradients_tend_to_beam_theory() {
    for (poisson_ratio, bound) in [(0.0, 0.01), (0.3, 0.02)] {
        let theory = 1.0 + 0.5 * (1.0 + poisson_ratio) * (SIDE / LENGTH).powi(2) / (5.0 / 6.0);
        let found = [2, 4, 6, 8].map(|across| linear_sag(across, poisson_ratio));
        assert!((found[1] - sag("corotated", 4, poisson_ratio)).abs() < 1e-3, "what Newton finds");
        // Errors of second order: those of 6 and 8 cells are as 16 to 9.
        let limit = found[3] + (found[3] - found[2]) * 9.0 / 7.0;
        println!(
            "Poisson's ratio {poisson_ratio}: 2, 4, 6, 8 cells across {found:.4?}, limit {limit:.4}, theory {theory:.4}"
        );
        assert!((limit / theory - 1.0).abs() < bound, "{poisson_ratio}: {limit} {theory}");
        assert!(found.is_sorted() && found[3] < theory, "{found:?}");
    }
}

#[test]
fn a_beam_of_linear_tetrahedra_bends_too_little_and_less_so_the_finer_it_is() {
    println!("Poisson's ratio, sag over Euler-Bernoulli of 1, 2, 4, 8 cells across, Timoshenko over Euler-Bernoulli");
    for poisson_ratio in [0.0, 0.3, 0.45] {
        let theory = 1.0 + 0.5 * (1.0 + poisson_ratio) * (SIDE / LENGTH).powi(2) / (5.0 / 6.0);
        let found = [1, 2, 4, 8].map(|across| sag("corotated", across, poisson_ratio));
        println!("{poisson_ratio} {found:.3?} {theory:.3}");
        assert!(found.is_sorted() && found[3] < theory, "{found:?}");
        if poisson_ratio == 0.0 {
            assert!((0.82..0.84).contains(&found[2]), "what documents say: {found:?}");
            // Second order, so the error of 8 cells is a third of what 4 cells had more.
            let limit = found[3] + (found[3] - found[2]) / 3.0;
            assert!((limit - theory).abs() < 0.015, "{limit} {theory}");
        }
    }
}

/// For small strains as rigid as possible is corotated with Poisson's ratio 0.
#[test]
fn as_rigid_as_possible_tetrahedra_are_as_stiff_in_bending() {
    let [arap, corotated] = ["arap", "corotated"].map(|model| sag(model, 4, 0.0));
    assert!((arap - corotated).abs() < 1e-3, "{arap} {corotated}");
}
