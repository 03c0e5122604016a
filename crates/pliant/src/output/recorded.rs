//! Kept frames as files that play: an animation for glTF viewers, and a page for browsers.

use super::camera::Bounds;
use super::frame_store::{FrameStore, FrameStoreError};
use super::glb::{self, GlbBody, GlbError, GlbOptions, GlbScenery, GlbSummary};
use super::palette::body_colour;
use super::scenery::Scenery;
use super::show::{FrameFacts, Show, ShownFrame};
use crate::atomic_file::write_atomically;
use crate::model::{Body, Model, State};
use crate::scene::Scene;
use base64::prelude::BASE64_STANDARD;
use base64::write::EncoderWriter;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Width of what animations show of a half-space, over the radius of the bodies.
const PATCH: f64 = 4.0;

/// Pages are about so large at most, bytes: frames are left out evenly.
pub const LARGEST_PAGE: u64 = 100_000_000;

/// Animations are not larger, bytes: frames are left out evenly.
pub const LARGEST_ANIMATION: u64 = 200_000_000;

/// Where a page wants its recording.
const PLACE: &str = "PLIANT-RECORDING";

/// What kept frames are of.
#[derive(Clone, Copy)]
pub struct Recorded<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// Its model.
    pub model: &'a Model,
    /// When the first frame was, s.
    pub begin: f64,
}

/// What a page holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageSummary {
    /// Frames in the store.
    pub frames_stored: usize,
    /// Frames in the page; fewer if all of them would have been too large.
    pub frames_written: usize,
}

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// The frames could not be read.
    #[error(transparent)]
    Frames(#[from] FrameStoreError),
    /// The page to put them into is none of Pliant's.
    #[error("{}: not written, for this program was built without the page of the viewer; install npm and build it again", path.display())]
    NoPage {
        /// The file that was to be written.
        path: PathBuf,
    },
    /// The file could not be written.
    #[error("{}: cannot be written: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The file system's answer.
        source: io::Error,
    },
}

impl Recorded<'_> {
    /// Writes `store` as an animation of so many bytes at most.
    pub fn write_glb(&self, path: &Path, store: &mut FrameStore, most: u64) -> Result<GlbSummary, GlbError> {
        let Self { scene, model, begin } = *self;
        let mut bounds = Bounds::EMPTY;
        store.read(0)?.iter().for_each(|p| bounds.include(p.map(f64::from)));
        let bodies: Vec<GlbBody> = model.bodies.iter().enumerate().map(glb_body).collect();
        let (frames, rate) = (store.len(), scene.time.frame_rate);
        let scenery = Scenery::of(scene, model, bounds, PATCH);
        let scenery: Vec<GlbScenery> = scenery.into_iter().map(|thing| thing.animated(begin, frames, rate)).collect();
        let options = GlbOptions { frame_rate: rate, byte_limit: most, ..GlbOptions::default() };
        glb::write(path, store, &bodies, &scenery, &options)
    }

    /// Writes `store` into `page`, the viewer's, about `most` bytes of it; the result plays in any browser without a server.
    pub fn write_page(
        &self,
        path: &Path,
        store: &mut FrameStore,
        page: &str,
        most: u64,
    ) -> Result<PageSummary, PageError> {
        let Some((head, tail)) = page.split_once(PLACE) else {
            return Err(PageError::NoPage { path: path.to_path_buf() });
        };
        let frames = self.frames_within(store.len(), most);
        let mut unreadable = None;
        let written = write_atomically(path, |file| {
            file.write_all(head.as_bytes())?;
            let mut encoder = EncoderWriter::new(&mut *file, &BASE64_STANDARD);
            self.write_messages(store, &frames, &mut encoder).map_err(|error| {
                let PageError::Frames(inside) = error else { return io_of(error) };
                unreadable = Some(inside);
                io::Error::other("the frames cannot be read")
            })?;
            encoder.finish()?;
            drop(encoder);
            file.write_all(tail.as_bytes())
        });
        match (unreadable, written) {
            (Some(error), _) => Err(error.into()),
            (None, Err(source)) => Err(PageError::Io { path: path.to_path_buf(), source }),
            (None, Ok(())) => Ok(PageSummary { frames_stored: store.len(), frames_written: frames.len() }),
        }
    }

    /// Every so many of the stored frames, and the last: what was recorded lasts as long in a page that leaves some out.
    fn frames_within(&self, stored: usize, most: u64) -> Vec<usize> {
        // Six bytes a vertex, in base64.
        let bytes = 8 * self.model.vertices() as u64 * stored as u64;
        let stride = bytes.div_ceil(most.max(1)).max(1) as usize;
        let even = (0..stored).step_by(stride);
        let last = stored.checked_sub(1).filter(|last| !last.is_multiple_of(stride));
        even.chain(last).collect()
    }

    /// The topology and some frames, each after its length.
    fn write_messages(&self, store: &mut FrameStore, frames: &[usize], to: &mut impl Write) -> Result<(), PageError> {
        let io = |source| PageError::Io { path: PathBuf::new(), source };
        let mut put = |message: &[u8]| {
            to.write_all(&(message.len() as u32).to_le_bytes())?;
            to.write_all(message)
        };
        let wide = |points: Vec<[f32; 3]>| points.into_iter().map(|p| p.map(f64::from)).collect::<Vec<[f64; 3]>>();
        let first = State { x: wide(store.read(0)?), ..State::default() };
        let show = Show::new(self.scene, self.model, &first, 1);
        put(show.topology()).map_err(io)?;
        let time = &self.scene.time;
        let before = (self.begin / time.step_size()).round() as u64;
        for &frame in frames {
            let x = wide(store.read(frame)?);
            let facts = FrameFacts {
                time: self.begin + frame as f64 / time.frame_rate,
                step: before + (frame * time.steps_per_frame) as u64,
                ..FrameFacts::default()
            };
            put(&show.frame(&ShownFrame { view: 0, x: &x, residual: None }, &facts)).map_err(io)?;
        }
        Ok(())
    }
}

