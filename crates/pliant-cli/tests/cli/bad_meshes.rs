//! `pliant check` and `pliant run` have the same opinion of a mesh.

use crate::support::{Ended, Place, TET};
use serde_json::Value;
use std::path::Path;

#[path = "../../../pliant/tests/common/mod.rs"]
mod common;

const SHEET: &str = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 2 3\nf 1 3 4\n";

/// A Gmsh file of tetrahedra over the five corners of a double pyramid.
fn tets(corners: &[[u32; 4]]) -> String {
    let nodes = "5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 -1\n";
    let lines = corners.iter().enumerate().map(|(k, [a, b, c, d])| format!("{} 4 0 {a} {b} {c} {d}\n", k + 1));
    let (count, lines) = (corners.len(), lines.collect::<String>());
    format!("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{nodes}$EndNodes\n$Elements\n{count}\n{lines}$EndElements\n")
}

/// Calls both on a scene of this mesh.
fn judged(place: &Place, mesh: &Path) -> (Ended, Ended) {
    let is_solid = mesh.extension().is_some_and(|extension| extension == "msh" || extension == "vtk");
    let body = if is_solid { "solid" } else { "cloth" };
    let text = format!("pliant = 1\n[time]\nframes = 1\n[[{body}]]\nmesh = '{}'\n", mesh.display());
    std::fs::write(place.path("scene.toml"), text).unwrap();
    let check = place.call(&["check", "scene.toml", "--device", "cpu", "--json"]);
    (check, place.call(&["run", "scene.toml", "--device", "cpu", "--no-preview", "--json"]))
}

fn texts(list: &Value, of: impl Fn(&Value) -> &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|one| of(one).as_str().unwrap().to_string()).collect()
}

fn assert_agree(place: &Place, mesh: &Path) -> i32 {
    let (check, run) = judged(place, mesh);
    let name = mesh.display();
    assert_eq!(check.code, run.code, "{name}:\n{}\n{}", check.stdout, run.stderr);
    let (check, run) = (check.json(), run.json());
    assert_eq!(check["valid"] == true, run.get("error").is_none(), "{name}");
    let Some(bodies) = check.get("bodies") else {
        // Not even a model could be made of it.
        assert_eq!(check["error"]["message"], run["error"]["message"], "{name}");
        return 2;
    };
    let findings = bodies[0]["findings"].as_array().unwrap();
    let of = |severity: &str| -> Vec<String> {
        let of_severity = findings.iter().filter(|finding| finding["severity"] == severity);
        of_severity.map(|finding| finding["message"].as_str().unwrap().to_string()).collect()
    };
    if check["valid"] == true {
        let said = texts(&run["warnings"], |warning| warning);
        for message in of("warning") {
            assert!(said.iter().any(|warning| warning.ends_with(&message)), "{name}: {message}: {said:?}");
        }
        return 0;
    }
    let error = &run["error"];
    let said = match error.get("problems") {
        Some(problems) => texts(problems, |problem| &problem["message"]),
        None => vec![of("error").remove(0)],
    };
    assert_eq!(said, of("error"), "{name}");
    assert!(said.iter().all(|message| error["message"].as_str().unwrap().contains(message)), "{name}: {error}");
    2
}

#[test]
fn check_and_run_refuse_and_accept_the_same_meshes_with_the_same_words() {
    let place = Place::new("");
    let cases = [
        ("good.obj", TET.to_string(), 0),
        ("good.msh", tets(&[[1, 2, 3, 4], [1, 3, 2, 5]]), 0),
        ("unused vertex.obj", format!("{SHEET}v 5 5 5\n"), 0),
        ("face twice.obj", format!("{SHEET}f 2 3 1\n"), 2),
        ("face twice and once more.obj", format!("{SHEET}f 2 3 1\nf 1 1 2\n"), 2),
        ("corner twice.obj", format!("{SHEET}f 1 1 2\n"), 2),
        ("fin.obj", format!("{SHEET}v 0 1 0\nf 1 3 5\n"), 2),
        ("crossing.obj", format!("{SHEET}v 0.6 -1 0.2\nv 0.8 1 0.2\nv 0.6 1 0.4\nf 5 6 7\n"), 0),
        ("no area.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n".to_string(), 2),
        ("three on a face.msh", tets(&[[1, 2, 3, 4], [1, 3, 2, 5], [1, 2, 3, 5]]), 2),
        ("cut.obj", "v 0 0 0\nv 1 0\n".to_string(), 2),
        ("no surface.msh", tets(&[[1, 2, 3, 4], [1, 2, 3, 4]]), 2),
    ];
    for (name, content, code) in cases {
        let path = place.path(name);
        std::fs::write(&path, content).unwrap();
        assert_eq!(assert_agree(&place, &path), code, "{name}");
    }
}

