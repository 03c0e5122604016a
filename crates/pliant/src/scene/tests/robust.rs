//! No text makes the parser panic.

use std::path::Path;

use proptest::prelude::*;

use super::*;

const VALID: &str = r#"
pliant = 1
gravity = [0, "-9.81 m/s^2", 0]
[[cloth]]
mesh = { shape = "grid", resolution = [11, 11] }
size = ["90 cm", 1]
density = "200 g/m²"
strain_limit = [0.9, 1.1]
[[solid]]
shape = "torus"
edge = 0.02
position = [0, 1e0, 0x1]
[[collider]]
shape = "half-space"
moves = [0, inf]
[[pin]]
body = "cloth"
inside = [[-1, -1, -1], [0, 1, 1]]
[[force]]
kind = "wind"
velocity = [1, 2, 3]
[time]
frames = 10
"#;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn random_edits_of_a_valid_scene_never_panic(
        edits in prop::collection::vec((0..VALID.len(), any::<u8>(), 0..3u8), 1..6),
    ) {
        let mut bytes = VALID.as_bytes().to_vec();
        for (at, byte, how) in edits {
            let at = at.min(bytes.len() - 1);
            match how {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => { bytes.remove(at); }
            }
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Err(e) = parse(&text) {
            prop_assert!(!e.to_string().is_empty());
        }
    }

    #[test]
    fn swapped_pieces_of_valid_scenes_never_panic(
        pieces in prop::collection::vec((0..VALID.len(), 1..40usize), 1..12),
    ) {
        let text: String = pieces
            .iter()
            .map(|&(at, length)| VALID.chars().skip(at).take(length).collect::<String>())
            .collect();
        if let Err(e) = parse(&format!("pliant = 1\n{text}")) {
            prop_assert!(!e.to_string().is_empty());
        }
    }

    #[test]
    fn random_overrides_never_panic(key in "[a-z0-9.]{0,20}", section in "cloth|solid|time|pin|output|pliant", value in "\\PC{0,12}") {
        for key in [key.clone(), format!("{section}.{key}")] {
            if let Err(e) = parse_with(VALID, &[(&key, &value)]) {
                prop_assert!(!e.to_string().is_empty());
            }
        }
    }
}

#[test]
fn the_edited_scene_is_valid_to_begin_with() {
    good(VALID);
}

#[test]
fn deep_nesting_is_an_error_and_no_stack_overflow() {
    let deep = format!("pliant = 1\nname = {}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(parse(&deep).is_err());
    let dots = vec!["a"; 100_000].join(".");
    assert!(parse(&format!("pliant = 1\n{dots} = 1\n")).is_err());
    assert!(parse_with(VALID, &[(&dots, "1")]).is_err());
}

#[test]
fn a_file_that_is_no_text_is_refused_with_its_line() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, b"pliant = 1\n\xff\xfe").expect("can write");
    let message = Scene::read(&path, &[]).expect_err("not text").to_string();
    assert!(message.contains("line 2 is not UTF-8 text"), "{message}");
}

#[test]
fn a_scene_file_that_does_not_exist_suggests_one_that_does() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("drape.toml"), "pliant = 1").expect("can write");
    let message = Scene::read(&folder.path().join("drap.toml"), &[]).expect_err("not there").to_string();
    assert!(message.contains("cannot be read") && message.contains("drape.toml`?"), "{message}");
    assert!(Scene::read(Path::new(""), &[]).is_err());
    assert!(Scene::read(folder.path(), &[]).is_err());
}

