//! Frames of a run: where the device works while the host does something else, a frame is fetched and written while the
//! next one is computed.

use super::keeper::{Keeper, Known};
use super::run_error::RunError;
use super::tally::Tally;
use crate::step::{Simulation, SimulationError, StepReport};
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// A frame that has ended and whose state is still on the device.
struct Ended {
    frame: usize,
    rho: Option<f64>,
    tally: Tally,
}

/// What is known and kept of the frames.
pub(super) struct Frames {
    /// The last state that came from the device.
    pub known: Arc<Known>,
    keeper: Arc<Mutex<Keeper>>,
    ended: Option<Ended>,
    /// Writes one frame.
    busy: Option<JoinHandle<Result<(), RunError>>>,
}

fn lock(keeper: &Mutex<Keeper>) -> MutexGuard<'_, Keeper> {
    // Whoever panicked with it ends the run.
    keeper.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Frames {
    pub fn new(keeper: Keeper, known: Arc<Known>) -> Self {
        Self { known, keeper: Arc::new(Mutex::new(keeper)), ended: None, busy: None }
    }

    /// Where frames are kept; not while one is written.
    pub fn keeper(&self) -> MutexGuard<'_, Keeper> {
        lock(&self.keeper)
    }

    /// Advances by one step. If a frame has ended before it, that is fetched and its writing begins while the device
    /// works on the step.
    pub fn step(&mut self, simulation: &mut Simulation) -> Result<StepReport, RunError> {
        let Some(Ended { frame, rho, mut tally }) = self.ended.take() else { return Ok(simulation.step()?) };
        // A frame is written before the next one is.
        self.wait()?;
        // The step forgets what it does not need any more.
        let mut sides = simulation.sides().map_err(SimulationError::from)?;
        let Self { known, keeper, busy, .. } = self;
        let stepped = simulation.step_showing(&mut |state| {
            let (sides, tally) = (std::mem::take(&mut sides), std::mem::take(&mut tally));
            *known = Arc::new(Known { state, rho, sides, tally });
            let (keeper, known) = (keeper.clone(), known.clone());
            *busy = Some(std::thread::spawn(move || lock(&keeper).keep(frame, &known)));
        });
        Ok(stepped?)
    }

    /// A frame has ended.
    pub fn end(&mut self, frame: usize, simulation: &mut Simulation, tally: &Tally) -> Result<(), RunError> {
        if simulation.is_remote() {
            self.ended = Some(Ended { frame, rho: simulation.rho(), tally: tally.clone() });
            return Ok(());
        }
        self.learn(simulation, tally)?;
        self.keeper().keep(frame, &self.known)
    }

    /// Fetches the present state, and ends what is not yet written.
    pub fn finish(&mut self, simulation: &mut Simulation, tally: &Tally) -> Result<(), RunError> {
        self.wait()?;
        self.learn(simulation, tally)?;
        match self.ended.take() {
            Some(Ended { frame, .. }) => self.keeper().keep(frame, &self.known),
            None => Ok(()),
        }
    }

    /// Forgets what the device had and did not give away. What it gave away is written.
    pub fn forget(&mut self) -> Result<(), RunError> {
        self.ended = None;
        self.wait()
    }

    fn learn(&mut self, simulation: &mut Simulation, tally: &Tally) -> Result<(), SimulationError> {
        let (rho, sides) = (simulation.rho(), simulation.sides()?);
        self.known = Arc::new(Known { state: simulation.state()?, rho, sides, tally: tally.clone() });
        Ok(())
    }

    fn wait(&mut self) -> Result<(), RunError> {
        self.busy.take().map_or(Ok(()), |thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
    }
}

impl Drop for Frames {
    /// A run that ends early still writes the frame that it has begun.
    fn drop(&mut self) {
        if let Some(thread) = self.busy.take() {
            let _ = thread.join();
        }
    }
}
