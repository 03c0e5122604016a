use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ends steps that are under way, from any thread: once it is raised, the step ends at its next iteration, and every later one
/// at once, until it is lowered. Clones are the same flag.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks for the end.
    pub fn raise(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Lets steps be made again.
    pub fn lower(&self) {
        self.0.store(false, Ordering::SeqCst);
    }

    /// Whether somebody asks for the end.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
