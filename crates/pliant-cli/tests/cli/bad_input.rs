//! Bad input gets exit code 2, a message that helps, and never a panic.

use crate::support::{Place, SMALL, TET};
use serde_json::Value;

/// Calls that must be refused, each with words its message must have.
#[test]
fn bad_calls_are_refused_with_a_message_that_says_what_to_do() {
    let place = Place::new(SMALL);
    std::fs::write(place.path("typo.toml"), "pliant = 1\n[[cloth]]\nresolutoin = 3\n").unwrap();
    std::fs::write(place.path("tets.toml"), "pliant = 1\n[[solid]]\nshape = 'box'\nmodel = 'corotated'\n").unwrap();
    std::fs::write(place.path("gone.toml"), "pliant = 1\n[[cloth]]\nmesh = 'gone.obj'\n").unwrap();
    std::fs::write(place.path("tet.obj"), TET).unwrap();
    std::fs::write(place.path("a-file"), "").unwrap();
    let cases: &[(&[&str], &[&str])] = &[
        (&["run", "typo.toml"], &["typo.toml:3", "resolution"]),
        (&["run", "scnee.toml"], &["scnee.toml", "scene.toml"]),
        (&["run", "."], &["cannot be read"]),
        (&["run", "gone.toml"], &["gone.obj"]),
        (&["run", "tets.toml", "--method", "pd-direct"], &["pd-direct", "newton"]),
        (&["run", "scene.toml", "--method", "pd-jacobbi"], &["pd-jacobbi", "did you mean", "pliant methods"]),
        (&["run", "scene.toml", "--device", "gpu7"], &["gpu7", "cpu"]),
        (&["bench", "pd", "--only", "teapot"], &["teapot", "fishnet"]),
        (&["run", "scene.toml", "--set", "cloth.resolution"], &["KEY=VALUE"]),
        (&["run", "scene.toml", "--set", "cloth.resolutoin=3"], &["--set", "resolution"]),
        (&["run", "scene.toml", "--set", "cloth.resolution=1"], &["from 2"]),
        (&["run", "scene.toml", "--frames", "0"], &["--frames"]),
        (&["run", "scene.toml", "--frames", "-1"], &["'-1'", "--frames"]),
        (&["run", "scene.toml", "--budget-ms", "-1"], &["milliseconds"]),
        (&["run", "scene.toml", "--precision", "f16"], &["f32"]),
        (&["run", "scene.toml", "--format", "abc"], &["vtu"]),
        (&["run", "scene.toml", "--preview", "a.jpg"], &["a.jpg", ".png", ".gif"]),
        (&["run", "scene.toml", "--out", "a-file"], &["a-file", "--out"]),
        (&["run", "scene.toml", "--out", "a-file/b"], &["a-file", "--out"]),
        (&["compare", "scene.toml", "--methods", "pd-jacobi,nwton"], &["nwton", "newton"]),
        (&["compare", "scene.toml", "--frame", "0", "--iterations", "2", "--out", "a-file"], &["a-file"]),
        (&["mesh", "info", "gone.obj"], &["gone.obj"]),
        (&["mesh", "convert", "gone.obj", "a.ply"], &["gone.obj"]),
        (&["mesh", "info"], &["FILES"]),
        (&["mesh", "colour", "gone.obj"], &["gone.obj"]),
        (&["mesh", "colour", "tet.obj", "--algorithm", "dsatur"], &["dsatur", "vivace", "all"]),
        (&["mesh", "colour", "tet.obj", "--device", "gpu7"], &["gpu7", "cpu"]),
        (&["mesh", "colour", "tet.obj", "--seed", "-1"], &["--seed"]),
        (&["mesh", "colour", "tet.obj", "--matrix", "a.jpg"], &["a.jpg", ".png"]),
        (&["mesh", "colour", "tet.obj", "--matrix", "a-file/b.png"], &["a-file/b.png", "--matrix"]),
        (&["fly"], &["fly"]),
        (&[], &["Usage"]),
    ];
    for (args, words) in cases {
        let ended = place.call(args);
        assert_eq!(ended.code, 2, "{args:?}: {}", ended.stderr);
        assert_eq!(ended.stdout, "", "{args:?}");
        assert!(!ended.stderr.contains("panicked"), "{args:?}: {}", ended.stderr);
        for word in *words {
            assert!(ended.stderr.contains(word), "{args:?}: `{word}` is missing in\n{}", ended.stderr);
        }
    }
    assert_eq!(std::fs::read(place.path("a-file")).unwrap(), b"", "never a partial overwrite");
}

