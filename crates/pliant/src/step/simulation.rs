use super::rho::find_rho;
use super::stepper::{DeviceStepper, Settings};
use super::tune::phases_for;
use super::{SimulationError, StepReport, Stepper};
use crate::contact::close::Side;
use crate::device::{CpuOnly, Device, DeviceError, Devices, Task};
use crate::disk_cache::DiskCache;
use crate::model::{Hands, Model, State};
use crate::scene::{DeviceSettings, Phases, Scene, SolverSettings};
use crate::solver::{Method, Parameters, PhaseList, Stop, find_method_for};
use std::sync::Arc;
use std::time::Duration;

/// Where a simulation was the last time that its device answered.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The state.
    pub state: &'a State,
    /// On which sides of each other parts of bodies were, as [`Simulation::sides`] says.
    pub sides: &'a [Vec<Side>; 2],
    /// ρ in use, if the method has one.
    pub rho: Option<f64>,
}

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
    method: &'static Method,
    iterations: usize,
    device: String,
    remote: bool,
    direct: bool,
    precision: &'static str,
    phases: PhaseList,
    stepper: Box<dyn Stepper>,
}

impl Simulation {
    /// Builds the scene and makes everything ready on the CPU; finds ρ if the method has one and the scene does not say
    /// it.
    pub fn new(scene: &Scene) -> Result<Self, SimulationError> {
        Self::on(&CpuOnly, scene)
    }

    /// As [`Simulation::new`], on the device that the scene asks for.
    pub fn on(devices: &impl Devices, scene: &Scene) -> Result<Self, SimulationError> {
        let (model, state) = Model::with_cache(scene, &devices.cache())?;
        let cache = devices.cache();
        on_device(devices, &scene.device, Build { scene, model: &Arc::new(model), state: &state, cache: &cache })
    }

    /// Goes on on the CPU from where this simulation of `scene` was known to be, by the same method; for when its device has
    /// failed. `None` where the scene asked for that device, or it is the CPU. Hands have to take hold again.
    pub fn moved_to_cpu(
        &self,
        devices: &impl Devices,
        scene: &Scene,
        known: &Known,
    ) -> Result<Option<Self>, SimulationError> {
        if scene.device.name != "auto" || !self.remote {
            return Ok(None);
        }
        let device = DeviceSettings { name: "cpu".to_string(), ..scene.device.clone() };
        let solver = SolverSettings { method: self.method.name.to_string(), ..scene.solver.clone() };
        let mut moved = Self::on(devices, &Scene { device, solver, ..scene.clone() })?;
        moved.set_state(known.state)?;
        moved.set_sides(known.sides);
        known.rho.into_iter().for_each(|rho| moved.set_rho(rho));
        Ok(Some(moved))
    }

    /// The frozen model, with pins for what drags have pinched so far and for what is in hands.
    pub fn model(&self) -> &Arc<Model> {
        self.stepper.model()
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

    /// Whether the device works while the host does something else.
    pub fn is_remote(&self) -> bool {
        self.remote
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

    /// Phases of Chebyshev's ρ, if it has any; ρ in use is then the largest of theirs.
    pub fn phases(&self) -> &PhaseList {
        &self.phases
    }

    /// Replaces the ρ in use, for example by that of a checkpoint; it will not grow above the scene's.
    pub fn set_rho(&mut self, rho: f64) {
        self.stepper.set_rho(rho);
    }

    /// On which sides of each other parts of bodies were in the last step: of vertices, then of edges. Empty where bodies do
    /// not feel each other. Waits for the device.
    pub fn sides(&mut self) -> Result<[Vec<Side>; 2], DeviceError> {
        self.stepper.sides()
    }

    /// Replaces them, for example by those of a checkpoint, after the state.
    pub fn set_sides(&mut self, sides: &[Vec<Side>; 2]) {
        self.stepper.set_sides(sides);
    }

    /// Advances by one step; on failure the state is that of before.
    pub fn step(&mut self) -> Result<StepReport, SimulationError> {
        self.stepper.step()
    }

    /// As [`Simulation::step`]; while the device works on it, `see` gets the state that the step begins with. Only if the
    /// device fails it may not get it.
    pub fn step_showing(&mut self, see: &mut dyn FnMut(State)) -> Result<StepReport, SimulationError> {
        self.stepper.step_showing(see)
    }

    /// Steps end with [`SimulationError::Stopped`] as soon as somebody raises this: on the CPU at the next iteration, on a device
    /// that works on many at once when it is done with those. Such a step is not to have been: the next one gives the same bits.
    pub fn heed(&mut self, stop: &Stop) {
        self.stepper.heed(stop);
    }

    /// Replaces what hands hold, from the next step on: vertices that are dragged, or pinned and freed while the simulation
    /// runs. To move a hand costs nothing; another grip makes the matrix of the step anew.
    pub fn hold(&mut self, hands: &Hands) {
        self.stepper.hold(hands);
    }

    /// ∇E of each vertex where the last step ended, N: what its solve left. Zero before the first step; changes nothing.
    pub fn residual(&mut self) -> Result<Vec<[f64; 3]>, DeviceError> {
        self.stepper.residual()
    }

    /// The current state; waits for the device.
    pub fn state(&mut self) -> Result<State, DeviceError> {
        self.stepper.state()
    }

    /// Replaces the state, for example by that of a checkpoint; refuses one with another number of vertices.
    pub fn set_state(&mut self, state: &State) -> Result<(), SimulationError> {
        let (positions, velocities, vertices) = (state.x.len(), state.v.len(), self.model().vertices());
        if [positions, velocities] != [vertices; 2] {
            return Err(SimulationError::WrongState { positions, velocities, vertices });
        }
        self.stepper.set_state(state);
        Ok(())
    }
}

/// Iterations where only the clock counts, and whether they still change anything.
const UNLIMITED: usize = 100_000;

fn settings(scene: &Scene, model: &Model, method: &'static Method) -> Settings {
    let solver = &scene.solver;
    // Newton knows by itself when it is there.
    let unlimited = solver.budget_ms.is_some() || scene.time.quasistatic && !method.is_newton();
    Settings {
        method,
        parameters: Parameters::new(solver, solver.rho),
        iterations: solver.iterations.unwrap_or(if unlimited { UNLIMITED } else { method.iterations }),
        tolerance: solver.tolerance,
        budget: solver.budget_ms.map(|ms| Duration::from_secs_f64(ms * 1e-3)),
        until_settled: solver.iterations.is_none(),
        initial_guess: method.initial_guess(solver, model),
        h: scene.time.step_size(),
    }
}

/// Does a task where the scene says. Where the scene leaves that open and the device that was picked cannot do it, the
/// CPU does it.
pub(super) fn on_device<R>(
    devices: &impl Devices,
    settings: &DeviceSettings,
    task: impl Task<Output = Result<R, SimulationError>> + Copy,
) -> Result<R, SimulationError> {
    let error = match devices.run(settings, task).map_err(SimulationError::from) {
        Ok(Ok(done)) => return Ok(done),
        Ok(Err(error)) | Err(error) => error,
    };
    if settings.name != "auto" || !error.may_work_on_cpu() {
        return Err(error);
    }
    match error {
        // That a device is not made for everything is no reason to worry.
        SimulationError::Method(_) => tracing::info!("{error}; taking the CPU"),
        _ => tracing::warn!("{error}; going on on the CPU"),
    }
    devices.run(&DeviceSettings { name: "cpu".to_string(), ..settings.clone() }, task)?
}

/// A simulation to be made on some device.
#[derive(Clone, Copy)]
struct Build<'a> {
    scene: &'a Scene,
    model: &'a Arc<Model>,
    state: &'a State,
    cache: &'a DiskCache,
}

impl Task for Build<'_> {
    type Output = Result<Simulation, SimulationError>;

