//! Progress and messages on stderr: bars on a terminal, a plain line now and then elsewhere.

use crate::interrupt::{self, Phase};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use pliant::output::{RunHooks, RunStage};
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};
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

/// Shows warnings, unless somebody else does those of steps, and with `verbose` notes; `PLIANT_LOG` says otherwise if it is set.
pub(crate) fn start_log(verbose: bool, steps_are_shown: bool) {
    let level = match (verbose, steps_are_shown) {
        (true, _) => "info",
        (false, true) => "warn,pliant::step=error",
        (false, false) => "warn",
    };
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

/// When a line is due where there is no terminal: soon, so that one sees something happen, then more and more rarely,
/// so that logs stay short.
struct Pace {
    next: Duration,
}

impl Pace {
    const FIRST: Duration = Duration::from_secs(2);
    const LONGEST: Duration = Duration::from_secs(60);

    fn is_due(&mut self, elapsed: Duration) -> bool {
        let due = elapsed >= self.next;
        if due {
            self.next = elapsed + elapsed.clamp(Self::FIRST, Self::LONGEST);
        }
        due
    }
}

/// Does something that may take a while, and shows meanwhile that it is being done.
pub(crate) fn showing<T>(what: &str, work: impl FnOnce() -> T) -> T {
    // Ctrl-C may end this at once: there is nothing to save.
    let mut progress = Progress::new(false, Arc::default());
    progress.begin(what, 0, "");
    let done = work();
    progress.clear();
    done
}

/// Shows how far a command is.
pub(crate) struct Progress {
    /// There is no terminal.
    lines: bool,
    verbose: bool,
    stop: Arc<AtomicBool>,
    bar: ProgressBar,
    begun: Instant,
    pace: Pace,
    what: String,
    unit: String,
    total: u64,
    /// Tenths of the stage that have been said.
    tenths: u64,
}

impl Progress {
    pub fn new(verbose: bool, stop: Arc<AtomicBool>) -> Self {
        Self {
            lines: !io::stderr().is_terminal(),
            verbose,
            stop,
            bar: ProgressBar::hidden(),
            begun: Instant::now(),
            pace: Pace { next: Pace::FIRST },
            what: String::new(),
            unit: String::new(),
            total: 0,
            tenths: 0,
        }
    }

    /// A new stage, with so many `unit`s to do; 0: not known.
    pub fn begin(&mut self, what: &str, total: u64, unit: &str) {
        self.clear();
        (self.total, self.tenths) = (total, 0);
        (self.what, self.unit) = (what.to_string(), unit.to_string());
        if self.lines && (self.verbose || self.pace.is_due(self.begun.elapsed())) {
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
        let asked_for = self.verbose && tenths > self.tenths;
        if self.lines && (asked_for || self.pace.is_due(self.begun.elapsed())) {
            say(&format!("{}: {done}/{} {}", self.what, self.total, self.unit));
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
        interrupt::enter(match stage {
            RunStage::Preparing => Phase::Preparing,
            RunStage::Simulating => Phase::Simulating,
            RunStage::Referencing | RunStage::Writing | RunStage::Drawing => Phase::Simulated,
        });
        self.begin(what, total, unit);
    }

    fn progress(&mut self, done: u64) {
        self.set(done);
    }

    fn replaces(&mut self, earlier: &str) {
        say(&format!("replacing {earlier}"));
    }

    fn stop_requested(&mut self) -> bool {
        self.stopped()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_soon_then_rarely_and_never_end() {
        let mut pace = Pace { next: Pace::FIRST };
        let said: Vec<u64> = (0..400).filter(|second| pace.is_due(Duration::from_secs(*second))).collect();
        assert_eq!(said, [2, 4, 8, 16, 32, 64, 124, 184, 244, 304, 364]);
    }
}