/// Calls that fail, each with the kind of its error and some of its fields.
#[test]
fn with_json_an_error_is_one_object_on_stdout() {
    let place = Place::new(SMALL);
    std::fs::write(place.path("typo.toml"), "pliant = 1\n[[cloth]]\n  resolutoin = 3\ndensity = 0\n").unwrap();
    std::fs::write(place.path("bad.obj"), "v 0 0 0\nv 1 0 x\n").unwrap();
    std::fs::write(place.path("mesh.toml"), "pliant = 1\n[[cloth]]\nname = 'rag'\nmesh = 'bad.obj'\n").unwrap();
    std::fs::write(place.path("a-file"), "").unwrap();
    type Case<'a> = (&'a [&'a str], &'a str, &'a [(&'a str, Value)]);
    let cases: &[Case] = &[
        (&["run", "typo.toml"], "scene", &[("file", "typo.toml".into()), ("line", 3.into()), ("column", 3.into())]),
        (&["check", "typo.toml"], "scene", &[("line", 3.into())]),
        (&["compare", "typo.toml"], "scene", &[("line", 3.into())]),
        (&["run", "gone.toml"], "scene", &[("file", "gone.toml".into())]),
        (&["run", "scene.toml", "--set", "time.frames=0"], "scene", &[("set", "time.frames=0".into())]),
        (&["run", "mesh.toml"], "mesh", &[("body", "rag".into()), ("line", 2.into())]),
        (&["mesh", "info", "bad.obj"], "mesh", &[("file", "bad.obj".into()), ("line", 2.into())]),
        (&["mesh", "check", "gone.obj"], "mesh", &[("file", "gone.obj".into())]),
        (&["mesh", "convert", "gone.obj", "a.ply"], "mesh", &[("file", "gone.obj".into())]),
        (&["run", "scene.toml", "--method", "newtn"], "method", &[]),
        (&["compare", "scene.toml", "--methods", "newtn"], "method", &[]),
        (&["run", "scene.toml", "--device", "gpu7"], "device", &[]),
        (&["run", "scene.toml", "--out", "a-file"], "output", &[]),
        (&["run", "scene.toml", "--preview", "a.jpg"], "preview", &[]),
        (&["run", "scene.toml", "--frames", "0"], "usage", &[]),
        (&["fly"], "usage", &[]),
    ];
    for (args, kind, fields) in cases {
        let ended = place.call(&[args, &["--json"][..]].concat());
        assert_eq!(ended.code, 2, "{args:?}: {}", ended.stderr);
        let error = &ended.json()["error"];
        assert_eq!((error["kind"].as_str(), error["exit_code"].as_u64()), (Some(*kind), Some(2)), "{args:?}: {error}");
        let message = error["message"].as_str().unwrap();
        assert!(!message.is_empty() && ended.stderr.contains(message), "{args:?}: people are told the same\n{message}");
        for (field, value) in *fields {
            assert_eq!(error[*field], *value, "{args:?}: {error}");
        }
    }
    let several = place.call(&["run", "typo.toml", "--json"]).json();
    assert_eq!(several["error"]["problems"].as_array().unwrap().len(), 2, "{several}");
}

#[test]
fn a_run_is_not_resumed_with_another_scene_method_precision_or_fewer_frames() {
    let place = Place::new(SMALL);
    let base = ["run", "scene.toml", "--no-preview", "--out", "o"];
    assert_eq!(place.call(&base).code, 0);
    std::fs::write(place.path("other.toml"), SMALL).unwrap();
    let before = std::fs::read(place.path("o/checkpoint")).unwrap();
    let frames = std::fs::read(place.path("o/frames.bin")).unwrap();
    let cases: &[(&[&str], &str)] = &[
        (&["run", "other.toml", "--no-preview", "--out", "o"], "other"),
        (&["run", "scene.toml", "--no-preview", "--out", "o", "--method", "pd-direct"], "pd-direct"),
        (&["run", "scene.toml", "--no-preview", "--out", "o", "--precision", "f64"], "f64"),
        (&["run", "scene.toml", "--no-preview", "--out", "o", "--set", "cloth.density=1"], "changed"),
        (&["run", "scene.toml", "--no-preview", "--out", "o", "--frames", "3"], "step 6"),
    ];
    for (args, word) in cases {
        let ended = place.call(&[args, &["--resume"][..]].concat());
        assert_eq!(ended.code, 2, "{args:?}");
        assert!(ended.stderr.contains(word) && ended.stderr.contains("--resume"), "{}", ended.stderr);
    }
    assert!(std::fs::read(place.path("o/checkpoint")).unwrap() == before);
    assert!(std::fs::read(place.path("o/frames.bin")).unwrap() == frames);
}

#[test]
fn a_damaged_checkpoint_is_refused_and_left_alone() {
    let place = Place::new(SMALL);
    let args = ["run", "scene.toml", "--no-preview"];
    assert_eq!(place.call(&args).code, 0);
    let path = place.path("out/scene/checkpoint");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let ended = place.call(&[&args[..], &["--resume"]].concat());
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("cut short") && ended.stderr.contains("start anew"), "{}", ended.stderr);
    assert_eq!(std::fs::metadata(&path).unwrap().len(), bytes.len() as u64 / 2);
}
