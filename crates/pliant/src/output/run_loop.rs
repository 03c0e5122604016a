//! The loop of a run, and what happens when its device fails.

use super::report::Status;
use super::run::{LastStep, Run, RunHooks, RunStage};
use super::run_error::RunError;
use crate::device::{DeviceError, Devices};
use crate::solver::Needs;
use crate::step::{Known, SimulationError};

impl Run<'_> {
    /// Simulates to the end, as far as the device goes.
    pub fn simulate(&mut self, devices: &impl Devices, hooks: &mut dyn RunHooks) -> Result<(), RunError> {
        hooks.stage(RunStage::Simulating, self.steps);
        loop {
            let error = match self.advance(hooks) {
                Err(RunError::Simulation(SimulationError::Device(error))) => error,
                done => return done,
            };
            // The device is gone with what it computed since the last frame; everything before that is here.
            self.frames.forget()?;
            self.tally = self.frames.known.tally.clone();
            self.last_step = None;
            if !self.move_to_cpu(devices, &error)? {
                self.report.status = Status::DeviceFailed;
                let step = self.frames.known.state.step;
                self.report.reason = Some(format!("{error}; --resume goes on from step {step}, which is saved"));
                return Ok(());
            }
        }
    }

    /// Whether what solves leave unbalanced says how bodies fall, with pins or `free` of them: solves that end before they are done
    /// leave forces at pins that are many times the weight, unless each of their iterations reaches everything; but of descents,
    /// which may let things hang in the air, it is all there is.
    fn balance_tells(&self, free: bool) -> bool {
        let method = self.simulation.method();
        let reaches_all = method.has_global_steps() && self.scene.solver.budget_ms.is_none();
        method.minimises && (free || reaches_all || method.needs == Needs::Energy)
    }

    /// THE LOOP: steps and frames, from the known state on.
    fn advance(&mut self, hooks: &mut dyn RunHooks) -> Result<(), RunError> {
        let per_frame = self.scene.time.steps_per_frame as u64;
        let mut step = self.frames.known.state.step;
        hooks.progress(step);
        while step < self.steps {
            if hooks.stop_requested() {
                self.report.status = Status::Interrupted;
                self.report.reason = Some(format!("stopped at step {step} of {}", self.steps));
                break;
            }
            if self.options.error && step + 1 == self.steps {
                self.last_step = Some(self.before_last_step()?);
            }
            match self.frames.step(&mut self.simulation) {
                Ok(report) => {
                    let time = (step + 1) as f64 * self.scene.time.step_size();
                    let free = !self.simulation.model().pins.iter().any(|pin| pin.holds_at(time));
                    let tells = self.balance_tells(free);
                    self.tally.add(&report, self.near, tells);
                    if let Some(last) = &mut self.last_step {
                        last.pieces = report.pieces;
                    }
                }
                Err(RunError::Simulation(error @ SimulationError::Stuck { attempts, .. })) => {
                    self.tally.retries += attempts as u64;
                    self.report.status = Status::Failed;
                    self.report.reason = Some(error.to_string());
                    break;
                }
                Err(error) => return Err(error),
            }
            step += 1;
            hooks.progress(step);
            if step.is_multiple_of(per_frame) {
                self.frames.end((step / per_frame) as usize, &mut self.simulation, &self.tally)?;
            }
        }
        self.frames.finish(&mut self.simulation, &self.tally)
    }

    fn before_last_step(&mut self) -> Result<LastStep, SimulationError> {
        let (state, sides) = (self.simulation.state()?, self.simulation.sides()?);
        Ok(LastStep { state, sides, pieces: 0 })
    }

    /// Goes on from the known state on the CPU, if the scene left the choice of the device open; whether it does.
    fn move_to_cpu(&mut self, devices: &impl Devices, error: &DeviceError) -> Result<bool, RunError> {
        let known = self.frames.known.clone();
        let last = Known { state: &known.state, sides: &known.sides, rho: known.rho };
        let Some(simulation) = self.simulation.moved_to_cpu(devices, self.scene, &last)? else { return Ok(false) };
        let warning = format!("{error}; going on on the CPU from step {}", known.state.step);
        tracing::warn!("{warning}");
        self.report.warnings.push(warning);
        self.simulation = simulation;
        self.report.device = self.simulation.device().to_string();
        self.frames.keeper().identity.device = self.simulation.device().to_string();
        Ok(true)
    }
}
