//! Phases of Chebyshev's ρ, found by trial (course 3.2.3, eq 37): the solves of some steps are repeated with a ρ or a length
//! changed a little, the change that helps most is kept, and so on until none helps.
//!
//! How good a choice is: the mean logarithm of (E − E*)/(E⁰ − E*) at the end of those solves. Deviation: the paper changes 1 − ρ by
//! ε = 5 % from the start, up or down; here by 80 % (and its inverse) first, then by half of it whenever nothing helps, down to 5 %, which takes a tenth of
//! the trials. Every other step is kept out of it, to tell what was learned from what was learned by heart.

use super::compare::{begin, reference, upload};
use super::rho::largest_rho;
use super::{Question, Reference, Simulation, SimulationError, rho_for};
use crate::contact::close::Side;
use crate::device::{Cpu, Device, Devices};
use crate::disk_cache::DiskCache;
use crate::math::{Fnv, Real};
use crate::model::{Model, State};
use crate::scene::{MOST_PHASES, Phase, Phases, Precision, Scene};
use crate::solver::{Control, Method, Parameters, PhaseList};
use std::sync::Arc;

/// ε of eq 37, from the first cycles to the last.
const EPSILONS: [f64; 5] = [0.8, 0.4, 0.2, 0.1, 0.05];
/// A change must lower the error by this part of it to be kept.
const WORTHWHILE: f64 = 5e-3;
/// Error that rounding hides.
const LEAST_ERROR: f64 = 1e-12;
/// Of a solve that fails or ends above its start.
const FAILED: f64 = 1e3;
/// 1 − ρ is found in parts of this.
const FINEST: f64 = 1e-6;

/// What to tune.
#[derive(Clone, Debug)]
pub struct Tuning<'a> {
    /// The scene; its `solver.phases` are not looked at.
    pub scene: &'a Scene,
    /// Phases wanted, 1 to [`MOST_PHASES`].
    pub phases: usize,
    /// Steps to learn from; as many are kept out.
    pub samples: usize,
    /// Frames to take the steps from, from the first on.
    pub frames: usize,
}

/// What was found.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Tuned {
    /// The method that it is for.
    pub method: &'static str,
    /// Iterations of its solves.
    pub iterations: usize,
    /// Stages: the ρ that a run takes by itself, the best single one, the phases.
    pub stages: Vec<Stage>,
    /// Which of the stages ends with the smallest error in the steps kept out, and so is kept.
    pub best: usize,
    /// Solves made.
    pub trials: usize,
    /// The steps, from 0, that it learned from.
    pub learned_from: Vec<u64>,
    /// Those that were kept out.
    pub kept_out: Vec<u64>,
}

/// Phases and how good they are.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Stage {
    /// The phases.
    pub phases: Vec<Phase>,
    /// Geometric mean of the relative errors of the steps that it learned from.
    pub error: f64,
    /// The same of those kept out.
    pub error_of_others: f64,
}

/// A step and where its solve should end.
struct Sample {
    model: Arc<Model>,
    state: State,
    sides: [Vec<Side>; 2],
    reference: Reference,
}

