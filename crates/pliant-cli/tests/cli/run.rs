//! `pliant run` writes what it promises.

use crate::files::{all_below, assert_all_whole};
use crate::support::{Place, SMALL, assert_has_keys};
use std::process::Stdio;

#[test]
fn a_run_prints_one_json_object_with_every_promised_key() {
    let place = Place::new(SMALL);
    let ended = place.call(&["run", "scene.toml", "--json", "--error", "--no-preview"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let report = ended.json();
    let keys = "scene method device precision frames steps vertices elements ms_per_step iterations energy \
                relative_error gradient_norm max_stretch min_gap intersections inverted restarts over_budget \
                state_hash mean_stretch retries stalled rho output warnings status";
    assert_has_keys(&report, &keys.split_whitespace().collect::<Vec<_>>());
    assert_has_keys(&report["ms_per_step"], &["mean", "p50", "p95", "max"]);
    assert_eq!(report["scene"], "scene");
    assert_eq!((report["frames"].as_u64(), report["steps"].as_u64()), (Some(6), Some(6)));
    assert_eq!((report["vertices"].as_u64(), report["iterations"].as_u64()), (Some(81), Some(120)));
    let hash = report["state_hash"].as_str().unwrap();
    assert!(hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()), "{hash}");
    let error = report["relative_error"].as_f64().unwrap();
    assert!((-1e-6..1.0).contains(&error), "{error}");
    let saved = std::fs::read_to_string(place.path("out/scene/report.json")).unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&saved).unwrap(), report);
}

#[test]
fn without_a_floor_the_gap_is_null_and_without_asking_so_is_the_error() {
    let place = Place::new("pliant = 1\n[[cloth]]\nresolution = 4\n");
    let report = place.json(&["run", "scene.toml", "--json", "--no-preview", "--frames", "2"]);
    assert!(report["min_gap"].is_null() && report["relative_error"].is_null());
}

