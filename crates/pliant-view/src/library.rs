//! The scenes of a folder.

use pliant::scene::{DeviceSettings, Scene};
use std::path::{Path, PathBuf};

/// More scenes than this are not listed.
const MOST: usize = 200;

/// Scenes that can be opened by name.
pub(crate) struct Library {
    folder: PathBuf,
    names: Vec<String>,
    /// Where they are computed, whatever they say.
    device: DeviceSettings,
}

impl Library {
    /// The scenes in the folder of a file.
    pub fn beside(file: &Path, device: DeviceSettings) -> Self {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let name = |path: PathBuf| {
            // A link may lead anywhere, and messages about a scene quote its lines.
            let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
            let is_scene = path.extension().is_some_and(|ending| ending == "toml") && is_file;
            is_scene.then(|| Some(path.file_stem()?.to_str()?.to_string())).flatten()
        };
        // A folder that cannot be listed has no other scenes.
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries.filter_map(|entry| name(entry.path())).collect();
        names.sort();
        names.truncate(MOST);
        Self { folder: folder.to_path_buf(), names, device }
    }

    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Reads a scene of the list; nothing else can be opened.
    pub fn open(&self, name: &str) -> Result<Scene, String> {
        if !self.names.iter().any(|known| known == name) {
            return Err(format!("there is no scene '{name}' in {}", self.folder.display()));
        }
        let mut scene =
            Scene::read(&self.folder.join(format!("{name}.toml")), &[]).map_err(|error| error.to_string())?;
        scene.device = self.device.clone();
        Ok(scene)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_scenes_of_the_folder_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str| std::fs::write(folder.path().join(name), "pliant = 1\n[[cloth]]\n").unwrap();
        ["b.toml", "a.toml", "notes.txt"].iter().for_each(|name| write(name));
        #[cfg(unix)]
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link.toml")).unwrap();
        let scene = Scene::parse("pliant = 1\n[[cloth]]\n", "t", ".".as_ref(), &[]).unwrap();
        let device = DeviceSettings { name: "cpu".to_string(), ..scene.device };
        let library = Library::beside(&folder.path().join("a.toml"), device);
        assert_eq!(library.names(), ["a", "b"]);
        assert_eq!(library.open("b").unwrap().device.name, "cpu");
        for name in ["c", "link", "notes", "../a", "", "a.toml", "/etc/passwd"] {
            assert!(library.open(name).is_err(), "{name}");
        }
    }
}
