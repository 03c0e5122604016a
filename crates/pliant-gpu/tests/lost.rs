//! A GPU that is lost, or too small, takes nothing with it.

mod required;

use pliant::device::{CpuOnly, DeviceError, Devices, Task};
use pliant::disk_cache::DiskCache;
use pliant::output::{Checkpoint, FrameStore, RunHooks, RunOptions, RunReport, RunStage, Status, run};
use pliant::scene::{DeviceSettings, Scene};
use pliant::step::{Simulation, SimulationError};
use pliant_gpu::{Choice, Gpu, adapters};
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

const SCENE: &str = "
pliant = 1
[time]
frame_rate = 30
steps_per_frame = 2
frames = 6
[[cloth]]
resolution = 13
position = [0, 0.3, 0]
[[pin]]
corners = ['-x-z']
[[collider]]
shape = 'sphere'
radius = 0.25
[solver]
iterations = 25
rho = 0.9
[output]
formats = ['obj']
checkpoint_every = 4
";

/// A second cloth that lies on the first, and both feel each other.
const HEAP: &str = "
[[cloth]]
name = 'second'
resolution = 12
position = [0.02, 0.302, 0.01]
rotation = [0, 20, 0]
thickness = '5 mm'
[contact]
self_collision = true
";

const STEPS: u64 = 12;

fn skip() -> bool {
    required::skip_without_gpu(!adapters().is_empty())
}

fn scene(device: &str) -> Scene {
    let device = ("device.name".to_string(), device.to_string());
    Scene::parse(SCENE, "lost", ".".as_ref(), &[device]).unwrap()
}

fn heap(device: &str) -> Scene {
    let device = ("device.name".to_string(), device.to_string());
    let text = SCENE.replace("[[pin]]", "[[pin]]\nbody = 'cloth0'") + HEAP;
    Scene::parse(&text, "lost", ".".as_ref(), &[device]).unwrap()
}

type Pull = Rc<RefCell<Option<Box<dyn Fn()>>>>;

/// The CPU, and for every other name the best GPU there is, which can be pulled.
#[derive(Clone, Default)]
struct Pullable {
    pull: Pull,
    largest_buffer: Option<u64>,
}

impl Devices for Pullable {
    fn run<T: Task>(&self, settings: &DeviceSettings, task: T) -> Result<T::Output, DeviceError> {
        if settings.name == "cpu" {
            return CpuOnly.run(settings, task);
        }
        // How a GPU cuts a mesh is measured and shows in the last bits; the cache remembers it.
        let gpu = Gpu::open(&Choice::Any).unwrap().with_cache(DiskCache::of_user());
        if let Some(bytes) = self.largest_buffer {
            gpu.limit_buffers(bytes);
        }
        *self.pull.borrow_mut() = Some(Box::new(gpu.puller()));
        Ok(task.on(gpu))
    }
}

/// Pulls the GPU once so many steps are done.
struct PullAt {
    pull: Pull,
    step: Option<u64>,
    simulating: bool,
}

impl RunHooks for PullAt {
    fn stage(&mut self, stage: RunStage, _total: u64) {
        self.simulating = stage == RunStage::Simulating;
    }

    fn progress(&mut self, done: u64) {
        if self.simulating && self.step == Some(done) {
            self.pull.take().expect("a GPU is open")();
            self.step = None;
        }
    }
}

fn run_in(folder: &Path, device: &str, resume: bool, pulled_at: Option<u64>) -> RunReport {
    run_on(&Pullable::default(), &scene(device), folder, resume, pulled_at)
}

fn run_on(devices: &Pullable, scene: &Scene, folder: &Path, resume: bool, pulled_at: Option<u64>) -> RunReport {
    let options = RunOptions { out: folder.to_path_buf(), resume, ..RunOptions::default() };
    let mut hooks = PullAt { pull: devices.pull.clone(), step: pulled_at, simulating: false };
    run(devices, scene, &options, &mut hooks).unwrap()
}

fn frames(folder: &Path) -> Vec<Vec<[f32; 3]>> {
    let mut store = FrameStore::open(&folder.join("frames.bin")).unwrap();
    (0..store.len()).map(|frame| store.read(frame).unwrap()).collect()
}

