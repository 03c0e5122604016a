//! A step in steady state allocates nothing that grows with the scene.

#[path = "support/counting.rs"]
mod counting;

use counting::{BYTES, Counting};
use pliant::scene::Scene;
use pliant::step::Simulation;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const SCENE: &str = "
pliant = 1
[time]
frame_rate = 60
[[cloth]]
shape = 'grid'
resolution = 71
position = [0, 0.004, 0]
[[solid]]
shape = 'box'
size = 0.2
cells = 4
material = 'gelatine'
position = [2, 0.12, 0]
[[pin]]
body = 'cloth'
corners = ['-x-z', '+x-z']
stiffness = 1e4
[[collider]]
shape = 'half-space'
[[collider]]
shape = 'armchair'
cells = 24
position = [2, -0.4, 0]
velocity = [0.01, 0, 0]
[solver]
iterations = 12
rho = 0.9
";

/// rayon's queue takes a block of memory now and then, whatever the size of the work.
const QUEUE: usize = 16 * 1024;

const BODIES: &str = "
pliant = 1
[contact]
self_collision = true
[[cloth]]
name = 'lower'
resolution = 41
position = [0, 0.0012, 0]
[[cloth]]
resolution = 31
size = 0.6
position = [0.01, 0.0022, 0.013]
rotation = [0, 20, 0]
[[collider]]
shape = 'half-space'
[solver]
iterations = 12
rho = 0.9
";

const SOLIDS: &str = "
pliant = 1
[time]
frame_rate = 150
[contact]
self_collision = true
[[solid]]
name = 'lower'
shape = 'box'
size = 0.2
cells = 4
model = 'corotated'
youngs_modulus = 2e5
position = [0, 0.1012, 0]
[[solid]]
shape = 'box'
size = 0.2
cells = 4
model = 'corotated'
youngs_modulus = 2e5
position = [0.01, 0.3032, 0]
[[collider]]
shape = 'half-space'
[solver]
contact_stiffness = 10
";

/// The first steps make what the others use.
#[test]
fn a_step_of_linearly_implicit_euler_allocates_nothing() {
    check(SOLIDS, &["corotated-cg"]);
    check(&format!("{SOLIDS}operator = 'assembled'\n"), &["corotated-cg"]);
}

/// Newton's method makes its matrix anew when other vertices come into contact.
#[test]
fn a_step_of_bodies_in_contact_allocates_nothing() {
    check(
        BODIES,
        &["pd-jacobi-chebyshev", "pd-pcg", "pd-direct-chebyshev", "pd-multigrid-chebyshev", "pbd-jacobi", "xpbd"],
    );
}

#[test]
fn a_step_in_steady_state_allocates_nothing() {
    let methods = [
        "pd-jacobi-chebyshev",
        "pd-gauss-seidel",
        "pd-pcg",
        "pd-direct",
        "pd-direct-chebyshev",
        "pd-multigrid-chebyshev",
        "pbd-jacobi",
        "xpbd",
        "newton",
        "descent",
        "nonlinear-cg-jacobi",
        "lbfgs-jacobi",
        "nesterov-jacobi",
    ];
    check(SCENE, &methods);
}

/// Counts bytes; all tests count all, so each waits for the others.
fn check(text: &str, methods: &[&str]) {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for method in methods {
        let set = [("solver.method".to_string(), method.to_string())];
        let scene = Scene::parse(text, "steady", ".".as_ref(), &set).unwrap();
        let mut simulation = Simulation::new(&scene).unwrap();
        // Until there are no more contacts than ever before, and what pbd-jacobi turns inside out of the solid was looked at once.
        let settling = if text == SCENE { 12 } else { 30 };
        for _ in 0..settling {
            simulation.step().unwrap();
        }
        let mut touching = 0;
        let before = BYTES.load(Ordering::Relaxed);
        let steps = 12;
        for _ in 0..steps {
            let report = simulation.step().unwrap();
            assert_eq!(report.retries, 0, "{method}");
            touching += usize::from(report.certificate.min_gap < 2e-3);
        }
        assert!(touching > 0, "{method}: nothing touched the floor");
        let per_step = (BYTES.load(Ordering::Relaxed) - before) / steps;
        assert!(per_step < QUEUE, "{method}: {per_step} bytes per step");
    }
}
