//! Positions of every frame in one growing file, from which animations are built and a killed run goes on.
//!
//! Layout, little endian: `PLFRAMES`, version u32, zero u32, vertices u64; then 12 bytes (three f32, m) a vertex and
//! frame. The file appears with its whole header, and frames are only ever added at the end, so whatever the last whole
//! frame is, everything before it is whole.

use crate::atomic_file::write_atomically;
use crate::counted::counted;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

const MAGIC: [u8; 8] = *b"PLFRAMES";
const VERSION: u32 = 1;
const HEADER: u64 = 24;

/// Why frames could not be stored or read.
#[derive(Debug, Error)]
pub enum FrameStoreError {
    /// The file system says no.
    #[error("{}: {what}: {source}", path.display())]
    Io {
        /// The store's file.
        path: PathBuf,
        /// What was tried.
        what: &'static str,
        /// The file system's answer.
        source: io::Error,
    },
    /// A frame could not be added; those before it are as they were.
    #[error("{}: a frame of {bytes} bytes cannot be written: {source}", path.display())]
    Append {
        /// The store's file.
        path: PathBuf,
        /// What a frame needs.
        bytes: usize,
        /// The file system's answer.
        source: io::Error,
    },
    /// Some other file; it is left alone.
    #[error("{}: not a frame store (found {found:?} at its start, expected \"PLFRAMES\"); give another path or remove the file", path.display())]
    NotAFrameStore {
        /// The file.
        path: PathBuf,
        /// Its first bytes.
        found: String,
    },
    /// Written by a version that this one cannot read.
    #[error("{}: frame store of version {found}, this program reads version 1; use the program that wrote it", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version it says.
        found: u32,
    },
    /// Frames of another scene.
    #[error("{}: holds frames of {}, expected {expected}; the scene has changed: use another output folder or remove the file", path.display(), counted(*found, "vertex", "vertices"))]
    Vertices {
        /// The file.
        path: PathBuf,
        /// Vertices a frame in the file has.
        found: u64,
        /// Vertices asked for.
        expected: u64,
    },
    /// A frame of the wrong size; nothing was written.
    #[error("{}: frame {frame} has {}, expected {expected}", path.display(), counted(*found, "point", "points"))]
    FrameSize {
        /// The file.
        path: PathBuf,
        /// Which frame, from 0.
        frame: usize,
        /// Points given.
        found: usize,
        /// Points a frame of this store has.
        expected: usize,
    },
    /// There is no such frame.
    #[error("{}: frame {frame} asked for, there are {len} (counted from 0)", path.display())]
    NoSuchFrame {
        /// The file.
        path: PathBuf,
        /// Which frame, from 0.
        frame: usize,
        /// How many there are.
        len: usize,
    },
}

/// An open file of frames.
pub struct FrameStore {
    file: File,
    path: PathBuf,
    vertices: usize,
    len: usize,
    buffer: Vec<u8>,
}

impl FrameStore {
    /// Opens a store of frames with `vertices` points each, or starts one. A frame that was cut while it was written
    /// is dropped; a file that is not a store is never touched.
    pub fn open_or_create(path: &Path, vertices: usize) -> Result<Self, FrameStoreError> {
        let fail = |what| move |source| FrameStoreError::Io { path: path.to_path_buf(), what, source };
        let expected = header_of(vertices);
        let found = match File::open(path) {
            Ok(file) => first_bytes(file).map_err(fail("cannot be read"))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(fail("cannot be opened")(error)),
        };
        if found.len() < HEADER as usize && expected.starts_with(&found) {
            // New, or cut by a power failure. Nobody ever sees a store without its header.
            write_atomically(path, |file| file.write_all(&expected)).map_err(fail("cannot be created"))?;
        } else {
            let stored = header(path, &found)?;
            if stored != vertices as u64 {
                return Err(FrameStoreError::Vertices {
                    path: path.to_path_buf(),
                    found: stored,
                    expected: vertices as u64,
                });
            }
        }
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(fail("cannot be opened"))?;
        let mut store = Self { file, path: path.to_path_buf(), vertices, len: 0, buffer: Vec::new() };
        store.len = store.whole_frames()?;
        store.truncate(store.len)?;
        Ok(store)
    }

    /// Opens an existing store for reading; the file is not changed, a cut last frame is not counted.
    pub fn open(path: &Path) -> Result<Self, FrameStoreError> {
        let fail = |what| move |source| FrameStoreError::Io { path: path.to_path_buf(), what, source };
        let file = File::open(path).map_err(fail("cannot be opened"))?;
        let found = first_bytes(&file).map_err(fail("cannot be read"))?;
        let vertices = header(path, &found)? as usize;
        let mut store = Self { file, path: path.to_path_buf(), vertices, len: 0, buffer: Vec::new() };
        store.len = store.whole_frames()?;
        Ok(store)
    }

