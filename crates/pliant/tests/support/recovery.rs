//! Solids that were scrambled or pressed flat, and whether they come back: for the tests in small, for `--bench recovery` a
//! hundred times for every material.

use pliant::model::State;
use pliant::scene::Scene;
use pliant::step::Simulation;
use std::path::{Path, PathBuf};

/// Every model of a solid that scenes know.
pub const MODELS: [&str; 8] =
    ["arap", "corotated", "stvk", "neo-hookean", "mooney-rivlin", "fung", "stable-neo-hookean", "spline"];

/// Frames that it may take.
pub const FRAMES: usize = 200;

/// A shape to be crushed: its name and the lines of its scene.
#[derive(Clone, Debug)]
pub struct Shape {
    pub name: &'static str,
    lines: String,
}

/// A lattice, and a ball whose tetrahedra are cut to fit its surface.
pub fn generated() -> [Shape; 2] {
    let shape = |name, lines: &str| Shape { name, lines: lines.to_string() };
    [
        shape("box", "shape = \"box\"\nsize = 0.2\ncells = 3"),
        shape("ball", "shape = \"sphere\"\nradius = 0.12\nedge = 0.06"),
    ]
}

/// A mesh of the reference data, where it is there, made about 30 cm large by `scale`.
pub fn from_data(name: &'static str, scale: f64) -> Option<Shape> {
    let root = std::env::var_os("PLIANT_DATA").map_or_else(|| "../../shared/data".into(), PathBuf::from);
    let file = std::path::absolute(root.join("tet").join(format!("{name}.msh"))).ok()?;
    let lines = format!("mesh = '{}'\nscale = {scale}", file.display());
    file.is_file().then_some(Shape { name, lines })
}

/// How one came back.
#[derive(Clone, Copy, Debug)]
pub struct Recovery {
    /// Every number was finite in every frame.
    pub finite: bool,
    /// Inverted tets at the end.
    pub inverted: usize,
    /// The frame after which no tet was inverted any more.
    pub upright: usize,
    /// Largest |length/rest − 1| of an edge at the end.
    pub max_stretch: f64,
    /// Steps that were tried again.
    pub retries: usize,
}

impl Recovery {
    /// As at rest, to a hundredth.
    pub fn is_whole(&self) -> bool {
        self.finite && self.inverted == 0 && self.max_stretch < 0.01
    }
}

/// The scene of `scenes/squash-recover.toml` with another shape and material; odd seeds are pressed flat, all are scrambled.
pub fn crushed(shape: &Shape, model: &str, seed: u64, method: &str) -> Scene {
    let text = format!(
        "pliant = 1\ngravity = [0, 0, 0]\nseed = {seed}\n[time]\nframe_rate = 30\nframes = {FRAMES}\n[[solid]]\n{}\n\
         model = \"{model}\"\nyoungs_modulus = \"100 kPa\"\npoisson_ratio = 0.4\ndensity = \"1 g/cm^3\"\nscramble = true\n\
         flatten = {}\n[[force]]\nkind = \"damping\"\nrate = 2\n[solver]\nmethod = \"{method}\"\n[device]\nname = \"cpu\"\n",
        shape.lines,
        seed % 2 == 1
    );
    Scene::parse(&text, "crushed", Path::new("."), &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// Simulates it.
pub fn recover(scene: &Scene) -> Recovery {
    let mut simulation = Simulation::new(scene).unwrap_or_else(|error| panic!("{error}"));
    let mut outcome = Recovery { finite: true, inverted: 0, upright: 0, max_stretch: 0.0, retries: 0 };
    for frame in 1..=FRAMES {
        let report = match simulation.step() {
            Ok(report) => report,
            Err(_) => return Recovery { finite: false, ..outcome },
        };
        let certificate = report.certificate;
        (outcome.inverted, outcome.max_stretch) = (certificate.inverted, certificate.max_stretch);
        outcome.retries += report.retries;
        if certificate.inverted > 0 {
            outcome.upright = frame + 1;
        }
        outcome.finite &= simulation.state().is_ok_and(|state| State::is_finite(&state));
    }
    outcome
}
