//! What a run warns of, on the terminal and in its report.

use crate::support::{Place, SMALL};
use serde_json::Value;

fn warnings(report: &Value) -> Vec<&str> {
    report["warnings"].as_array().unwrap().iter().map(|warning| warning.as_str().unwrap()).collect()
}

#[test]
fn a_run_warns_of_a_body_that_starts_inside_a_collider_as_check_does() {
    let place = Place::new(&SMALL.replace("position = [0, 0.32, 0]", "position = [0, 0.2, 0]"));
    let inside = |said: &&str| said.contains("of 'napkin'") && said.contains("the collider 'ball' at the start");
    let checked = place.json(&["check", "scene.toml", "--json"]);
    let run = place.json(&["run", "scene.toml", "--json", "--no-preview", "--frames", "1"]);
    let [told] = [&checked].map(|found| warnings(found).into_iter().find(inside).expect("a warning").to_string());
    assert!(warnings(&run).contains(&told.as_str()), "{told}\n{run}");
    assert!(told.contains("mm deep"), "{told}");
    let ended = place.call(&["run", "scene.toml", "--no-preview", "--frames", "1"]);
    assert!(ended.stderr.contains(&format!("warning: {told}")), "{}", ended.stderr);
    // A run that goes on does not begin there.
    let resumed = place.json(&["run", "scene.toml", "--json", "--no-preview", "--frames", "2", "--resume"]);
    assert!(!warnings(&resumed).iter().any(inside), "{resumed}");

    let apart = Place::new(SMALL);
    assert!(!warnings(&apart.json(&["check", "scene.toml", "--json"])).iter().any(inside));
    assert!(!warnings(&apart.json(&["run", "scene.toml", "--json", "--no-preview"])).iter().any(inside));
}

/// What a pin holds exactly is not thrown out.
#[test]
fn held_vertices_may_start_inside_a_collider() {
    let text = "pliant = 1\n[[cloth]]\nresolution = 2\n[[pin]]\ncorners = ['-x-z', '+x-z', '-x+z', '+x+z']\n\
                [[collider]]\nshape = 'sphere'\nradius = 2\n";
    let place = Place::new(text);
    let checked = place.json(&["check", "scene.toml", "--json"]);
    assert!(!warnings(&checked).iter().any(|said| said.contains("inside")), "{checked}");
}

#[test]
fn a_run_says_once_that_a_cloth_passed_through_a_thin_collider() {
    let text = "pliant = 1\n[time]\nframes = 8\n[[cloth]]\nresolution = 4\nsize = 0.2\nposition = [0, 0.3, 0]\n\
                velocity = [0, -10, 0]\n[[collider]]\nname = 'tray'\nshape = 'box'\nsize = [1, 0.003, 1]\n";
    let place = Place::new(text);
    let report = place.json(&["run", "scene.toml", "--json", "--no-preview"]);
    let told: Vec<&str> = warnings(&report).into_iter().filter(|said| said.contains("right through")).collect();
    assert_eq!(told.len(), 1, "{report}");
    for word in ["16 vertices", "'tray'", "first in frame 2", "steps_per_frame"] {
        assert!(told[0].contains(word), "{word} in {told:?}");
    }
    let careful = place.json(&["run", "scene.toml", "--json", "--no-preview", "--set", "time.steps_per_frame=400"]);
    assert!(!warnings(&careful).iter().any(|said| said.contains("right through")), "{careful}");
}

#[test]
fn steps_of_hours_are_doubted() {
    let place = Place::new("pliant = 1\n[time]\nframes = 1\nframe_rate = 1e-4\n[[cloth]]\nresolution = 3\n");
    for args in [&["check", "scene.toml", "--json"][..], &["run", "scene.toml", "--json", "--no-preview"]] {
        let report = place.json(args);
        let said = warnings(&report);
        assert!(
            said.iter().any(|said| said.contains("a step lasts 10000 s") && said.contains("frame_rate")),
            "{said:?}"
        );
    }
    let usual = Place::new(SMALL);
    let said = usual.json(&["check", "scene.toml", "--json"]);
    assert!(!warnings(&said).iter().any(|said| said.contains("a step lasts")), "{said}");
}

