//! Error against iterations and time for several methods on the same step.

use super::accept::negligible_energy;
use super::guess::{Before, guess};
use super::simulation::on_device;
use super::tune::phases_for;
use super::{SimulationError, step_input};
use crate::contact::close::Side;
use crate::counted::counted;
use crate::device::{Cpu, CpuOnly, Device, DeviceError, Devices, Moment, Slot, Task};
use crate::math::{Real, Vec3};
use crate::model::{Model, State, System};
use crate::scene::{DeviceSettings, InitialGuess, Precision, Scene};
use crate::solver::{Control, Method, Parameters, PhaseList, SolveError, find_method, minimise};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Curves of several methods on one step.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Comparison {
    /// The scene's name.
    pub scene: String,
    /// Which step, from 0.
    pub step: u64,
    /// E*, J, by Newton in `f64`.
    pub reference_energy: f64,
    /// The step's solve starts at its solution, as in free flight: there are no errors to compare, and no curves.
    pub nothing_to_solve: bool,
    /// A curve per method.
    pub methods: Vec<Curve>,
}

/// One method's way to the solution.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Curve {
    /// The method.
    pub name: String,
    /// Where it ran.
    pub device: String,
    /// Chebyshev's ρ, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rho: Option<f64>,
    /// Why it stopped early, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// An entry per iteration, from 0.
    pub curve: Vec<CurvePoint>,
}

/// An iterate.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct CurvePoint {
    /// Iterations done.
    pub iteration: usize,
    /// Time so far, without measuring, ms; on a GPU a part of the time of the whole solve.
    pub ms: f64,
    /// (E − E*)/(E⁰ − E*).
    pub relative_error: f64,
    /// ‖∇E‖, N.
    pub gradient_norm: f64,
}

/// What to compare on.
pub struct Question<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// Its model.
    pub model: &'a Arc<Model>,
    /// The state before the step.
    pub state: &'a State,
    /// On which sides of each other parts of bodies were before it, as [`super::Simulation::sides`] says: of contacts between
    /// what has crossed they are part of E.
    pub sides: &'a [Vec<Side>; 2],
}

/// Runs each method with its ρ and number of iterations on the step that follows `state`.
pub fn compare(
    devices: &impl Devices,
    question: &Question,
    methods: &[(&str, Option<f64>, usize)],
    mut progress: impl FnMut(&str),
) -> Result<Comparison, SimulationError> {
    progress("newton reference");
    let reference = reference(question)?;
    let nothing_to_solve = reference.has_nothing_to_solve(question);
    let mut curves = Vec::new();
    for &(name, rho, iterations) in methods.iter().filter(|_| !nothing_to_solve) {
        let method = find_method(name)?;
        method.check(question.model)?;
        progress(name);
        let phases = phases_for(question.scene, method, &devices.cache())?;
        let rho = phases.largest_rho().or(rho);
        let run = MethodRun { method, rho, phases, iterations, reference: Some(reference) };
        curves.push(on_device(devices, &question.scene.device, CurveTask { run, question })?);
    }
    let (scene, step) = (question.scene.name.clone(), question.state.step);
    Ok(Comparison { scene, step, reference_energy: reference.energy, nothing_to_solve, methods: curves })
}

/// A step that somebody wants to see converge.
pub struct Convergence<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// Its model, with hands where they were.
    pub model: &'a Arc<Model>,
    /// The state before the step.
    pub state: &'a State,
    /// As in [`Question`].
    pub sides: &'a [Vec<Side>; 2],
    /// The method.
    pub method: &'a str,
    /// Its ρ.
    pub rho: Option<f64>,
    /// Phases of ρ.
    pub phases: &'a PhaseList,
    /// Iterations at most.
    pub iterations: usize,
    /// Whether to find the reference, too; without it errors are not numbers.
    pub reference: bool,
}

/// Solves a step again on the CPU, looking at every iteration.
pub fn convergence(step: &Convergence) -> Result<Curve, SimulationError> {
    let question = Question { scene: step.scene, model: step.model, state: step.state, sides: step.sides };
    let method = find_method(step.method)?;
    method.check(step.model)?;
    let reference = if step.reference { Some(reference(&question)?) } else { None };
    let phases = *step.phases;
    let run = MethodRun { method, rho: step.rho, phases, iterations: step.iterations, reference };
    let device = DeviceSettings { name: "cpu".to_string(), ..step.scene.device.clone() };
    on_device(&CpuOnly, &device, CurveTask { run, question: &question })
}

