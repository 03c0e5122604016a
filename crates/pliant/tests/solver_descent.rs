//! Descent methods converge to what Newton finds, for every material, and never raise E.

#[path = "support/recovery.rs"]
mod recovery;
mod support;

use pliant::device::{Cpu, CpuOnly, Device, Scale};
use pliant::math::{Mat3, Vec3};
use pliant::model::{Curvature, Model, State};
use pliant::scene::{InitialGuess, Scene};
use pliant::solver::{METHODS, Needs, minimise};
use pliant::step::{Question, Simulation, compare, rho_for};
use recovery::{MODELS, crushed, from_data, generated, recover};
use std::sync::Arc;
use support::*;

/// Descent in all its variants.
fn descent_methods() -> impl Iterator<Item = &'static str> {
    METHODS.iter().filter(|method| method.needs == Needs::Energy && method.name != "newton").map(|method| method.name)
}

/// A soft block that is held at one side, sags, and was jolted.
fn block(model: &str) -> (Arc<Model>, State) {
    let text = format!(
        "[[solid]]\nshape = \"box\"\nsize = [0.4, 0.2, 0.2]\ncells = [4, 2, 2]\njitter = 0.01\nyoungs_modulus = 4e4\n\
         poisson_ratio = 0.35\ndensity = 1000\nmodel = \"{model}\"\n\
         [[pin]]\ninside = [[-0.22, -1, -1], [-0.18, 1, 1]]\n"
    );
    let (model, mut state) = build(&scene(&text));
    let mut random = Random(11);
    state.v.iter_mut().for_each(|v| *v = random.point());
    (model, state)
}

#[test]
fn every_method_ends_where_newton_does_for_every_material() {
    for model in MODELS {
        let (block, state) = block(model);
        let (exact, report) = newton(&block, &state, 1.0 / 30.0);
        assert!(report.converged, "{model}: {report:?}");
        for method in descent_methods() {
            let mut step = Step::<f64>::new(&block, &state, 1.0 / 30.0);
            let mut energies = Vec::new();
            let solved = step.solve(method, 20_000, 1e-10, |_, energy| energies.push(energy)).unwrap();
            // What Newton finds from where the method ended: `stvk` has several minima, and who came through what crushes an
            // element has converted it, which is another objective.
            let converted = step.device.request_conversion().unwrap().iter().any(|share| *share > 0.0);
            let (mut there, mut known) = (exact.x.clone(), report.energy);
            if model == "stvk" || converted {
                there.clone_from(&step.x);
                known = minimise(&step.potential(), &mut there, 1e-10, |k, _| k < 2000).unwrap().energy;
            }
            let apart = distance(&step.x, &there);
            assert!(apart < 1e-8, "{model}, {method}: {apart} m from Newton after {} iterations", solved.iterations);
            let end = step.device.objective(&mut step.problem, &step.x).unwrap();
            assert!((end - known).abs() < 1e-10 * energies[0].abs(), "{model}, {method}: {end}, {known}");
        }
    }
}

#[test]
fn a_solve_never_ends_above_where_it_begins_however_wrong_its_parameters_are() {
    let (block, state) = block("neo-hookean");
    for method in descent_methods() {
        for iterations in [1, 7, 8, 9, 50] {
            let mut step = Step::<f64>::new(&block, &state, 0.2);
            // From where half of the elements are crushed.
            let mut random = Random(5);
            step.x.iter_mut().for_each(|x| *x = (Vec3::load(*x) + Vec3::of(random.point()) * 0.08).store());
            let mut first = None;
            step.solve(method, iterations, 0.0, |_, energy| {
                first.get_or_insert(energy);
            })
            .unwrap();
            let end = step.device.objective(&mut step.problem, &step.x).unwrap();
            let first = first.unwrap();
            assert!(end <= first * (1.0 + 1e-13), "{method}, {iterations} iterations: {first} J became {end} J");
            assert!(end < 0.5 * first || iterations < 50, "{method}: {first} J became {end} J");
        }
    }
}

