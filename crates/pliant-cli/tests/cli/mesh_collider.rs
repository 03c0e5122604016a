//! Scenes with a collider from a mesh file.

use crate::support::{Place, TET};

const SCENE: &str = "
pliant = 1
[time]
frames = 12
[[cloth]]
size = 0.4
resolution = 9
position = [0.3, 1.02, 0.3]
[[collider]]
name = 'rock'
shape = 'mesh'
mesh = 'rock.obj'
cells = 24
velocity = [0.1, 0, 0]
[solver]
iterations = 20
[device]
name = 'cpu'
";

#[test]
fn a_mesh_is_a_collider_and_its_distances_are_found_once() {
    let place = Place::new(SCENE);
    std::fs::write(place.path("rock.obj"), TET).unwrap();
    let cached = || std::fs::read_dir(place.path("cache/pliant")).map_or(0, |files| files.count());
    let check = place.json(&["check", "scene.toml", "--json"]);
    assert_eq!((check["valid"].as_bool(), check["colliders"].as_u64(), cached()), (Some(true), Some(1), 1));
    let run = |out: &str| {
        let report = place.json(&["run", "scene.toml", "--json", "--preview", "picture.png", "--out", out]);
        assert!(report["warnings"].as_array().unwrap().is_empty(), "{report}");
        (report["state_hash"].clone(), report["min_gap"].as_f64().unwrap())
    };
    let (first, gap) = run("first");
    assert!((-1e-6..0.1).contains(&gap), "{gap}");
    assert_eq!(cached(), 1);
    // Another cache, another file of distances, the same motion.
    std::fs::remove_dir_all(place.path("cache")).unwrap();
    assert_eq!((run("second"), cached()), ((first, gap), 1));
    assert!(place.path("picture.png").is_file());
}

#[test]
fn a_mesh_with_holes_is_refused_by_check_and_run_with_its_file() {
    let place = Place::new(SCENE);
    std::fs::write(place.path("rock.obj"), TET.replace("f 2 3 4\n", "")).unwrap();
    for command in ["check", "run"] {
        let ended = place.call(&[command, "scene.toml", "--json"]);
        let error = &ended.json()["error"];
        assert_eq!((ended.code, error["kind"].as_str()), (2, Some("mesh")), "{error}");
        assert!(error["file"].as_str().unwrap().ends_with("rock.obj"), "{error}");
        let message = error["message"].as_str().unwrap();
        for word in ["'rock'", "not watertight", "3 edges", "close the holes"] {
            assert!(message.contains(word), "{word} in {message}");
        }
    }
    assert!(!place.path("cache/pliant").exists(), "nothing to keep");
}