#[test]
fn a_run_leaves_frames_pictures_a_report_and_a_table_for_people() {
    let place = Place::new(SMALL);
    let ended = place.call(&["run", "scene.toml", "--format", "glb,obj,ply,vtu"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(ended.stdout, "");
    for word in ["state hash", "ms per step", "preview.png", "81 vertices"] {
        assert!(ended.stderr.contains(word), "{word} is missing in\n{}", ended.stderr);
    }
    let out = place.path("out/scene");
    for name in ["animation.glb", "preview.png", "preview.gif", "report.json", "checkpoint", "frames.bin"] {
        assert!(out.join(name).exists(), "{name}");
    }
    for format in ["obj", "ply", "vtu"] {
        let count = all_below(&out).iter().filter(|f| f.extension().is_some_and(|e| e == format)).count();
        assert_eq!(count, 7, "{format}: the start and six frames");
    }
    assert_eq!(assert_all_whole(&out), 6 + 3 * 7);
}

#[test]
fn a_preview_goes_where_it_was_asked_for() {
    let place = Place::new(SMALL);
    std::fs::create_dir(place.path("pictures")).unwrap();
    let ended = place.call(&["run", "scene.toml", "--frames", "2", "--preview", "pictures/a.png"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(place.path("pictures/a.png").exists() && !place.path("out/scene/preview.png").exists());
    // A picture of one colour would be far smaller.
    assert!(std::fs::metadata(place.path("pictures/a.png")).unwrap().len() > 20_000);
}

#[test]
fn a_preview_in_a_folder_that_is_not_there_is_refused_before_anything_is_made() {
    let place = Place::new(SMALL);
    let ended = place.call(&["run", "scene.toml", "--preview", "nowhere/a.png"]);
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    assert!(ended.stderr.contains("there is no folder nowhere") && ended.stderr.contains("a.png"), "{}", ended.stderr);
    assert!(!place.path("nowhere").exists() && !place.path("out").exists());
    let into_the_new_output = ["run", "scene.toml", "--frames", "1", "--out", "./new", "--preview", "new/a.png"];
    assert_eq!(place.call(&into_the_new_output).code, 0);
    assert!(place.path("new/a.png").exists());
}

#[test]
fn a_fresh_run_leaves_nothing_of_the_run_before() {
    let place = Place::new(SMALL);
    assert_eq!(place.call(&["run", "scene.toml", "--format", "obj", "--no-preview"]).code, 0);
    let fewer =
        ["run", "scene.toml", "--format", "ply", "--frames", "1", "--no-preview", "--set", "cloth.resolution=5"];
    assert_eq!(place.call(&fewer).code, 0);
    let frames: Vec<String> = all_below(&place.path("out/scene/frames"))
        .iter()
        .map(|f| f.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(frames, ["000000.ply", "000001.ply"]);
}

#[test]
fn a_run_says_which_run_it_replaces_and_replaces_nothing_else() {
    let place = Place::new(SMALL);
    let args = ["run", "scene.toml", "--frames", "2", "--no-preview"];
    let first = place.call(&args);
    assert!(!first.stderr.contains("replacing"), "{}", first.stderr);
    std::fs::write(place.path("out/scene/notes.txt"), "mine").unwrap();
    let again = place.call(&args);
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert!(again.stderr.contains("replacing the run of 'scene' in out/scene, saved at step 2"), "{}", again.stderr);
    assert!(!place.call(&[&args[..], &["--resume"]].concat()).stderr.contains("replacing"));
    assert_eq!(std::fs::read(place.path("out/scene/notes.txt")).unwrap(), b"mine");
    // Pictures of a run that is gone are gone, too.
    let picture = place.path("out/scene/preview.png");
    place.call(&["run", "scene.toml", "--frames", "2"]);
    assert!(picture.exists());
    place.call(&args);
    assert!(!picture.exists());

    for name in ["report.json", "checkpoint", "frames.bin", "animation.glb", "preview.png"] {
        let out = place.path("theirs");
        std::fs::create_dir(&out).unwrap();
        std::fs::write(out.join(name), "mine").unwrap();
        let refused = place.call(&["run", "scene.toml", "--out", "theirs"]);
        assert_eq!(refused.code, 2, "{name}: {}", refused.stderr);
        assert!(refused.stderr.contains(&format!("theirs/{name}")), "{}", refused.stderr);
        assert!(
            refused.stderr.contains("no run of Pliant's") && refused.stderr.contains("--out"),
            "{}",
            refused.stderr
        );
        assert_eq!(std::fs::read(out.join(name)).unwrap(), b"mine");
        std::fs::remove_dir_all(&out).unwrap();
    }
    assert!(place.call(&["run", "--help"]).stdout.contains("is replaced"));
}

#[test]
fn a_simulation_that_gets_stuck_saves_its_state_and_exits_with_3() {
    // Jacobi's step is almost twice too long: every step of every length diverges.
    let solver = "method = 'pd-jacobi'\nunder_relaxation = 1.99\niterations = 3000\n";
    let place =
        Place::new(&format!("pliant = 1\n[[cloth]]\nresolution = 4\n[[pin]]\nvertices = 0\n[solver]\n{solver}"));
    let ended = place.call(&["run", "scene.toml", "--json", "--no-preview"]);
    assert_eq!(ended.code, 3, "{}", ended.stderr);
    let report = ended.json();
    assert_eq!(report["status"], "failed");
    assert!(report["reason"].as_str().unwrap().contains("step 0"), "{report}");
    assert!(place.path("out/scene/checkpoint").exists() && place.path("out/scene/report.json").exists());
}

#[test]
fn two_runs_do_not_write_into_the_same_folder_at_once() {
    let place = Place::new(SMALL);
    let endless = ["run", "scene.toml", "--frames", "1000000", "--no-preview"];
    let mut first = place.command(&endless).stderr(Stdio::null()).spawn().unwrap();
    while !place.path("out/scene/checkpoint").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let second = place.call(&["run", "scene.toml"]);
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(second.code, 2);
    assert!(second.stderr.contains("another run"), "{}", second.stderr);
}

#[test]
fn more_intersections_than_are_counted_are_told_as_such() {
    let cloth = |name: &str| format!("[[cloth]]\nname = '{name}'\nresolution = 20\n");
    let place = Place::new(&format!("pliant = 1\n[time]\nframes = 1\n{}{}", cloth("a"), cloth("b")));
    let report = place.json(&["run", "scene.toml", "--no-preview", "--json"]);
    assert_eq!((&report["intersections"], &report["intersections_capped"]), (&1000.into(), &true.into()));
    let check = place.json(&["check", "scene.toml", "--json"]);
    assert_eq!((&check["intersections"], &check["intersections_capped"]), (&1000.into(), &true.into()));
    assert!(place.call(&["run", "scene.toml", "--no-preview"]).stderr.contains("at least 1000 intersections"));
    let check = place.call(&["check", "scene.toml"]).stdout;
    assert!(check.contains("at least 1000 intersections"), "{check}");
    assert!(check.contains("at least 1000 pairs of triangles"), "{check}");

    let report = Place::new(SMALL).json(&["run", "scene.toml", "--no-preview", "--frames", "1", "--json"]);
    assert_eq!((&report["intersections"], &report["intersections_capped"]), (&0.into(), &false.into()));
}

#[test]
fn one_thing_is_not_told_as_several() {
    let place = Place::new("pliant = 1\n[[cloth]]\nmesh = 'one.obj'\n[solver]\niterations = 1\n");
    std::fs::write(place.path("one.obj"), "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 2 2 2\nf 1 2 3\n").unwrap();
    let ran = place.call(&["run", "scene.toml", "--no-preview", "--frames", "1", "--device", "cpu"]).stderr;
    assert!(ran.contains("1 frame, 1 step, 1 iteration\n"), "{ran}");
    assert!(ran.contains("1 vertex has no mass"), "{ran}");
    let checked = place.call(&["check", "scene.toml"]).stdout;
    assert!(checked.contains("4 vertices, 1 triangle, 0 tetrahedra"), "{checked}");
    let info = place.call(&["mesh", "info", "one.obj"]).stdout;
    assert!(info.contains("1 triangle in 1 piece, 3 open edges"), "{info}");
    std::fs::write(place.path("cut.obj"), "v 0\n").unwrap();
    let cut = place.call(&["mesh", "info", "cut.obj"]).stderr;
    assert!(cut.contains("a vertex with 1 coordinate,"), "{cut}");
}
