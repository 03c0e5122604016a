use super::*;
use crate::orders::{Orders, way};
use pliant::device::CpuOnly;
use serde_json::Value;
use std::sync::Mutex;
use tempfile::TempDir;

const SCENE: &str = "pliant = 1
[time]
frame_rate = 60
steps_per_frame = 2
[[cloth]]
resolution = 9
[[pin]]
corners = ['-x-z', '+x-z']
[device]
name = 'cpu'";

pub(super) struct Stage<D: Devices + 'static = CpuOnly> {
    pub session: Session<'static, D>,
    pub board: Arc<Board>,
    crowd: watch::Sender<Crowd>,
    orders: Orders,
    /// The scenes are there for as long as this is.
    folder: TempDir,
}

impl Stage {
    fn new() -> Self {
        Self::on(&CpuOnly, Scene::parse(SCENE, "napkin", ".".as_ref(), &[]).unwrap())
    }
}

impl<D: Devices> Stage<D> {
    pub fn on(devices: &'static D, scene: Scene) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("napkin.toml"), SCENE).unwrap();
        std::fs::write(folder.path().join("broken.toml"), "pliant = 1\n[[cloth]]\nresolution = 'x'").unwrap();
        std::fs::write(folder.path().join("small.toml"), SCENE.replace('9', "4")).unwrap();
        let library = Library::beside(&folder.path().join("napkin.toml"), &[], scene.device.clone());
        let board = Arc::new(Board::new());
        let crowd = watch::Sender::new(Crowd::default());
        let (orders, inbox) = way();
        let seen = (crowd.subscribe(), inbox);
        let session = Session::new(devices, board.clone(), seen, (scene, library)).unwrap();
        Self { session, board, crowd, orders, folder }
    }

    /// Does a command; what was refused is an error.
    pub fn command(&mut self, text: &str) -> Result<(), String> {
        self.session.carry_out(&crate::command::parse(text).unwrap().command)
    }

    pub fn frames(&mut self, count: usize) {
        (0..count).for_each(|_| assert!(self.session.advance()));
    }

    pub fn facts(&self, view: usize) -> Value {
        facts(&self.board, view)
    }

    pub fn state(&self) -> Value {
        (**self.board.state.borrow()).clone()
    }

    pub fn hash(&self) -> u64 {
        self.session.views[0].state.hash()
    }

    pub fn x(&self, vertex: usize) -> [f64; 3] {
        self.session.views[0].state.x[vertex]
    }
}

/// The text of a view's newest frame.
fn facts(board: &Board, view: usize) -> Value {
    let message = board.frames[view].borrow().clone();
    let length = u32::from_le_bytes(message[8..12].try_into().unwrap()) as usize;
    serde_json::from_slice(&message[12..12 + length]).unwrap()
}

