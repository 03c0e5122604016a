//! One step on one device with one method: the loop of the papers, guarded. What happens in a try is in `stepper/attempt.rs`.

mod attempt;

use super::error::way_out;
use super::grasp::Grasp;
use super::pace::{Observed, Pace};
use super::showing::Showing;
use super::{Certificate, SimulationError};
use crate::contact::close::Side;
use crate::device::{Device, DeviceError, Slot, StepInput};
use crate::math::{Fnv, Vec3};
use crate::model::{Hands, Model, State, System};
use crate::scene::InitialGuess;
use crate::solver::{Method, Parameters, Solver, Stop};
use attempt::Failure;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What one step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Iterations of the solver, all pieces together.
    pub iterations: usize,
    /// Restarts of Chebyshev.
    pub restarts: usize,
    /// Tries that were rolled back.
    pub retries: usize,
    /// Pieces that the step was solved in, one after the other: 1 unless tries failed. Energies are those of the last piece.
    pub pieces: usize,
    /// Time of the step without its certificate, ms.
    pub ms: f64,
    /// How long a remote device worked on the last piece of the step and its certificate, ms, where it measures that.
    pub working_ms: Option<f64>,
    /// The deadline passed before the step ended.
    pub over_budget: bool,
    /// The tolerance was reached.
    pub converged: bool,
    /// A deadline left time for more iterations, which would have changed nothing.
    pub settled: bool,
    /// The solver could not lower E although ‖∇E‖ is not small, not even when it was tried again more carefully.
    pub stalled: bool,
    /// How good the result is.
    pub certificate: Certificate,
}

/// A simulation that can be stepped, whatever the device and method.
pub trait Stepper {
    /// Advances by one step; on failure the state is that of before.
    fn step(&mut self) -> Result<StepReport, SimulationError>;
    /// As [`Stepper::step`]; while the device works on it, `see` gets the state that the step begins with. Only if the
    /// device fails it may not get it.
    fn step_showing(&mut self, see: &mut dyn FnMut(State)) -> Result<StepReport, SimulationError>;
    /// The current state; waits for the device.
    fn state(&mut self) -> Result<State, DeviceError>;
    /// The model, with pins for what drags have pinched so far and for what is in hands.
    fn model(&self) -> &Arc<Model>;
    /// Steps end as soon as somebody raises this; then the state is that of before.
    fn heed(&mut self, stop: &Stop);
    /// Replaces what hands hold, from the next step on. A change of what is held and how makes the matrix anew; where hands only
    /// move, it stays.
    fn hold(&mut self, hands: &Hands);
    /// ∇E of each vertex where the last step ended, N; zero before the first one. Changes nothing; waits for the device.
    fn residual(&mut self) -> Result<Vec<[f64; 3]>, DeviceError>;
    /// Replaces the state by another one of the same model.
    fn set_state(&mut self, state: &State);
    /// ρ in use, if the method has one.
    fn rho(&self) -> Option<f64>;
    /// On which sides of each other parts of bodies were in the last step; see [`Device::sides`].
    fn sides(&mut self) -> Result<[Vec<Side>; 2], DeviceError>;
    /// Replaces them, after the state.
    fn set_sides(&mut self, sides: &[Vec<Side>; 2]);
    /// Replaces the ρ in use; it will not grow above the one that the stepper was made with.
    fn set_rho(&mut self, rho: f64);
}

/// How a step is to be solved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub method: &'static Method,
    pub parameters: Parameters,
    pub iterations: usize,
    pub tolerance: f64,
    pub budget: Option<Duration>,
    /// With a deadline: end before it when more iterations change nothing.
    pub until_settled: bool,
    /// Where its solves begin.
    pub initial_guess: InitialGuess,
    /// Step size, s.
    pub h: f64,
}

/// A model at one step size, with its solver.
struct Piece<D: Device> {
    h: f64,
    /// Which pins hold, as far as the matrix knows.
    pins: u64,
    problem: D::Problem,
    solver: Box<dyn Solver<D>>,
}

