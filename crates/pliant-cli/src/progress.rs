//! Progress and messages on stderr: bars on a terminal, plain lines elsewhere if asked for.

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use pliant::output::{RunHooks, RunStage};
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tracing_subscriber::EnvFilter;

static BARS: LazyLock<MultiProgress> = LazyLock::new(|| MultiProgress::with_draw_target(ProgressDrawTarget::stderr()));

/// Writes a line to stderr, above the bars. A stderr that is gone is nobody's problem.
pub(crate) fn say(text: &str) {
    BARS.suspend(|| {
        let _ = writeln!(io::stderr().lock(), "{text}");
    });
}

/// Lines of the log go above the bars.
struct AboveBars;

impl Write for AboveBars {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        BARS.suspend(|| io::stderr().lock().write_all(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Shows warnings, and with `verbose` notes; `PLIANT_LOG` says otherwise if it is set.
pub(crate) fn start_log(verbose: bool) {
    let level = if verbose { "info" } else { "warn" };
    let filter = EnvFilter::try_from_env("PLIANT_LOG").unwrap_or_else(|_| EnvFilter::new(level));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| AboveBars)
        .with_ansi(io::stderr().is_terminal())
        .without_time()
        .with_target(false);
    // A second call, from a test, keeps the first log.
    let _ = log.try_init();
}

/// Shows how far a command is.
pub(crate) struct Progress {
    lines: bool,
    stop: Arc<AtomicBool>,
    bar: ProgressBar,
    total: u64,
    /// Tenths of the stage that have been said.
    tenths: u64,
}

impl Progress {
    pub fn new(verbose: bool, stop: Arc<AtomicBool>) -> Self {
        let lines = verbose && !io::stderr().is_terminal();
        Self { lines, stop, bar: ProgressBar::hidden(), total: 0, tenths: 0 }
    }

    /// A new stage, with so many `unit`s to do; 0: not known.
    pub fn begin(&mut self, what: &str, total: u64, unit: &str) {
        self.clear();
        (self.total, self.tenths) = (total, 0);
        if self.lines {
            say(what);
        }
        let template = if total == 0 {
            "{spinner} {msg}  {elapsed}".to_string()
        } else {
            format!("{{msg:>10}} [{{bar:40}}] {{pos}}/{{len}} {unit}, {{eta}} left")
        };
        let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
        self.bar = BARS.add(if total == 0 { ProgressBar::new_spinner() } else { ProgressBar::new(total) });
        self.bar.set_style(style.progress_chars("=> "));
        self.bar.set_message(what.to_string());
        if total == 0 {
            self.bar.enable_steady_tick(Duration::from_millis(120));
        }
    }

    /// So much of the stage is done.
    pub fn set(&mut self, done: u64) {
        self.bar.set_position(done);
        let tenths = (10 * done).checked_div(self.total).unwrap_or(0);
        if self.lines && tenths > self.tenths {
            say(&format!("  {done}/{}", self.total));
        }
        self.tenths = tenths;
    }

    /// Nothing more to show.
    pub fn clear(&mut self) {
        self.bar.finish_and_clear();
    }

    /// Whether Ctrl-C was pressed.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

impl RunHooks for Progress {
    fn stage(&mut self, stage: RunStage, total: u64) {
        let (what, unit) = match stage {
            RunStage::Preparing => ("preparing", ""),
            RunStage::Simulating => ("simulating", "steps"),
            RunStage::Referencing => ("solving the last step by the reference", ""),
            RunStage::Writing => ("writing the animation", ""),
            RunStage::Drawing => ("drawing", "frames"),
        };
        self.begin(what, total, unit);
    }

    fn progress(&mut self, done: u64) {
        self.set(done);
    }

    fn stop_requested(&mut self) -> bool {
        self.stopped()
    }
}