fn io_of(error: PageError) -> io::Error {
    match error {
        PageError::Io { source, .. } => source,
        other => io::Error::other(other.to_string()),
    }
}

fn glb_body((index, body): (usize, &Body)) -> GlbBody {
    GlbBody {
        name: body.name.clone(),
        vertices: body.vertices.clone(),
        triangles: body.triangles.clone(),
        colour: body_colour(index),
        two_sided: body.tets.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;

    /// Nine vertices, two steps a frame, ten frames a second; recorded from the third second on.
    fn recorded(frames: usize, act: impl FnOnce(&Recorded, &mut FrameStore, &Path)) {
        let text = "pliant = 1\n[time]\nframe_rate = 10\nsteps_per_frame = 2\n[[cloth]]\nresolution = 3\n";
        let scene = Scene::parse(text, "t", ".".as_ref(), &[]).unwrap();
        let (model, state) = Model::new(&scene).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut store = FrameStore::open_or_create(&folder.path().join("frames"), 9).unwrap();
        for k in 0..frames {
            store.append(state.x.iter().map(|p| [p[0] as f32, k as f32, p[2] as f32])).unwrap();
        }
        act(&Recorded { scene: &scene, model: &model, begin: 3.0 }, &mut store, &folder.path().join("replay.html"));
    }

    /// Kind, time and step of each message in a page.
    fn messages(path: &Path) -> Vec<(u8, f64, u64)> {
        let text = std::fs::read_to_string(path).unwrap();
        let inside = text.strip_prefix("<a>").and_then(|text| text.strip_suffix("</a>")).unwrap();
        let bytes = BASE64_STANDARD.decode(inside).unwrap();
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let (mut at, mut found) = (0, Vec::new());
        while at < bytes.len() {
            let facts: serde_json::Value = serde_json::from_slice(&bytes[at + 16..][..number(at + 12)]).unwrap();
            let time = facts["time"].as_f64().unwrap_or(f64::NAN);
            found.push((bytes[at + 4], time, facts["step"].as_u64().unwrap_or(0)));
            at += 4 + number(at);
        }
        assert_eq!(at, bytes.len());
        found
    }

    const PAGE: &str = "<a>PLIANT-RECORDING</a>";

    #[test]
    fn a_page_holds_the_topology_and_all_frames_and_one_without_a_place_is_refused() {
        recorded(4, |recorded, store, path| {
            let refused = recorded.write_page(path, store, "<html>", LARGEST_PAGE);
            assert!(matches!(refused, Err(PageError::NoPage { .. })));
            assert!(!path.exists());
            let summary = recorded.write_page(path, store, PAGE, LARGEST_PAGE).unwrap();
            assert_eq!(summary, PageSummary { frames_stored: 4, frames_written: 4 });
            let kinds: Vec<u8> = messages(path).iter().map(|message| message.0).collect();
            assert_eq!(kinds, [1, 2, 2, 2, 2]);
        });
    }

    /// Regression: frames of a thinned page were played as if none was missing, and their steps counted from 0.
    #[test]
    fn a_page_that_leaves_frames_out_lasts_as_long_and_knows_times_and_steps_of_the_scene() {
        recorded(9, |recorded, store, path| {
            // Three frames of 72 bytes, of nine.
            let summary = recorded.write_page(path, store, PAGE, 3 * 72).unwrap();
            assert_eq!(summary, PageSummary { frames_stored: 9, frames_written: 4 });
            let frames = messages(path).split_off(1);
            for ((_, time, step), frame) in frames.iter().zip([0, 3, 6, 8]) {
                assert!((time - (3.0 + 0.1 * f64::from(frame))).abs() < 1e-9, "{frames:?}");
                assert_eq!(*step, 60 + 2 * frame as u64, "{frames:?}");
            }
            assert_eq!(frames.len(), 4);
        });
    }
}
