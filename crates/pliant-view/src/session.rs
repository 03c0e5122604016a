//! The simulation that is looked at: a thread that steps at its own pace, does what the driver wants between frames, and shows
//! the newest frame on the board. Nobody who looks on can slow it down.

use crate::board::{Board, ClientId, Snapshot};
use crate::command::{Command, Numbered};
use crate::convergence::{Before, Step, Watcher};
use crate::crowd::Crowd;
use crate::library::Library;
use crate::orders::{Order, WAITING};
use crate::recording::Recording;
use crate::settings::{Change, Settings};
use crate::view::View;
use axum::body::Bytes;
use pliant::device::Devices;
use pliant::model::{Use, check_memory};
use pliant::output::{FrameFacts, Show, ShownFrame, refuse_faulty_meshes};
use pliant::scene::Scene;
use pliant::step::SimulationError;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
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
    library: Library,
    /// As its file says it.
    scene: Scene,
    settings: Settings,
    /// One, or two that are compared.
    views: Vec<View>,
    show: Show,
    generation: u32,
    playing: bool,
    shown: Shown,
    recording: Option<Recording>,
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
        crowd: watch::Receiver<Crowd>,
        (scene, library): (Scene, Library),
    ) -> Result<Self, crate::ViewError> {
        let view = make(devices, &scene)?;
        let show = Show::new(&scene, view.model(), &view.state, 1);
        let mut session = Self {
            devices,
            board,
            crowd,
            library,
            scene,
            settings: Settings::default(),
            views: vec![view],
            show,
            generation: 1,
            playing: true,
            shown: Shown::default(),
            recording: None,
            told: Instant::now(),
            watcher: Watcher::default(),
            driver: None,
            applied: 0,
            error: None,
        };
        session.publish_all();
        Ok(session)
    }

    /// Simulates until `stop`.
    pub fn run(mut self, orders: &Receiver<Order>, stop: &AtomicBool) {
        let mut next = Instant::now();
        while !stop.load(Ordering::Relaxed) {
            self.follow_driver();
            // Where nobody looks, nothing moves.
            let moving = self.playing && self.crowd.borrow().len() > 0;
            let wait = if moving { next.saturating_duration_since(Instant::now()) } else { IDLE };
            match orders.recv_timeout(wait) {
                Ok(order) => self.obey(order),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if !moving || Instant::now() < next {
                continue;
            }
            // However many orders come, there is a frame after those that wait.
            for order in orders.try_iter().take(WAITING) {
                self.obey(order);
            }
            if self.playing {
                self.advance();
            }
            let frame = Duration::from_secs_f64(1.0 / self.scene.time.frame_rate);
            // What is late is not made up for.
            next = (next + frame).max(Instant::now());
        }
    }

    /// A hand opens when whose it was drives no longer.
    fn follow_driver(&mut self) {
        let driver = self.crowd.borrow().driver();
        if driver != self.driver {
            self.driver = driver;
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
                let done = self.carry_out(&command);
                self.applied = self.applied.max(n);
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
                self.error = None;
            }
            Command::Step => {
                self.playing = false;
                self.error = None;
                self.advance();
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
        self.end_recording();
        self.error = None;
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
        let Session { devices, scene, views, .. } = self;
        let mut made = Vec::new();
        let old = views.len();
        for (k, scene) in scenes(scene, &settings).into_iter().enumerate() {
            let mut view = make(*devices, &scene).map_err(|error| error.to_string())?;
            view.go_on_from(&mut views[k.min(old - 1)]).map_err(|error| error.to_string())?;
            made.push(view);
        }
        (self.views, self.settings, self.error) = (made, settings, None);
        self.publish_frames();
        Ok(())
    }

    fn open(&mut self, name: &str) -> Result<(), String> {
        self.board.state.send_modify(|state| {
            let mut busy = (**state).clone();
            busy["busy"] = format!("making {name}").into();
            *state = Arc::new(busy);
        });
        let opened = self.library.open(name).and_then(|scene| {
            let view = make(self.devices, &scene).map_err(|error| error.to_string())?;
            Ok((scene, view))
        });
        let (scene, view) = match opened {
            Ok(opened) => opened,
            Err(message) => {
                self.publish_state();
                return Err(message);
            }
        };
        self.recording = None;
        self.generation += 1;
        self.show = Show::new(&scene, view.model(), &view.state, self.generation);
        (self.scene, self.settings, self.views) = (scene, Settings::default(), vec![view]);
        (self.playing, self.error) = (true, None);
        self.publish_all();
        Ok(())
    }

    fn record(&mut self, on: bool) -> Result<(), String> {
        if !on {
            self.end_recording();
            return Ok(());
        }
        let view = &self.views[0];
        let mut recording = Recording::new(&view.scene, view.model(), view.state.time)?;
        recording.add(&view.state.x).map_err(|error| error.to_string())?;
        self.recording = Some(recording);
        Ok(())
    }

    fn end_recording(&mut self) {
        if let Some(recording) = &mut self.recording {
            recording.on = false;
        }
    }

    /// Simulates and shows a frame of every view.
    fn advance(&mut self) {
        let mut steps = Vec::new();
        let look = self.shown.curve && self.watcher.is_due();
        let begun: Vec<_> = self.views.iter().map(|view| view.state.clone()).collect();
        for k in 0..self.views.len() {
            let mut before = look.then(Before::default);
            let view = &mut self.views[k];
            let (mut facts, failed) = view.frame(before.as_mut());
            if let Some(error) = failed {
                facts.error = Some(error.to_string());
                self.fail(k, error);
                // Views that are compared stay together.
                for (view, state) in self.views.iter_mut().zip(&begun).take(k) {
                    if view.go_back_to(state).is_err() {
                        tracing::warn!("a view is a frame ahead");
                    }
                }
                return self.publish_frame(k, facts);
            }
            if let Some(before) = before {
                steps.push(step_of(k, view, before));
            }
            self.publish_frame(k, facts);
        }
        if !steps.is_empty() {
            self.watcher.watch(&self.board, steps);
        }
        self.keep_frame();
    }

    /// A step could not be made. Where the device failed that was not asked for, the CPU goes on; else everything waits.
    fn fail(&mut self, k: usize, error: SimulationError) {
        let automatic = self.scene.device.name == "auto" && self.views[k].simulation.is_remote();
        if matches!(error, SimulationError::Device(_)) && automatic {
            let notice = format!("{error}; going on on the CPU");
            tracing::warn!("{notice}");
            self.scene.device.name = "cpu".to_string();
            match self.move_to_cpu() {
                Ok(()) => return self.board.tell(None, &json!({ "is": "notice", "message": notice })),
                Err(error) => tracing::warn!("{error}"),
            }
        }
        (self.playing, self.error) = (false, Some(error.to_string()));
        self.publish_state();
    }

    fn move_to_cpu(&mut self) -> Result<(), SimulationError> {
        let mut made = Vec::new();
        for (mut scene, old) in scenes(&self.scene, &self.settings).into_iter().zip(&self.views) {
            scene.solver.method = old.simulation.method().name.to_string();
            let mut view = View::new(self.devices, scene)?;
            view.simulation.set_state(&old.state)?;
            (view.state, view.grip) = (old.state.clone(), old.grip.clone());
            view.hold();
            made.push(view);
        }
        self.views = made;
        self.publish_state();
        Ok(())
    }

    /// Adds the newest frame to the recording, if one is made.
    fn keep_frame(&mut self) {
        let Some(recording) = self.recording.as_mut().filter(|recording| recording.on) else { return };
        if let Err(error) = recording.add(&self.views[0].state.x) {
            recording.on = false;
            self.board.tell(None, &json!({ "is": "notice", "message": format!("the recording ends: {error}") }));
        }
        recording.on &= !recording.is_full();
        if !recording.on || self.told.elapsed() >= TOLD {
            self.told = Instant::now();
            self.publish_state();
        }
    }

    fn publish_all(&mut self) {
        self.board.topology.send_replace(Bytes::copy_from_slice(self.show.topology()));
        self.publish_state();
        self.publish_frames();
    }

    /// Frames as they are, without a step.
    fn publish_frames(&mut self) {
        for k in 0..self.views.len() {
            let facts = self.views[k].facts();
            self.publish_frame(k, facts);
        }
        for k in self.views.len()..2 {
            self.board.frames[k].send_replace(Bytes::new());
            self.board.keep(k, None);
        }
    }

    fn publish_frame(&mut self, k: usize, facts: FrameFacts) {
        let view = &mut self.views[k];
        let residual = if self.shown.residual { view.residual().ok() } else { None };
        let touching = view.model().touching(&view.state.x, view.state.time);
        let facts = FrameFacts { applied: self.applied, touching, ..facts };
        let shown = ShownFrame { view: k as u8, x: &view.state.x, residual: residual.as_deref() };
        self.board.frames[k].send_replace(self.show.frame(&shown, &facts).into());
        self.board.keep(k, Some(Snapshot { model: view.model().clone(), state: view.state.clone() }));
    }

    fn publish_state(&mut self) {
        self.board.state.send_replace(Arc::new(crate::state::describe(&crate::state::Facts {
            scene: &self.scene,
            scenes: self.library.names(),
            views: &self.views,
            settings: &self.settings,
            playing: self.playing,
            residual: self.shown.residual,
            curve: self.shown.curve,
            recording: self.recording.as_ref(),
            error: self.error.as_deref(),
        })));
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

fn make(devices: &impl Devices, scene: &Scene) -> Result<View, crate::ViewError> {
    check_memory(scene, Use::Run).map_err(SimulationError::from)?;
    let view = View::new(devices, scene.clone())?;
    refuse_faulty_meshes(scene, view.model()).map_err(Box::new)?;
    Ok(view)
}

fn step_of(k: usize, view: &View, before: Before) -> Step {
    let simulation = &view.simulation;
    Step {
        view: k,
        scene: view.scene.clone(),
        // With hands where they are, not where they were when they closed.
        model: Arc::new(view.model().in_hands(&view.grip.hands())),
        before,
        method: simulation.method().name,
        rho: simulation.rho(),
        iterations: simulation.iterations().min(4 * simulation.method().iterations),
    }
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
