//! Whether pictures can be written where they are asked for. That is better known before anything of an earlier run is
//! removed, and before an hour of simulation, than after.

use super::beside::Beside;
use super::preview::{PreviewError, PreviewKind};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Checks the pictures of a run in `out`, which need not be there yet; whether `out` itself can be written is asked elsewhere.
pub(super) fn check_previews(previews: &[PathBuf], out: &Path) -> Result<(), PreviewError> {
    let out = std::path::absolute(out).ok();
    for path in previews {
        PreviewKind::of(path)?;
        refuse_to_replace(path)?;
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        if std::path::absolute(folder).ok() == out {
            continue;
        }
        if !folder.is_dir() {
            return Err(PreviewError::NoFolder { path: path.clone(), folder: folder.to_path_buf() });
        }
        // The one way to know is to try; dropped, it leaves nothing.
        Beside::create(path).map_err(|source| PreviewError::Unwritable { path: path.clone(), source })?;
    }
    Ok(())
}

/// Pictures replace pictures and files without content only: a wrong name must not cost anybody's work.
fn refuse_to_replace(path: &Path) -> Result<(), PreviewError> {
    let taken = |what| Err(PreviewError::Taken { path: path.to_path_buf(), what });
    match fs::metadata(path) {
        Ok(there) if there.is_dir() => taken("is a folder"),
        Ok(there) if !there.is_file() => taken("is no regular file"),
        Ok(_) => match is_picture(path) {
            Ok(true) => Ok(()),
            Ok(false) => taken("is there and is no picture"),
            Err(source) => Err(PreviewError::Unwritable { path: path.to_path_buf(), source }),
        },
        Err(_) => Ok(()),
    }
}

/// Whether a file begins as a PNG or a GIF does, or is empty.
fn is_picture(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    File::open(path)?.take(6).read_to_end(&mut start)?;
    Ok(start.is_empty() || [&b"\x89PNG\r\n"[..], b"GIF87a", b"GIF89a"].contains(&&*start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_replace_pictures_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let there = |name: &str| folder.path().join(name);
        let told = |name: &str| check_previews(&[there(name)], &there("out")).map_err(|error| error.to_string());
        fs::create_dir(there("holiday.png")).unwrap();
        for (name, content) in [
            ("a.png", &b"\x89PNG\r\n\x1a\n"[..]),
            ("b.gif", b"GIF89a..."),
            ("c.png", b""),
            ("diary.png", b"Dear diary"),
        ] {
            fs::write(there(name), content).unwrap();
        }
        for name in ["a.png", "b.gif", "c.png", "new.gif", "out/preview.png"] {
            assert_eq!(told(name), Ok(()), "{name}");
        }
        for (name, why) in [
            ("holiday.png", "is a folder"),
            ("diary.png", "is no picture"),
            ("nowhere/a.png", "there is no folder"),
            ("a.txt", "change the ending"),
        ] {
            let error = told(name).unwrap_err();
            assert!(error.contains(why) && error.contains("--preview"), "{error}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 5, "the check leaves nothing behind");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_folder_that_takes_no_file_is_known_before_the_run() {
        let error = check_previews(&["/proc/a.png".into()], Path::new("out")).unwrap_err().to_string();
        assert!(error.contains("/proc/a.png") && error.contains("--preview"), "{error}");
    }
}
