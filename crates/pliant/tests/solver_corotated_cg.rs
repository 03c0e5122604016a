//! `corotated-cg` solves the linear system that it says it solves, in whatever way it is told to.

mod support;

use pliant::device::{Cpu, Device, LinearSetting};
use pliant::linear::{Cholesky, Csr};
use pliant::material::Elements;
use pliant::math::{Mat3, Vec3, polar_rotation};
use pliant::model::{Model, State};
use pliant::scene::{LinearForm, LinearPreconditioner, LinearSettings, Stopping};
use pliant::solver::{Control, Parameters, SolveReport, find_method};
use pliant::step::Simulation;
use std::sync::Arc;
use support::*;

const H: f64 = 1.0 / 150.0;
const BOX: &str = "[[solid]]\nshape = 'box'\nsize = 0.3\ncells = 3\nmodel = 'corotated'\nyoungs_modulus = 1e5\n\
                   poisson_ratio = 0.35\ndensity = 1000\n";
const PIN: &str = "[[pin]]\ninside = [[-1, 0.149, -1], [1, 1, 1]]\n";

/// A body that is bent, crushed in places and on its way; `amplitude` is in metres, cells are 0.1 m.
fn disturbed(text: &str, amplitude: f64) -> (Arc<Model>, State) {
    let (model, mut state) = build(&scene(text));
    let mut random = Random(3);
    for (x, v) in state.x.iter_mut().zip(&mut state.v) {
        let [a, b] = [random.point(), random.point()];
        for k in 0..3 {
            x[k] += amplitude * a[k];
            v[k] += [1.0, -0.5, 0.3][k] + 0.5 * b[k];
        }
    }
    (model, state)
}

/// Where a step ends that begins with x_n + `start` h v.
fn solved(
    (model, state): &(Arc<Model>, State),
    linear: LinearSettings,
    (iterations, tolerance): (usize, f64),
    start: f64,
    watch: &mut dyn FnMut(usize, &Vec<[f64; 4]>),
) -> (Step<f64>, SolveReport) {
    let mut step = Step::<f64>::new(model, state, H);
    step.x.clone_from(&step.x_prev);
    let (v, device) = (step.v.clone(), &mut step.device);
    device.axpy(pliant::device::Factor::Value(start * H), &v, &mut step.x);
    device.hold(&step.problem, &mut step.x);
    let parameters = Parameters { linear, ..Parameters::default() };
    let mut solver = find_method("corotated-cg").unwrap().solver::<Cpu<f64>>(model, &parameters);
    let mut look = |_: &mut Cpu<f64>, _: &mut <Cpu<f64> as Device>::Problem, k: usize, x: &Vec<[f64; 4]>| watch(k, x);
    let mut control = Control::iterations(iterations).to_tolerance(tolerance).watched(&mut look);
    let report = solver.solve(&mut step.device, &mut step.problem, &mut step.x, &mut control).unwrap();
    (step, report)
}

fn converged(body: &(Arc<Model>, State), linear: LinearSettings, start: f64) -> Vec<[f64; 4]> {
    let (step, report) = solved(body, linear, (4000, 1e-13), start, &mut |_, _| {});
    assert!(report.converged, "{report:?}");
    step.x
}

/// A from the elements' own formulas, with the rotations of the state.
fn matrix(model: &Model, state: &State, inertia: &[f64]) -> Vec<(u32, u32, Mat3<f64>)> {
    let mut blocks: Vec<(u32, u32, Mat3<f64>)> = Vec::new();
    for elements in &model.elements {
        let Elements::CorotatedTet(batch) = elements else { panic!("{}", elements.name()) };
        for (stencil, tet) in batch.iter() {
            let x = stencil.map(|i| Vec3::of(state.x[i as usize]));
            let rotation = polar_rotation(Mat3 { c: tet.rest.deformation(&x) });
            let stiffness = tet.frozen(rotation).hessian();
            for (i, row) in stencil.iter().zip(stiffness) {
                blocks.extend(stencil.iter().zip(row).map(|(j, block)| (*i, *j, block)));
            }
        }
    }
    blocks.extend((0..).zip(inertia).map(|(i, inertia)| (i, i, Mat3::scalar(*inertia))));
    blocks
}

/// Without rows and columns of held vertices, which have ones on the diagonal.
fn without(held: &[bool], mut blocks: Vec<(u32, u32, Mat3<f64>)>) -> Vec<(u32, u32, Mat3<f64>)> {
    blocks.retain(|(i, j, _)| !held[*i as usize] && !held[*j as usize]);
    let ones = (0..).zip(held).filter(|(_, held)| **held).map(|(i, _)| (i, i, Mat3::IDENTITY));
    blocks.extend(ones);
    blocks
}

