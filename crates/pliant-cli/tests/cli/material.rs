//! `pliant material curve`

use crate::support::{Place, SMALL, assert_has_keys};
use pliant::material::LAWS;

const HEADER: &str = "stretch,lateral_stretch,nominal_stress";

/// The numbers of a table without a column of names.
fn rows(csv: &str) -> Vec<[f64; 3]> {
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some(HEADER));
    let row = |line: &str| line.split(',').map(|cell| cell.parse().unwrap()).collect::<Vec<f64>>().try_into().unwrap();
    lines.map(row).collect()
}

#[test]
fn csv_is_the_table_alone_and_writes_nothing() {
    let place = Place::new(SMALL);
    // Half of the shear modulus, half of the bulk modulus.
    let call = [
        "material",
        "curve",
        "neo-hookean",
        "--s",
        "0.5,5 MPa",
        "--csv",
        "--from",
        "0.5",
        "--to",
        "2",
        "--points",
        "4",
    ];
    let ended = place.call(&call);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    let rows = rows(&ended.stdout);
    assert!(rows.iter().map(|row| row[0]).eq([0.5, 1.0, 1.5, 2.0]));
    for [s, t, stress] in rows {
        assert!((t - s.powf(-0.5)).abs() < 1e-4 && (stress - (s - s.powi(-2))).abs() < 1e-4, "{s}: {t}, {stress}");
    }
    let files: Vec<_> = std::fs::read_dir(place.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(files, ["scene.toml"]);
}

#[test]
fn every_model_and_test_gives_a_curve_through_rest_with_the_slope_of_its_moduli() {
    let place = Place::new(SMALL);
    for (test, slope) in [("uniaxial", 1e5), ("biaxial", 1e5 / 0.7), ("shear", 1e5 / 2.6), ("volumetric", 1e5 / 0.4)] {
        for name in LAWS.iter().map(|law| law.name).filter(|name| *name != "arap") {
            let moduli = ["--youngs-modulus", "100 kPa", "--poisson-ratio", "0.3"];
            let range = ["--from", "0.9999", "--to", "1.0001", "--points", "3", "--csv", "--test", test];
            let ended = place.call(&[&["material", "curve", name][..], &moduli, &range].concat());
            assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{name} {test}");
            let rows = rows(&ended.stdout);
            assert!(rows.len() == 3 && rows[1][2].abs() < 1e-6, "{name} {test}: {rows:?}");
            let found = (rows[2][2] - rows[0][2]) / 2e-4;
            assert!((found - slope).abs() < 1e-3 * slope, "{name} {test}: {found} is not {slope}");
        }
    }
}

#[test]
fn chart_and_table_are_written_where_they_were_asked_for() {
    let place = Place::new(SMALL);
    let call = |args: &[&str]| {
        let ended = place.call(&[&["material", "curve"], args].concat());
        assert_eq!(ended.code, 0, "{args:?}: {}", ended.stderr);
        ended.stdout
    };
    let text = call(&["fung"]);
    assert!(text.contains("fung-uniaxial.svg") && text.contains("fung-uniaxial.csv"), "{text}");
    assert!(text.contains("nominal stress, Pa"), "{text}");
    let read = |name: &str| std::fs::read_to_string(place.path(name)).unwrap();
    assert_eq!(rows(&read("fung-uniaxial.csv")).len(), 100);
    assert!(read("fung-uniaxial.svg").contains(">fung<"));

    call(&["fung", "stvk,fung", "--test", "shear", "--out", "charts/new"]);
    let svg = read("charts/new/materials-shear.svg");
    assert!(svg.contains(">fung<") && svg.contains(">stvk<") && svg.contains(">1 + shear<"));
    let csv = read("charts/new/materials-shear.csv");
    assert_eq!(csv.lines().next().unwrap(), format!("model,{HEADER}"));
    assert_eq!((csv.lines().count(), csv.lines().filter(|line| line.starts_with("fung,")).count()), (201, 100));

    call(&["arap", "--out", "charts/a.png"]);
    assert_eq!(std::fs::read(place.path("charts/a.png")).unwrap()[..4], *b"\x89PNG");
    assert_eq!(rows(&read("charts/a.csv")).len(), 100);
    assert_eq!(call(&["arap", "stvk", "--csv"]).lines().next().unwrap(), format!("model,{HEADER}"));
}

#[test]
fn with_json_all_is_one_object() {
    let place = Place::new(SMALL);
    let found = place.json(&["material", "curve", "all", "--material", "muscle", "--points", "10", "--json"]);
    assert_has_keys(&found, &["test", "curves", "files"]);
    let curves = found["curves"].as_array().unwrap();
    assert!(curves.iter().map(|curve| curve["model"].as_str().unwrap()).eq(LAWS.iter().map(|law| law.name)));
    for curve in curves {
        assert_has_keys(curve, &["s", "youngs_modulus", "poisson_ratio", "points", "left_out", "notes"]);
        assert_has_keys(&curve["points"][0], &["stretch", "lateral_stretch", "nominal_stress"]);
    }
    assert!((curves[1]["youngs_modulus"].as_f64().unwrap() - 2.5e4).abs() < 1e-6, "{}", curves[1]);
    assert!(found["files"].as_array().unwrap().iter().all(|file| place.path(file.as_str().unwrap()).is_file()));
    assert_eq!(place.call(&["material", "curve", "arap", "--json", "--csv"]).code, 2);
}

#[test]
fn points_where_the_sides_are_never_free_are_left_out_and_said() {
    let place = Place::new(SMALL);
    let ended = place.call(&["material", "curve", "stvk", "--csv"]);
    assert_eq!(ended.code, 0);
    let last = rows(&ended.stdout).last().copied().unwrap();
    assert!(last[0] < 1.795 && last[1] > 0.0, "{last:?}");
    assert!(
        ended.stderr.contains("stvk: ")
            && ended.stderr.contains("beyond a stretch of 1.795, where the lateral stretch has come to 0.000"),
        "{}",
        ended.stderr
    );
    assert!(ended.stderr.contains("under a load it gives way"), "{}", ended.stderr);
}
