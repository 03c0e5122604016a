//! Whether files are whole.

use pliant::mesh;
use pliant::output::{Checkpoint, FrameStore};
use std::path::{Path, PathBuf};

/// Every file below a folder.
pub fn all_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            files.extend(all_below(&entry.path()));
        } else {
            files.push(entry.path());
        }
    }
    files.sort();
    files
}

/// What a killed writer leaves: never seen under a file's own name, removed by the next run.
pub fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    (name.starts_with('.') && name.ends_with(".tmp")) || name.ends_with(".partial")
}

/// Reads every file back; a damaged one fails the test. Returns how many there were.
pub fn assert_all_whole(folder: &Path) -> usize {
    let files: Vec<PathBuf> =
        all_below(folder).into_iter().filter(|f| !is_temporary(f) && !f.ends_with(".lock")).collect();
    for file in &files {
        assert_whole(file);
    }
    files.len()
}

fn assert_whole(path: &Path) {
    let bytes = std::fs::read(path).unwrap();
    let name = path.display();
    match path.extension().and_then(|e| e.to_str()).unwrap_or("") {
        "obj" | "ply" | "vtu" => {
            let mesh = mesh::read(path).unwrap_or_else(|e| panic!("{e}"));
            assert!(!mesh.triangles.is_empty(), "{name}");
        }
        "json" => drop(serde_json::from_slice::<serde_json::Value>(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"))),
        "glb" => assert_glb(path, &bytes),
        "png" => assert!(bytes.starts_with(b"\x89PNG") && bytes.ends_with(b"IEND\xaeB`\x82"), "{name} is cut"),
        "gif" => assert!(bytes.starts_with(b"GIF89a") && bytes.ends_with(b"\x3b"), "{name} is cut"),
        "bin" => drop(FrameStore::open(path).unwrap_or_else(|e| panic!("{e}"))),
        _ if path.ends_with("checkpoint") => {
            assert!(Checkpoint::load(path).unwrap_or_else(|e| panic!("{e}")).is_some())
        }
        other => panic!("{name}: an unexpected file ({other})"),
    }
}

fn assert_glb(path: &Path, bytes: &[u8]) {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert!(bytes.starts_with(b"glTF") && word(8) == bytes.len(), "{} is cut", path.display());
    let json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + word(12)]).unwrap();
    assert_eq!(json["asset"]["version"], "2.0");
}