/// Checks that a frame is there in every format, and is that of the run that nobody disturbed.
fn assert_same_frames(folder: &Path, undisturbed: &[Vec<[f32; 3]>], count: usize) {
    let found = frames(folder);
    assert_eq!(found.len(), count);
    assert!(found == undisturbed[..count]);
    for frame in 0..count + 3 {
        let path = folder.join(format!("frames/{frame:06}.obj"));
        assert_eq!(path.exists(), frame < count, "{}", path.display());
    }
}

#[test]
fn a_lost_gpu_leaves_the_last_frame_and_the_run_goes_on_on_the_cpu() {
    if skip() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let undisturbed_folder = folder.path().join("undisturbed");
    let good = run_in(&undisturbed_folder, "gpu", false, None);
    assert_eq!((good.status, good.steps), (Status::Done, STEPS));
    let undisturbed = frames(&undisturbed_folder);
    assert_eq!(undisturbed.len(), 7);

    // Lost before the first step, in the middle of a frame, and at the end of one, whose state is then still on the GPU.
    for (pulled_at, last_frame) in [(0, 0), (5, 2), (6, 2), (11, 5)] {
        let out = folder.path().join(format!("pulled-{pulled_at}"));
        let report = run_in(&out, "gpu", false, Some(pulled_at));
        assert_eq!(report.status, Status::DeviceFailed, "{report:?}");
        let reason = report.reason.unwrap();
        for word in ["lost", "--device cpu", "--resume", &format!("step {}", 2 * last_frame)] {
            assert!(reason.contains(word), "`{word}` is missing in: {reason}");
        }
        assert_same_frames(&out, &undisturbed, last_frame + 1);
        let checkpoint = Checkpoint::load(&out.join("checkpoint")).unwrap().unwrap();
        assert_eq!(checkpoint.state.step, 2 * last_frame as u64);
        let x: Vec<[f32; 3]> = checkpoint.state.x.iter().map(|p| p.map(|c| c as f32)).collect();
        assert!(x == undisturbed[last_frame]);
        assert!(out.join("report.json").exists());

        let report = run_in(&out, "cpu", true, None);
        assert_eq!((report.status, report.steps), (Status::Done, STEPS));
        assert_eq!(report.resumed_at_step, Some(2 * last_frame as u64));
        assert_eq!((report.device.as_str(), report.method.as_str()), ("cpu", "pd-multigrid-chebyshev"));
        assert!(report.warnings.iter().any(|warning| warning.contains("made on gpu")), "{:?}", report.warnings);
        let resumed = frames(&out);
        assert!(resumed[..=last_frame] == undisturbed[..=last_frame]);
        let apart = |a: &[[f32; 3]], b: &[[f32; 3]]| {
            a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
        };
        let farthest = apart(&resumed[6], &undisturbed[6]);
        assert!(farthest < 1e-4, "pulled at {pulled_at}: {farthest} m apart at the end");
    }
}

#[test]
fn with_auto_a_run_goes_on_on_the_cpu_by_itself() {
    if skip() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let good = run_in(&folder.path().join("good"), "auto", false, None);
    assert!(good.device.starts_with("gpu: ") && !good.warnings.iter().any(|w| w.contains("CPU")), "{good:?}");
    let out = folder.path().join("pulled");
    let report = run_in(&out, "auto", false, Some(5));
    assert_eq!((report.status, report.steps, report.device.as_str()), (Status::Done, STEPS, "cpu"));
    assert_eq!((report.method, report.iterations), (good.method, good.iterations));
    let warning = report.warnings.iter().find(|warning| warning.contains("lost")).expect("a warning");
    assert!(warning.contains("on the CPU from step 4"), "{warning}");
    assert_eq!(frames(&out)[..3], frames(&folder.path().join("good"))[..3]);
    assert_eq!(frames(&out).len(), 7);
}

fn limited(largest_buffer: u64, device: &str, method: &str) -> (Pullable, Scene) {
    let mut scene = scene(device);
    scene.solver.method = method.to_string();
    (Pullable { largest_buffer: Some(largest_buffer), ..Pullable::default() }, scene)
}

/// Where a simulation and a few steps of it are computed, with a GPU whose buffers are limited.
fn within(largest_buffer: u64, device: &str, method: &str) -> Result<String, SimulationError> {
    let (devices, scene) = limited(largest_buffer, device, method);
    let mut simulation = Simulation::on(&devices, &scene)?;
    for _ in 0..2 {
        simulation.step()?;
    }
    Ok(simulation.device().to_string())
}

