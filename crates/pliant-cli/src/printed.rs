//! What goes to stdout.

use std::io::{self, Write};

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

/// Prints one JSON object. Numbers that are not finite become `null`.
pub(crate) fn print_json(object: &impl serde::Serialize) -> anyhow::Result<()> {
    print(&serde_json::to_string_pretty(object)?)
}
