//! A cloth hanging from two corners (`scenes/hanging.toml`): how far each method is from Newton after a second, and what
//! that costs beside projective dynamics with a direct solver and ten iterations.
//!
//! `cargo bench -p pliant --bench hanging [-- RESOLUTION...]`

mod support;

use pliant::scene::Scene;
use pliant::step::Simulation;
use support::stretch_at_pins;

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
        let report = simulation.step().unwrap();
        ms += report.ms;
        mean += report.certificate.mean_stretch;
        at_pins = at_pins.max(stretch_at_pins(&model, &simulation.state().unwrap()));
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
