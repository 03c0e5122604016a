//! Where what takes long to find is kept between runs: a file each, in the user's cache folder.

use crate::atomic_file::write_atomically;
use crate::math::Fnv;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Raised when the way values are found changes, so that those found the old way are not used.
const REVISION: u32 = 8;

/// Bytes that all files together may have: eight distance grids of the finest kind, hundreds of usual ones.
const MOST_BYTES: u64 = 1 << 30;

/// What the names of its files begin with; whatever else lies in the folder is left alone.
const KINDS: [&str; 2] = ["found", "numbers"];

/// A cache in `$XDG_CACHE_HOME/pliant`, or else in `~/.cache/pliant`: of single numbers in [0, 1), and of long lists. Whatever
/// fails, what was looked for is found again.
///
/// It holds at most 1 GiB: what was not used for longest is removed when something is added. Files say when they were used by
/// their time of modification, because many systems keep no time of access. Processes share it without a lock: what one
/// removes, another finds again.
#[derive(Clone, Debug)]
pub struct DiskCache {
    folder: Option<PathBuf>,
    most_bytes: u64,
}

impl Default for DiskCache {
    /// One that keeps nothing.
    fn default() -> Self {
        Self { folder: None, most_bytes: MOST_BYTES }
    }
}

impl DiskCache {
    /// The user's cache; without a home it keeps nothing.
    pub fn of_user() -> Self {
        let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let base = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")));
        Self { folder: base.map(|base| base.join("pliant")), ..Self::default() }
    }

    /// A cache in this folder.
    pub fn in_folder(folder: PathBuf) -> Self {
        Self { folder: Some(folder), ..Self::default() }
    }

    fn path(&self, kind: &str, key: u64) -> Option<PathBuf> {
        let name = format!("{kind}-{REVISION}-{}-{key:016x}", env!("CARGO_PKG_VERSION"));
        self.folder.as_ref().map(|folder| folder.join(name))
    }

    /// A value found earlier under this key.
    pub fn load(&self, key: u64) -> Option<f64> {
        let text = self.read("found", key)?;
        // Bits, not digits: what is done with a value must not depend on whether it was just found.
        let bits = u64::from_str_radix(std::str::from_utf8(&text).ok()?.trim(), 16).ok()?;
        Some(f64::from_bits(bits)).filter(|value| (0.0..1.0).contains(value))
    }

    /// Keeps a value; failing to is not an error.
    pub fn store(&self, key: u64, value: f64) {
        self.keep("found", key, |file| writeln!(file, "{:016x}", value.to_bits()));
    }

    /// A list of numbers found earlier under this key, to the bit; nothing if its file is not whole.
    pub fn load_numbers(&self, key: u64) -> Option<Vec<f32>> {
        let bytes = self.read("numbers", key)?;
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

    fn read(&self, kind: &str, key: u64) -> Option<Vec<u8>> {
        let mut file = File::open(self.path(kind, key)?).ok()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        // It was used now. Where that cannot be noted, its age is that of its bytes.
        let _ = file.set_modified(SystemTime::now());
        Some(bytes)
    }

    fn keep(&self, kind: &str, key: u64, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
        let Some(path) = self.path(kind, key) else { return };
        let Some(folder) = path.parent() else { return };
        let kept = fs::create_dir_all(folder).and_then(|()| write_atomically(&path, write));
        match kept {
            Ok(()) => make_room(folder, self.most_bytes),
            Err(error) => tracing::debug!("{}: not cached: {error}", path.display()),
        }
    }
}

/// Removes what was used least recently until the rest fits. What cannot be looked at or removed is no error: another process
/// may have been faster, or the folder may only be read.
fn make_room(folder: &Path, most_bytes: u64) {
    // Those that a killed process left half written are removed with the others, in their turn.
    let is_ours = |name: &str| KINDS.iter().any(|kind| name.trim_start_matches('.').starts_with(&format!("{kind}-")));
    let look = |entry: fs::DirEntry| {
        let there = entry.metadata().ok().filter(|there| there.is_file())?;
        let ours = entry.file_name().to_str().is_some_and(is_ours);
        ours.then_some((there.modified().ok()?, there.len(), entry.path()))
    };
    let mut files: Vec<(SystemTime, u64, PathBuf)> =
        fs::read_dir(folder).into_iter().flatten().flatten().filter_map(look).collect();
    files.sort();
    let mut bytes: u64 = files.iter().map(|(_, length, _)| length).sum();
    for (_, length, path) in files {
        if bytes <= most_bytes {
            return;
        }
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::debug!("{}: not removed from the cache: {error}", path.display());
            }
            _ => bytes -= length,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// A cache of this many bytes with entries 0, 1, ... of 100 numbers, 408 bytes each, the first one used longest ago.
    fn crowded(folder: &Path, most_bytes: u64, entries: u64) -> DiskCache {
        let roomy = DiskCache::in_folder(folder.to_path_buf());
        for key in 0..entries {
            roomy.store_numbers(key, &[key as f32; 100]);
            let file = File::options().write(true).open(roomy.path("numbers", key).unwrap()).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(60 * (entries - key))).unwrap();
        }
        DiskCache { most_bytes, ..roomy }
    }

