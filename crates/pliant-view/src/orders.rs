//! What reaches the simulation.

use crate::board::ClientId;
use crate::command::{Command, Numbered};
use crate::recording::Take;
use pliant::step::Stop;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
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

impl Order {
    /// Whether nobody wants the step that is under way any more.
    fn ends_step(&self) -> bool {
        let Self::Do { what, .. } = self else { return false };
        matches!(what.command, Command::Pause | Command::Reset | Command::Set(_) | Command::Scene { .. })
    }
}

/// The way to the simulation.
pub(crate) struct Orders {
    sender: SyncSender<Order>,
    stop: Stop,
}

impl Orders {
    /// Sends without waiting. A long step is not waited for either, where it is not to go on.
    pub fn send(&self, order: Order) -> Result<(), TrySendError<Order>> {
        let ends_step = order.ends_step();
        self.sender.try_send(order)?;
        // After it was sent: whoever sees that the step has ended finds the order.
        if ends_step {
            self.end_step();
        }
        Ok(())
    }

    /// Ends the step that is under way.
    pub fn end_step(&self) {
        self.stop.raise();
    }
}

/// Where orders arrive.
pub(crate) struct Inbox {
    pub orders: Receiver<Order>,
    /// Raised when the step under way is not to go on.
    pub stop: Stop,
}

/// Both ends of the way to a simulation.
pub(crate) fn way() -> (Orders, Inbox) {
    let ((sender, orders), stop) = (sync_channel(WAITING), Stop::default());
    (Orders { sender, stop: stop.clone() }, Inbox { orders, stop })
}