    fn on<D: Device + 'static>(self, device: D) -> Self::Output
    where
        D::Points: 'static,
    {
        let mut settings = self.settings(&device)?;
        if let Some(rho) = rho_for(self.scene, self.model, settings.method) {
            settings.parameters.rho = rho;
        }
        let phases = phases_for(self.scene, settings.method, self.cache)?;
        if let Some(largest) = phases.largest_rho() {
            (settings.parameters.rho, settings.parameters.phases) = (largest, phases);
        }
        let (name, precision) = (device.name(), device.precision());
        let (remote, direct) = (device.is_remote(), device.has_direct_solver());
        let stepper = DeviceStepper::new(device, self.model.clone(), self.state, settings)?;
        Ok(Simulation {
            method: settings.method,
            iterations: settings.iterations,
            device: name,
            remote,
            direct,
            precision,
            phases,
            stepper: Box::new(stepper),
        })
    }
}

impl Build<'_> {
    fn settings<D: Device>(&self, device: &D) -> Result<Settings, SimulationError> {
        let direct = device.has_direct_solver();
        let method = find_method_for(&self.scene.solver.method, self.scene, self.model, direct)?;
        method.check_device(self.model, direct, &device.name())?;
        method.check(self.model)?;
        Ok(settings(self.scene, self.model, method))
    }
}

/// Chebyshev's ρ for a method: what the scene says, or what is of use; `None` for methods without one.
pub fn rho_for(scene: &Scene, model: &Model, method: &Method) -> Option<f64> {
    // A deadline has no number of iterations; the method has a usual one.
    let iterations = scene.solver.iterations.unwrap_or(method.iterations);
    let given = match &scene.solver.phases {
        Phases::Given(phases) if method.has_phases() => PhaseList::new(phases).largest_rho(),
        _ => scene.solver.rho,
    };
    method.chebyshev.then(|| {
        let h = scene.time.step_size();
        given.or(method.own_rho(&scene.solver)).unwrap_or_else(|| find_rho(method, model, iterations, h))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Regression: a longer state was stepped on as it was, a shorter one ended in a panic in the next step.
    #[test]
    fn a_state_of_another_length_is_refused_with_both_counts_and_changes_nothing() {
        let scene = "pliant = 1\n[[cloth]]\nresolution = 5\n";
        let scene = Scene::parse(scene, "napkin", ".".as_ref(), &[]).unwrap();
        let mut simulation = Simulation::new(&scene).unwrap();
        simulation.step().unwrap();
        let before = simulation.state().unwrap();
        let with = |positions, velocities| {
            let mut state = State { time: 7.0, step: 7, ..before.clone() };
            state.x.resize(positions, [0.0; 3]);
            state.v.resize(velocities, [0.0; 3]);
            state
        };
        for [positions, velocities] in [[0, 0], [24, 24], [26, 26], [25, 24], [26, 25]] {
            let error = simulation.set_state(&with(positions, velocities)).unwrap_err().to_string();
            let counts =
                [format!("{positions} positions"), format!("{velocities} velocities"), "25 vertices".to_string()];
            assert!(counts.iter().all(|count| error.contains(count)), "{error}");
            assert_eq!(simulation.state().unwrap(), before);
        }
        simulation.set_state(&with(25, 25)).unwrap();
        assert_eq!(simulation.step().map(|report| report.retries).unwrap(), 0);
        assert_eq!(simulation.state().unwrap().step, 8);
    }
}
