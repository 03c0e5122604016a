//! Pictures of a run, drawn from its frames without a GPU: a sheet of moments (PNG) or a motion (GIF).

use super::camera::Bounds;
use super::frame_store::{FrameStore, FrameStoreError};
use super::palette::{body_colour, collider_colour};
use super::scenery::Scenery;
use super::{GifFile, Image, Stage, Surface, render, save_png, text_width};
use crate::model::Model;
use crate::scene::Scene;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why there is no picture.
#[derive(Debug, Error)]
pub enum PreviewError {
    /// Neither PNG nor GIF.
    #[error("{}: a preview is a .png (a sheet of moments) or a .gif (a motion); change the ending of what follows --preview", path.display())]
    Format {
        /// As given.
        path: PathBuf,
    },
    /// The picture would lie in a folder that is not there.
    #[error("{}: there is no folder {}; make it first, or choose another place with --preview", path.display(), folder.display())]
    NoFolder {
        /// As given.
        path: PathBuf,
        /// Its folder.
        folder: PathBuf,
    },
    /// Something else has that name.
    #[error(
        "{} {what}, so no run of Pliant's wrote it, and a picture would replace it; choose another file with --preview, or \
         another folder with --out", path.display()
    )]
    Taken {
        /// As given.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// No file can be made there.
    #[error(
        "{}: the picture cannot be written there: {source}; choose another place with --preview, or do without pictures by \
         --no-preview", path.display()
    )]
    Unwritable {
        /// As given.
        path: PathBuf,
        /// The file system's answer.
        source: io::Error,
    },
    /// The frames cannot be read.
    #[error(transparent)]
    Frames(#[from] FrameStoreError),
    /// The picture cannot be written.
    #[error("{}: the picture cannot be written: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The file system's answer.
        source: io::Error,
    },
}

/// Which picture a file name asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreviewKind {
    /// A PNG with moments side by side.
    Sheet,
    /// An animated GIF.
    Motion,
}

impl PreviewKind {
    /// By the file's ending.
    pub fn of(path: &Path) -> Result<Self, PreviewError> {
        match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("png") => Ok(Self::Sheet),
            Some("gif") => Ok(Self::Motion),
            _ => Err(PreviewError::Format { path: path.to_path_buf() }),
        }
    }
}

/// Size of one moment, pixels.
const SIZE: [usize; 2] = [480, 360];
const MOMENTS: usize = 12;
const COLUMNS: usize = 4;
/// GIFs show at most so many frames, and at most so many a second.
const MOST_FRAMES: usize = 150;
const MOST_RATE: f64 = 30.0;
/// A mark at the end of a motion stays so long, s.
const MARK_SECONDS: f64 = 1.5;
/// The bar behind a mark: its height, pixels, and colour.
const MARK_HEIGHT: i64 = 30;
const MARK_COLOUR: [u8; 3] = [176, 32, 32];

/// Colliders are framed up to so far from the bodies, as a part of the radius of their motion.
const NEAR: f64 = 0.5;
/// Width of what is drawn of a half-space, over that radius: it ends where it has faded away.
const PATCH: f64 = 20.0;

/// Draws frames of one run, always from the same place.
pub struct Preview<'a> {
    scene: &'a Scene,
    model: &'a Model,
    store: &'a mut FrameStore,
    scenery: Vec<Scenery>,
    stage: Stage,
    mark: Option<String>,
}

impl<'a> Preview<'a> {
    /// Looks at all frames to find the place from which the whole motion is seen.
    pub fn new(scene: &'a Scene, model: &'a Model, store: &'a mut FrameStore) -> Result<Self, PreviewError> {
        let mut bodies = Bounds::EMPTY;
        let mut points = Vec::new();
        for frame in 0..store.len() {
            store.read_into(frame, &mut points)?;
            points.iter().for_each(|p| bodies.include(p.map(f64::from)));
        }
        let scenery = Scenery::of(scene, model, bodies, PATCH);
        let end = store.len().saturating_sub(1) as f64 / scene.time.frame_rate;
        let bounds = framed(bodies, scenery.iter().flat_map(|s| [s.bounds(0.0), s.bounds(end)]));
        let ground = scenery.iter().filter_map(|s| s.floor).reduce(f64::max);
        let stage = Stage::framing(bounds, SIZE[0], SIZE[1], ground);
        Ok(Self { scene, model, store, scenery, stage, mark: None })
    }

