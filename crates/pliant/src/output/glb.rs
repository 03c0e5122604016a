//! One animated binary glTF 2.0 file a run, as Blender, three.js and every glTF viewer open it.
//!
//! The first frame is the mesh; every other written frame is a morph target, and an animation moves from one target
//! to the next (one weight is 1, all others 0, linear in between). That costs 24 bytes a vertex and frame, 12 without
//! normals, plus 4 bytes times the square of the number of frames for the weights: 10,000 vertices take 240 kB a
//! frame, and 300 frames 72 MB. A file stays under `GlbOptions::byte_limit` by leaving out frames evenly, which the
//! returned `GlbSummary` says. Vertices that no triangle uses (the inside of solids) are not written. Colliders that move do so
//! by translation and rotation of their nodes, 28 bytes a frame at most.
//!
//! Layout of the buffer: indices, then 12-byte vectors, then times, weights and poses (glTF 2.0, sections 3.6, 3.7, 3.11, 4).

use super::frame_store::{FrameStore, FrameStoreError};
use super::glb_plan::Plan;
use crate::atomic_file::write_atomically;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A body of an animation.
#[derive(Clone, Debug)]
pub struct GlbBody {
    /// Name in the viewer.
    pub name: String,
    /// Which points of each frame are its own.
    pub vertices: Range<usize>,
    /// Its surface; indices count from the start of `vertices`.
    pub triangles: Vec<[u32; 3]>,
    /// sRGB colour, each component in [0, 1].
    pub colour: [f32; 3],
    /// Both sides are drawn (cloth).
    pub two_sided: bool,
}

/// A thing that does not deform: a collider.
#[derive(Clone, Debug)]
pub struct GlbScenery {
    /// Name in the viewer.
    pub name: String,
    /// Points, m; of a thing that moves, in its own frame.
    pub points: Vec<[f64; 3]>,
    /// Where it is in each frame of the store; empty if it stands still.
    pub poses: Vec<GlbPose>,
    /// Triangles over the points.
    pub triangles: Vec<[u32; 3]>,
    /// sRGB colour, each component in [0, 1].
    pub colour: [f32; 3],
}

/// Where a thing is: its own frame is rotated, then moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GlbPose {
    /// m
    pub translation: [f64; 3],
    /// Unit quaternion x, y, z, w.
    pub rotation: [f64; 4],
}

impl GlbPose {
    /// From where the origin and the axes of the own frame are, the latter as directions.
    pub fn of(origin: [f64; 3], axes: [[f64; 3]; 3]) -> Self {
        Self { translation: origin, rotation: quaternion(axes) }
    }

    pub(super) fn is_finite(&self) -> bool {
        self.translation.iter().chain(&self.rotation).all(|c| c.is_finite())
    }
}

/// The rotation with these columns as x, y, z, w. One of the four is at least ½, and dividing by it is safe (Shepperd 1978).
fn quaternion([a, b, c]: [[f64; 3]; 3]) -> [f64; 4] {
    let trace = a[0] + b[1] + c[2];
    let four = [a[0], b[1], c[2]].map(|d| 1.0 + 2.0 * d - trace);
    let [x, y, z, w] = [four[0], four[1], four[2], 1.0 + trace];
    let q = if w >= x.max(y).max(z) {
        [b[2] - c[1], c[0] - a[2], a[1] - b[0], w]
    } else if x >= y.max(z) {
        [x, a[1] + b[0], c[0] + a[2], b[2] - c[1]]
    } else if y >= z {
        [a[1] + b[0], y, b[2] + c[1], c[0] - a[2]]
    } else {
        [c[0] + a[2], b[2] + c[1], z, a[1] - b[0]]
    };
    let length = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    q.map(|c| c / length)
}

/// How an animation is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GlbOptions {
    /// Frames of the store per second.
    pub frame_rate: f64,
    /// Every so many frames of the store is written, 1 or more.
    pub stride: usize,
    /// Frames are left out evenly until the file is at most so large, bytes.
    pub byte_limit: u64,
    /// Write normals too: twice the size, and smooth shading in viewers that do not compute their own.
    pub normals: bool,
}