/// The step and where its solve starts.
fn problem<D: Device>(
    device: &mut D,
    question: &Question,
    first: InitialGuess,
) -> Result<(D::Problem, D::Points), DeviceError> {
    let mut problem = upload(device, question)?;
    let iterate = begin(device, &mut problem, question, first)?;
    Ok((problem, iterate))
}

/// What all solves of the step have in common.
pub(super) fn upload<D: Device>(device: &mut D, question: &Question) -> Result<D::Problem, DeviceError> {
    let h = question.scene.time.step_size();
    let system = Arc::new(System::new(question.model, h, question.state.time + h));
    device.upload(question.model, &system)
}

/// Where a solve starts. From inside colliders nearly all of E would be what takes one push to get rid of, and every error would
/// look small beside it.
pub(super) fn begin<D: Device>(
    device: &mut D,
    problem: &mut D::Problem,
    question: &Question,
    first: InitialGuess,
) -> Result<D::Points, DeviceError> {
    let h = question.scene.time.step_size();
    let input = step_input(question.model, question.state.time + h, h);
    device.set_sides(question.sides);
    device.set_conversion(&question.state.converted);
    device.set_wound(question.state.wound);
    let (mut x, mut v) = (device.points(problem), device.points(problem));
    device.write(&question.state.x, &mut x);
    device.write(&question.state.v, &mut v);
    device.begin_step(problem, &input, &x, &v);
    let mut v_before = device.points(problem);
    let known = !question.state.v_before.is_empty();
    if known {
        device.write(&question.state.v_before, &mut v_before);
    }
    let before =
        Before { x: &x, v: &v, v_before: Some(&v_before).filter(|_| known), h, still: question.model.quasistatic };
    let mut iterate = device.points(problem);
    guess(device, problem, first, &before, &mut iterate)?;
    device.meet_colliders(problem, &mut iterate);
    Ok(iterate)
}

/// The two ends of the scale that errors are measured on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reference {
    /// E*, J, by Newton in `f64`.
    pub energy: f64,
    /// E⁰, J, at the inertial target, out of colliders: where all but position-based solvers start.
    pub start_energy: f64,
    /// Energy that positions have because they are rounded to the scene's precision, J.
    pub rounding_energy: f64,
}

impl Reference {
    /// (E − E*)/(E⁰ − E*) for a solver that ended at E, J.
    pub fn relative_error(&self, energy: f64) -> f64 {
        (energy - self.energy) / (self.start_energy - self.energy).max(f64::MIN_POSITIVE)
    }

    /// Whether the solve starts where it should end, but for energy that nobody would see or that comes from rounding.
    pub fn has_nothing_to_solve(&self, question: &Question) -> bool {
        let negligible = negligible_energy(question.model, question.scene.time.step_size());
        self.start_energy - self.energy <= negligible.max(self.rounding_energy).max(f64::MIN_POSITIVE)
    }
}

/// Solves the step that follows `question.state` as well as `f64` allows.
pub fn reference(question: &Question) -> Result<Reference, SimulationError> {
    match question.scene.device.precision {
        Precision::F32 => reference_of::<f32>(question),
        Precision::F64 => reference_of::<f64>(question),
    }
}

/// The same of the step as `R` has it: its targets of held vertices are rounded, which shifts E by all that pulls at them.
fn reference_of<R: Real>(question: &Question) -> Result<Reference, SimulationError> {
    let mut device = Cpu::<R>::new();
    let (mut problem, x) = problem(&mut device, question, InitialGuess::Inertia)?;
    let mut x: Vec<[f64; 4]> = x.iter().map(|x| x.map(Real::f64)).collect();
    let potential = device.potential(&mut problem)?;
    let start_energy = potential.value(&x);
    let report = minimise(potential, &mut x, 1e-10, |k, _| k < 500)
        .map_err(|error: SolveError| SimulationError::Reference { reason: error.to_string() })?;
    if !report.converged {
        let iterations = counted(report.iterations, "iteration", "iterations");
        let reason = format!("Newton stopped after {iterations} at a gradient of {:.1e} N", report.gradient_norm);
        return Err(SimulationError::Reference { reason });
    }
    let x = x.iter().map(|x| x.map(R::of)).collect();
    device.measure(&mut problem, Moment::Solution, &x);
    let rounding_energy = device.measures(&mut problem)?.rounding_energy;
    Ok(Reference { energy: report.energy, start_energy, rounding_energy })
}

