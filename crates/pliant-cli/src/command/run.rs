//! `pliant run`

use crate::args::{Args, RunArgs};
use crate::interrupt::Phase;
use crate::printed::print_json;
use crate::progress::{Progress, say};
use crate::table::{counts, pairs, short};
use crate::{Exit, interrupt};
use pliant::counted::counted;
use pliant::output::{DEFAULT_PREVIEWS, RunOptions, RunReport, Status};
use pliant::scene::Scene;
use pliant_gpu::AllDevices;
use std::time::Instant;

pub(crate) fn run(args: &Args, typed: &RunArgs) -> anyhow::Result<Exit> {
    let (scene, options) = meant(typed)?;
    let begun = Instant::now();
    let checkpoint = options.out.join("checkpoint");
    let stop = interrupt::watch(args.json, move || lost(interrupt::phase(), checkpoint.exists()));
    let mut progress = Progress::new(args.verbose, stop);
    let report = pliant::output::run(&AllDevices, &scene, &options, &mut progress)?;
    progress.clear();
    say(&summary(&report, begun.elapsed().as_secs_f64()));
    if let Some(reason) = &report.reason {
        let what = if report.status == Status::Interrupted { "interrupted" } else { "error" };
        say(&format!("{what}: {reason}"));
    }
    if report.status == Status::Interrupted {
        say("the state is saved; go on with the same command and --resume");
    }
    if args.json {
        print_json(&report)?;
    }
    Ok(match report.status {
        Status::Done => Exit::Done,
        Status::Interrupted => Exit::Interrupted,
        Status::Failed => Exit::Stuck,
        Status::DeviceFailed => Exit::DeviceFailed,
    })
}

/// What is lost if the run ends at once.
fn lost(phase: Phase, checkpoint: bool) -> String {
    let text = match (phase, checkpoint) {
        (Phase::Preparing, _) => "the run had not begun",
        (Phase::Simulating, false) => "nothing is saved, for there was no checkpoint yet; start again",
        (Phase::Simulating, true) => "steps since the last checkpoint are not saved; --resume goes on from there",
        (Phase::Simulated, _) => {
            "the state is saved; what is missing of animation, pictures and report comes with --resume"
        }
    };
    text.to_string()
}

/// From what was typed to what it means.
fn meant(typed: &RunArgs) -> anyhow::Result<(Scene, RunOptions)> {
    let mut scene = super::scene(&typed.scene)?;
    if let Some(frames) = typed.frames {
        scene.time.frames = frames as usize;
    }
    if let Some(iterations) = typed.iterations {
        scene.solver.iterations = Some(iterations as usize);
    }
    if typed.budget_ms.is_some() {
        scene.solver.budget_ms = typed.budget_ms;
    }
    if !typed.format.is_empty() {
        scene.output.formats.clone_from(&typed.format);
    }
    let out = typed.out.clone().unwrap_or_else(|| super::default_folder(&scene.name));
    let previews = match (typed.no_preview, typed.preview.is_empty()) {
        (true, _) => Vec::new(),
        (false, true) => DEFAULT_PREVIEWS.map(|name| out.join(name)).to_vec(),
        (false, false) => typed.preview.clone(),
    };
    let options = RunOptions { out, resume: typed.resume, error: typed.error, previews, page: pliant_view::PAGE };
    Ok((scene, options))
}

fn summary(report: &RunReport, seconds: f64) -> String {
    let percent = |share: f64| format!("{} %", short(100.0 * share));
    let times = &report.ms_per_step;
    let rho = report.rho.map_or(String::new(), |rho| format!(", rho {rho:.6}"));
    let mut lines = vec![
        ("method", format!("{}{rho}", report.method)),
        ("device", format!("{}, {}", report.device, report.precision)),
        (
            "size",
            counts(&[(report.vertices as u64, "vertex", "vertices"), (report.elements as u64, "element", "elements")]),
        ),
        (
            "simulated",
            counts(&[
                (report.frames, "frame", "frames"),
                (report.steps, "step", "steps"),
                (report.iterations, "iteration", "iterations"),
            ]),
        ),
        (
            "ms per step",
            format!(
                "{} mean, {} median, {} 95th percentile, {} longest",
                short(times.mean),
                short(times.p50),
                short(times.p95),
                short(times.max)
            ),
        ),
        ("energy", format!("{} J, gradient {} N", short(report.energy), short(report.gradient_norm))),
        ("stretch", format!("{} mean, {} largest", percent(report.mean_stretch), percent(report.max_stretch))),
        ("contact", contact(report)),
        ("trouble", trouble(report)),
        ("state hash", report.state_hash.clone()),
    ];
    if let Some(error) = report.relative_error {
        lines.insert(6, ("error", format!("{} of the last step, relative", short(error))));
    }
    if let Some(step) = report.resumed_at_step {
        lines.insert(4, ("resumed", format!("at step {step}")));
    }
    let mut text = format!("{}: {} s\n{}", report.scene, short(seconds), pairs(&lines));
    for warning in &report.warnings {
        text.push_str(&format!("  warning: {warning}\n"));
    }
    text.push_str("written:\n");
    for file in &report.output {
        text.push_str(&format!("  {file}\n"));
    }
    text.trim_end().to_string()
}

fn contact(report: &RunReport) -> String {
    let gap = if report.min_gap.is_finite() {
        format!("smallest gap {} mm", short(1e3 * report.min_gap))
    } else {
        "no colliders".to_string()
    };
    let least = if report.intersections_capped { "at least " } else { "" };
    let crossing = counted(report.intersections, "intersection", "intersections");
    format!("{gap}, {least}{crossing}, {} inverted", report.inverted)
}

fn trouble(report: &RunReport) -> String {
    let counts = [
        (report.restarts, "restart", "restarts"),
        (report.retries, "retry", "retries"),
        (report.stalled, "stalled step", "stalled steps"),
        (report.over_budget, "step over budget, with its certificate", "steps over budget, with their certificates"),
    ];
    let there: Vec<_> = counts.into_iter().filter(|(count, ..)| *count > 0).collect();
    if there.is_empty() { "none".to_string() } else { crate::table::counts(&there) }
}
