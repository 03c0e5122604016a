//! The objective is what its derivatives say, and Newton, the ground truth, really reaches its minimum.

mod support;

use pliant::material::{Batch, CurvedBending, Elements, Energy};
use pliant::math::{Mat3, Vec3};
use pliant::model::{Curvature, Model, Potential, State};
use pliant::solver::minimise;
use std::sync::Arc;
use support::*;

const COLLIDERS: &str = r#"
[[collider]]
shape = "half-space"
normal = [0.2, 1, 0.1]
position = [0, -0.08, 0]
[[collider]]
shape = "sphere"
radius = 0.12
position = [0.1, 0, 0.1]
[[collider]]
shape = "capsule"
radius = 0.1
height = 0.2
position = [-0.2, 0, 0.1]
rotation = [30, 0, 50]
[[collider]]
shape = "box"
size = [0.2, 0.1, 0.15]
position = [0.2, 0, -0.2]
rotation = [10, 20, 30]
[[collider]]
shape = "cylinder"
radius = 0.1
height = 0.1
position = [-0.2, 0, -0.2]
rotation = [0, 0, 60]
"#;

fn cloth(stretch: &str, bend: &str, more: &str) -> String {
    format!(
        "[[cloth]]\nsize = 0.8\nresolution = 7\ntriangulation = \"delaunay\"\nmaterial = \"jersey\"\njitter = 0.01\n\
         stretch = \"{stretch}\"\nbend = \"{bend}\"\n{more}\n"
    )
}

fn solid(model: &str, more: &str) -> String {
    format!(
        "[[solid]]\nshape = \"box\"\nsize = 0.3\ncells = 2\njitter = 0.02\nyoungs_modulus = 1e4\nmodel = \"{model}\"\n{more}\n"
    )
}

/// Every kind of element, pins of both kinds, all five colliders.
fn everything() -> (Arc<Model>, State) {
    let text = [
        cloth("springs", "quadratic", ""),
        cloth("arap", "dihedral", "strain_limit = [0.99, 1.01]"),
        cloth("corotated", "none", ""),
        cloth("stvk", "none", ""),
        cloth("baraff-witkin", "none", ""),
        solid("arap", "volume_limit = [0.99, 1.01]"),
        solid("corotated", "strain_limit = [0.99, 1.01]"),
        solid("stvk", ""),
        solid("neo-hookean", ""),
        solid("mooney-rivlin", ""),
        solid("fung", ""),
        solid("stable-neo-hookean", ""),
        COLLIDERS.to_string(),
        "[[pin]]\nbody = \"cloth0\"\ncorners = [\"-x-z\"]\n".to_string(),
        "[[pin]]\nbody = \"cloth1\"\nvertices = [3, 9]\nstiffness = 50\nvelocity = [1, 0, 0]\n".to_string(),
    ]
    .concat();
    let (mut model, state) = Model::new(&scene(&text)).unwrap_or_else(|error| panic!("{error}"));
    let mut curved = Batch::<CurvedBending<f64>, 4>::default();
    let rest = [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.05, 0.03, 0.1], [0.05, 0.05, -0.1]].map(Vec3::of);
    curved.push([0, 1, 2, 3], CurvedBending::new(rest, 0.1).unwrap());
    model.elements.push(Elements::from(curved));
    assert_eq!(model.elements.len(), 18, "an element kind is missing");
    (Arc::new(model), state)
}

/// A random state near another, and a random direction that leaves held vertices alone.
fn near(state: &State, held: &[bool], amount: f64, seed: u64) -> (Vec<[f64; 4]>, Vec<Vec3<f64>>) {
    let mut random = Random(seed);
    let x = state.x.iter().map(|&x| (Vec3::of(x) + Vec3::of(random.point()) * amount).store()).collect();
    let along = held.iter().map(|&held| if held { Vec3::ZERO } else { Vec3::of(random.point()) }).collect();
    (x, along)
}

fn shifted(x: &[[f64; 4]], along: &[Vec3<f64>], e: f64) -> Vec<[f64; 4]> {
    x.iter().zip(along).map(|(x, d)| (Vec3::load(*x) + *d * e).store()).collect()
}

fn gradient(potential: &Potential, x: &[[f64; 4]]) -> Vec<[f64; 4]> {
    let mut g = Vec::new();
    potential.gradient(x, &mut g);
    g
}