/// Finds the phases for a scene's method and keeps them in the cache of `devices`, where `phases = "tuned"` looks for them. Trials
/// run on the CPU. `progress` gets what is being done, and how much of it is done of how much.
pub fn tune(
    devices: &impl Devices,
    tuning: &Tuning,
    mut progress: impl FnMut(&str, u64, u64) -> bool,
) -> Result<Option<Tuned>, SimulationError> {
    let mut scene = tuning.scene.clone();
    scene.solver.phases = Phases::One;
    let mut simulation = Simulation::on(devices, &scene)?;
    let method = simulation.method();
    if !method.has_phases() {
        return Err(SimulationError::WithoutPhases { method: method.name });
    }
    let iterations = scene.solver.iterations.unwrap_or(method.iterations);
    let Some(samples) = samples(&mut simulation, &scene, tuning, &mut progress)? else { return Ok(None) };
    let step = |sample: &Sample| sample.state.step;
    let (learn, keep_out): (Vec<_>, Vec<_>) = samples.into_iter().enumerate().partition(|(k, _)| k % 2 == 0);
    let [learn, keep_out] =
        [learn, keep_out].map(|part| part.into_iter().map(|(_, sample)| sample).collect::<Vec<_>>());
    let (learned_from, kept_out) = (learn.iter().map(step).collect(), keep_out.iter().map(step).collect());
    let first = rho_for(&scene, simulation.model(), method).unwrap_or(0.0);
    let search = match scene.device.precision {
        Precision::F32 => search::<f32>,
        Precision::F64 => search::<f64>,
    };
    let largest_rho = largest_rho(method, simulation.model()).min(1.0 - FINEST);
    let asked = Asked { scene: &scene, method, iterations, largest_rho, phases: tuning.phases.clamp(1, MOST_PHASES) };
    let Some((stages, trials)) = search(&asked, first, [&learn, &keep_out], &mut progress)? else { return Ok(None) };
    // What was learned by heart is no use.
    let best = stages.iter().enumerate().min_by(|a, b| a.1.error_of_others.total_cmp(&b.1.error_of_others));
    let best = best.map_or(0, |(k, _)| k);
    keep(&devices.cache(), key(&scene, method, iterations), &stages[best].phases);
    Ok(Some(Tuned { method: method.name, iterations, stages, best, trials, learned_from, kept_out }))
}

/// The phases that a scene gives, or that were found for it with this method.
pub(super) fn phases_for(scene: &Scene, method: &Method, cache: &DiskCache) -> Result<PhaseList, SimulationError> {
    match &scene.solver.phases {
        _ if !method.has_phases() => Ok(PhaseList::default()),
        Phases::One => Ok(PhaseList::default()),
        Phases::Given(phases) => Ok(PhaseList::new(phases)),
        Phases::Tuned => {
            let iterations = scene.solver.iterations.unwrap_or(method.iterations);
            let found = cache.load_numbers(key(scene, method, iterations)).and_then(|numbers| unpacked(&numbers));
            let untuned = || SimulationError::Untuned { method: method.name, iterations, scene: scene.name.clone() };
            found.map(|phases| PhaseList::new(&phases)).ok_or_else(untuned)
        }
    }
}

fn key(scene: &Scene, method: &Method, iterations: usize) -> u64 {
    let mut physics = scene.clone();
    physics.solver.phases = Phases::One;
    (physics.solver.method, physics.solver.iterations) = (method.name.to_string(), Some(iterations));
    physics.device.name = String::new();
    let mut key = Fnv::default();
    key.add(physics.hash().to_le_bytes());
    key.add(*b"phases 1");
    key.value()
}

fn keep(cache: &DiskCache, key: u64, phases: &[Phase]) {
    // Whole numbers, so that what is read is what was found, to the bit.
    let numbers = |phase: &Phase| [phase.iterations as f32, ((1.0 - phase.rho) / FINEST).round() as f32];
    cache.store_numbers(key, &phases.iter().flat_map(numbers).collect::<Vec<_>>());
}

fn unpacked(numbers: &[f32]) -> Option<Vec<Phase>> {
    let (pairs, rest) = numbers.as_chunks::<2>();
    let fits = rest.is_empty() && (1..=MOST_PHASES).contains(&pairs.len());
    let phase =
        |[iterations, parts]: &[f32; 2]| Phase { iterations: *iterations as usize, rho: rho(f64::from(*parts)) };
    fits.then(|| pairs.iter().map(phase).collect())
}

/// ρ from 1 − ρ in parts of [`FINEST`]; the same bits as the decimal fraction that is shown.
fn rho(parts: f64) -> f64 {
    (1.0 / FINEST - parts.clamp(1.0, 1.0 / FINEST)).round() / (1.0 / FINEST).round()
}

