//! Hands that hold, drag and free vertices while a scene is simulated.

use pliant::model::{Hands, Held};
use pliant::scene::Scene;
use pliant::step::Simulation;
use std::sync::Arc;

/// A cloth of 11×11 vertices that hangs at two corners: vertices 0 and 10.
fn hanging(method: &str) -> Simulation {
    let text = format!(
        "pliant = 1
        [time]
        frame_rate = 60
        [solver]
        method = '{method}'
        [device]
        precision = 'f64'
        [[cloth]]
        resolution = 11
        [[pin]]
        corners = ['-x-z', '+x-z']"
    );
    let scene = Scene::parse(&text, "napkin", ".".as_ref(), &[]).unwrap();
    Simulation::new(&scene).unwrap()
}

fn pinned(simulation: &Simulation) -> Vec<u32> {
    let model = simulation.model();
    (0..model.vertices() as u32).filter(|&i| model.is_pinned(i)).collect()
}

fn run(simulation: &mut Simulation, steps: usize) {
    for _ in 0..steps {
        simulation.step().unwrap();
    }
}

fn apart(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn what_is_in_a_hand_follows_it_and_keeps_its_speed_when_it_is_let_go() {
    for method in ["pd-direct-chebyshev", "pd-multigrid-chebyshev", "newton", "xpbd"] {
        let mut simulation = hanging(method);
        // The hem: a single vertex is so light that its neighbours stop it at once.
        let hem = 110..121_u32;
        let start = simulation.state().unwrap().x;
        let at = |vertex: u32, k: usize| {
            let [x, y, z] = start[vertex as usize];
            [x, y + 0.01 * k as f64, z]
        };
        let hands = |k: usize| {
            let held = hem.clone().map(|vertex| Held { vertex, target: at(vertex, k), stiffness: Some(2e3) });
            Hands { held: held.collect(), freed: Vec::new() }
        };
        simulation.hold(&hands(0));
        let model = simulation.model().clone();
        for k in 1..=15 {
            simulation.hold(&hands(k));
            run(&mut simulation, 1);
        }
        assert!(Arc::ptr_eq(&model, simulation.model()), "{method}: hands that move make a new model");
        let state = simulation.state().unwrap();
        let middle = 115;
        let far = hem.clone().map(|vertex| apart(state.x[vertex as usize], at(vertex, 15))).fold(0.0, f64::max);
        assert!(far < 0.01, "{method}: {far} m from the hand");
        assert!((0.4..0.8).contains(&state.v[middle][1]), "{method}: {:?}, not 0.6 m/s up", state.v[middle]);
        simulation.hold(&Hands::default());
        run(&mut simulation, 2);
        let risen = simulation.state().unwrap().x[middle][1] - state.x[middle][1];
        assert!(risen > 0.005, "{method}: {risen} m after two steps, as if it had been stopped");
        run(&mut simulation, 40);
        assert!(simulation.state().unwrap().x[middle][1] < state.x[middle][1], "{method}: it does not fall");
    }
}

#[test]
fn vertices_are_pinned_and_freed_while_the_simulation_runs() {
    let mut simulation = hanging("auto");
    assert_eq!(pinned(&simulation), [0, 10]);
    run(&mut simulation, 5);
    let place = simulation.state().unwrap().x[120];
    let held = vec![Held { vertex: 120, target: place, stiffness: None }];
    simulation.hold(&Hands { held, freed: vec![10] });
    assert_eq!(pinned(&simulation), [0, 120]);
    let corner = simulation.state().unwrap().x[10];
    run(&mut simulation, 30);
    let state = simulation.state().unwrap();
    assert!(apart(state.x[120], place) < 1e-12, "{:?} is not held at {place:?}", state.x[120]);
    assert!(state.x[10][1] < corner[1] - 0.1, "the freed corner does not fall: {:?}", state.x[10]);
    simulation.hold(&Hands::default());
    assert_eq!(pinned(&simulation), [0, 10]);
}

#[test]
fn a_look_at_the_residual_changes_nothing_and_finds_what_the_certificate_says() {
    for method in ["pd-jacobi-chebyshev", "pd-multigrid", "newton"] {
        let (mut watched, mut alone) = (hanging(method), hanging(method));
        assert!(watched.residual().unwrap().iter().flatten().all(|c| *c == 0.0), "{method}: before any step");
        for _ in 0..10 {
            let norm = watched.step().unwrap().certificate.gradient_norm;
            let residual = watched.residual().unwrap();
            let found = residual.iter().flatten().map(|c| c * c).sum::<f64>().sqrt();
            assert!((found - norm).abs() <= 1e-9 * (1.0 + norm), "{method}: {found} N, not {norm}");
            alone.step().unwrap();
        }
        assert_eq!(watched.state().unwrap().hash(), alone.state().unwrap().hash(), "{method}");
    }
}

/// Regression: whenever a hand closed or opened, bodies forgot on which sides of each other they were, and what had gone a
/// little through something was pushed out on the other side.
#[test]
fn a_hand_that_closes_lets_no_body_forget_on_which_side_of_another_it_is() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/heap.toml");
    let coarse = ["red", "blue", "yellow", "green"].map(|name| (format!("cloth.{name}.resolution"), "9".to_string()));
    // Steps so long that cloths cross.
    let more = [("time.steps_per_frame", "1"), ("device.name", "cpu")].map(|(k, v)| (k.to_string(), v.to_string()));
    let scene = Scene::read(&path, &coarse.into_iter().chain(more).collect::<Vec<_>>()).unwrap();
    let mut simulation = Simulation::new(&scene).unwrap();
    let vertex = 5;
    let shown = (0..40).any(|_| {
        simulation.step().unwrap();
        let (state, sides) = (simulation.state().unwrap(), simulation.sides().unwrap());
        let held = vec![Held { vertex, target: state.x[vertex as usize], stiffness: None }];
        let hands = Hands { held, ..Hands::default() };
        let [known, forgotten] = [sides, Default::default()].map(|sides| {
            let mut other = Simulation::new(&scene).unwrap();
            other.set_state(&state).unwrap();
            other.set_sides(&sides);
            other.hold(&hands);
            run(&mut other, 4);
            other.state().unwrap().hash()
        });
        known != forgotten
    });
    assert!(shown, "sides that are forgotten show in no step");
}