#[test]
fn what_is_looked_at_is_what_a_simulation_without_a_viewer_computes() {
    let mut stage = Stage::new();
    stage.command(r#"{"do":"show","residual":true,"curve":true}"#).unwrap();
    stage.frames(5);
    let scene = Scene::parse(SCENE, "napkin", ".".as_ref(), &[]).unwrap();
    let mut alone = pliant::step::Simulation::new(&scene).unwrap();
    (0..10).for_each(|_| assert!(alone.step().is_ok()));
    assert_eq!(stage.hash(), alone.state().unwrap().hash());
    assert_eq!((&stage.facts(0)["step"], &stage.facts(0)["error"]), (&json!(10), &Value::Null));
}

#[test]
fn a_drag_moves_the_cloth_in_the_next_frame_and_pins_hold() {
    let mut stage = Stage::new();
    stage.frames(2);
    let [x, y, z] = stage.x(76);
    stage.command(&format!(r#"{{"do":"grab","vertex":76,"target":[{x},{y},{z}]}}"#)).unwrap();
    stage.command(&format!(r#"{{"do":"drag","target":[{x},{},{z}]}}"#, y + 0.05)).unwrap();
    stage.frames(1);
    assert!(stage.x(76)[1] > y + 0.04, "{:?} after a drag by 5 cm from {y}", stage.x(76));
    assert!(stage.facts(0)["held"].as_array().unwrap().contains(&json!(76)));
    stage.command(r#"{"do":"release"}"#).unwrap();
    stage.command(r#"{"do":"pin","vertex":76,"on":true}"#).unwrap();
    stage.command(r#"{"do":"pin","vertex":0,"on":false}"#).unwrap();
    assert_eq!(stage.state()["pins"], json!([8, 76]));
    let held = stage.x(76);
    stage.frames(20);
    assert_eq!(stage.x(76), held);
    assert!(stage.command(r#"{"do":"pin","vertex":81,"on":true}"#).unwrap_err().contains("81"));
    assert!(stage.command(r#"{"do":"grab","vertex":4000000000,"target":[0,0,0]}"#).is_err());
    stage.command(r#"{"do":"reset"}"#).unwrap();
    assert_eq!((&stage.state()["pins"], &stage.facts(0)["step"]), (&json!([0, 8]), &json!(0)));
}

#[test]
fn another_method_goes_on_where_the_last_one_was_and_a_bad_one_changes_nothing() {
    let mut stage = Stage::new();
    stage.command(r#"{"do":"pin","vertex":76,"on":true}"#).unwrap();
    stage.frames(3);
    let before = stage.hash();
    stage.command(r#"{"do":"set","method":"xpbd","iterations":7,"gravity":[0,0,0]}"#).unwrap();
    assert_eq!(stage.hash(), before);
    assert_eq!(stage.state()["views"][0], json!({ "method": "xpbd", "iterations": 7, "rho": null }));
    assert_eq!(stage.state()["pins"], json!([0, 8, 76]));
    stage.frames(1);
    assert_eq!((&stage.facts(0)["method"], &stage.facts(0)["step"]), (&json!("xpbd"), &json!(8)));
    // Of one step, not of the two that the frame has.
    assert_eq!((&stage.facts(0)["iterations"], &stage.state()["steps_per_frame"]), (&json!(7), &json!(2)));
    for bad in [r#"{"do":"set","method":"magic"}"#, r#"{"do":"set","rho":7}"#, r#"{"do":"set","compare":"magic"}"#] {
        assert!(stage.command(bad).is_err());
    }
    assert_eq!(stage.state()["settings"]["method"], "xpbd");
    stage.command(r#"{"do":"set","method":null,"iterations":null}"#).unwrap();
    assert_eq!(stage.state()["views"][0]["method"], "pd-direct-chebyshev");
}

#[test]
fn two_methods_are_compared_from_the_same_state_under_the_same_hand() {
    let mut stage = Stage::new();
    stage.frames(2);
    stage.command(r#"{"do":"set","compare":"pbd-jacobi"}"#).unwrap();
    let [first, second] = [0, 1].map(|view| stage.facts(view));
    assert_eq!((&first["step"], &second["step"], &second["method"]), (&json!(4), &json!(4), &json!("pbd-jacobi")));
    stage.command(r#"{"do":"grab","vertex":76,"target":[0.3,1,0.3]}"#).unwrap();
    stage.frames(3);
    assert_eq!(stage.facts(1)["held"], stage.facts(0)["held"]);
    assert_ne!(stage.session.views[0].state.hash(), stage.session.views[1].state.hash());
    stage.command(r#"{"do":"set","compare":null}"#).unwrap();
    assert!(stage.board.frames[1].borrow().is_empty() && stage.board.snapshot(1).is_none());
}

#[test]
fn the_curve_of_a_step_is_as_long_as_the_step_was_whatever_ended_it() {
    for settings in [r#"{"do":"set","method":"pd-jacobi-chebyshev","budget_ms":3}"#, r#"{"do":"set","method":"xpbd"}"#]
    {
        let mut stage = Stage::new();
        stage.command(settings).unwrap();
        stage.command(r#"{"do":"show","curve":true}"#).unwrap();
        let mut notices = stage.board.notices.subscribe();
        stage.frames(1);
        let begun = Instant::now();
        let text = loop {
            match notices.try_recv() {
                Ok(notice) => break notice.text,
                Err(_) => assert!(begun.elapsed() < Duration::from_secs(30), "no curve"),
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        let curve: Value = serde_json::from_str(&text).unwrap();
        let (facts, points) = (stage.facts(0), curve["points"].as_array().unwrap());
        assert_eq!((&curve["step"], &curve["method"]), (&facts["step"], &facts["method"]));
        assert_eq!(curve["iterations"], facts["iterations"]);
        let made = facts["iterations"].as_u64().unwrap();
        assert!(made > 0);
        assert_eq!(points.len() as u64 - 1, made.min(500), "{settings}");
    }
}

/// The CPU; and what the board says while something is made there.
#[derive(Default)]
struct Overheard {
    board: Mutex<Option<Arc<Board>>>,
    busy: Mutex<Vec<Value>>,
}

impl Devices for Overheard {
    fn run<T: pliant::device::Task>(
        &self,
        settings: &pliant::scene::DeviceSettings,
        task: T,
    ) -> Result<T::Output, pliant::device::DeviceError> {
        if let Some(board) = &*self.board.lock().unwrap() {
            self.busy.lock().unwrap().push(board.state.borrow()["busy"].clone());
        }
        CpuOnly.run(settings, task)
    }
}

#[test]
fn what_takes_a_while_is_said_until_it_is_done() {
    let devices: &Overheard = Box::leak(Box::default());
    let mut stage = Stage::on(devices, Scene::parse(SCENE, "napkin", ".".as_ref(), &[]).unwrap());
    *devices.board.lock().unwrap() = Some(stage.board.clone());
    let heard = || std::mem::take(&mut *devices.busy.lock().unwrap());
    for (text, busy) in [
        (r#"{"do":"set","stiffness":2}"#, "changing napkin"),
        (r#"{"do":"set","method":"magic"}"#, "changing napkin"),
        (r#"{"do":"scene","name":"small"}"#, "making small"),
    ] {
        let _ = stage.command(text);
        assert!(heard().iter().all(|heard| heard == busy), "{text}");
        assert_eq!(stage.state()["busy"], Value::Null, "{text}");
    }
    stage.command(r#"{"do":"set","rho":0.5}"#).unwrap();
    assert_eq!(heard(), [json!("changing small")]);
}

#[test]
fn numbers_of_commands_are_those_of_whoever_drives_now() {
    let mut stage = Stage::new();
    let enter = |stage: &Stage| {
        let mut id = 0;
        stage.crowd.send_modify(|crowd| id = crowd.enter(Instant::now()).unwrap());
        id
    };
    let order = |from, text: &str| Order::Do { from, what: crate::command::parse(text).unwrap() };
    let (first, second) = (enter(&stage), enter(&stage));
    stage.session.obey(order(first, r#"{"do":"play","n":9007199254740991}"#));
    assert_eq!(stage.session.applied, 9_007_199_254_740_991);
    stage.crowd.send_modify(|crowd| crowd.leave(first, Instant::now()));
    // What the new driver takes at once stays in the hand.
    stage.session.obey(order(second, r#"{"do":"grab","vertex":76,"target":[0,1,0],"n":3}"#));
    stage.session.follow_driver();
    assert_eq!(stage.session.applied, 3);
    assert!(!stage.session.views[0].grip.held().is_empty());
}

#[test]
fn recordings_hold_their_frames_and_play_as_files() {
    let mut stage = Stage::new();
    assert!(stage.session.recording.is_none());
    stage.command(r#"{"do":"record","on":true}"#).unwrap();
    stage.frames(6);
    stage.command(r#"{"do":"record","on":false}"#).unwrap();
    stage.frames(2);
    assert_eq!((&stage.state()["recording"]["frames"], &stage.state()["recording"]["on"]), (&json!(7), &json!(false)));
    let take = stage.session.recording.as_ref().and_then(Recording::now).unwrap();
    assert_eq!(take.name, "napkin-pd-direct-chebyshev-000000-000006");
    // Two at once do not meet.
    let [first, other] = [(); 2].map(|()| take.glb().unwrap());
    assert_eq!(first.thinned, None);
    let glb = std::fs::read(&first.path).unwrap();
    drop(first);
    assert_eq!(std::fs::read(&other.path).unwrap(), glb);
    // Of the seven frames the first is the mesh, the others are targets; the last is a tenth of a second after it.
    let (targets, times) = animation(&glb);
    assert_eq!((targets, times.len(), times[0]), (6, 7, 0.0));
    assert!((times[6] - 0.1).abs() < 1e-6, "{times:?}");
    let saved = take.page("<i>PLIANT-RECORDING</i>").unwrap();
    let page = std::fs::read_to_string(&saved.path).unwrap();
    assert!(page.starts_with("<i>") && page.len() > 1000 && saved.thinned.is_none());
    stage.command(r#"{"do":"record","on":true}"#).unwrap();
    stage.command(r#"{"do":"set","method":"xpbd"}"#).unwrap();
    stage.frames(1);
    let take = stage.session.recording.as_ref().and_then(Recording::now).unwrap();
    assert_eq!(take.name, "napkin-several-methods-000008-000009");
    assert_eq!(stage.board.snapshot(0).unwrap().name, "napkin-xpbd-000009");
}

/// Morph targets of the cloth and times of the frames of an animation, s, from its JSON (glTF 2.0, 3.6.1, 3.11, 4.4).
fn animation(glb: &[u8]) -> (usize, Vec<f32>) {
    let word = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().unwrap());
    assert_eq!((&glb[..4], word(4), word(8) as usize, &glb[16..20]), (&b"glTF"[..], 2, glb.len(), &b"JSON"[..]));
    let length = word(12) as usize;
    let json: Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    let targets = json["meshes"][0]["primitives"][0]["targets"].as_array().unwrap();
    let at = |of: &Value, key: &str| of[key].as_u64().unwrap_or(0) as usize;
    for target in targets {
        assert_eq!(json["accessors"][at(target, "POSITION")]["count"], 81);
    }
    let input = &json["accessors"][at(&json["animations"][0]["samplers"][0], "input")];
    let view = &json["bufferViews"][at(input, "bufferView")];
    let start = 20 + length + 8 + at(view, "byteOffset") + at(input, "byteOffset");
    let times = (0..at(input, "count")).map(|i| f32::from_bits(word(start + 4 * i)));
    (targets.len(), times.collect())
}

/// Regression: files that left frames out did not say so.
#[test]
fn a_recording_that_is_too_large_for_a_file_lasts_as_long_and_says_what_is_left_out() {
    let mut stage = Stage::new();
    stage.command(r#"{"do":"record","on":true}"#).unwrap();
    stage.frames(30);
    let mut take = stage.session.recording.as_ref().and_then(Recording::now).unwrap();
    // Of 81 vertices, 8 bytes each in a page; an animation takes more.
    take.most = [30_000, 10 * 81 * 8];
    let saved = take.page("PLIANT-RECORDING").unwrap();
    assert_eq!(saved.thinned, Some([9, 31]));
    let saved = take.glb().unwrap();
    let (targets, times) = animation(&std::fs::read(&saved.path).unwrap());
    assert_eq!(saved.thinned, Some([targets + 1, 31]));
    assert!(targets < 20 && (times[targets] - 0.5).abs() < 1e-6, "{targets} {times:?}");
}

#[test]
fn whoever_loses_or_ends_a_recording_by_something_else_is_told() {
    let mut stage = Stage::new();
    let mut notices = stage.board.notices.subscribe();
    let mut told = || notices.try_recv().map_or(String::new(), |notice| notice.text.to_string());
    stage.command(r#"{"do":"reset"}"#).unwrap();
    assert_eq!(told(), "");
    stage.command(r#"{"do":"record","on":true}"#).unwrap();
    stage.frames(2);
    stage.command(r#"{"do":"reset"}"#).unwrap();
    assert!(told().contains("ended with the reset"));
    assert_eq!((&stage.state()["recording"]["frames"], &stage.state()["recording"]["on"]), (&json!(3), &json!(false)));
    stage.command(r#"{"do":"scene","name":"small"}"#).unwrap();
    assert!(told().contains("recording of napkin is gone"));
    stage.command(r#"{"do":"scene","name":"napkin"}"#).unwrap();
    assert_eq!(told(), "");
}

#[test]
fn what_is_let_go_keeps_its_momentum() {
    let mut stage = Stage::new();
    stage.command(r#"{"do":"set","gravity":[0,0,0]}"#).unwrap();
    stage.command(r#"{"do":"pin","vertex":0,"on":false}"#).unwrap();
    stage.command(r#"{"do":"pin","vertex":8,"on":false}"#).unwrap();
    let [x, y, z] = stage.x(76);
    stage.command(&format!(r#"{{"do":"grab","vertex":76,"target":[{x},{y},{z}],"radius":3}}"#)).unwrap();
    // 1.2 m/s upwards.
    for k in 1..=10 {
        stage.command(&format!(r#"{{"do":"drag","target":[{x},{},{z}]}}"#, y + 0.02 * f64::from(k))).unwrap();
        stage.frames(1);
    }
    stage.command(r#"{"do":"release"}"#).unwrap();
    let mut last = stage.x(76)[1];
    for _ in 0..10 {
        stage.frames(1);
        let moved = stage.x(76)[1] - last;
        assert!((0.01..0.03).contains(&moved), "{moved} m in a frame after 0.02 m in each before");
        last = stage.x(76)[1];
    }
}

#[test]
fn a_budget_without_a_number_of_iterations_has_none_to_tell() {
    let mut stage = Stage::new();
    stage.command(r#"{"do":"set","compare":"xpbd","budget_ms":5}"#).unwrap();
    let told = |stage: &Stage| [0, 1].map(|view| stage.state()["views"][view]["iterations"].clone());
    assert_eq!(told(&stage), [Value::Null, Value::Null]);
    stage.command(r#"{"do":"set","iterations":7}"#).unwrap();
    assert_eq!(told(&stage), [json!(7), json!(7)]);
    stage.command(r#"{"do":"set","iterations":null,"budget_ms":null}"#).unwrap();
    assert_ne!(told(&stage)[0], told(&stage)[1]);
}

#[test]
fn another_scene_is_opened_by_name_and_a_broken_one_leaves_everything() {
    let mut stage = Stage::new();
    stage.frames(1);
    let before = stage.hash();
    assert!(stage.command(r#"{"do":"scene","name":"broken"}"#).unwrap_err().contains("resolution"));
    assert!(stage.command(r#"{"do":"scene","name":"../napkin"}"#).is_err());
    assert_eq!((stage.hash(), &stage.state()["busy"]), (before, &Value::Null));
    stage.command(r#"{"do":"pause"}"#).unwrap();
    stage.command(r#"{"do":"scene","name":"small"}"#).unwrap();
    assert!(!stage.session.is_moving());
    assert_eq!(stage.session.views[0].state.x.len(), 16);
    assert_eq!(stage.board.topology.borrow()[4], 2);
    assert_eq!(stage.board.frames[0].borrow()[4], 2);
}

#[test]
fn a_hand_opens_when_its_driver_goes_and_not_when_a_watcher_does() {
    let mut stage = Stage::new();
    let now = Instant::now();
    let enter = || {
        let mut id = 0;
        stage.crowd.send_modify(|crowd| id = crowd.enter(now).unwrap());
        id
    };
    let (driver, watcher) = (enter(), enter());
    stage.session.follow_driver();
    stage.command(r#"{"do":"grab","vertex":76,"target":[0,1,0]}"#).unwrap();
    stage.crowd.send_modify(|crowd| crowd.leave(watcher, now));
    stage.session.follow_driver();
    assert!(!stage.session.views[0].grip.held().is_empty());
    stage.crowd.send_modify(|crowd| crowd.leave(driver, now));
    stage.session.follow_driver();
    assert!(stage.session.views[0].grip.held().is_empty());
}

#[test]
fn compared_views_stay_together_when_a_step_of_one_fails() {
    let mut stage = Stage::new();
    stage.command(r#"{"do":"set","compare":"pbd-jacobi"}"#).unwrap();
    stage.command(r#"{"do":"record","on":true}"#).unwrap();
    stage.frames(1);
    let mut bad = (*stage.session.views[1].state).clone();
    bad.x[40] = [f64::NAN; 3];
    stage.session.views[1].simulation.set_state(&bad).unwrap();
    stage.frames(1);
    assert_eq!(stage.session.views[0].state.step, 2);
    assert_eq!(stage.session.recording.as_ref().map(Recording::frames), Some(2));
    assert!(!stage.session.playing && stage.facts(1)["error"].is_string());
}

#[test]
fn a_command_that_changes_what_is_computed_ends_the_step_and_the_frame_is_gone_on_with() {
    let [mut stage, mut undisturbed] = [(); 2].map(|()| Stage::new());
    let order = |text: &str| Order::Do { from: 0, what: crate::command::parse(text).unwrap() };
    for text in
        [r#"{"do":"grab","vertex":7,"target":[0,0,0]}"#, r#"{"do":"drag","target":[0,0,0]}"#, r#"{"do":"step"}"#]
    {
        assert!(stage.orders.send(order(text)).is_ok() && !stage.session.inbox.stop.is_raised(), "{text}");
    }
    for text in
        [r#"{"do":"pause"}"#, r#"{"do":"reset"}"#, r#"{"do":"set","rho":0.5}"#, r#"{"do":"scene","name":"small"}"#]
    {
        assert!(stage.orders.send(order(text)).is_ok() && stage.session.inbox.stop.is_raised(), "{text}");
        assert!(!stage.session.advance());
        stage.session.inbox.stop.lower();
    }
    assert_eq!((stage.facts(0)["step"].as_u64(), &stage.facts(0)["error"]), (Some(0), &Value::Null));
    // In the middle of a frame of two steps, and with a second view that has not begun its own.
    for stage in [&mut stage, &mut undisturbed] {
        stage.command(r#"{"do":"set","compare":"pbd-jacobi"}"#).unwrap();
    }
    stage.session.views[0].frame(false);
    stage.session.inbox.stop.raise();
    assert!(!stage.session.advance());
    stage.session.inbox.stop.lower();
    [&mut stage, &mut undisturbed].into_iter().for_each(|stage| stage.frames(2));
    for view in 0..2 {
        let [one, other] = [&stage, &undisturbed].map(|stage| stage.session.views[view].state.clone());
        assert_eq!((one.step, one.hash()), (other.step, other.hash()));
    }
}

/// Regression: a single step was lost where the command before it ended the step under way a little late.
#[test]
fn a_single_step_is_made_even_if_it_is_stopped_for_what_was_asked_before() {
    let Stage { session, board, crowd, orders, folder: _folder } = Stage::new();
    crowd.send_modify(|crowd| assert!(crowd.enter(Instant::now()).is_some()));
    let end = AtomicBool::new(false);
    let command = |text: &str| orders.send(Order::Do { from: 1, what: crate::command::parse(text).unwrap() });
    std::thread::scope(|scope| {
        scope.spawn(|| {
            assert!(command(r#"{"do":"pause"}"#).is_ok());
            assert!(command(r#"{"do":"reset"}"#).is_ok());
            for _ in 0..3 {
                assert!(command(r#"{"do":"step"}"#).is_ok());
                (0..50).for_each(|_| orders.end_step());
            }
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_secs(2) && facts(&board, 0)["step"] != 6 {
                std::thread::sleep(Duration::from_millis(10));
            }
            end.store(true, Ordering::Relaxed);
        });
        // It stays on the thread that made it.
        session.run(&end);
    });
    assert_eq!(facts(&board, 0)["step"], 6);
}

#[test]
fn a_step_that_cannot_be_made_pauses_with_a_reason_and_play_goes_on() {
    let mut stage = Stage::new();
    stage.frames(1);
    let good = stage.session.views[0].state.clone();
    let mut bad = (*good).clone();
    bad.x[40] = [f64::NAN; 3];
    stage.session.views[0].simulation.set_state(&bad).unwrap();
    stage.frames(1);
    assert!(!stage.session.playing);
    assert!(stage.facts(0)["error"].is_string() && stage.state()["error"].is_string());
    stage.command(r#"{"do":"reset"}"#).unwrap();
    stage.command(r#"{"do":"play"}"#).unwrap();
    stage.frames(1);
    assert!(stage.session.playing && stage.facts(0)["error"].is_null());
}
