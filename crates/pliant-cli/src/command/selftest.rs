//! `pliant selftest`

use crate::Exit;
use crate::args::{Args, SelftestArgs};
use crate::printed::{print, print_json};
use crate::progress::{Progress, say};
use crate::table::{Table, short};
use pliant::device::{Device, DeviceError, Devices, Task};
use pliant::scene::{DeviceSettings, Precision};
use pliant_gpu::selftest::{Check, Extent, Suite};
use pliant_gpu::{AllDevices, adapters};
use serde_json::json;
use std::sync::Arc;
use std::time::Instant;

pub(crate) fn selftest(args: &Args, typed: &SelftestArgs) -> anyhow::Result<Exit> {
    let begun = Instant::now();
    let settings = DeviceSettings { name: typed.device.clone(), precision: Precision::F32 };
    let extent = if typed.large { Extent::Largest } else { Extent::Usual };
    let tested = AllDevices.run(&settings, Test { extent, verbose: args.verbose, auto: typed.device == "auto" })??;
    let failed = tested.checks.iter().filter(|check| !check.passed).count();
    let seconds = begun.elapsed().as_secs_f64();
    if args.json {
        let checks: Vec<_> = tested.checks.iter().map(object).collect();
        print_json(&json!({
            "device": tested.device,
            "precision": tested.precision,
            "passed": failed == 0,
            "failed": failed,
            "seconds": seconds,
            "checks": checks,
        }))?;
    } else {
        let table = if args.verbose { all(&tested.checks) } else { worst(&tested.checks) };
        print(&format!("{}\n{}", table.text(), summary(&tested, failed, seconds)))?;
    }
    Ok(if failed == 0 { Exit::Done } else { Exit::DeviceFailed })
}

/// What a device did.
struct Tested {
    device: String,
    precision: &'static str,
    checks: Vec<Check>,
}

struct Test {
    extent: Extent,
    verbose: bool,
    /// The device was not named.
    auto: bool,
}

impl Task for Test {
    type Output = Result<Tested, DeviceError>;

    fn on<D: Device + 'static>(self, mut device: D) -> Self::Output
    where
        D::Points: 'static,
    {
        let (name, precision) = (device.name(), device.precision());
        if self.auto && name == "cpu" {
            say(&instead());
        }
        // Ctrl-C may end this at once: there is nothing to save.
        let mut progress = Progress::new(self.verbose, Arc::default());
        progress.begin("finding the exact answers", 0, "");
        let suite = Suite::new(self.extent)?;
        progress.begin("testing", suite.count(&device) as u64, "checks");
        let mut done = 0;
        let checks = suite.run(&mut device, &mut |_| {
            done += 1;
            progress.set(done);
        })?;
        Ok(Tested { device: name, precision, checks })
    }
}

/// What is tested where there is no GPU to test.
fn instead() -> String {
    let more = match adapters().first() {
        Some(software) => format!("--device gpu would test the software adapter, {}", software.name),
        None => "`pliant devices` lists what there is".to_string(),
    };
    format!("no hardware GPU can be used here, so this tests the CPU in f32; {more}")
}

fn object(check: &Check) -> serde_json::Value {
    json!({
        "check": check.verb,
        "model": check.model,
        "vertices": check.vertices,
        "error": check.error,
        "bound": check.bound,
        "passed": check.passed,
        "ms": check.ms,
    })
}

fn said(passed: bool) -> String {
    if passed { "ok" } else { "FAILED" }.to_string()
}

/// A line per check.
fn all(checks: &[Check]) -> Table {
    let mut table = Table::new(&["check", "model", "vertices", "error", "bound", "ms", ""]);
    for Check { verb, model, vertices, error, bound, passed, ms } in checks {
        let [error, bound, ms] = [*error, *bound, *ms].map(short);
        table.row([verb.to_string(), model.clone(), vertices.to_string(), error, bound, ms, said(*passed)]);
    }
    table
}

/// A line per verb or method, with the model where it came nearest to its bound; where it failed, a line per failure.
fn worst(checks: &[Check]) -> Table {
    let mut verbs: Vec<&str> = Vec::new();
    for check in checks {
        if !verbs.contains(&check.verb) {
            verbs.push(check.verb);
        }
    }
    let share = |check: &Check| if check.error == 0.0 { 0.0 } else { check.error / check.bound };
    let mut table = Table::new(&["check", "models", "worst model", "vertices", "error", "bound", ""]);
    for verb in verbs {
        let mut shown: Vec<&Check> = checks.iter().filter(|check| check.verb == verb).collect();
        let models = shown.len();
        if shown.iter().all(|check| check.passed) {
            shown.sort_by(|a, b| share(b).total_cmp(&share(a)));
            shown.truncate(1);
        } else {
            shown.retain(|check| !check.passed);
        }
        for Check { model, vertices, error, bound, passed, .. } in shown {
            let [models, vertices] = [models, *vertices].map(|n| n.to_string());
            let [error, bound] = [*error, *bound].map(short);
            table.row([verb.to_string(), models, model.clone(), vertices, error, bound, said(*passed)]);
        }
    }
    table
}

fn summary(tested: &Tested, failed: usize, seconds: f64) -> String {
    let Tested { device, precision, checks } = tested;
    let (count, seconds) = (checks.len(), short(seconds));
    if failed == 0 {
        return format!("{device}, {precision}: all {count} checks passed in {seconds} s");
    }
    format!(
        "{device}, {precision}: {failed} of {count} checks FAILED in {seconds} s. Results of this device are not to be \
         trusted: update its driver, or use --device cpu"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(verb: &'static str, model: &str, error: f64) -> Check {
        let bound = 1e-6;
        Check { verb, model: model.to_string(), vertices: 64, error, bound, passed: error <= bound, ms: 1.0 }
    }

    #[test]
    fn the_table_has_the_worst_of_what_passed_and_all_that_failed() {
        let checks = [
            check("copy", "cloth", 1e-8),
            check("jacobi", "cloth", 3e-6),
            check("copy", "solids", 5e-7),
            check("jacobi", "shell", 1e-7),
            check("jacobi", "points", f64::INFINITY),
        ];
        let text = worst(&checks).text();
        let lines: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(lines[0].contains("solids") && lines[0].ends_with("ok"), "{text}");
        assert!(lines[1].contains("cloth") && lines[1].ends_with("FAILED"), "{text}");
        assert!(lines[2].contains("points") && lines[2].ends_with("FAILED"), "{text}");
        assert_eq!(all(&checks).text().lines().count(), 2 + checks.len());
    }

    #[test]
    fn the_summary_says_whether_to_trust_the_device() {
        let tested =
            Tested { device: "gpu: X".to_string(), precision: "f32", checks: vec![check("copy", "cloth", 1.0)] };
        assert!(summary(&tested, 1, 2.0).contains("1 of 1 checks FAILED"));
        assert!(summary(&tested, 0, 2.0).contains("all 1 checks passed"));
    }
}