/// [`Stepper`] on a device.
pub(super) struct DeviceStepper<D: Device> {
    device: D,
    /// The model, and what holds it.
    grasp: Grasp,
    settings: Settings,
    pieces: Vec<Piece<D>>,
    fields: Fields<D>,
    time: f64,
    step: u64,
    /// There is something in `v_before`.
    has_v_before: bool,
    /// α of the last solve, and of the one in progress.
    step_length: [f64; 2],
    /// Largest |length/rest − 1| of an edge of the state that the simulation was made with, whatever was resumed since.
    first_stretch: f64,
    /// ρ in use: that of the settings, or less after steps that it was too large for.
    rho: f64,
    input: StepInput,
    /// The model whose contacts the device looks for.
    searches: Arc<Model>,
    /// The step whose contacts were looked for last.
    searched: Option<u64>,
    /// Time the last certificate took, which does not count as the step's.
    certificate_time: Duration,
    /// Time from the end of the last solve to that of its piece, certificate included; a deadline leaves room for it.
    ending_time: Duration,
    /// What is known of a remote device's speed.
    pace: Pace,
    /// When the step at hand began.
    begun: Instant,
    /// What somebody waits to see.
    showing: Option<Showing<D>>,
    stop: Stop,
}

struct Fields<D: Device> {
    x: D::Points,
    v: D::Points,
    x_next: D::Points,
    v_next: D::Points,
    /// The iterate of the solve in progress.
    iterate: D::Points,
    /// Velocities one step before; kept where the first iterate is made of them.
    v_before: Option<D::Points>,
}

/// Each try is more careful than the last: as asked, without acceleration, then in more and more pieces.
const TRIES: [(usize, bool); 6] = [(1, false), (1, true), (2, true), (4, true), (8, true), (16, true)];

impl<D: Device + 'static> DeviceStepper<D>
where
    D::Points: 'static,
{
    pub fn new(mut device: D, model: Arc<Model>, state: &State, settings: Settings) -> Result<Self, DeviceError> {
        let piece = Self::piece(&mut device, &model, &settings, settings.h, state.time + settings.h)?;
        let field = || device.points(&piece.problem);
        let x: Vec<[f64; 4]> = state.x.iter().map(|x| Vec3::<f64>::of(*x).store()).collect();
        let first_stretch = model.stretch(&x).0;
        let remembers = settings.initial_guess == InitialGuess::Acceleration;
        let v_before = remembers.then(field);
        let fields = Fields { x: field(), v: field(), x_next: field(), v_next: field(), iterate: field(), v_before };
        let mut stepper = Self {
            device,
            searches: model.clone(),
            grasp: Grasp::new(model),
            settings,
            pieces: vec![piece],
            fields,
            time: 0.0,
            step: 0,
            has_v_before: false,
            step_length: [0.0; 2],
            first_stretch,
            rho: settings.parameters.rho,
            input: StepInput::default(),
            searched: None,
            certificate_time: Duration::ZERO,
            ending_time: Duration::ZERO,
            pace: Pace::default(),
            begun: Instant::now(),
            showing: None,
            stop: Stop::default(),
        };
        stepper.set_state(state);
        // A device that had no room for the fields says so when it is waited for.
        stepper.device.scalar(Slot(0))?;
        Ok(stepper)
    }

    fn piece(
        device: &mut D,
        model: &Arc<Model>,
        settings: &Settings,
        h: f64,
        time: f64,
    ) -> Result<Piece<D>, DeviceError> {
        let system = Arc::new(System::new(model, h, time));
        let problem = device.upload(model, &system)?;
        let solver = settings.method.solver::<D>(model, &settings.parameters);
        Ok(Piece { h, pins: holding(model, time), problem, solver })
    }

    /// Whether a careful try of the whole step would do the same again: nothing is accelerated, no deadline is lifted.
    fn repeats_itself(&self) -> bool {
        !self.settings.method.is_bold() && self.settings.budget.is_none()
    }

    /// The model at a step size, made or made again where pins were released.
    fn piece_for(&mut self, h: f64, time: f64) -> Result<usize, DeviceError> {
        let model = self.grasp.model();
        let pins = holding(model, time);
        let found = self.pieces.iter().position(|piece| piece.h == h);
        if let Some(k) = found.filter(|k| self.pieces[*k].pins == pins) {
            return Ok(k);
        }
        // Another grip makes another model, which is searched anew; on which sides of each other bodies were stays true.
        let sides = if Arc::ptr_eq(model, &self.searches) { None } else { Some(self.device.sides()?) };
        let piece = Self::piece(&mut self.device, model, &self.settings, h, time)?;
        if let Some(sides) = sides {
            self.searches = model.clone();
            self.device.set_sides(&sides);
            self.searched = None;
        }
        match found {
            Some(k) => self.pieces[k] = piece,
            None => self.pieces.push(piece),
        }
        Ok(found.unwrap_or(self.pieces.len() - 1))
    }
}

