//! Who is connected, and who drives.

use crate::board::ClientId;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// More clients than this are turned away.
pub(crate) const MOST: usize = 64;

/// A driver that was silent for so long may be replaced.
const SILENT: Duration = Duration::from_secs(10);

/// Who is connected, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Crowd {
    ids: Vec<ClientId>,
    driver: Option<ClientId>,
    heard: Option<Instant>,
    last: ClientId,
}

impl Crowd {
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn driver(&self) -> Option<ClientId> {
        self.driver
    }

    /// A client comes; drives if nobody does. `None` if there are too many.
    pub fn enter(&mut self, now: Instant) -> Option<ClientId> {
        if self.ids.len() >= MOST {
            return None;
        }
        self.last += 1;
        self.ids.push(self.last);
        if self.driver.is_none() {
            self.take(self.last, now);
        }
        Some(self.last)
    }

    /// A client goes; if it drove, the one that has been here longest does.
    pub fn leave(&mut self, id: ClientId, now: Instant) {
        self.ids.retain(|other| *other != id);
        if self.driver == Some(id) {
            self.driver = None;
            if let Some(&next) = self.ids.first() {
                self.take(next, now);
            }
        }
    }

    /// A client asks to drive: whether it does.
    pub fn drive(&mut self, id: ClientId, now: Instant) -> bool {
        let silent = self.heard.is_none_or(|heard| now.saturating_duration_since(heard) >= SILENT);
        if self.driver.is_none_or(|driver| driver == id || silent) {
            self.take(id, now);
        }
        self.driver == Some(id)
    }

    /// Something came from a client: whether it drives.
    pub fn hear(&mut self, id: ClientId, now: Instant) -> bool {
        let drives = self.driver == Some(id);
        if drives {
            self.heard = Some(now);
        }
        drives
    }

    fn take(&mut self, id: ClientId, now: Instant) {
        (self.driver, self.heard) = (Some(id), Some(now));
    }
}

/// As [`Crowd::hear`] on a watched crowd; nobody is woken.
pub(crate) fn hear(crowd: &watch::Sender<Crowd>, id: ClientId) -> bool {
    let mut drives = false;
    crowd.send_if_modified(|crowd| {
        drives = crowd.hear(id, Instant::now());
        false
    });
    drives
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_drives_and_the_next_when_it_leaves_or_is_silent() {
        let mut crowd = Crowd::default();
        let now = Instant::now();
        let [a, b, c] = [(); 3].map(|()| crowd.enter(now).unwrap());
        assert!(crowd.hear(a, now) && !crowd.hear(b, now));
        assert!(!crowd.drive(b, now + SILENT / 2));
        assert!(crowd.hear(a, now + SILENT / 2));
        assert!(!crowd.drive(b, now + SILENT));
        assert!(crowd.drive(b, now + SILENT * 3 / 2));
        crowd.leave(b, now);
        assert_eq!((crowd.driver(), crowd.len()), (Some(a), 2));
        crowd.leave(a, now);
        crowd.leave(c, now);
        assert_eq!((crowd.driver(), crowd.len()), (None, 0));
    }

    #[test]
    fn too_many_clients_are_turned_away_until_one_leaves() {
        let mut crowd = Crowd::default();
        let now = Instant::now();
        let ids: Vec<_> = (0..MOST).map(|_| crowd.enter(now).unwrap()).collect();
        assert_eq!(crowd.enter(now), None);
        crowd.leave(ids[5], now);
        assert!(crowd.enter(now).is_some_and(|id| !ids.contains(&id)));
    }
}
