//! What the simulation shows to everybody: always the newest only, so that a slow client costs nothing.

use axum::body::Bytes;
use pliant::model::{Model, State};
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{broadcast, watch};

/// How many notices a client may be behind before it misses some.
const NOTICES: usize = 64;

/// Who a client is, for as long as it is connected.
pub(crate) type ClientId = u64;

/// A text for all clients, or for one.
#[derive(Clone, Debug)]
pub(crate) struct Notice {
    pub to: Option<ClientId>,
    pub text: Arc<str>,
}

/// Positions of a view with what they are positions of.
#[derive(Clone)]
pub(crate) struct Snapshot {
    /// Scene, method and frame, as files of it are called.
    pub name: String,
    pub model: Arc<Model>,
    pub state: Arc<State>,
}

/// See the module.
pub(crate) struct Board {
    /// Empty before there is one.
    pub topology: watch::Sender<Bytes>,
    /// Of both views; empty where there is none.
    pub frames: [watch::Sender<Bytes>; 2],
    /// What has no need of a frame; null before there is any.
    pub state: watch::Sender<Arc<Value>>,
    pub notices: broadcast::Sender<Notice>,
    snapshots: Mutex<[Option<Snapshot>; 2]>,
}

impl Board {
    pub fn new() -> Self {
        Self {
            topology: watch::Sender::new(Bytes::new()),
            frames: [(); 2].map(|()| watch::Sender::new(Bytes::new())),
            state: watch::Sender::new(Arc::new(Value::Null)),
            notices: broadcast::Sender::new(NOTICES),
            snapshots: Mutex::new([None, None]),
        }
    }

    /// Tells all clients, or one.
    pub fn tell(&self, to: Option<ClientId>, message: &Value) {
        // Nobody may be there.
        let _ = self.notices.send(Notice { to, text: message.to_string().into() });
    }

    pub fn snapshot(&self, view: usize) -> Option<Snapshot> {
        self.snapshots().get(view).cloned().flatten()
    }

    pub fn keep(&self, view: usize, snapshot: Option<Snapshot>) {
        if let Some(place) = self.snapshots().get_mut(view) {
            *place = snapshot;
        }
    }

    fn snapshots(&self) -> MutexGuard<'_, [Option<Snapshot>; 2]> {
        self.snapshots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
