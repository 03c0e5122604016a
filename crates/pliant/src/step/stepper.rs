//! One step on one device with one method: the loop of the papers, guarded.

use super::input::refill;
use super::{Certificate, SimulationError};
use crate::device::{Device, StepInput};
use crate::math::{Real, Vec3};
use crate::model::{Model, Potential, State, System};
use crate::solver::{Control, Method, Parameters, SolveError, SolveReport, Solver};
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
    /// Time of the step without its certificate, ms.
    pub ms: f64,
    /// The deadline passed before the step ended.
    pub over_budget: bool,
    /// The tolerance was reached.
    pub converged: bool,
    /// The solver could not lower E although ‖∇E‖ is not small, not even when it was tried again more carefully.
    pub stalled: bool,
    /// How good the result is.
    pub certificate: Certificate,
}

/// A simulation that can be stepped, whatever the device and method.
pub trait Stepper {
    /// Advances by one step; on failure the state is that of before.
    fn step(&mut self) -> Result<StepReport, SimulationError>;
    /// The current state.
    fn state(&mut self) -> State;
    /// Replaces the state.
    fn set_state(&mut self, state: &State);
    /// ρ in use, if the method has one.
    fn rho(&self) -> Option<f64>;
}

/// How a step is to be solved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub method: &'static Method,
    pub parameters: Parameters,
    pub iterations: usize,
    pub tolerance: f64,
    pub budget: Option<Duration>,
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
    model: Arc<Model>,
    settings: Settings,
    pieces: Vec<Piece<D>>,
    fields: Fields<D>,
    time: f64,
    step: u64,
    input: StepInput,
    host: Host,
    /// Time the last certificate took; a deadline leaves room for it.
    certificate_time: Duration,
}

struct Fields<D: Device> {
    x: D::Points,
    v: D::Points,
    x_next: D::Points,
    v_next: D::Points,
    /// The iterate of the solve in progress.
    iterate: D::Points,
}

#[derive(Default)]
struct Host {
    x: Vec<[f64; 3]>,
    wide: Vec<[f64; 4]>,
    gradient: Vec<[f64; 4]>,
}

/// Each try is more careful than the last: as asked, without acceleration, then in more and more pieces.
const TRIES: [(usize, bool); 6] = [(1, false), (1, true), (2, true), (4, true), (8, true), (16, true)];

