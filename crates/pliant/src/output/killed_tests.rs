//! Every state that a kill between two system calls leaves a run's folder in, and that the run goes on from each to the
//! same files.
//!
//! How a folder changes: `frames.bin` grows at its end; every other file is written under a temporary name, synced and
//! renamed; files are removed one by one. The order is that of `Keeper::keep`, `run` and `RunFolder`. The states between
//! are made here from snapshots that are taken while a run goes on. That the program keeps to the order is seen by the
//! program's own tests, which kill it before each of its system calls.

use super::run::{RunHooks, RunOptions, RunStage, run};
use super::{FrameStore, folder};
use crate::device::CpuOnly;
use crate::scene::Scene;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const FORMATS: [&str; 2] = ["obj", "ply"];

const SCENE: &str = "
pliant = 1
[time]
frames = 5
steps_per_frame = 2
[[cloth]]
resolution = 3
position = [0, 1, 0]
[[pin]]
corners = ['-x-z']
[solver]
iterations = 3
[output]
formats = ['glb', 'obj', 'ply']
checkpoint_every = 2
";

/// What lies in a folder, by relative path, without the lock.
type Files = BTreeMap<PathBuf, Vec<u8>>;

fn files_in(folder: &Path) -> Files {
    let mut files = Files::new();
    for below in ["", "frames"] {
        for entry in std::fs::read_dir(folder.join(below)).into_iter().flatten().flatten() {
            let path = Path::new(below).join(entry.file_name());
            if entry.path().is_file() && !path.ends_with(".lock") {
                files.insert(path, std::fs::read(entry.path()).unwrap());
            }
        }
    }
    files
}

fn fill(folder: &Path, files: &Files) {
    std::fs::create_dir_all(folder.join("frames")).unwrap();
    files.iter().for_each(|(path, bytes)| std::fs::write(folder.join(path), bytes).unwrap());
}

/// Takes a snapshot whenever the run looks up from its work; stops at a step if told to.
struct Snapshots {
    out: PathBuf,
    taken: Vec<Files>,
    stop_at: u64,
    step: u64,
}

impl Snapshots {
    fn take(&mut self) {
        let files = files_in(&self.out);
        if self.taken.last() != Some(&files) {
            self.taken.push(files);
        }
    }
}

impl RunHooks for Snapshots {
    fn stage(&mut self, _: RunStage, _: u64) {
        self.take();
    }
    fn progress(&mut self, done: u64) {
        self.step = done;
        self.take();
    }
    fn stop_requested(&mut self) -> bool {
        self.take();
        self.step >= self.stop_at
    }
}

/// Runs in a folder with these files; the snapshots, and the hash of the final state.
fn run_from(files: &Files, resume: bool, stop_at: u64) -> (Vec<Files>, String) {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), files);
    let scene = Scene::parse(SCENE, "scene", ".".as_ref(), &[]).unwrap();
    let out = folder.path().to_path_buf();
    let options = RunOptions { out: out.clone(), resume, ..RunOptions::default() };
    let mut hooks = Snapshots { out, taken: Vec::new(), stop_at, step: 0 };
    let report = run(&CpuOnly, &scene, &options, &mut hooks).unwrap();
    hooks.take();
    (hooks.taken, report.state_hash)
}

/// Where in the order of writing a file stands.
fn turn(path: &Path) -> usize {
    let name = path.to_str().unwrap();
    let formats = FORMATS.iter().position(|format| name.starts_with("frames/") && name.ends_with(format));
    match name {
        "frames.bin" => FORMATS.len(),
        "checkpoint" => FORMATS.len() + 1,
        "animation.glb" => FORMATS.len() + 2,
        "report.json" => FORMATS.len() + 3,
        _ => formats.unwrap_or_else(|| panic!("a file without its turn: {name}")),
    }
}

/// A temporary name of a file, as `atomic_file` chooses it.
fn temporary(path: &Path) -> PathBuf {
    path.with_file_name(format!(".{}.99.0.tmp", path.file_name().unwrap().to_str().unwrap()))
}

/// What lies there from `before` to `after`, while nothing is removed.
fn between(before: &Files, after: &Files) -> Vec<Files> {
    let mut changed: Vec<&PathBuf> = after.keys().filter(|path| before.get(*path) != after.get(*path)).collect();
    changed.sort_by_key(|path| turn(path));
    let (mut states, mut now) = (Vec::new(), before.clone());
    for path in changed {
        let bytes = &after[path];
        let old = now.get(path).map_or(0, Vec::len);
        let grows = path.ends_with("frames.bin") && old > 0 && bytes.starts_with(&now[path]);
        let cuts = [old + 1, (old + bytes.len()) / 2, bytes.len() - 1];
        for cut in if grows { cuts } else { [0, bytes.len() / 2, bytes.len()] } {
            let mut state = now.clone();
            state.insert(if grows { path.clone() } else { temporary(path) }, bytes[..cut].to_vec());
            states.push(state);
        }
        now.insert(path.clone(), bytes.clone());
        states.push(now.clone());
    }
    assert_eq!(&now, after, "something was removed");
    states
}

