//! A session on a GPU, a software one if need be.

#[path = "../../pliant-gpu/tests/required/mod.rs"]
mod required;

use super::tests::Stage;
use super::*;
use crate::server::tests::undisturbed;
use pliant::device::{CpuOnly, DeviceError, Task};
use pliant::disk_cache::DiskCache;
use pliant::scene::DeviceSettings;
use pliant::step::Simulation;
use pliant_gpu::{Choice, Gpu, adapters};
use serde_json::Value;
use std::path::Path;
use std::sync::Mutex;

fn skip() -> bool {
    required::skip_without_gpu(!adapters().is_empty())
}

/// The CPU, and for every other name the best GPU there is. All that were opened can be pulled.
#[derive(Default)]
struct Pullable(Mutex<Vec<Box<dyn Fn() + Send>>>);

impl Pullable {
    fn pull(&self) {
        self.0.lock().unwrap().drain(..).for_each(|pull| pull());
    }
}

impl Devices for Pullable {
    fn run<T: Task>(&self, settings: &DeviceSettings, task: T) -> Result<T::Output, DeviceError> {
        if settings.name == "cpu" {
            return CpuOnly.run(settings, task);
        }
        let gpu = Gpu::open(&Choice::Any).unwrap().with_cache(DiskCache::of_user());
        self.0.lock().unwrap().push(Box::new(gpu.puller()));
        Ok(task.on(gpu))
    }
}

/// On a GPU that stays for as long as the tests run.
fn stage(scene: Scene) -> (Stage<Pullable>, &'static Pullable) {
    let devices: &Pullable = Box::leak(Box::default());
    (Stage::on(devices, scene), devices)
}

const NAPKIN: &str = "pliant = 1
[time]
frame_rate = 60
steps_per_frame = 2
[[cloth]]
resolution = 9
[[pin]]
corners = ['-x-z', '+x-z']
[solver]
iterations = 20
rho = 0.9
";

fn napkin(device: &str) -> Scene {
    Scene::parse(NAPKIN, "napkin", ".".as_ref(), &[("device.name".to_string(), device.to_string())]).unwrap()
}

/// Cloths that cross each other, in steps so long that some have passed: on which side they were decides where they are pushed.
fn crossed() -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/heap.toml");
    let coarse = ["red", "blue", "yellow", "green"].map(|name| (format!("cloth.{name}.resolution"), "9".to_string()));
    let more = [("time.steps_per_frame", "1"), ("device.name", "auto")].map(|(k, v)| (k.to_string(), v.to_string()));
    Scene::read(&path, &coarse.into_iter().chain(more).collect::<Vec<_>>()).unwrap()
}

/// Frames that are looked at after a GPU was lost.
const AFTER: usize = 4;

/// How a session goes on on the CPU for some frames, with or without what it knows of sides.
fn on_the_cpu(stage: &mut Stage<Pullable>, known: bool) -> u64 {
    let view = &mut stage.session.views[0];
    let mut scene = crossed();
    scene.device.name = "cpu".to_string();
    scene.solver.method = view.simulation.method().name.to_string();
    let mut alone = Simulation::new(&scene).unwrap();
    alone.set_state(&view.state).unwrap();
    if known {
        alone.set_sides(&view.simulation.sides().unwrap());
    }
    view.simulation.rho().into_iter().for_each(|rho| alone.set_rho(rho));
    alone.hold(&view.grip.hands());
    (0..AFTER).for_each(|_| assert!(alone.step().is_ok()));
    alone.state().unwrap().hash()
}

