//! How a scene is after a thousand frames: whether it stays finite, out of colliders and uncrossed, and whether it comes to rest.
//!
//!     cargo bench -p pliant-gpu --bench endurance -- SCENE [frames=1000] [KEY=VALUE...]
//!
//! One row per tenth of the run, of its last second: the median time of a frame, the least distance from a collider at the end
//! of a step, tries of steps rolled back, and how vertices move there, in mean lengths of an edge per second. *Creep* is the
//! root mean square over vertices of the mean velocity of that second, *jitter* that of what is left of the velocity at the
//! ends of frames without it.
#![allow(missing_docs)]

use pliant::mesh::self_intersections;
use pliant::model::{Model, State};
use pliant::scene::Scene;
use pliant::step::Simulation;
use pliant_gpu::AllDevices;
use std::error::Error;
use std::time::Instant;

/// What is summed of every vertex over a second.
struct Motion {
    sum: Vec<[f64; 3]>,
    squares: f64,
    frames: f64,
}

impl Motion {
    fn new(vertices: usize) -> Self {
        Self { sum: vec![[0.0; 3]; vertices], squares: 0.0, frames: 0.0 }
    }

    fn add(&mut self, v: &[[f64; 3]]) {
        self.frames += 1.0;
        for (sum, v) in self.sum.iter_mut().zip(v) {
            for k in 0..3 {
                sum[k] += v[k];
                self.squares += v[k] * v[k];
            }
        }
    }

    /// Root mean squares over vertices of the mean velocity, and of what is left of it, m/s.
    fn creep_and_jitter(&self) -> [f64; 2] {
        let n = self.sum.len() as f64;
        let squares = self.squares / (n * self.frames);
        let mean = self.sum.iter().flatten().map(|sum| (sum / self.frames).powi(2)).sum::<f64>() / n;
        [mean.sqrt(), (squares - mean).max(0.0).sqrt()]
    }
}

/// Mean rest length of an edge, m.
fn edge(model: &Model) -> f64 {
    let length = |&[i, j]: &[u32; 2]| {
        let [a, b] = [i, j].map(|i| model.rest_x[i as usize]);
        (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
    };
    model.edges.iter().map(length).sum::<f64>() / model.edges.len().max(1) as f64
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let Some(path) = arguments.first() else { return Err("usage: endurance SCENE [frames=N] [KEY=VALUE...]".into()) };
    let (mut frames, mut set) = (1000, Vec::new());
    for (key, value) in arguments[1..].iter().filter_map(|argument| argument.split_once('=')) {
        match key {
            "frames" => frames = value.parse()?,
            _ => set.push((key.to_string(), value.to_string())),
        }
    }
    let scene = Scene::read(path.as_ref(), &set)?;
    let mut simulation = Simulation::on(&AllDevices, &scene)?;
    let model = simulation.model().clone();
    let (edge, second) = (edge(&model), scene.time.frame_rate.ceil() as usize);
    println!(
        "{}: {} vertices, {} with {}, edges of {:.1} mm, {} steps a frame\n\
         | frame | ms per frame | least distance, mm | retries | creep, edges/s | jitter, edges/s |\n|---|---|---|---|---|---|",
        scene.name,
        model.vertices(),
        simulation.device(),
        simulation.method().name,
        1e3 * edge,
        scene.time.steps_per_frame,
    );
    let tenth = (frames / 10).max(1);
    let mut motion = Motion::new(model.vertices());
    let (mut times, mut gap, mut retries) = (Vec::new(), f64::INFINITY, 0);
    for frame in 1..=frames {
        let begun = Instant::now();
        for _ in 0..scene.time.steps_per_frame {
            let report = simulation.step()?;
            gap = report.certificate.min_gap.min(gap);
            retries += report.retries;
        }
        times.push(1e3 * begun.elapsed().as_secs_f64());
        if (frame - 1) % tenth + second >= tenth {
            let state: State = simulation.state()?;
            if !state.is_finite() {
                return Err(format!("frame {frame}: not finite").into());
            }
            motion.add(&state.v);
        }
        if frame % tenth == 0 {
            times.sort_by(f64::total_cmp);
            let [creep, jitter] = motion.creep_and_jitter().map(|speed| speed / edge);
            println!(
                "| {frame} | {:.2} | {:.2} | {retries} | {creep:.4} | {jitter:.4} |",
                times[times.len() / 2],
                1e3 * gap
            );
            motion = Motion::new(model.vertices());
            (times, gap, retries) = (Vec::new(), f64::INFINITY, 0);
        }
    }
    let surface: Vec<[u32; 3]> = model.surface().collect();
    let crossed = self_intersections(&simulation.state()?.x, &surface, 1000);
    println!("{} pairs of triangles cross at the end", crossed.len());
    Ok(())
}