/// Steps of the scene, evenly spread; nothing if somebody stopped it.
fn samples(
    simulation: &mut Simulation,
    scene: &Scene,
    tuning: &Tuning,
    progress: &mut impl FnMut(&str, u64, u64) -> bool,
) -> Result<Option<Vec<Sample>>, SimulationError> {
    let wanted = 2 * tuning.samples.max(1) as u64;
    let steps = (tuning.frames.max(1) * scene.time.steps_per_frame) as u64;
    let mut samples = Vec::new();
    for step in 0..steps {
        if !progress("simulating", step, steps) {
            return Ok(None);
        }
        // The last step of each of as many stretches.
        if (step + 1) * wanted / steps > step * wanted / steps {
            let (state, sides, model) = (simulation.state()?, simulation.sides()?, simulation.model().clone());
            let question = Question { scene, model: &model, state: &state, sides: &sides };
            let reference = reference(&question)?;
            if !reference.has_nothing_to_solve(&question) {
                samples.push(Sample { model, state, sides, reference });
            }
        }
        simulation.step()?;
    }
    if samples.len() < 2 {
        return Err(SimulationError::NothingToTune { steps });
    }
    Ok(Some(samples))
}

#[derive(Clone, Copy)]
struct Asked<'a> {
    scene: &'a Scene,
    method: &'static Method,
    iterations: usize,
    /// Beyond it motion gains energy.
    largest_rho: f64,
    phases: usize,
}

type Found = Option<(Vec<Stage>, usize)>;

fn search<R: Real>(
    asked: &Asked,
    first: f64,
    samples: [&[Sample]; 2],
    progress: &mut dyn FnMut(&str, u64, u64) -> bool,
) -> Result<Found, SimulationError> {
    let [mut learn, mut others] = [Trials::<R>::new(asked, samples[0])?, Trials::<R>::new(asked, samples[1])?];
    let mut now = vec![Phase { iterations: asked.iterations, rho: rho((1.0 - first) / FINEST) }];
    let mut stages = Vec::new();
    let mut stage = |phases: &[Phase], error: f64, others: &mut Trials<R>| -> Result<(), SimulationError> {
        let error_of_others = others.error(phases)?;
        stages.push(Stage { phases: phases.to_vec(), error, error_of_others });
        Ok(())
    };
    let mut error = learn.error(&now)?;
    stage(&now, error, &mut others)?;
    for count in [1, asked.phases].into_iter().take(if asked.phases > 1 { 2 } else { 1 }) {
        let single = (error, now.clone());
        if count > 1 {
            // Each phase begins anew, which costs something at first.
            now = split(&now, count);
            error = learn.error(&now)?;
        }
        for (k, epsilon) in EPSILONS.iter().enumerate() {
            loop {
                if !progress("trying", k as u64, EPSILONS.len() as u64) {
                    return Ok(None);
                }
                let mut best: Option<(f64, Vec<Phase>)> = None;
                let bounded = |phases: &Vec<Phase>| phases.iter().all(|phase| phase.rho <= asked.largest_rho);
                for change in changes(&now, *epsilon).into_iter().filter(bounded) {
                    let lower = learn.error(&change)?;
                    if lower < best.as_ref().map_or((1.0 - WORTHWHILE) * error, |(least, _)| *least) {
                        best = Some((lower, change));
                    }
                }
                let Some((lower, change)) = best else { break };
                (error, now) = (lower, change);
            }
        }
        if single.0 <= error {
            (error, now) = single;
        }
        stage(&now, error, &mut others)?;
    }
    let trials = learn.done + others.done;
    Ok(Some((stages, trials)))
}