#[test]
fn gradients_are_divided_by_the_diagonal_blocks_of_the_hessian_or_by_the_largest() {
    let (model, state) = block("fung");
    let mut step = Step::<f64>::new(&model, &state, 1.0 / 30.0);
    let mut random = Random(3);
    step.x.iter_mut().for_each(|x| *x = (Vec3::load(*x) + Vec3::of(random.point()) * 0.005).store());
    let mut blocks = vec![Mat3::<f64>::ZERO; model.vertices()];
    step.potential().hessian(&step.x, Curvature::Projected, &mut |i, j, block| {
        if i == j {
            blocks[i as usize] += block;
        }
    });
    let Step { device, problem, x, system, .. } = &mut step;
    let r: Vec<[f64; 4]> = x.iter().map(|_| Vec3::of(random.point()).store()).collect();
    let mut z = r.clone();
    device.rescale(problem, Scale::Blocks, x);
    device.divide_by_scale(problem, &r, &mut z);
    for i in 0..r.len() {
        let (expected, found) = (Vec3::load(r[i]), blocks[i] * Vec3::load(z[i]));
        let error = if system.held[i] { Vec3::load(z[i]).length() } else { (expected - found).length() };
        assert!(error < 1e-9, "vertex {i}: {expected:?}, {found:?}");
    }
    device.rescale(problem, Scale::Largest, x);
    device.divide_by_scale(problem, &r, &mut z);
    let free = (0..r.len()).find(|i| !system.held[*i]).unwrap();
    let largest = Vec3::load(r[free]).length() / Vec3::load(z[free]).length();
    let stiffest = blocks.iter().map(|block| (*block * Vec3::axis(0)).length()).fold(0.0, f64::max);
    assert!(largest >= stiffest && largest < 3.0 * stiffest, "{largest}, {stiffest}");
    assert!(
        (0..r.len())
            .filter(|i| !system.held[*i])
            .all(|i| { (Vec3::load(r[i]) - Vec3::load(z[i]) * largest).length() < 1e-9 })
    );
}

/// A creature of flesh that hangs by its head, after 0.2 s.
fn swinging_creature() -> (Scene, Arc<Model>, State) {
    let text = "[time]\nframe_rate = 30\n[[solid]]\nshape = \"creature\"\ntets = 4000\nmodel = \"neo-hookean\"\n\
                youngs_modulus = 3e4\npoisson_ratio = 0.4\ndensity = 1000\n[[pin]]\ninside = [[-1, 0.85, -1], [1, 2, 1]]\n\
                [solver]\nmethod = \"newton\"\n";
    let scene = scene(text);
    let mut simulation = Simulation::new(&scene).unwrap();
    for _ in 0..6 {
        simulation.step().unwrap();
    }
    let (model, state) = (simulation.model().clone(), simulation.state().unwrap());
    (scene, model, state)
}

/// Course fig 11: the order of methods, and how far 96 iterations come, on a swinging creature of flesh.
#[test]
fn ninety_six_iterations_of_descent_leave_a_thousandth_and_the_methods_keep_their_order() {
    let (scene, model, state) = swinging_creature();
    let question = Question { scene: &scene, model: &model, state: &state, sides: &Default::default() };
    let names = [
        "gradient-descent",
        "gradient-descent-jacobi",
        "nesterov-jacobi",
        "descent",
        "nonlinear-cg-jacobi",
        "lbfgs-jacobi",
    ];
    let methods = names.map(|name| {
        let method = METHODS.iter().find(|method| method.name == name).unwrap();
        (name, rho_for(&scene, &model, method), 96)
    });
    let comparison = compare(&CpuOnly, &question, &methods, |_| ()).unwrap();
    let errors: Vec<f64> = comparison.methods.iter().map(|m| m.curve.last().unwrap().relative_error).collect();
    println!("{names:?} {errors:?}");
    let newton = compare(&CpuOnly, &question, &[("newton", None, 6)], |_| ()).unwrap();
    let newton: Vec<f64> = newton.methods[0].curve.iter().map(|point| point.relative_error).collect();
    println!("{newton:?}");
    let [plain, jacobi, nesterov, chebyshev, cg, lbfgs] = errors[..] else { panic!("{errors:?}") };
    assert!(plain > 2.0 * jacobi && jacobi > 2.0 * nesterov && nesterov > 2.0 * chebyshev, "{errors:?}");
    assert!(chebyshev < 1e-3, "{errors:?}");
    // Found: 7.5e-7 by Chebyshev, 5.9e-10 by conjugate gradients, 3.1e-10 by L-BFGS. Both know the spectrum better than one ρ does.
    assert!(cg < chebyshev && lbfgs < chebyshev, "{errors:?}");
    assert!(cg < 10.0 * lbfgs && lbfgs < 10.0 * cg, "{errors:?}");
    // Per iteration nothing comes near Newton: found 5.0e-3, 5.4e-6 and 6.7e-11 after one, two and three.
    assert!(newton[2] < nesterov && newton[3] < cg.min(lbfgs), "{newton:?}, {errors:?}");
}

