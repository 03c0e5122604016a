//! A number that changes when the physics or the method of a scene does: the key of everything cached about it.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::types::{MeshSource, OutputSettings, Scene, Time};

/// FNV-1a, 64 bits (Fowler, Noll, Vo): stable across versions and machines, unlike `std`'s hashers.
struct Fnv(u64);

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

impl Write for Fnv {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.add(text.as_bytes());
        Ok(())
    }
}

impl Scene {
    /// The same for scenes that simulate the same: it leaves out the name, the folder, the output and the number of
    /// frames, and takes in the contents of mesh files (a file that cannot be read counts by its path).
    pub fn hash(&self) -> u64 {
        let physics = Scene {
            name: String::new(),
            folder: PathBuf::new(),
            time: Time { frames: 0, ..self.time },
            output: OutputSettings { formats: Vec::new(), checkpoint_every: 0 },
            ..self.clone()
        };
        let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
        // Writing to `Fnv` cannot fail. `Debug` prints every field, floats to the last bit that matters.
        let _ = write!(hash, "pliant 1 {physics:?}");
        let meshes = self.cloth.iter().map(|c| &c.mesh).chain(self.solid.iter().map(|s| &s.mesh));
        for mesh in meshes {
            if let MeshSource::File(path) = mesh {
                add_file(&mut hash, &self.folder.join(path));
            }
        }
        hash.0
    }
}

fn add_file(hash: &mut Fnv, path: &Path) {
    if let Ok(bytes) = std::fs::read(path) {
        hash.add(&bytes.len().to_le_bytes());
        hash.add(&bytes);
    }
}
