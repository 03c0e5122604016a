//! `pliant selftest`

use crate::required::skip_without_gpu;
use crate::support::{Place, SMALL, assert_has_keys};

#[test]
fn selftest_passes_on_the_cpu_and_lists_every_check() {
    let place = Place::new(SMALL);
    let report = place.json(&["selftest", "--device", "cpu", "--json"]);
    assert_has_keys(&report, &["device", "precision", "passed", "failed", "seconds", "checks"]);
    assert_eq!((report["device"].as_str(), report["precision"].as_str()), (Some("cpu"), Some("f32")));
    assert_eq!((report["passed"].as_bool(), report["failed"].as_u64()), (Some(true), Some(0)));
    let checks = report["checks"].as_array().unwrap();
    assert_has_keys(&checks[0], &["check", "model", "vertices", "error", "bound", "passed", "ms"]);
    for verb in [
        "write, read",
        "gradient",
        "jacobi",
        "gauss_seidel",
        "end_step",
        "descend_many",
        "pd-jacobi-chebyshev",
        "xpbd",
        "descent",
    ] {
        assert!(checks.iter().any(|check| check["check"] == verb), "{verb}");
    }

    let ended = place.call(&["selftest", "--device", "cpu"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.stdout.contains("gauss_seidel") && ended.stdout.contains("checks passed"), "{}", ended.stdout);
}

#[test]
fn selftest_runs_on_the_best_gpu_there_is() {
    if skip_without_gpu(!pliant_gpu::adapters().is_empty()) {
        return;
    }
    let place = Place::new(SMALL);
    let ended = place.call(&["selftest", "--device", "gpu", "--json"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.json()["device"].as_str().unwrap().starts_with("gpu: "));
}

#[test]
fn selftest_without_a_hardware_gpu_says_that_it_tests_the_cpu() {
    if pliant_gpu::adapters().iter().any(|adapter| adapter.kind.is_hardware()) {
        println!("skipped: there is a hardware GPU");
        return;
    }
    let ended = Place::new(SMALL).call(&["selftest"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.stderr.contains("tests the CPU in f32"), "{}", ended.stderr);
}

#[test]
fn selftest_of_a_device_that_is_not_there_ends_with_4() {
    let place = Place::new(SMALL);
    let ended = place.call(&["selftest", "--device", "gpu:Voodoo 3", "--json"]);
    assert_eq!(ended.code, 4, "{}", ended.stderr);
    let error = &ended.json()["error"];
    assert_eq!((error["kind"].as_str(), error["exit_code"].as_u64()), (Some("device"), Some(4)));
    assert!(error["message"].as_str().unwrap().contains("Voodoo 3"));
}
