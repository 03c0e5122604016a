//! Files that appear whole or not at all: written beside their place, renamed at the end.
//! To be replaced by `crate::atomic_file` where one closure writes the whole file; streams need `Beside`.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file being written under a temporary name; dropped without `finish`, it leaves nothing behind.
pub(super) struct Beside {
    file: Option<BufWriter<File>>,
    temporary: PathBuf,
    place: PathBuf,
}

impl Beside {
    pub(super) fn create(place: &Path) -> io::Result<Self> {
        let name = place.file_name().ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidInput, format!("{}: not a file name", place.display()))
        })?;
        let mut beside = name.to_os_string();
        beside.push(format!(".{}.partial", std::process::id()));
        let temporary = place.with_file_name(beside);
        let file = File::create(&temporary)
            .map_err(|e| io::Error::new(e.kind(), format!("{}: cannot be created: {e}", temporary.display())))?;
        Ok(Self { file: Some(BufWriter::with_capacity(1 << 18, file)), temporary, place: place.to_path_buf() })
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        if let Some(file) = self.file.take() {
            let file = file.into_inner().map_err(|e| e.into_error())?;
            file.sync_all()?;
        }
        std::fs::rename(&self.temporary, &self.place)
            .map_err(|e| io::Error::new(e.kind(), format!("{}: cannot be replaced: {e}", self.place.display())))
    }
}

impl Write for Beside {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_mut().map_or(Ok(0), |f| f.write(bytes))
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), |f| f.flush())
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        drop(self.file.take());
        // After a successful rename there is nothing left to remove, and that is fine.
        let _ = std::fs::remove_file(&self.temporary);
    }
}

/// Same contract as `crate::atomic_file::write_atomically`.
pub(super) fn write_atomically(path: &Path, f: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut file = Beside::create(path)?;
    f(&mut file)?;
    file.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_rubbish() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write_atomically(&path, |f| f.write_all(b"old")).unwrap();
        let failed = write_atomically(&path, |f| {
            f.write_all(b"half")?;
            Err(io::Error::other("cut"))
        });
        assert!(failed.is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
