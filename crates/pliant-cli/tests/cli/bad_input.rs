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
        (&["material", "curve"], &["MODEL"]),
        (&["material", "curve", "neohookaen"], &["neohookaen", "did you mean 'neo-hookean'"]),
        (&["material", "curve", "jelly"], &["jelly", "arap", "fung"]),
        (&["material", "curve", "fung", "--s", "1,5,0.5"], &["fung has 4 parameters", "s3", "found 3"]),
        (&["material", "curve", "spline", "--s", "1"], &["spline", "Young's modulus"]),
        (&["material", "curve", "stvk,fung", "--s", "1,5"], &["--s", "one at a time"]),
        (&["material", "curve", "stvk", "--s", "1,5", "--material", "fat"], &["--s", "--material"]),
        (&["material", "curve", "stvk", "--s", "1 m,5"], &["1 m", "pressure"]),
        (&["material", "curve", "stvk", "--s", "-10,-1"], &["stvk", "shear modulus is -1"]),
        (&["material", "curve", "stvk", "--youngs-modulus", "0"], &["stvk", "shear modulus is 0"]),
        (&["material", "curve", "stvk", "--youngs-modulus", "1 Mpa"], &["did you mean `MPa`?"]),
        (&["material", "curve", "stvk", "--poisson-ratio", "0.5"], &["Poisson's ratio is 0.5", "less than 0.5"]),
        (&["material", "curve", "stvk", "--material", "jelly"], &["jelly", "gelatine"]),
        (&["material", "curve", "stvk", "--test", "torsion"], &["torsion", "biaxial"]),
        (&["material", "curve", "stvk", "--from", "2", "--to", "1"], &["--from 2", "--to 1"]),
        (&["material", "curve", "stvk", "--from", "-1"], &["0.01 to 100"]),
        (&["material", "curve", "stvk", "--points", "1"], &["--points"]),
        (&["material", "curve", "stvk", "--csv", "--out", "a.svg"], &["--csv", "--out"]),
        (&["material", "curve", "stvk", "--out", "a.pdf"], &["a.pdf", ".svg"]),
        (&["material", "curve", "stvk", "--out", "a-file/b.svg"], &["a-file", "--out"]),
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
        (&["material", "curve", "fnug"], "material", &[]),
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

/// Everything in a folder, by name.
fn contents(folder: &std::path::Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    crate::files::all_below(folder).into_iter().map(|file| (file.clone(), std::fs::read(file).unwrap())).collect()
}

/// Regression: the earlier run was gone when the picture turned out to be a folder.
#[test]
fn a_preview_that_cannot_be_written_leaves_the_earlier_run_as_it_was() {
    let place = Place::new(SMALL);
    let run = ["run", "scene.toml", "--out", "o", "--frames", "1"];
    assert_eq!(place.call(&run).code, 0);
    std::fs::create_dir(place.path("holiday.png")).unwrap();
    std::fs::write(place.path("diary.gif"), "Dear diary").unwrap();
    let before = contents(&place.path("o"));
    for preview in ["holiday.png", "diary.gif", "/proc/a.png", "nowhere/a.png"] {
        let ended = place.call(&[&run[..], &["--preview", preview]].concat());
        assert_eq!(ended.code, 2, "{preview}: {}", ended.stderr);
        assert!(ended.stderr.contains(preview) && ended.stderr.contains("--preview"), "{}", ended.stderr);
        assert!(contents(&place.path("o")) == before, "{preview}");
    }
    assert_eq!(std::fs::read(place.path("diary.gif")).unwrap(), b"Dear diary");
    assert_eq!(place.call(&[&run[..], &["--preview", "new.png"]].concat()).code, 0);
    assert_eq!(place.call(&[&run[..], &["--preview", "new.png"]].concat()).code, 0, "a picture may be replaced");
}

#[test]
fn a_refused_run_leaves_no_folder() {
    let place = Place::new(&SMALL.replace("corners = ['-x-z']", "inside = [[7, 7, 7], [8, 8, 8]]"));
    assert_eq!(place.call(&["run", "scene.toml"]).code, 2);
    assert!(!place.path("out").exists());
}

/// Advice that does not work is worse than none.
#[test]
fn a_junk_checkpoint_comes_with_advice_that_works() {
    let place = Place::new(SMALL);
    let run = ["run", "scene.toml", "--out", "o", "--frames", "1", "--no-preview", "--resume"];
    assert_eq!(place.call(&run[..7]).code, 0);
    std::fs::write(place.path("o/checkpoint"), "junk").unwrap();
    let ended = place.call(&run);
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("move it away") && !ended.stderr.contains("without --resume"), "{}", ended.stderr);
    std::fs::rename(place.path("o/checkpoint"), place.path("o/old")).unwrap();
    assert_eq!(place.call(&run).code, 0);
    let cut = std::fs::read(place.path("o/checkpoint")).unwrap();
    std::fs::write(place.path("o/checkpoint"), &cut[..30]).unwrap();
    let ended = place.call(&run);
    assert!(ended.code == 2 && ended.stderr.contains("start anew without --resume"), "{}", ended.stderr);
    assert_eq!(place.call(&run[..7]).code, 0);
}

/// Regression: the allocation failed, and the program was aborted (exit 134).
#[test]
#[cfg(target_os = "linux")]
fn a_scene_for_more_memory_than_there_is_is_refused() {
    let place = Place::new("pliant = 1\n[time]\nframes = 1\n[[cloth]]\nresolution = 3000\n");
    for command in ["run", "check", "compare"] {
        let shell = format!("ulimit -v 4000000; exec {} {command} scene.toml --json", env!("CARGO_BIN_EXE_pliant"));
        let ended = std::process::Command::new("sh").args(["-c", &shell]).current_dir(place.path("")).output().unwrap();
        let ended = crate::support::Ended::of(ended);
        assert_eq!(ended.code, 2, "{command}: {}", ended.stderr);
        for word in ["GB of memory", "4.10 GB are there", "coarser mesh"] {
            assert!(ended.stderr.contains(word), "{command}: {word}: {}", ended.stderr);
        }
        assert_eq!(ended.json()["error"]["kind"], "model");
    }
    assert!(!place.path("out").exists());
}

#[test]
fn of_several_meshes_the_good_ones_are_shown_and_the_others_named() {
    let place = Place::new(SMALL);
    std::fs::write(place.path("tet.obj"), TET).unwrap();
    std::fs::write(place.path("bad.obj"), "v 0 0 0\nf 1 2 3\n").unwrap();
    for (command, good) in [("info", "watertight"), ("check", "tet.obj")] {
        let ended = place.call(&["mesh", command, "gone.obj", "tet.obj", "bad.obj"]);
        assert_eq!(ended.code, 2, "{}", ended.stderr);
        assert!(ended.stdout.contains("tet.obj") && ended.stdout.contains(good), "{}", ended.stdout);
        assert!(ended.stderr.contains("gone.obj") && ended.stderr.contains("bad.obj"), "{}", ended.stderr);
        let ended = place.call(&["mesh", command, "gone.obj", "tet.obj", "bad.obj", "--json"]);
        let files = ended.json()["files"].clone();
        assert_eq!((ended.code, files.as_array().unwrap().len()), (2, 3), "{files}");
        assert_eq!((&files[0]["file"], &files[1]["file"]), (&"tet.obj".into(), &"gone.obj".into()));
        assert_eq!(files[2]["error"]["kind"], "mesh");
    }
}
