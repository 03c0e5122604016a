//! The choice of the device, and what is said where it cannot be had.

use crate::required::skip_without_gpu;
use crate::support::{Place, SMALL, assert_has_keys};
use serde_json::Value;

/// A cloth without anything else.
const BARE: &str = "
pliant = 1
[time]
frames = 2
[[cloth]]
resolution = 5
[solver]
iterations = 10
";

/// Names of the GPUs, software included; `None`, with a line that says so, where there are none and none is required.
pub fn gpus(place: &Place) -> Option<Vec<String>> {
    let devices = place.json(&["devices", "--json"]);
    let all = devices["devices"].as_array().unwrap();
    let names: Vec<String> =
        all.iter().filter(|d| d["kind"] == "gpu").map(|d| d["model"].as_str().unwrap().to_string()).collect();
    (!skip_without_gpu(!names.is_empty())).then_some(names)
}

fn is_software(device: &Value) -> bool {
    device["kind"] == "gpu" && device["hardware"] == false
}

#[test]
fn devices_lists_the_cpu_and_every_gpu_with_its_limits() {
    let place = Place::new(BARE);
    let found = place.json(&["devices", "--json"]);
    let all = found["devices"].as_array().unwrap();
    assert_eq!(all[0]["name"], "cpu");
    assert!(all[0]["cores"].as_u64().unwrap() >= 1);
    let keys = "name kind model backend driver type hardware max_buffer_bytes max_storage_buffers \
                max_workgroup_invocations max_workgroup_bytes subgroup_sizes timestamps lacks precisions default";
    for gpu in &all[1..] {
        assert_has_keys(gpu, &keys.split_whitespace().collect::<Vec<_>>());
        assert!(gpu["max_buffer_bytes"].as_u64().unwrap() >= 1 << 20);
    }
    let defaults: Vec<&Value> = all.iter().filter(|d| d["default"] == true).collect();
    assert_eq!(defaults.len(), 1);
    assert_eq!(defaults[0]["name"], found["auto"]);
    assert!(!is_software(defaults[0]), "auto takes no software adapter: {found}");

    let ended = place.call(&["devices"]);
    let names = all.iter().map(|device| device["name"].as_str().unwrap());
    for word in names.chain(["--device auto takes", "--device gpu takes"]) {
        assert!(ended.stdout.contains(word), "`{word}` is missing in\n{}", ended.stdout);
    }
    assert_eq!(ended.stderr, "", "drivers have nothing to say");
}

#[test]
fn a_run_on_the_gpu_ends_well_and_says_where_it_ran() {
    let place = Place::new(SMALL);
    let Some(names) = gpus(&place) else { return };
    let run = ["run", "scene.toml", "--json", "--no-preview", "--device"];
    let ended = place.call(&[&run[..], &["gpu"]].concat());
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let report = ended.json();
    assert_eq!((report["status"].as_str(), report["steps"].as_u64()), (Some("done"), Some(6)));
    let device = report["device"].as_str().unwrap();
    assert!(names.iter().any(|name| device == format!("gpu: {name}")), "{device}");
    assert_eq!(
        (report["method"].as_str(), report["precision"].as_str()),
        (Some("pd-multigrid-chebyshev"), Some("f32"))
    );
    assert!(ended.stderr.contains(device), "people are told, too: {}", ended.stderr);

    let part = format!("gpu:{}", names[0][..names[0].len() / 2].to_uppercase());
    assert!(place.json(&[&run[..], &[&part]].concat())["device"].as_str().unwrap().starts_with("gpu: "));
    let on_cpu = place.json(&[&run[..], &["cpu"]].concat());
    assert_eq!((on_cpu["device"].as_str(), on_cpu["method"].as_str()), (Some("cpu"), Some("pd-multigrid-chebyshev")));
}

#[test]
fn auto_takes_no_software_adapter() {
    let place = Place::new(BARE);
    let devices = place.json(&["devices", "--json"]);
    let ended = place.call(&["run", "scene.toml", "--json", "--no-preview"]);
    let (found, expected) = (ended.json(), devices["auto"].as_str().unwrap());
    assert_eq!(found["device"].as_str().unwrap().replace("gpu: ", "gpu:"), expected);
    if expected == "cpu" {
        assert!(!ended.stderr.contains("GPU"), "that there is none is no news: {}", ended.stderr);
    }
}