/// The same by rows of numbers.
fn scalar_matrix(vertices: usize, blocks: &[(u32, u32, Mat3<f64>)]) -> Csr {
    let entries = blocks.iter().flat_map(|(i, j, block)| {
        (0..9).map(move |e| (3 * i + e % 3, 3 * j + e / 3, block.at(e as usize % 3, e as usize / 3)))
    });
    Csr::from_triplets(3 * vertices, entries)
}

/// The exact answer: one Newton step from x_n with the stiffness of held rotations, by Cholesky.
fn by_cholesky(body: &(Arc<Model>, State)) -> Vec<[f64; 4]> {
    let (model, state) = body;
    let mut step = Step::<f64>::new(model, state, H);
    let (held, inertia) = (step.system.held.clone(), step.system.inertia.clone());
    let blocks = matrix(model, state, &inertia);
    let matrix = scalar_matrix(model.vertices(), &without(&held, blocks.clone()));
    let mut cholesky = Cholesky::analyse(&matrix, 1).unwrap();
    cholesky.factor(&matrix).unwrap();
    let mut gradient = Vec::new();
    step.potential().gradient(&step.x_prev, &mut gradient);
    let mut rhs: Vec<f64> = gradient.iter().flat_map(|g| [-g[0], -g[1], -g[2]]).collect();
    // Held vertices go where they are to be, and pull at the others.
    let way = |i: u32| Vec3::load(step.x[i as usize]) - Vec3::load(step.x_prev[i as usize]);
    for (i, j, block) in blocks.iter().filter(|(_, j, _)| held[*j as usize]) {
        let pull = *block * way(*j);
        (0..3).for_each(|k| rhs[3 * *i as usize + k] -= pull[k]);
    }
    for i in (0..held.len()).filter(|i| held[*i]) {
        (0..3).for_each(|k| rhs[3 * i + k] = way(i as u32)[k]);
    }
    cholesky.solve(&mut rhs);
    let moved = step.x_prev.iter().zip(rhs.as_chunks::<3>().0);
    moved.map(|(x, u)| [x[0] + u[0], x[1] + u[1], x[2] + u[2], 0.0]).collect()
}

#[test]
fn conjugate_gradients_to_the_end_find_what_cholesky_finds() {
    for (text, amplitude) in [(BOX.to_string(), 0.01), (BOX.to_string(), 0.2), (format!("{BOX}{PIN}"), 0.02)] {
        let body = disturbed(&text, amplitude);
        let exact = by_cholesky(&body);
        let size = distance(&exact, &Step::<f64>::new(&body.0, &body.1, H).x_prev);
        for preconditioner in [LinearPreconditioner::Jacobi, LinearPreconditioner::Mass, LinearPreconditioner::Identity]
        {
            for assembled in [false, true] {
                let linear = LinearSettings { preconditioner, assembled, ..LinearSettings::default() };
                for start in [0.0, 1.0] {
                    let apart = distance(&exact, &converged(&body, linear, start));
                    assert!(apart < 1e-8 * size, "{amplitude} {linear:?}: {apart:e} of {size}");
                }
            }
        }
    }
}

#[test]
fn the_velocity_guess_and_the_difference_from_it_have_the_same_iterates() {
    let body = disturbed(BOX, 0.03);
    for preconditioner in [LinearPreconditioner::Jacobi, LinearPreconditioner::Mass, LinearPreconditioner::Identity] {
        let [mut one, mut other] = [Vec::new(), Vec::new()];
        let linear = LinearSettings { preconditioner, ..LinearSettings::default() };
        solved(&body, linear, (20, 0.0), 1.0, &mut |_, x| one.push(x.clone()));
        let linear = LinearSettings { form: LinearForm::VelocityDifference, ..linear };
        solved(&body, linear, (20, 0.0), 1.0, &mut |_, x| other.push(x.clone()));
        assert_eq!((one.len(), other.len()), (21, 21));
        let way = distance(&one[0], &one[20]);
        for (k, (a, b)) in one.iter().zip(&other).enumerate() {
            assert!(distance(a, b) < 1e-12 * way, "{preconditioner:?}, iteration {k}: {:e} of {way}", distance(a, b));
        }
        assert!((1..=20).all(|k| distance(&one[k - 1], &one[k]) > 1e-9 * way), "it was done before");
    }
}