/// Course fig 12: 96 iterations end about alike with a preconditioner that is 32 iterations old and with a new one.
#[test]
fn on_a_swinging_creature_it_hardly_matters_how_rarely_the_preconditioner_is_renewed() {
    let (mut scene, model, state) = swinging_creature();
    let method = METHODS.iter().find(|method| method.name == "descent").unwrap();
    let rho = rho_for(&scene, &model, method);
    let errors = [1, 2, 4, 8, 16, 32].map(|every| {
        scene.solver.renew_every = Some(every);
        let question = Question { scene: &scene, model: &model, state: &state, sides: &Default::default() };
        let comparison = compare(&CpuOnly, &question, &[("descent", rho, 96)], |_| ()).unwrap();
        comparison.methods[0].curve.last().unwrap().relative_error
    });
    println!("{errors:?}");
    let least = errors.into_iter().fold(f64::MAX, f64::min);
    assert!(errors.iter().all(|error| *error < 1e-3 && *error < 1.1 * least), "{errors:?}");
}

#[test]
fn a_resumed_simulation_takes_the_same_steps() {
    let text = "[time]\nframe_rate = 30\n[[solid]]\nshape = \"box\"\nsize = 0.2\ncells = 3\nmodel = \"stvk\"\n\
                scramble = true\nseed = 1\n[solver]\nmethod = \"descent\"\niterations = 24\n";
    let scene = scene(&text.replace("seed = 1\n", ""));
    let mut whole = Simulation::new(&scene).unwrap();
    for _ in 0..5 {
        whole.step().unwrap();
    }
    let middle = whole.state().unwrap();
    assert!(!middle.v_before.is_empty() && middle.step_length > 0.0, "{}", middle.step_length);
    assert!(middle.converted.iter().any(|share| *share > 0.0 && *share < 1.0), "nothing is converted");
    let mut resumed = Simulation::new(&scene).unwrap();
    resumed.set_state(&middle).unwrap();
    resumed.set_rho(whole.rho().unwrap());
    for _ in 0..3 {
        whole.step().unwrap();
        resumed.step().unwrap();
        assert!(whole.state().unwrap() == resumed.state().unwrap());
    }
}

#[test]
fn first_iterates_are_what_they_are_called() {
    let text = |guess: &str| {
        format!(
            "gravity = [0, 0, 0]\n[time]\nframe_rate = 30\n[[solid]]\nshape = \"box\"\ncells = 1\nvelocity = [1, 0, 0]\n\
             model = \"neo-hookean\"\n[[pin]]\ninside = [[-9, -9, -9], [9, 9, 9]]\nstiffness = 1e-9\n[solver]\nmethod = \"descent\"\ninitial_guess = \"{guess}\"\niterations = 1\n"
        )
    };
    // Flight is solved by where velocities lead, and by nothing else in one iteration. What no pin holds, not even one as weak as
    // these, flies with any guess.
    for (guess, moved) in
        [("velocity", true), ("acceleration", true), ("inertia", true), ("optimal", true), ("position", false)]
    {
        let scene = scene(&text(guess));
        let mut simulation = Simulation::new(&scene).unwrap();
        let before = simulation.state().unwrap();
        let certificate = simulation.step().unwrap().certificate;
        assert_eq!(certificate.start_energy < 1e-9, moved, "{guess}: {certificate:?}");
        let after = simulation.state().unwrap();
        let distance = after.x[0][0] - before.x[0][0];
        assert!(!moved || (distance - 1.0 / 30.0).abs() < 1e-6, "{guess}: {distance} m");
    }
    assert_eq!(scene(&text("optimal")).solver.initial_guess, Some(InitialGuess::Optimal));
}

/// METHODS 6: flattened and scrambled, with every material; a hundred of each by `cargo bench -p pliant --bench recovery`.
#[test]
fn crushed_solids_of_every_material_come_back_to_their_shape() {
    for (k, model) in MODELS.into_iter().enumerate() {
        let [lattice, ball] = generated();
        // The hundreds are in `benches/recovery.rs`.
        for (shape, seed) in [(&lattice, 1 + k as u64), (&ball, 4 + k as u64)] {
            let recovery = recover(&crushed(shape, model, seed, "descent"));
            assert!(recovery.is_whole(), "{model} {} {seed}: {recovery:?}", shape.name);
        }
    }
}

#[test]
fn a_crushed_solid_of_irregular_tets_comes_back() {
    let Some(bar) = from_data("ipcbar_186", 0.05) else { return eprintln!("no reference data here") };
    // The last two came back, and then moved apart with steps so short that they were lost in rounding.
    for (model, seed) in [("neo-hookean", 1), ("stvk", 2), ("spline", 3), ("arap", 5), ("arap", 23)] {
        let recovery = recover(&crushed(&bar, model, seed, "descent"));
        assert!(recovery.is_whole(), "{model} {seed}: {recovery:?}");
    }
}

