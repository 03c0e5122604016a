//! `--set KEY=VALUE`.

use super::*;
use crate::scene::MeshSource;

const ONE: &str = "pliant = 1\n[[cloth]]\nname = \"curtain\"\nresolution = 10\nmaterial = \"silk\"\n";

fn set(key: &str, value: &str) -> Scene {
    parse_with(ONE, &[(key, value)]).unwrap_or_else(|e| panic!("{e}"))
}

fn refused(text: &str, key: &str, value: &str) -> String {
    parse_with(text, &[(key, value)]).expect_err("this override should have been refused").to_string()
}

fn resolution(scene: &Scene) -> [usize; 2] {
    match scene.cloth[0].mesh {
        MeshSource::Grid { resolution, .. } => resolution,
        _ => panic!("not a grid"),
    }
}

#[test]
fn an_override_replaces_what_the_file_says() {
    for key in [
        "cloth.resolution",
        "cloth.0.resolution",
        "cloth.0.mesh.resolution",
        "cloth.mesh.resolution",
        "cloth.curtain.resolution",
    ] {
        assert_eq!(resolution(&set(key, "[316, 100]")), [316, 100], "{key}");
        assert_eq!(resolution(&set(key, "20")), [20, 20], "{key}");
    }
    assert_eq!(set("cloth.material", "denim").cloth[0].density, 0.41);
}

#[test]
fn an_override_makes_the_tables_it_needs() {
    assert_eq!(set("time.frames", "10").time.frames, 10);
    assert_eq!(set("solver.method", "newton").solver.method, "newton");
    assert_eq!(set("solver.rho", "0.99").solver.rho, Some(0.99));
    assert_eq!(set("solver.budget_ms", "5 ms").solver.budget_ms, Some(5.0));
    assert_eq!(set("pin.corners", "-x-z").pin.len(), 1);
    assert_eq!(set("pin.0.corners", "-x-z").pin.len(), 1);
    assert_eq!(set("seed", "7").seed, 7);
}

#[test]
fn an_element_of_a_list_can_be_set() {
    let text = format!("{ONE}position = [1, 2, 3]\n");
    let scene = parse_with(&text, &[("cloth.position.1", "\"50 cm\"")]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(scene.cloth[0].placement.position, [1.0, 0.5, 3.0]);
}

#[test]
fn later_overrides_win() {
    let scene = parse_with(ONE, &[("time.frames", "1"), ("time.frames", "2")]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(scene.time.frames, 2);
}

#[test]
fn a_mistake_in_an_override_names_the_override() {
    assert_eq!(
        refused(ONE, "cloth.densty", "0.2"),
        "--set cloth.densty=0.2: unknown key `densty` in [[cloth]]\n      = did you mean `density`?\n"
    );
    assert_eq!(
        refused(ONE, "cloth.density", "1 m"),
        "--set cloth.density=1 m: `density`: \"1 m\" is a length (m); expected a mass per area (kg/m^2)\n      = write for example \"200 g/m^2\", or a bare number in kg/m^2\n"
    );
    assert_eq!(
        refused(ONE, "tiem.frames", "3"),
        "--set tiem.frames=3: unknown table or key `tiem` at the top of the file\n      = did you mean `time`?\n"
    );
    assert_eq!(
        refused(ONE, "cloth.1.density", "3"),
        "--set cloth.1.density=3: there is no `cloth.1`\n      = there is 1 [[cloth]]: cloth.0 (\"curtain\")\n"
    );
    assert_eq!(
        refused(ONE, "cloth.material.density", "3"),
        "--set cloth.material.density=3: `material` is the text \"silk\", so there is no `density` in it\n      = set `material` itself, or a key beside it\n"
    );
    assert!(refused(ONE, "..", "3").starts_with("--set ..=3: `..` is not the name of a key"));
}

/// Regression: an index one too large added a body.
#[test]
fn an_override_of_what_is_not_there_says_what_is() {
    let two = "pliant = 1\n[[cloth]]\n[[cloth]]\nname = \"sail\"\n[[pin]]\nbody = \"sail\"\nvertices = 0\n";
    let message = refused(two, "cloth.2.density", "1");
    assert!(message.contains("there are 2 [[cloth]]: cloth.0 (\"cloth0\"), cloth.1 (\"sail\")"), "{message}");
    let message = refused(two, "pin.1.vertices", "1");
    assert!(message.contains("there is 1 [[pin]]: pin.0\n"), "{message}");
}

#[test]
fn the_names_of_reports_reach_bodies_without_a_name() {
    let density = |text: &str, key: &str| {
        let scene = parse_with(text, &[(key, "1")]).unwrap_or_else(|e| panic!("{e}"));
        scene.cloth.iter().map(|cloth| cloth.density == 1.0).collect::<Vec<bool>>()
    };
    assert_eq!(density("pliant = 1\n[[cloth]]\n", "cloth.cloth.density"), [true]);
    assert_eq!(density("pliant = 1\n[[cloth]]\n[[cloth]]\n", "cloth.cloth1.density"), [false, true]);
    assert!(refused(ONE, "cloth.cloth.density", "1").contains("unknown key `cloth`"));
}

#[test]
fn with_several_cloths_an_override_must_say_which() {
    let two = "pliant = 1\n[[cloth]]\n[[cloth]]\n";
    let message = refused(two, "cloth.density", "1");
    assert!(message.contains("does not say which cloth") && message.contains("`cloth.0.density`"), "{message}");
    // What is no key at all, or nobody's name, is not mended by that.
    let message = refused(two, "cloth.densty", "1");
    assert!(message.contains("unknown key `densty` in [[cloth]]") && message.contains("`density`"), "{message}");
    assert!(!message.contains("say which"), "{message}");
    let message = refused(two, "cloth.sial.density", "1");
    assert!(message.contains("no cloth called `sial`") && message.contains("cloth.1"), "{message}");
}
