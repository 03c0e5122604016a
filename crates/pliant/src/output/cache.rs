//! Where what was measured is kept between runs: a small file each, in the user's cache folder.

use crate::atomic_file::write_atomically;
use std::path::PathBuf;

/// Raised when the way values are found changes, so that those found the old way are not used.
const REVISION: u32 = 8;

/// A cache of numbers in [0, 1) in `$XDG_CACHE_HOME/pliant`, or else in `~/.cache/pliant`. Whatever fails, the
/// value is found again.
#[derive(Clone, Debug, Default)]
pub struct DiskCache {
    folder: Option<PathBuf>,
}

impl DiskCache {
    /// The user's cache; without a home it keeps nothing.
    pub fn of_user() -> Self {
        let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let base = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")));
        Self { folder: base.map(|base| base.join("pliant")) }
    }

    /// A cache in this folder.
    pub fn in_folder(folder: PathBuf) -> Self {
        Self { folder: Some(folder) }
    }

    fn path(&self, key: u64) -> Option<PathBuf> {
        let name = format!("found-{REVISION}-{}-{key:016x}", env!("CARGO_PKG_VERSION"));
        self.folder.as_ref().map(|folder| folder.join(name))
    }

    /// A value found earlier under this key.
    pub fn load(&self, key: u64) -> Option<f64> {
        let text = std::fs::read_to_string(self.path(key)?).ok()?;
        // Bits, not digits: what is done with a value must not depend on whether it was just found.
        let bits = u64::from_str_radix(text.trim(), 16).ok()?;
        Some(f64::from_bits(bits)).filter(|value| (0.0..1.0).contains(value))
    }

    /// Keeps a value; failing to is not an error.
    pub fn store(&self, key: u64, value: f64) {
        let Some(path) = self.path(key) else { return };
        let Some(folder) = path.parent() else { return };
        let kept = std::fs::create_dir_all(folder)
            .and_then(|()| write_atomically(&path, |file| writeln!(file, "{:016x}", value.to_bits())));
        if let Err(error) = kept {
            tracing::debug!("{}: not cached: {error}", path.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_stored_is_loaded_to_the_bit_and_rubbish_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let cache = DiskCache::in_folder(folder.path().join("deep/er"));
        assert_eq!(cache.load(7), None);
        cache.store(7, 0.1 + 0.2);
        assert_eq!(cache.load(7), Some(0.1 + 0.2));
        assert_eq!(cache.load(8), None);
        for rubbish in ["", "zz", "7ff8000000000000", "4000000000000000"] {
            std::fs::write(cache.path(7).unwrap(), rubbish).unwrap();
            assert_eq!(cache.load(7), None, "{rubbish}");
        }
    }

    #[test]
    fn a_cache_that_cannot_be_written_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let cache = DiskCache::in_folder(file);
        cache.store(1, 0.5);
        assert_eq!(cache.load(1), None);
        assert_eq!(DiskCache::default().load(1), None);
    }
}
