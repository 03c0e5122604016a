//! What reaches the simulation.

use crate::board::ClientId;
use crate::command::{Command, Numbered};
use crate::recording::Take;
use crate::settings::Settings;
use pliant::step::Stop;
use std::collections::VecDeque;
use std::mem::discriminant;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// How many orders may wait; more are refused, but for what must always be heard.
pub(crate) const WAITING: usize = 256;

/// Something for the simulation to do.
pub(crate) enum Order {
    /// The driver wants something.
    Do { from: ClientId, what: Numbered },
    /// Somebody wants the recording.
    Take(oneshot::Sender<Option<Take>>),
}

impl Order {
    fn command(&self) -> Option<&Command> {
        match self {
            Self::Do { what, .. } => Some(&what.command),
            Self::Take(_) => None,
        }
    }

    fn is_like(&self, command: &Command) -> bool {
        self.command().is_some_and(|own| discriminant(own) == discriminant(command))
    }

    /// Whether nobody wants the step that is under way any more; of settings, [`Queue::settings_after`] knows.
    fn ends_step(&self) -> bool {
        matches!(self.command(), Some(Command::Pause | Command::Reset | Command::Scene { .. }))
    }

    /// Heard however many wait: a hand must open and a step must end even where a long step has let orders pile up.
    fn is_urgent(&self) -> bool {
        matches!(self.command(), Some(Command::Release | Command::Pause | Command::Reset))
    }
}

/// Why an order was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unsent {
    /// Too many wait.
    Full,
    /// There is no simulation any more.
    Ended,
}

/// What the simulation has told of itself, so that a step is not ended for nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    pub settings: Settings,
    /// Methods that can solve the scene.
    pub methods: Vec<&'static str>,
}

impl Known {
    fn can_solve(&self, method: &Option<String>) -> bool {
        method.as_deref().is_none_or(|name| name == "auto" || self.methods.contains(&name))
    }
}

/// Orders that wait.
#[derive(Default)]
struct Queue {
    orders: VecDeque<Order>,
    known: Known,
    /// One of the ends is gone.
    ended: bool,
}

impl Queue {
    /// Where a hand is to be is asked with every picture: only the newest place counts, until the hand takes something else.
    fn forget_older_drag(&mut self) {
        let decides = |order: &Order| {
            use Command::{Drag, Grab, Release, Reset, Scene};
            matches!(order.command(), Some(Drag { .. } | Grab { .. } | Release | Reset | Scene { .. }))
        };
        let Some(last) = self.orders.iter().rposition(decides) else { return };
        if matches!(self.orders[last].command(), Some(Command::Drag { .. })) {
            self.orders.remove(last);
        }
    }

    fn put(&mut self, order: Order) -> Result<(), Unsent> {
        if self.ended {
            return Err(Unsent::Ended);
        }
        if matches!(order.command(), Some(Command::Drag { .. })) {
            self.forget_older_drag();
        }
        if self.orders.len() >= WAITING {
            match order.command() {
                // The newer one of its kind does what the older would have: there is no end of them else.
                Some(command) if order.is_urgent() => self.orders.retain(|other| !other.is_like(command)),
                _ => return Err(Unsent::Full),
            }
        }
        self.orders.push_back(order);
        Ok(())
    }

    /// Other settings, if there will be some once this is done after all that wait. What is refused, or changes nothing, is no
    /// reason to end a step.
    fn settings_after(&self, order: &Order) -> Option<Settings> {
        let Some(Command::Set(change)) = order.command() else { return None };
        let Known { settings: now, .. } = &self.known;
        let then = now.changed(change).ok().filter(|then| then != now)?;
        (self.known.can_solve(&then.method) && self.known.can_solve(&then.compare)).then_some(then)
    }
}

/// Both ends share this.
#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    come: Condvar,
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The way to the simulation.
pub(crate) struct Orders {
    shared: Arc<Shared>,
    stop: Stop,
}