#[test]
fn whatever_does_not_fit_into_a_buffer_is_refused_with_its_size_and_the_limit() {
    if skip() {
        return;
    }
    for method in ["pd-jacobi-chebyshev", "pd-gauss-seidel", "pd-pcg", "pbd-jacobi", "xpbd"] {
        let mut names = std::collections::BTreeSet::new();
        for limit in (8..20).map(|power| 1 << power) {
            let said = match within(limit, "gpu", method) {
                Ok(_) => continue,
                Err(SimulationError::Device(error @ DeviceError::Failed { .. })) => error.to_string(),
                Err(error) => panic!("{error}"),
            };
            let (name, sizes) = said.split_once(" failed: ").unwrap().1.split_once(" needs ").unwrap();
            let numbers: Vec<u64> =
                sizes.split_whitespace().filter_map(|word| word.trim_end_matches(';').parse().ok()).collect();
            assert!(numbers[0] > numbers[1] && numbers[1] == limit, "{method}: {said}");
            assert!(said.contains("coarser mesh") && said.contains("--device cpu"), "{said}");
            names.insert(name.to_string());
            // What a method makes in its first step is too late for the choice, but not for the run.
            let folder = tempfile::tempdir().unwrap();
            let (devices, scene) = limited(limit, "auto", method);
            let report = run_on(&devices, &scene, folder.path(), false, None);
            assert_eq!((report.status, report.device.as_str()), (Status::Done, "cpu"), "{method}, {limit} bytes");
        }
        assert!(names.len() > 1, "{method}: {names:?}");
        assert!(within(1 << 20, "gpu", method).unwrap().starts_with("gpu: "));
    }
}

#[test]
fn with_auto_what_no_gpu_does_is_done_on_the_cpu() {
    if skip() {
        return;
    }
    for method in ["newton", "pd-direct"] {
        assert_eq!(within(1 << 20, "auto", method).unwrap(), "cpu");
    }
}

/// A step in which bodies feel each other waits for the GPU when it begins, and there may be more contacts than fit into it.
#[test]
fn a_gpu_that_is_lost_or_full_when_contacts_are_found_takes_nothing_with_it() {
    if skip() {
        return;
    }
    let (devices, folder) = (Pullable::default(), tempfile::tempdir().unwrap());
    let report = run_on(&devices, &heap("auto"), folder.path(), false, Some(5));
    assert_eq!((report.status, report.steps, report.device.as_str()), (Status::Done, STEPS, "cpu"));
    let warning = report.warnings.iter().find(|warning| warning.contains("lost")).expect("a warning");
    assert!(warning.contains("on the CPU from step 4"), "{warning}");

    let full = Pullable { largest_buffer: Some(1 << 15), ..Pullable::default() };
    let error =
        Simulation::on(&full, &heap("gpu")).and_then(|mut simulation| simulation.step()).unwrap_err().to_string();
    assert!(error.contains(" needs ") && error.contains("--device cpu"), "{error}");
    let report = run_on(&full, &heap("auto"), &folder.path().join("full"), false, None);
    assert_eq!((report.status, report.device.as_str()), (Status::Done, "cpu"));
}

/// Cloths that cross each other, in steps so long that some have passed, on which side they were decides where they are pushed.
fn crossed(device: &str) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/heap.toml");
    let coarse = ["red", "blue", "yellow", "green"].map(|name| (format!("cloth.{name}.resolution"), "9"));
    let more = [("time.steps_per_frame", "1"), ("time.frames", "25"), ("device.name", device)];
    let more = more.map(|(key, value)| (key.to_string(), value));
    let set: Vec<_> = coarse.into_iter().chain(more).map(|(key, value)| (key, value.to_string())).collect();
    Scene::read(&path, &set).unwrap()
}

/// Regression: the CPU that took over did not know on which sides of each other bodies were, a run that is resumed did.
#[test]
fn a_run_that_loses_its_gpu_ends_with_the_bits_of_one_that_is_resumed_on_the_cpu() {
    if skip() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let [went_on, resumed] = ["on", "resumed"].map(|name| folder.path().join(name));
    let devices = Pullable::default();
    let report = run_on(&devices, &crossed("auto"), &went_on, false, Some(21));
    assert_eq!((report.status, report.device.as_str()), (Status::Done, "cpu"));
    let failed = run_on(&devices, &crossed("gpu"), &resumed, false, Some(21));
    assert_eq!(failed.status, Status::DeviceFailed);
    let again = run_on(&devices, &crossed("cpu"), &resumed, true, None);
    assert_eq!(report.state_hash, again.state_hash);
}
