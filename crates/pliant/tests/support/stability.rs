//! Runs a scene with a method and looks whether it stays calm: for the tests in small, for `cargo bench -p pliant-gpu
//! --bench stability` with every method, every shipped scene and three stiffnesses.

use pliant::device::Devices;
use pliant::model::Model;
use pliant::scene::{MeshSource, Scene, SolidModel};
use pliant::solver::{METHODS, Method, Needs};
use pliant::step::Simulation;
use std::time::Instant;

/// What counts as calm. Besides, in runs of [`LONG`] steps and more nothing may still grow in the last third.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Largest |length/rest − 1| of an edge. A method that is not run to convergence may have a soft equilibrium where all
    /// the weight hangs on one edge; `extent` is the bound where that is no matter.
    pub stretch: f64,
    /// Largest diagonal of the box around all vertices, as a multiple of that at the start.
    pub extent: f64,
    /// Largest speed, m/s.
    pub speed: f64,
}

/// Steps after which scenes have had the time to reach their largest stretch and speed.
pub const LONG: usize = 150;

/// Largest values before and in the last third of a run.
#[derive(Clone, Copy, Default)]
struct Peaks {
    stretch: [f64; 2],
    speed: [f64; 2],
}

impl Peaks {
    /// What is clearly larger in the last third than ever before, and not small.
    fn growing(&self) -> Option<String> {
        let grows = |[before, last]: [f64; 2], small: f64| last > 1.5 * before && last > small;
        let tell =
            |name: &str, [before, last]: [f64; 2]| Some(format!("{name} still grows: {before:.3e} to {last:.3e}"));
        if grows(self.stretch, 1.0) {
            tell("stretch", self.stretch)
        } else if grows(self.speed, 10.0) {
            tell("speed", self.speed)
        } else {
            None
        }
    }
}

/// Diagonal of the box around points, m.
fn extent(x: &[[f64; 3]]) -> f64 {
    let side = |k: usize| {
        let (least, most) = x.iter().fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x[k]), b.max(x[k])));
        most - least
    };
    (0..3).map(|k| side(k).powi(2)).sum::<f64>().sqrt()
}

/// Factors on the stiffness of a scene.
pub const STIFFNESSES: [f64; 3] = [0.01, 1.0, 100.0];

/// How one run went.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub scene: String,
    pub method: &'static str,
    /// Factor on all stiffnesses.
    pub stiffness: f64,
    pub max_stretch: f64,
    pub max_speed: f64,
    pub retries: usize,
    pub seconds: f64,
    pub end: End,
}

impl Outcome {
    /// What went wrong, and at which step.
    pub fn failed(&self) -> Option<&str> {
        match &self.end {
            End::Failed(why) => Some(why),
            _ => None,
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// Calm to its last step.
    Calm,
    /// Calm up to this step, when the time was over.
    Unfinished(usize),
    /// What went wrong, and at which step.
    Failed(String),
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Calm => f.write_str("ok"),
            Self::Unfinished(step) => write!(f, "not finished: step {step}"),
            Self::Failed(why) => f.write_str(why),
        }
    }
}

/// How long a run is and what it must keep to.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub steps: usize,
    pub bounds: Bounds,
    /// When it ends, finished or not.
    pub until: Option<Instant>,
}

/// Makes every generated mesh coarser: `scale` times as many vertices along each side.
pub fn coarsen(scene: &mut Scene, scale: f64) {
    let fewer = |count: usize, least: usize| ((count as f64 * scale).round() as usize).max(least);
    let meshes = scene.cloth.iter_mut().map(|cloth| &mut cloth.mesh);
    for mesh in meshes.chain(scene.solid.iter_mut().map(|solid| &mut solid.mesh)) {
        match mesh {
            MeshSource::Grid { resolution, .. } => *resolution = resolution.map(|count| fewer(count, 5)),
            MeshSource::Box { cells, .. } => *cells = cells.map(|count| fewer(count, 2)),
            MeshSource::Sphere { edge, radius } => *edge = (*edge / scale).min(0.5 * *radius),
            MeshSource::Cylinder { edge, radius, .. } => *edge = (*edge / scale).min(*radius),
            MeshSource::Torus { edge, minor_radius, .. } => *edge = (*edge / scale).min(*minor_radius),
            MeshSource::DoubleHelix { tets } => *tets = fewer(*tets, 100),
            MeshSource::Creature { tets } => *tets = ((*tets as f64 * scale.powi(3)) as usize).max(4000),
            MeshSource::Car { tets } => *tets = ((*tets as f64 * scale.powi(3)) as usize).max(5000),
            MeshSource::Snowman { tets } => *tets = ((*tets as f64 * scale.powi(3)) as usize).max(1000),
            MeshSource::File(_) => {}
        }
    }
}

