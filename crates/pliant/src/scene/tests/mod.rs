//! Tests of the scene file as a whole.

mod meaning;
mod messages;
mod overrides;
mod robust;
mod table;

use std::path::{Path, PathBuf};

use super::{Scene, SceneError};

fn parse(text: &str) -> Result<Scene, SceneError> {
    Scene::parse(text, "test.toml", Path::new("."), &[])
}

fn parse_with(text: &str, set: &[(&str, &str)]) -> Result<Scene, SceneError> {
    let set: Vec<(String, String)> = set.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    Scene::parse(text, "test.toml", Path::new("."), &set)
}

fn good(text: &str) -> Scene {
    parse(text).unwrap_or_else(|e| panic!("{e}"))
}

fn bad(text: &str) -> String {
    parse(text).expect_err("this scene should have been refused").to_string()
}

/// The folder that holds `scenes/` and `docs/`.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn shipped() -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(root().join("scenes"))
        .expect("scenes/ is there")
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    paths.sort();
    paths
}