/// Regression: these were simulated, and gave nonsense, infinities or hours of nothing.
#[test]
fn absurd_numbers_are_refused_with_their_place_and_what_would_do() {
    let cases = [
        ("[[cloth]]", "size", "1e30", "from 1e-9 to 1000000 m"),
        ("[[cloth]]", "size", "[1, 1e-30]", "from 1e-9 to 1000000 m"),
        ("[[cloth]]", "density", "1e-30", "from 1e-9 to 1000000 kg/m^2"),
        ("[[cloth]]", "stretch_stiffness", "1e30", "to 1e12 N/m"),
        ("[[cloth]]", "bend_stiffness", "1e30", "from 0 to 1e9 N·m"),
        ("[[cloth]]", "velocity", "[0, -1e39, 0]", "from -1000000 to 1000000 m/s"),
        ("[[cloth]]", "position", "[0, 1e30, 0]", "from -1000000 to 1000000 m"),
        ("[[cloth]]", "rotation", "[1e300, 0, 0]", "deg"),
        ("[[cloth]]", "scale", "1e-30", "from 1e-9 to 1e9\n"),
        ("[[cloth]]", "thickness", "1e30", "from 0 to 1000000 m"),
        ("[[cloth]]\n[time]", "frame_rate", "1e9", "from 0.0001 to 1000000 Hz"),
        ("[[cloth]]\n[solver]", "contact_stiffness", "1e30", "to 1e9\n"),
        ("[[solid]]\nshape = \"box\"", "youngs_modulus", "1e30", "to 1e14 Pa"),
        ("[[solid]]\nshape = \"box\"", "density", "1e30", "kg/m^3"),
        ("[[cloth]]\n[[pin]]\nvertices = 0", "stiffness", "1e30", "N/m"),
        ("[[cloth]]\n[[pin]]\nvertices = 0", "angular_velocity", "[0, 1e30, 0]", "deg/s"),
        ("[[cloth]]\n[[pin]]", "nearest", "[1e30, 0, 0]", "m"),
        ("[[cloth]]\n[[force]]\nkind = \"damping\"", "rate", "1e30", "1/s"),
        ("[[cloth]]\n[[force]]\nkind = \"acceleration\"", "acceleration", "[1e30, 0, 0]", "m/s^2"),
    ];
    for (table, key, value, words) in cases {
        let message = bad(&format!("pliant = 1\n{table}\n{key} = {value}\n"));
        let line = 2 + table.matches('\n').count() + 1;
        assert!(message.starts_with(&format!("test.toml:{line}:")), "{message}");
        assert!(message.contains("not plausible") && message.contains(words), "{key} = {value}: {message}");
    }
    good("pliant = 1\ngravity = [0, 0, 0]\n[[cloth]]\n");
    assert!(bad("pliant = 1\ngravity = [0, -1e30, 0]\n[[cloth]]\n").contains("not plausible"));
}

#[test]
fn everything_sensible_is_plausible() {
    let cases = [
        ("[[cloth]]", "size", "\"1 um\""),
        ("[[cloth]]", "size", "[\"100 km\", \"1 mm\"]"),
        ("[[cloth]]", "density", "\"0.77 mg/m^2\""), // graphene
        ("[[cloth]]", "thickness", "1e-300"),
        ("[[cloth]]", "bend_stiffness", "1e-30"),
        ("[[cloth]]", "velocity", "[1e-30, \"8 km/s\", 0]"),
        ("[[cloth]]\n[time]", "frame_rate", "1000000"),
        ("[[cloth]]\n[time]", "frame_rate", "\"1 1/h\""),
        ("[[solid]]\nshape = \"box\"", "youngs_modulus", "\"1200 GPa\""), // diamond
        ("[[solid]]\nshape = \"box\"", "youngs_modulus", "1"),
        ("[[solid]]\nshape = \"box\"", "density", "\"22.6 g/cm^3\""), // osmium
        ("[[solid]]\nshape = \"box\"", "density", "0.16"),            // aerographite
        ("[[cloth]]\n[[pin]]\nvertices = 0", "angular_velocity", "[0, \"1000000 rpm\", 0]"),
        ("[[cloth]]\n[[pin]]", "inside", "[[-1e30, -1, -1e30], [1e30, 1, 1e30]]"),
        ("[[cloth]]\n[[pin]]\nvertices = 0", "release", "inf"),
    ];
    for (table, key, value) in cases {
        good(&format!("pliant = 1\n{table}\n{key} = {value}\n"));
    }
}
