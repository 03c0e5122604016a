//! `pliant tune`

use crate::args::{Args, TuneArgs};
use crate::failure::print_plain;
use crate::printed::{print, print_json};
use crate::progress::{Progress, say};
use crate::table::{Table, short};
use crate::{Exit, interrupt};
use pliant::counted::counted;
use pliant::step::{Stage, Tuned, Tuning};
use pliant_gpu::AllDevices;

/// Frames that are looked at if nobody says how many.
const MOST_FRAMES: usize = 60;

pub(crate) fn tune(args: &Args, typed: &TuneArgs) -> anyhow::Result<Exit> {
    let mut scene = super::scene(&typed.scene)?;
    scene.solver.iterations = typed.iterations.map(|n| n as usize).or(scene.solver.iterations);
    let mut progress =
        Progress::new(args.verbose, interrupt::watch(args.json, || "what was found so far is not kept".to_string()));
    let frames = typed.frames.map_or(scene.time.frames.clamp(1, MOST_FRAMES), |n| n as usize);
    let tuning = Tuning { scene: &scene, phases: typed.phases.into(), samples: typed.samples.into(), frames };
    let mut doing = String::new();
    let found = pliant::step::tune(&AllDevices, &tuning, |what, done, of| {
        if doing != what {
            progress.begin(what, of, if what == "trying" { "rounds" } else { "steps" });
            doing = what.to_string();
        }
        progress.set(done);
        !progress.stopped()
    })?;
    progress.clear();
    let Some(tuned) = found else {
        let message = "interrupted; what was found so far is not kept";
        say(message);
        if args.json {
            print_plain("interrupted", message, Exit::Interrupted);
        }
        return Ok(Exit::Interrupted);
    };
    if args.json {
        print_json(&tuned)?;
    } else {
        print(&text(&scene.name, &tuned))?;
    }
    Ok(Exit::Done)
}

fn text(scene: &str, tuned: &Tuned) -> String {
    let steps = |steps: &[u64]| steps.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    let mut table = Table::new(&["rho", "error", "error of other steps", "phases"]);
    let names = ["of a run", "best single", "by phases"];
    for (stage, name) in tuned.stages.iter().zip(names) {
        table.row(vec![name.to_string(), short(stage.error), short(stage.error_of_others), typed(stage)]);
    }
    let best = tuned.stages.get(tuned.best).map_or(String::new(), typed);
    format!(
        "{scene}: {} with {}, {} tried; learned from steps {}, others {}\n\n{}\n[solver]\nphases = {best}    # or \"tuned\"",
        tuned.method,
        counted(tuned.iterations, "iteration", "iterations"),
        counted(tuned.trials, "solve", "solves"),
        steps(&tuned.learned_from),
        steps(&tuned.kept_out),
        table.text(),
    )
}

/// As in a scene file.
fn typed(stage: &Stage) -> String {
    let phases: Vec<String> =
        stage.phases.iter().map(|phase| format!("[{}, {}]", phase.iterations, phase.rho)).collect();
    format!("[{}]", phases.join(", "))
}