    /// Writes `text` on the last frame, for a run that did not get to its end.
    pub fn mark_end(&mut self, text: String) {
        self.mark = Some(text);
    }

    /// Frames that a picture of this kind shows.
    pub fn frames(&self, kind: PreviewKind) -> Vec<usize> {
        let len = self.store.len();
        match kind {
            PreviewKind::Sheet if len <= MOMENTS => (0..len).collect(),
            PreviewKind::Sheet => (0..MOMENTS).map(|i| i * (len - 1) / (MOMENTS - 1)).collect(),
            PreviewKind::Motion => {
                let mut frames: Vec<usize> = (0..len).step_by(self.stride()).collect();
                if self.mark.is_some() && frames.last().is_some_and(|last| last + 1 < len) {
                    frames.push(len - 1);
                }
                frames
            }
        }
    }

    fn stride(&self) -> usize {
        let by_rate = (self.scene.time.frame_rate / MOST_RATE).ceil().clamp(1.0, 1e6) as usize;
        by_rate.max(self.store.len().div_ceil(MOST_FRAMES))
    }

    /// Draws the picture that the name of `path` asks for; `go_on` is asked after each frame with how many are drawn,
    /// and may end it all. Returns whether the picture was written.
    pub fn save(&mut self, path: &Path, go_on: &mut dyn FnMut(usize) -> bool) -> Result<bool, PreviewError> {
        let kind = PreviewKind::of(path)?;
        let fail = |source| PreviewError::Io { path: path.to_path_buf(), source };
        let frames = self.frames(kind);
        if kind == PreviewKind::Sheet {
            let mut images = Vec::new();
            for (done, frame) in frames.into_iter().enumerate() {
                images.push(self.labelled(frame)?);
                if !go_on(done + 1) {
                    return Ok(false);
                }
            }
            save_png(path, &Image::sheet(&images, COLUMNS)).map_err(fail)?;
            return Ok(true);
        }
        let rate = self.scene.time.frame_rate / self.stride() as f64;
        let mut gif = GifFile::create(path, SIZE[0], SIZE[1], rate).map_err(fail)?;
        for (done, frame) in frames.into_iter().enumerate() {
            let image = self.draw(frame)?;
            let times = if self.mark_of(frame).is_some() { (MARK_SECONDS * rate).ceil() as usize } else { 1 };
            for _ in 0..times {
                gif.add(&image).map_err(fail)?;
            }
            if !go_on(done + 1) {
                return Ok(false);
            }
        }
        gif.finish().map_err(fail)?;
        Ok(true)
    }

    /// One frame as a picture.
    pub fn draw(&mut self, frame: usize) -> Result<Image, PreviewError> {
        let points: Vec<[f64; 3]> = self.store.read(frame)?.into_iter().map(|p| p.map(f64::from)).collect();
        let time = frame as f64 / self.scene.time.frame_rate;
        let shown = self.scenery.iter().filter(|s| s.floor.is_none());
        let things: Vec<(&Scenery, Vec<[f64; 3]>)> = shown.map(|s| (s, s.points_at(time))).collect();
        let bodies = self.model.bodies.iter().enumerate().map(|(i, body)| Surface {
            points: points.get(body.vertices.clone()).unwrap_or_default(),
            triangles: &body.triangles,
            colour: body_colour(i),
            two_sided: body.tets.is_empty(),
            endless: false,
        });
        let colliders = things.iter().map(|(thing, points)| Surface {
            points,
            triangles: &thing.triangles,
            colour: collider_colour(),
            two_sided: false,
            endless: thing.is_endless(),
        });
        let surfaces: Vec<Surface> = bodies.chain(colliders).collect();
        let mut image = render(&self.stage, &surfaces);
        if let Some(mark) = self.mark_of(frame) {
            let height = image.height as i64;
            image.fill_rectangle(0, height - MARK_HEIGHT, SIZE[0] as i64, MARK_HEIGHT, MARK_COLOUR);
            image.text(10, height - MARK_HEIGHT + 8, 2, [255; 3], mark);
        }
        Ok(image)
    }

