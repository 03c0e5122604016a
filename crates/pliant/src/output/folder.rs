//! The folder of a run: what lies where, one run at a time, and nothing left of runs that were killed.

use super::checkpoint::{Checkpoint, CheckpointError, MAGIC as CHECKPOINT_MAGIC};
use super::frame_store::{FrameStore, FrameStoreError, is_store};
use crate::counted::counted;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read};
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
    /// A file has the name of one that a run writes, and no run wrote it.
    #[error(
        "{}: {what}, so no run of Pliant's wrote it, and a run would replace it; choose another folder with --out, or \
         move that away", path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What shows it.
        what: &'static str,
    },
    /// The frames do not reach as far as the checkpoint.
    #[error("{}: holds {}, but the checkpoint needs {expected}; start anew without --resume", path.display(), counted(*found, "frame", "frames"))]
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

/// Names of the pictures in a run's folder, unless others are asked for.
pub const DEFAULT_PREVIEWS: [&str; 2] = ["preview.png", "preview.gif"];

/// An open folder, locked until it is dropped or its process ends, however that ends.
pub(super) struct RunFolder {
    path: PathBuf,
    /// The folder and those above it that were not there before, innermost first.
    made: Vec<PathBuf>,
    _lock: File,
}

/// A run that was refused leaves no folder behind. The file of the lock stays in all others: who removes it may remove the one
/// that the next run has just locked.
impl Drop for RunFolder {
    fn drop(&mut self) {
        let Ok(entries) = fs::read_dir(&self.path) else { return };
        if self.made.is_empty() || entries.flatten().any(|entry| entry.file_name() != LOCK) {
            return;
        }
        let _ = fs::remove_file(self.path.join(LOCK));
        // The first that is not empty ends it.
        let _ = self.made.iter().try_for_each(fs::remove_dir);
    }
}

/// Name of the file whose lock says that a run is writing.
const LOCK: &str = ".lock";