/// A new run with the same end: the header of the store comes first, and alone.
fn beginning(first: &Files) -> Vec<Files> {
    let store = Path::new("frames.bin");
    let header = Files::from([(store.to_path_buf(), first[store][..24].to_vec())]);
    let mut states = between(&Files::new(), &header);
    states.extend(between(&header, first));
    states.push(Files::new());
    states
}

/// What lies there while files are removed in this order.
fn removing(from: &Files, order: impl IntoIterator<Item = PathBuf>) -> Vec<Files> {
    let mut now = from.clone();
    let states = order.into_iter().map(|path| {
        assert!(now.remove(&path).is_some(), "{}", path.display());
        now.clone()
    });
    states.collect()
}

fn frame_files(files: &Files) -> Vec<PathBuf> {
    files.keys().filter(|path| path.starts_with("frames/")).cloned().collect()
}

/// All that a reader may see is whole, and the run goes on to the same files.
fn assert_goes_on(state: &Files, whole: &Files, hash: &str, said: &str) {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), state);
    let store = folder.path().join("frames.bin");
    if store.exists() {
        FrameStore::open(&store).unwrap_or_else(|error| panic!("{said}: {error}"));
    }
    let (snapshots, found) = run_from(state, true, u64::MAX);
    assert_eq!(found, hash, "{said}");
    let end = snapshots.last().unwrap();
    assert!(end.keys().eq(whole.keys()), "{said}: {:?}", end.keys());
    for (path, bytes) in whole {
        // Times of steps are in these two.
        let timed = path.ends_with("report.json") || path.ends_with("checkpoint");
        assert!(timed || end[path] == *bytes, "{said}: {} differs", path.display());
    }
}

#[test]
fn a_run_killed_between_any_two_system_calls_goes_on_to_the_same_files() {
    let (snapshots, hash) = run_from(&Files::new(), false, u64::MAX);
    let whole = snapshots.last().unwrap().clone();
    let first = snapshots.iter().position(|files| files.contains_key(Path::new("frames.bin"))).unwrap();
    let mut states = beginning(&snapshots[first]);
    for pair in snapshots[first..].windows(2) {
        states.extend(between(&pair[0], &pair[1]));
    }
    assert!(states.len() > 60, "{}", states.len());
    for (k, state) in states.iter().enumerate() {
        assert_goes_on(state, &whole, &hash, &format!("state {k} of {}: {:?}", states.len(), state.keys()));
    }
}

#[test]
fn a_run_killed_while_it_replaces_an_earlier_one_starts_anew() {
    let (snapshots, hash) = run_from(&Files::new(), false, u64::MAX);
    let whole = snapshots.last().unwrap();
    // As `RunFolder::start_anew` does it.
    let order = ["checkpoint", "report.json", "animation.glb"].map(PathBuf::from).into_iter();
    let order = order.chain(frame_files(whole)).chain([PathBuf::from("frames.bin")]);
    for (k, state) in removing(whole, order).iter().enumerate() {
        assert_goes_on(state, whole, &hash, &format!("{k} files removed"));
    }
}

#[test]
fn a_run_killed_while_it_is_resumed_can_be_resumed() {
    let (snapshots, hash) = run_from(&Files::new(), false, u64::MAX);
    let whole = snapshots.last().unwrap();
    // Stopped in the middle of frame 3 and between frames 3 and 4, with frame 2 as the last that has a checkpoint.
    for stop_at in [7, 8] {
        let (taken, _) = run_from(&Files::new(), false, stop_at);
        let stopped = taken.last().unwrap();
        assert!(stopped.contains_key(Path::new("checkpoint")) && stopped.contains_key(Path::new("report.json")));
        assert_goes_on(stopped, whole, &hash, &format!("stopped at {stop_at}"));
        // As `RunFolder::go_back_to` does it, with frames that are beyond the checkpoint.
        let mut beyond = stopped.clone();
        for frame in [4, 5] {
            for format in FORMATS {
                let path = Path::new("frames").join(folder::frame_name(frame, format));
                beyond.insert(path.clone(), whole[&path].clone());
            }
        }
        let store = PathBuf::from("frames.bin");
        beyond.insert(store.clone(), whole[&store].clone());
        let without_report = removing(&beyond, [PathBuf::from("report.json")]).remove(0);
        let mut cut = without_report.clone();
        cut.insert(store.clone(), stopped[&store].clone());
        let later = frame_files(&cut).into_iter().filter(|path| !stopped.contains_key(path));
        let mut states = removing(&cut, later);
        states.extend([beyond, without_report, cut]);
        for (k, state) in states.iter().enumerate() {
            assert_goes_on(state, whole, &hash, &format!("stopped at {stop_at}, state {k}"));
        }
    }
}