/// As many phases of about the same length with the ρ of one.
fn split(phases: &[Phase], count: usize) -> Vec<Phase> {
    let (total, rho) = (phases.iter().map(|phase| phase.iterations).sum::<usize>(), phases[0].rho);
    let end = |k: usize| total * k / count;
    (0..count).map(|k| Phase { iterations: (end(k + 1) - end(k)).max(1), rho }).collect()
}

/// All that differ in one ρ or in where one phase ends.
fn changes(now: &[Phase], epsilon: f64) -> Vec<Vec<Phase>> {
    let mut all = Vec::new();
    for k in 0..now.len() {
        // By a factor up as well as down: 1 + ε and its inverse.
        for factor in [1.0 / (1.0 + epsilon), 1.0 + epsilon] {
            let mut change = now.to_vec();
            change[k].rho = rho((1.0 - change[k].rho) * factor / FINEST);
            all.push(change);
        }
    }
    for k in 1..now.len() {
        let both = now[k - 1].iterations + now[k].iterations;
        let by = ((epsilon * both as f64 / 2.0).round() as usize).max(1);
        for earlier in [now[k - 1].iterations.saturating_sub(by), now[k - 1].iterations + by] {
            if (1..both).contains(&earlier) {
                let mut change = now.to_vec();
                (change[k - 1].iterations, change[k].iterations) = (earlier, both - earlier);
                all.push(change);
            }
        }
    }
    all
}

/// Solves of the same steps again and again.
struct Trials<'a, R: Real> {
    asked: &'a Asked<'a>,
    samples: Vec<Prepared<'a, R>>,
    done: usize,
}

struct Prepared<'a, R: Real> {
    sample: &'a Sample,
    device: Cpu<R>,
    problem: <Cpu<R> as Device>::Problem,
}

impl<'a, R: Real> Trials<'a, R> {
    fn new(asked: &'a Asked<'a>, samples: &'a [Sample]) -> Result<Self, SimulationError> {
        let one = |sample: &'a Sample| {
            let mut device = Cpu::<R>::new();
            let problem = upload(&mut device, &sample.question(asked.scene))?;
            Ok(Prepared { sample, device, problem })
        };
        let samples = samples.iter().map(one).collect::<Result<_, SimulationError>>()?;
        Ok(Self { asked, samples, done: 0 })
    }

    /// Geometric mean of the relative errors with these phases.
    fn error(&mut self, phases: &[Phase]) -> Result<f64, SimulationError> {
        let Asked { scene, method, iterations, .. } = *self.asked;
        let phases = PhaseList::new(phases);
        let parameters = Parameters { phases, ..Parameters::new(&scene.solver, phases.largest_rho()) };
        let mut sum = 0.0;
        for Prepared { sample, device, problem } in &mut self.samples {
            let mut x =
                begin(device, problem, &sample.question(scene), method.initial_guess(&scene.solver, &sample.model))?;
            let mut solver = method.solver::<Cpu<R>>(&sample.model, &parameters);
            solver.set_step_length(sample.state.step_length);
            let solved = solver.solve(device, problem, &mut x, &mut Control::iterations(iterations));
            self.done += 1;
            let energy = solved.ok().map(|_| device.objective(problem, &x)).transpose()?;
            sum += counted(energy.map_or(FAILED, |energy| sample.reference.relative_error(energy))).ln();
        }
        Ok((sum / self.samples.len().max(1) as f64).exp())
    }
}

/// What counts of a relative error. It is negative where a solve ends in a deeper valley than the reference, or came to another E because it
/// converted elements: neither is better the farther it is.
fn counted(error: f64) -> f64 {
    if error.is_nan() { FAILED } else { error.abs().clamp(LEAST_ERROR, FAILED) }
}

impl Sample {
    fn question<'a>(&'a self, scene: &'a Scene) -> Question<'a> {
        Question { scene, model: &self.model, state: &self.state, sides: &self.sides }
    }
}

#[cfg(test)]
#[path = "tune_tests.rs"]
mod tests;
