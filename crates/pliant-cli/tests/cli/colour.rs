//! `pliant mesh colour`

use crate::devices::gpus;
use crate::support::{Place, SMALL, assert_has_keys};
use pliant::mesh::Mesh;

const ALGORITHMS: [&str; 5] = ["vivace", "luby", "jones-plassmann", "largest-degree-first", "greedy"];
const PROMISED: [&str; 8] = ["algorithm", "vertices", "max_degree", "colours", "rounds", "balance", "ms", "valid"];

/// A place with `sheet.obj`, a triangulated square of 20 x 20 vertices.
fn place() -> Place {
    let place = Place::new(SMALL);
    let points = (0..400).map(|i| [f64::from(i % 20), 0.0, f64::from(i / 20)]).collect();
    let corners = (0..19u32).flat_map(|row| (0..19).map(move |column| 20 * row + column));
    let triangles = corners.flat_map(|v| [[v, v + 20, v + 1], [v + 1, v + 20, v + 21]]).collect();
    let mesh = Mesh { points, triangles, ..Mesh::default() };
    pliant::mesh::write(&place.path("sheet.obj"), &mesh).unwrap();
    place
}

#[test]
fn one_algorithm_is_one_object() {
    let place = place();
    let found = place.json(&["mesh", "colour", "sheet.obj", "--json"]);
    assert_has_keys(&found, &PROMISED);
    assert_eq!(found["algorithm"], "vivace");
    assert_eq!([&found["vertices"], &found["max_degree"]], [400, 6]);
    assert_eq!(found["valid"], true);
    assert!((3..=7).contains(&found["colours"].as_u64().unwrap()), "{found}");
    assert!(found["balance"].as_f64().unwrap() >= 1.0 && found["ms"].as_f64().unwrap() > 0.0);
}

#[test]
fn all_algorithms_are_a_row_each() {
    let place = place();
    let found = place.json(&["mesh", "colour", "sheet.obj", "--algorithm", "all", "--json"]);
    let found = found["colourings"].as_array().unwrap();
    assert!(found.iter().map(|one| one["algorithm"].as_str().unwrap()).eq(ALGORITHMS));
    assert!(found.iter().all(|one| one["valid"] == true && one["colours"].as_u64().unwrap() <= 7));
    let table = place.call(&["mesh", "colour", "sheet.obj", "--algorithm", "all"]);
    assert_eq!(table.code, 0);
    assert!(table.stdout.contains("400 vertices, 1121 edges, at most 6 neighbours"), "{}", table.stdout);
    for name in ALGORITHMS {
        let row = table.stdout.lines().find(|line| line.starts_with(name)).unwrap();
        assert!(row.ends_with("valid"), "{row}");
    }
}

#[test]
fn a_seed_decides_and_threads_do_not() {
    let place = place();
    let call = |algorithm: &str, seed: &str, threads: &str| {
        let args = ["mesh", "colour", "sheet.obj", "--algorithm", algorithm, "--seed", seed, "--json"];
        let output = place.command(&args).env("RAYON_NUM_THREADS", threads).output().unwrap();
        let mut found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        found.as_object_mut().unwrap().retain(|key, _| ["colours", "rounds", "balance"].contains(&key.as_str()));
        found
    };
    for algorithm in ALGORITHMS {
        assert_eq!(call(algorithm, "5", "1"), call(algorithm, "5", "4"), "{algorithm}");
    }
    let seeds = ["1", "2", "3", "4"].map(|seed| call("vivace", seed, "1"));
    assert!(seeds.iter().any(|found| *found != seeds[0]), "{seeds:?}");
}

#[test]
fn the_matrix_is_drawn_before_and_after() {
    let place = place();
    let found = place.json(&["mesh", "colour", "sheet.obj", "--matrix", "matrix.png", "--json"]);
    assert_eq!(found["matrix"], "matrix.png");
    let size = |name: &str| {
        let bytes = std::fs::read(place.path(name)).unwrap();
        assert_eq!(bytes[..8], *b"\x89PNG\r\n\x1a\n");
        [16, 20].map(|at| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()))
    };
    let [width, height] = size("matrix.png");
    assert!(width > 2 * height - 20 && width < 2 * height + 20, "{width} x {height}: two squares");
    place.json(&["mesh", "colour", "sheet.obj", "--matrix", "all.PNG", "--algorithm", "all", "--json"]);
    let [wide, high] = size("all.PNG");
    assert!(wide > width && high > height, "{wide} x {high}: six squares");
}

#[test]
fn a_gpu_finds_the_colours_of_the_cpu_and_says_who_it_is() {
    let place = place();
    let Some(names) = gpus(&place) else { return };
    let call = |algorithm: &str, device: &str| {
        place.json(&[
            "mesh",
            "colour",
            "sheet.obj",
            "--algorithm",
            algorithm,
            "--device",
            device,
            "--seed",
            "3",
            "--json",
        ])
    };
    for algorithm in &ALGORITHMS[..4] {
        let [cpu, gpu] = ["cpu", "gpu"].map(|device| call(algorithm, device));
        assert_has_keys(&gpu, &PROMISED);
        for key in PROMISED.iter().filter(|key| **key != "ms") {
            assert_eq!(cpu[key], gpu[key], "{algorithm}: {key}");
        }
        let device = gpu["device"].as_str().unwrap();
        assert!(names.iter().any(|name| device == format!("gpu: {name}")), "{device}");
        assert_eq!((&cpu["device"], &cpu["waits"]), (&"cpu".into(), &serde_json::Value::Null));
        assert_eq!(gpu["waits"], 1, "the quickest of three knows how many rounds there are");
    }
    let all = call("all", &format!("gpu:{}", names[0]));
    assert!(all["device"].as_str().unwrap().starts_with("gpu: "));
    for (name, one) in ALGORITHMS.iter().zip(all["colourings"].as_array().unwrap()) {
        assert_eq!(one["device"] == "cpu", *name == "greedy", "{one}");
        assert_eq!((one["algorithm"].as_str(), one["valid"].as_bool()), (Some(*name), Some(true)));
    }
}

#[test]
fn a_gpu_that_is_missing_or_cannot_is_refused_with_what_to_do() {
    let place = place();
    let call = |more: &[&str]| place.call(&[&["mesh", "colour", "sheet.obj", "--json"], more].concat());
    let missing = call(&["--device", "gpu:nonexistent"]);
    assert_eq!(missing.code, 4, "{}", missing.stderr);
    assert_eq!(missing.json()["error"]["kind"], "device");
    assert!(missing.stderr.contains("nonexistent") && missing.stderr.contains("--device cpu"), "{}", missing.stderr);
    if gpus(&place).is_some() {
        let sequential = call(&["--device", "gpu", "--algorithm", "greedy"]);
        assert_eq!(sequential.code, 2, "{}", sequential.stderr);
        assert!(sequential.stderr.contains("greedy") && sequential.stderr.contains("--device cpu"));
    }
}
