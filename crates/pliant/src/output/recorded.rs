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

/// Pages are not larger, bytes: frames are left out evenly.
const LARGEST_PAGE: u64 = 100_000_000;

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
    /// Writes `store` as an animation.
    pub fn write_glb(&self, path: &Path, store: &mut FrameStore) -> Result<GlbSummary, GlbError> {
        let Self { scene, model, begin } = *self;
        let mut bounds = Bounds::EMPTY;
        store.read(0)?.iter().for_each(|p| bounds.include(p.map(f64::from)));
        let bodies: Vec<GlbBody> = model.bodies.iter().enumerate().map(glb_body).collect();
        let (frames, rate) = (store.len(), scene.time.frame_rate);
        let scenery = Scenery::of(scene, model, bounds, PATCH);
        let scenery: Vec<GlbScenery> = scenery.into_iter().map(|thing| thing.animated(begin, frames, rate)).collect();
        let options = GlbOptions { frame_rate: rate, ..GlbOptions::default() };
        glb::write(path, store, &bodies, &scenery, &options)
    }

    /// Writes `store` into `page`, the viewer's; the result plays in any browser without a server. Of the frames every how
    /// many are in it.
    pub fn write_page(&self, path: &Path, store: &mut FrameStore, page: &str) -> Result<usize, PageError> {
        let Some((head, tail)) = page.split_once(PLACE) else {
            return Err(PageError::NoPage { path: path.to_path_buf() });
        };
        let bytes = 8 * self.model.vertices() as u64 * store.len() as u64;
        let stride = bytes.div_ceil(LARGEST_PAGE).max(1) as usize;
        let mut unreadable = None;
        let written = write_atomically(path, |file| {
            file.write_all(head.as_bytes())?;
            let mut encoder = EncoderWriter::new(&mut *file, &BASE64_STANDARD);
            self.write_messages(store, stride, &mut encoder).map_err(|error| {
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
            (None, Ok(())) => Ok(stride),
        }
    }

    /// The topology and every so many frames, each after its length.
    fn write_messages(&self, store: &mut FrameStore, stride: usize, to: &mut impl Write) -> Result<(), PageError> {
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
        for frame in (0..store.len()).step_by(stride) {
            let x = wide(store.read(frame)?);
            let facts = FrameFacts {
                time: self.begin + frame as f64 / time.frame_rate,
                step: (frame * time.steps_per_frame) as u64,
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

    #[test]
    fn a_page_holds_the_topology_and_all_frames_and_one_without_a_place_is_refused() {
        let scene = Scene::parse("pliant = 1\n[[cloth]]\nresolution = 3\n", "t", ".".as_ref(), &[]).unwrap();
        let (model, state) = Model::new(&scene).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut store = FrameStore::open_or_create(&folder.path().join("frames"), 9).unwrap();
        for k in 0..4 {
            store.append(state.x.iter().map(|p| [p[0] as f32, k as f32, p[2] as f32])).unwrap();
        }
        let recorded = Recorded { scene: &scene, model: &model, begin: 1.0 };
        let path = folder.path().join("replay.html");
        assert!(matches!(recorded.write_page(&path, &mut store, "<html>"), Err(PageError::NoPage { .. })));
        assert!(!path.exists());
        assert_eq!(recorded.write_page(&path, &mut store, "<a>PLIANT-RECORDING</a>").unwrap(), 1);
        let text = std::fs::read_to_string(&path).unwrap();
        let inside = text.strip_prefix("<a>").and_then(|text| text.strip_suffix("</a>")).unwrap();
        let bytes = BASE64_STANDARD.decode(inside).unwrap();
        let (mut at, mut kinds) = (0, Vec::new());
        while at < bytes.len() {
            let length = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
            kinds.push(bytes[at + 4]);
            at += 4 + length;
        }
        assert_eq!((at, kinds), (bytes.len(), vec![1, 2, 2, 2, 2]));
    }
}