    /// Points in a frame.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// Whole frames.
    pub fn len(&self) -> usize {
        self.len
    }

    /// No frame is there.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Where the frames are.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a frame: as many points as the store has vertices, m.
    pub fn append(&mut self, points: impl IntoIterator<Item = [f32; 3]>) -> Result<(), FrameStoreError> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        for point in points {
            for c in point {
                buffer.extend_from_slice(&c.to_le_bytes());
            }
        }
        let written = self.append_bytes(&buffer);
        self.buffer = buffer;
        written
    }

    fn append_bytes(&mut self, bytes: &[u8]) -> Result<(), FrameStoreError> {
        if bytes.len() != 12 * self.vertices {
            return Err(FrameStoreError::FrameSize {
                path: self.path.clone(),
                frame: self.len,
                found: bytes.len() / 12,
                expected: self.vertices,
            });
        }
        let end = self.offset(self.len);
        let written = self.file.seek(SeekFrom::Start(end)).and_then(|_| self.file.write_all(bytes));
        if let Err(source) = written {
            // A full disk may have taken half of the frame.
            let _ = self.file.set_len(end);
            return Err(FrameStoreError::Append { path: self.path.clone(), bytes: bytes.len(), source });
        }
        self.len += 1;
        Ok(())
    }

    /// The points of frame `frame`, counted from 0, m.
    pub fn read(&mut self, frame: usize) -> Result<Vec<[f32; 3]>, FrameStoreError> {
        let mut points = Vec::new();
        self.read_into(frame, &mut points)?;
        Ok(points)
    }

    /// The same into a vector that is used again.
    pub fn read_into(&mut self, frame: usize, points: &mut Vec<[f32; 3]>) -> Result<(), FrameStoreError> {
        if frame >= self.len {
            return Err(FrameStoreError::NoSuchFrame { path: self.path.clone(), frame, len: self.len });
        }
        let start = self.offset(frame);
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.resize(12 * self.vertices, 0);
        let read = self.file.seek(SeekFrom::Start(start)).and_then(|_| self.file.read_exact(&mut buffer));
        points.clear();
        points.extend(
            buffer
                .chunks_exact(12)
                .map(|bytes| std::array::from_fn(|c| f32::from_le_bytes(std::array::from_fn(|b| bytes[4 * c + b])))),
        );
        self.buffer = buffer;
        read.map_err(self.io("a frame cannot be read"))
    }

    /// Keeps the first `frames` frames: a run that goes on from a checkpoint writes the rest again.
    pub fn truncate(&mut self, frames: usize) -> Result<(), FrameStoreError> {
        self.len = self.len.min(frames);
        self.file.set_len(self.offset(self.len)).map_err(self.io("cannot be cut"))
    }

    /// Asks the operating system to put everything on the disk: call it before a checkpoint counts on these frames.
    pub fn sync(&mut self) -> Result<(), FrameStoreError> {
        self.file.sync_data().map_err(self.io("cannot be synced"))
    }

    fn offset(&self, frame: usize) -> u64 {
        HEADER + 12 * self.vertices as u64 * frame as u64
    }

    fn whole_frames(&self) -> Result<usize, FrameStoreError> {
        let bytes = self.file.metadata().map_err(self.io("cannot be measured"))?.len();
        Ok((bytes.saturating_sub(HEADER) / (12 * self.vertices as u64).max(1)) as usize)
    }

    fn io(&self, what: &'static str) -> impl FnOnce(io::Error) -> FrameStoreError + use<> {
        let path = self.path.clone();
        move |source| FrameStoreError::Io { path, what, source }
    }
}

fn header_of(vertices: usize) -> [u8; HEADER as usize] {
    let mut header = [0; HEADER as usize];
    header[..8].copy_from_slice(&MAGIC);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    header[16..].copy_from_slice(&(vertices as u64).to_le_bytes());
    header
}

/// What of a header there is.
fn first_bytes(file: impl Read) -> io::Result<Vec<u8>> {
    let mut found = Vec::new();
    file.take(HEADER).read_to_end(&mut found)?;
    Ok(found)
}

/// Whether a file is a store, of whatever scene and version, or what a power failure left of its header.
pub(super) fn is_store(path: &Path) -> io::Result<bool> {
    let found = first_bytes(File::open(path)?)?;
    let compared = found.len().min(MAGIC.len());
    Ok(found[..compared] == MAGIC[..compared])
}

