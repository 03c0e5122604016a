//! How long steps and sweeps take, for `pliant bench`.

use super::{Certificate, Question, Simulation, SimulationError, reference, step_input};
use crate::device::{Blend, Device, DeviceError, Devices, Scale, Slot, Task};
use crate::model::{Model, State, System};
use crate::scene::Scene;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Steps with a deadline that are not looked at: they learn how fast the device is.
pub const LEARNING: usize = 20;

/// A step later than so many budgets is late.
pub const LATE: f64 = 1.05;

/// Wall-clock times of a number of steps.
#[derive(Clone, Debug, serde::Serialize)]
pub struct StepTimes {
    /// Where.
    pub device: String,
    /// The method.
    pub method: String,
    /// Vertices.
    pub vertices: usize,
    /// Elements.
    pub elements: usize,
    /// Iterations per step.
    pub iterations: usize,
    /// Steps that were timed.
    pub steps: usize,
    /// How many of them the times below leave out: the first [`LEARNING`] under a deadline.
    pub skipped: usize,
    /// Deadline of each step, ms.
    pub budget: Option<f64>,
    /// Share of steps later than [`LATE`] budgets.
    pub late_share: Option<f64>,
    /// Mean, ms.
    pub mean: f64,
    /// Median, ms.
    pub p50: f64,
    /// 99th percentile, ms.
    pub p99: f64,
    /// Longest, ms.
    pub max: f64,
    /// Median of how long the device itself worked on a step, ms, where it measures that.
    pub working_p50: Option<f64>,
    /// Mean iterations of a step: they differ under a deadline.
    pub mean_iterations: f64,
    /// Least iterations of a step.
    pub fewest_iterations: usize,
    /// Most iterations of a step.
    pub most_iterations: usize,
    /// Largest |length/rest − 1| of an edge at the end.
    pub max_stretch: f64,
    /// Mean of it.
    pub mean_stretch: f64,
    /// Mean ‖∇E‖ of the solutions, N.
    pub gradient_norm: f64,
    /// Mean of E/E⁰, the energy of a solution over that where its solve began.
    pub energy_left: f64,
    /// (E − E*)/(E⁰ − E*) of one more step, if it was asked for and there is something to solve.
    pub relative_error: Option<f64>,
    /// Tries that were rolled back.
    pub retries: usize,
}

/// Simulates a scene: first for as long as `warm`, because idle processors are slow, then `steps` steps, each timed from
/// the call to the certificate. Under a deadline the first [`LEARNING`] of them do not count if there are more. With `error`
/// the reference solves one more step.
pub fn time_steps(
    devices: &impl Devices,
    scene: &Scene,
    warm: Duration,
    steps: usize,
    error: bool,
) -> Result<StepTimes, SimulationError> {
    let mut simulation = Simulation::on(devices, scene)?;
    let start = simulation.state()?;
    let end = Instant::now() + warm;
    while Instant::now() < end {
        simulation.step()?;
    }
    simulation.set_state(&start)?;
    let budget = scene.solver.budget_ms;
    let skipped = if budget.is_some() && steps > LEARNING { LEARNING } else { 0 };
    let (mut times, mut iterations) = (Vec::with_capacity(steps), Vec::with_capacity(steps));
    let (mut certificates, mut retries) = (Vec::with_capacity(steps), 0);
    let mut working = Vec::with_capacity(steps);
    for step in 0..steps {
        let begun = Instant::now();
        let report = simulation.step()?;
        let ms = begun.elapsed().as_secs_f64() * 1e3;
        retries += report.retries;
        if step >= skipped {
            times.push(ms);
            iterations.push(report.iterations);
            certificates.push(report.certificate);
            working.extend(report.working_ms);
        }
    }
    let relative_error = if error { relative_error(scene, &mut simulation)? } else { None };
    times.sort_by(f64::total_cmp);
    working.sort_by(f64::total_cmp);
    let counted = times.len().max(1) as f64;
    // The smallest time that at least this share of all times does not exceed.
    let rank = |count: usize, share: f64| ((count as f64 * share).ceil() as usize).saturating_sub(1);
    let at = |share: f64| times.get(rank(times.len(), share));
    let mean = |of: &dyn Fn(&Certificate) -> f64| certificates.iter().map(of).sum::<f64>() / counted;
    let last = certificates.last().copied().unwrap_or_default();
    let model = simulation.model();
    Ok(StepTimes {
        device: simulation.device().to_string(),
        method: simulation.method().name.to_string(),
        vertices: model.vertices(),
        elements: model.element_count(),
        iterations: simulation.iterations(),
        steps,
        skipped,
        budget,
        late_share: budget.map(|budget| times.iter().filter(|ms| **ms > LATE * budget).count() as f64 / counted),
        mean: times.iter().sum::<f64>() / counted,
        p50: at(0.5).copied().unwrap_or(0.0),
        p99: at(0.99).copied().unwrap_or(0.0),
        max: at(1.0).copied().unwrap_or(0.0),
        working_p50: working.get(rank(working.len(), 0.5)).copied(),
        mean_iterations: iterations.iter().sum::<usize>() as f64 / counted,
        fewest_iterations: iterations.iter().copied().min().unwrap_or(0),
        most_iterations: iterations.iter().copied().max().unwrap_or(0),
        max_stretch: last.max_stretch,
        mean_stretch: last.mean_stretch,
        gradient_norm: mean(&|certificate| certificate.gradient_norm),
        energy_left: mean(&|certificate| certificate.energy / certificate.start_energy.max(f64::MIN_POSITIVE)),
        relative_error,
        retries,
    })
}

