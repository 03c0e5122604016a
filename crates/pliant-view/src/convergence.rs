//! How the last step converged: solved again, iteration by iteration, beside the simulation.

use crate::board::Board;
use pliant::contact::close::Side;
use pliant::model::{Model, State};
use pliant::scene::Scene;
use pliant::solver::PhaseList;
use pliant::step::{Convergence, convergence};
use serde_json::json;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// So often at most.
const EVERY: Duration = Duration::from_secs(1);

/// Scenes of more vertices have no reference: it would take too long.
const SMALL: usize = 1500;

/// More iterations than this are not shown.
const MOST: usize = 500;

/// A step to be solved again.
pub(crate) struct Step {
    pub view: usize,
    pub scene: Scene,
    pub model: Arc<Model>,
    pub before: Before,
    pub method: &'static str,
    pub rho: Option<f64>,
    /// Its phases.
    pub phases: PhaseList,
}

/// What a step began with, and how far it came.
#[derive(Default)]
pub(crate) struct Before {
    pub state: State,
    /// On which sides of each other parts of bodies were.
    pub sides: [Vec<Side>; 2],
    /// As many as were made, whatever was to end them.
    pub iterations: usize,
}

/// Solves steps again on a thread of its own, one after the other.
#[derive(Default)]
pub(crate) struct Watcher {
    last: Option<Instant>,
    busy: Option<JoinHandle<()>>,
}

impl Watcher {
    /// Whether it is time for another step.
    pub fn is_due(&self) -> bool {
        self.busy.as_ref().is_none_or(JoinHandle::is_finished) && self.last.is_none_or(|last| last.elapsed() >= EVERY)
    }

    /// Begins; what is found goes to the board.
    pub fn watch(&mut self, board: &Arc<Board>, steps: Vec<Step>) {
        self.last = Some(Instant::now());
        let board = board.clone();
        let work = move || steps.iter().for_each(|step| solve(&board, step));
        // A thread of its own for the parallel loops, too: those of the simulation go on undisturbed.
        self.busy = std::thread::Builder::new()
            .name("convergence".to_string())
            .spawn(move || match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
                Ok(pool) => pool.install(work),
                Err(error) => tracing::warn!("the last step is not looked at: {error}"),
            })
            .ok();
    }
}

fn solve(board: &Board, step: &Step) {
    let question = Convergence {
        scene: &step.scene,
        model: &step.model,
        state: &step.before.state,
        sides: &step.before.sides,
        method: step.method,
        rho: step.rho,
        phases: &step.phases,
        iterations: step.before.iterations.min(MOST),
        reference: step.model.vertices() <= SMALL,
    };
    match convergence(&question) {
        Ok(curve) => {
            // Frames are called after the step that they end with.
            let message = json!({
                "is": "curve", "view": step.view, "step": step.before.state.step + 1, "method": curve.name,
                "iterations": step.before.iterations, "points": curve.curve,
            });
            board.tell(None, &message);
        }
        Err(error) => tracing::debug!("the last step cannot be solved again: {error}"),
    }
}
