//! One simulation that is shown.

use crate::convergence::Before;
use crate::grip::Grip;
use pliant::device::{DeviceError, Devices};
use pliant::model::{Model, State};
use pliant::output::{FrameFacts, doubt_of_step};
use pliant::scene::Scene;
use pliant::step::{Simulation, SimulationError};
use std::sync::Arc;

/// A scene with the driver's settings, being simulated.
pub(crate) struct View {
    /// With settings.
    pub scene: Scene,
    pub simulation: Simulation,
    pub grip: Grip,
    /// As the last frame ended.
    pub state: Arc<State>,
    /// As the scene begins.
    start: State,
    /// What is known of the last frame.
    last: FrameFacts,
}

/// Where nothing was simulated yet.
fn nothing_known() -> FrameFacts {
    let [ms, frame_ms, energy, gradient_norm, max_stretch, mean_stretch] = [f64::NAN; 6];
    FrameFacts { ms, frame_ms, energy, gradient_norm, max_stretch, mean_stretch, ..FrameFacts::default() }
}

impl View {
    pub fn new(devices: &impl Devices, scene: Scene) -> Result<Self, SimulationError> {
        let mut simulation = Simulation::on(devices, &scene)?;
        let start = simulation.state()?;
        Ok(Self {
            scene,
            simulation,
            grip: Grip::default(),
            state: Arc::new(start.clone()),
            start,
            last: nothing_known(),
        })
    }

    pub fn model(&self) -> &Arc<Model> {
        self.simulation.model()
    }

    /// Goes on where another view is. What bodies remember of each other is not lost, if they are the same.
    pub fn go_on_from(&mut self, other: &mut View) -> Result<(), SimulationError> {
        self.simulation.set_state(&other.state)?;
        self.simulation.set_sides(&other.simulation.sides()?);
        self.state = other.state.clone();
        self.grip = other.grip.clone();
        self.last = other.last.clone();
        self.simulation.hold(&self.grip.hands());
        Ok(())
    }

    pub fn reset(&mut self) -> Result<(), SimulationError> {
        self.grip = Grip::default();
        self.hold();
        self.simulation.set_state(&self.start)?;
        self.state = Arc::new(self.start.clone());
        self.last = nothing_known();
        Ok(())
    }

    /// Back to a state of before.
    pub fn go_back_to(&mut self, state: &Arc<State>) -> Result<(), SimulationError> {
        self.state = state.clone();
        self.simulation.set_state(state)
    }

    /// Tells the simulation what the grip holds.
    pub fn hold(&mut self) {
        self.simulation.hold(&self.grip.hands());
    }

    /// Simulates a frame; `before_last` gets what its last step begins with if it wants to. What was done before a
    /// step failed counts.
    pub fn frame(&mut self, before_last: Option<&mut Before>) -> (FrameFacts, Option<SimulationError>) {
        let steps = self.scene.time.steps_per_frame;
        let mut facts = FrameFacts::default();
        let mut failed = None;
        let mut before_last = before_last;
        for k in 0..steps {
            if k + 1 == steps
                && let Some(before) = before_last.take()
            {
                match (self.simulation.state(), self.simulation.sides()) {
                    (Ok(state), Ok(sides)) => *before = Before { state, sides },
                    (Err(error), _) | (_, Err(error)) => failed = Some(error.into()),
                }
            }
            match self.simulation.step() {
                Ok(report) => {
                    let made = &report.certificate;
                    facts.ms = facts.ms.max(report.ms);
                    facts.frame_ms += report.ms;
                    facts.iterations += report.iterations;
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
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            }
        }
        match self.simulation.state() {
            Ok(state) => self.state = Arc::new(state),
            Err(error) => failed = Some(error.into()),
        }
        facts.doubt = doubt_of_step(self.model(), facts.gradient_norm, facts.max_stretch);
        self.last = facts;
        (self.facts(), failed)
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
