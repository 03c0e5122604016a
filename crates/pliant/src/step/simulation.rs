use super::stepper::{DeviceStepper, Settings};
use super::tune::{Tuning, find_rho};
use super::{SimulationError, StepReport, Stepper};
use crate::device::{CpuOnly, Device, DeviceError, Devices, Task};
use crate::math::Fnv;
use crate::model::{Model, State};
use crate::scene::Scene;
use crate::solver::{Method, Parameters, find_method_for, iterations_for};
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
    device: String,
    direct: bool,
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
    /// Builds the scene and makes everything ready on the CPU; finds ρ if the method has one and the scene does not say
    /// it.
    pub fn new(scene: &Scene) -> Result<Self, SimulationError> {
        Self::on(&CpuOnly, scene, None)
    }

    /// As [`Simulation::new`], on the device that the scene asks for and with a place where found parameters are kept.
    pub fn on(devices: &impl Devices, scene: &Scene, cache: Option<&dyn RhoCache>) -> Result<Self, SimulationError> {
        let (model, state) = Model::new(scene)?;
        let build = Build { scene, model: &Arc::new(model), state: &state, cache };
        devices.run(&scene.device, build)?
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

    /// Name of the device, for reports.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// Whether the device has a direct solver.
    pub fn has_direct_solver(&self) -> bool {
        self.direct
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

    /// The current state; waits for the device.
    pub fn state(&mut self) -> Result<State, DeviceError> {
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

/// A simulation to be made on some device.
struct Build<'a> {
    scene: &'a Scene,
    model: &'a Arc<Model>,
    state: &'a State,
    cache: Option<&'a dyn RhoCache>,
}

impl Task for Build<'_> {
    type Output = Result<Simulation, SimulationError>;

    fn on<D: Device + 'static>(self, mut device: D) -> Self::Output
    where
        D::Points: 'static,
    {
        let mut settings = self.settings(&device)?;
        if let Some(rho) = self.rho(&mut device, &settings)? {
            settings.parameters.rho = rho;
        }
        let (name, precision, direct) = (device.name(), device.precision(), device.has_direct_solver());
        let stepper = DeviceStepper::new(device, self.model.clone(), self.state, settings)?;
        Ok(Simulation {
            model: self.model.clone(),
            method: settings.method,
            iterations: settings.iterations,
            device: name,
            direct,
            precision,
            stepper: Box::new(stepper),
        })
    }
}

impl Build<'_> {
    fn settings<D: Device>(&self, device: &D) -> Result<Settings, SimulationError> {
        let method = find_method_for(&self.scene.solver.method, self.model, device.has_direct_solver())?;
        method.check(self.model)?;
        method.check_device(device)?;
        let mut settings = settings(self.scene, method);
        let solver = &self.scene.solver;
        let free = solver.method == "auto" && solver.iterations.is_none() && solver.budget_ms.is_none();
        if free && method.name == "pd-jacobi-chebyshev" {
            settings.iterations = iterations_for(self.model, settings.h);
        }
        Ok(settings)
    }

    /// ρ: what the scene says, what the cache knows, or what a pre-simulation shows; `None` for methods without one.
    fn rho<D: Device + 'static>(&self, device: &mut D, settings: &Settings) -> Result<Option<f64>, DeviceError>
    where
        D::Points: 'static,
    {
        let Settings { method, parameters, iterations, h, .. } = *settings;
        if !method.chebyshev || self.scene.solver.rho.is_some() {
            return Ok(self.scene.solver.rho.filter(|_| method.chebyshev));
        }
        // A deadline has no number of iterations; tune for the method's usual one.
        let iterations = if iterations == UNLIMITED { method.iterations } else { iterations };
        let (scene, state, precision) = (self.scene.hash(), self.state.hash(), device.precision());
        let words = format!("{scene} {state} {} {iterations} {h} {parameters:?} {precision}", method.name);
        let key = Fnv::of(words.bytes());
        if let Some(rho) = self.cache.and_then(|cache| cache.load(key)).filter(|rho| (0.0..1.0).contains(rho)) {
            return Ok(Some(rho));
        }
        let tuning = Tuning { model: self.model, state: self.state, method, parameters, iterations, h };
        let rho = find_rho(device, &tuning)?;
        if let Some(cache) = self.cache {
            cache.store(key, rho);
        }
        Ok(Some(rho))
    }
}

/// Chebyshev's ρ for the scene's method on the scene's device, as [`Simulation`] would use it from `start` on. `None`
/// for methods without one.
pub fn rho_for(
    devices: &impl Devices,
    scene: &Scene,
    model: &Arc<Model>,
    start: &State,
    cache: Option<&dyn RhoCache>,
) -> Result<Option<f64>, SimulationError> {
    devices.run(&scene.device, FindRho(Build { scene, model, state: start, cache }))?
}

struct FindRho<'a>(Build<'a>);

impl Task for FindRho<'_> {
    type Output = Result<Option<f64>, SimulationError>;

    fn on<D: Device + 'static>(self, mut device: D) -> Self::Output
    where
        D::Points: 'static,
    {
        let settings = self.0.settings(&device)?;
        Ok(self.0.rho(&mut device, &settings)?)
    }
}