/// Makes one more step, which the reference solves, too.
fn relative_error(scene: &Scene, simulation: &mut Simulation) -> Result<Option<f64>, SimulationError> {
    let (before, sides) = (simulation.state()?, simulation.sides()?);
    let report = simulation.step()?;
    let question = Question { scene, model: simulation.model(), state: &before, sides: &sides };
    let reference = reference(&question)?;
    // The energies of pieces of a step are other ones.
    let comparable = report.pieces == 1 && !reference.has_nothing_to_solve(&question);
    Ok(comparable.then(|| reference.relative_error(report.certificate.energy)))
}

/// Wall-clock time of Jacobi-Chebyshev iterations, and of streaming their bytes.
#[derive(Clone, Debug, serde::Serialize)]
pub struct SweepTimes {
    /// Where.
    pub device: String,
    /// Vertices.
    pub vertices: usize,
    /// Elements.
    pub elements: usize,
    /// How the device sweeps, and so whose bytes these are; see [`Device::sweep_way`].
    pub way: &'static str,
    /// Bytes that one iteration moves at least.
    pub bytes: u64,
    /// Time of an iteration, µs.
    pub us: f64,
    /// Time to stream the bytes, µs.
    pub floor_us: f64,
}

/// Times the iterations of a scene's first step.
pub fn time_sweeps(devices: &impl Devices, scene: &Scene, warm: Duration) -> Result<SweepTimes, SimulationError> {
    let (model, state) = Model::new(scene)?;
    devices.run(&scene.device, Sweeps { scene, model: Arc::new(model), state, warm })?
}

struct Sweeps<'a> {
    scene: &'a Scene,
    model: Arc<Model>,
    state: State,
    warm: Duration,
}

/// How long a round of iterations takes about, of which the shortest of five counts.
const ROUND: f64 = 0.02;

impl Task for Sweeps<'_> {
    type Output = Result<SweepTimes, SimulationError>;

    fn on<D: Device + 'static>(self, mut device: D) -> Self::Output
    where
        D::Points: 'static,
    {
        let h = self.scene.time.step_size();
        let system = Arc::new(System::new(&self.model, h, h));
        let mut problem = device.upload(&self.model, &system)?;
        let [mut x, mut v] = [(); 2].map(|()| device.points(&problem));
        device.write(&self.state.x, &mut x);
        device.write(&self.state.v, &mut v);
        device.begin_step(&mut problem, &step_input(&self.model, h, h), &x, &v);
        let time = time_jacobi(&mut device, &mut problem, &self.state.x, self.warm, |device| {
            device.scalar(Slot(0)).map(drop)
        })?;
        // After the device chose how it sweeps.
        let bytes = device.sweep_bytes(&problem);
        let floor = shortest(self.warm, |times| device.stream(bytes, 50 * times).map(|()| 50 * times))?;
        Ok(SweepTimes {
            device: device.name(),
            vertices: self.model.vertices(),
            elements: self.model.element_count(),
            way: device.sweep_way(&problem),
            bytes: bytes[0],
            us: 1e6 * time,
            floor_us: 1e6 * floor,
        })
    }
}

