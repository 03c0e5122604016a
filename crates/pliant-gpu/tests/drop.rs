//! `scenes/drop.toml` falls as things do, on the CPU and on the GPU.

mod required;

use pliant::scene::Scene;
use pliant::step::Simulation;
use pliant_gpu::{AllDevices, adapters};
use std::path::Path;

const GRAVITY: f64 = 9.81;
const HEIGHT: f64 = 1.0;

/// The devices to test on.
fn devices() -> Vec<&'static str> {
    if required::skip_without_gpu(!adapters().is_empty()) { vec!["cpu"] } else { vec!["cpu", "gpu"] }
}

fn drop_scene(device: &str, set: &[(&str, &str)]) -> Simulation {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/drop.toml");
    let one_step = [("time.steps_per_frame", "1"), ("solver.iterations", "80")];
    let always = [("cloth.resolution", "21"), ("device.name", device), one_step[0], one_step[1]];
    let set: Vec<_> = always.iter().chain(set).map(|(key, value)| (key.to_string(), value.to_string())).collect();
    Simulation::on(&AllDevices, &Scene::read(&path, &set).unwrap()).unwrap()
}

fn after(simulation: &mut Simulation, steps: usize) -> Vec<[f64; 3]> {
    for _ in 0..steps {
        simulation.step().unwrap();
    }
    simulation.state().unwrap().x
}

/// How far implicit Euler falls in n steps of length h, m: h² g (1 + 2 + ... + n).
fn fall(n: usize, h: f64) -> f64 {
    h * h * GRAVITY * (n * (n + 1)) as f64 / 2.0
}

/// Sideways, m: each of 60 solves of 80 iterations rounds positions of half a metre by up to 3e-8 m; of that random walk,
/// four standard deviations.
const ASIDE: f64 = 4.0 * 69.3 * 3e-8;

/// Every solve starts at x + h v + h² g, which is the solution as long as nothing is in the way: how often it iterates
/// does not matter.
#[test]
fn a_quarter_of_a_second_is_free_fall_however_well_it_is_solved() {
    let cases: [&[(&str, &str)]; 4] = [
        &[("solver.method", "pd-jacobi-chebyshev")],
        &[("solver.method", "auto")],
        &[("solver.iterations", "1")],
        &[("solver.method", "xpbd"), ("solver.iterations", "1")],
    ];
    for device in devices() {
        for set in cases {
            let mut simulation = drop_scene(device, set);
            let start = simulation.state().unwrap().x;
            let end = after(&mut simulation, 15);
            let expected = fall(15, 1.0 / 60.0);
            for (start, end) in start.iter().zip(&end) {
                let off = (start[1] - end[1] - expected).abs();
                assert!(off < 1e-5 * expected, "{device} {set:?}: {off} m off after {expected} m");
                let aside = (0..3).step_by(2).map(|k| (start[k] - end[k]).abs()).fold(0.0, f64::max);
                assert!(aside < ASIDE, "{device} {set:?}: {aside} m aside");
            }
        }
        let exact = 0.5 * GRAVITY * 0.25 * 0.25;
        let mut fine = drop_scene(device, &[("time.steps_per_frame", "8")]);
        let fallen = HEIGHT - after(&mut fine, 8 * 15)[0][1];
        assert!((fallen / exact - 1.0).abs() < 0.01, "{device}: {fallen} m, without steps it were {exact} m");
    }
}

/// Mean height after 25 frames, m: by then the cloth hangs around the ball.
fn height_around_the_ball(device: &str, set: &[(&str, &str)]) -> f64 {
    let steps = set.iter().find(|(key, _)| *key == "time.steps_per_frame").map_or(1, |(_, n)| n.parse().unwrap());
    let x = after(&mut drop_scene(device, set), 25 * steps);
    x.iter().map(|p| p[1]).sum::<f64>() / x.len() as f64
}

#[test]
fn around_the_ball_only_who_iterates_enough_is_right() {
    let exact = height_around_the_ball("cpu", &[("solver.method", "newton")]);
    // Trial errors once chose so small a ρ for the direct solver that the cloth sank in slow motion: 0.12 m too high.
    let direct = height_around_the_ball("cpu", &[("solver.method", "pd-direct-chebyshev")]);
    assert!((direct - exact).abs() < 0.04, "{direct} m, exactly {exact} m");
    let (multigrid, short_steps) = (("solver.method", "pd-multigrid-chebyshev"), ("time.steps_per_frame", "4"));
    let exact_in_short_steps = height_around_the_ball("cpu", &[("solver.method", "newton"), short_steps]);
    for device in devices() {
        let jacobi = ("solver.method", "pd-jacobi-chebyshev");
        let found = height_around_the_ball(device, &[jacobi, ("solver.iterations", "200")]);
        assert!((found - exact).abs() < 0.03, "{device}: {found} m, exactly {exact} m");
        let found = height_around_the_ball(device, &[jacobi, short_steps, ("solver.iterations", "50")]);
        assert!((found - exact_in_short_steps).abs() < 0.01, "{device}: {found} m, exactly {exact_in_short_steps} m");
        // A global step brings the whole cloth to rest with what touches first, so it is late; by no more than this.
        let found = height_around_the_ball(device, &[multigrid]);
        assert!((found - exact).abs() < 0.06, "{device}: {found} m, exactly {exact} m");
        let hasty = height_around_the_ball(device, &[jacobi, ("solver.iterations", "5")]);
        assert!(hasty < exact - 0.08, "{device}: {hasty} m, exactly {exact} m");
    }
}
