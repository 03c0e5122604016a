//! Calling the program.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A cloth that falls on a ball and a floor: pins, contact and friction in a few milliseconds a step.
pub const SMALL: &str = "
pliant = 1
[time]
frame_rate = 30
frames = 6
[[cloth]]
name = 'napkin'
size = 0.6
resolution = 9
position = [0, 0.32, 0]
[[pin]]
corners = ['-x-z']
[[collider]]
name = 'ball'
shape = 'sphere'
radius = 0.15
position = [0, 0.15, 0]
[[collider]]
name = 'floor'
shape = 'half-space'
[solver]
iterations = 20
[output]
checkpoint_every = 2
";

/// The surface of a tetrahedron as an OBJ file.
pub const TET: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/// A folder with a scene, its own cache, and nothing of the user's.
pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub fn new(scene: &str) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::write(place.path("scene.toml"), scene).unwrap();
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
        command.args(args).current_dir(self.folder.path()).env("XDG_CACHE_HOME", self.path("cache"));
        command.env_remove("RAYON_NUM_THREADS").env_remove("PLIANT_LOG");
        command
    }

    pub fn call(&self, args: &[&str]) -> Ended {
        Ended::of(self.command(args).output().unwrap())
    }

    /// The JSON of a command that must succeed.
    pub fn json(&self, args: &[&str]) -> Value {
        let ended = self.call(args);
        assert_eq!(ended.code, 0, "{args:?}: {}", ended.stderr);
        ended.json()
    }
}

/// How a call ended.
pub struct Ended {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    pub fn of(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("not one JSON object: {e}\n{}", self.stdout))
    }
}

/// The folder that holds `scenes/`.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

pub fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

pub fn assert_has_keys(value: &Value, expected: &[&str]) {
    let found = keys(value);
    for key in expected {
        assert!(found.contains(key), "`{key}` is missing in {found:?}");
    }
}
