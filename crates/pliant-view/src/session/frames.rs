//! Frames of a session: made, recorded, and shown on the board.

use super::{Session, TOLD};
use crate::board::Snapshot;
use crate::convergence::{Before, Step};
use crate::view::{Frame, View};
use axum::body::Bytes;
use pliant::device::Devices;
use pliant::output::{FrameFacts, ShownFrame};
use pliant::step::SimulationError;
use serde_json::json;
use std::sync::Arc;
use std::time::Instant;

impl<D: Devices> Session<'_, D> {
    /// Simulates and shows a frame of every view; whether there is one. A step that is stopped leaves it for the next time.
    pub(super) fn advance(&mut self) -> bool {
        let mut steps = Vec::new();
        let look = self.shown.curve && self.watcher.is_due();
        for k in 0..self.views.len() {
            let view = &mut self.views[k];
            match view.frame(look) {
                Frame::Made(facts, before) => {
                    steps.extend(before.map(|before| step_of(k, view, before)));
                    self.publish_frame(k, facts);
                }
                Frame::Stopped => return false,
                Frame::Failed(facts, error) => {
                    self.fail(k, facts, &error);
                    return true;
                }
            }
        }
        self.views.iter_mut().for_each(View::end_frame);
        if !steps.is_empty() {
            self.watcher.watch(&self.board, steps);
        }
        self.keep_frame();
        true
    }

    /// A step could not be made. Where the device failed that was not asked for, the CPU goes on; else everything waits.
    fn fail(&mut self, k: usize, mut facts: FrameFacts, error: &SimulationError) {
        let lost = matches!(error, SimulationError::Device(_));
        // Views that are compared stay together. What a lost device has made of this frame is lost in any case.
        for view in self.views.iter_mut().take(if lost { k + 1 } else { k }) {
            if view.go_back().is_err() {
                tracing::warn!("a view is a frame ahead");
            }
        }
        if lost && self.move_to_cpu() {
            let notice = format!("{error}; going on on the CPU");
            tracing::warn!("{notice}");
            self.tell_settings();
            self.notice(&notice);
            self.publish_state();
            return self.publish_frames();
        }
        facts.error = Some(error.to_string());
        (self.playing, self.singles, self.error) = (false, 0, facts.error.clone());
        self.publish_state();
        self.publish_frame(k, facts);
    }

    /// Whether all views go on on the CPU.
    fn move_to_cpu(&mut self) -> bool {
        let mut moved = false;
        for view in &mut self.views {
            match view.move_to_cpu(self.devices, &self.inbox.stop) {
                Ok(this) => moved |= this,
                Err(error) => {
                    tracing::warn!("the CPU does not go on: {error}");
                    return false;
                }
            }
        }
        if moved {
            // What is made from now on, too.
            self.scene.device.name = "cpu".to_string();
        }
        moved
    }

    /// Adds the newest frame to the recording, if one is made.
    fn keep_frame(&mut self) {
        let Some(recording) = self.recording.as_mut().filter(|recording| recording.on) else { return };
        if let Err(error) = recording.add(&self.views[0]) {
            recording.on = false;
            let notice = format!("the recording ends: {error}");
            self.board.tell(None, &json!({ "is": "notice", "message": notice }));
        }
        recording.on &= !recording.is_full();
        if !recording.on || self.told.elapsed() >= TOLD {
            self.told = Instant::now();
            self.publish_state();
        }
    }

    pub(super) fn publish_all(&mut self) {
        self.board.topology.send_replace(Bytes::copy_from_slice(self.show.topology()));
        self.tell_settings();
        self.publish_state();
        self.publish_frames();
    }

    /// Frames as they are, without a step.
    pub(super) fn publish_frames(&mut self) {
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
        let name = format!("{}-{}-{:06}", view.scene.name, view.simulation.method().name, view.number());
        self.board.keep(k, Some(Snapshot { name, model: view.model().clone(), state: view.state.clone() }));
    }

    pub(super) fn notice(&self, message: &str) {
        self.board.tell(None, &json!({ "is": "notice", "message": message }));
    }

    /// Says what takes a while, until the state is published again.
    pub(super) fn publish_busy(&mut self, doing: String) {
        self.board.state.send_modify(|state| {
            let mut busy = (**state).clone();
            busy["busy"] = doing.into();
            *state = Arc::new(busy);
        });
    }

    pub(super) fn publish_state(&mut self) {
        self.board.state.send_replace(Arc::new(crate::state::describe(&crate::state::Facts {
            scene: &self.scene,
            scenes: self.library.names(),
            views: &self.views,
            settings: &self.settings,
            playing: self.playing,
            residual: self.shown.residual,
            curve: self.shown.curve,
            recording: self.recording.as_ref(),
            begun: self.begun,
            error: self.error.as_deref(),
        })));
    }
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
        phases: *simulation.phases(),
    }
}
