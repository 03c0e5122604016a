//! Motion of things that do not deform, as glTF wants it: translations and rotations of their nodes (glTF 2.0, 3.11).

use super::glb::GlbPose;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Where a thing is in each written frame; of what does not change nothing is kept.
#[derive(Default)]
pub(super) struct Motion {
    /// In the first frame; `None` for a thing whose points are in the world.
    start: Option<([f32; 3], [f32; 4])>,
    translations: Vec<[f32; 3]>,
    rotations: Vec<[f32; 4]>,
}

impl Motion {
    /// `poses` has one entry per frame of the store, or none for a thing that stands still.
    pub(super) fn of(name: &str, poses: &[GlbPose], frames: &[usize]) -> Result<Self, String> {
        let (Some(&first), Some(&last)) = (frames.first(), frames.last()) else { return Ok(Self::default()) };
        if poses.is_empty() {
            return Ok(Self::default());
        }
        if poses.len() <= last {
            return Err(format!("`{name}` has {} poses, frame {last} needs one more than that", poses.len()));
        }
        if !frames.iter().all(|&frame| poses[frame].is_finite()) {
            return Err(format!("a pose of `{name}` is not finite"));
        }
        let mut rotations: Vec<[f32; 4]> = Vec::new();
        for &frame in frames {
            let q = poses[frame].rotation.map(|c| c as f32);
            // q and -q are the same rotation; between neighbours the shorter way is meant.
            let turned = rotations.last().is_some_and(|last| (0..4).map(|c| last[c] * q[c]).sum::<f32>() < 0.0);
            rotations.push(if turned { q.map(|c| -c) } else { q });
        }
        let mut translations: Vec<[f32; 3]> = frames.iter().map(|&f| poses[f].translation.map(|c| c as f32)).collect();
        let start = Some((translations[0], rotations[0]));
        let all = || frames.iter().map(|&frame| &poses[frame]);
        if all().all(|pose| pose.translation == poses[first].translation) {
            translations.clear();
        }
        if all().all(|pose| pose.rotation == poses[first].rotation) {
            rotations.clear();
        }
        Ok(Self { start, translations, rotations })
    }

    /// Adds its first pose to a node, for viewers that play nothing.
    pub(super) fn place(&self, node: &mut Value) {
        if let Some((translation, rotation)) = self.start {
            node["translation"] = json!(translation.map(f64::from));
            node["rotation"] = json!(rotation.map(f64::from));
        }
    }

    /// What its channels animate: path, type of the accessor, number of floats.
    pub(super) fn tracks(&self) -> impl Iterator<Item = (&'static str, &'static str, usize)> {
        let tracks =
            [("translation", "VEC3", 3 * self.translations.len()), ("rotation", "VEC4", 4 * self.rotations.len())];
        tracks.into_iter().filter(|track| track.2 > 0)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.tracks().map(|track| 4 * track.2 as u64).sum()
    }

    /// In the order of [`Self::tracks`].
    pub(super) fn write(&self, file: &mut dyn Write) -> io::Result<()> {
        let mut floats = self.translations.iter().flatten().chain(self.rotations.iter().flatten());
        floats.try_for_each(|c| file.write_all(&c.to_le_bytes()))
    }
}