fn product(potential: &Potential, x: &[[f64; 4]], kind: Curvature, p: &[Vec3<f64>]) -> Vec<Vec3<f64>> {
    let mut out = vec![Vec3::ZERO; p.len()];
    potential.hessian(x, kind, &mut |row, column, block: Mat3<f64>| {
        out[row as usize] += block * p[column as usize];
    });
    out
}

fn dot(a: &[Vec3<f64>], b: &[Vec3<f64>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

#[test]
fn the_gradient_is_the_derivative_of_the_value_for_all_elements_pins_and_colliders() {
    let (model, state) = everything();
    let mut step = Step::<f64>::new(&model, &state, 1.0 / 60.0);
    let held = step.system.held.clone();
    let potential = step.potential();
    assert_eq!((potential.colliders.len(), potential.spring_pins.len()), (5, 2));
    for seed in 0..20 {
        let (x, along) = near(&state, &held, 0.03, seed);
        let g = gradient(&potential, &x);
        let e = 1e-6;
        let slope = (potential.value(&shifted(&x, &along, e)) - potential.value(&shifted(&x, &along, -e))) / (2.0 * e);
        let expected: f64 = along.iter().zip(&g).map(|(d, g)| d.dot(Vec3::load(*g))).sum();
        assert!((slope - expected).abs() < 1e-6 * norm(&g), "{seed}: {slope} {expected}");
        assert!(g.iter().zip(&held).all(|(g, held)| !held || *g == [0.0; 4]));
    }
}

#[test]
fn the_exact_hessian_of_springs_bending_and_contacts_is_the_derivative_of_the_gradient() {
    let text = [cloth("springs", "quadratic", ""), COLLIDERS.to_string(), "[[pin]]\nvertices = 3".to_string()].concat();
    is_the_derivative_of_the_gradient(&text, 0.03);
}

#[test]
fn the_exact_hessian_of_as_rigid_as_possible_and_corotated_elements_is_the_derivative_of_the_gradient() {
    for text in [cloth("arap", "none", ""), cloth("corotated", "none", ""), solid("arap", ""), solid("corotated", "")] {
        // Near enough that no element is half flat: from there on the exact one is not followed.
        is_the_derivative_of_the_gradient(&text, 0.01);
    }
}

fn is_the_derivative_of_the_gradient(text: &str, amount: f64) {
    let (model, state) = build(&scene(text));
    let mut step = Step::<f64>::new(&model, &state, 1.0 / 60.0);
    let held = step.system.held.clone();
    let potential = step.potential();
    let mut good = 0;
    for seed in 0..20 {
        let (x, along) = near(&state, &held, amount, seed);
        let e = 1e-7;
        let (above, below) =
            (gradient(&potential, &shifted(&x, &along, e)), gradient(&potential, &shifted(&x, &along, -e)));
        let exact = product(&potential, &x, Curvature::Exact, &along);
        let error: f64 = (0..held.len())
            .map(|i| ((Vec3::load(above[i]) - Vec3::load(below[i])) * (0.5 / e) - exact[i]).length())
            .fold(0.0, f64::max);
        let size = exact.iter().map(|h| h.length()).fold(0.0, f64::max);
        // A contact that starts or ends within the difference has no derivative there.
        good += usize::from(error < 1e-5 * size);
    }
    assert!(good >= 18, "{good} of 20");
}

#[test]
fn the_projected_hessian_is_positive_and_never_below_the_exact_one() {
    let (model, state) = everything();
    let mut step = Step::<f64>::new(&model, &state, 1.0 / 60.0);
    let held = step.system.held.clone();
    let potential = step.potential();
    for seed in 0..30 {
        let (x, along) = near(&state, &held, 0.1, seed);
        let exact = dot(&along, &product(&potential, &x, Curvature::Exact, &along));
        let projected = dot(&along, &product(&potential, &x, Curvature::Projected, &along));
        assert!(projected > 0.0 && projected >= exact - 1e-12 * projected, "{seed}: {exact} {projected}");
        let excess = dot(&along, &product(&potential, &x, Curvature::Excess, &along));
        assert!((exact + excess - projected).abs() < 1e-9 * projected, "{seed}: {exact} + {excess}, not {projected}");
    }
}

#[test]
fn a_collapsed_spring_has_a_finite_hessian() {
    let (model, mut state) = chain(3);
    state.x[2] = state.x[1];
    let mut step = Step::<f64>::new(&model, &state, 1.0 / 60.0);
    let potential = step.potential();
    potential.hessian(&step.x, Curvature::Exact, &mut |_, _, block| {
        assert!((0..9).all(|k| block.at(k / 3, k % 3).is_finite()))
    });
}

/// Newton on some steps of a simulation; returns the most iterations it took.
fn converges(name: &str, (model, mut state): (Arc<Model>, State), h: f64, steps: usize) -> usize {
    let mut most = 0;
    for k in 0..steps {
        let mut step = Step::<f64>::new(&model, &state, h);
        let potential = step.potential();
        let before = norm(&gradient(&potential, &step.x));
        let report = minimise(&potential, &mut step.x, 1e-10, |k, _| k < 300).unwrap();
        let after = norm(&gradient(&potential, &step.x));
        assert!(report.converged, "{name} step {k}: {report:?}");
        assert_eq!(after, report.gradient_norm);
        // Positions rounded to f64 leave this much, whatever the solver does.
        let diagonal = step.system.matrix.diagonal();
        let scaled: Vec<[f64; 4]> = step.x.iter().zip(&diagonal).map(|(x, d)| x.map(|c| c * d)).collect();
        let rounding = f64::EPSILON * norm(&scaled);
        assert!(after <= (1e-10 * before).max(rounding), "{name} step {k}: {before} to {after} {report:?}");
        most = most.max(report.iterations);
        state = step.end(&state);
        assert!(state.is_finite());
    }
    println!("{name}: at most {most} Newton iterations");
    most
}

#[test]
fn newton_reaches_1e_10_on_chain_net_cloth_and_bar() {
    assert!(converges("chain", chain(20), 1.0 / 60.0, 10) <= 15);
    assert!(converges("net", net(12, 500.0, true), 1.0 / 60.0, 10) <= 40);
    let hanging = shipped("hanging.toml", &[("cloth.resolution", "24"), ("cloth.triangulation", "delaunay")]);
    assert!(converges("irregular cloth", build(&hanging), 1.0 / 60.0, 8) <= 60);
    let bar = shipped("bar.toml", &[("solid.cells", "[8, 2, 2]")]);
    assert!(converges("corotated bar", build(&bar), 1.0 / 60.0, 8) <= 15);
}

#[test]
fn newton_reaches_1e_10_in_contact() {
    let drape = shipped("drape.toml", &[("cloth.resolution", "21"), ("cloth.position", "[0, 0.76, 0]")]);
    assert!(converges("drape", build(&drape), 1.0 / 60.0, 10) <= 100);
    let text =
        [cloth("springs", "quadratic", "position = [0, 0.2, 0]\nthickness = 0.01"), COLLIDERS.to_string()].concat();
    assert!(converges("all colliders", build(&scene(&text)), 1.0 / 60.0, 20) <= 100);
}

#[test]
fn newton_needs_no_iteration_where_there_is_nothing_to_do() {
    let (model, mut state) = net(5, 100.0, false);
    state.v.fill([0.3, -2.0, 1.0]);
    let (_, report) = newton(&model, &state, 1.0 / 60.0);
    assert!(report.converged && report.iterations <= 1, "{report:?}");
}

/// Regression: with the projected Hessian alone, convergence was linear wherever springs are compressed, and a step of
/// this scene took 117 iterations.
#[test]
fn compressed_springs_do_not_slow_newton_down() {
    let scene = shipped("hanging.toml", &[("cloth.resolution", "20")]);
    assert!(converges("hanging", build(&scene), 1.0 / 60.0, 6) <= 40);
}

#[test]
fn springs_count_in_either_order() {
    let mut builder = pliant::model::ModelBuilder::new("pair");
    builder.add_points("pair", &[[0.0; 3], [1.0, 0.0, 0.0]], &[1.0, 1.0]);
    builder.add_spring([1, 0], 10.0).unwrap();
    let (model, mut state) = builder.finish();
    let Elements::Spring(batch) = &model.elements[0] else { panic!("no spring") };
    assert_eq!(batch.element[0].gradient(&[Vec3::ZERO; 2])[0].x, -10.0);
    state.x[1] = state.x[0];
    let mut step = Step::<f64>::new(&Arc::new(model), &state, 0.1);
    let expected = gradient(&step.potential(), &step.x);
    let mut g = step.x.clone();
    use pliant::device::Device;
    step.device.gradient(&mut step.problem, &step.x, &mut g);
    assert_eq!(g, expected, "a collapsed spring pushes its ends apart the same way everywhere");
}
