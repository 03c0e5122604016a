//! Finds Chebyshev's ρ for a scene (course 2.2.1): a pre-simulation shows how fast the plain method converges there, and
//! trial solves of one of its steps show which ρ gets lowest in the given number of iterations. Nothing here depends on
//! time or threads, so the answer is the same every time; it is cached all the same, because it costs about 20 steps.

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

/// Steps of the pre-simulation; the second and the last are trial problems.
const STEPS: usize = 10;

/// The ρ that leaves the least energy after the given iterations, summed over the trial problems.
pub(super) fn find_rho<D: Device + 'static>(device: &mut D, tuning: &Tuning) -> f64
where
    D::Points: 'static,
{
    let trials = trials(device, tuning);
    let score = |device: &mut D, s: f64| trials.iter().map(|trial| trial.error(device, tuning, rho_of(s))).sum::<f64>();
    // 1 − ρ = 10^−s: first by halves, then around the best.
    let mut best = (score(device, 0.0), 0.0);
    let consider = |device: &mut D, s: f64, best: &mut (f64, f64)| {
        let error = score(device, s);
        if error < best.0 {
            *best = (error, s);
        }
    };
    for k in 2..=10 {
        consider(device, 0.5 * f64::from(k), &mut best);
    }
    for step in [0.25, 0.125] {
        let centre = best.1;
        consider(device, centre - step, &mut best);
        consider(device, centre + step, &mut best);
    }
    rho_of(best.1)
}

fn rho_of(s: f64) -> f64 {
    1.0 - 10f64.powf(-s.max(0.0))
}

/// One step to be solved, with the range of its energy.
struct Trial {
    state: State,
    input: StepInput,
    time: f64,
    start: f64,
}

impl Trial {
    /// Energy after a solve with ρ as a fraction of the energy at its start; infinite if that fails.
    fn error<D: Device + 'static>(&self, device: &mut D, tuning: &Tuning, rho: f64) -> f64
    where
        D::Points: 'static,
    {
        let mut run = Run::new(device, tuning, self.time, rho);
        run.load(device, &self.state);
        match run.solve(device, tuning, &self.input) {
            Some(energy) if self.start > 0.0 => energy / self.start,
            _ => f64::INFINITY,
        }
    }
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
    fn new(device: &mut D, tuning: &Tuning, time: f64, rho: f64) -> Self {
        let system = Arc::new(System::new(tuning.model, tuning.h, time));
        let problem = device.upload(tuning.model, &system);
        let parameters = Parameters { rho, ..tuning.parameters };
        let solver = tuning.method.solver::<D>(tuning.model, &parameters);
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

/// Runs the pre-simulation with careful acceleration and keeps two of its steps.
fn trials<D: Device + 'static>(device: &mut D, tuning: &Tuning) -> Vec<Trial>
where
    D::Points: 'static,
{
    let mut state = tuning.state.clone();
    let mut run = Run::new(device, tuning, state.time + tuning.h, 0.9);
    let mut trials = Vec::new();
    run.load(device, &state);
    for step in 0..STEPS {
        let time = state.time + tuning.h;
        let input = step_input(tuning.model, time);
        if step == 1 || step == STEPS - 1 {
            let [x, v, x_next] = &mut run.fields;
            device.begin_step(&mut run.problem, &input, x, v);
            device.start(&run.problem, x_next);
            let start = device.objective(&mut run.problem, x_next);
            trials.push(Trial { state: state.clone(), input: input.clone(), time, start });
        }
        if run.solve(device, tuning, &input).is_none() {
            break;
        }
        run.commit(device, &mut state, tuning.h);
    }
    trials
}
