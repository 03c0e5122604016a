//! The commands besides `run`.

use crate::support::{Place, SMALL, assert_has_keys, root};

const OPEN_BOX: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

#[test]
fn every_shipped_scene_passes_the_check() {
    let place = Place::new(SMALL);
    let scenes = root().join("scenes");
    let mut count = 0;
    for entry in
        std::fs::read_dir(&scenes).unwrap().flatten().filter(|e| e.path().extension().is_some_and(|e| e == "toml"))
    {
        let check = place.json(&["check", entry.path().to_str().unwrap(), "--json"]);
        assert_eq!(check["valid"], true, "{check}");
        count += 1;
    }
    assert!(count >= 8);
}

#[test]
fn check_reports_bodies_elements_pins_and_what_intersects() {
    let place = Place::new(SMALL);
    let check = place.json(&["check", "scene.toml", "--json"]);
    let keys =
        ["scene", "valid", "method", "elements", "bodies", "pins", "intersections", "inverted", "min_gap", "warnings"];
    assert_has_keys(&check, &keys);
    assert_eq!(check["pins"], 1);
    assert_eq!(check["bodies"][0]["name"], "napkin");
    assert!(check["min_gap"].as_f64().unwrap() > 0.0);
    assert!(!place.path("out").exists(), "a check writes nothing");

    let crossing =
        format!("{SMALL}\n[[cloth]]\nname = 'b'\nresolution = 5\nposition = [0, 0.32, 0]\nrotation = [90, 0, 0]\n");
    let crossing = crossing.replace("corners", "body = 'napkin'\ncorners");
    let check = Place::new(&crossing).json(&["check", "scene.toml", "--json"]);
    assert!(check["intersections"].as_u64().unwrap() > 0);
    assert!(!check["warnings"].as_array().unwrap().is_empty());

    let ended = place.call(&["check", "scene.toml"]);
    assert!(ended.stdout.contains("can be simulated") && ended.stdout.contains("napkin"), "{}", ended.stdout);
}

#[test]
fn check_says_what_is_wrong_with_a_scene_in_json_too() {
    let place = Place::new("pliant = 1\n[[cloth]]\nresolutoin = 3\n");
    let ended = place.call(&["check", "scene.toml", "--json"]);
    assert_eq!(ended.code, 2);
    let check = ended.json();
    assert_eq!(check["valid"], false);
    assert!(check["errors"][0].as_str().unwrap().contains("resolution"), "{check}");
}

#[test]
fn methods_and_devices_list_what_there_is() {
    let place = Place::new(SMALL);
    let methods = place.json(&["methods", "--json"]);
    assert_eq!(methods["methods"].as_array().unwrap().len(), pliant::solver::METHODS.len());
    assert_has_keys(&methods["methods"][0], &["name", "source", "summary", "needs", "iterations"]);
    assert!(place.call(&["methods"]).stdout.contains("pd-jacobi-chebyshev"));
    let devices = place.json(&["devices", "--json"]);
    assert_eq!(devices["devices"][0]["name"], "cpu");
    assert!(devices["devices"][0]["cores"].as_u64().unwrap() >= 1);
    assert!(place.call(&["devices"]).stdout.contains("cpu"));
}

#[test]
fn compare_prints_curves_and_writes_tables_and_plots() {
    let place = Place::new(SMALL);
    let args = ["compare", "scene.toml", "--methods", "pd-jacobi,pd-jacobi-chebyshev,newton", "--frame", "2"];
    let args = [&args[..], &["--iterations", "30", "--precision", "f64", "--json", "--out", "c"]].concat();
    let ended = place.call(&args);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let comparison = ended.json();
    assert_eq!(comparison["scene"], "scene");
    assert_eq!(comparison["step"], 2);
    assert!(comparison["reference_energy"].as_f64().is_some());
    let methods = comparison["methods"].as_array().unwrap();
    assert_eq!(methods.len(), 3);
    let mut last = Vec::new();
    for method in methods {
        assert_eq!(method["device"], "cpu");
        let curve = method["curve"].as_array().unwrap();
        assert_has_keys(&curve[0], &["iteration", "ms", "relative_error", "gradient_norm"]);
        let error = |i: usize| curve[i]["relative_error"].as_f64().unwrap();
        assert!((error(0) - 1.0).abs() < 1e-9, "every method starts at the same place: {}", error(0));
        last.push(error(curve.len() - 1));
    }
    assert!(last[1] < last[0] && last[2].abs() < 0.1 * last[1], "Chebyshev helps and Newton converges: {last:?}");
    for name in ["compare.json", "compare.csv", "iterations.svg", "iterations.png", "time.svg", "time.png"] {
        assert!(place.path("c").join(name).exists(), "{name}");
    }
    for word in ["ms to 1e-3", "newton"] {
        assert!(ended.stderr.contains(word), "{}", ended.stderr);
    }
}

#[test]
fn mesh_info_check_and_convert_work_on_files() {
    let place = Place::new(SMALL);
    std::fs::write(place.path("tet.obj"), OPEN_BOX).unwrap();
    std::fs::write(place.path("bad.obj"), "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n").unwrap();
    let info = place.json(&["mesh", "info", "tet.obj", "bad.obj", "--json"]);
    assert_eq!(info["files"][0]["info"]["watertight"], true);
    assert_eq!(info["files"][1]["info"]["vertices"], 3);
    assert!(place.call(&["mesh", "info", "tet.obj"]).stdout.contains("watertight"));

    let check = place.json(&["mesh", "check", "tet.obj", "--json"]);
    assert_eq!(check["files"][0]["valid"], true);
    let bad = place.call(&["mesh", "check", "bad.obj", "--json"]);
    assert_eq!(bad.code, 2);
    assert_eq!(bad.json()["files"][0]["findings"][0]["kind"], "degenerate_triangle");

    let converted = place.json(&["mesh", "convert", "tet.obj", "tet.ply", "--json"]);
    assert_eq!(converted["triangles"], 4);
    assert_eq!(pliant::mesh::read(&place.path("tet.ply")).unwrap().triangles.len(), 4);
}

#[test]
fn help_and_version_are_there_for_every_command() {
    let place = Place::new(SMALL);
    assert!(place.call(&["--version"]).stdout.starts_with("pliant "));
    for command in
        [&["run"][..], &["check"], &["compare"], &["methods"], &["devices"], &["mesh", "info"], &["mesh", "convert"]]
    {
        let ended = place.call(&[command, &["--help"]].concat());
        assert_eq!(ended.code, 0);
        assert!(ended.stdout.contains("Example"), "{command:?} has no example");
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let place = Place::new(SMALL);
    let program = env!("CARGO_BIN_EXE_pliant");
    for args in ["methods", "methods --json", "--help", "check scene.toml"] {
        let script = format!("{program} {args} 2>err | head -c 1 >/dev/null; cat err");
        let output =
            std::process::Command::new("sh").args(["-c", &script]).current_dir(place.path("")).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{args}");
    }
}