/// A number that changes when the set of holding pins changes.
fn holding(model: &Model, time: f64) -> u64 {
    let mut hash = Fnv::default();
    for pin in model.pins.iter().filter(|pin| pin.holds_at(time)) {
        hash.add(pin.vertex.to_le_bytes());
        hash.add(pin.stiffness.unwrap_or(-1.0).to_le_bytes());
    }
    hash.value()
}

impl<D: Device + 'static> DeviceStepper<D>
where
    D::Points: 'static,
{
    /// One try after the other.
    fn try_step(&mut self, see: &mut dyn FnMut(State)) -> Result<StepReport, SimulationError> {
        let done = self.tries(see);
        if done.is_err() && self.searched == Some(self.step) {
            self.device.undo_conversion();
        }
        done
    }

    fn tries(&mut self, see: &mut dyn FnMut(State)) -> Result<StepReport, SimulationError> {
        self.begun = Instant::now();
        // The certificate takes about as long as the last time; a fiftieth of the budget is for what varies.
        let deadline = self
            .settings
            .budget
            .map(|budget| self.begun + (budget - budget / 50).saturating_sub(self.ending_time * 11 / 10));
        let mut reason = String::new();
        let mut retries = 0;
        for (pieces, careful) in TRIES {
            if retries > 0 && pieces == 1 && self.repeats_itself() {
                continue;
            }
            match self.attempt(pieces, careful, deadline.filter(|_| retries == 0), see) {
                // A second try that stalls as well is taken: then there is nothing better to be had.
                Ok(report) if report.stalled && retries == 0 && self.settings.method.minimises => {
                    reason = "the solver could not lower the energy".to_string();
                    tracing::warn!("step {}: {reason}; rolled back", self.step);
                }
                Ok(report) => return Ok(self.take(report, retries)),
                Err(Failure::Device(error)) => return Err(error.into()),
                Err(Failure::Stopped) => return Err(SimulationError::Stopped { step: self.step }),
                Err(Failure::Step(why)) => {
                    tracing::warn!("step {}: {why}; rolled back", self.step);
                    reason = why;
                }
            }
            retries += 1;
        }
        let (pieces, _) = TRIES[TRIES.len() - 1];
        let advice = way_out(self.settings.method.name, &self.device.name(), self.device.precision());
        Err(SimulationError::Stuck { step: self.step, time: self.time, attempts: retries, pieces, reason, advice })
    }

    /// Takes `x_next`, `v_next` for the state, after so many tries that were rolled back.
    fn take(&mut self, mut report: StepReport, retries: usize) -> StepReport {
        std::mem::swap(&mut self.fields.x, &mut self.fields.x_next);
        std::mem::swap(&mut self.fields.v, &mut self.fields.v_next);
        if let Some(v_before) = &mut self.fields.v_before {
            std::mem::swap(&mut self.fields.v_next, v_before);
            self.has_v_before = true;
        }
        self.step_length[0] = self.step_length[1];
        self.step += 1;
        self.time += self.settings.h;
        let elapsed = self.begun.elapsed();
        if let Some(budget) = self.settings.budget.filter(|_| retries == 0) {
            let (iterations, device) = (report.iterations, self.device.working_time());
            let step = Observed { iterations, wall: elapsed.as_secs_f64(), device };
            self.pace.observe(step, budget.as_secs_f64());
        }
        // ρ was too large for this scene, which the next steps need not find out again: clearly so if the step was rolled
        // back, a little if acceleration was restarted, which contacts that come and go make it. It grows back slowly.
        let wider = if retries > 0 {
            2.0
        } else if report.restarts > 0 {
            1.1
        } else {
            0.98
        };
        self.rho = (1.0 - wider * (1.0 - self.rho)).clamp(0.0, self.settings.parameters.rho);
        report.retries = retries;
        report.ms = (elapsed.saturating_sub(self.certificate_time)).as_secs_f64() * 1e3;
        report.working_ms = self.device.working_time().map(|seconds| 1e3 * seconds);
        report.over_budget = self.settings.budget.is_some_and(|budget| elapsed > budget);
        report
    }

    /// Where a step is not to have been, drags that began with it have not begun: no more than `count` have.
    fn unless_stopped(
        &mut self,
        count: usize,
        done: Result<StepReport, SimulationError>,
    ) -> Result<StepReport, SimulationError> {
        if matches!(done, Err(SimulationError::Stopped { .. })) {
            self.grasp.pinch(self.grasp.pinched()[..count].to_vec());
        }
        done
    }

    fn request(&mut self) -> Result<Showing<D>, DeviceError> {
        let Fields { x, v, v_before, .. } = &self.fields;
        let v_before = v_before.as_ref().filter(|_| self.has_v_before);
        let showing = Showing::request(&mut self.device, x, v, v_before)?;
        let (time, step, pinched) = (self.time, self.step, self.grasp.pinched().to_vec());
        let rest = State { time, step, pinched, step_length: self.step_length[0], ..State::default() };
        Ok(showing.with(rest))
    }

    /// Lets the drags that begin with this step pinch what is there now.
    fn pinch(&mut self) -> Result<(), DeviceError> {
        let end = self.time + self.settings.h;
        if self.grasp.model().drag_begins(self.grasp.pinched(), end) {
            let State { x, mut pinched, .. } = self.state()?;
            pinched.extend(self.grasp.model().pinch(&pinched, &x, end));
            self.grasp.pinch(pinched);
        }
        Ok(())
    }
}

