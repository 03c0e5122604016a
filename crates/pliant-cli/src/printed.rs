//! What goes to stdout.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

/// Prints text on stdout. A reader that has gone away (`| head`) has seen enough: that is no error.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    match write_whole(&mut io::stdout().lock(), text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Writes text and the end of its line at once: a process that ends meanwhile leaves all of it or nothing, as far as the system
/// takes it in one go.
fn write_whole(out: &mut impl Write, text: &str) -> io::Result<()> {
    if text.ends_with('\n') {
        out.write_all(text.as_bytes())?;
    } else {
        out.write_all(format!("{text}\n").as_bytes())?;
    }
    out.flush()
}

/// Prints one JSON object, the only one of the process: a second one, of a command that is stopped while it prints its
/// result, is left out. Numbers that are not finite become `null`.
pub(crate) fn print_json(object: &impl serde::Serialize) -> anyhow::Result<()> {
    static PRINTED: Once = Once::new();
    let text = serde_json::to_string_pretty(object)?;
    PRINTED.done(|| print(&text))
}

/// Something that is done once. Who comes second waits until it is done: both may be about to end the process.
struct Once(Mutex<bool>);

impl Once {
    const fn new() -> Self {
        Self(Mutex::new(false))
    }

    fn done(&self, work: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<()> {
        let mut done = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *done, true) { Ok(()) } else { work() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    /// Counts what the system would be asked to write.
    #[derive(Default)]
    struct Writes(Vec<Vec<u8>>);

    impl Write for &mut Writes {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.push(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Regression: the last line of an object went out after the others, and a process that ended in between left it away.
    #[test]
    fn text_of_several_lines_goes_out_in_one_write() {
        for text in ["{\n  \"a\": 1\n}", "{\n  \"a\": 1\n}\n"] {
            let mut writes = Writes::default();
            write_whole(&mut io::LineWriter::new(&mut writes), text).unwrap();
            assert_eq!(writes.0, [b"{\n  \"a\": 1\n}\n".to_vec()]);
        }
    }

    /// Regression: the second signal ended the process while the main thread was printing its result.
    #[test]
    fn who_prints_second_waits_for_the_first_and_prints_nothing() {
        static ONCE: Once = Once::new();
        static BEGUN: AtomicBool = AtomicBool::new(false);
        static ENDED: AtomicBool = AtomicBool::new(false);
        let first = std::thread::spawn(|| {
            ONCE.done(|| {
                BEGUN.store(true, Ordering::SeqCst);
                std::thread::sleep(Duration::from_millis(200));
                ENDED.store(true, Ordering::SeqCst);
                Ok(())
            })
        });
        while !BEGUN.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        ONCE.done(|| panic!("printed twice")).unwrap();
        assert!(ENDED.load(Ordering::SeqCst));
        first.join().unwrap().unwrap();
    }
}