/// Seconds per Jacobi-Chebyshev iteration from about x, wall clock, after sweeping for as long as `warm`: an idle GPU needs a
/// second to reach its clock. `wait` returns when the device is done.
pub fn time_jacobi<D: Device, E>(
    device: &mut D,
    problem: &mut D::Problem,
    x: &[[f64; 3]],
    warm: Duration,
    wait: impl Fn(&mut D) -> Result<(), E>,
) -> Result<f64, E> {
    let [mut now, mut before] = [(); 2].map(|()| device.points(problem));
    // Not at rest, where formulas may take shorter ways.
    let wave = |i: usize| 1.0 + 1e-3 * (1.0 + i as f64 * 0.7).sin();
    let moved: Vec<[f64; 3]> = (0..).zip(x).map(|(i, x)| x.map(|c| c * wave(i))).collect();
    device.write(&moved, &mut now);
    device.copy(&now, &mut before);
    let blends = [Blend { omega: 1.0, under_relaxation: 0.9 }; 96];
    shortest(warm, |times| {
        for _ in 0..times {
            device.jacobi(problem, &mut now, &mut before, &blends, None);
        }
        wait(device)?;
        Ok(times * blends.len())
    })
}

/// Wall-clock time of iterations of descent and of the evaluation of forces in them.
#[derive(Clone, Debug, serde::Serialize)]
pub struct ForceTimes {
    /// Where.
    pub device: String,
    /// Vertices.
    pub vertices: usize,
    /// Elements.
    pub elements: usize,
    /// Time of an iteration without looks at E and renewals of the preconditioner, µs.
    pub iteration_us: f64,
    /// Time of the evaluation of ∇E alone, µs.
    pub force_us: f64,
    /// Bytes that this moves at least.
    pub bytes: u64,
    /// Time to stream these bytes, µs.
    pub floor_us: f64,
}

/// Times the iterations of descent in a scene's first step.
pub fn time_forces(devices: &impl Devices, scene: &Scene, warm: Duration) -> Result<ForceTimes, SimulationError> {
    let (model, state) = Model::new(scene)?;
    devices.run(&scene.device, Forces { scene, model: Arc::new(model), state, warm })?
}

struct Forces<'a> {
    scene: &'a Scene,
    model: Arc<Model>,
    state: State,
    warm: Duration,
}

impl Task for Forces<'_> {
    type Output = Result<ForceTimes, SimulationError>;

    fn on<D: Device + 'static>(self, mut device: D) -> Self::Output
    where
        D::Points: 'static,
    {
        let h = self.scene.time.step_size();
        let system = Arc::new(System::new(&self.model, h, h));
        let mut problem = device.upload(&self.model, &system)?;
        let [mut x, mut v, mut x_before, mut gradient, mut z] = [(); 5].map(|()| device.points(&problem));
        device.write(&self.state.x, &mut x);
        device.write(&self.state.v, &mut v);
        device.begin_step(&mut problem, &step_input(&self.model, h, h), &x, &v);
        device.copy(&x, &mut x_before);
        device.rescale(&mut problem, Scale::Blocks, &x);
        // Short steps: iterates stay where formulas take their usual ways.
        let blends = [Blend { omega: 1.0, under_relaxation: 0.1 }; 96];
        let iteration = shortest(self.warm, |times| -> Result<usize, DeviceError> {
            for _ in 0..times {
                let scratch = [&mut gradient, &mut z];
                device.descend_many(&mut problem, [&mut x, &mut x_before], &blends, None, scratch);
            }
            device.scalar(Slot(0))?;
            Ok(times * blends.len())
        })?;
        let force = shortest(self.warm, |times| -> Result<usize, DeviceError> {
            for _ in 0..50 * times {
                device.gradient(&mut problem, &x, &mut gradient);
            }
            device.scalar(Slot(0))?;
            Ok(50 * times)
        })?;
        let bytes = device.force_bytes(&problem);
        let floor = shortest(self.warm, |times| device.stream(bytes, 50 * times).map(|()| 50 * times))?;
        Ok(ForceTimes {
            device: device.name(),
            vertices: self.model.vertices(),
            elements: self.model.element_count(),
            iteration_us: 1e6 * iteration,
            force_us: 1e6 * force,
            bytes: bytes[0],
            floor_us: 1e6 * floor,
        })
    }
}

/// Seconds per unit of what `run` does so many times; it says how many units that were.
pub fn shortest<E>(warm: Duration, mut run: impl FnMut(usize) -> Result<usize, E>) -> Result<f64, E> {
    let mut round = |times: usize| -> Result<(f64, f64), E> {
        let begun = Instant::now();
        let units = run(times)?;
        let seconds = begun.elapsed().as_secs_f64();
        Ok((seconds, seconds / units.max(1) as f64))
    };
    // The first round may have to make things ready, and leave the processor idle meanwhile.
    round(1)?;
    let end = Instant::now() + warm;
    let (mut once, _) = round(1)?;
    while Instant::now() < end {
        (once, _) = round(1)?;
    }
    let times = (ROUND / once).clamp(1.0, 1e5) as usize;
    (0..5).try_fold(f64::INFINITY, |best, _| Ok(best.min(round(times)?.1)))
}
