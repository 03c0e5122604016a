//! A run that is killed at any moment leaves no damaged file and goes on to the same bits.

use crate::files::{all_below, assert_all_whole, is_temporary};
use crate::support::{Place, SMALL};
use pliant::math::SplitMix;
use std::process::Stdio;
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
