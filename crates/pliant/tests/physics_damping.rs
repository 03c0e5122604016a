//! Rayleigh damping a M + b K: part of E with the right signs, the same for all methods, and as strong as it should be.

mod support;

use pliant::device::Device;
use pliant::math::{Mat3, Vec3};
use pliant::model::{Curvature, Model, ModelBuilder, Potential, Rayleigh, State};
use pliant::solver::{METHODS, Needs};
use std::sync::Arc;
use support::*;

const H: f64 = 1.0 / 60.0;
const DAMPING: &str = "[[force]]\nkind = \"rayleigh\"\nrate = 2\nretardation = \"20 ms\"\n";

/// A soft block that is held at one side and a cloth, both in some motion.
fn bodies(model: &str, damping: &str) -> (Arc<Model>, State) {
    let text = format!(
        "[[solid]]\nshape = \"box\"\nsize = [0.4, 0.2, 0.2]\ncells = [3, 2, 2]\njitter = 0.01\nyoungs_modulus = 4e4\n\
         poisson_ratio = 0.3\ndensity = 1000\nmodel = \"{model}\"\n[[pin]]\nbody = \"solid\"\n\
         inside = [[-0.22, -1, -1], [-0.18, 1, 1]]\nvelocity = [0, 1, 0]\n\
         [[cloth]]\nresolution = 5\nposition = [0, 2, 0]\njitter = 0.02\nstretch_stiffness = 100\n{damping}"
    );
    let (model, mut state) = build(&scene(&text));
    let mut random = Random(11);
    state.v.iter_mut().for_each(|v| *v = random.point());
    (model, state)
}

fn shaken(x: &[[f64; 4]], by: f64) -> Vec<[f64; 4]> {
    let mut random = Random(3);
    x.iter().map(|x| (Vec3::load(*x) + Vec3::of(random.point()) * by).store()).collect()
}

fn along(potential: &Potential, x: &[[f64; 4]], d: &[[f64; 4]], by: f64) -> Vec<[f64; 4]> {
    let held = &potential.system().held;
    let moved = |i: usize| if held[i] { x[i] } else { (Vec3::load(x[i]) + Vec3::load(d[i]) * by).store() };
    (0..x.len()).map(moved).collect()
}

fn dot(a: &[[f64; 4]], b: &[[f64; 4]]) -> f64 {
    a.iter().zip(b).map(|(a, b)| Vec3::<f64>::load(*a).dot(Vec3::load(*b))).sum()
}

#[test]
fn its_gradient_and_hessian_are_those_of_finite_differences() {
    for model in ["arap", "neo-hookean", "spline"] {
        let (bodies, state) = bodies(model, DAMPING);
        let mut step = Step::<f64>::new(&bodies, &state, H);
        let potential = step.potential();
        let x = shaken(&step.x, 0.002);
        let d = shaken(&vec![[0.0; 4]; x.len()], 1.0);
        let (mut gradient, mut above, mut below) = (Vec::new(), Vec::new(), Vec::new());
        potential.gradient(&x, &mut gradient);
        let by = 1e-6;
        let [up, down] = [by, -by].map(|by| along(&potential, &x, &d, by));
        let slope = (potential.value(&up) - potential.value(&down)) / (2.0 * by);
        let expected = dot(&gradient, &d);
        assert!((slope - expected).abs() < 1e-6 * expected.abs(), "{model}: {slope}, {expected}");
        // The whole Hessian, where no element needs to be projected: that of the damping is frozen and exact.
        potential.gradient(&up, &mut above);
        potential.gradient(&down, &mut below);
        let mut product = vec![Vec3::<f64>::ZERO; x.len()];
        potential.hessian(&x, Curvature::Exact, &mut |i, j, block: Mat3<f64>| {
            product[i as usize] += block * Vec3::load(d[j as usize]);
        });
        let held = &potential.system().held;
        let scale = product.iter().map(|p| p.length()).fold(0.0, f64::max);
        for i in (0..x.len()).filter(|i| !held[*i]) {
            let found = (Vec3::load(above[i]) - Vec3::load(below[i])) / (2.0 * by);
            assert!((found - product[i]).length() < 1e-4 * scale, "{model}, {i}: {found:?}, {:?}", product[i]);
        }
        let mut own = gradient.clone();
        step.device.gradient(&mut step.problem, &x, &mut own);
        let apart = distance(&own, &gradient);
        assert!(apart < 1e-9 * norm(&gradient), "{model}: the device is {apart} N apart");
    }
}

