//! Whole steps on the GPU against the CPU.

use pliant::device::{CpuOnly, Devices};
use pliant::scene::Scene;
use pliant::step::Simulation;
use pliant_gpu::{AllDevices, adapters};

fn skip() -> bool {
    if !adapters().is_empty() {
        return false;
    }
    assert!(std::env::var_os("CI").is_none() && std::env::var_os("PLIANT_REQUIRE_GPU").is_none(), "no adapter");
    println!("skipped: no adapter");
    true
}

const SCENE: &str = "
pliant = 1
[time]
frame_rate = 60
[[cloth]]
shape = 'grid'
resolution = 23
position = [0, 0.3, 0]
[[solid]]
shape = 'box'
size = 0.2
cells = 4
material = 'gelatine'
position = [2, 0.11, 0]
[[pin]]
body = 'cloth'
corners = ['-x-z']
[[pin]]
body = 'cloth'
corners = ['+x-z']
stiffness = 1e4
[[collider]]
shape = 'half-space'
[[collider]]
shape = 'sphere'
radius = 0.2
position = [0, 0.05, 0]
[[force]]
kind = 'wind'
velocity = [1, 0, 3]
[solver]
iterations = 30
rho = 0.95
";

/// Nothing but a cloth: no pins, no colliders, no wind.
const BARE: &str = "
pliant = 1
[[cloth]]
resolution = 9
velocity = [0, 1, 0]
[solver]
iterations = 10
rho = 0.9
";

fn after(text: &str, devices: &impl Devices, device: &str, method: &str, steps: usize) -> (Vec<[f64; 3]>, f64, f64) {
    let set = [("solver.method".to_string(), method.to_string()), ("device.name".to_string(), device.to_string())];
    let scene = Scene::parse(text, "both", ".".as_ref(), &set).unwrap();
    let mut simulation = Simulation::on(devices, &scene, None).unwrap();
    let mut last = (0.0, 0.0);
    for step in 0..steps {
        let report = simulation.step().unwrap();
        assert_eq!(report.retries, 0, "{method} step {step}");
        last = (report.certificate.energy, report.certificate.gradient_norm);
        println!("{device} {method} {step}: {:?}", report.certificate);
    }
    (simulation.state().unwrap().x, last.0, last.1)
}

#[test]
fn steps_agree_with_the_cpu() {
    if skip() {
        return;
    }
    for method in ["pd-jacobi-chebyshev", "pd-jacobi", "pd-gauss-seidel", "pd-pcg", "pbd-jacobi", "xpbd"] {
        let cpu = after(SCENE, &CpuOnly, "cpu", method, 5);
        let gpu = after(SCENE, &AllDevices, "gpu", method, 5);
        let farthest = cpu.0.iter().zip(&gpu.0).flat_map(|(a, b)| (0..3).map(|k| (a[k] - b[k]).abs()));
        let farthest = farthest.fold(0.0, f64::max);
        println!("{method}: {farthest:.2e} m apart, energies {} {}", cpu.1, gpu.1);
        assert!(farthest < 1e-4, "{method}: {farthest}");
    }
}

#[test]
fn a_scene_may_have_no_pins_colliders_or_wind() {
    if skip() {
        return;
    }
    for method in ["pd-jacobi-chebyshev", "pd-pcg", "xpbd"] {
        let (cpu, gpu) = (after(BARE, &CpuOnly, "cpu", method, 2), after(BARE, &AllDevices, "gpu", method, 2));
        let farthest = cpu.0.iter().zip(&gpu.0).flat_map(|(a, b)| (0..3).map(|k| (a[k] - b[k]).abs()));
        assert!(farthest.fold(0.0, f64::max) < 1e-6, "{method}");
    }
}