#[test]
fn the_matrix_is_positive_definite_however_elements_are_crushed_and_inverted() {
    let mut inverted = 0;
    for amplitude in [0.02, 0.1, 0.3, 1.0] {
        let (model, state) = disturbed(BOX, amplitude);
        let mut step = Step::<f64>::new(&model, &state, H);
        let n = model.vertices();
        let (mut b, mut start) = (step.x.clone(), step.x.clone());
        step.device.linearise(&mut step.problem, LinearSetting::default(), [&mut start, &mut b]).unwrap();
        let inertia = &step.system.inertia;
        let csr = scalar_matrix(n, &matrix(&model, &state, inertia));
        Cholesky::analyse(&csr, 1).unwrap().factor(&csr).expect("positive definite");
        let mut random = Random(11);
        let mut vector = || -> Vec<[f64; 4]> { (0..n).map(|_| Vec3::<f64>::of(random.point()).store()).collect() };
        for _ in 0..20 {
            let [p, s] = [vector(), vector()];
            let [mut ap, mut sa] = [start.clone(), start.clone()];
            step.device.multiply_linear(&mut step.problem, &p, &mut ap);
            step.device.multiply_linear(&mut step.problem, &s, &mut sa);
            let dot = |a: &[[f64; 4]], b: &[[f64; 4]]| -> f64 {
                a.iter().zip(b).map(|(a, b)| Vec3::load(*a).dot(Vec3::load(*b))).sum()
            };
            let least = inertia.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(dot(&p, &ap) > 0.99 * least * dot(&p, &p));
            assert!((dot(&s, &ap) - dot(&p, &sa)).abs() < 1e-12 * dot(&p, &ap).max(dot(&s, &sa)), "symmetric");
        }
        let x: Vec<[f64; 4]> = state.x.iter().map(|x| Vec3::<f64>::of(*x).store()).collect();
        step.device.measure(&mut step.problem, pliant::device::Moment::End, &x);
        inverted += step.device.measures(&mut step.problem).unwrap().inverted;
    }
    assert!(inverted > 50, "{inverted} inverted tetrahedra are no test");
}

#[test]
fn written_down_or_not_the_matrix_is_the_same() {
    let body = disturbed(&format!("{BOX}{PIN}[[force]]\nkind = 'rayleigh'\nrate = 2\nretardation = 0.004\n"), 0.05);
    let [free, written] = [false, true].map(|assembled| {
        let linear = LinearSettings { assembled, ..LinearSettings::default() };
        solved(&body, linear, (8, 0.0), 1.0, &mut |_, _| {}).0.x
    });
    let way = distance(&free, &Step::<f64>::new(&body.0, &body.1, H).x_prev);
    assert!(distance(&free, &written) < 1e-12 * way, "{:e} of {way}", distance(&free, &written));
}

/// Two boxes far apart, one of them in rapid motion.
#[test]
fn objects_that_are_solved_alone_go_as_if_there_were_no_others() {
    let other = BOX.replace("1e5", "3e6") + "position = [5, 0, 0]\n";
    let both = disturbed(&format!("{BOX}{other}"), 0.02);
    let n = both.0.vertices() / 2;
    let per_object = LinearSettings { per_object: true, ..LinearSettings::default() };
    let together = solved(&both, per_object, (6, 0.0), 1.0, &mut |_, _| {}).0.x;
    for (text, range) in [(BOX.to_string(), 0..n), (other, n..2 * n)] {
        let (model, mut state) = build(&scene(&text));
        state.x = both.1.x[range.clone()].to_vec();
        state.v = both.1.v[range.clone()].to_vec();
        let alone = solved(&(model, state), LinearSettings::default(), (6, 0.0), 1.0, &mut |_, _| {}).0.x;
        assert!(distance(&alone, &together[range]) < 1e-13);
    }
    let joint = solved(&both, LinearSettings::default(), (6, 0.0), 1.0, &mut |_, _| {}).0.x;
    assert!(distance(&joint, &together) > 1e-6, "one α for both is another one");
    assert!(distance(&converged(&both, LinearSettings::default(), 1.0), &converged(&both, per_object, 1.0)) < 1e-9);
}

#[test]
fn an_accuracy_in_metres_is_kept_and_a_smaller_one_takes_more_iterations() {
    let body = disturbed(&BOX.replace("1e5", "3e6"), 0.02);
    let exact = converged(&body, LinearSettings::default(), 1.0);
    for stopping in [Stopping::Energy, Stopping::Motion] {
        let iterations = [1e-3, 1e-4, 1e-5, 1e-6].map(|accuracy| {
            let linear = LinearSettings { accuracy: Some(accuracy), stopping, ..LinearSettings::default() };
            let (step, report) = solved(&body, linear, (4000, 0.0), 1.0, &mut |_, _| {});
            let inertia: f64 = step.system.inertia.iter().sum();
            let apart = step
                .x
                .iter()
                .zip(&exact)
                .zip(&step.system.inertia)
                .map(|((a, b), inertia)| inertia * (Vec3::load(*a) - Vec3::load(*b)).length_sq());
            let off = (apart.sum::<f64>() / inertia).sqrt();
            // What one iteration moves says less than what four gained.
            let bound = if stopping == Stopping::Energy { accuracy } else { 20.0 * accuracy };
            assert!(report.converged && off < bound, "{stopping:?} {accuracy}: {off:e} after {report:?}");
            report.iterations
        });
        assert!(iterations.is_sorted_by(|a, b| a < b), "{iterations:?}");
        println!("{stopping:?}: {iterations:?} iterations to 1 mm, 0.1 mm, 10 um, 1 um");
    }
}

