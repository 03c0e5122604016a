//! The commands besides `run`.

use crate::support::{Place, SMALL, TET, assert_has_keys, root};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

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
    let first = &check["errors"][0];
    assert_eq!((first["kind"].as_str(), first["file"].as_str()), (Some("scene"), Some("scene.toml")));
    assert_eq!((first["line"].as_u64(), first["column"].as_u64()), (Some(3), Some(1)));
    assert!(first["message"].as_str().unwrap().contains("resolutoin"), "{check}");
    assert!(first["help"].as_str().unwrap().contains("resolution"), "{check}");

    let place = Place::new("pliant = 1\n[[cloth]]\nresolution = 1\ndensity = -1\n");
    let check = place.call(&["check", "scene.toml", "--json", "--set", "time.frames=0"]).json();
    let errors = check["errors"].as_array().unwrap();
    let lines: Vec<Option<u64>> = errors.iter().map(|e| e["line"].as_u64()).collect();
    assert_eq!(lines, [Some(3), Some(4), None], "{check}");
    assert_eq!(errors[2]["set"], "time.frames=0");
    assert_eq!(check["error"]["exit_code"], 2);
}

#[test]
fn compare_takes_methods_that_fit_the_scene_and_says_what_it_left_out() {
    let scene = SMALL.replace("resolution = 9", "resolution = 4\nstretch = 'stvk'");
    let place = Place::new(&scene);
    let ended = place.call(&["compare", "scene.toml", "--frame", "1", "--json"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let comparison = ended.json();
    let names: Vec<&str> =
        comparison["methods"].as_array().unwrap().iter().filter_map(|m| m["name"].as_str()).collect();
    assert!(names.contains(&"lbfgs-jacobi") && names.contains(&"descent"), "{names:?}");
    assert!(names.iter().all(|name| !name.starts_with("pd-") && !name.starts_with("pbd-")), "{names:?}");
    assert!(!ended.stderr.contains("left out"), "{}", ended.stderr);
    let ended =
        place.call(&["compare", "scene.toml", "--frame", "1", "--iterations", "2", "--methods", "all", "--json"]);
    assert!(ended.json()["methods"].as_array().is_some_and(|methods| methods.len() > names.len()), "{}", ended.stderr);
    assert!(ended.stderr.contains("left out") && ended.stderr.contains("pd-direct"), "{}", ended.stderr);

    let ended = Place::new(SMALL).call(&["compare", "scene.toml", "--frame", "1", "--iterations", "2", "--json"]);
    assert_eq!(ended.json()["methods"].as_array().unwrap().len(), 6);
    assert!(!ended.stderr.contains("left out"), "{}", ended.stderr);
}

#[test]
fn compare_says_that_a_frame_is_beyond_the_end_and_how_far_it_is() {
    let place = Place::new(SMALL);
    let quick = ["compare", "scene.toml", "--methods", "pd-jacobi", "--iterations", "2", "--json", "--frame"];
    let ended = place.call(&[&quick[..], &["8"]].concat());
    assert_eq!((ended.code, ended.json()["step"].as_u64()), (0, Some(8)));
    assert!(ended.stderr.contains("only 6 frames") && ended.stderr.contains("frame 8"), "{}", ended.stderr);
    assert!(!place.call(&[&quick[..], &["6"]].concat()).stderr.contains("only"));

    let mut command = place.command(&[&quick[..], &["100000000"]].concat());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let shown = lines.map_while(Result::ok).find(|line| line.contains("/100000000 steps"));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(shown.is_some_and(|line| line.starts_with("simulating: ")));
}

/// Regression: only --iterations counted, those of the scene and of --set did not.
#[test]
fn compare_makes_as_many_iterations_as_the_scene_says_unless_the_command_line_does() {
    let place = Place::new(SMALL);
    let made = |more: &[&str]| {
        let call = ["compare", "scene.toml", "--methods", "pd-jacobi", "--frame", "1", "--json"];
        let comparison = place.json(&[&call[..], more].concat());
        comparison["methods"][0]["curve"].as_array().unwrap().last().unwrap()["iteration"].as_u64().unwrap()
    };
    assert_eq!(made(&[]), 20);
    assert_eq!(made(&["--set", "solver.iterations=7"]), 7);
    assert_eq!(made(&["--set", "solver.iterations=7", "--iterations", "3"]), 3);
}

#[test]
fn methods_lists_what_there_is() {
    let place = Place::new(SMALL);
    let methods = place.json(&["methods", "--json"]);
    assert_eq!(methods["methods"].as_array().unwrap().len(), pliant::solver::METHODS.len());
    assert_has_keys(&methods["methods"][0], &["name", "source", "summary", "needs", "iterations"]);
    assert!(place.call(&["methods"]).stdout.contains("pd-jacobi-chebyshev"));
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
    std::fs::write(place.path("tet.obj"), TET).unwrap();
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

    let before = std::fs::read(place.path("tet.obj")).unwrap();
    let replaced = place.call(&["mesh", "convert", "tet.obj", "./tet.obj"]);
    assert!(replaced.code == 2 && replaced.stderr.contains("replace itself"), "{}", replaced.stderr);
    assert_eq!(std::fs::read(place.path("tet.obj")).unwrap(), before);
    let converted = place.json(&["mesh", "convert", "tet.obj", "tet.ply", "--json"]);
    assert_eq!(converted["triangles"], 4);
    assert_eq!(pliant::mesh::read(&place.path("tet.ply")).unwrap().triangles.len(), 4);
}

#[test]
fn convert_reports_what_it_wrote_and_that_tetrahedra_are_lost() {
    let place = Place::new(SMALL);
    // Two tetrahedra that share a face.
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];
    let solid = pliant::mesh::Mesh { points, tets: vec![[0, 1, 2, 3], [0, 2, 1, 4]], ..Default::default() };
    pliant::mesh::write(&place.path("solid.msh"), &solid).unwrap();
    for to in ["surface.obj", "surface.ply", "surface.stl"] {
        let ended = place.call(&["mesh", "convert", "solid.msh", to]);
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        assert!(ended.stderr.contains(&format!("{to}: 5 vertices, 6 triangles, 0 tetrahedra")), "{}", ended.stderr);
        assert!(ended.stderr.contains("2 tetrahedra are lost") && ended.stderr.contains(".vtu"), "{}", ended.stderr);
        let told = place.json(&["mesh", "convert", "solid.msh", to, "--json"]);
        let counts = ["vertices", "triangles", "tets", "lost_tets"].map(|key| told[key].as_u64().unwrap());
        assert_eq!(counts, [5, 6, 0, 2], "{told}");
        assert_eq!(told["warnings"].as_array().unwrap().len(), 1);
        assert_eq!(pliant::mesh::read(&place.path(to)).unwrap().triangles.len(), 6);
    }
    let kept = place.call(&["mesh", "convert", "solid.msh", "solid.vtu"]);
    assert!(kept.stderr.contains("5 vertices, 0 triangles, 2 tetrahedra"), "{}", kept.stderr);
    assert!(!kept.stderr.contains("lost"), "{}", kept.stderr);

    let twice = pliant::mesh::Mesh { tets: vec![[0, 1, 2, 3]; 2], ..solid };
    pliant::mesh::write(&place.path("twice.msh"), &twice).unwrap();
    let refused = place.call(&["mesh", "convert", "twice.msh", "twice.obj"]);
    assert!(refused.code == 2 && refused.stderr.contains("only a surface fits"), "{}", refused.stderr);
    assert!(!place.path("twice.obj").exists());
}

#[test]
fn convert_says_that_a_vertex_of_no_triangle_is_lost() {
    let place = Place::new(SMALL);
    std::fs::write(place.path("lone.obj"), format!("{TET}v 5 5 5\n")).unwrap();
    let ended = place.call(&["mesh", "convert", "lone.obj", "lone.stl"]);
    assert!(ended.stderr.contains("4 vertices, 4 triangles"), "{}", ended.stderr);
    assert!(ended.stderr.contains("warning: lone.stl: 1 vertex is lost"), "{}", ended.stderr);
    assert!(ended.stderr.contains(".ply"), "{}", ended.stderr);
    let told = place.json(&["mesh", "convert", "lone.obj", "lone.stl", "--json"]);
    assert_eq!((told["lost_vertices"].as_u64(), told["lost_tets"].as_u64()), (Some(1), Some(0)));
    assert_eq!(told["warnings"].as_array().unwrap().len(), 1);
    for kept in ["lone.ply", "lone.msh"] {
        let told = place.json(&["mesh", "convert", "lone.obj", kept, "--json"]);
        assert_eq!((told["vertices"].as_u64(), told["lost_vertices"].as_u64()), (Some(5), Some(0)), "{told}");
        assert!(told["warnings"].as_array().unwrap().is_empty(), "{told}");
    }
}

#[test]
fn help_and_version_are_there_for_every_command() {
    let place = Place::new(SMALL);
    assert!(place.call(&["--version"]).stdout.starts_with("pliant "));
    for command in [
        &["run"][..],
        &["check"],
        &["compare"],
        &["methods"],
        &["devices"],
        &["mesh", "info"],
        &["mesh", "convert"],
        &["mesh", "colour"],
    ] {
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

/// Regression: on a terminal, every command began with a complaint of the log about its colours, and debug builds panicked.
#[test]
#[cfg(target_os = "linux")]
fn a_terminal_gets_the_answer_and_nothing_else() {
    let place = Place::new(SMALL);
    let program = env!("CARGO_BIN_EXE_pliant");
    let on_terminal = |arguments: &str| {
        let line = format!("{program} {arguments}");
        let mut script = std::process::Command::new("script");
        script.args(["-qec", &line, "/dev/null"]).current_dir(place.path(""));
        crate::support::Ended::of(script.output().unwrap())
    };
    let ended = on_terminal("methods");
    assert_eq!(ended.code, 0, "{}", ended.stdout);
    assert!(ended.stdout.starts_with("method "), "{}", ended.stdout);
    let ended = on_terminal("check scene.toml");
    assert!(ended.code == 0 && ended.stdout.contains("the scene can be simulated"), "{}", ended.stdout);
    assert!(!ended.stdout.contains("tracing"), "{}", ended.stdout);
}

/// Regression: in free flight E* is 0, and every method had an error of 1.
#[test]
fn compare_says_that_there_is_nothing_to_solve_in_free_flight() {
    let text = "pliant = 1\n[time]\nframes = 9\n[[cloth]]\nresolution = 9\nposition = [0, 1, 0]\nmaterial = 'paper'\n\
                rotation = [20, 0, 10]\n";
    let place = Place::new(text);
    let args = ["compare", "scene.toml", "--methods", "pd-jacobi", "--frame", "3", "--json"];
    let ended = place.call(&args);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.stderr.contains("nothing to solve") && ended.stderr.contains("--frame"), "{}", ended.stderr);
    assert_eq!(ended.json()["nothing_to_solve"], true);
    assert_eq!(ended.json()["methods"].as_array().unwrap().len(), 0);
    assert!(!place.path("out").exists());
    let report = place.json(&["run", "scene.toml", "--frames", "3", "--error", "--no-preview", "--json"]);
    assert!(report["relative_error"].is_null());
    let hanging = Place::new(&format!("{text}[[pin]]\ncorners = ['-x-z']\n")).json(&args);
    assert_eq!(hanging["nothing_to_solve"], false);
}
