//! `pliant bench`

use crate::devices::gpus;
use crate::support::{Place, SMALL, assert_has_keys};

#[test]
fn bench_times_steps_beside_the_courses_and_iterations_beside_their_bytes() {
    let place = Place::new(SMALL);
    let timed = |only: &str| {
        place.json(&["bench", "pd", "--device", "cpu", "--only", only, "--steps", "2", "--warm", "0.01", "--json"])
    };
    let report = timed("fishnet");
    assert_has_keys(&report, &["bench", "steps", "sweeps"]);
    let step = &report["steps"][0];
    assert_eq!((step["scene"].as_str(), step["course_ms"].as_f64()), (Some("fishnet"), Some(26.7)));
    assert_has_keys(&step["times"], &["device", "method", "vertices", "elements", "iterations", "mean", "p50", "p99"]);
    assert_eq!(step["times"]["iterations"], 64);
    assert!(step["times"]["p50"].as_f64().unwrap() > 0.0);

    let sweep = &timed("cloth 10K")["sweeps"][0]["times"];
    assert_eq!(sweep["vertices"], 10201);
    assert!(sweep["us"].as_f64().unwrap() > sweep["floor_us"].as_f64().unwrap(), "{sweep}");
}

#[test]
fn bench_with_a_deadline_says_how_many_steps_were_late() {
    let place = Place::new(SMALL);
    let timed = |steps: &str| {
        let arguments = ["bench", "--device", "cpu", "--only", "fishnet", "--warm", "0.01", "--budget-ms", "20"];
        let report = place.json(&[&arguments[..], &["--steps", steps, "--json"]].concat());
        report["steps"][0]["times"].clone()
    };
    let times = timed("24");
    assert_eq!((&times["steps"], &times["skipped"], &times["budget"]), (&24.into(), &20.into(), &20.0.into()));
    let number = |name: &str| times[name].as_f64().unwrap_or_else(|| panic!("{name} in {times}"));
    assert!((0.0..=1.0).contains(&number("late_share")));
    // Four steps count, and their 99th percentile is the longest.
    let late = number("late_share") * 4.0;
    assert_eq!(late, late.round());
    assert_eq!(number("late_share") > 0.0, number("max") > 1.05 * 20.0);
    assert!(number("p50") <= number("p99") && number("p99") <= number("max"));
    assert!(number("fewest_iterations") <= number("mean_iterations"));
    assert!(number("mean_iterations") <= number("most_iterations"));
    assert!(number("gradient_norm") > 0.0 && number("energy_left") > 0.0 && number("energy_left") < 1.0, "{times}");
    assert!(times["relative_error"].is_null(), "nobody asked for it: {times}");
    // Where there are no more than the first steps, they count.
    assert_eq!(timed("2")["skipped"], 0);
}

/// Regression: what was timed without the data was a box, and called an armadillo.
#[test]
fn bench_says_that_there_is_no_armadillo() {
    let place = Place::new(SMALL);
    let arguments = ["bench", "--device", "cpu", "--only", "armadillo", "--steps", "1", "--warm", "0", "--json"];
    let mut command = place.command(&arguments);
    let ended = command.env("PLIANT_DATA", place.path("nowhere")).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(report["steps"][0]["scene"], "box (no armadillo: set PLIANT_DATA)");
    assert_eq!(report["sweeps"].as_array().unwrap().len(), 0, "the same box is timed as tets 55K");
}

/// Regression: nothing was timed, and that was no mistake.
#[test]
fn bench_of_large_meshes_alone_wants_them_to_be_asked_for() {
    let place = Place::new(SMALL);
    for name in ["pd", "colouring"] {
        let ended = place.call(&["bench", name, "--device", "cpu", "--only", "1M"]);
        assert_eq!(ended.code, 2, "{}", ended.stderr);
        assert!(["--large", "cloth 1M", "tets 1M"].iter().all(|word| ended.stderr.contains(word)), "{}", ended.stderr);
    }
}

#[test]
fn bench_colours_on_the_device_and_on_the_cpu_with_the_same_result() {
    let place = Place::new(SMALL);
    let timed = |device: &str| {
        let call = ["bench", "colouring", "--device", device, "--only", "10K", "--warm", "0.01", "--json"];
        place.json(&call)["colourings"].as_array().unwrap().clone()
    };
    let cpu = timed("cpu");
    let names: Vec<&str> = cpu.iter().map(|row| row["algorithm"].as_str().unwrap()).collect();
    assert_eq!(names, ["vivace", "luby", "jones-plassmann", "largest-degree-first", "greedy", "recolour"]);
    for row in &cpu {
        assert_has_keys(
            row,
            &["mesh", "vertices", "max_degree", "device", "colours", "rounds", "balance", "ms", "valid"],
        );
        assert!(row["ms"].as_f64().unwrap() > 0.0 && row["valid"] == true, "{row}");
    }
    let (touched, changed) = (cpu[5]["touched"].as_u64().unwrap(), cpu[5]["changed"].as_u64().unwrap());
    assert!(changed > 0 && changed < touched, "{changed} of {touched}");
    if gpus(&place).is_none() {
        return;
    }
    let both = timed("gpu");
    assert_eq!(both.iter().filter(|row| row["device"] == "cpu").count(), 6);
    for gpu in both.iter().filter(|row| row["device"] != "cpu") {
        let same = cpu.iter().find(|row| row["algorithm"] == gpu["algorithm"]).unwrap();
        for key in ["colours", "rounds", "balance", "changed", "valid"] {
            assert_eq!(gpu[key], same[key], "{key} of {gpu}");
        }
        assert_eq!(gpu["waits"], 1, "{gpu}");
    }
    let ended = place.call(&["bench", "colouring", "--only", "fishnet"]);
    assert!(ended.code == 2 && ended.stderr.contains("'fishnet'") && ended.stderr.contains("cloth 10K"));
}
