//! Folders for what lives as long as the viewer. Whoever is killed removes nothing, so the next viewer does.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use tempfile::TempDir;

/// How their names begin.
const PREFIX: &str = "pliant-view-";

/// In each: locked while somebody uses the folder. The system takes the lock from whoever ends, however that happens.
const LOCK: &str = "lock";

/// A folder that goes when it is dropped.
#[derive(Debug)]
pub(crate) struct Scratch {
    /// Closed before the folder goes.
    _lock: File,
    folder: TempDir,
}

impl Scratch {
    pub fn new() -> io::Result<Self> {
        Self::within(&std::env::temp_dir())
    }

    fn within(parent: &Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
        let lock = File::create(folder.path().join(LOCK))?;
        // Where there are no locks the folder is used without, and nobody else gets one either.
        let _ = lock.lock();
        Ok(Self { _lock: lock, folder })
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes what viewers left that were killed.
pub(crate) fn sweep() {
    sweep_within(&std::env::temp_dir());
}

fn sweep_within(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    let is_ours = |entry: &fs::DirEntry| {
        entry.file_name().to_string_lossy().starts_with(PREFIX) && entry.file_type().is_ok_and(|kind| kind.is_dir())
    };
    for folder in entries.flatten().filter(is_ours).map(|entry| entry.path()).filter(|folder| is_left(folder)) {
        // Those of other people cannot be removed.
        let _ = fs::remove_dir_all(folder);
    }
}

/// Whether nobody uses a folder. One that has no lock was made just now.
fn is_left(folder: &Path) -> bool {
    let lock = folder.join(LOCK);
    fs::symlink_metadata(&lock).is_ok_and(|found| found.is_file())
        && File::open(lock).is_ok_and(|lock| lock.try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_viewer_left_is_removed_and_what_another_uses_is_not() {
        let parent = tempfile::tempdir().unwrap();
        let used = Scratch::within(parent.path()).unwrap();
        fs::write(used.path().join("frames"), "x").unwrap();
        let make = |name: &str, files: &[&str]| {
            let folder = parent.path().join(name);
            fs::create_dir(&folder).unwrap();
            files.iter().for_each(|file| fs::write(folder.join(file), "x").unwrap());
            folder
        };
        let left = make("pliant-view-left", &[LOCK, "frames"]);
        let kept = [make("pliant-view-begun", &[]), make("pliant-other", &[LOCK]), make("someone", &[LOCK])];
        fs::write(parent.path().join("pliant-view-file"), "x").unwrap();
        sweep_within(parent.path());
        assert!(!left.exists());
        assert!(kept.iter().all(|folder| folder.exists()) && parent.path().join("pliant-view-file").exists());
        assert!(used.path().join("frames").exists());
        let path = used.path().to_path_buf();
        drop(used);
        assert!(!path.exists());
    }
}
