//! A number that changes when the physics or the method of a scene does: what a checkpoint belongs to.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::math::Fnv;

use super::types::{ColliderShape, MeshSource, OutputSettings, Scene, Time};

impl Scene {
    /// The same for scenes that simulate the same: it leaves out the name, the folder, the output, the notes and the
    /// number of frames, and takes in the contents of mesh files (a file that cannot be read counts by its path).
    pub fn hash(&self) -> u64 {
        let physics = Scene {
            name: String::new(),
            folder: PathBuf::new(),
            time: Time { frames: 0, ..self.time },
            output: OutputSettings { formats: Vec::new(), checkpoint_every: 0 },
            notes: Vec::new(),
            ..self.clone()
        };
        let mut hash = Fnv::default();
        // Writing to `Fnv` cannot fail. `Debug` prints every field, floats to the last bit that matters.
        let _ = write!(hash, "pliant 1 {physics:?}");
        let meshes = self.cloth.iter().map(|c| &c.mesh).chain(self.solid.iter().map(|s| &s.mesh));
        for mesh in meshes {
            if let MeshSource::File(path) = mesh {
                add_file(&mut hash, &self.folder.join(path));
            }
        }
        for collider in &self.collider {
            if let ColliderShape::Mesh { file, .. } = &collider.shape {
                add_file(&mut hash, &self.folder.join(file));
            }
        }
        hash.value()
    }
}

fn add_file(hash: &mut Fnv, path: &Path) {
    if let Ok(bytes) = std::fs::read(path) {
        hash.add(bytes.len().to_le_bytes());
        hash.add(bytes);
    }
}
