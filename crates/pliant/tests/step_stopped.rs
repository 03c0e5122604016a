//! A step that is stopped is not to have been.

use pliant::scene::Scene;
use pliant::solver::{METHODS, find_method};
use pliant::step::{Simulation, SimulationError, Stop};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Cloths that fall on each other, a pin that lets go and a hand that closes: what a step may change besides positions.
const SCENE: &str = "
pliant = 1
[time]
frame_rate = 50
[[cloth]]
name = 'low'
resolution = 11
position = [0, 0.104, 0]
thickness = '4 mm'
[[cloth]]
name = 'high'
resolution = 9
position = [0.03, 0.112, 0.01]
rotation = [0, 25, 0]
thickness = '4 mm'
[[pin]]
body = 'low'
corners = ['-x-z']
release = 0.07
[[drag]]
path = [[0.09, 0, 0.112, 0], [0.4, 0, 0.3, 0]]
radius = 0.1
stiffness = 50
[[collider]]
shape = 'sphere'
radius = 0.1
[contact]
self_collision = true
";

/// The same of solids, for methods that solve nothing else.
const SOLIDS: &str = "
pliant = 1
[time]
frame_rate = 50
[[solid]]
name = 'low'
shape = 'box'
size = 0.1
cells = 3
model = 'corotated'
position = [0, 0.151, 0]
[[solid]]
name = 'high'
shape = 'box'
size = 0.08
cells = 2
model = 'corotated'
position = [0.03, 0.246, 0.01]
rotation = [0, 25, 0]
[[pin]]
body = 'low'
inside = [[-1, -1, -1], [1, 0.11, 1]]
release = 0.07
[[drag]]
path = [[0.09, 0, 0.25, 0], [0.4, 0, 0.4, 0]]
radius = 0.1
stiffness = 50
[contact]
self_collision = true
";
const STEPS: usize = 8;

fn simulation(method: &str) -> Option<Simulation> {
    let set = [("solver.method", method), ("solver.iterations", "40"), ("device.precision", "f64")];
    let set = set.map(|(key, value)| (key.to_string(), value.to_string()));
    let is_linear = find_method(method).unwrap().is_linear();
    let scene = Scene::parse(if is_linear { SOLIDS } else { SCENE }, "stopped", ".".as_ref(), &set).unwrap();
    match Simulation::new(&scene) {
        Ok(simulation) => Some(simulation),
        Err(SimulationError::Method(_)) => None,
        Err(error) => panic!("{method}: {error}"),
    }
}

/// Makes a step after it was begun and stopped a few times, each time later: at once, then after a part of the time that it
/// usually takes. How often it was stopped.
fn step_after_stops(simulation: &mut Simulation, stop: &Stop, usual: Duration) -> usize {
    let before = simulation.state().unwrap();
    let mut stops = 0;
    for part in [0.0, 0.2, 0.4, 0.6, 0.8] {
        let done = AtomicBool::new(false);
        if part == 0.0 {
            stop.raise();
        }
        let made = std::thread::scope(|scope| {
            scope.spawn(|| {
                let begun = Instant::now();
                while begun.elapsed() < usual.mul_f64(part) && !done.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
                stop.raise();
            });
            let made = simulation.step();
            done.store(true, Ordering::Relaxed);
            made
        });
        stop.lower();
        match made {
            Err(SimulationError::Stopped { step }) => assert_eq!(step, before.step),
            Ok(_) => return stops,
            Err(error) => panic!("{error}"),
        }
        stops += 1;
        assert_eq!(simulation.state().unwrap(), before);
    }
    simulation.step().unwrap();
    stops
}

#[test]
fn a_stopped_step_leaves_the_state_and_the_next_one_gives_the_bits_of_one_that_was_never_begun() {
    for method in METHODS.iter().map(|method| method.name) {
        let (Some(mut stopped), Some(mut undisturbed)) = (simulation(method), simulation(method)) else { continue };
        let stop = Stop::default();
        stopped.heed(&stop);
        let mut stops = 0;
        for step in 0..STEPS {
            let begun = Instant::now();
            undisturbed.step().unwrap();
            stops += step_after_stops(&mut stopped, &stop, begun.elapsed());
            assert_eq!(stopped.state().unwrap(), undisturbed.state().unwrap(), "{method}, step {step}");
            assert_eq!(stopped.sides().unwrap(), undisturbed.sides().unwrap(), "{method}, step {step}");
            assert_eq!(stopped.rho(), undisturbed.rho(), "{method}, step {step}");
        }
        assert!(stops >= STEPS, "{method} was stopped {stops} times");
    }
}

#[test]
fn while_the_flag_is_raised_no_step_is_made() {
    let mut simulation = simulation("newton").unwrap();
    let stop = Stop::default();
    simulation.heed(&stop);
    stop.raise();
    for _ in 0..2 {
        let error = simulation.step().unwrap_err();
        assert!(matches!(error, SimulationError::Stopped { step: 0 }), "{error}");
    }
    stop.lower();
    assert_eq!(simulation.step().map(|report| report.retries).unwrap(), 0);
    assert_eq!(simulation.state().unwrap().step, 1);
}
