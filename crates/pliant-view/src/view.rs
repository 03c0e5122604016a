//! One simulation that is shown.

use crate::convergence::Before;
use crate::grip::Grip;
use pliant::contact::close::Side;
use pliant::device::{DeviceError, Devices};
use pliant::model::{Model, State};
use pliant::output::{FrameFacts, doubt_of_step};
use pliant::scene::Scene;
use pliant::step::{Known, Simulation, SimulationError, StepReport, Stop};
use std::sync::Arc;

/// Of vertices, then of edges.
type Sides = [Vec<Side>; 2];

/// A scene with the driver's settings, being simulated.
pub(crate) struct View {
    /// With settings.
    pub scene: Scene,
    pub simulation: Simulation,
    pub grip: Grip,
    /// As the last frame ended.
    pub state: Arc<State>,
    /// On which sides of each other parts of bodies were then.
    sides: Arc<Sides>,
    /// As the scene begins.
    start: State,
    /// What is known of the last frame.
    last: FrameFacts,
    /// The frame that is being made.
    next: Unfinished,
}

/// A frame that is being made.
#[derive(Clone, Default)]
struct Unfinished {
    /// Its steps that are.
    steps: usize,
    /// What is known of these.
    facts: FrameFacts,
    /// Where it began; nowhere before its first step.
    begun: Option<(Arc<State>, Arc<Sides>)>,
}

/// What became of a frame.
pub(crate) enum Frame {
    /// It is made; with what its last step began with, if asked for.
    Made(FrameFacts, Option<Before>),
    /// A step was stopped. The next time it is gone on with.
    Stopped,
    /// A step could not be made; what was done before it counts.
    Failed(FrameFacts, SimulationError),
}

/// Where nothing was simulated yet.
fn nothing_known() -> FrameFacts {
    let [ms, frame_ms, energy, gradient_norm, max_stretch, mean_stretch] = [f64::NAN; 6];
    FrameFacts { ms, frame_ms, energy, gradient_norm, max_stretch, mean_stretch, ..FrameFacts::default() }
}

impl View {
    /// Its steps end where `stop` is raised.
    pub fn new(devices: &impl Devices, scene: Scene, stop: &Stop) -> Result<Self, SimulationError> {
        let mut simulation = Simulation::on(devices, &scene)?;
        simulation.heed(stop);
        let start = simulation.state()?;
        Ok(Self {
            scene,
            simulation,
            grip: Grip::default(),
            state: Arc::new(start.clone()),
            sides: Arc::default(),
            start,
            last: nothing_known(),
            next: Unfinished::default(),
        })
    }

    pub fn model(&self) -> &Arc<Model> {
        self.simulation.model()
    }

    /// Goes on where another view is, in the middle of a frame, too. What bodies remember of each other is not lost, if they are
    /// the same.
    pub fn go_on_from(&mut self, other: &mut View) -> Result<(), SimulationError> {
        self.simulation.set_state(&other.simulation.state()?)?;
        self.simulation.set_sides(&other.simulation.sides()?);
        self.state = other.state.clone();
        self.sides = other.sides.clone();
        self.grip = other.grip.clone();
        self.last = other.last.clone();
        self.next = other.next.clone();
        self.hold();
        Ok(())
    }

    /// Goes on on the CPU from the last frame, after the device has failed; whether it does, which it does not where the scene
    /// asked for the device.
    pub fn move_to_cpu(&mut self, devices: &impl Devices, stop: &Stop) -> Result<bool, SimulationError> {
        let known = Known { state: &self.state, sides: &self.sides, rho: self.simulation.rho() };
        let Some(simulation) = self.simulation.moved_to_cpu(devices, &self.scene, &known)? else { return Ok(false) };
        self.simulation = simulation;
        self.simulation.heed(stop);
        self.scene.device.name = "cpu".to_string();
        self.next = Unfinished::default();
        self.hold();
        Ok(true)
    }

    pub fn reset(&mut self) -> Result<(), SimulationError> {
        self.grip = Grip::default();
        self.hold();
        self.simulation.set_state(&self.start)?;
        self.state = Arc::new(self.start.clone());
        self.sides = Arc::default();
        self.last = nothing_known();
        self.next = Unfinished::default();
        Ok(())
    }