/// Methods that can run a scene once its solids are of the material that they are for.
pub fn methods(scene: &Scene) -> Vec<&'static Method> {
    let fits = |method: &&Method| {
        let (model, _) = Model::new(&fitted(scene.clone(), method)).unwrap_or_else(|error| panic!("{error}"));
        method.check(&model).is_ok()
    };
    METHODS.iter().filter(fits).collect()
}

/// Solids as rigid as possible, or corotated for methods that hold rotations.
fn fitted(mut scene: Scene, method: &Method) -> Scene {
    let model = match method.needs {
        Needs::Rotations => SolidModel::Corotated,
        Needs::Energy | Needs::Projections | Needs::Constraints => SolidModel::AsRigidAsPossible,
    };
    scene.solid.iter_mut().for_each(|solid| solid.model = model);
    scene
}

/// One run at h = 1/30 s, on the device that the scene asks for.
pub fn run_on(devices: &impl Devices, scene: &Scene, method: &'static Method, stiffness: f64, plan: Plan) -> Outcome {
    let mut scene = fitted(scene.clone(), method);
    scene.stiffen(stiffness);
    scene.time.frame_rate = 30.0;
    scene.time.steps_per_frame = 1;
    scene.solver.method = method.name.to_string();
    let begun = Instant::now();
    let mut outcome = Outcome {
        scene: scene.name.clone(),
        method: method.name,
        stiffness,
        max_stretch: 0.0,
        max_speed: 0.0,
        retries: 0,
        seconds: 0.0,
        end: End::Calm,
    };
    outcome.end = simulate(devices, &scene, plan, &mut outcome).unwrap_or_else(End::Failed);
    outcome.seconds = begun.elapsed().as_secs_f64();
    outcome
}

fn simulate(devices: &impl Devices, scene: &Scene, plan: Plan, outcome: &mut Outcome) -> Result<End, String> {
    let Plan { steps, bounds, until } = plan;
    let mut simulation = Simulation::on(devices, scene).map_err(|error| error.to_string())?;
    // A random cloud starts far outside any bound; it has this many steps to come home.
    let scrambled =
        scene.cloth.iter().any(|c| c.placement.scramble) || scene.solid.iter().any(|s| s.placement.scramble);
    let settling = if scrambled { steps / 2 } else { 0 };
    let size = extent(&simulation.state().map_err(|error| error.to_string())?.x);
    let mut peaks = Peaks::default();
    for step in 0..steps {
        if until.is_some_and(|until| Instant::now() > until) {
            return Ok(End::Unfinished(step));
        }
        let report = simulation.step().map_err(|error| format!("step {step}: {error}"))?;
        let state = simulation.state().map_err(|error| format!("step {step}: {error}"))?;
        if !state.is_finite() {
            return Err(format!("step {step}: not finite"));
        }
        outcome.retries += report.retries;
        if step < settling {
            continue;
        }
        let speed = state.v.iter().map(|v| v.iter().map(|c| c * c).sum::<f64>().sqrt()).fold(0.0, f64::max);
        outcome.max_speed = outcome.max_speed.max(speed);
        outcome.max_stretch = outcome.max_stretch.max(report.certificate.max_stretch);
        if speed > bounds.speed {
            return Err(format!("step {step}: {speed:.3e} m/s"));
        }
        let stretch = report.certificate.max_stretch;
        if stretch > bounds.stretch {
            return Err(format!("step {step}: stretch {stretch:.3e}"));
        }
        let now = extent(&state.x);
        if now > bounds.extent * size {
            return Err(format!("step {step}: {now:.3e} m across, {size:.3e} m at the start"));
        }
        let last = usize::from(3 * step >= 2 * steps);
        peaks.stretch[last] = peaks.stretch[last].max(stretch);
        peaks.speed[last] = peaks.speed[last].max(speed);
    }
    peaks.growing().filter(|_| steps >= LONG).map_or(Ok(End::Calm), Err)
}
