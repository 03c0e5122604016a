//! A run that is killed at any moment leaves no damaged file and goes on to the same bits.

use crate::files::{all_below, assert_all_whole, is_temporary};
use crate::support::{Place, SMALL};
use pliant::math::SplitMix;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const MOMENTS: usize = 20;

#[test]
fn a_run_killed_at_twenty_random_moments_leaves_whole_files_and_resumes_to_the_same_hash() {
    let place = Place::new(SMALL);
    let base = ["run", "scene.toml", "--json", "--format", "glb,obj,ply,vtu", "--frames", "12", "--resume"];
    let draw = ["--preview", "a.gif"];
    let skip = ["--no-preview"];
    let mut random = SplitMix(2024);
    let (mut killed, mut resumed_midway) = (0, 0);
    for (preview, moments) in [(&skip[..], 3 * MOMENTS / 4), (&draw[..], MOMENTS / 4)] {
        let args = [&base[..], preview].concat();
        let begun = Instant::now();
        let whole = place.json(&[&args[..], &["--out", "whole"]].concat());
        let mut duration = begun.elapsed().as_secs_f64();
        for moment in 0..moments {
            let out = format!("cut{}-{moment}", preview.len());
            let args = [&args[..], &["--out", &out]].concat();
            let mut child = place.command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(Duration::from_secs_f64(random.unit() * duration));
            child.kill().unwrap();
            let finished = child.wait().unwrap().success();
            killed += usize::from(!finished);
            // The machine was busier when the time was taken: with shorter ones the next moments come in time.
            duration *= if finished { 0.7 } else { 1.0 };
            assert_all_whole(&place.path(&out));
            let resumed = place.json(&args);
            assert_eq!(resumed["state_hash"], whole["state_hash"], "moment {moment}");
            resumed_midway += usize::from(resumed["resumed_at_step"].as_u64().is_some_and(|at| at < 12));
            assert_all_whole(&place.path(&out));
            assert!(all_below(&place.path(&out)).iter().all(|f| !is_temporary(f)));
            assert_eq!(all_below(&place.path(&out).join("frames")).len(), 3 * 13);
        }
    }
    // Otherwise the moments were all too early or too late to test anything.
    assert!(killed >= 10 && resumed_midway >= 1, "{killed} killed, {resumed_midway} resumed midway");
}

/// Calls that change files, under their names on all architectures of Linux. What `openat` changes, the next `write` shows.
const CALLS: [&str; 11] = [
    "mkdir",
    "mkdirat",
    "write",
    "ftruncate",
    "fsync",
    "fdatasync",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "unlinkat",
];

/// Runs the program and kills it when it is about to make a system call for the `nth` time; whether it came so far.
fn killed_before(place: &Place, args: &[&str], call: &str, nth: usize) -> bool {
    let (trace, inject) = (format!("trace=?{call}"), format!("inject=?{call}:signal=KILL:when={nth}"));
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject]).arg(env!("CARGO_BIN_EXE_pliant"));
    strace
        .args(args)
        .current_dir(place.path(""))
        .env("RAYON_NUM_THREADS", "1")
        .env("XDG_CACHE_HOME", place.path("cache"));
    !strace.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success()
}

#[test]
fn a_run_killed_before_any_system_call_leaves_whole_files_and_resumes_to_the_same_hash() {
    if !Command::new("strace").args(["-o", "/dev/null", "true"]).status().is_ok_and(|status| status.success()) {
        let required = cfg!(target_os = "linux") && std::env::var_os("CI").is_some();
        assert!(!required, "there is no strace, or it may trace nothing, and CI is set");
        return println!("skipped: there is no strace, or it may trace nothing");
    }
    let place =
        Place::new(&SMALL.replace("resolution = 9", "resolution = 3").replace("iterations = 20", "iterations = 2"));
    let args =
        ["run", "scene.toml", "--json", "--device", "cpu", "--no-preview", "--frames", "3", "--format", "glb,obj"];
    let into = |out: &'static str, resume: &[&'static str]| [&args[..], &["--out", out], resume].concat();
    let whole = place.json(&into("whole", &[]));
    let mut kills = 0;
    // Into a new folder, and in place of an earlier run.
    for earlier in [false, true] {
        for call in CALLS {
            for nth in 1.. {
                let _ = std::fs::remove_dir_all(place.path("cut"));
                if earlier {
                    place.json(&into("cut", &[]));
                }
                if !killed_before(&place, &into("cut", &[]), call, nth) {
                    break;
                }
                kills += 1;
                assert_all_whole(&place.path("cut"));
                let resumed = place.json(&into("cut", &["--resume"]));
                assert_eq!(resumed["state_hash"], whole["state_hash"], "{call} {nth}, earlier run: {earlier}");
                assert!(all_below(&place.path("cut")).iter().all(|file| !is_temporary(file)));
                assert_eq!(all_below(&place.path("cut/frames")).len(), 4, "{call} {nth}");
            }
        }
    }
    println!("killed {kills} times");
    assert!(kills > 100, "{kills}");
}
