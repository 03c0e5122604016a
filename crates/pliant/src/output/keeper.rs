//! Frames and checkpoints on disk.

use super::checkpoint::{Checkpoint, Identity};
use super::folder::RunFolder;
use super::frame_files::FrameFiles;
use super::frame_store::FrameStore;
use super::passing::Passing;
use super::run_error::{OutputError, RunError};
use super::tally::Tally;
use super::tunnelling::Tunnelling;
use crate::contact::close::Side;
use crate::model::State;
use std::sync::Arc;

/// A state on the host, with all that a checkpoint needs besides.
pub(super) struct Known {
    pub state: State,
    pub rho: Option<f64>,
    /// On which sides of each other parts of bodies were.
    pub sides: [Vec<Side>; 2],
    pub tally: Tally,
}

/// Keeps frames and checkpoints in the folder of a run.
pub(super) struct Keeper {
    pub folder: RunFolder,
    pub identity: Identity,
    pub store: FrameStore,
    pub files: FrameFiles,
    /// Frames from one checkpoint to the next; 0: only one at the end.
    pub every: usize,
    pub tunnelling: Tunnelling,
    pub passing: Passing,
}

impl Keeper {
    /// Keeps a frame, and a checkpoint if it is time for one.
    pub fn keep(&mut self, frame: usize, known: &Arc<Known>) -> Result<(), RunError> {
        keep_frame(&mut self.store, &mut self.files, frame, &known.state)?;
        self.tunnelling.observe(frame, known);
        self.passing.observe(frame, known);
        if self.every > 0 && frame.is_multiple_of(self.every) {
            self.save_checkpoint(known)?;
        }
        Ok(())
    }

    pub fn save_checkpoint(&mut self, known: &Known) -> Result<(), RunError> {
        self.store.sync()?;
        let Known { state, rho, sides, tally } = known;
        let checkpoint = Checkpoint {
            identity: self.identity.clone(),
            rho: *rho,
            state: state.clone(),
            sides: sides.clone(),
            tally: tally.clone(),
        };
        Ok(checkpoint.save(&self.folder.checkpoint()).map_err(OutputError::Checkpoint)?)
    }
}

/// Files first, the store last: a frame that the store has is there in every format.
pub(super) fn keep_frame(
    store: &mut FrameStore,
    files: &mut FrameFiles,
    frame: usize,
    state: &State,
) -> Result<(), RunError> {
    files.write(frame, state).map_err(|source| OutputError::Frame { frame, source })?;
    store.append(state.x.iter().map(|p| p.map(|c| c as f32)))?;
    Ok(())
}