/// One linear solve is not the minimum of E, but as good as in a short step.
#[test]
fn a_short_step_ends_where_newton_ends() {
    let body = disturbed(BOX, 0.002);
    let linear = converged(&body, LinearSettings::default(), 1.0);
    let exact = newton(&body.0, &body.1, H).0.x;
    let way = distance(&exact, &Step::<f64>::new(&body.0, &body.1, H).x_prev);
    let apart = distance(&linear, &exact);
    assert!(apart < 0.01 * way, "{apart:e} of {way}");
}

const FLOOR: &str = "[[collider]]\nshape = 'half-space'\nfriction = 0.5\n[time]\nframe_rate = 150\n";

/// Else the weight of one box squeezes the contact through its thickness.
const SOFT: &str = "contact_stiffness = 10\n";

/// Lowest and mean height after so many steps, and the speed of the mean.
fn after(text: &str, steps: usize) -> [f64; 3] {
    let mut simulation =
        Simulation::new(&scene(&format!("{text}{FLOOR}[solver]\nmethod = 'corotated-cg'\n{SOFT}"))).unwrap();
    for _ in 0..steps {
        assert_eq!(simulation.step().unwrap().retries, 0);
    }
    let State { x, v, .. } = simulation.state().unwrap();
    let mean = |x: &[[f64; 3]]| x.iter().map(|x| x[1]).sum::<f64>() / x.len() as f64;
    [x.iter().map(|x| x[1]).fold(f64::INFINITY, f64::min), mean(&x), mean(&v)]
}

#[test]
fn a_box_falls_as_it_must_and_comes_to_rest_on_the_floor() {
    let high = format!("{BOX}position = [0, 1, 0]\n");
    let [_, height, speed] = after(&high, 30);
    // Implicit Euler: g h² k (k + 1)/2.
    let fallen = 9.81 * H * H * 30.0 * 31.0 / 2.0;
    assert!((1.0 - height - fallen).abs() < 0.02 * fallen, "{height}, {fallen} expected");
    assert!((speed + 9.81 * 0.2).abs() < 0.02 * 9.81 * 0.2, "{speed}");
    let [lowest, height, speed] = after(&format!("{BOX}position = [0, 0.2, 0]\n"), 300);
    assert!(lowest > -1e-6 && (0.13..0.16).contains(&height) && speed.abs() < 0.01, "{lowest} {height} {speed}");
}

#[test]
fn a_box_stands_on_another_one() {
    let upper = format!("{BOX}position = [0.02, 0.47, 0]\n");
    let lower = format!("{BOX}position = [0, 0.16, 0]\n[contact]\nself_collision = true\n");
    let [lowest, height, speed] = after(&format!("{lower}{upper}"), 300);
    assert!(lowest > -1e-6 && (0.27..0.32).contains(&height) && speed.abs() < 0.01, "{lowest} {height} {speed}");
}

#[test]
fn other_materials_are_refused_with_what_to_do() {
    let scene = scene("[[solid]]\nshape = 'box'\ncells = 2\n[solver]\nmethod = 'corotated-cg'\n");
    let error = Simulation::new(&scene).err().unwrap().to_string();
    assert!(error.contains("as-rigid-as-possible tet") && error.contains("model = \"corotated\""), "{error}");
}

/// Of linear solves without end, each from where the last one ended.
#[test]
fn without_inertia_steps_tend_to_the_equilibrium_that_newton_finds() {
    let [linear, exact] = ["corotated-cg", "newton"].map(|method| {
        let text = format!(
            "{BOX}{PIN}[time]\nquasistatic = true\n[device]\nprecision = 'f64'\n[solver]\nmethod = '{method}'\n"
        );
        let mut simulation = Simulation::new(&scene(&text)).unwrap();
        for _ in 0..8 {
            assert!(simulation.step().unwrap().iterations < 1000);
        }
        let x: Vec<[f64; 4]> = simulation.state().unwrap().x.iter().map(|x| Vec3::<f64>::of(*x).store()).collect();
        x
    });
    let rest: Vec<[f64; 4]> = build(&scene(BOX)).1.x.iter().map(|x| Vec3::<f64>::of(*x).store()).collect();
    let sunk = distance(&exact, &rest);
    assert!(sunk > 1e-3 && distance(&linear, &exact) < 1e-4 * sunk, "{:e} of {sunk}", distance(&linear, &exact));
}