impl<D: Device + 'static> DeviceStepper<D>
where
    D::Points: 'static,
{
    pub fn new(mut device: D, model: Arc<Model>, state: &State, settings: Settings) -> Self {
        let piece = Self::piece(&mut device, &model, &settings, settings.h, state.time + settings.h);
        let field = || device.points(&piece.problem);
        let fields = Fields { x: field(), v: field(), x_next: field(), v_next: field(), iterate: field() };
        let mut stepper = Self {
            device,
            model,
            settings,
            pieces: vec![piece],
            fields,
            time: 0.0,
            step: 0,
            input: StepInput::default(),
            host: Host::default(),
            certificate_time: Duration::ZERO,
        };
        stepper.set_state(state);
        stepper
    }

    fn piece(device: &mut D, model: &Arc<Model>, settings: &Settings, h: f64, time: f64) -> Piece<D> {
        let system = Arc::new(System::new(model, h, time));
        let problem = device.upload(model, &system);
        let solver = settings.method.solver::<D>(model, &settings.parameters);
        Piece { h, pins: holding(model, time), problem, solver }
    }

    /// The model at a step size, made or made again where pins were released.
    fn piece_for(&mut self, h: f64, time: f64) -> usize {
        let pins = holding(&self.model, time);
        let found = self.pieces.iter().position(|piece| piece.h == h);
        match found {
            Some(k) if self.pieces[k].pins == pins => k,
            Some(k) => {
                self.pieces[k] = Self::piece(&mut self.device, &self.model, &self.settings, h, time);
                k
            }
            None => {
                self.pieces.push(Self::piece(&mut self.device, &self.model, &self.settings, h, time));
                self.pieces.len() - 1
            }
        }
    }

    /// Advances `x_next`, `v_next` by a whole step, in pieces.
    fn attempt(&mut self, pieces: usize, careful: bool, deadline: Option<Instant>) -> Result<StepReport, String> {
        let h = self.settings.h / pieces as f64;
        let mut report = StepReport::default();
        self.device.copy(&self.fields.x, &mut self.fields.x_next);
        self.device.copy(&self.fields.v, &mut self.fields.v_next);
        for k in 0..pieces {
            let time = self.time + h * (k + 1) as f64;
            let index = self.piece_for(h, time);
            let solved = self.solve_piece(index, time, careful, deadline)?;
            report.iterations += solved.solve.iterations;
            report.restarts += solved.solve.restarts;
            report.converged = solved.solve.converged;
            report.stalled |= solved.stalled;
            report.certificate = solved.certificate;
        }
        Ok(report)
    }

    fn solve_piece(
        &mut self,
        index: usize,
        time: f64,
        careful: bool,
        deadline: Option<Instant>,
    ) -> Result<SolvedPiece, String> {
        let Piece { problem, solver, .. } = &mut self.pieces[index];
        let device = &mut self.device;
        let Fields { x_next: x_start, v_next, iterate: x, .. } = &mut self.fields;
        refill(&mut self.input, &self.model, time);
        device.begin_step(problem, &self.input, x_start, v_next);
        device.start(problem, x);
        let start_energy = device.objective(problem, x);
        solver.set_rho(if careful { 0.0 } else { self.settings.parameters.rho });
        // Without the deadline there would be no end to an unlimited number of iterations.
        let usual =
            if careful && self.settings.budget.is_some() { self.settings.method.iterations } else { usize::MAX };
        let iterations = self.settings.iterations.min(usual);
        let mut control = Control::iterations(iterations).until(deadline).to_tolerance(self.settings.tolerance);
        let solve = solver.solve(device, problem, x, &mut control).map_err(|e: SolveError| e.to_string())?;

        let begun = Instant::now();
        let precision = device.precision();
        self.host.load(device, x);
        let potential = device.potential(problem);
        let Host { wide, gradient, .. } = &mut self.host;
        let mut certificate = Certificate::of_solve(potential, wide, start_energy, gradient);
        accept(self.settings.method, &certificate, || rounding_energy(potential, wide, precision))?;
        let stalled = solve.iterations > 0
            && certificate.energy >= start_energy
            && possible_decrease(potential, gradient) > rounding_energy(potential, wide, precision);
        let measured = begun.elapsed();

        device.end_step(problem, x_start, x, v_next);
        let begun = Instant::now();
        self.host.load(device, x);
        certificate.add_state(device.potential(problem), &self.host.wide);
        self.certificate_time = measured + begun.elapsed();
        std::mem::swap(x_start, x);
        Ok(SolvedPiece { solve, stalled, certificate })
    }
}

impl Host {
    fn load<D: Device>(&mut self, device: &mut D, x: &D::Points) {
        device.read(x, &mut self.x);
        self.wide.clear();
        self.wide.extend(self.x.iter().map(|&p| Vec3::of(p).store()));
    }
}

struct SolvedPiece {
    solve: SolveReport,
    stalled: bool,
    certificate: Certificate,
}

/// Refuses what is not finite and what increased the energy that it was to decrease by more than `rounding`, J.
fn accept(method: &Method, certificate: &Certificate, rounding: impl FnOnce() -> f64) -> Result<(), String> {
    let Certificate { energy, start_energy, .. } = *certificate;
    if !energy.is_finite() {
        return Err("the result is not finite".to_string());
    }
    let rise = energy - start_energy;
    if method.minimises && rise > 1e-4 * start_energy.abs() && rise > rounding() {
        return Err(format!("the solver raised the energy from {start_energy:.6e} J to {energy:.6e} J"));
    }
    Ok(())
}