#[test]
fn check_and_run_agree_on_the_bad_reference_meshes() {
    let Some(folder) = common::data_folder() else { return };
    let place = Place::new("");
    let mut codes = Vec::new();
    for entry in std::fs::read_dir(folder.join("bad")).unwrap().flatten() {
        if entry.path().extension().is_some_and(|extension| extension != "md") {
            codes.push(assert_agree(&place, &entry.path()));
        }
    }
    assert!(codes.contains(&0) && codes.iter().filter(|code| **code == 2).count() > 20, "{codes:?}");
}

#[test]
fn a_solid_without_a_surface_is_refused_before_the_first_step() {
    let place = Place::new("");
    std::fs::write(place.path("twice.msh"), tets(&[[1, 2, 3, 4], [1, 2, 3, 4]])).unwrap();
    let (_, run) = judged(&place, Path::new("twice.msh"));
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.contains("body 'solid'") && run.stderr.contains("no surface"), "{}", run.stderr);
    assert!(run.stderr.contains("pliant mesh check"), "{}", run.stderr);
    assert!(!place.path("out/scene/frames.bin").exists());
}

/// Regression: solids and colliders were mended without a word.
#[test]
fn check_and_run_say_once_how_many_tetrahedra_were_turned_over() {
    let text = "pliant = 1\n[time]\nframes = 1\n[[solid]]\nname = 'rock'\nmesh = 'a.msh'\nposition = [0, 3, 0]\n\
                [[collider]]\nname = 'hill'\nshape = 'mesh'\nmesh = 'a.msh'\ncells = 12\n";
    let place = Place::new(text);
    let told = |corners: &[[u32; 4]], args: &[&str]| {
        std::fs::write(place.path("a.msh"), tets(corners)).unwrap();
        let report = place.json(&[args, &["scene.toml", "--device", "cpu", "--json"]].concat());
        let mut said = texts(&report["warnings"], |warning| warning);
        said.retain(|warning| warning.contains("turned over"));
        said
    };
    for args in [&["check"][..], &["run", "--no-preview"]] {
        assert_eq!(told(&[[1, 2, 3, 4], [1, 3, 2, 5]], args), [""; 0]);
        let said = told(&[[1, 2, 3, 4], [1, 2, 3, 5]], args);
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said[0].starts_with("body 'rock': 1 tetrahedron had negative volume"), "{said:?}");
        assert!(
            said[1].starts_with("collider 'hill': 1 tetrahedron had") && said[1].contains("mesh check"),
            "{said:?}"
        );
        assert!(told(&[[1, 3, 2, 4], [1, 2, 3, 5]], args)[0].starts_with("body 'rock': 2 tetrahedra had"));
    }
}

#[test]
fn advice_about_turned_tetrahedra_is_for_people_and_true() {
    let place = Place::new("pliant = 1\n[time]\nframes = 1\n[[solid]]\nmesh = 'turned.msh'\n");
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let turned = pliant::mesh::Mesh { points, tets: vec![[0, 2, 1, 3]], ..Default::default() };
    pliant::mesh::write(&place.path("turned.msh"), &turned).unwrap();
    let said = place.call(&["mesh", "check", "turned.msh"]).stdout;
    assert!(said.contains("scenes do that by themselves") && !said.contains("::"), "{said}");
    assert_eq!(place.call(&["run", "scene.toml", "--no-preview"]).code, 0);
}
