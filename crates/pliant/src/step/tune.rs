//! Finds Chebyshev's ρ for a scene (course 2.2.1): a pre-simulation gives a few steps to be solved, and trial solves of
//! these with different ρ show which one leaves the least energy after the given number of iterations. Nothing here
//! depends on time or threads, so the answer is the same every time; it is cached all the same, because it costs about
//! forty solves.

use super::step_input;
use crate::device::{Device, StepInput};
use crate::model::{Model, State, System};
use crate::solver::{Control, Method, Parameters};
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

/// Steps of the pre-simulation.
const STEPS: usize = 10;

/// Those of them that are trial problems.
const TRIALS: [usize; 3] = [2, 5, 9];

/// Near the best ρ the energy is flat, and above it the iteration oscillates in states that the trials do not show: of
/// those within this factor of the least energy, the smallest ρ is taken.
const TOLERANCE: f64 = 1.2;

/// ρ to choose from, as s with 1 − ρ = 10^−s.
const CHOICES: [f64; 10] = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5];

/// The ρ that leaves the least energy after the given iterations, in the geometric mean over the trial problems.
pub(super) fn find_rho<D: Device + 'static>(device: &mut D, tuning: &Tuning) -> f64
where
    D::Points: 'static,
{
    let mut run = Run::new(device, tuning, tuning.state.time + tuning.h);
    let trials = trials(device, tuning, &mut run);
    let rhos = CHOICES.map(|s: f64| 1.0 - 10f64.powf(-s));
    let mut scores = [0.0; CHOICES.len()];
    let mut telling = 0.0;
    for trial in &trials {
        let energies = rhos.map(|rho| trial.energy(device, tuning, &mut run, rho));
        let least = energies.into_iter().fold(f64::INFINITY, f64::min);
        // A step without deformation is solved by any ρ and says nothing.
        let tells = least > 0.0 && least < f64::INFINITY && energies.iter().any(|energy| *energy > 1.5 * least);
        if tells {
            telling += 1.0;
            scores.iter_mut().zip(energies).for_each(|(score, energy)| *score += (energy / least).ln());
        }
    }
    let least = scores.into_iter().fold(f64::INFINITY, f64::min);
    let chosen = scores.iter().position(|score| *score <= least + TOLERANCE.ln() * telling);
    chosen.map_or(0.0, |k| rhos[k])
}

/// One step to be solved.
struct Trial {
    state: State,
    input: StepInput,
}

impl Trial {
    /// Energy after a solve with ρ; infinite if that fails.
    fn energy<D: Device + 'static>(&self, device: &mut D, tuning: &Tuning, run: &mut Run<D>, rho: f64) -> f64
    where
        D::Points: 'static,
    {
        run.load(device, &self.state);
        run.solver.set_rho(rho);
        run.solve(device, tuning, &self.input).unwrap_or(f64::INFINITY)
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
    fn new(device: &mut D, tuning: &Tuning, time: f64) -> Self {
        let system = Arc::new(System::new(tuning.model, tuning.h, time));
        let problem = device.upload(tuning.model, &system);
        let solver = tuning.method.solver::<D>(tuning.model, &tuning.parameters);
        let fields = std::array::from_fn(|_| device.points(&problem));
        Self { problem, solver, fields }
    }

    fn load(&mut self, device: &mut D, state: &State) {
        device.write(&state.x, &mut self.fields[0]);
        device.write(&state.v, &mut self.fields[1]);
    }

    /// Solves a step from the fields; x ends in the third. Returns E, or nothing if it failed.
    fn solve(&mut self, device: &mut D, tuning: &Tuning, input: &StepInput) -> Option<f64> {
        let [x, v, x_next] = &mut self.fields;
        device.begin_step(&mut self.problem, input, x, v);
        device.start(&self.problem, x_next);
        let mut control = Control::iterations(tuning.iterations);
        self.solver.solve(device, &mut self.problem, x_next, &mut control).ok()?;
        let energy = device.objective(&mut self.problem, x_next);
        energy.is_finite().then_some(energy)
    }

    fn commit(&mut self, device: &mut D, state: &mut State, h: f64) {
        let [x, v, x_next] = &mut self.fields;
        device.end_step(&self.problem, x, x_next, v);
        std::mem::swap(x, x_next);
        device.read(x, &mut state.x);
        device.read(v, &mut state.v);
        state.time += h;
    }
}

/// Runs the pre-simulation with careful acceleration and keeps some of its steps.
fn trials<D: Device + 'static>(device: &mut D, tuning: &Tuning, run: &mut Run<D>) -> Vec<Trial>
where
    D::Points: 'static,
{
    let mut state = tuning.state.clone();
    let mut trials = vec![shaken(tuning)];
    run.load(device, &state);
    run.solver.set_rho(0.9);
    for step in 0..STEPS {
        let input = step_input(tuning.model, state.time + tuning.h);
        if TRIALS.contains(&step) {
            trials.push(Trial { state: state.clone(), input: input.clone() });
        }
        if run.solve(device, tuning, &input).is_none() {
            break;
        }
        run.commit(device, &mut state, tuning.h);
    }
    trials
}