/// Checks a header and gives the vertices it says.
fn header(path: &Path, found: &[u8]) -> Result<u64, FrameStoreError> {
    let path = || path.to_path_buf();
    let (Some(version), Some(vertices), true) = (found.get(8..12), found.get(16..24), found.starts_with(&MAGIC)) else {
        let start = &found[..found.len().min(8)];
        return Err(FrameStoreError::NotAFrameStore { path: path(), found: start.escape_ascii().to_string() });
    };
    let version = u32::from_le_bytes(std::array::from_fn(|i| version[i]));
    if version != VERSION {
        return Err(FrameStoreError::Version { path: path(), found: version });
    }
    let vertices = u64::from_le_bytes(std::array::from_fn(|i| vertices[i]));
    if vertices > u64::from(u32::MAX) {
        return Err(FrameStoreError::NotAFrameStore {
            path: path(),
            found: format!("PLFRAMES of {vertices} vertices"),
        });
    }
    Ok(vertices)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(k: usize) -> Vec<[f32; 3]> {
        (0..3).map(|v| [k as f32, v as f32, 0.5]).collect()
    }

    #[test]
    fn a_store_cut_at_any_byte_opens_with_its_whole_frames_and_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames");
        let mut store = FrameStore::open_or_create(&path, 3).unwrap();
        for k in 0..4 {
            store.append(frame(k)).unwrap();
        }
        drop(store);
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(bytes.len(), 24 + 4 * 36);
        for cut in 0..=bytes.len() {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let mut store = FrameStore::open_or_create(&path, 3).unwrap();
            let whole = cut.saturating_sub(24) / 36;
            assert_eq!(store.len(), whole, "cut at {cut}");
            store.append(frame(9)).unwrap();
            for k in 0..whole {
                assert_eq!(store.read(k).unwrap(), frame(k));
            }
            assert_eq!(store.read(whole).unwrap(), frame(9));
            drop(store);
            assert_eq!(std::fs::metadata(&path).unwrap().len(), 24 + 36 * (whole as u64 + 1));
        }
    }

    /// Regression: between two system calls a killed run left a store without a header, which readers refused.
    #[cfg(unix)]
    #[test]
    fn a_header_appears_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let [path, link] = ["frames", "link"].map(|name| folder.path().join(name));
        for cut in ["", "PLF"] {
            std::fs::write(&path, cut).unwrap();
            std::fs::hard_link(&path, &link).unwrap();
            FrameStore::open_or_create(&path, 3).unwrap();
            // The old file was replaced by another one, not filled.
            assert_eq!(std::fs::read_to_string(&link).unwrap(), cut);
            assert!(FrameStore::open(&path).unwrap().is_empty());
            std::fs::remove_file(&link).unwrap();
        }
    }

    #[test]
    fn a_foreign_file_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("letter.txt");
        for text in [&b"Dear all"[..], b"P", b"PLFRAMESxx", b"a much longer letter than any header is"] {
            std::fs::write(&path, text).unwrap();
            let opened = FrameStore::open_or_create(&path, 3);
            if !b"PLFRAMES".starts_with(text) {
                assert!(matches!(opened, Err(FrameStoreError::NotAFrameStore { .. })), "{text:?}");
                assert_eq!(std::fs::read(&path).unwrap(), text);
            }
        }
    }

    #[test]
    fn another_scenes_frames_a_wrong_frame_and_a_missing_frame_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames");
        let mut store = FrameStore::open_or_create(&path, 3).unwrap();
        assert!(matches!(store.append([[0.0; 3]; 2]), Err(FrameStoreError::FrameSize { found: 2, .. })));
        assert!(matches!(store.read(0), Err(FrameStoreError::NoSuchFrame { len: 0, .. })));
        store.append(frame(0)).unwrap();
        store.append(frame(1)).unwrap();
        store.truncate(1).unwrap();
        assert_eq!(store.len(), 1);
        assert!(matches!(FrameStore::open_or_create(&path, 4), Err(FrameStoreError::Vertices { found: 3, .. })));
        assert_eq!(FrameStore::open(&path).unwrap().len(), 1);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[16..24].fill(255);
        std::fs::write(&path, &bytes).unwrap();
        assert!(matches!(FrameStore::open(&path), Err(FrameStoreError::NotAFrameStore { .. })));
        bytes[8] = 2;
        std::fs::write(&path, bytes).unwrap();
        assert!(matches!(FrameStore::open(&path), Err(FrameStoreError::Version { found: 2, .. })));
    }
}