impl<D: Device + 'static> Stepper for DeviceStepper<D>
where
    D::Points: 'static,
{
    fn step(&mut self) -> Result<StepReport, SimulationError> {
        let pinched = self.grasp.pinched().len();
        self.pinch()?;
        let done = self.try_step(&mut |_| ());
        self.unless_stopped(pinched, done)
    }

    fn step_showing(&mut self, see: &mut dyn FnMut(State)) -> Result<StepReport, SimulationError> {
        if !self.device.is_remote() {
            see(self.state()?);
            return self.step();
        }
        let pinched = self.grasp.pinched().len();
        self.pinch()?;
        self.showing = Some(self.request()?);
        let done = self.try_step(see);
        // No try got as far as to wait for its result.
        if let Some(showing) = self.showing.take().filter(|_| !matches!(done, Err(SimulationError::Device(_)))) {
            see(showing.receive(&mut self.device, self.grasp.model().vertices())?);
        }
        self.unless_stopped(pinched, done)
    }

    fn state(&mut self) -> Result<State, DeviceError> {
        let n = self.grasp.model().vertices();
        self.request()?.receive(&mut self.device, n)
    }

    fn model(&self) -> &Arc<Model> {
        self.grasp.model()
    }

    fn heed(&mut self, stop: &Stop) {
        self.stop = stop.clone();
    }

    fn hold(&mut self, hands: &Hands) {
        self.grasp.hold(hands);
    }

    fn residual(&mut self) -> Result<Vec<[f64; 3]>, DeviceError> {
        let (h, n) = (self.settings.h, self.grasp.model().vertices());
        let mut residual = vec![[0.0; 3]; n];
        if let Some(piece) = self.pieces.iter_mut().find(|piece| piece.h == h).filter(|_| self.searched.is_some()) {
            self.device.gradient(&mut piece.problem, &self.fields.x, &mut self.fields.iterate);
            self.device.read(&self.fields.iterate, &mut residual)?;
        }
        Ok(residual)
    }

    fn set_state(&mut self, state: &State) {
        self.grasp.pinch(state.pinched.clone());
        self.device.write(&state.x, &mut self.fields.x);
        self.device.write(&state.v, &mut self.fields.v);
        self.time = state.time;
        self.step = state.step;
        self.searched = None;
        if let Some(v_before) = &mut self.fields.v_before {
            self.has_v_before = state.v_before.len() == state.x.len();
            if self.has_v_before {
                self.device.write(&state.v_before, v_before);
            }
        }
        self.step_length = [state.step_length; 2];
        self.device.set_conversion(&state.converted);
        self.device.set_wound(state.wound);
        self.device.set_sides(&Default::default());
    }

    fn rho(&self) -> Option<f64> {
        self.settings.method.chebyshev.then_some(self.rho)
    }

    fn sides(&mut self) -> Result<[Vec<Side>; 2], DeviceError> {
        self.device.sides()
    }

    fn set_sides(&mut self, sides: &[Vec<Side>; 2]) {
        self.device.set_sides(sides);
    }

    fn set_rho(&mut self, rho: f64) {
        self.rho = rho.min(self.settings.parameters.rho);
    }
}

#[cfg(test)]
#[path = "stepper_tests.rs"]
mod tests;
