//! What the integration tests share.

use std::path::PathBuf;

/// The folder of reference meshes, from `PLIANT_DATA` or beside the workspace. Without it a test prints a line and
/// passes on a developer's machine, and fails where `CI` is set.
pub fn data_folder() -> Option<PathBuf> {
    let folder = match std::env::var_os("PLIANT_DATA") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
    };
    if folder.join("manifest.json").is_file() {
        return Some(folder);
    }
    assert!(std::env::var_os("CI").is_none(), "no data at {}: set PLIANT_DATA", folder.display());
    println!("skipped: no data at {}", folder.display());
    None
}
