//! Simulations on the GPU against the CPU in `f64`, and against themselves.

mod required;

use pliant::device::{CpuOnly, Devices};
use pliant::model::State;
use pliant::scene::Scene;
use pliant::solver::{METHODS, Needs};
use pliant::step::{Certificate, Simulation};
use pliant_gpu::{AllDevices, adapters};

fn skip() -> bool {
    required::skip_without_gpu(!adapters().is_empty())
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
[[drag]] # pinches, holds and lets go within five steps
path = [[0.02, 0.41, 0.25, 0.33], [0.04, 0.41, 0.27, 0.33], [0.06, 0.41, 0.28, 0.34]]
radius = 0.08
stiffness = 200
[[force]]
kind = 'wind'
velocity = [1, 0, 3]
[solver]
iterations = 30
rho = 0.8
";

fn after(scene: &str, devices: &impl Devices, device: [&str; 2], method: &str, steps: usize) -> (State, Certificate) {
    let keys = ["solver.method", "device.name", "device.precision"];
    let set: Vec<_> = keys.into_iter().zip([method, device[0], device[1]]).collect();
    let set: Vec<_> = set.into_iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let scene = Scene::parse(scene, "both", ".".as_ref(), &set).unwrap();
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
    for method in METHODS.iter().filter(|method| method.needs != Needs::Energy && !method.needs_cpu()) {
        let bound = if method.needs == Needs::Constraints { 1e-3 } else { 5e-5 };
        let method = method.name;
        let (cpu, exact) = after(SCENE, &CpuOnly, ["cpu", "f64"], method, 5);
        let (gpu, found) = after(SCENE, &AllDevices, ["gpu", "f32"], method, 5);
        let apart = cpu.x.as_flattened().iter().zip(gpu.x.as_flattened()).map(|(a, b)| (a - b).abs());
        let farthest = apart.fold(0.0, f64::max);
        println!("{method}: {farthest:.2e} m apart, energies {} {}", exact.energy, found.energy);
        assert!(farthest < bound, "{method}: {farthest} m apart");
        assert!((found.energy - exact.energy).abs() < 1e-3 * exact.energy, "{method}: {found:?} {exact:?}");
        // The selftest does all of them twice.
        if ["pd-jacobi-chebyshev", "pd-pcg", "xpbd"].contains(&method) {
            let (again, _) = after(SCENE, &AllDevices, ["gpu", "f32"], method, 5);
            assert_eq!(gpu.hash(), again.hash(), "{method}: another run, other bits");
        }
    }
}

/// A sheet that falls across another one, which lies on a floor and a ball.
const HEAP: &str = "
pliant = 1
[contact]
self_collision = true
[[cloth]]
size = 0.4
resolution = 15
thickness = '5 mm'
position = [0, 0.052, 0]
rotation = [0, 10, 0]
[[cloth]]
size = 0.3
resolution = 11
thickness = '5 mm'
position = [0.02, 0.06, 0.01]
rotation = [3, 40, 2]
velocity = [0.1, -0.5, 0]
[[collider]]
shape = 'half-space'
[[collider]]
shape = 'sphere'
radius = 0.05
[solver]
iterations = 30
rho = 0.8
contact_stiffness = 0.05
";

/// Contacts are the same to rounding, and as soft as the rest, so that a rounding of positions (3·10⁻⁸ m below 0.3 m) is not a
/// force of a millinewton: a step of thirty iterations, each of which rounds once or twice, ends within 2·10⁻⁶ m. After more steps
/// a contact that only one of them finds has brought them as far apart as single and double precision are on the CPU, but for
/// position-based methods, which push no farther than contacts are deep.
#[test]
fn bodies_that_touch_each_other_agree_with_the_cpu_and_with_themselves() {
    if skip() {
        return;
    }
    for method in METHODS.iter().filter(|method| method.needs != Needs::Energy && !method.needs_cpu()) {
        let steps = if method.needs == Needs::Constraints { 5 } else { 1 };
        let method = method.name;
        let (cpu, expected) = after(HEAP, &CpuOnly, ["cpu", "f32"], method, steps);
        let (gpu, found) = after(HEAP, &AllDevices, ["gpu", "f32"], method, steps);
        let apart = cpu.x.as_flattened().iter().zip(gpu.x.as_flattened()).map(|(a, b)| (a - b).abs());
        let farthest = apart.fold(0.0, f64::max);
        println!("{method}: {farthest:.2e} m apart, energies {} {}", expected.energy, found.energy);
        assert!(farthest < 2e-6 * steps as f64, "{method}: {farthest} m apart");
        assert!((found.energy - expected.energy).abs() < 1e-4 * expected.energy, "{method}: {found:?} {expected:?}");
        let [first, second] = [(); 2].map(|()| after(HEAP, &AllDevices, ["gpu", "f32"], method, 5).0.hash());
        assert_eq!(first, second, "{method}: another run, other bits");
    }
}

/// On which side pairs were belongs to the state, on every device.
#[test]
fn bodies_that_touch_go_on_from_their_state_and_sides_to_the_same_bits() {
    if skip() {
        return;
    }
    let set = [("device.name".to_string(), "gpu".to_string())];
    let scene = Scene::parse(HEAP, "heap", ".".as_ref(), &set).unwrap();
    let mut whole = Simulation::on(&AllDevices, &scene).unwrap();
    for _ in 0..6 {
        whole.step().unwrap();
    }
    let mut resumed = Simulation::on(&AllDevices, &scene).unwrap();
    resumed.set_state(&whole.state().unwrap()).unwrap();
    let sides = whole.sides().unwrap();
    assert!(sides.iter().all(|sides| sides.len() > 50), "{} {}", sides[0].len(), sides[1].len());
    resumed.set_sides(&sides);
    whole.rho().into_iter().for_each(|rho| resumed.set_rho(rho));
    for step in 0..4 {
        whole.step().unwrap();
        resumed.step().unwrap();
        assert_eq!(whole.state().unwrap().hash(), resumed.state().unwrap().hash(), "step {step}");
    }
}

/// Regression: GPUs did not know what not moving is, and accelerated solves jumped from one valley of E to another and back, at
/// several metres per second without end.
#[test]
fn a_scrambled_cloth_settles_because_steps_that_end_worse_than_not_moving_are_tried_again() {
    if skip() {
        return;
    }
    let text = "pliant = 1\ngravity = [0, 0, 0]\nseed = 5\n[[cloth]]\nsize = 0.5\nresolution = 9\nscramble = true\n\
             material = 'jersey'\n[[force]]\nkind = 'damping'\nrate = 3\n[device]\nname = 'gpu'\n[solver]\n\
             method = 'pd-gauss-seidel-chebyshev'\n";
    let scene = Scene::parse(text, "scrambled", ".".as_ref(), &[]).unwrap();
    let mut simulation = Simulation::on(&AllDevices, &scene).unwrap();
    let retries: usize = (0..150).map(|_| simulation.step().unwrap().retries).sum();
    let speed = |v: &[f64; 3]| v.iter().map(|c| c * c).sum::<f64>().sqrt();
    let fastest = simulation.state().unwrap().v.iter().map(speed).fold(0.0, f64::max);
    assert!(retries > 0 && fastest < 0.01, "{retries} tries again, {fastest:.1e} m/s");
}
