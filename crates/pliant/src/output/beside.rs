//! Streams that become a file when they are finished: [`crate::atomic_file`] for what is written over a longer time.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_that_is_not_finished_leaves_the_old_file_and_no_rubbish() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, b"old").unwrap();
        let mut stream = Beside::create(&path).unwrap();
        stream.write_all(b"half").unwrap();
        drop(stream);
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
