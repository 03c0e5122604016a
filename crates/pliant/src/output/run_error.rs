//! Why a run ends without its report, and what to do then.

use super::checkpoint::CheckpointError;
use super::folder::FolderError;
use super::frame_store::FrameStoreError;
use super::glb::GlbError;
use super::preview::PreviewError;
use crate::counted::counted;
use crate::mesh::MeshError;
use crate::step::SimulationError;
use std::error::Error as _;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a run could not start, or had to give up without its report.
#[derive(Debug, Error)]
pub enum RunError {
    /// The scene cannot be simulated.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
    /// The output folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A picture cannot be drawn.
    #[error(transparent)]
    Preview(#[from] PreviewError),
    /// Meshes have errors, the same as a check of the scene finds: bodies, and what is wrong with each.
    #[error("{}the scene cannot be simulated: mend the meshes first", each_on_a_line(.0))]
    Meshes(Vec<(String, String)>),
    /// The checkpoint is further than this run wants to get.
    #[error(
        "the checkpoint is at step {at}, beyond the {} asked for; ask for more frames, or start anew \
         without --resume", counted(*wanted, "step", "steps")
    )]
    Beyond {
        /// Step of the checkpoint.
        at: u64,
        /// Steps of this run.
        wanted: u64,
    },
    /// Output could not be written once the run had begun.
    #[error("{source}; {}", source.advice(*checkpoint))]
    Output {
        /// What could not be written.
        source: OutputError,
        /// There is a checkpoint to go on from.
        checkpoint: bool,
    },
}

/// What of a run could not be written. What was written before is as it was.
#[derive(Debug, Error)]
pub enum OutputError {
    /// The report.
    #[error("{} cannot be written: {source}", path.display())]
    Report {
        /// Its file.
        path: PathBuf,
        /// The file system's answer.
        source: io::Error,
    },
    /// A checkpoint.
    #[error(transparent)]
    Checkpoint(CheckpointError),
    /// A frame, as a file of its own.
    #[error("frame {frame}: {source}")]
    Frame {
        /// Which frame.
        frame: usize,
        /// What went wrong.
        source: MeshError,
    },
    /// A frame, among the others.
    #[error(transparent)]
    Frames(#[from] FrameStoreError),
    /// The animation.
    #[error(transparent)]
    Animation(#[from] GlbError),
}

impl RunError {
    /// The simulation had begun and cannot go on, unlike input that is wrong from the start.
    pub fn is_midway(&self) -> bool {
        matches!(self, RunError::Output { .. })
    }

    /// The same error of a run that has or has not written a checkpoint.
    pub(super) fn with_checkpoint(self, checkpoint: bool) -> Self {
        match self {
            RunError::Output { source, .. } => RunError::Output { source, checkpoint },
            other => other,
        }
    }
}

impl From<OutputError> for RunError {
    /// Of a run that has written no checkpoint; see `RunError::with_checkpoint`.
    fn from(source: OutputError) -> Self {
        RunError::Output { source, checkpoint: false }
    }
}

impl From<FrameStoreError> for RunError {
    fn from(source: FrameStoreError) -> Self {
        OutputError::from(source).into()
    }
}

impl From<GlbError> for RunError {
    fn from(source: GlbError) -> Self {
        OutputError::from(source).into()
    }
}

impl OutputError {
    /// What to do, if there is a checkpoint or none.
    fn advice(&self, checkpoint: bool) -> String {
        let remedy = match self.kind() {
            Some(io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) => "free some space",
            Some(io::ErrorKind::FileTooLarge) => "raise the limit on the size of files (`ulimit -f`)",
            _ => "solve that",
        };
        match (self, checkpoint) {
            (OutputError::Animation(_), true) => {
                format!("the simulation itself is done: {remedy} and try again with --resume")
            }
            (_, true) => format!("{remedy} and go on from the last checkpoint with --resume"),
            (_, false) => format!("{remedy} and run again: there is no checkpoint yet"),
        }
    }

    /// The file system's answer, if it was asked.
    fn kind(&self) -> Option<io::ErrorKind> {
        let causes = std::iter::successors(self.source(), |&cause| cause.source());
        causes.filter_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind).next()
    }
}

fn each_on_a_line(faults: &[(String, String)]) -> String {
    faults.iter().map(|(body, fault)| format!("body '{body}': {fault}\n")).collect()
}
