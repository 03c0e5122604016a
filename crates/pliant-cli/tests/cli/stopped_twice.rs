//! A second Ctrl-C or SIGTERM ends at once, says what is lost, and damages nothing.

use crate::files::assert_all_whole;
use crate::support::{Ended, Place, SMALL};
use pliant::output::Checkpoint;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn send(child: &Child, signals: &[&str]) {
    let kill = |signal: &&str| format!("kill -{signal} {}", child.id());
    let script = signals.iter().map(kill).collect::<Vec<_>>().join("; ");
    assert!(Command::new("sh").args(["-c", &script]).status().unwrap().success());
}

fn start(place: &Place, args: &[&str]) -> Child {
    place.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn the_second_signal_ends_a_step_without_end_and_says_that_nothing_is_saved() {
    let place = Place::new(SMALL);
    let args = ["run", "scene.toml", "--device", "cpu", "--no-preview", "--method", "pd-jacobi", "--json"];
    let endless = [&args[..], &["--iterations", "100000000"]].concat();
    for signal in ["INT", "TERM"] {
        let mut child = start(&place, &endless);
        // The first step begins when the first frame of 81 vertices is there.
        while std::fs::metadata(place.path("out/scene/frames.bin")).map_or(0, |store| store.len()) < 24 + 12 * 81 {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(300));
        send(&child, &[signal]);
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        assert!(line.contains("stopping after this step"), "{line}");
        let begun = Instant::now();
        send(&child, &[signal]);
        let mut rest = String::new();
        stderr.read_to_string(&mut rest).unwrap();
        let ended = Ended::of(child.wait_with_output().unwrap());
        assert_eq!(ended.code, 130, "{rest}");
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
        assert!(rest.contains("stopped at once: nothing is saved"), "{rest}");
        let error = &ended.json()["error"];
        assert_eq!((&error["kind"], &error["exit_code"]), (&"interrupted".into(), &130.into()));
        assert_all_whole(&place.path("out/scene"));
        std::fs::remove_dir_all(place.path("out")).unwrap();
    }
}

#[test]
fn two_signals_in_a_row_leave_whole_files_and_a_run_that_goes_on_to_the_same_bits() {
    let place = Place::new(SMALL);
    let base = ["run", "scene.toml", "--json", "--no-preview", "--format", "obj", "--set", "output.checkpoint_every=1"];
    for moment in 0..8 {
        let out = format!("cut{moment}");
        let endless = [&base[..], &["--frames", "1000000", "--out", &out]].concat();
        let child = start(&place, &endless);
        while !place.path(&out).join("checkpoint").exists() {
            std::thread::sleep(Duration::from_millis(2));
        }
        std::thread::sleep(Duration::from_millis(7 * moment));
        send(&child, &["INT", "TERM"]);
        let ended = Ended::of(child.wait_with_output().unwrap());
        assert_eq!(ended.code, 130, "{}", ended.stderr);
        ended.json();
        let at_once = ended.stderr.contains("stopped at once: ");
        assert!(at_once || ended.stderr.contains("the state is saved"), "{}", ended.stderr);
        assert!(ended.stderr.contains("--resume"), "{}", ended.stderr);
        assert_all_whole(&place.path(&out));
        let saved = Checkpoint::load(&place.path(&out).join("checkpoint")).unwrap().unwrap();
        let frames = (saved.state.step + 2).to_string();
        let go_on = [&base[..], &["--frames", &frames, "--out", &out, "--resume"]].concat();
        let whole = [&base[..], &["--frames", &frames, "--out", "whole"]].concat();
        assert_eq!(place.json(&go_on)["state_hash"], place.json(&whole)["state_hash"], "moment {moment}");
    }
}
