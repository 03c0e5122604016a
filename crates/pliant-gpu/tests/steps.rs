//! Simulations on the GPU against the CPU in `f64`, and against themselves.

use pliant::device::{CpuOnly, Devices};
use pliant::model::State;
use pliant::scene::Scene;
use pliant::solver::{METHODS, Needs};
use pliant::step::{Certificate, Simulation};
use pliant_gpu::{AllDevices, adapters};

fn skip() -> bool {
    if !adapters().is_empty() {
        return false;
    }
    let required = ["CI", "PLIANT_REQUIRE_GPU"].into_iter().find(|name| std::env::var_os(name).is_some());
    assert!(required.is_none(), "no adapter, and {required:?} is set");
    println!("skipped: no adapter");
    true
}

const SCENE: &str = "
pliant = 1
[[cloth]]
resolution = 19
position = [0, 0.25, 0]
[[solid]]
shape = 'box'
size = 0.2
cells = 3
material = 'gelatine'
position = [2, 0.11, 0]
strain_limit = [0.8, 1.2]
volume_limit = [0.9, 1.1]
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
[[collider]]
shape = 'armchair'
size = 0.5
cells = 16
position = [2, -0.2, 0]
[[force]]
kind = 'wind'
velocity = [1, 0, 3]
[solver]
iterations = 30
rho = 0.8
";

fn after(devices: &impl Devices, device: [&str; 2], method: &str, steps: usize) -> (State, Certificate) {
    let keys = ["solver.method", "device.name", "device.precision"];
    let set: Vec<_> = keys.into_iter().zip([method, device[0], device[1]]).collect();
    let set: Vec<_> = set.into_iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let scene = Scene::parse(SCENE, "both", ".".as_ref(), &set).unwrap();
    let mut simulation = Simulation::on(devices, &scene).unwrap();
    let mut certificate = Certificate::default();
    for step in 0..steps {
        let report = simulation.step().unwrap();
        assert_eq!((report.retries, report.restarts), (0, 0), "{device:?} {method} step {step}");
        certificate = report.certificate;
    }
    (simulation.state().unwrap(), certificate)
}

/// Five steps of thirty iterations, each of which rounds positions of up to 2 m once or twice (10⁻⁷ m): 5·10⁻⁵ m. Position-
/// based methods leave vertices on surfaces, where friction takes the depth that rounding makes (10⁻⁷ m) times h²κ/m (10⁴
/// for this cloth) for a push: 10⁻³ m.
#[test]
fn simulations_agree_with_the_cpu_and_with_themselves() {
    if skip() {
        return;
    }
    for method in METHODS.iter().filter(|method| !method.needs_direct_solver()) {
        let bound = if method.needs == Needs::Constraints { 1e-3 } else { 5e-5 };
        let method = method.name;
        let (cpu, exact) = after(&CpuOnly, ["cpu", "f64"], method, 5);
        let (gpu, found) = after(&AllDevices, ["gpu", "f32"], method, 5);
        let apart = cpu.x.as_flattened().iter().zip(gpu.x.as_flattened()).map(|(a, b)| (a - b).abs());
        let farthest = apart.fold(0.0, f64::max);
        println!("{method}: {farthest:.2e} m apart, energies {} {}", exact.energy, found.energy);
        assert!(farthest < bound, "{method}: {farthest} m apart");
        assert!((found.energy - exact.energy).abs() < 1e-3 * exact.energy, "{method}: {found:?} {exact:?}");
        // The selftest does all of them twice.
        if ["pd-jacobi-chebyshev", "pd-pcg", "xpbd"].contains(&method) {
            let (again, _) = after(&AllDevices, ["gpu", "f32"], method, 5);
            assert_eq!(gpu.hash(), again.hash(), "{method}: another run, other bits");
        }
    }
}

/// A GPU refuses bodies that feel each other; where the choice is open, the CPU does it.
#[test]
fn self_collision_is_left_to_the_cpu() {
    if skip() {
        return;
    }
    let simulation = |device: &str| {
        let set = [("device.name", device), ("contact.self_collision", "true")];
        let set: Vec<_> = set.into_iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        Simulation::on(&AllDevices, &Scene::parse(SCENE, "both", ".".as_ref(), &set).unwrap())
    };
    let message = simulation("gpu").err().map(|error| error.to_string()).unwrap_or_default();
    assert!(message.contains("self-collision; use --device cpu"), "{message}");
    assert_eq!(simulation("auto").unwrap().device(), "cpu");
}
