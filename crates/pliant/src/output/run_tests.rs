//! Runs that do not go as planned.

use super::*;
use crate::device::CpuOnly;
use std::path::Path;

/// Jacobi's step is almost twice too long: every step of every length diverges.
const STUCK: &str = "
pliant = 1
[time]
frames = 4
[[cloth]]
resolution = 5
position = [0, 1, 0]
[[pin]]
corners = ['-x-z']
[solver]
method = 'pd-jacobi'
under_relaxation = 1.99
iterations = 3000
";

fn pixels(path: &Path) -> Vec<[u8; 3]> {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut bytes).unwrap();
    bytes.chunks(3).map(|p| [p[0], p[1], p[2]]).collect()
}

#[test]
fn the_picture_of_a_failed_run_says_so_and_that_of_a_good_one_does_not() {
    let marked = |set: &[(String, String)]| {
        let scene = Scene::parse(STUCK, "stuck", ".".as_ref(), set).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let preview = folder.path().join("out/a.png");
        let options =
            RunOptions { out: folder.path().join("out"), previews: vec![preview.clone()], ..RunOptions::default() };
        let report = run(&CpuOnly, &scene, &options, &mut ()).unwrap();
        let red = pixels(&preview).iter().filter(|p| **p == [176, 32, 32]).count();
        (report.status, red > 1000)
    };
    assert_eq!(marked(&[]), (Status::Failed, true));
    assert_eq!(marked(&[("solver.under_relaxation".to_string(), "0.9".to_string())]), (Status::Done, false));
}

fn run_of(text: &str) -> RunReport {
    let scene = Scene::parse(text, "stuck", ".".as_ref(), &[]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let options = RunOptions { out: folder.path().to_path_buf(), ..RunOptions::default() };
    run(&CpuOnly, &scene, &options, &mut ()).unwrap()
}

/// Regression: a run that failed had no retries, and so no trouble.
#[test]
fn tries_of_the_step_that_ends_a_run_are_counted() {
    let report = run_of(STUCK);
    let reason = report.reason.unwrap();
    assert_eq!(report.status, Status::Failed);
    assert!(report.retries > 1 && reason.contains(&format!("failed {} times", report.retries)), "{reason}");
    let said = format!("{} tries of steps failed, the last one for good", report.retries);
    assert!(report.warnings.contains(&said), "{:?}", report.warnings);
}

/// Regression: cloth of millimetres fails in `f32` with Newton, and was sent to Newton.
#[test]
fn a_step_that_fails_in_single_precision_is_sent_to_double_and_not_to_the_method_it_has() {
    let small = "pliant = 1\n[time]\nframes = 2\nsteps_per_frame = 2\n[[cloth]]\nsize = '4 mm'\nresolution = 15\n\
                 position = [0, '1 mm', 0]\n[[collider]]\nshape = 'half-space'\n";
    let report = run_of(small);
    let reason = report.reason.unwrap_or_default();
    assert_eq!((report.status, report.method.as_str()), (Status::Failed, "newton"));
    assert!(reason.ends_with("Try --precision f64, more steps_per_frame or a softer material"), "{reason}");
    assert_eq!(run_of(&format!("{small}[device]\nprecision = 'f64'\n")).status, Status::Done);

    let wide = run_of(&format!("{STUCK}[device]\nprecision = 'f64'\n")).reason.unwrap();
    assert!(wide.ends_with("Try more steps_per_frame, a softer material or method 'newton'"), "{wide}");
}

/// Puts a file where frames go, after so many steps.
struct Spoil<'a>(&'a Path, u64);

impl RunHooks for Spoil<'_> {
    fn progress(&mut self, done: u64) {
        if done == self.1 {
            std::fs::remove_dir_all(self.0).unwrap();
            std::fs::write(self.0, "").unwrap();
        }
    }
}

/// Regression: `--resume` was advised where there was nothing to resume.
#[test]
fn what_to_do_about_a_frame_that_cannot_be_written_depends_on_a_checkpoint() {
    let text = "pliant = 1\n[time]\nframes = 4\nsteps_per_frame = 1\n[[cloth]]\nresolution = 3\n[output]\n\
                formats = ['obj']\ncheckpoint_every = 2\n";
    let scene = Scene::parse(text, "spoilt", ".".as_ref(), &[]).unwrap();
    let said = |steps: u64| {
        let folder = tempfile::tempdir().unwrap();
        let options = RunOptions { out: folder.path().to_path_buf(), ..RunOptions::default() };
        let error = run(&CpuOnly, &scene, &options, &mut Spoil(&folder.path().join("frames"), steps)).unwrap_err();
        assert!(error.is_midway());
        assert_eq!(folder.path().join("checkpoint").exists(), steps >= 2);
        error.to_string()
    };
    let first = said(1);
    assert!(first.contains("run again: there is no checkpoint yet") && !first.contains("--resume"), "{first}");
    let later = said(3);
    assert!(later.contains("frame 3") && later.contains("from the last checkpoint with --resume"), "{later}");
}

/// Regression: the reference did not know on which sides what has crossed was, and solved another step.
#[test]
fn a_converged_step_of_cloths_that_have_crossed_has_no_error() {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/heap.toml"));
    let set = |key: &str, value: &str| (key.to_string(), value.to_string());
    let coarse = ["red", "blue", "yellow", "green"].map(|name| set(&format!("cloth.{name}.resolution"), "9"));
    let more = [
        set("time.steps_per_frame", "1"),
        set("solver.method", "newton"),
        set("solver.iterations", "300"),
        set("solver.tolerance", "1e-11"),
        set("device.precision", "f64"),
    ];
    let mut scene = Scene::read(path, &[&coarse[..], &more].concat()).unwrap();
    for frames in [21, 22] {
        scene.time.frames = frames;
        let folder = tempfile::tempdir().unwrap();
        let options = RunOptions { out: folder.path().to_path_buf(), error: true, ..RunOptions::default() };
        let error = run(&CpuOnly, &scene, &options, &mut ()).unwrap().relative_error.unwrap();
        assert!(error.abs() < 1e-9, "after {frames} frames: {error}");
    }
}