#[test]
fn no_empty_folder_of_frames_is_left() {
    let place = Place::new(SMALL);
    let frames = place.path("out/scene/frames");
    let run =
        |format: &str| place.call(&["run", "scene.toml", "--no-preview", "--frames", "1", "--format", format]).code;
    assert_eq!((run("obj"), frames.exists()), (0, true));
    assert_eq!((run("glb"), frames.exists()), (0, false));
    assert_eq!(run("obj"), 0);
    std::fs::write(frames.join("notes.txt"), "mine").unwrap();
    assert_eq!((run("glb"), frames.join("notes.txt").exists()), (0, true));
}

/// Regression: the keys beside it were complained of first.
#[test]
fn a_mesh_file_that_is_not_there_is_all_that_is_said() {
    let place = Place::new("pliant = 1\n[[cloth]]\nsize = 2\nmesh = 'gone.obj'\n");
    let said = place.call(&["check", "scene.toml"]).stderr;
    assert!(said.contains("gone.obj") && !said.contains("`size`"), "{said}");
    std::fs::write(place.path("gone.obj"), crate::support::TET).unwrap();
    let said = place.call(&["check", "scene.toml"]).stderr;
    assert!(said.contains("`size` has no meaning for a mesh file"), "{said}");
}

#[test]
fn numbers_in_warnings_have_digits_however_small_they_are() {
    let text = "pliant = 1\n[time]\nframes = 1\n[[cloth]]\nname = 'speck'\nsize = '1 mm'\nresolution = 3\n\
                [[collider]]\nshape = 'sphere'\nradius = 1\nposition = [0, -0.9999877, 0]\n";
    let report = Place::new(text).json(&["check", "scene.toml", "--json"]);
    let said = warnings(&report);
    assert!(said.iter().any(|said| said.contains("up to 0.0123 mm deep")), "{said:?}");
}

#[test]
fn check_and_run_warn_of_pins_that_disagree_and_check_counts_vertices() {
    let pin = "[[pin]]\ncorners = ['-x-z']\n";
    let text = format!(
        "pliant = 1\n[time]\nframes = 1\n[[cloth]]\nresolution = 3\n{pin}velocity = [1, 0, 0]\n{pin}velocity = [-1, 0, 0]\n"
    );
    let place = Place::new(&text);
    let checked = place.json(&["check", "scene.toml", "--json"]);
    assert_eq!(checked["pins"], 1);
    for report in [checked, place.json(&["run", "scene.toml", "--json", "--no-preview"])] {
        let told = |said: &&str| said.contains("several pins") && said.contains("the last [[pin]]");
        assert!(warnings(&report).iter().any(told), "{report}");
    }
}

#[test]
fn a_run_warns_of_a_cloth_crushed_between_colliders() {
    let block = |name: &str, y: f64| {
        format!("[[collider]]\nname = '{name}'\nshape = 'box'\nsize = [1, 0.2, 1]\nposition = [0, {y}, 0]\n")
    };
    let text = format!(
        "pliant = 1\n[time]\nframes = 10\n[[cloth]]\nresolution = 5\nsize = 0.3\nposition = [0, 0.004, 0]\n{}{}velocity = [0, -0.1, \
         0]\n",
        block("table", -0.1),
        block("press", 0.11)
    );
    let place = Place::new(&text);
    let report = place.json(&["run", "scene.toml", "--json", "--no-preview"]);
    assert!(warnings(&report).iter().any(|said| said.contains("'table' and 'press' overlap")), "{report}");
    let short = place.json(&["run", "scene.toml", "--json", "--no-preview", "--frames", "2"]);
    assert!(!warnings(&short).iter().any(|said| said.contains("overlap")), "{short}");
}
