//! Files that are either the old one or the whole new one: written beside, synced, then renamed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes `path` through `f` so that no reader ever sees half a file: into a temporary file in the same folder, which
/// is flushed, synced and renamed over `path`. When anything fails, `path` is as it was and the temporary file is gone.
///
/// A `path` that exists and is no regular file (`/dev/null`, a pipe) is written directly: renaming would replace it.
pub fn write_atomically(path: &Path, f: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(there) if there.is_dir() => {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "this is a folder, not a file to write"));
        }
        Ok(there) if !there.is_file() => return write_directly(path, f),
        _ => {}
    }
    // A link keeps pointing where it points: the file behind it is the one replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let (file, temporary) = create_beside(&target)?;
    let mut writer = BufWriter::new(file);
    f(&mut writer)?;
    let file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.sync_all()?;
    drop(file);
    fs::rename(&temporary.path, &target)?;
    temporary.keep();
    sync_folder(&target);
    Ok(())
}

fn write_directly(path: &Path, f: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut writer = BufWriter::new(OpenOptions::new().write(true).open(path)?);
    f(&mut writer)?;
    writer.flush()
}

/// Removes its file when dropped, unless told to keep it: covers errors and panics alike.
struct Temporary {
    path: PathBuf,
    armed: bool,
}

impl Temporary {
    fn keep(mut self) {
        self.armed = false;
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if self.armed {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn create_beside(target: &Path) -> io::Result<(File, Temporary)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let Some(file_name) = target.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path has no file name"));
    };
    loop {
        let mut name = std::ffi::OsString::from(".");
        name.push(file_name);
        name.push(format!(".{}.{}.tmp", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
        let path = target.with_file_name(name);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((file, Temporary { path, armed: true })),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// The rename itself is durable only once the folder is synced; some file systems refuse, and the file is then whole
/// anyway, so a failure here is no error.
fn sync_folder(target: &Path) {
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_in(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_successful_write_replaces_the_file_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "old").unwrap();
        write_atomically(&path, |w| w.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names_in(folder.path()), ["a.txt"]);
    }

    #[test]
    fn a_failed_write_keeps_the_old_file_and_removes_the_temporary() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "old").unwrap();
        let result = write_atomically(&path, |w| {
            w.write_all(&[b'x'; 100_000])?;
            Err(io::Error::other("disk full"))
        });
        assert_eq!(result.unwrap_err().to_string(), "disk full");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names_in(folder.path()), ["a.txt"]);
    }

    #[test]
    fn a_panicking_writer_keeps_the_old_file_and_removes_the_temporary() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "old").unwrap();
        let result = std::panic::catch_unwind(|| write_atomically(&path, |_| panic!("writer bug")));
        assert!(result.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names_in(folder.path()), ["a.txt"]);
    }

    #[test]
    fn a_folder_as_target_is_an_error_that_touches_nothing() {
        let folder = tempfile::tempdir().unwrap();
        assert!(write_atomically(folder.path(), |w| w.write_all(b"x")).is_err());
        assert!(names_in(folder.path()).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_to_and_not_replaced() {
        write_atomically(Path::new("/dev/null"), |w| w.write_all(b"x")).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_still_points_to_the_replaced_file() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        write_atomically(&link, |w| w.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&real).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
