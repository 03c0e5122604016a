//! Finds Chebyshev's ρ for a scene (course 2.2.1): trial solves with different ρ, of a shaken start and of a step that a
//! pre-simulation leads to, show which ρ leaves the least error after the given number of iterations. Nothing here
//! depends on time or threads, so the answer is the same every time; it is cached all the same, because it costs as much
//! as about thirty steps.

use super::step_input;
use crate::device::{Device, DeviceError, StepInput};
use crate::model::{Model, State, System};
use crate::solver::{Control, Method, Parameters, largest_useful_rho};
use std::sync::Arc;

/// What to tune for.
pub(super) struct Tuning<'a> {
    pub model: &'a Arc<Model>,
    pub state: &'a State,
    pub method: &'static Method,
    pub parameters: Parameters,
    pub iterations: usize,
    /// Step size, s.
    pub h: f64,
}

/// Steps of the pre-simulation; the one after it is a trial.
const STEPS: usize = 6;

/// Near the best ρ the error is flat: of those within this factor of the least error, the largest ρ is taken, because
/// later steps are harder than the trials. That is safe, since no choice is larger than the iterations can use.
const TOLERANCE: f64 = 1.5;

/// A trial whose errors do not differ by more than this says nothing: without deformation any ρ will do.
const TELLING: f64 = 1.2;

/// Solves that give the reference of a trial are so many times longer.
const LONGER: usize = 3;

/// The ρ with the least error after the given iterations, in the geometric mean over the trials.
///
/// With the direct solver and with multigrid it is the largest one: its errors are so small that they say nothing. Turning and falling cost so
/// little energy that a step which hardly moved may have the least error, and a smaller ρ makes cloth fall in slow motion
/// (`docs/results.md`).
pub(super) fn find_rho<D: Device + 'static>(device: &mut D, tuning: &Tuning) -> Result<f64, DeviceError>
where
    D::Points: 'static,
{
    let choices = choices(tuning.iterations);
    if tuning.method.takes_largest_rho() {
        return Ok(choices.last().copied().unwrap_or(0.0));
    }
    let mut run = Run::new(device, tuning, tuning.state.time + tuning.h)?;
    let mut scores = vec![0.0; choices.len()];
    let mut telling = 0.0;
    for trial in [shaken(tuning), simulated(device, tuning, &mut run)?] {
        let errors = trial.errors(device, tuning, &mut run, &choices);
        let least = errors.iter().copied().fold(f64::INFINITY, f64::min);
        if least < f64::INFINITY && errors.iter().any(|error| *error > TELLING * least) {
            telling += 1.0;
            scores.iter_mut().zip(errors).for_each(|(score, error)| *score += (error / least).ln());
        }
    }
    let least = scores.iter().copied().fold(f64::INFINITY, f64::min);
    let chosen = scores.iter().rposition(|score| *score <= least + TOLERANCE.ln() * telling);
    Ok(chosen.map_or(0.0, |k| choices[k]))
}

/// Compressed springs have negative curvature, and what Chebyshev does to such modes is amplify them, the more the nearer
/// ρ is to 1. Every step still lowers its E, but motion gains energy: a tablecloth that starts level swings above its
/// pins with ρ = 0.9999, whatever the number of iterations, and follows Newton's with 0.999.
const LARGEST: f64 = 0.999;

/// ρ to choose from: 1 − ρ in steps of half a decade, up to the largest that the iterations can use.
fn choices(iterations: usize) -> Vec<f64> {
    let largest = largest_useful_rho(iterations).min(LARGEST);
    let steps = (2..=6).map(|k| 1.0 - 10f64.powf(-0.5 * f64::from(k)));
    [0.0].into_iter().chain(steps.filter(|rho| *rho < largest)).chain([largest]).collect()
}

/// One step to be solved.
struct Trial {
    state: State,
    input: StepInput,
}

