//! What reaches the simulation.

use crate::board::ClientId;
use crate::command::Numbered;
use crate::recording::Take;
use std::sync::mpsc::SyncSender;
use tokio::sync::oneshot;

/// How many orders may wait; more are refused.
pub(crate) const WAITING: usize = 256;

/// Something for the simulation to do.
pub(crate) enum Order {
    /// The driver wants something.
    Do { from: ClientId, what: Numbered },
    /// Somebody wants the recording.
    Take(oneshot::Sender<Option<Take>>),
}

/// The way to the simulation.
pub(crate) type Orders = SyncSender<Order>;
