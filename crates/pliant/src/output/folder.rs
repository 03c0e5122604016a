//! The folder of a run: what lies where, one run at a time, and nothing left of runs that were killed.

use super::checkpoint::CheckpointError;
use super::frame_store::{FrameStore, FrameStoreError};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a run's folder cannot be used.
#[derive(Debug, Error)]
pub enum FolderError {
    /// The file system says no.
    #[error("{}: {what}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried, and what to do.
        what: &'static str,
        /// The file system's answer.
        source: io::Error,
    },
    /// Another run is using it.
    #[error("{}: another run is writing here; wait for it, or choose another folder with --out", path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// The frames do not reach as far as the checkpoint.
    #[error("{}: holds {found} frames, but the checkpoint needs {expected}; start anew without --resume", path.display())]
    FramesMissing {
        /// The store.
        path: PathBuf,
        /// Frames there.
        found: usize,
        /// Frames up to the checkpoint.
        expected: usize,
    },
    /// The frames cannot be stored.
    #[error(transparent)]
    Frames(#[from] FrameStoreError),
    /// The checkpoint cannot be written, read or used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
}

/// An open folder, locked until it is dropped or its process ends, however that ends.
pub(super) struct RunFolder {
    path: PathBuf,
    _lock: File,
}

impl RunFolder {
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let fail = |path: &Path, what| {
            let path = path.to_path_buf();
            move |source| FolderError::Io { path, what, source }
        };
        let unusable = "the output folder cannot be made; choose another with --out";
        fs::create_dir_all(path).map_err(fail(path, unusable))?;
        let name = path.join(".lock");
        let locked = "the output folder cannot be written; choose another with --out";
        let lock = OpenOptions::new().write(true).create(true).truncate(false).open(&name);
        let lock = lock.map_err(fail(&name, locked))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(FolderError::Busy { path: path.to_path_buf() }),
            // Some network file systems have no locks; then nobody guards against two runs at once.
            Err(TryLockError::Error(error)) => tracing::debug!("{}: cannot be locked: {error}", name.display()),
        }
        let folder = Self { path: path.to_path_buf(), _lock: lock };
        folder.remove_where(&folder.path, is_temporary)?;
        folder.remove_where(&folder.frames(), is_temporary)?;
        Ok(folder)
    }

    pub fn checkpoint(&self) -> PathBuf {
        self.path.join("checkpoint")
    }

    pub fn report(&self) -> PathBuf {
        self.path.join("report.json")
    }

    pub fn animation(&self) -> PathBuf {
        self.path.join("animation.glb")
    }

    /// Folder of the files per frame.
    pub fn frames(&self) -> PathBuf {
        self.path.join("frames")
    }

    fn store(&self) -> PathBuf {
        self.path.join("frames.bin")
    }

    /// Removes what an earlier run wrote here, the checkpoint first: without it nothing is resumed half.
    pub fn start_anew(&self, previews: &[PathBuf], vertices: usize) -> Result<FrameStore, FolderError> {
        for path in [self.checkpoint(), self.report(), self.animation()].iter().chain(previews) {
            remove(path)?;
        }
        self.remove_frames_from(0)?;
        if FrameStore::open(&self.store()).is_ok() {
            remove(&self.store())?;
        }
        Ok(FrameStore::open_or_create(&self.store(), vertices)?)
    }

    /// Cuts the store and the files per frame behind `frame`, where a checkpoint was made.
    pub fn go_back_to(&self, frame: usize, vertices: usize) -> Result<FrameStore, FolderError> {
        remove(&self.report())?;
        let mut store = FrameStore::open_or_create(&self.store(), vertices)?;
        if store.len() < frame + 1 {
            let (found, expected) = (store.len(), frame + 1);
            return Err(FolderError::FramesMissing { path: self.store(), found, expected });
        }
        store.truncate(frame + 1)?;
        self.remove_frames_from(frame + 1)?;
        Ok(store)
    }

    fn remove_frames_from(&self, first: usize) -> Result<(), FolderError> {
        self.remove_where(&self.frames(), |name| frame_number(name).is_some_and(|frame| frame >= first))
    }

    fn remove_where(&self, folder: &Path, is_ours: impl Fn(&str) -> bool) -> Result<(), FolderError> {
        let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
        for entry in entries.flatten() {
            if entry.file_name().to_str().is_some_and(&is_ours) {
                remove(&entry.path())?;
            }
        }
        Ok(())
    }
}

/// Name of a file that holds one frame.
pub(super) fn frame_name(frame: usize, extension: &str) -> String {
    format!("{frame:06}.{extension}")
}

fn frame_number(name: &str) -> Option<usize> {
    let (number, extension) = name.split_once('.')?;
    let ours = number.len() >= 6 && number.bytes().all(|b| b.is_ascii_digit());
    if ours && ["obj", "ply", "vtu"].contains(&extension) { number.parse().ok() } else { None }
}

/// What `atomic_file` and streamed pictures leave behind when their process is killed.
fn is_temporary(name: &str) -> bool {
    (name.starts_with('.') && name.ends_with(".tmp")) || name.ends_with(".partial")
}

fn remove(path: &Path) -> Result<(), FolderError> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            let what = "a file of an earlier run cannot be removed; choose another folder with --out";
            Err(FolderError::Io { path: path.to_path_buf(), what, source })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_runs_cannot_share_a_folder_and_the_second_may_when_the_first_has_ended() {
        let folder = tempfile::tempdir().unwrap();
        let first = RunFolder::open(folder.path()).unwrap();
        assert!(matches!(RunFolder::open(folder.path()), Err(FolderError::Busy { .. })));
        drop(first);
        assert!(RunFolder::open(folder.path()).is_ok());
    }

    #[test]
    fn starting_anew_removes_what_runs_write_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let there = |name: &str| folder.path().join(name);
        fs::create_dir(there("frames")).unwrap();
        let ours = ["checkpoint", "report.json", "frames/000003.obj", ".a.1.0.tmp", "preview.gif.9.partial"];
        let theirs = ["notes.txt", "frames/12.obj", "frames/000003.png", "frames/mine.obj"];
        for name in ours.iter().chain(&theirs) {
            fs::write(there(name), "x").unwrap();
        }
        RunFolder::open(folder.path()).unwrap().start_anew(&[], 4).unwrap();
        assert!(ours.iter().all(|name| !there(name).exists()));
        assert!(theirs.iter().all(|name| there(name).exists()));
    }

    #[test]
    fn going_back_keeps_frames_up_to_the_checkpoint() {
        let folder = tempfile::tempdir().unwrap();
        let run = RunFolder::open(folder.path()).unwrap();
        let mut store = run.start_anew(&[], 1).unwrap();
        fs::create_dir(run.frames()).unwrap();
        for frame in 0..6 {
            store.append([[frame as f32; 3]]).unwrap();
            fs::write(run.frames().join(frame_name(frame, "ply")), "x").unwrap();
        }
        drop(store);
        assert_eq!(run.go_back_to(3, 1).unwrap().len(), 4);
        assert!(run.frames().join("000003.ply").exists() && !run.frames().join("000004.ply").exists());
        assert!(matches!(run.go_back_to(4, 1), Err(FolderError::FramesMissing { found: 4, expected: 5, .. })));
    }

    #[test]
    fn a_file_that_is_no_store_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("frames.bin"), "my diary").unwrap();
        assert!(RunFolder::open(folder.path()).unwrap().start_anew(&[], 4).is_err());
        assert_eq!(fs::read(folder.path().join("frames.bin")).unwrap(), b"my diary");
    }
}