#[test]
fn a_gpu_is_stepped_dragged_given_other_methods_and_compared() {
    if skip() {
        return;
    }
    let _undisturbed = undisturbed();
    let (mut stage, _) = stage(napkin("gpu"));
    assert!(stage.state()["device"].as_str().unwrap().starts_with("gpu"));
    stage.command(r#"{"do":"show","residual":true}"#).unwrap();
    stage.frames(2);
    let [x, y, z] = stage.x(76);
    stage.command(&format!(r#"{{"do":"grab","vertex":76,"target":[{x},{y},{z}]}}"#)).unwrap();
    stage.command(&format!(r#"{{"do":"drag","target":[{x},{},{z}]}}"#, y + 0.05)).unwrap();
    stage.frames(1);
    assert!(stage.x(76)[1] > y + 0.03, "{:?} after a drag by 5 cm from {y}", stage.x(76));
    let before = stage.hash();
    stage.command(r#"{"do":"set","method":"pd-jacobi-chebyshev","compare":"xpbd"}"#).unwrap();
    assert_eq!(stage.hash(), before);
    stage.frames(2);
    for (view, method) in [(0, "pd-jacobi-chebyshev"), (1, "xpbd")] {
        let facts = stage.facts(view);
        assert_eq!((&facts["step"], &facts["method"], &facts["error"]), (&json!(10), &json!(method), &Value::Null));
        assert!(facts["held"].as_array().unwrap().contains(&json!(76)));
    }
    stage.command(r#"{"do":"reset"}"#).unwrap();
    stage.frames(1);
    assert_eq!(stage.facts(0)["step"], 2);
    assert!(stage.state()["device"].as_str().unwrap().starts_with("gpu"));
}

/// Regression: the CPU that took over did not know on which sides of each other bodies were.
#[test]
fn a_lost_gpu_is_told_and_the_cpu_goes_on_from_the_last_frame_with_all_that_was_known_there() {
    if skip() {
        return;
    }
    let _undisturbed = undisturbed();
    let (mut stage, devices) = stage(crossed());
    stage.command(r#"{"do":"pin","vertex":5,"on":true}"#).unwrap();
    // Whether bodies remember their sides shows only now and then.
    let expected = (10..60).find_map(|frames| {
        stage.frames(if frames == 10 { 10 } else { 1 });
        let [known, forgotten] = [true, false].map(|known| on_the_cpu(&mut stage, known));
        (known != forgotten).then_some(known)
    });
    let (expected, last) = (expected.expect("a frame whose sides show"), stage.hash());
    let mut notices = stage.board.notices.subscribe();
    devices.pull();
    assert!(stage.session.advance() && stage.session.playing);
    assert_eq!((stage.hash(), &stage.state()["device"]), (last, &json!("cpu")));
    let notice = notices.try_recv().unwrap().text;
    assert!(notice.contains("lost") && notice.contains("going on on the CPU"), "{notice}");
    assert!(stage.facts(0)["error"].is_null());
    stage.frames(AFTER);
    assert_eq!(stage.hash(), expected);
    // What is made from now on stays there.
    stage.command(r#"{"do":"set","method":"xpbd"}"#).unwrap();
    assert_eq!(stage.state()["device"], "cpu");
}

#[test]
fn two_views_that_lose_their_gpus_go_on_together_and_one_that_was_asked_for_waits() {
    if skip() {
        return;
    }
    let _undisturbed = undisturbed();
    let (mut stage, devices) = stage(napkin("auto"));
    stage.command(r#"{"do":"set","compare":"pd-jacobi"}"#).unwrap();
    stage.frames(2);
    devices.pull();
    assert!(stage.session.advance());
    stage.frames(2);
    for view in 0..2 {
        assert_eq!(stage.facts(view)["step"], 8);
        assert_eq!(stage.session.views[view].simulation.device(), "cpu");
    }

    let (mut stage, devices) = self::stage(napkin("gpu"));
    stage.frames(1);
    let before = stage.hash();
    devices.pull();
    assert!(stage.session.advance() && !stage.session.playing);
    assert_eq!((stage.hash(), stage.session.views[0].simulation.is_remote()), (before, true));
    assert!(stage.facts(0)["error"].as_str().unwrap().contains("lost"));
}
