//! Ctrl-C: the first asks for an orderly end, the second ends at once.

use crate::Exit;
use crate::progress::say;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Becomes true when the user has asked to stop.
pub(crate) fn watch() -> Arc<AtomicBool> {
    let asked = Arc::new(AtomicBool::new(false));
    let seen = asked.clone();
    let handler = move || {
        if seen.swap(true, Ordering::SeqCst) {
            std::process::exit(Exit::Interrupted as i32);
        }
        say("stopping after this step; press Ctrl-C again to stop at once");
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        tracing::warn!("Ctrl-C will end the run without saving: {error}");
    }
    asked
}
