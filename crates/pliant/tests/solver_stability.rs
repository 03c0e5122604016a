//! Nothing explodes: every method, soft to stiff, cloth, solids and contact. In large: `cargo bench -p
//! pliant-gpu --bench stability`.

#[path = "support/stability.rs"]
mod stability;
mod support;

use pliant::device::CpuOnly;
use pliant::math::Vec3;
use pliant::scene::Scene;
use pliant::solver::{METHODS, Method, Needs, find_method};
use pliant::step::Simulation;
use stability::{Bounds, LONG, Outcome, Plan, STIFFNESSES, coarsen, methods, run_on};
use support::*;

fn run(scene: &Scene, method: &'static Method, stiffness: f64, steps: usize, bounds: Bounds) -> Outcome {
    run_on(&CpuOnly, scene, method, stiffness, Plan { steps, bounds, until: None })
}

fn all_calm(scene: &Scene, steps: usize, bounds: Bounds) {
    let mut failures = Vec::new();
    for method in methods(scene) {
        for stiffness in STIFFNESSES {
            let outcome = run(scene, method, stiffness, steps, bounds);
            let line = format!(
                "{} {} x{}: stretch {:.3}, {:.2} m/s, {} retries, {:.1} s {:?}",
                outcome.scene,
                outcome.method,
                outcome.stiffness,
                outcome.max_stretch,
                outcome.max_speed,
                outcome.retries,
                outcome.seconds,
                outcome.failed()
            );
            println!("{line}");
            if outcome.failed().is_some() {
                failures.push(line);
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_method_keeps_a_cloth_calm() {
    let scene = shipped("hanging.toml", &[("cloth.resolution", "9"), ("cloth.triangulation", "delaunay")]);
    all_calm(&scene, LONG, Bounds { stretch: 20.0, extent: 10.0, speed: 30.0 });
}

#[test]
fn every_method_keeps_a_solid_calm() {
    let mut scene = shipped("bar.toml", &[("solid.cells", "[8, 4, 4]")]);
    coarsen(&mut scene, 0.5);
    all_calm(&scene, LONG, Bounds { stretch: 20.0, extent: 10.0, speed: 30.0 });
}

#[test]
fn every_method_keeps_contact_calm() {
    let scene = shipped("drape.toml", &[("cloth.resolution", "9"), ("cloth.position", "[0, 0.78, 0]")]);
    all_calm(&scene, LONG, Bounds { stretch: 20.0, extent: 10.0, speed: 30.0 });
}

/// The large scenes, made small; each with a method of every kind, because contact makes them slow.
#[test]
fn methods_of_every_kind_keep_the_large_scenes_calm() {
    let noodles = [("cloth.noodle.copies", "3"), ("cloth.noodle.resolution", "[24, 3]")];
    let heap = [("cloth.throw.copies", "3"), ("cloth.throw.resolution", "10"), ("collider.armchair.cells", "32")];
    let armadillo = [("solid.data", "none"), ("solid.tets", "4000")];
    let scenes: [(Scene, usize); 3] = [
        (shipped("noodles.toml", &noodles), 40),
        (shipped("cloth-heap.toml", &heap), 40),
        (shipped("armadillo.toml", &armadillo), 20),
    ];
    let bounds = Bounds { stretch: 20.0, extent: 10.0, speed: 30.0 };
    for (scene, steps) in scenes {
        for name in ["pd-jacobi-chebyshev", "vivace", "pd-pcg", "pbd-gauss-seidel", "xpbd"] {
            let outcome = run(&scene, find_method(name).unwrap(), 1.0, steps, bounds);
            println!("{outcome:?}");
            assert_eq!(outcome.failed(), None, "{outcome:?}");
        }
    }
}

/// Not from every random cloud: one of hundreds ends wound up in another minimum of E, without an inverted tet, and stays
/// there with a gradient of zero (`docs/results.md`). These two clouds do not.
#[test]
fn a_scrambled_solid_finds_its_rest_shape() {
    // This solid is as rigid as possible, which no method of held rotations solves.
    for method in METHODS.iter().filter(|method| method.needs != Needs::Rotations).map(|method| method.name) {
        for seed in ["2", "3"] {
            let set = [("solid.cells", "3"), ("solid.model", "arap"), ("solver.method", method), ("seed", seed)];
            let mut simulation = Simulation::new(&shipped("scramble.toml", &set)).unwrap();
            for _ in 0..120 {
                simulation.step().unwrap();
            }
            let (state, model) = (simulation.state().unwrap(), simulation.model().clone());
            let apart = |x: &[[f64; 3]], i: usize, j: usize| (Vec3::<f64>::of(x[i]) - Vec3::of(x[j])).length();
            let pairs = (0..model.vertices()).flat_map(|i| (0..i).map(move |j| (i, j)));
            let worst =
                pairs.map(|(i, j)| (apart(&state.x, i, j) - apart(&model.rest_x, i, j)).abs()).fold(0.0, f64::max);
            println!("{method} seed {seed}: {worst:e} m from the rest shape");
            assert!(worst < 2e-3, "{method} seed {seed}: {worst} m from the rest shape of 0.2 m");
        }
    }
}

/// Largest speed, m/s, 2.5 s after a cloth was let go as a random cloud in its plane. A sheet that stays in its plane
/// keeps stress of its own, compressed here and stretched there: what is in balance must not move.
fn speed_after_scrambling(method: &str, seed: u64) -> f64 {
    let text = format!(
        "gravity = [0, 0, 0]\nseed = {seed}\n[[cloth]]\nsize = 0.5\nresolution = 9\nscramble = true\n\
         material = \"jersey\"\n[[force]]\nkind = \"damping\"\nrate = 3\n[solver]\nmethod = \"{method}\""
    );
    let mut simulation = Simulation::new(&scene(&text)).unwrap();
    for _ in 0..150 {
        simulation.step().unwrap();
    }
    let state = simulation.state().unwrap();
    assert!(state.is_finite(), "{method}, seed {seed}");
    state.v.iter().map(|v| Vec3::<f64>::of(*v).length()).fold(0.0, f64::max)
}

/// It starts at tens of metres per second; damping leaves e^(−7.5) = 1/1800 of that.
const SETTLED: f64 = 0.01;

/// Regression: where E has many valleys, accelerated Gauss-Seidel and direct solves jumped from one to another and back, at
/// 10 m/s without end.
#[test]
fn a_scrambled_cloth_stays_finite_and_settles() {
    for method in METHODS.iter().filter(|method| method.needs == Needs::Projections || method.descends()) {
        for seed in [4, 5, 6, 11] {
            let speed = speed_after_scrambling(method.name, seed);
            println!("{} seed {seed}: {speed:.1e} m/s", method.name);
            assert!(speed < SETTLED, "{} seed {seed}: {speed} m/s", method.name);
        }
    }
    // With others Newton takes half a minute.
    let speed = speed_after_scrambling("newton", 3);
    assert!(speed < SETTLED, "newton: {speed} m/s");
}

/// Regression: corrections made one after the other turned the cloth as a whole, and it spun at 4 m/s without end.
#[test]
fn a_scrambled_cloth_is_not_spun_by_position_based_methods() {
    for method in METHODS.iter().filter(|method| method.needs == Needs::Constraints) {
        for seed in 4..8 {
            let speed = speed_after_scrambling(method.name, seed);
            println!("{} seed {seed}: {speed:.1e} m/s", method.name);
            assert!(speed < SETTLED, "{} seed {seed}: {speed} m/s", method.name);
        }
    }
}

/// Regression: the energy of such a cloth is nothing but rounding, it went up and down by a tenth, and every step was
/// refused.
#[test]
fn a_stiff_cloth_that_falls_freely_is_not_refused() {
    for method in ["pd-direct", "pd-jacobi", "pd-pcg-direct", "pd-gauss-seidel", "newton"] {
        let text = format!(
            "[[cloth]]\nresolution = 9\ntriangulation = \"delaunay\"\nstretch_stiffness = 1e7\nposition = [0, 30, 0]\n\
             [solver]\nmethod = \"{method}\"\niterations = 10"
        );
        let mut simulation = Simulation::new(&scene(&text)).unwrap();
        for _ in 0..60 {
            assert_eq!(simulation.step().unwrap().retries, 0, "{method}");
        }
    }
}

/// With 50 sweeps edges at the pins are stretched 3 times as much at 11 × 11 vertices, 10 times at 21 × 21, and by 6700 % at
/// 101 × 101: that is the number of sweeps, not the formula.
#[test]
fn xpbd_run_to_convergence_hangs_as_newton_does() {
    let stretch = |method: &str, iterations: &str| {
        let set = [("cloth.resolution", "[7, 7]"), ("solver.method", method), ("solver.iterations", iterations)];
        let mut scene = shipped("tablecloth.toml", &set);
        scene.stiffen(0.01);
        let mut simulation = Simulation::new(&scene).unwrap();
        let steps = (0..400).map(|_| simulation.step().unwrap().certificate.max_stretch).collect::<Vec<_>>();
        steps[300..].iter().sum::<f64>() / 100.0
    };
    let (newton, xpbd) = (stretch("newton", "100"), stretch("xpbd", "300"));
    println!("newton {newton}, xpbd {xpbd}");
    assert!((xpbd - newton).abs() < 0.05 * newton, "xpbd is stretched by {xpbd}, newton by {newton}");
}

/// Regression: one sweep a step is no method, and the cloth flew apart by kilometres, without an error.
#[test]
fn a_cloth_that_flies_apart_ends_the_run() {
    let set = [("cloth.resolution", "41"), ("solver.method", "pd-jacobi"), ("solver.iterations", "1")];
    let mut simulation = Simulation::new(&shipped("tablecloth.toml", &set)).unwrap();
    for _ in 0..300 {
        match simulation.step() {
            Ok(report) => assert!(report.certificate.max_stretch < 1e4, "{:?}", report.certificate),
            Err(error) => {
                assert!(error.to_string().contains("times as long as at rest"), "{error}");
                return;
            }
        }
    }
    panic!("300 steps of one sweep, and the cloth has not flown apart");
}
