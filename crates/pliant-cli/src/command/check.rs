//! `pliant check`

use crate::Exit;
use crate::args::{Args, SceneArgs};
use crate::printed::{print, print_json};
use crate::progress::showing;
use crate::table::{counts, mesh_counts, pairs, short};
use pliant::counted::counted;
use pliant::disk_cache::DiskCache;
use pliant::output::{SceneCheck, check_scene};

pub(crate) fn check(args: &Args, typed: &SceneArgs) -> anyhow::Result<Exit> {
    let check = showing("checking", || anyhow::Ok(check_scene(&super::scene(typed)?, &DiskCache::of_user())?))?;
    if args.json {
        print_json(&check)?;
    } else {
        print(&text(&check))?;
    }
    Ok(if check.valid { Exit::Done } else { Exit::BadInput })
}

fn text(check: &SceneCheck) -> String {
    let elements: Vec<String> = check.elements.iter().map(|e| format!("{} {}", e.count, e.kind)).collect();
    let gap = if check.min_gap.is_finite() {
        format!(", smallest gap {} mm", short(1e3 * check.min_gap))
    } else {
        String::new()
    };
    let least = if check.intersections_capped { "at least " } else { "" };
    let crossing = counted(check.intersections, "intersection", "intersections");
    let lines = [
        (
            "time",
            format!(
                "{} of {} ms",
                counts(&[(check.frames as u64, "frame", "frames"), (check.steps as u64, "step", "steps")]),
                short(1e3 * check.step_seconds)
            ),
        ),
        ("method", check.method.clone()),
        ("elements", elements.join(", ")),
        ("held", format!("{} of {}", check.pins, counted(check.vertices, "vertex", "vertices"))),
        ("mass", format!("{} kg", short(check.mass))),
        ("colliders", check.colliders.to_string()),
        ("at the start", format!("{least}{crossing}, {} inverted{gap}", check.inverted)),
    ];
    let mut text = format!("{}\n{}", check.scene, pairs(&lines));
    for body in &check.bodies {
        let size = mesh_counts(body.vertices, body.triangles, body.tets);
        text.push_str(&format!("  body '{}': {size}\n", body.name));
        for finding in &body.findings {
            text.push_str(&format!("    {finding}\n"));
        }
    }
    for warning in &check.warnings {
        text.push_str(&format!("  warning: {warning}\n"));
    }
    text.push_str(if check.valid {
        "the scene can be simulated"
    } else {
        "the scene cannot be simulated: mend the meshes first"
    });
    text
}