    /// Back to where the frame that is being made began.
    pub fn go_back(&mut self) -> Result<(), SimulationError> {
        if let Some((state, sides)) = std::mem::take(&mut self.next).begun {
            self.simulation.set_state(&state)?;
            self.simulation.set_sides(&sides);
            (self.state, self.sides) = (state, sides);
        }
        Ok(())
    }

    /// Tells the simulation what the grip holds.
    pub fn hold(&mut self) {
        self.simulation.hold(&self.grip.hands());
    }

    /// Simulates a frame, or what is left of one; `look` asks for what its last step begins with.
    pub fn frame(&mut self, look: bool) -> Frame {
        let steps = self.scene.time.steps_per_frame;
        self.next.begun.get_or_insert_with(|| (self.state.clone(), self.sides.clone()));
        let mut before = None;
        while self.next.steps < steps {
            if look && self.next.steps + 1 == steps {
                match (self.simulation.state(), self.simulation.sides()) {
                    (Ok(state), Ok(sides)) => before = Some(Before { state, sides, iterations: 0 }),
                    (Err(error), _) | (_, Err(error)) => return self.failed(error.into()),
                }
            }
            match self.simulation.step() {
                Ok(report) => {
                    self.next.add(&report);
                    // One that went wrong and was made in pieces is not solved again like that.
                    before = before.filter(|_| report.retries == 0 && report.pieces == 1);
                    before.iter_mut().for_each(|before| before.iterations = report.iterations);
                }
                Err(SimulationError::Stopped { .. }) => return Frame::Stopped,
                Err(error) => return self.failed(error),
            }
        }
        match self.fetch() {
            Ok(facts) => Frame::Made(facts, before),
            Err(error) => self.failed(error.into()),
        }
    }

    /// All views have this frame: another one begins.
    pub fn end_frame(&mut self) {
        self.next = Unfinished::default();
    }

    fn failed(&mut self, error: SimulationError) -> Frame {
        // Where the device is lost, the last frame is what there is.
        let facts = self.fetch().unwrap_or_else(|_| self.facts());
        Frame::Failed(facts, error)
    }

    /// Takes over what the device has computed.
    fn fetch(&mut self) -> Result<FrameFacts, DeviceError> {
        let (state, sides) = (self.simulation.state()?, self.simulation.sides()?);
        (self.state, self.sides) = (Arc::new(state), Arc::new(sides));
        let facts = self.next.facts.clone();
        let doubt = doubt_of_step(self.model(), facts.gradient_norm, facts.max_stretch);
        self.last = FrameFacts { doubt, ..facts };
        Ok(self.facts())
    }

    /// Which frame of the scene is shown, from 0.
    pub fn number(&self) -> u64 {
        self.state.step / self.scene.time.steps_per_frame as u64
    }

    /// What is known of the last frame.
    pub fn facts(&self) -> FrameFacts {
        FrameFacts {
            time: self.state.time,
            step: self.state.step,
            method: self.simulation.method().name.to_string(),
            held: self.grip.held(),
            ..self.last.clone()
        }
    }

    /// ‖∇E‖ of each vertex where the last step ended, N.
    pub fn residual(&mut self) -> Result<Vec<f64>, DeviceError> {
        let residual = self.simulation.residual()?;
        Ok(residual.iter().map(|g| g.iter().map(|c| c * c).sum::<f64>().sqrt()).collect())
    }

    /// Vertices that are held exactly now.
    pub fn pins(&self) -> Vec<u32> {
        let time = self.state.time;
        let holds = |pin: &&pliant::model::Pin| pin.stiffness.is_none() && pin.holds_at(time);
        self.model().pins.iter().filter(holds).map(|pin| pin.vertex).collect()
    }
}

impl Unfinished {
    /// One more step is made.
    fn add(&mut self, report: &StepReport) {
        self.steps += 1;
        let (facts, made) = (&mut self.facts, &report.certificate);
        facts.ms = facts.ms.max(report.ms);
        facts.frame_ms += report.ms;
        facts.iterations = report.iterations;
        facts.restarts += report.restarts;
        facts.retries += report.retries;
        facts.over_budget |= report.over_budget;
        facts.energy = made.energy;
        facts.gradient_norm = made.gradient_norm;
        facts.max_stretch = made.max_stretch;
        facts.mean_stretch = made.mean_stretch;
        facts.min_gap = Some(made.min_gap).filter(|gap| gap.is_finite());
        facts.inverted = made.inverted;
    }
}
