use super::stepper::{DeviceStepper, Settings};
use super::tune::{Tuning, find_rho};
use super::{SimulationError, StepReport, Stepper};
use crate::device::{Cpu, Device};
use crate::math::{Fnv, Real};
use crate::model::{Model, State};
use crate::scene::{Precision, Scene};
use crate::solver::{Method, Parameters, find_method_for};
use std::sync::Arc;
use std::time::Duration;

/// A scene being simulated.
///
/// ```
/// use pliant::scene::Scene;
/// use pliant::step::Simulation;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let text = "
/// pliant = 1
/// [[cloth]]
/// shape = 'grid'
/// resolution = 11
/// [[pin]]
/// corners = ['-x-z', '+x-z']
/// ";
/// let scene = Scene::parse(text, "napkin", ".".as_ref(), &[])?;
/// let mut simulation = Simulation::new(&scene)?;
/// let report = simulation.step()?;
/// assert!(report.certificate.energy < report.certificate.start_energy);
/// # Ok(())
/// # }
/// ```
pub struct Simulation {
    model: Arc<Model>,
    method: &'static Method,
    iterations: usize,
    precision: &'static str,
    stepper: Box<dyn Stepper>,
}

/// Where ρ is kept between runs.
pub trait RhoCache {
    /// A value found earlier under this key.
    fn load(&self, key: u64) -> Option<f64>;
    /// Keeps a value; failing to is not an error.
    fn store(&self, key: u64, rho: f64);
}

impl Simulation {
    /// Builds the scene and makes everything ready; finds ρ if the method has one and the scene does not say it.
    pub fn new(scene: &Scene) -> Result<Self, SimulationError> {
        Self::with_cache(scene, None)
    }

    /// As [`Simulation::new`], with a place where found parameters are kept.
    pub fn with_cache(scene: &Scene, cache: Option<&dyn RhoCache>) -> Result<Self, SimulationError> {
        let (model, state) = Model::new(scene)?;
        let method = find_method_for(&scene.solver.method, &model)?;
        method.check(&model)?;
        if !["auto", "cpu"].contains(&scene.device.name.as_str()) {
            let help = "this build has 'cpu' (and 'auto', which picks the best there is)".to_string();
            return Err(SimulationError::Device { name: scene.device.name.clone(), help });
        }
        let settings = settings(scene, method);
        let model = Arc::new(model);
        let build = Build {
            model: &model,
            state: &state,
            settings,
            cache,
            key: scene.hash(),
            find: scene.solver.rho.is_none(),
        };
        let (stepper, precision) = match scene.device.precision {
            Precision::F32 => (build.on(Cpu::<f32>::new()), f32::NAME),
            Precision::F64 => (build.on(Cpu::<f64>::new()), f64::NAME),
        };
        Ok(Self { model, method, iterations: settings.iterations, precision, stepper })
    }

    /// The frozen model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The method in use.
    pub fn method(&self) -> &'static Method {
        self.method
    }

    /// Iterations per step at most.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// `"f32"` or `"f64"`.
    pub fn precision(&self) -> &'static str {
        self.precision
    }

    /// Chebyshev's ρ, if the method has one.
    pub fn rho(&self) -> Option<f64> {
        self.stepper.rho()
    }

    /// Advances by one step; on failure the state is that of before.
    pub fn step(&mut self) -> Result<StepReport, SimulationError> {
        self.stepper.step()
    }

    /// The current state.
    pub fn state(&mut self) -> State {
        self.stepper.state()
    }

    /// Replaces the state, for example by that of a checkpoint.
    pub fn set_state(&mut self, state: &State) {
        self.stepper.set_state(state);
    }
}

/// Iterations when only the clock counts.
const UNLIMITED: usize = 100_000;

fn settings(scene: &Scene, method: &'static Method) -> Settings {
    let solver = &scene.solver;
    Settings {
        method,
        parameters: Parameters {
            rho: solver.rho.unwrap_or(0.0),
            delay: solver.delay,
            under_relaxation: solver.under_relaxation,
            over_relaxation: solver.over_relaxation,
            relaxation: solver.relaxation,
        },
        iterations: solver.iterations.unwrap_or(if solver.budget_ms.is_some() { UNLIMITED } else { method.iterations }),
        tolerance: solver.tolerance,
        budget: solver.budget_ms.map(|ms| Duration::from_secs_f64(ms * 1e-3)),
        h: 1.0 / (scene.time.frame_rate * scene.time.steps_per_frame as f64),
    }
}

/// Chebyshev's ρ for the scene's method, as [`Simulation`] would use it from `start` on: what the scene says, what the
/// cache knows, or what a pre-simulation shows. `None` for methods without one.
pub fn rho_for(
    scene: &Scene,
    model: &Arc<Model>,
    start: &State,
    cache: Option<&dyn RhoCache>,
) -> Result<Option<f64>, SimulationError> {
    let method = find_method_for(&scene.solver.method, model)?;
    method.check(model)?;
    if !method.chebyshev || scene.solver.rho.is_some() {
        return Ok(scene.solver.rho.filter(|_| method.chebyshev));
    }
    let settings = settings(scene, method);
    let build = Build { model, state: start, settings, cache, key: scene.hash(), find: true };
    Ok(Some(match scene.device.precision {
        Precision::F32 => build.found_rho(&mut Cpu::<f32>::new()),
        Precision::F64 => build.found_rho(&mut Cpu::<f64>::new()),
    }))
}

struct Build<'a> {
    model: &'a Arc<Model>,
    state: &'a State,
    settings: Settings,
    cache: Option<&'a dyn RhoCache>,
    key: u64,
    find: bool,
}

impl Build<'_> {
    fn on<D: Device + 'static>(mut self, mut device: D) -> Box<dyn Stepper>
    where
        D::Points: 'static,
    {
        if self.find && self.settings.method.chebyshev {
            self.settings.parameters.rho = self.found_rho(&mut device);
        }
        Box::new(DeviceStepper::new(device, self.model.clone(), self.state, self.settings))
    }

    fn found_rho<D: Device + 'static>(&self, device: &mut D) -> f64
    where
        D::Points: 'static,
    {
        let Settings { method, parameters, iterations, h, .. } = self.settings;
        // A deadline has no number of iterations; tune for the method's usual one.
        let iterations = if iterations == UNLIMITED { method.iterations } else { iterations };
        let words = format!("{} {} {iterations} {h} {parameters:?} {}", self.key, method.name, device.precision());
        let key = Fnv::of(words.bytes());
        if let Some(rho) = self.cache.and_then(|cache| cache.load(key)).filter(|rho| (0.0..1.0).contains(rho)) {
            return rho;
        }
        let tuning = Tuning { model: self.model, state: self.state, method, parameters, iterations, h };
        let rho = find_rho(device, &tuning);
        if let Some(cache) = self.cache {
            cache.store(key, rho);
        }
        rho
    }
}
