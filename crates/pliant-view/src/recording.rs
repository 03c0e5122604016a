//! What was recorded: frames in a file that nobody else sees, and what they are frames of.

use crate::scratch::Scratch;
use crate::view::View;
use pliant::model::Model;
use pliant::output::{FrameStore, FrameStoreError, GlbError, LARGEST_ANIMATION, LARGEST_PAGE, PageError, Recorded};
use pliant::scene::Scene;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempPath;

/// Recordings are not longer, bytes.
const LONGEST: u64 = 1 << 30;

/// A recording, going on or ended.
pub(crate) struct Recording {
    folder: Arc<Scratch>,
    store: FrameStore,
    scene: Arc<Scene>,
    model: Arc<Model>,
    /// When its first frame was, s.
    begin: f64,
    /// Which frame of the scene that was.
    first: u64,
    /// By which method its frames were made; `None` if by several.
    method: Option<&'static str>,
    /// Frames are still added.
    pub on: bool,
}

/// What a recording is at one moment, to be written somewhere.
#[derive(Clone)]
pub(crate) struct Take {
    /// Scene, method, first and last frame, as files of it are called.
    pub name: String,
    /// Keeps the frames.
    folder: Arc<Scratch>,
    frames: PathBuf,
    scene: Arc<Scene>,
    model: Arc<Model>,
    begin: f64,
    /// Files are about so large at most, bytes: an animation, and a page.
    pub most: [u64; 2],
}

/// A recording in a file.
pub(crate) struct Saved {
    pub path: TempPath,
    /// How many frames are in it, of how many; `None` if all are.
    pub thinned: Option<[usize; 2]>,
}

/// Why a recording could not be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RecordingError {
    #[error("no file can be made: {0}")]
    File(#[from] std::io::Error),
    #[error(transparent)]
    Frames(#[from] FrameStoreError),
    #[error(transparent)]
    Glb(#[from] GlbError),
    #[error(transparent)]
    Page(#[from] PageError),
}

impl Recording {
    /// Of a view as it is simulated from now on.
    pub fn new(view: &View) -> Result<Self, String> {
        let failed = |error: &dyn std::fmt::Display| format!("no recording can be made: {error}");
        let folder = Scratch::new().map_err(|error| failed(&error))?;
        let store = FrameStore::open_or_create(&folder.path().join("frames"), view.model().vertices());
        let store = store.map_err(|error| failed(&error))?;
        Ok(Self {
            folder: Arc::new(folder),
            store,
            scene: Arc::new(view.scene.clone()),
            model: view.model().clone(),
            begin: view.state.time,
            first: view.number(),
            method: Some(view.simulation.method().name),
            on: true,
        })
    }

    pub fn frames(&self) -> usize {
        self.store.len()
    }

    /// Simulated time of all frames, s.
    pub fn seconds(&self) -> f64 {
        self.store.len().saturating_sub(1) as f64 / self.scene.time.frame_rate
    }

    pub fn is_full(&self) -> bool {
        12 * (self.store.vertices() * self.store.len()) as u64 >= LONGEST
    }

    /// Adds a frame.
    pub fn add(&mut self, view: &View) -> Result<(), FrameStoreError> {
        self.method = self.method.filter(|method| *method == view.simulation.method().name);
        self.store.append(view.state.x.iter().map(|x| x.map(|c| c as f32)))
    }

    /// As it is now; `None` without a frame.
    pub fn now(&self) -> Option<Take> {
        let frames = self.store.path().to_path_buf();
        let (folder, scene, model) = (self.folder.clone(), self.scene.clone(), self.model.clone());
        let last = self.first + self.store.len().saturating_sub(1) as u64;
        let method = self.method.unwrap_or("several-methods");
        let name = format!("{}-{method}-{:06}-{last:06}", scene.name, self.first);
        let most = [LARGEST_ANIMATION, LARGEST_PAGE];
        (!self.store.is_empty()).then_some(Take { name, folder, frames, scene, model, begin: self.begin, most })
    }
}

impl Saved {
    fn new(path: TempPath, [written, stored]: [usize; 2]) -> Self {
        Self { path, thinned: (written < stored).then_some([written, stored]) }
    }
}

impl Take {
    /// Writes an animation into a file of its own.
    pub fn glb(&self) -> Result<Saved, RecordingError> {
        let (recorded, mut store, path) = self.parts(".glb")?;
        let summary = recorded.write_glb(&path, &mut store, self.most[0])?;
        Ok(Saved::new(path, [summary.frames_written, summary.frames_stored]))
    }

    /// Writes a page that replays it.
    pub fn page(&self, page: &str) -> Result<Saved, RecordingError> {
        let (recorded, mut store, path) = self.parts(".html")?;
        let summary = recorded.write_page(&path, &mut store, page, self.most[1])?;
        Ok(Saved::new(path, [summary.frames_written, summary.frames_stored]))
    }

    /// Nobody else writes to the path.
    fn parts(&self, ending: &str) -> Result<(Recorded<'_>, FrameStore, TempPath), RecordingError> {
        let recorded = Recorded { scene: &self.scene, model: &self.model, begin: self.begin };
        let file = tempfile::Builder::new().suffix(ending).tempfile_in(self.folder.path())?;
        Ok((recorded, FrameStore::open(&self.frames)?, file.into_temp_path()))
    }
}
