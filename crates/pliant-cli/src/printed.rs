//! What goes to stdout.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Prints text on stdout. A reader that has gone away (`| head`) has seen enough: that is no error.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| if text.ends_with('\n') { Ok(()) } else { stdout.write_all(b"\n") });
    match written.and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Prints one JSON object, the only one of the process: a second one, of a command that is stopped while it prints its
/// result, is left out. Numbers that are not finite become `null`.
pub(crate) fn print_json(object: &impl serde::Serialize) -> anyhow::Result<()> {
    static PRINTED: AtomicBool = AtomicBool::new(false);
    if PRINTED.swap(true, Ordering::SeqCst) {
        return Ok(());
    }
    print(&serde_json::to_string_pretty(object)?)
}
