//! A mesh file per frame: OBJ, PLY or VTU, for programs that read no animations.

use super::folder::frame_name;
use crate::mesh::{self, Mesh, MeshError, PointField};
use crate::model::{Model, State};
use std::path::{Path, PathBuf};

/// Writes every frame in every format asked for; `glb` and `html` are one file a run and not written here.
pub(super) struct FrameFiles {
    folder: PathBuf,
    formats: Vec<String>,
    /// All bodies: surfaces of all, tets of solids.
    surface: Mesh,
    volume: Mesh,
}

impl FrameFiles {
    pub fn new(folder: PathBuf, formats: &[String], model: &Model) -> Self {
        let surface = Mesh { triangles: model.surface().collect(), ..Mesh::default() };
        let mut volume = Mesh::default();
        for body in &model.bodies {
            let first = body.vertices.start as u32;
            if body.tets.is_empty() {
                volume.triangles.extend(body.triangles.iter().map(|t| t.map(|i| i + first)));
            }
            volume.tets.extend(body.tets.iter().map(|t| t.map(|i| i + first)));
        }
        let formats = formats.iter().filter(|format| !matches!(format.as_str(), "glb" | "html")).cloned().collect();
        Self { folder, formats, surface, volume }
    }

    /// Formats with a file per frame.
    pub fn formats(&self) -> &[String] {
        &self.formats
    }

    pub fn path(&self, frame: usize, format: &str) -> PathBuf {
        self.folder.join(frame_name(frame, format))
    }

    /// Makes the folder, if it will be needed.
    pub fn prepare(&self) -> std::io::Result<()> {
        if self.formats.is_empty() { Ok(()) } else { std::fs::create_dir_all(&self.folder) }
    }

    /// Removes the folder of an earlier run that this one leaves empty.
    pub fn tidy(&self) {
        if self.formats.is_empty() {
            // Where there is something of somebody's in it, it stays.
            let _ = std::fs::remove_dir(&self.folder);
        }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn write(&mut self, frame: usize, state: &State) -> Result<(), MeshError> {
        for format in &self.formats {
            let path = self.folder.join(frame_name(frame, format));
            if format == "vtu" {
                self.volume.points.clone_from(&state.x);
                let velocity = PointField::Vector { name: "velocity (m/s)", values: &state.v };
                mesh::write_with_fields(&path, &self.volume, &[velocity])?;
            } else {
                self.surface.points.clone_from(&state.x);
                mesh::write(&path, &self.surface)?;
            }
        }
        Ok(())
    }
}
