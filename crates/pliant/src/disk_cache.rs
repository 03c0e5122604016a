//! Where what takes long to find is kept between runs: a file each, in the user's cache folder.

use crate::atomic_file::write_atomically;
use crate::math::Fnv;
use std::io::{self, Write};
use std::path::PathBuf;

/// Raised when the way values are found changes, so that those found the old way are not used.
const REVISION: u32 = 8;

/// A cache in `$XDG_CACHE_HOME/pliant`, or else in `~/.cache/pliant`: of single numbers in [0, 1), and of long lists. Whatever
/// fails, what was looked for is found again.
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

    fn path(&self, kind: &str, key: u64) -> Option<PathBuf> {
        let name = format!("{kind}-{REVISION}-{}-{key:016x}", env!("CARGO_PKG_VERSION"));
        self.folder.as_ref().map(|folder| folder.join(name))
    }

    /// A value found earlier under this key.
    pub fn load(&self, key: u64) -> Option<f64> {
        let text = std::fs::read_to_string(self.path("found", key)?).ok()?;
        // Bits, not digits: what is done with a value must not depend on whether it was just found.
        let bits = u64::from_str_radix(text.trim(), 16).ok()?;
        Some(f64::from_bits(bits)).filter(|value| (0.0..1.0).contains(value))
    }

    /// Keeps a value; failing to is not an error.
    pub fn store(&self, key: u64, value: f64) {
        self.keep("found", key, |file| writeln!(file, "{:016x}", value.to_bits()));
    }

    /// A list of numbers found earlier under this key, to the bit; nothing if its file is not whole.
    pub fn load_numbers(&self, key: u64) -> Option<Vec<f32>> {
        let bytes = std::fs::read(self.path("numbers", key)?).ok()?;
        let (numbers, sum) = bytes.split_last_chunk::<8>()?;
        let (numbers, rest) = numbers.as_chunks::<4>();
        let whole = rest.is_empty() && Fnv::of(numbers.as_flattened().iter().copied()) == u64::from_le_bytes(*sum);
        whole.then(|| numbers.iter().map(|number| f32::from_le_bytes(*number)).collect())
    }

    /// Keeps a list of numbers with a sum that tells whether it is whole; failing to is not an error.
    pub fn store_numbers(&self, key: u64, numbers: &[f32]) {
        let mut sum = Fnv::default();
        self.keep("numbers", key, |file| {
            for number in numbers {
                sum.add(number.to_le_bytes());
                file.write_all(&number.to_le_bytes())?;
            }
            file.write_all(&sum.value().to_le_bytes())
        });
    }

    fn keep(&self, kind: &str, key: u64, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
        let Some(path) = self.path(kind, key) else { return };
        let Some(folder) = path.parent() else { return };
        let kept = std::fs::create_dir_all(folder).and_then(|()| write_atomically(&path, write));
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
            std::fs::write(cache.path("found", 7).unwrap(), rubbish).unwrap();
            assert_eq!(cache.load(7), None, "{rubbish}");
        }
    }

    #[test]
    fn lists_come_back_to_the_bit_and_broken_ones_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let cache = DiskCache::in_folder(folder.path().to_path_buf());
        let numbers = [0.1f32, -0.0, f32::MIN_POSITIVE, 3e38];
        assert_eq!(cache.load_numbers(7), None);
        cache.store_numbers(7, &numbers);
        let bits = |numbers: &[f32]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
        assert_eq!(cache.load_numbers(7).map(|found| bits(&found)), Some(bits(&numbers)));
        assert_eq!(cache.load(7), None, "another kind of thing");
        let path = cache.path("numbers", 7).unwrap();
        let whole = std::fs::read(&path).unwrap();
        let mut changed = whole.clone();
        changed[5] ^= 1;
        for broken in [&whole[..whole.len() - 4], &whole[4..], &changed, &[], &[0; 7]] {
            std::fs::write(&path, broken).unwrap();
            assert_eq!(cache.load_numbers(7), None);
        }
        cache.store_numbers(7, &numbers);
        assert_eq!(cache.load_numbers(7).map(|found| found.len()), Some(4));
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