impl RunFolder {
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let fail = |path: &Path, what| {
            let path = path.to_path_buf();
            move |source| FolderError::Io { path, what, source }
        };
        let unusable = "the output folder cannot be made; choose another with --out";
        let above = path.ancestors().filter(|folder| !folder.as_os_str().is_empty());
        let made: Vec<PathBuf> = above.take_while(|folder| !folder.exists()).map(Path::to_path_buf).collect();
        fs::create_dir_all(path).map_err(fail(path, unusable))?;
        let name = path.join(LOCK);
        let locked = "the output folder cannot be written; choose another with --out";
        let lock = OpenOptions::new().write(true).create(true).truncate(false).open(&name);
        let lock = lock.map_err(fail(&name, locked))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(FolderError::Busy { path: path.to_path_buf() }),
            // Some network file systems have no locks; then nobody guards against two runs at once.
            Err(TryLockError::Error(error)) => tracing::debug!("{}: cannot be locked: {error}", name.display()),
        }
        let folder = Self { path: path.to_path_buf(), made, _lock: lock };
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

    /// The motion as a page for browsers.
    pub fn page(&self) -> PathBuf {
        self.path.join("animation.html")
    }

    /// Folder of the files per frame.
    pub fn frames(&self) -> PathBuf {
        self.path.join("frames")
    }

    fn store(&self) -> PathBuf {
        self.path.join("frames.bin")
    }

    /// The run whose files lie here, in words, if there is one. Files that have the names of a run's and are not are an
    /// error: nothing but runs is ever replaced. The store is the first file of a run and the last one to be removed, so
    /// whatever lies here without any of a store, a checkpoint and a report is somebody else's.
    pub fn earlier_run(&self) -> Result<Option<String>, FolderError> {
        let [checkpoint, store, report] = [self.checkpoint(), self.store(), self.report()];
        let checked = [
            (&checkpoint, is_checkpoint(&checkpoint), "does not begin as a checkpoint does"),
            (&store, is_store(&store), "does not begin as a store of frames does"),
            (&report, scene_of_report(&report).map(|scene| scene.is_some()), "is not the report of a run"),
        ];
        if let Some(path) = self.other_files().into_iter().find(|path| path.is_dir()) {
            return Err(FolderError::Foreign { path, what: "is a folder" });
        }
        let mut found = false;
        for (path, is_ours, what) in checked {
            match is_ours {
                Ok(true) => found = true,
                Ok(false) => return Err(FolderError::Foreign { path: path.clone(), what }),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(source) => {
                    let what = "a file of an earlier run cannot be read; choose another folder with --out";
                    return Err(FolderError::Io { path: path.clone(), what, source });
                }
            }
        }
        if !found {
            let what = "lies here without the store, the checkpoint or the report of a run";
            return match self.other_files().into_iter().find(|path| path.exists()) {
                Some(path) => Err(FolderError::Foreign { path, what }),
                None => Ok(None),
            };
        }
        let place = self.path.display();
        Ok(Some(match (Checkpoint::load(&checkpoint), scene_of_report(&report)) {
            (Ok(Some(saved)), _) => {
                format!("the run of '{}' in {place}, saved at step {}", saved.identity.scene, saved.state.step)
            }
            (_, Ok(Some(scene))) => format!("the run of '{scene}' in {place}"),
            _ => format!("a run in {place} that ended before its first checkpoint"),
        }))
    }

    /// What a run may have written here besides its store, checkpoint and report.
    fn other_files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = DEFAULT_PREVIEWS.iter().map(|name| self.path.join(name)).collect();
        files.push(self.animation());
        files.push(self.page());
        let frames = fs::read_dir(self.frames()).into_iter().flatten().flatten();
        let is_frame = |entry: &fs::DirEntry| entry.file_name().to_str().and_then(frame_number).is_some();
        files.extend(frames.filter(is_frame).map(|entry| entry.path()));
        files
    }

    /// Removes what an earlier run wrote here, the checkpoint first: without it nothing is resumed half. The store goes
    /// last: it shows that the rest is a run's. Call [`Self::earlier_run`] first.
    pub fn start_anew(&self, previews: &[PathBuf], vertices: usize) -> Result<FrameStore, FolderError> {
        let pictures = DEFAULT_PREVIEWS.iter().map(|name| self.path.join(name));
        let own = [self.checkpoint(), self.report(), self.animation(), self.page()].into_iter().chain(pictures);
        own.chain(previews.iter().cloned()).try_for_each(|path| remove(&path))?;
        self.remove_frames_from(0)?;
        remove(&self.store())?;
        FrameStore::open_or_create(&self.store(), vertices).map_err(|error| match error {
            FrameStoreError::Io { path, source, .. } => {
                let what =
                    "the file of the frames cannot be made; free some space, or choose another folder with --out";
                FolderError::Io { path, what, source }
            }
            other => other.into(),
        })
    }

    /// Cuts the store and the files per frame behind `frame`, where a checkpoint was made.
    pub fn go_back_to(&self, frame: usize, vertices: usize) -> Result<FrameStore, FolderError> {
        let mut store = FrameStore::open_or_create(&self.store(), vertices)?;
        if store.len() < frame + 1 {
            let (found, expected) = (store.len(), frame + 1);
            return Err(FolderError::FramesMissing { path: self.store(), found, expected });
        }
        remove(&self.report())?;
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

/// What `atomic_file` (`.NAME.PROCESS.NUMBER.tmp`) and streamed pictures (`NAME.PROCESS.partial`) leave behind when their
/// process is killed while it writes a file of a run.
fn is_temporary(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let parts: Vec<&str> = name.split('.').collect();
    let written = match parts.as_slice() {
        ["", name @ .., process, number, "tmp"] if is_number(process) && is_number(number) => name,
        [name @ .., process, "partial"] if is_number(process) => name,
        _ => return false,
    };
    let written = written.join(".");
    let is_run_file = ["checkpoint", "report.json", "animation.glb", "frames.bin"].contains(&&*written);
    is_run_file || DEFAULT_PREVIEWS.contains(&&*written) || frame_number(&written).is_some()
}

/// Whether a file begins as a checkpoint does, damaged or not.
fn is_checkpoint(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    File::open(path)?.take(8).read_to_end(&mut start)?;
    Ok(start == CHECKPOINT_MAGIC)
}

/// The scene that a report names; `None` for what is no report.
fn scene_of_report(path: &Path) -> io::Result<Option<String>> {
    let report: Option<serde_json::Value> = serde_json::from_slice(&fs::read(path)?).ok();
    let ours = report.filter(|report| report.get("state_hash").is_some_and(serde_json::Value::is_string));
    Ok(ours.and_then(|report| report.get("scene")?.as_str().map(str::to_string)))
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

    /// A folder with files in it.
    fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("frames")).unwrap();
        files.iter().for_each(|(name, content)| fs::write(folder.path().join(name), content).unwrap());
        folder
    }

    #[test]
    fn starting_anew_removes_what_runs_write_and_nothing_else() {
        let ours = [
            ("checkpoint", "PLIANTCP"),
            ("report.json", "{\"scene\": \"flag\", \"state_hash\": \"00\"}"),
            ("frames.bin", "PLFRAMES of another version"),
            ("animation.glb", "x"),
            ("frames/000003.obj", "x"),
            (".report.json.1.0.tmp", "x"),
            ("frames/.000003.obj.1.0.tmp", "x"),
            ("preview.gif.9.partial", "x"),
        ];
        let theirs = [
            "notes.txt",
            "frames/12.obj",
            "frames/000003.png",
            "frames/mine.obj",
            ".b.tmp",
            ".b.1.0.tmp",
            "film.partial",
            "notes.99.partial",
        ];
        let folder = folder_with(&[&ours[..], &theirs.map(|name| (name, "x"))].concat());
        let there = |name: &str| folder.path().join(name);
        let run = RunFolder::open(folder.path()).unwrap();
        assert!(run.earlier_run().unwrap().unwrap().contains("'flag'"));
        assert!(run.start_anew(&[], 4).unwrap().is_empty());
        assert!(ours.iter().all(|(name, _)| *name == "frames.bin" || !there(name).exists()));
        assert!(theirs.iter().all(|name| there(name).exists()));
    }

    #[test]
    fn files_with_a_runs_names_that_no_run_wrote_are_not_replaced() {
        let store = ("frames.bin", "PLFRAMES");
        let cases: [&[(&str, &str)]; 9] = [
            &[("frames.bin", "my diary")],
            &[("checkpoint", "my diary"), store],
            &[("report.json", "{\"scene\": \"of my play\"}"), store],
            &[("report.json", "my diary"), store],
            &[("animation.glb", "my film")],
            &[("preview.gif", "my cat")],
            &[("preview.png", "my dog")],
            &[("frames/000001.obj", "v 0 0 0")],
            &[("checkpoint", ""), store],
        ];
        for files in cases {
            let folder = folder_with(files);
            let found = RunFolder::open(folder.path()).unwrap().earlier_run();
            assert!(matches!(found, Err(FolderError::Foreign { .. })), "{files:?}: {found:?}");
        }
        for files in [&[][..], &[("notes.txt", "x")], &[("frames/mine.obj", "x")]] {
            assert_eq!(RunFolder::open(folder_with(files).path()).unwrap().earlier_run().unwrap(), None);
        }
        for files in [&[store][..], &[store, ("animation.glb", "x")], &[("frames.bin", "PLF")]] {
            let found = RunFolder::open(folder_with(files).path()).unwrap().earlier_run().unwrap();
            assert!(found.unwrap().contains("before its first checkpoint"));
        }
    }

    #[test]
    fn a_folder_made_for_nothing_goes_again_with_those_above_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out/of/mine");
        drop(RunFolder::open(&path).unwrap());
        assert!(!folder.path().join("out").exists());
        let run = RunFolder::open(&path).unwrap();
        drop(run.start_anew(&[], 1).unwrap());
        drop(run);
        assert!(path.join("frames.bin").exists());
        // Nor does a folder that was there before.
        fs::create_dir(folder.path().join("theirs")).unwrap();
        drop(RunFolder::open(&folder.path().join("theirs")).unwrap());
        assert!(folder.path().join("theirs").exists());
    }

    #[test]
    fn a_folder_with_the_name_of_a_file_is_found_before_anything_is_removed() {
        let folder = folder_with(&[("checkpoint", "PLIANTCP"), ("frames.bin", "PLFRAMES")]);
        fs::create_dir(folder.path().join("animation.glb")).unwrap();
        let found = RunFolder::open(folder.path()).unwrap().earlier_run();
        assert!(matches!(found, Err(FolderError::Foreign { what: "is a folder", .. })), "{found:?}");
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
}