#[derive(Clone, Copy)]
struct MethodRun {
    method: &'static Method,
    rho: Option<f64>,
    phases: PhaseList,
    iterations: usize,
    /// Without one errors are not numbers.
    reference: Option<Reference>,
}

#[derive(Clone, Copy)]
struct CurveTask<'a> {
    run: MethodRun,
    question: &'a Question<'a>,
}

impl Task for CurveTask<'_> {
    type Output = Result<Curve, SimulationError>;

    fn on<D: Device + 'static>(self, mut device: D) -> Self::Output
    where
        D::Points: 'static,
    {
        self.run.method.check_device(self.question.model, device.has_direct_solver(), &device.name())?;
        Ok(self.run.curve(self.question, &mut device)?)
    }
}

impl MethodRun {
    /// Seconds that the whole solve takes when nobody looks on: on a device behind the host's back, reading every iterate
    /// costs more than computing it, so that times of single iterations are equal parts of this.
    fn unwatched<D: Device + 'static>(
        &self,
        question: &Question,
        device: &mut D,
        parameters: &Parameters,
    ) -> Result<f64, DeviceError>
    where
        D::Points: 'static,
    {
        let mut shortest = f64::INFINITY;
        let mut host = vec![[0.0; 3]; question.model.vertices()];
        let (mut problem, start) =
            problem(device, question, self.method.initial_guess(&question.scene.solver, question.model))?;
        let mut x = device.points(&problem);
        let mut solver = self.method.solver::<D>(question.model, parameters);
        for _ in 0..3 {
            device.copy(&start, &mut x);
            device.read(&x, &mut host)?;
            let begun = Instant::now();
            // It worked when it was watched.
            let _ = solver.solve(device, &mut problem, &mut x, &mut Control::iterations(self.iterations));
            device.scalar(Slot(0))?;
            shortest = shortest.min(begun.elapsed().as_secs_f64());
        }
        Ok(shortest)
    }

    fn curve<D: Device + 'static>(&self, question: &Question, device: &mut D) -> Result<Curve, DeviceError>
    where
        D::Points: 'static,
    {
        let parameters = Parameters { phases: self.phases, ..Parameters::new(&question.scene.solver, self.rho) };
        let (mut problem, mut x) =
            problem(device, question, self.method.initial_guess(&question.scene.solver, question.model))?;
        let mut solver = self.method.solver::<D>(question.model, &parameters);
        let mut curve = Vec::new();
        let mut host = vec![[0.0; 3]; question.model.vertices()];
        let (mut wide, mut gradient) = (Vec::new(), Vec::new());
        let mut lost = None;
        let mut measuring = Duration::ZERO;
        let begun = Instant::now();
        let mut watch = |device: &mut D, problem: &mut D::Problem, iteration: usize, x: &D::Points| {
            lost = lost.take().or(device.read(x, &mut host).err());
            let paused = Instant::now();
            let ms = (paused - begun).saturating_sub(measuring).as_secs_f64() * 1e3;
            wide.clear();
            wide.extend(host.iter().map(|p| Vec3::<f64>::of(*p).store()));
            let potential = match device.potential(problem) {
                Ok(potential) => potential,
                Err(error) => return lost = Some(error),
            };
            potential.gradient(&wide, &mut gradient);
            let gradient_norm = gradient.iter().map(|g| Vec3::load(*g).length_sq()).sum::<f64>().sqrt();
            let relative_error = self.reference.map_or(f64::NAN, |known| known.relative_error(potential.value(&wide)));
            curve.push(CurvePoint { iteration, ms, relative_error, gradient_norm });
            measuring += paused.elapsed();
        };
        let mut control = Control::iterations(self.iterations).watched(&mut watch);
        let failed = solver.solve(device, &mut problem, &mut x, &mut control).err().map(|error| error.to_string());
        if let Some(error) = lost {
            return Err(error);
        }
        if device.is_remote() && failed.is_none() {
            let ms = 1e3 * self.unwatched(question, device, &parameters)?;
            let last = curve.last().map_or(1, |point: &CurvePoint| point.iteration.max(1)) as f64;
            curve.iter_mut().for_each(|point| point.ms = ms * point.iteration as f64 / last);
        }
        let rho = self.rho.filter(|_| self.method.chebyshev);
        Ok(Curve { name: self.method.name.to_string(), device: device.name(), rho, failed, curve })
    }
}
