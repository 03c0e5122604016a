//! The simulation that is looked at: a thread that steps at its own pace, does what the driver wants between frames, and shows
//! the newest frame on the board (`session/frames.rs`). Nobody who looks on can slow it down.

mod frames;

use crate::board::{Board, ClientId};
use crate::command::{Command, Numbered};
use crate::convergence::Watcher;
use crate::crowd::Crowd;
use crate::library::Library;
use crate::orders::{Inbox, Known, Order};
use crate::recording::Recording;
use crate::settings::{Change, Settings};
use crate::view::View;
use pliant::device::Devices;
use pliant::model::{Use, check_memory};
use pliant::output::{Show, refuse_faulty_meshes};
use pliant::scene::Scene;
use pliant::step::{SimulationError, Stop};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::watch;

/// How long to sleep where nothing happens, before looking whether to stop.
const IDLE: Duration = Duration::from_millis(50);

/// So often the length of a recording is told.
const TOLD: Duration = Duration::from_millis(250);

/// What the driver wants to see besides positions.
#[derive(Clone, Copy, Default)]
struct Shown {
    residual: bool,
    curve: bool,
}

/// See the module.
pub(crate) struct Session<'a, D> {
    devices: &'a D,
    board: Arc<Board>,
    crowd: watch::Receiver<Crowd>,
    inbox: Inbox,
    library: Library,
    /// As its file says it.
    scene: Scene,
    settings: Settings,
    /// One, or two that are compared.
    views: Vec<View>,
    show: Show,
    generation: u32,
    playing: bool,
    /// Frames to be made one by one, playing or not.
    singles: usize,
    shown: Shown,
    recording: Option<Recording>,
    /// When this was, ms since 1970: pages tell a server that was started again by it.
    begun: u64,
    told: Instant,
    watcher: Watcher,
    /// Whose hand it is.
    driver: Option<ClientId>,
    /// The newest command that was done.
    applied: u64,
    error: Option<String>,
}