/// Energy that positions have because they are rounded to the device's precision, J: a cloth of stiff springs that
/// falls freely has no other.
fn rounding_energy(potential: &Potential, x: &[[f64; 4]], precision: &str) -> f64 {
    let epsilon = if precision == f32::NAME { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let system = potential.system();
    let own = |i: usize| (system.diagonal[i] + system.contact_stiffness[i]) * Vec3::load(x[i]).length_sq();
    epsilon * epsilon * (0..x.len()).map(own).sum::<f64>()
}

/// What a Jacobi step would take off E at least, J: ½ ∇Eᵀ D⁻¹ ∇E, up to a small factor.
fn possible_decrease(potential: &Potential, gradient: &[[f64; 4]]) -> f64 {
    let system = potential.system();
    let own = |i: usize| Vec3::load(gradient[i]).length_sq() / (system.diagonal[i] + system.contact_stiffness[i]);
    0.5 * (0..gradient.len()).map(own).sum::<f64>()
}

/// A number that changes when the set of holding pins changes: pins are only ever released.
fn holding(model: &Model, time: f64) -> u64 {
    model.pins.iter().filter(|pin| pin.holds_at(time)).count() as u64
}

impl<D: Device + 'static> Stepper for DeviceStepper<D>
where
    D::Points: 'static,
{
    fn step(&mut self) -> Result<StepReport, SimulationError> {
        let begun = Instant::now();
        // The certificate takes about as long as the last time; a fiftieth of the budget is for what varies.
        let deadline = self
            .settings
            .budget
            .map(|budget| begun + (budget - budget / 50).saturating_sub(self.certificate_time * 11 / 10));
        let mut reason = String::new();
        for (retries, (pieces, careful)) in TRIES.into_iter().enumerate() {
            match self.attempt(pieces, careful, deadline.filter(|_| retries == 0)) {
                // A second try that stalls as well is taken: then there is nothing better to be had.
                Ok(report) if report.stalled && retries == 0 && self.settings.method.minimises => {
                    reason = "the solver could not lower the energy".to_string();
                    tracing::warn!("step {}: {reason}; rolled back", self.step);
                }
                Ok(mut report) => {
                    std::mem::swap(&mut self.fields.x, &mut self.fields.x_next);
                    std::mem::swap(&mut self.fields.v, &mut self.fields.v_next);
                    self.step += 1;
                    self.time += self.settings.h;
                    let elapsed = begun.elapsed();
                    report.retries = retries;
                    if report.restarts > 0 || retries > 0 {
                        // ρ was too large for this scene; the next steps need not find that out again.
                        let rho = &mut self.settings.parameters.rho;
                        *rho = (1.0 - 2.0 * (1.0 - *rho)).max(0.0);
                    }
                    report.ms = (elapsed.saturating_sub(self.certificate_time)).as_secs_f64() * 1e3;
                    report.over_budget = self.settings.budget.is_some_and(|budget| elapsed > budget);
                    return Ok(report);
                }
                Err(why) => {
                    tracing::warn!("step {}: {why}; rolled back", self.step);
                    reason = why;
                }
            }
        }
        let (pieces, _) = TRIES[TRIES.len() - 1];
        Err(SimulationError::Stuck { step: self.step, time: self.time, attempts: TRIES.len(), pieces, reason })
    }

    fn state(&mut self) -> State {
        let n = self.model.vertices();
        let mut state = State { x: vec![[0.0; 3]; n], v: vec![[0.0; 3]; n], time: self.time, step: self.step };
        self.device.read(&self.fields.x, &mut state.x);
        self.device.read(&self.fields.v, &mut state.v);
        state
    }

    fn set_state(&mut self, state: &State) {
        self.device.write(&state.x, &mut self.fields.x);
        self.device.write(&state.v, &mut self.fields.v);
        self.host.x.resize(state.x.len(), [0.0; 3]);
        self.time = state.time;
        self.step = state.step;
    }

    fn rho(&self) -> Option<f64> {
        self.settings.method.chebyshev.then_some(self.settings.parameters.rho)
    }
}

#[cfg(test)]
#[path = "stepper_tests.rs"]
mod tests;
