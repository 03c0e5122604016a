//! Robustness of materials: a hundred random scrambles and flattenings of three meshes for each, 200 frames each, and a table of
//! how they came back.
//!
//! `cargo bench -p pliant --bench recovery [-- trials=100] [model=NAME,...] [method=descent] [large=2] [minutes=LIMIT]`
//!
//! The third mesh, and a larger fourth one that is crushed only `large` times, are those of the reference data; without these there
//! are two.

#[path = "../tests/support/recovery.rs"]
mod recovery;

use recovery::{FRAMES, MODELS, Recovery, Shape, crushed, from_data, generated, recover};
use std::time::{Duration, Instant};

fn given(key: &str) -> Option<String> {
    let prefix = format!("{key}=");
    std::env::args().find_map(|argument| argument.strip_prefix(&prefix).map(str::to_string))
}

fn number(key: &str, default: usize) -> usize {
    given(key).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{key}={text} is not a number")))
}

/// What became of one mesh of one material.
#[derive(Default)]
struct Row {
    trials: usize,
    whole: usize,
    inverted: usize,
    not_finite: usize,
    retries: usize,
    upright: usize,
    stretch: f64,
    /// Seeds of those that are not whole.
    lost: Vec<u64>,
}

impl Row {
    fn add(&mut self, seed: u64, one: &Recovery) {
        self.trials += 1;
        self.whole += usize::from(one.is_whole());
        self.inverted += usize::from(one.inverted > 0);
        self.not_finite += usize::from(!one.finite);
        self.retries += one.retries;
        self.upright = self.upright.max(one.upright);
        self.stretch = self.stretch.max(one.max_stretch);
        self.lost.extend((!one.is_whole()).then_some(seed));
    }

    fn print(&self, model: &str, shape: &Shape) {
        let Row { trials, whole, inverted, not_finite, retries, upright, stretch, lost } = self;
        println!(
            "| {model} | {} | {trials} | {whole} | {inverted} | {not_finite} | {upright} | {:.2} % | {retries} | {lost:?} |",
            shape.name,
            100.0 * stretch
        );
    }
}

fn main() {
    let (trials, large) = (number("trials", 100), number("large", 2));
    let method = given("method").unwrap_or_else(|| "descent".to_string());
    let until = given("minutes").map(|text| {
        let minutes: f64 = text.parse().unwrap_or_else(|_| panic!("minutes={text} is not a number"));
        Instant::now() + Duration::from_secs_f64(60.0 * minutes)
    });
    let mut shapes: Vec<Shape> = generated().into_iter().chain(from_data("ipcbar_186", 0.05)).collect();
    let shared = shapes.len();
    shapes.extend(from_data("armadillo_4k", 0.3));
    println!("{FRAMES} frames, {method}; whole: no tet inverted, no edge off by a hundredth");
    println!(
        "| model | mesh | trials | whole | with inverted tets | not finite | last inversion, frame | stretch | retries | seeds of the others |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for model in MODELS.into_iter().filter(|name| given("model").is_none_or(|list| list.split(',').any(|n| n == *name)))
    {
        for (k, shape) in shapes.iter().enumerate() {
            // Even seeds are random clouds, odd ones lie in a plane.
            let count = if k < shared { (trials + shared - 1 - k) / shared } else { large };
            let mut row = Row::default();
            for seed in 0..count as u64 {
                if until.is_some_and(|until| Instant::now() > until) {
                    row.print(model, shape);
                    println!("stopped: the time is over");
                    return;
                }
                row.add(seed, &recover(&crushed(shape, model, seed, &method)));
            }
            if count > 0 {
                row.print(model, shape);
            }
        }
    }
}