#[test]
fn what_resists_has_positive_energy_and_pulls_back_to_where_the_step_began() {
    let (damped, state) = bodies("neo-hookean", "[[force]]\nkind = \"rayleigh\"\nretardation = 0.1\n");
    let (free, _) = bodies("neo-hookean", "");
    let [mut damped, mut free] = [&damped, &free].map(|model| Step::<f64>::new(model, &state, H));
    let start = damped.x_prev.clone();
    let (with, without) = (damped.potential(), free.potential());
    let more = |x: &[[f64; 4]]| with.value(x) - without.value(x);
    assert!(more(&start).abs() < 1e-12 * without.value(&start).abs());
    for by in [1e-4, 1e-3, 1e-2] {
        let x = along(&with, &start, &shaken(&vec![[0.0; 4]; start.len()], 1.0), by);
        let (mut g, mut g_free) = (Vec::new(), Vec::new());
        with.gradient(&x, &mut g);
        without.gradient(&x, &mut g_free);
        let moved: Vec<_> =
            x.iter().zip(&start).map(|(x, s)| (Vec3::<f64>::load(*x) - Vec3::load(*s)).store()).collect();
        let work = dot(&g, &moved) - dot(&g_free, &moved);
        assert!(more(&x) > 0.0 && (work - 2.0 * more(&x)).abs() < 1e-6 * work, "{by}: {} J, {work} J", more(&x));
    }
}

#[test]
fn every_method_that_minimises_ends_where_newton_does() {
    let (bodies, state) = bodies("arap", DAMPING);
    let (exact, report) = newton(&bodies, &state, H);
    assert!(report.converged, "{report:?}");
    let undamped = newton(&bodies_without(&bodies), &state, H).0;
    assert!(distance(&exact.x, &undamped.x) > 1e-4, "damping does nothing");
    // Those without preconditioner are the same verbs, but slow.
    let bare = ["nonlinear-cg", "lbfgs", "nesterov", "gradient-descent", "newton-cg", "newton"];
    for method in METHODS.iter().filter(|method| method.minimises && !bare.contains(&method.name)) {
        assert!(method.check(&bodies).is_ok());
        let mut step = Step::<f64>::new(&bodies, &state, H);
        step.solve(method.name, 20_000, 1e-11, |_, _| ()).unwrap();
        let apart = distance(&step.x, &exact.x);
        assert!(apart < 1e-7, "{}: {apart} m from Newton", method.name);
    }
    for method in METHODS.iter().filter(|method| method.needs == Needs::Constraints) {
        let error = method.check(&bodies).unwrap_err().to_string();
        assert!(error.contains("knows no Rayleigh damping") && error.contains(method.name), "{error}");
    }
}

fn bodies_without(model: &Arc<Model>) -> Arc<Model> {
    Arc::new(Model { rayleigh: Rayleigh::default(), ..(**model).clone() })
}

/// Two masses on a spring, 0.1 kg each, 40 N/m: ω² = 2k/m = 800 1/s².
fn dumbbell(rayleigh: Rayleigh) -> (Arc<Model>, State) {
    let mut builder = ModelBuilder::new("dumbbell");
    builder.add_points("dumbbell", &[[0.0; 3], [0.1, 0.0, 0.0]], &[0.1; 2]);
    builder.add_spring([0, 1], 40.0).unwrap();
    builder.model().rayleigh = rayleigh;
    let (model, state) = builder.finish();
    (Arc::new(model), state)
}

#[test]
fn a_swing_decays_as_its_modal_damping_says() {
    // Amplitude: exp(-(a + b ω²) t/2); what implicit Euler takes besides is the same without damping.
    let swing = |rayleigh: Rayleigh| {
        let (model, mut state) = dumbbell(rayleigh);
        state.v = vec![[-0.05, 0.0, 0.0], [0.05, 0.0, 0.0]];
        let (h, steps) = (1e-4, 5000);
        let mut energy = f64::INFINITY;
        for k in 0..steps {
            state = newton_steps(&model, &state, h, 1);
            let speed = state.v[1][0] - state.v[0][0];
            let stretch = state.x[1][0] - state.x[0][0] - 0.1;
            let now = 0.025 * speed * speed + 20.0 * stretch * stretch;
            assert!(now <= energy * (1.0 + 1e-9), "step {k}: {now} J after {energy} J");
            energy = now;
        }
        (energy.sqrt(), h * steps as f64)
    };
    let (free, time) = swing(Rayleigh::default());
    for [rate, retardation] in [[3.0, 0.0], [0.0, 0.005], [1.0, 0.003]] {
        let found = (swing(Rayleigh { rate, retardation }).0 / free).ln();
        let expected = -0.5 * (rate + retardation * 800.0) * time;
        assert!((found / expected - 1.0).abs() < 0.02, "a = {rate}, b = {retardation}: {found}, not {expected}");
    }
}

#[test]
fn flight_is_slowed_by_the_part_of_mass_alone() {
    let after = |rayleigh: Rayleigh| {
        let (model, mut state) = dumbbell(rayleigh);
        state.v = vec![[1.0, 2.0, 0.0]; 2];
        let state = newton_steps(&model, &state, 0.01, 50);
        assert!((Vec3::<f64>::of(state.v[0]) - Vec3::of(state.v[1])).length() < 1e-9, "{:?}", state.v);
        state.v[0]
    };
    assert!((after(Rayleigh { rate: 0.0, retardation: 1.0 })[1] - 2.0).abs() < 1e-9);
    let slowed = after(Rayleigh { rate: 0.5, retardation: 0.0 });
    let expected = 1.005f64.powi(-50);
    assert!((slowed[0] - expected).abs() < 1e-9 && (slowed[1] - 2.0 * expected).abs() < 1e-9, "{slowed:?}");
}
