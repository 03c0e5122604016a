//! Same scene, same bits: twice, with any number of threads, resumed or not.

use crate::support::{Ended, Place, SMALL};
use std::time::Duration;

fn hash(place: &Place, args: &[&str], threads: Option<&str>) -> String {
    let mut command = place.command(args);
    if let Some(threads) = threads {
        command.env("RAYON_NUM_THREADS", threads);
    }
    let ended = Ended::of(command.output().unwrap());
    assert_eq!(ended.code, 0, "{args:?}: {}", ended.stderr);
    ended.json()["state_hash"].as_str().unwrap().to_string()
}

#[test]
fn the_same_command_gives_the_same_hash_twice_and_with_any_number_of_threads() {
    let place = Place::new(SMALL);
    // Loops over no more than 4096 vertices run on one thread anyway.
    let fine = ["run", "scene.toml", "--json", "--no-preview", "--frames", "3", "--set", "cloth.resolution=75"];
    assert_eq!(place.json(&fine)["vertices"], 75 * 75);
    let first = hash(&place, &fine, None);
    for threads in [None, Some("1"), Some("2"), Some("5")] {
        assert_eq!(hash(&place, &fine, threads), first, "{threads:?} threads");
    }
}

#[test]
fn another_scene_has_another_hash() {
    let place = Place::new(SMALL);
    let args = ["run", "scene.toml", "--json", "--no-preview", "--frames", "2"];
    let first = hash(&place, &args, None);
    let other = [&args[..], &["--set", "cloth.density=0.31"]].concat();
    assert_ne!(hash(&place, &other, None), first);
}

#[test]
fn every_method_resumes_to_the_bits_of_the_uninterrupted_run() {
    // A hand that is closed when the run stops, and one that closes later.
    let drag = |from: f64, to: f64| {
        format!("[[drag]]\npath = [[{from}, 0.1, 0.3, 0.3], [{to}, 0.1, 0.4, 0.3]]\nradius = 0.2\nstiffness = 20\n")
    };
    let drags = format!("{}{}", drag(0.02, 1.0), drag(0.12, 1.0));
    let place = Place::new(&format!("{SMALL}{drags}"));
    let solid = "[[solid]]\nshape = 'box'\ncells = 2\nmodel = 'corotated'\nposition = [0.1, 0.3, 0.3]\n";
    std::fs::write(place.path("solid.toml"), format!("pliant = 1\n[time]\nframe_rate = 50\n{solid}{drags}")).unwrap();
    for method in pliant::solver::METHODS {
        let scene = if method.is_linear() { "solid.toml" } else { "scene.toml" };
        let base = ["run", scene, "--json", "--no-preview", "--method", method.name];
        let whole = hash(&place, &[&base[..], &["--frames", "6", "--out", "whole"]].concat(), None);
        let half = [&base[..], &["--out", "half", "--frames"]].concat();
        hash(&place, &[&half[..], &["3"]].concat(), None);
        let resumed = hash(&place, &[&half[..], &["6", "--resume"]].concat(), None);
        assert_eq!(resumed, whole, "{}", method.name);
        let frames = |out: &str| std::fs::read(place.path(out).join("frames.bin")).unwrap();
        assert_eq!(frames("half"), frames("whole"), "{}: frames.bin", method.name);
    }
}

#[test]
fn resuming_a_finished_run_changes_nothing_and_without_a_checkpoint_it_starts_anew() {
    let place = Place::new(SMALL);
    let args = ["run", "scene.toml", "--json", "--no-preview", "--resume"];
    let first = place.json(&args);
    assert!(first["resumed_at_step"].is_null());
    let again = place.json(&args);
    assert_eq!(again["resumed_at_step"], 6);
    for key in ["state_hash", "energy", "iterations", "steps", "ms_per_step", "max_stretch"] {
        assert_eq!(first[key], again[key], "{key}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_saves_the_state_exits_with_130_and_the_run_can_be_resumed() {
    let place = Place::new(SMALL);
    let base = ["run", "scene.toml", "--json", "--no-preview", "--set", "time.steps_per_frame=3"];
    let endless = [&base[..], &["--frames", "1000000", "--out", "a"]].concat();
    let mut command = place.command(&endless);
    let child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    while !place.path("a/checkpoint").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let signal = format!("kill -INT {}", child.id());
    assert!(std::process::Command::new("sh").args(["-c", &signal]).status().unwrap().success());
    let ended = Ended::of(child.wait_with_output().unwrap());
    assert_eq!(ended.code, 130, "{}", ended.stderr);
    assert!(ended.stderr.contains("--resume"), "{}", ended.stderr);
    let report = ended.json();
    assert_eq!(report["status"], "interrupted");
    let frames = (report["steps"].as_u64().unwrap() / 3 + 2).to_string();
    let resumed = hash(&place, &[&base[..], &["--frames", &frames, "--out", "a", "--resume"]].concat(), None);
    let whole = hash(&place, &[&base[..], &["--frames", &frames, "--out", "b"]].concat(), None);
    assert_eq!(resumed, whole);
}
