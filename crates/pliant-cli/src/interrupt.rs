//! Signals. Of Ctrl-C and SIGTERM the first asks for an orderly end, the second ends at once; limits on files end nothing.

use crate::Exit;
use crate::failure::print_plain;
use crate::progress::say;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// How far a run has come, which decides what is lost if it ends at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Nothing was simulated yet.
    Preparing = 0,
    /// Steps are made, and a checkpoint now and then.
    Simulating = 1,
    /// The last state is saved.
    Simulated = 2,
}

/// The phase of the run of this process; a process does one.
static PHASE: AtomicU8 = AtomicU8::new(Phase::Preparing as u8);

/// A run has come to a phase.
pub(crate) fn enter(phase: Phase) {
    PHASE.store(phase as u8, Ordering::SeqCst);
}

/// How far the run has come.
pub(crate) fn phase() -> Phase {
    match PHASE.load(Ordering::SeqCst) {
        0 => Phase::Preparing,
        1 => Phase::Simulating,
        _ => Phase::Simulated,
    }
}

/// A write beyond the limit on the size of files (`ulimit -f`) ends a process with SIGXFSZ and without a word. Ignored, the
/// write fails as on a full disk, and is told as that is.
pub(crate) fn outlive_file_limits() {
    #[cfg(unix)]
    // SAFETY: no handler is installed, so none can run at a bad time; nothing else in the process handles this signal.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Becomes true when the user has asked a viewer to stop, which loses nothing.
pub(crate) fn watch_viewer() -> Arc<AtomicBool> {
    let asked = Arc::new(AtomicBool::new(false));
    let seen = asked.clone();
    let handler = move || {
        if seen.swap(true, Ordering::SeqCst) {
            end_now();
        }
        // A large scene that is being made is made to its end.
        aside(|| say("the viewer ends; press Ctrl-C again to end it at once"));
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        tracing::warn!("Ctrl-C will end the viewer at once: {error}");
    }
    asked
}

/// Becomes true when the user has asked to stop. Asked twice, the process ends at once and says what is `lost`.
pub(crate) fn watch(json: bool, lost: impl Fn() -> String + Send + 'static) -> Arc<AtomicBool> {
    let asked = Arc::new(AtomicBool::new(false));
    let seen = asked.clone();
    let handler = move || {
        if !seen.swap(true, Ordering::SeqCst) {
            aside(|| say("stopping after this step; press Ctrl-C again to stop at once"));
            return;
        }
        let message = format!("stopped at once: {}", lost());
        aside(move || {
            say(&message);
            if json {
                print_plain("interrupted", &message, Exit::Interrupted);
            }
        });
        end_now();
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        tracing::warn!("Ctrl-C will end the run without saving: {error}");
    }
    asked
}

/// Says something, but never waits long for a terminal or a pipe that takes nothing.
fn aside(talk: impl FnOnce() + Send + 'static) {
    let (done, said) = mpsc::channel();
    std::thread::spawn(move || {
        talk();
        // Who waited may have gone.
        let _ = done.send(());
    });
    let _ = said.recv_timeout(Duration::from_millis(500));
}

/// Files are replaced whole or not at all, so there is nothing to clean up. Other threads still work, possibly with a
/// driver whose own clean-up at the end of a process would trip over them.
fn end_now() -> ! {
    #[cfg(unix)]
    // SAFETY: `_exit` only ends the process.
    unsafe {
        libc::_exit(Exit::Interrupted as i32)
    }
    #[cfg(not(unix))]
    std::process::exit(Exit::Interrupted as i32)
}
