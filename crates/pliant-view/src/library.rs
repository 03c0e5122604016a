//! The scenes of a folder.

use pliant::scene::{DeviceSettings, Scene};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// More other scenes than this are not listed.
const MOST: usize = 200;

/// So much of a file is looked at to see whether it is a scene, bytes.
const LOOKED_AT: u64 = 64 << 10;

/// Scenes that can be opened by name.
pub(crate) struct Library {
    folder: PathBuf,
    names: Vec<String>,
    /// The scene that was asked for, where it is, and what was changed of it: keys and values.
    first: Option<(String, PathBuf)>,
    changes: Vec<(String, String)>,
    /// Where they are computed, whatever they say.
    device: DeviceSettings,
}

impl Library {
    /// The scenes in the folder of a file, which itself was read with changes.
    pub fn beside(file: &Path, changes: &[(String, String)], device: DeviceSettings) -> Self {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let name = |path: PathBuf| {
            // A link may lead anywhere, and messages about a scene quote its lines.
            let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
            let is_scene = path.extension().is_some_and(|ending| ending == "toml") && is_file && says_pliant(&path);
            is_scene.then(|| Some(path.file_stem()?.to_str()?.to_string())).flatten()
        };
        // A folder that cannot be listed has no other scenes.
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries.filter_map(|entry| name(entry.path())).collect();
        names.sort();
        names.truncate(MOST);
        // Whoever typed a link, or one that comes late in the alphabet, may come back to it.
        let stem = file.file_stem().and_then(|stem| stem.to_str()).filter(|_| file.is_file());
        let first = stem.map(|stem| (stem.to_string(), file.to_path_buf()));
        if let Some((name, _)) = first.as_ref().filter(|(name, _)| !names.contains(name)) {
            names.insert(names.partition_point(|other| other < name), name.clone());
        }
        Self { folder: folder.to_path_buf(), names, first, changes: changes.to_vec(), device }
    }

    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Reads a scene of the list; nothing else can be opened.
    pub fn open(&self, name: &str) -> Result<Scene, String> {
        if !self.names.iter().any(|known| known == name) {
            return Err(format!("there is no scene '{name}' in {}", self.folder.display()));
        }
        let (path, changes) = match &self.first {
            Some((first, path)) if first == name => (path.clone(), &self.changes[..]),
            // Of other scenes nobody has asked for the changes.
            _ => (self.folder.join(format!("{name}.toml")), &[][..]),
        };
        let mut scene = Scene::read(&path, changes).map_err(|error| error.to_string())?;
        scene.device = self.device.clone();
        Ok(scene)
    }
}

/// Whether a file says of which version of scenes it is. Other programs have TOML files, too.
fn says_pliant(path: &Path) -> bool {
    let mut text = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LOOKED_AT).read_to_end(&mut text));
    let says =
        |line: &str| line.trim_start().strip_prefix("pliant").is_some_and(|rest| rest.trim_start().starts_with('='));
    read.is_ok() && String::from_utf8_lossy(&text).lines().any(says)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_comes_back_to_the_first_scene_finds_it_as_it_was_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        ["a.toml", "b.toml"].iter().for_each(|name| write(name, "pliant = 1\n[[cloth]]\nresolution = 5\n"));
        let changes = [("solver.iterations".to_string(), "7".to_string())];
        let file = folder.path().join("a.toml");
        let scene = Scene::read(&file, &changes).unwrap();
        let library = Library::beside(&file, &changes, scene.device);
        assert_eq!(library.open("b").unwrap().solver.iterations, None);
        assert_eq!(library.open("a").unwrap().solver.iterations, Some(7));
        // A file that was mended meanwhile is read as it is.
        write("a.toml", "pliant = 1\n[[cloth]]\nresolution = 5\n[solver]\nrho = 0.5\n");
        let again = library.open("a").unwrap().solver;
        assert_eq!((again.iterations, again.rho), (Some(7), Some(0.5)));
    }

    #[test]
    fn the_file_that_was_typed_can_be_chosen_again_if_it_is_a_link_or_one_of_very_many() {
        let folder = tempfile::tempdir().unwrap();
        let text = "pliant = 1\n[[cloth]]\nresolution = 5\n";
        (0..MOST).for_each(|k| std::fs::write(folder.path().join(format!("a{k:03}.toml")), text).unwrap());
        let far = folder.path().join("zebra.toml");
        std::fs::write(&far, text).unwrap();
        let device = Scene::parse(text, "t", ".".as_ref(), &[]).unwrap().device;
        let library = Library::beside(&far, &[], device.clone());
        assert_eq!((library.names().len(), library.names()[MOST].as_str()), (MOST + 1, "zebra"));
        assert!(library.open("zebra").is_ok());
        #[cfg(unix)]
        {
            let link = folder.path().join("a0link.toml");
            std::os::unix::fs::symlink(&far, &link).unwrap();
            let library = Library::beside(&link, &[], device);
            assert_eq!(library.names().iter().filter(|name| *name == "a0link").count(), 1);
            assert!(library.names().is_sorted() && library.open("a0link").is_ok());
            // Another link than the one that was typed stays closed.
            assert!(library.open("zebra").is_err());
        }
    }

    #[test]
    fn only_scenes_of_the_folder_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str| std::fs::write(folder.path().join(name), "pliant = 1\n[[cloth]]\n").unwrap();
        ["b.toml", "a.toml", "notes.txt"].iter().for_each(|name| write(name));
        #[cfg(unix)]
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link.toml")).unwrap();
        let scene = Scene::parse("pliant = 1\n[[cloth]]\n", "t", ".".as_ref(), &[]).unwrap();
        let device = DeviceSettings { name: "cpu".to_string(), ..scene.device };
        std::fs::write(folder.path().join("Cargo.toml"), "[package]\nname = 'pliant'\n").unwrap();
        let library = Library::beside(&folder.path().join("a.toml"), &[], device);
        assert_eq!(library.names(), ["a", "b"]);
        assert_eq!(library.open("b").unwrap().device.name, "cpu");
        for name in ["c", "link", "notes", "../a", "", "a.toml", "/etc/passwd"] {
            assert!(library.open(name).is_err(), "{name}");
        }
    }
}