impl Orders {
    /// Sends without waiting. A long step is not waited for either, where it is not to go on.
    pub fn send(&self, order: Order) -> Result<(), Unsent> {
        let mut queue = self.shared.queue();
        let planned = queue.settings_after(&order);
        let ends_step = planned.is_some() || order.ends_step();
        queue.put(order)?;
        if let Some(planned) = planned {
            queue.known.settings = planned;
        }
        drop(queue);
        self.shared.come.notify_one();
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

impl Drop for Orders {
    fn drop(&mut self) {
        self.shared.queue().ended = true;
        self.shared.come.notify_one();
    }
}

/// Where orders arrive.
pub(crate) struct Inbox {
    shared: Arc<Shared>,
    /// Raised when the step under way is not to go on.
    pub stop: Stop,
}

impl Inbox {
    /// The next order, if one comes in time; an error where none will ever come again.
    pub fn next(&self, patience: Duration) -> Result<Option<Order>, Unsent> {
        let until = Instant::now() + patience;
        let mut queue = self.shared.queue();
        loop {
            if let Some(order) = queue.orders.pop_front() {
                return Ok(Some(order));
            }
            let left = until.saturating_duration_since(Instant::now());
            if queue.ended {
                return Err(Unsent::Ended);
            }
            if left.is_zero() {
                return Ok(None);
            }
            queue = self.shared.come.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// All that wait.
    pub fn waiting(&self) -> VecDeque<Order> {
        std::mem::take(&mut self.shared.queue().orders)
    }

    /// Tells how things are, where no order that waits will change them.
    pub fn tell(&self, known: Known) {
        let mut queue = self.shared.queue();
        if queue.orders.is_empty() {
            queue.known = known;
        } else {
            queue.known.methods = known.methods;
        }
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        let mut queue = self.shared.queue();
        queue.ended = true;
        // Who waits for an answer hears that there is none.
        queue.orders.clear();
    }
}

/// Both ends of the way to a simulation.
pub(crate) fn way() -> (Orders, Inbox) {
    let (shared, stop) = (Arc::<Shared>::default(), Stop::default());
    (Orders { shared: shared.clone(), stop: stop.clone() }, Inbox { shared, stop })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::parse;

    fn order(text: &str) -> Order {
        Order::Do { from: 1, what: parse(text).unwrap() }
    }

    fn sent(orders: &Orders, text: &str) -> Result<(), Unsent> {
        orders.send(order(text))
    }

    fn commands(inbox: &Inbox) -> Vec<Command> {
        inbox.waiting().iter().filter_map(|order| order.command().cloned()).collect()
    }

    fn drag(x: f64) -> Command {
        Command::Drag { target: [x, 0.0, 0.0] }
    }

    #[test]
    fn of_a_long_drag_the_newest_place_waits_and_the_hand_opens_after_it() {
        let (orders, inbox) = way();
        assert_eq!(sent(&orders, r#"{"do":"grab","vertex":1,"target":[0,0,0]}"#), Ok(()));
        for k in 0..10_000 {
            assert_eq!(sent(&orders, &format!(r#"{{"do":"drag","target":[{k},0,0]}}"#)), Ok(()));
        }
        assert_eq!(sent(&orders, r#"{"do":"release"}"#), Ok(()));
        assert_eq!(sent(&orders, r#"{"do":"drag","target":[5,0,0]}"#), Ok(()));
        let done = commands(&inbox);
        assert_eq!(done[1..], [drag(9999.0), Command::Release, drag(5.0)]);
    }

    #[test]
    fn where_too_many_wait_release_pause_and_reset_are_heard_and_nothing_grows() {
        let (orders, inbox) = way();
        (0..WAITING).for_each(|_| assert_eq!(sent(&orders, r#"{"do":"step"}"#), Ok(())));
        for text in [r#"{"do":"step"}"#, r#"{"do":"set","rho":0.5}"#, r#"{"do":"drag","target":[1,0,0]}"#] {
            assert_eq!(sent(&orders, text), Err(Unsent::Full), "{text}");
        }
        for _ in 0..1000 {
            for text in [r#"{"do":"release"}"#, r#"{"do":"pause"}"#, r#"{"do":"reset"}"#] {
                inbox.stop.lower();
                assert_eq!(sent(&orders, text), Ok(()));
                assert_eq!(inbox.stop.is_raised(), !text.contains("release"), "{text}");
            }
        }
        let done = commands(&inbox);
        assert_eq!(done[WAITING..], [Command::Release, Command::Pause, Command::Reset]);
    }

    #[test]
    fn settings_that_change_nothing_or_are_refused_let_the_step_go_on() {
        let (orders, inbox) = way();
        let settings = Settings { rho: Some(0.5), ..Settings::default() };
        inbox.tell(Known { settings, methods: vec!["xpbd", "pd-jacobi"] });
        for (text, ends) in [
            (r#"{"do":"set","rho":0.5}"#, false),
            (r#"{"do":"set","method":null}"#, false),
            (r#"{"do":"set","rho":7}"#, false),
            (r#"{"do":"set","iterations":0}"#, false),
            (r#"{"do":"set","method":"magic"}"#, false),
            (r#"{"do":"set","compare":"newton"}"#, false),
            (r#"{"do":"set","method":"xpbd"}"#, true),
            // It waits already.
            (r#"{"do":"set","method":"xpbd"}"#, false),
            (r#"{"do":"set","method":null}"#, true),
        ] {
            inbox.stop.lower();
            // Refused or not: who asked hears it from the simulation.
            assert_eq!(sent(&orders, text), Ok(()), "{text}");
            assert_eq!(inbox.stop.is_raised(), ends, "{text}");
        }
    }

    #[test]
    fn either_end_knows_that_the_other_is_gone() {
        let (orders, inbox) = way();
        assert!(matches!(inbox.next(Duration::ZERO), Ok(None)));
        let (reply, answer) = oneshot::channel();
        assert_eq!(orders.send(Order::Take(reply)), Ok(()));
        drop(inbox);
        assert!(answer.blocking_recv().is_err());
        assert_eq!(sent(&orders, r#"{"do":"pause"}"#), Err(Unsent::Ended));
        let (orders, inbox) = way();
        assert_eq!(sent(&orders, r#"{"do":"pause"}"#), Ok(()));
        drop(orders);
        assert!(matches!(inbox.next(Duration::ZERO), Ok(Some(_))));
        assert!(matches!(inbox.next(Duration::from_secs(9)), Err(Unsent::Ended)));
    }
}