#[test]
fn a_gpu_that_is_not_there_is_exit_code_4_with_the_names_there_are() {
    let place = Place::new(BARE);
    let ended = place.call(&["run", "scene.toml", "--json", "--device", "gpu:nonexistent"]);
    assert_eq!(ended.code, 4, "{}", ended.stderr);
    let error = &ended.json()["error"];
    assert_eq!((error["kind"].as_str(), error["exit_code"].as_u64()), (Some("device"), Some(4)));
    let names = gpus(&place).unwrap_or_default();
    for word in names.iter().map(String::as_str).chain(["nonexistent", "--device cpu"]) {
        assert!(ended.stderr.contains(word), "`{word}` is missing in {}", ended.stderr);
    }
    assert!(!place.path("out/scene/report.json").exists());
    let compared = place.call(&["compare", "scene.toml", "--device", "gpu:nonexistent"]);
    assert_eq!(compared.code, 4, "{}", compared.stderr);
}

#[test]
fn a_device_that_nobody_has_is_bad_usage_for_every_command() {
    let place = Place::new(BARE);
    for command in ["run", "check", "compare"] {
        let ended = place.call(&[command, "scene.toml", "--device", "cuda"]);
        assert_eq!(ended.code, 2, "{command}: {}", ended.stderr);
        for word in ["'cuda'", "'auto'", "'cpu'", "'gpu'", "'gpu:NAME'", "pliant devices"] {
            assert!(ended.stderr.contains(word), "{command}: `{word}` is missing in {}", ended.stderr);
        }
    }
    let set = place.call(&["run", "scene.toml", "--set", "device.name=gpuu"]);
    assert_eq!(set.code, 2);
    assert!(set.stderr.contains("did you mean 'gpu'?"), "{}", set.stderr);
}

#[test]
fn what_no_gpu_does_is_refused_with_what_to_do() {
    let place = Place::new(BARE);
    if gpus(&place).is_none() {
        return;
    }
    let stvk = BARE.replace("resolution = 5", "resolution = 5\nstretch = 'stvk'");
    std::fs::write(place.path("stvk.toml"), stvk).unwrap();
    let soft = "pliant = 1\n[time]\nframes = 1\n[[solid]]\nshape = 'box'\ncells = 2\nmodel = 'corotated'\n";
    std::fs::write(place.path("soft.toml"), soft).unwrap();
    let cases: &[(&[&str], &str, &[&str])] = &[
        (
            &["scene.toml", "--method", "pd-direct"],
            "method",
            &["'pd-direct'", "--device cpu", "pd-multigrid-chebyshev"],
        ),
        (&["scene.toml", "--method", "newton"], "method", &["'newton'", "--device cpu", "pd-multigrid-chebyshev"]),
        (
            &["soft.toml", "--method", "corotated-cg"],
            "method",
            &["'corotated-cg'", "linear system of a step", "--device cpu", "'descent'"],
        ),
        (&["scene.toml", "--precision", "f64"], "device", &["f64", "--device cpu"]),
        (&["stvk.toml"], "method", &["St. Venant", "--device cpu", "projective material"]),
        (&["stvk.toml", "--method", "newton"], "method", &["St. Venant", "--device cpu", "projective material"]),
        (&["stvk.toml", "--method", "pd-jacobi"], "method", &["St. Venant", "projective material"]),
    ];
    for (args, kind, words) in cases {
        let ended = place.call(&[&["run"], *args, &["--device", "gpu", "--json", "--no-preview"]].concat());
        assert_eq!(ended.code, 2, "{args:?}: {}", ended.stderr);
        assert_eq!(ended.json()["error"]["kind"], *kind, "{args:?}");
        for word in *words {
            assert!(ended.stderr.contains(word), "{args:?}: `{word}` is missing in {}", ended.stderr);
        }
    }
    let checked = place.call(&["check", "stvk.toml", "--device", "gpu"]);
    assert!(checked.code == 2 && checked.stderr.contains("--device cpu"), "{}", checked.stderr);
    assert_eq!(place.json(&["check", "scene.toml", "--device", "gpu", "--json"])["method"], "pd-multigrid-chebyshev");
}