/// Course 3.4: strain limiting in place of conversion.
#[test]
fn a_crushed_block_that_is_never_converted_comes_back_by_its_strain_limit() {
    let limited = |extra: &str| {
        let text = format!(
            "gravity = [0, 0, 0]\nseed = 3\n[time]\nframe_rate = 30\n[[solid]]\nshape = \"box\"\nsize = 0.2\ncells = 3\n\
             model = \"stvk\"\nyoungs_modulus = 1e5\npoisson_ratio = 0.4\ndensity = 1000\nscramble = true\nflatten = true\n\
             {extra}[[force]]\nkind = \"damping\"\nrate = 2\n[solver]\nmethod = \"descent\"\n"
        );
        scene(&text)
    };
    let scene = limited("conversion = false\nstrain_limit = [0.7, 1.5]\n");
    let mut simulation = Simulation::new(&scene).unwrap();
    simulation.step().unwrap();
    assert!(simulation.state().unwrap().converted.iter().all(|share| *share == 0.0), "something is converted");
    let recovery = recover(&scene);
    assert!(recovery.is_whole(), "{recovery:?}");
    let mut simulation = Simulation::new(&limited("")).unwrap();
    simulation.step().unwrap();
    assert!(simulation.state().unwrap().converted.iter().any(|share| *share > 0.0), "nothing is converted");
}

#[test]
fn contact_holds_a_soft_ball() {
    let text = "[time]\nframe_rate = 60\n[[solid]]\nshape = \"sphere\"\nradius = 0.1\nedge = 0.04\nmodel = \"neo-hookean\"\n\
                youngs_modulus = 1e5\ndensity = 1000\nposition = [0, 0.12, 0]\n[[collider]]\nshape = \"half-space\"\n\
                [solver]\nmethod = \"descent\"\n[[force]]\nkind = \"damping\"\nrate = 3\n";
    let mut simulation = Simulation::new(&scene(text)).unwrap();
    let mut last = simulation.step().unwrap();
    (1..120).for_each(|_| last = simulation.step().unwrap());
    let state = simulation.state().unwrap();
    let lowest = state.x.iter().map(|x| x[1]).fold(f64::MAX, f64::min);
    let fastest = state.v.iter().map(|v| v.iter().map(|c| c * c).sum::<f64>().sqrt()).fold(0.0, f64::max);
    assert!(lowest > -1e-3 && lowest < 2e-3 && fastest < 0.02, "{lowest} m, {fastest} m/s, {:?}", last.certificate);
}

#[test]
fn precision_f32_is_enough() {
    let (block, state) = block("mooney-rivlin");
    let exact = newton(&block, &state, 1.0 / 30.0).0;
    let mut step = Step::<f32>::new(&block, &state, 1.0 / 30.0);
    step.solve("descent", 400, 0.0, |_, _| ()).unwrap();
    let apart = distance(&step.x, &exact.x);
    assert!(apart < 2e-6, "{apart} m");
    let _: &Cpu<f32> = &step.device;
}

/// With Nesterov's momentum they wandered by a rounding error in each iteration, which a stiff body felt: its energy changed by
/// more than the iterations gained, and steps grew ever shorter.
#[test]
fn held_vertices_stay_to_the_bit() {
    let text = "[[solid]]\nshape = \"box\"\nsize = [0.2, 0.3, 0.2]\ncells = [2, 4, 2]\nyoungs_modulus = 1e5\n\
                poisson_ratio = 0.4\ndensity = 1000\nmodel = \"arap\"\n\
                [[pin]]\ninside = [[-1, -1, -1], [1, -0.14, 1]]\n\
                [[pin]]\ninside = [[-1, 0.14, -1], [1, 1, 1]]\nvelocity = [0, 0.15, 0]\n";
    for method in descent_methods() {
        let mut scene = scene(text);
        scene.solver.method = method.to_string();
        let mut simulation = Simulation::new(&scene).unwrap();
        let start = simulation.state().unwrap();
        for step in 0..20 {
            let report = simulation.step().unwrap();
            assert_eq!(report.retries, 0, "{method}, step {step}: {report:?}");
        }
        let end = simulation.state().unwrap();
        let mut heights = Vec::new();
        for (from, to) in start.x.iter().zip(&end.x).filter(|(from, _)| from[1].abs() > 0.14) {
            assert_eq!((from[0], from[2]), (to[0], to[2]), "{method}");
            assert!(from[1] > 0.0 || from[1] == to[1], "{method}");
            heights.extend((from[1] > 0.0).then_some(to[1]));
        }
        assert!(heights.len() == 9 && heights.iter().all(|y| *y == heights[0]), "{method}: {heights:?}");
    }
}