impl Trial {
    /// Errors after solves with each ρ, as fractions of the error at the start; infinite where a solve fails.
    fn errors<D: Device + 'static>(
        &self,
        device: &mut D,
        tuning: &Tuning,
        run: &mut Run<D>,
        choices: &[f64],
    ) -> Vec<f64>
    where
        D::Points: 'static,
    {
        let mut energy = |rho: f64, iterations: usize| {
            run.load(device, &self.state);
            run.solver.set_rho(rho);
            run.solve(device, &self.input, iterations).unwrap_or(f64::INFINITY)
        };
        let energies: Vec<f64> = choices.iter().map(|rho| energy(*rho, tuning.iterations)).collect();
        let longest = energy(choices.last().copied().unwrap_or(0.0), LONGER * tuning.iterations);
        let start = energy(0.0, 0);
        let reference = energies.iter().copied().fold(longest, f64::min);
        let range = start - reference;
        // What is below a millionth is rounding.
        energies.iter().map(|energy| ((energy - reference) / range).max(1e-6)).collect()
    }
}

/// The start of the scene with waves running through the bodies that would strain them by a few percent in one step:
/// a trial even for bodies that fall freely at first.
fn shaken(tuning: &Tuning) -> Trial {
    const WAVES: f64 = 4.0 * std::f64::consts::PI;
    const STRAIN: f64 = 0.03;
    let mut state = tuning.state.clone();
    for k in 0..3 {
        let (low, high) =
            state.x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x[k]), high.max(x[k])));
        let extent = high - low;
        if extent > 0.0 {
            for (x, v) in state.x.iter().zip(&mut state.v) {
                v[k] += STRAIN * extent / (WAVES * tuning.h) * (WAVES * (x[k] - low) / extent).sin();
            }
        }
    }
    let input = step_input(tuning.model, state.time + tuning.h);
    Trial { state, input }
}

/// Fields for solving steps while tuning.
struct Run<D: Device> {
    problem: D::Problem,
    solver: Box<dyn crate::solver::Solver<D>>,
    fields: [D::Points; 3],
}

impl<D: Device + 'static> Run<D>
where
    D::Points: 'static,
{
    fn new(device: &mut D, tuning: &Tuning, time: f64) -> Result<Self, DeviceError> {
        let system = Arc::new(System::new(tuning.model, tuning.h, time));
        let problem = device.upload(tuning.model, &system)?;
        let solver = tuning.method.solver::<D>(tuning.model, &tuning.parameters);
        let fields = std::array::from_fn(|_| device.points(&problem));
        Ok(Self { problem, solver, fields })
    }

    fn load(&mut self, device: &mut D, state: &State) {
        device.write(&state.x, &mut self.fields[0]);
        device.write(&state.v, &mut self.fields[1]);
    }

    /// Solves a step from the fields; x ends in the third. Returns E, or nothing if it failed.
    fn solve(&mut self, device: &mut D, input: &StepInput, iterations: usize) -> Option<f64> {
        let [x, v, x_next] = &mut self.fields;
        device.begin_step(&mut self.problem, input, x, v);
        device.start(&self.problem, x_next);
        let mut control = Control::iterations(iterations);
        self.solver.solve(device, &mut self.problem, x_next, &mut control).ok()?;
        let energy = device.objective(&mut self.problem, x_next).ok()?;
        energy.is_finite().then_some(energy)
    }

    fn commit(&mut self, device: &mut D, state: &mut State, h: f64) -> Result<(), DeviceError> {
        let [x, v, x_next] = &mut self.fields;
        device.end_step(&self.problem, x, x_next, v);
        std::mem::swap(x, x_next);
        device.read(x, &mut state.x)?;
        device.read(v, &mut state.v)?;
        state.time += h;
        Ok(())
    }
}

/// The step after a pre-simulation with careful acceleration.
fn simulated<D: Device + 'static>(device: &mut D, tuning: &Tuning, run: &mut Run<D>) -> Result<Trial, DeviceError>
where
    D::Points: 'static,
{
    let mut state = tuning.state.clone();
    run.load(device, &state);
    run.solver.set_rho(0.9);
    for _ in 0..STEPS {
        let input = step_input(tuning.model, state.time + tuning.h);
        if run.solve(device, &input, tuning.iterations).is_none() {
            break;
        }
        run.commit(device, &mut state, tuning.h)?;
    }
    let input = step_input(tuning.model, state.time + tuning.h);
    Ok(Trial { state, input })
}