impl Default for GlbOptions {
    fn default() -> Self {
        Self { frame_rate: 60.0, stride: 1, byte_limit: 200_000_000, normals: true }
    }
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlbSummary {
    /// Frames in the store.
    pub frames_stored: usize,
    /// Frames in the file; fewer than `stride` asks for if the limit made it so.
    pub frames_written: usize,
    /// Frames were left out because of `byte_limit`.
    pub thinned: bool,
    /// Size of the file, bytes.
    pub bytes: u64,
}

/// Why no animation was written.
#[derive(Debug, Error)]
pub enum GlbError {
    /// The frames could not be read.
    #[error(transparent)]
    Frames(#[from] FrameStoreError),
    /// The file could not be written.
    #[error("{}: cannot be written: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The file system's answer.
        source: io::Error,
    },
    /// There was no room for the file, or the file system had another reason.
    #[error("{}: {bytes} bytes cannot be written: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The file system's answer.
        source: io::Error,
    },
    /// There is nothing to write, or it contradicts itself.
    #[error("{}: {what}", path.display())]
    Input {
        /// The file that was to be written.
        path: PathBuf,
        /// What was found, what was expected, what to do.
        what: String,
    },
}

/// Writes the store's frames as an animation. The file appears whole or not at all.
pub fn write(
    path: &Path,
    store: &mut FrameStore,
    bodies: &[GlbBody],
    scenery: &[GlbScenery],
    options: &GlbOptions,
) -> Result<GlbSummary, GlbError> {
    let input = |what: String| GlbError::Input { path: path.to_path_buf(), what };
    let plan = Plan::of(store, bodies, scenery, options).map_err(input)?;
    let extents = plan.extents(store, path)?;
    let json = plan.json(&extents);
    let binary = plan.binary_bytes();
    let total = 12 + 8 + json.len() as u64 + 8 + binary;
    let Ok(length) = u32::try_from(total) else {
        return Err(input(format!("{total} bytes are more than the 4 GiB a glTF file can have; lower `byte_limit`")));
    };
    let mut unreadable = None;
    let written = write_atomically(path, |file| {
        for word in [0x4654_6c67, 2, length, json.len() as u32, 0x4e4f_534a] {
            file.write_all(&u32::to_le_bytes(word))?;
        }
        file.write_all(&json)?;
        for word in [binary as u32, 0x004e_4942] {
            file.write_all(&u32::to_le_bytes(word))?;
        }
        plan.write_binary(store, path, file).map_err(|error| match error {
            GlbError::Io { source, .. } => source,
            other => {
                unreadable = Some(other);
                io::Error::other("the frames cannot be read")
            }
        })
    });
    match (unreadable, written) {
        (Some(error), _) => Err(error),
        (None, Err(source)) => Err(GlbError::Write { path: path.to_path_buf(), bytes: total, source }),
        (None, Ok(())) => Ok(GlbSummary {
            frames_stored: store.len(),
            frames_written: plan.frames.len(),
            thinned: plan.frames.len() < store.len().div_ceil(options.stride.max(1)),
            bytes: total,
        }),
    }
}

/// An animation written frame by frame. Frames wait in a file beside it, so memory stays flat.
pub struct GlbWriter {
    path: PathBuf,
    store: FrameStore,
    bodies: Vec<GlbBody>,
    scenery: Vec<GlbScenery>,
    options: GlbOptions,
}

impl GlbWriter {
    /// Starts the animation `path`; its frames go to the same name with `.frames` added until it is finished.
    pub fn create(
        path: &Path,
        bodies: Vec<GlbBody>,
        scenery: Vec<GlbScenery>,
        options: GlbOptions,
    ) -> Result<Self, GlbError> {
        let vertices = bodies.iter().map(|b| b.vertices.end).max().unwrap_or(0);
        let mut frames = path.as_os_str().to_os_string();
        frames.push(".frames");
        let mut store = FrameStore::open_or_create(Path::new(&frames), vertices)?;
        store.truncate(0)?;
        Ok(Self { path: path.to_path_buf(), store, bodies, scenery, options })
    }

    /// Adds a frame: the points of all bodies, m.
    pub fn add_frame(&mut self, points: impl IntoIterator<Item = [f32; 3]>) -> Result<(), GlbError> {
        Ok(self.store.append(points)?)
    }

    /// Writes the animation and removes the frames that waited for it.
    pub fn finish(mut self) -> Result<GlbSummary, GlbError> {
        let summary = write(&self.path, &mut self.store, &self.bodies, &self.scenery, &self.options)?;
        let frames = self.store.path().to_path_buf();
        drop(self.store);
        std::fs::remove_file(&frames).map_err(|source| GlbError::Io { path: frames, source })?;
        Ok(summary)
    }
}

#[cfg(test)]
#[path = "glb_tests.rs"]
mod tests;
