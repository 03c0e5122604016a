//! Frames are fetched and written while the GPU goes on, and are what they would be if somebody waited for them.

mod required;

use pliant::model::State;
use pliant::output::{Checkpoint, FrameStore, OutputError, RunError, RunHooks, RunOptions, Status, run};
use pliant::scene::Scene;
use pliant::step::Simulation;
use pliant_gpu::{AllDevices, adapters};
use std::path::PathBuf;

const SCENE: &str = "
pliant = 1
[time]
frame_rate = 60
frames = 5
[[cloth]]
resolution = 15
position = [0, 0.3, 0]
[[pin]]
corners = ['-x-z']
[[drag]]
path = [[0.04, 0.4, 0.3, 0.4], [0.07, 0.4, 0.35, 0.4]]
radius = 0.1
stiffness = 50
[[collider]]
shape = 'sphere'
radius = 0.25
[solver]
iterations = 20
rho = 0.9
[output]
formats = ['ply']
checkpoint_every = 2
";

fn skip() -> bool {
    required::skip_without_gpu(!adapters().is_empty())
}

fn scene(set: &[(&str, &str)]) -> Scene {
    let set: Vec<_> = [("device.name", "gpu")].iter().chain(set).map(|(k, v)| (k.to_string(), v.to_string())).collect();
    Scene::parse(SCENE, "frames", ".".as_ref(), &set).unwrap()
}

fn bits(state: &State) -> (u64, u64, u64) {
    (state.hash(), state.step, state.time.to_bits())
}

#[test]
fn a_state_that_is_shown_while_the_gpu_goes_on_is_the_one_before_the_step() {
    if skip() {
        return;
    }
    let mut simulation = Simulation::on(&AllDevices, &scene(&[])).unwrap();
    let mut twin = Simulation::on(&AllDevices, &scene(&[])).unwrap();
    assert!(simulation.is_remote());
    for _ in 0..4 {
        let before = twin.state().unwrap();
        let mut shown = Vec::new();
        simulation.step_showing(&mut |state| shown.push(state)).unwrap();
        twin.step().unwrap();
        assert_eq!(shown.iter().map(bits).collect::<Vec<_>>(), [bits(&before)]);
        assert_eq!(bits(&simulation.state().unwrap()), bits(&twin.state().unwrap()));
    }
}

#[test]
fn it_is_shown_once_even_if_no_try_of_the_step_succeeds() {
    if skip() {
        return;
    }
    // Jacobi's step is almost twice too long: every step of every length diverges.
    let stuck = [("solver.method", "pd-jacobi"), ("solver.under_relaxation", "1.99"), ("solver.iterations", "3000")];
    let mut simulation = Simulation::on(&AllDevices, &scene(&stuck)).unwrap();
    let before = simulation.state().unwrap();
    let mut shown = Vec::new();
    assert!(simulation.step_showing(&mut |state| shown.push(state)).is_err());
    assert_eq!(shown.iter().map(bits).collect::<Vec<_>>(), [bits(&before)]);
}

/// Stops after so many steps.
struct StopAt(u64, u64);

impl RunHooks for StopAt {
    fn progress(&mut self, done: u64) {
        self.1 = done;
    }

    fn stop_requested(&mut self) -> bool {
        self.1 >= self.0
    }
}

#[test]
fn a_run_writes_the_frames_and_checkpoints_that_one_who_waits_would_write() {
    if skip() {
        return;
    }
    for (per_frame, stop_at) in [(1, 5), (3, 15), (1, 3), (3, 6), (3, 8)] {
        let scene = scene(&[("time.steps_per_frame", &per_frame.to_string())]);
        let mut simulation = Simulation::on(&AllDevices, &scene).unwrap();
        let mut expected = vec![simulation.state().unwrap()];
        for _ in 0..stop_at {
            simulation.step().unwrap();
            expected.push(simulation.state().unwrap());
        }
        let folder = tempfile::tempdir().unwrap();
        let options = RunOptions { out: folder.path().to_path_buf(), ..RunOptions::default() };
        let report = run(&AllDevices, &scene, &options, &mut StopAt(stop_at, 0)).unwrap();
        let all = stop_at == 5 * per_frame;
        assert_eq!(report.status, if all { Status::Done } else { Status::Interrupted });
        let mut store = FrameStore::open(&folder.path().join("frames.bin")).unwrap();
        assert_eq!(store.len() as u64, 1 + stop_at / per_frame);
        for frame in 0..store.len() {
            let state = &expected[frame * per_frame as usize];
            let x: Vec<[f32; 3]> = state.x.iter().map(|p| p.map(|c| c as f32)).collect();
            assert!(store.read(frame).unwrap() == x, "frame {frame} of {per_frame} steps");
            assert!(folder.path().join(format!("frames/{frame:06}.ply")).exists());
        }
        let last = Checkpoint::load(&folder.path().join("checkpoint")).unwrap().unwrap();
        assert_eq!(bits(&last.state), bits(&expected[stop_at as usize]));
        assert_eq!(last.tally.ms.len() as u64, stop_at);
    }
}

/// Puts a file where the folder of the frames is.
struct Spoil(PathBuf);

impl RunHooks for Spoil {
    fn progress(&mut self, done: u64) {
        if done == 2 && self.0.is_dir() {
            std::fs::remove_dir_all(&self.0).unwrap();
            std::fs::write(&self.0, "").unwrap();
        }
    }
}

#[test]
fn a_frame_that_cannot_be_written_ends_the_run() {
    if skip() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let options = RunOptions { out: folder.path().to_path_buf(), ..RunOptions::default() };
    let error = run(&AllDevices, &scene(&[]), &options, &mut Spoil(folder.path().join("frames"))).unwrap_err();
    assert!(error.is_midway() && error.to_string().contains("run again: there is no checkpoint"), "{error}");
    let RunError::Output { source: OutputError::Frame { frame, .. }, checkpoint: false } = error else {
        panic!("{error}");
    };
    assert!([1, 2].contains(&frame), "{frame}");
}