    fn kept(cache: &DiskCache, keys: std::ops::Range<u64>) -> Vec<u64> {
        keys.filter(|key| cache.path("numbers", *key).unwrap().exists()).collect()
    }

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let folder = tempfile::tempdir().unwrap();
        let cache = crowded(folder.path(), 3 * 408, 4);
        let theirs = ["notes.txt", "foundations", ".hidden"].map(|name| folder.path().join(name));
        theirs.iter().for_each(|path| fs::write(path, [0; 5000]).unwrap());
        fs::create_dir(folder.path().join("numbers-of-mine")).unwrap();
        assert!(cache.load_numbers(0).is_some(), "used now");
        cache.store_numbers(4, &[4.0; 100]);
        assert_eq!(kept(&cache, 0..5), [0, 3, 4]);
        cache.store(9, 0.5);
        assert_eq!((cache.load(9), kept(&cache, 0..5)), (Some(0.5), vec![0, 4]));
        assert!(theirs.iter().all(|path| path.exists()) && folder.path().join("numbers-of-mine").exists());
    }

    #[test]
    fn files_of_other_versions_and_of_killed_processes_go_too() {
        let folder = tempfile::tempdir().unwrap();
        let old = ["numbers-1-0.0.1-00000000000000aa", ".numbers-8-0.1.0-00000000000000aa.77.0.tmp"]
            .map(|name| folder.path().join(name));
        for path in &old {
            fs::write(path, [0; 408]).unwrap();
            let file = File::options().write(true).open(path).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1000)).unwrap();
        }
        let cache = crowded(folder.path(), 2 * 408, 1);
        cache.store_numbers(1, &[1.0; 100]);
        assert_eq!(kept(&cache, 0..2), [0, 1]);
        assert!(old.iter().all(|path| !path.exists()));
    }

    #[test]
    fn what_is_too_large_for_the_cache_is_only_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let cache = crowded(folder.path(), 100, 0);
        cache.store_numbers(1, &[1.0; 100]);
        assert_eq!(cache.load_numbers(1), None);
    }

    #[test]
    fn many_may_add_and_remove_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let cache = crowded(folder.path(), 5 * 408, 0);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let cache = &cache;
                scope.spawn(move || {
                    for key in 0..30 {
                        let key = (key + 7 * thread) % 20;
                        cache.store_numbers(key, &[key as f32; 100]);
                        let found = cache.load_numbers(key);
                        assert!(found.is_none_or(|found| found == [key as f32; 100]));
                    }
                });
            }
        });
        cache.store_numbers(20, &[20.0; 100]);
        assert!(kept(&cache, 0..21).len() <= 5 && cache.load_numbers(20).is_some());
    }

    /// Root may write everywhere; others may not, and neither is an error.
    #[cfg(unix)]
    #[test]
    fn a_full_cache_in_a_folder_that_may_only_be_read_is_no_error() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let cache = crowded(folder.path(), 408, 3);
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o500)).unwrap();
        cache.store_numbers(3, &[3.0; 100]);
        make_room(folder.path(), 408);
        assert!(cache.load_numbers(1).is_none_or(|found| found == [1.0; 100]));
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
    }

    #[test]
    fn what_was_stored_is_loaded_to_the_bit_and_rubbish_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let cache = DiskCache::in_folder(folder.path().join("deep/er"));
        assert_eq!(cache.load(7), None);
        cache.store(7, 0.1 + 0.2);
        assert_eq!(cache.load(7), Some(0.1 + 0.2));
        assert_eq!(cache.load(8), None);
        for rubbish in ["", "zz", "7ff8000000000000", "4000000000000000"] {
            fs::write(cache.path("found", 7).unwrap(), rubbish).unwrap();
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
        let whole = fs::read(&path).unwrap();
        let mut changed = whole.clone();
        changed[5] ^= 1;
        for broken in [&whole[..whole.len() - 4], &whole[4..], &changed, &[], &[0; 7]] {
            fs::write(&path, broken).unwrap();
            assert_eq!(cache.load_numbers(7), None);
        }
        cache.store_numbers(7, &numbers);
        assert_eq!(cache.load_numbers(7).map(|found| found.len()), Some(4));
    }

    #[test]
    fn a_cache_that_cannot_be_written_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let cache = DiskCache::in_folder(file);
        cache.store(1, 0.5);
        assert_eq!(cache.load(1), None);
        assert_eq!(DiskCache::default().load(1), None);
    }
}
