//! A cloth hanging from two corners (`scenes/hanging.toml`): how far each method is from Newton after a second, and what
//! that costs beside projective dynamics with a direct solver and ten iterations.
//!
//! `cargo bench -p pliant --bench hanging [-- RESOLUTION...]`

use pliant::math::Vec3;
use pliant::model::{Model, State};
use pliant::scene::Scene;
use pliant::step::Simulation;

/// Mean |length/rest − 1| of all edges, and the largest of the edges at pins.
fn stretch(model: &Model, state: &State) -> (f64, f64) {
    let pinned = |i: u32| model.pins.iter().any(|pin| pin.vertex == i);
    let (mut sum, mut at_pins) = (0.0, 0.0f64);
    for &[i, j] in &model.edges {
        let length = |x: &[[f64; 3]]| (Vec3::<f64>::of(x[i as usize]) - Vec3::of(x[j as usize])).length();
        let stretch = (length(&state.x) / length(&model.rest_x) - 1.0).abs();
        sum += stretch;
        if pinned(i) || pinned(j) {
            at_pins = at_pins.max(stretch);
        }
    }
    (sum / model.edges.len() as f64, at_pins)
}

struct Outcome {
    /// Mean over frames of the mean stretch.
    mean: f64,
    /// Largest stretch of an edge at a pin in any frame.
    at_pins: f64,
    /// ms per step.
    ms: f64,
}

fn run(resolution: usize, method: &str, iterations: usize) -> Outcome {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/hanging.toml");
    let set = [
        ("cloth.resolution".to_string(), resolution.to_string()),
        ("solver.method".to_string(), method.to_string()),
        ("solver.iterations".to_string(), iterations.to_string()),
    ];
    let scene = Scene::read(path.as_ref(), &set).unwrap();
    let mut simulation = Simulation::new(&scene).unwrap();
    let model = simulation.model().clone();
    let (mut mean, mut at_pins, mut ms) = (0.0, 0.0f64, 0.0);
    for _ in 0..scene.time.frames {
        ms += simulation.step().unwrap().ms;
        let now = stretch(&model, &simulation.state().unwrap());
        mean += now.0;
        at_pins = at_pins.max(now.1);
    }
    let frames = scene.time.frames as f64;
    Outcome { mean: mean / frames, at_pins, ms: ms / frames }
}

fn main() {
    let asked: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if asked.is_empty() { vec![32, 100] } else { asked };
    println!("| N | method | iterations | mean stretch | against Newton | largest at pins | time / pd-direct 10 |");
    println!("|---|---|---|---|---|---|---|");
    for resolution in sizes {
        let mut methods = vec![
            ("pd-direct", 10),
            ("pd-direct-chebyshev", 80),
            ("pd-direct-chebyshev", 200),
            ("pd-multigrid-chebyshev", 40),
            ("pd-multigrid-chebyshev", 80),
            ("pd-multigrid-chebyshev", 160),
            ("pd-jacobi-chebyshev", 200),
            ("pd-jacobi-chebyshev", 1000),
            ("pd-gauss-seidel-chebyshev", 200),
            ("pd-pcg", 200),
            ("xpbd", 100),
        ];
        if resolution <= 64 {
            methods.insert(0, ("newton", 200));
        }
        let outcomes: Vec<Outcome> = methods.iter().map(|(method, k)| run(resolution, method, *k)).collect();
        let base = outcomes[usize::from(resolution <= 64)].ms;
        let newton = (resolution <= 64).then(|| outcomes[0].mean);
        for ((method, iterations), outcome) in methods.iter().zip(&outcomes) {
            println!(
                "| {resolution} | {method} | {iterations} | {:.5} % | {} | {:.2} % | {:.1} |",
                100.0 * outcome.mean,
                newton.map_or("".to_string(), |newton| format!("{:+.0} %", 100.0 * (outcome.mean / newton - 1.0))),
                100.0 * outcome.at_pins,
                outcome.ms / base
            );
        }
    }
}