impl<'a, D: Devices> Session<'a, D> {
    /// Makes the scene; what is wrong with it is an error.
    pub fn new(
        devices: &'a D,
        board: Arc<Board>,
        (crowd, inbox): (watch::Receiver<Crowd>, Inbox),
        (scene, library): (Scene, Library),
    ) -> Result<Self, crate::ViewError> {
        let view = make(devices, &scene, &inbox.stop)?;
        let show = Show::new(&scene, view.model(), &view.state, 1);
        let mut session = Self {
            devices,
            board,
            crowd,
            inbox,
            library,
            scene,
            settings: Settings::default(),
            views: vec![view],
            show,
            generation: 1,
            playing: true,
            singles: 0,
            shown: Shown::default(),
            recording: None,
            begun: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64),
            told: Instant::now(),
            watcher: Watcher::default(),
            driver: None,
            applied: 0,
            error: None,
        };
        session.publish_all();
        Ok(session)
    }

    /// Simulates until `end`.
    pub fn run(mut self, end: &AtomicBool) {
        let mut next = Instant::now();
        while !end.load(Ordering::Relaxed) {
            self.follow_driver();
            // Where nobody looks, nothing moves.
            let moving = self.is_moving() && self.crowd.borrow().len() > 0;
            let wait = if moving { next.saturating_duration_since(Instant::now()) } else { IDLE };
            match self.inbox.next(wait) {
                Ok(Some(order)) => self.obey(order),
                Ok(None) => {}
                Err(_) => break,
            }
            if !moving || Instant::now() < next {
                continue;
            }
            // Whoever raises it later wants the frame that begins now to end; whoever did before is heard first.
            self.inbox.stop.lower();
            if end.load(Ordering::Relaxed) {
                break;
            }
            // However many orders come, there is a frame after those that wait.
            self.inbox.waiting().into_iter().for_each(|order| self.obey(order));
            if self.is_moving() && !self.advance() {
                continue;
            }
            self.singles = self.singles.saturating_sub(1);
            let frame = Duration::from_secs_f64(1.0 / self.scene.time.frame_rate);
            // What is late is not made up for.
            next = (next + frame).max(Instant::now());
        }
    }

    fn is_moving(&self) -> bool {
        self.playing || self.singles > 0
    }

    /// A hand opens when whose it was drives no longer.
    fn follow_driver(&mut self) {
        let driver = self.crowd.borrow().driver();
        if driver != self.driver {
            self.driver = driver;
            // Whose numbers these were is not heard any more.
            self.applied = 0;
            self.release();
        }
    }

    fn release(&mut self) {
        for view in &mut self.views {
            view.grip.release();
            view.hold();
        }
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Do { from, what: Numbered { n, command } } => {
                // The hand that opens is the old driver's, not what the new one takes now.
                self.follow_driver();
                let done = self.carry_out(&command);
                self.applied = self.applied.max(n);
                if matches!(command, Command::Set(_)) {
                    // After what was refused, too: orders that come are told from how things are.
                    self.tell_settings();
                }
                if let Err(message) = done {
                    self.board.tell(Some(from), &json!({ "is": "refused", "n": n, "message": message }));
                }
            }
            // Who asked may have gone.
            Order::Take(reply) => drop(reply.send(self.recording.as_ref().and_then(Recording::now))),
        }
    }

    fn carry_out(&mut self, command: &Command) -> Result<(), String> {
        match command {
            // Whoever drives, the crowd knows, and who has seen what, the client's own task.
            Command::Drive | Command::Seen => {}
            Command::Play | Command::Pause => {
                self.playing = *command == Command::Play;
                (self.singles, self.error) = (0, None);
            }
            Command::Step => {
                self.playing = false;
                self.singles += 1;
                self.error = None;
            }
            Command::Reset => self.reset()?,
            Command::Grab { vertex, target, radius } => {
                self.known(*vertex)?;
                for view in &mut self.views {
                    let (model, state) = (view.model().clone(), view.state.clone());
                    view.grip.grab(&model, &state.x, *vertex, *radius, *target);
                    view.hold();
                }
                return Ok(());
            }
            Command::Drag { target } => {
                for view in &mut self.views {
                    if view.grip.drag(*target) {
                        view.hold();
                    }
                }
                return Ok(());
            }
            Command::Release => {
                self.release();
                return Ok(());
            }
            Command::Pin { vertex, on } => {
                self.known(*vertex)?;
                for view in &mut self.views {
                    let (model, state) = (view.model().clone(), view.state.clone());
                    view.grip.pin(&model, &state.x, *vertex, *on);
                    view.hold();
                }
            }
            Command::Set(change) => self.set(change)?,
            Command::Scene { name } => self.open(name)?,
            Command::Show { residual, curve } => {
                let Shown { residual: r, curve: c } = self.shown;
                self.shown = Shown { residual: residual.unwrap_or(r), curve: curve.unwrap_or(c) };
            }
            Command::Record { on } => self.record(*on)?,
        }
        self.publish_state();
        Ok(())
    }

    fn known(&self, vertex: u32) -> Result<(), String> {
        let count = self.views[0].model().vertices();
        if (vertex as usize) < count { Ok(()) } else { Err(format!("there is no vertex {vertex}, only {count}")) }
    }

    fn reset(&mut self) -> Result<(), String> {
        if self.recording.as_ref().is_some_and(|recording| recording.on) {
            self.notice("The recording has ended with the reset. It can be saved.");
        }
        self.end_recording();
        (self.singles, self.error) = (0, None);
        for view in &mut self.views {
            view.reset().map_err(|error| error.to_string())?;
        }
        self.publish_frames();
        Ok(())
    }

    /// Other settings: simulations are made anew and go on where they are. If that fails everything stays.
    fn set(&mut self, change: &Change) -> Result<(), String> {
        let settings = self.settings.changed(change)?;
        if settings == self.settings {
            return Ok(());
        }
        self.publish_busy(format!("changing {}", self.scene.name));
        self.make_with(settings).inspect_err(|_| self.publish_state())
    }

    fn make_with(&mut self, settings: Settings) -> Result<(), String> {
        let Session { devices, scene, views, inbox, .. } = self;
        let mut made = Vec::new();
        let old = views.len();
        for (k, scene) in scenes(scene, &settings).into_iter().enumerate() {
            let mut view = make(*devices, &scene, &inbox.stop).map_err(|error| error.to_string())?;
            view.go_on_from(&mut views[k.min(old - 1)]).map_err(|error| error.to_string())?;
            made.push(view);
        }
        (self.views, self.settings, self.error) = (made, settings, None);
        self.publish_frames();
        Ok(())
    }

    fn open(&mut self, name: &str) -> Result<(), String> {
        self.publish_busy(format!("making {name}"));
        let opened = self.library.open(name).and_then(|scene| {
            let view = make(self.devices, &scene, &self.inbox.stop).map_err(|error| error.to_string())?;
            Ok((scene, view))
        });
        let (scene, view) = match opened {
            Ok(opened) => opened,
            Err(message) => {
                self.publish_state();
                return Err(message);
            }
        };
        if self.recording.take().is_some_and(|recording| recording.frames() > 0) {
            self.notice(&format!("The recording of {} is gone: another scene was chosen.", self.scene.name));
        }
        self.generation += 1;
        self.show = Show::new(&scene, view.model(), &view.state, self.generation);
        (self.scene, self.settings, self.views) = (scene, Settings::default(), vec![view]);
        // Who has paused looks at the beginning first.
        (self.singles, self.error) = (0, None);
        self.publish_all();
        Ok(())
    }

    /// Tells whoever ends steps what would change something.
    fn tell_settings(&self) {
        let methods = crate::state::fitting(&self.views[0]);
        self.inbox.tell(Known { settings: self.settings.clone(), methods });
    }

    fn record(&mut self, on: bool) -> Result<(), String> {
        if !on {
            self.end_recording();
            return Ok(());
        }
        let view = &self.views[0];
        let mut recording = Recording::new(view)?;
        recording.add(view).map_err(|error| error.to_string())?;
        self.recording = Some(recording);
        Ok(())
    }

    fn end_recording(&mut self) {
        if let Some(recording) = &mut self.recording {
            recording.on = false;
        }
    }
}

/// The scene with settings, once or for two methods.
fn scenes(scene: &Scene, settings: &Settings) -> Vec<Scene> {
    let first = settings.applied_to(scene);
    let second = settings.compare.clone().map(|method| {
        let mut second = first.clone();
        second.solver.method = method;
        second
    });
    std::iter::once(first).chain(second).collect()
}

fn make(devices: &impl Devices, scene: &Scene, stop: &Stop) -> Result<View, crate::ViewError> {
    check_memory(scene, Use::Run).map_err(SimulationError::from)?;
    let view = View::new(devices, scene.clone(), stop)?;
    refuse_faulty_meshes(scene, view.model()).map_err(Box::new)?;
    Ok(view)
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "session_gpu_tests.rs"]
mod gpu_tests;
