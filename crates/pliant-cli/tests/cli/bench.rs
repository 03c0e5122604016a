//! `pliant bench`

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
