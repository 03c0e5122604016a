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
