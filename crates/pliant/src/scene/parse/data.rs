//! `data` of a `[[solid]]`: a reference mesh that not everybody has, with a generated shape where it is missing.

use std::path::{Path, PathBuf};

use super::super::reader::Section;
use super::super::types::MeshSource;

/// Where the folder of reference meshes is, unless `PLIANT_DATA` says: from the folder of a scene, beside the repository.
const BESIDE: &str = "../../shared/data";

/// The mesh that `data` names if it is there, else `generated`; says in `notes` which it is.
pub(super) fn or_else(
    s: &Section<'_>,
    body: &str,
    folder: &Path,
    generated: MeshSource,
    notes: &mut Vec<String>,
) -> MeshSource {
    let Some(file) = s.text("data") else { return generated };
    if s.has("mesh") {
        s.fail("data", "there is a `mesh` and a `data`", "keep the `mesh`, or write a `shape` in its place");
        return generated;
    }
    let beside = || PathBuf::from(BESIDE);
    let data = std::env::var_os("PLIANT_DATA").map_or_else(beside, |data| absolute(Path::new(&data)));
    let path = data.join(&file);
    if folder.join(&path).is_file() {
        notes.push(format!("solid '{body}': {}", folder.join(&path).display()));
        return MeshSource::File(path);
    }
    notes.push(format!(
        "solid '{body}': a generated shape, for there is no {}; PLIANT_DATA may name another folder of reference meshes",
        absolute(&folder.join(&path)).display()
    ));
    generated
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}