    /// What is written on this frame.
    fn mark_of(&self, frame: usize) -> Option<&str> {
        self.mark.as_deref().filter(|_| frame + 1 == self.store.len())
    }

    fn labelled(&mut self, frame: usize) -> Result<Image, PreviewError> {
        let mut image = self.draw(frame)?;
        let label = format!("{:.2} s", frame as f64 / self.scene.time.frame_rate);
        // A motion of ages has a label wider than the picture, which is cut off.
        let right = SIZE[0] as i64 - text_width(&label, 2) as i64 - 10;
        image.text(right, 10, 2, [70, 76, 84], &label);
        Ok(image)
    }
}

/// What the camera shows: the bodies in all their motion, and of colliders what is near them. A hall around the bodies, a
/// large table or a ball far away would make them specks.
pub(super) fn framed(bodies: Bounds, colliders: impl Iterator<Item = Bounds>) -> Bounds {
    let near = bodies.visible().grown(NEAR * bodies.visible().radius());
    colliders.map(|thing| thing.common(near)).filter(|part| !part.is_empty()).fold(bodies, Bounds::union)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: &str = "
        pliant = 1
        [time]
        frame_rate = 60
        [[cloth]]
        resolution = 3
        position = [0, 1, 0]
        [[collider]]
        shape = 'sphere'
        radius = 0.2
        [[collider]]
        shape = 'half-space'
        position = [0, -0.2, 0]
    ";

    fn store(folder: &Path, model: &Model, frames: usize) -> FrameStore {
        let mut store = FrameStore::open_or_create(&folder.join("frames"), model.vertices()).unwrap();
        for frame in 0..frames {
            let fallen = |p: &[f64; 3]| [p[0] as f32, (p[1] + 1.0 - 0.02 * frame as f64) as f32, p[2] as f32];
            store.append(model.rest_x.iter().map(fallen)).unwrap();
        }
        store
    }

    #[test]
    fn the_camera_frames_the_bodies_and_colliders_near_them() {
        let cube =
            |centre: [f64; 3], half: f64| Bounds { low: centre.map(|c| c - half), high: centre.map(|c| c + half) };
        let bodies = cube([0.0, 1.0, 0.0], 0.5);
        let alone = |thing: Bounds| framed(bodies, std::iter::once(thing));
        let ball = cube([0.0, 0.4, 0.0], 0.3);
        assert_eq!(alone(ball), bodies.union(ball));
        assert_eq!(alone(cube([6.0, 0.3, 0.0], 0.3)), bodies);
        assert_eq!(alone(Bounds::EMPTY), bodies);
        // Of a large table as much as is near.
        let table = alone(Bounds { low: [-9.0, 0.0, -9.0], high: [9.0, 0.5, 9.0] });
        assert!(table.radius() < 2.0 * bodies.radius() && table.low[1] < bodies.low[1], "{table:?}");
    }

    #[test]
    fn pictures_show_bodies_colliders_and_motion() {
        let scene = Scene::parse(SCENE, "t", ".".as_ref(), &[]).unwrap();
        let (model, _) = Model::new(&scene).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut store = store(folder.path(), &model, 9);
        let mut preview = Preview::new(&scene, &model, &mut store).unwrap();
        let (first, last) = (preview.draw(0).unwrap(), preview.draw(8).unwrap());
        let red = |image: &Image| image.pixels.iter().filter(|p| p[0] > 100 && p[0] > p[2].saturating_add(60)).count();
        assert!(red(&first) > 2000 && red(&last) > 2000, "{} {}", red(&first), red(&last));
        let changed = first.pixels.iter().zip(&last.pixels).filter(|(a, b)| a != b).count();
        assert!(changed > 2000, "{changed}");
        for (name, frames) in [("a.png", 9), ("a.gif", 5)] {
            let path = folder.path().join(name);
            let mut drawn = 0;
            let saved = preview.save(&path, &mut |done| {
                drawn = done;
                true
            });
            assert!(saved.unwrap() && path.exists());
            assert_eq!(drawn, frames, "{name}");
        }
    }

    #[test]
    fn the_last_image_of_a_run_that_failed_is_marked_in_sheets_and_motions() {
        let scene = Scene::parse(SCENE, "t", ".".as_ref(), &[]).unwrap();
        let (model, _) = Model::new(&scene).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut store = store(folder.path(), &model, 8);
        let mut preview = Preview::new(&scene, &model, &mut store).unwrap();
        let bar = |image: &Image| image.pixels.iter().filter(|p| **p == MARK_COLOUR).count();
        assert_eq!(bar(&preview.draw(7).unwrap()), 0);
        preview.mark_end("stopped at step 7 of 120".to_string());
        assert_eq!(bar(&preview.draw(6).unwrap()), 0);
        let last = preview.draw(7).unwrap();
        let letters = last.pixels.iter().filter(|p| **p == [255; 3]).count();
        assert!(bar(&last) > SIZE[0] * 20 && letters > 300, "{} and {letters}", bar(&last));
        // Every second frame is shown, and the last one besides.
        assert_eq!(preview.frames(PreviewKind::Motion), [0, 2, 4, 6, 7]);
        let path = folder.path().join("a.gif");
        assert!(preview.save(&path, &mut |_| true).unwrap());
        let mut decoder = gif::DecodeOptions::new().read_info(std::fs::File::open(path).unwrap()).unwrap();
        let mut hundredths = 0;
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            hundredths += u32::from(frame.delay);
        }
        assert!(hundredths > 150, "the mark stays long enough to be read: {hundredths}/100 s");
    }

    #[test]
    fn a_picture_that_is_stopped_leaves_no_file() {
        let scene = Scene::parse(SCENE, "t", ".".as_ref(), &[]).unwrap();
        let (model, _) = Model::new(&scene).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut store = store(folder.path(), &model, 5);
        let mut preview = Preview::new(&scene, &model, &mut store).unwrap();
        for name in ["a.png", "a.gif"] {
            assert!(!preview.save(&folder.path().join(name), &mut |_| false).unwrap());
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "only the store");
    }

    #[test]
    fn a_label_wider_than_the_picture_is_cut_off() {
        let mut scene = Scene::parse(SCENE, "t", ".".as_ref(), &[]).unwrap();
        scene.time.frame_rate = 1e-100;
        let (model, _) = Model::new(&scene).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut store = store(folder.path(), &model, 2);
        let mut preview = Preview::new(&scene, &model, &mut store).unwrap();
        assert!(preview.save(&folder.path().join("a.png"), &mut |_| true).unwrap());
    }

    #[test]
    fn long_motions_are_thinned_and_keep_their_ends_on_the_sheet() {
        let scene = Scene::parse(SCENE, "t", ".".as_ref(), &[]).unwrap();
        let (model, _) = Model::new(&scene).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut store = store(folder.path(), &model, 1000);
        let preview = Preview::new(&scene, &model, &mut store).unwrap();
        let sheet = preview.frames(PreviewKind::Sheet);
        assert_eq!((sheet.len(), sheet[0], sheet[11]), (12, 0, 999));
        assert!(preview.frames(PreviewKind::Motion).len() <= 150);
    }
}
