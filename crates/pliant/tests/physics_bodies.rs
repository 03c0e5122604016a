//! Bodies stop each other and themselves, and Coulomb's law holds between them.

mod support;

use pliant::math::Vec3;
use pliant::mesh::self_intersections;
use pliant::model::{Model, State};
use pliant::scene::Scene;
use pliant::solver::METHODS;
use pliant::step::Simulation;
use std::sync::Arc;
use support::*;

const H: f64 = 1.0 / 60.0;
const ON: &str = "[contact]\nself_collision = true\n";

/// Methods of every kind.
const KINDS: [&str; 9] = [
    "pd-multigrid-chebyshev",
    "pd-jacobi-chebyshev",
    "pd-gauss-seidel-chebyshev",
    "pd-pcg",
    "pd-direct-chebyshev",
    "newton",
    "pbd-jacobi",
    "pbd-gauss-seidel",
    "xpbd",
];

fn with_method(text: &str, method: &str) -> Scene {
    let mut scene = scene(&format!("{ON}{text}"));
    scene.solver.method = method.to_string();
    scene
}

/// Pairs of triangles that cross.
fn crossings(model: &Model, state: &State) -> usize {
    let triangles: Vec<[u32; 3]> = model.surface().collect();
    self_intersections(&state.x, &triangles, 10_000).len()
}

fn speed(state: &State) -> f64 {
    let length = |v: &[f64; 3]| Vec3::<f64>::of(*v).length();
    state.v.iter().map(length).sum::<f64>() / state.v.len() as f64
}

fn middle(model: &Model, state: &State, body: usize) -> Vec3<f64> {
    let vertices = model.bodies[body].vertices.clone();
    let mass: f64 = vertices.clone().map(|i| model.mass[i]).sum();
    vertices.map(|i| Vec3::<f64>::of(state.x[i]) * (model.mass[i] / mass)).fold(Vec3::ZERO, |sum, x| sum + x)
}

/// A cloth that falls on another one, tilted against it, in the middle of its fall.
fn two_cloths(friction: f64) -> (Arc<Model>, State) {
    build(&scene(&format!(
        "{ON}friction = {friction}\n[[cloth]]\nsize = 0.5\nresolution = 8\nthickness = \"1 cm\"\nstretch_stiffness = 300\n\
         [[cloth]]\nsize = 0.4\nresolution = 7\nthickness = \"1 cm\"\nstretch_stiffness = 300\nposition = [0.03, 0.012, 0.02]\n\
         rotation = [2, 20, 1]\nvelocity = [0.4, -0.6, 0]\n[[pin]]\nbody = \"cloth0\"\ncorners = [\"-x-z\", \"+x-z\", \"-x+z\"]\n"
    )))
}

#[test]
fn every_exact_method_solves_a_step_of_two_cloths_in_contact_as_newton_does() {
    for friction in [0.0, 0.4] {
        let (model, state) = two_cloths(friction);
        let truth = newton_steps(&model, &state, H, 3);
        let mut step = Step::<f64>::new(&model, &truth, H);
        let potential = step.potential();
        let (solved, report) = newton(&model, &truth, H);
        let active = potential.touches().iter().filter(|touch| touch.clearance(&solved.x) < 0.0).count();
        assert!(report.converged && active > 20, "{active}");
        for method in METHODS.iter().filter(|method| method.minimises) {
            let mut step = Step::<f64>::new(&model, &truth, H);
            let (mut first, mut last) = (f64::NAN, f64::NAN);
            step.solve(method.name, 5_000, 1e-12, |k, energy| {
                first = if k == 0 { energy } else { first };
                last = energy;
            })
            .unwrap();
            let error = (last - report.energy) / (first - report.energy);
            println!("friction {friction} {}: {error:e}", method.name);
            let most = match method.name {
                // 5,000 iterations without momentum are not all that it takes.
                "gradient-descent" => 2e-2,
                "gradient-descent-jacobi" => 2e-3,
                // The contacts of these hold what leaves them, too, and those of direct solves along their surface.
                name if name.contains("direct") || name.contains("multigrid") => 2e-3,
                _ => 1e-5,
            };
            assert!(error.abs() < most, "{} with friction {friction}: {error:e}", method.name);
        }
    }
}

#[test]
fn a_cloth_that_falls_on_another_one_rests_on_it() {
    let text = "[[cloth]]\nsize = 0.6\nresolution = 16\nposition = [0, 0.0012, 0]\n[[cloth]]\nsize = 0.4\nresolution = 13\n\
                position = [0.01, 0.08, 0.02]\nrotation = [3, 30, 2]\n[[collider]]\nshape = \"half-space\"\n";
    for method in KINDS {
        let mut simulation = Simulation::new(&with_method(text, method)).unwrap();
        let mut retries = 0;
        for _ in 0..120 {
            retries += simulation.step().unwrap().retries;
        }
        let state = simulation.state().unwrap();
        let model = simulation.model().clone();
        let height = middle(&model, &state, 1).y;
        let (crossed, speed) = (crossings(&model, &state), speed(&state));
        println!(
            "{method}: {:.2} mm high, {crossed} crossings, {:.2} mm/s, {retries} retries",
            1e3 * height,
            1e3 * speed
        );
        assert!((height - 2e-3).abs() < 5e-4 && crossed == 0, "{method}: {height} m, {crossed} crossings");
        assert!(speed < 2e-2, "{method}: {speed} m/s");
    }
}

/// Regression: the fold pushed itself along the floor, at 4.6 m/s, because unfinished solves left a net force in every step.
///
/// Newton leaves no crossing here (from other angles it may, if fast folds meet), unfinished solves a few, and `pbd-jacobi`
/// more: 60 pairs are one in a thousand of those that would cross without contact.
#[test]
fn a_cloth_that_falls_on_its_edge_folds_and_hardly_passes_through_itself() {
    let text = "[[cloth]]\nsize = [0.3, 0.5]\nresolution = [16, 26]\nthickness = \"4 mm\"\nposition = [0, 0.28, 0]\nrotation = [84, 10, 0]\n\
                [[collider]]\nshape = \"half-space\"\nfriction = 0.5\n[time]\nsteps_per_frame = 2\n";
    for method in KINDS {
        let mut simulation = Simulation::new(&with_method(text, method)).unwrap();
        for _ in 0..180 {
            simulation.step().unwrap();
        }
        let state = simulation.state().unwrap();
        let (crossed, speed) = (crossings(simulation.model(), &state), speed(&state));
        println!("{method}: {crossed} crossings, {:.2} mm/s", 1e3 * speed);
        let most = match method {
            "newton" => 0,
            "pbd-jacobi" => 60,
            _ => 5,
        };
        assert!(crossed <= most && speed < 5e-2, "{method}: {crossed} crossings, {speed} m/s");
    }
}

#[test]
fn momentum_of_two_bodies_that_collide_is_conserved() {
    let text = "gravity = [0, 0, 0]\n[[cloth]]\nsize = 0.4\nresolution = 11\nvelocity = [0, 0.5, 0]\nstretch_stiffness = 100\n[[cloth]]\nsize = 0.3\n\
                resolution = 8\nposition = [0.02, 0.03, 0.01]\nrotation = [5, 20, 0]\nvelocity = [0.1, -1, 0]\nstretch_stiffness = 100\n";
    for method in KINDS {
        let mut scene = scene(&text.replacen("[[cloth]]", &format!("{ON}[[cloth]]"), 1));
        scene.solver.method = method.to_string();
        let mut simulation = Simulation::new(&scene).unwrap();
        let model = simulation.model().clone();
        let momentum = |state: &State| {
            (0..state.v.len()).fold(Vec3::ZERO, |sum, i| sum + Vec3::<f64>::of(state.v[i]) * model.mass[i])
        };
        let before = simulation.state().unwrap();
        let first = momentum(&before);
        for _ in 0..20 {
            simulation.step().unwrap();
        }
        let after = simulation.state().unwrap();
        let lost = (momentum(&after) - first).length();
        let scale: f64 = (0..before.v.len()).map(|i| Vec3::<f64>::of(before.v[i]).length() * model.mass[i]).sum();
        let crossed = crossings(&model, &after);
        println!("{method}: {:.4} % of the momentum, {crossed} crossings", 100.0 * lost / scale);
        assert!(lost < 1e-3 * scale && crossed == 0, "{method}: {lost} of {scale}, {crossed} crossings");
    }
}

/// How far the middle of the second body goes, m.
fn moved_in_half_a_second(text: &str, method: &str) -> Vec3<f64> {
    let mut simulation = Simulation::new(&with_method(text, method)).unwrap();
    let model = simulation.model().clone();
    let before = middle(&model, &simulation.state().unwrap(), 1);
    for _ in 0..30 {
        simulation.step().unwrap();
    }
    middle(&model, &simulation.state().unwrap(), 1) - before
}

/// How far a small cloth slides in half a second on a large one that is held, at a slope of `degrees`, m.
fn slid(degrees: f64, friction: f64, method: &str) -> f64 {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let text = format!(
        "friction = {friction}\n[[cloth]]\nname = \"slope\"\nsize = [1.6, 0.6]\nresolution = [33, 13]\nrotation = [0, 0, {}]\n\
         [[cloth]]\nsize = 0.2\nresolution = 9\nposition = {:?}\nrotation = [0, 0, {}]\n\
         [[pin]]\nbody = \"slope\"\ninside = [[-2, -2, -2], [2, 2, 2]]\n",
        -degrees,
        [0.00102 * sin - 0.4 * cos, 0.00102 * cos + 0.4 * sin, 0.013],
        -degrees
    );
    let moved = moved_in_half_a_second(&text, method);
    moved.x * cos - moved.y * sin
}

#[test]
fn a_cloth_on_a_sloping_one_slides_if_and_only_if_the_slope_is_steeper_than_friction() {
    for method in ["pd-multigrid-chebyshev", "pd-jacobi-chebyshev", "pd-pcg", "newton", "pbd-gauss-seidel", "xpbd"] {
        for (degrees, friction) in [(20.0, 0.5), (20.0, 0.2), (20.0, 0.0)] {
            let down = slid(degrees, friction, method);
            let (sin, cos) = f64::to_radians(degrees).sin_cos();
            let exact = 9.81 * (sin - friction * cos).max(0.0) * H * H * (30.0 * 31.0) / 2.0;
            println!("{method} friction {friction}: {down:.4} m, exactly {exact:.4} m");
            assert!((down - exact).abs() < 0.06 * exact + 0.002, "{method} friction {friction}: {down} m, not {exact}");
        }
    }
}

/// A block on a slab that is held, after half a second: how far it went down the slope and to the side, m.
fn block_slid(degrees: f64, friction: f64, speed: f64, method: &str) -> [f64; 2] {
    let (sin, cos) = f64::to_radians(degrees).sin_cos();
    let text = format!(
        "friction = {friction}\n[[solid]]\nname = \"slab\"\nshape = \"box\"\nsize = [1.6, 0.05, 0.5]\ncells = [32, 1, 10]\n\
         rotation = [0, 0, {}]\n[[solid]]\nname = \"block\"\nshape = \"box\"\nsize = [0.2, 0.1, 0.2]\ncells = [4, 2, 4]\n\
         material = \"rubber\"\nposition = {:?}\nrotation = [0, 0, {}]\nvelocity = [{speed}, 0, 0]\n\
         [[pin]]\nbody = \"slab\"\ninside = [[-2, -2, -2], [2, 2, 2]]\n",
        -degrees,
        [0.07605 * sin - 0.5 * cos, 0.07605 * cos + 0.5 * sin, 0.013],
        -degrees
    );
    let moved = moved_in_half_a_second(&text, method);
    [moved.x * cos - moved.y * sin, moved.z]
}

/// Regression: every edge and vertex of the slab ahead of the block stood in its way, and it slid a sixth of it, with friction
/// or without.
#[test]
fn a_block_slides_over_the_edges_of_a_slab() {
    for method in ["pd-jacobi-chebyshev", "newton", "xpbd"] {
        for (degrees, friction, speed) in [(0.0, 0.0, 1.0), (20.0, 0.0, 0.0), (20.0, 0.2, 0.0), (20.0, 0.5, 0.0)] {
            let [along, aside] = block_slid(degrees, friction, speed, method);
            let (sin, cos) = f64::to_radians(degrees).sin_cos();
            let exact = 0.5 * speed + 9.81 * (sin - friction * cos).max(0.0) * H * H * (30.0 * 31.0) / 2.0;
            // Positions creep, and a first step knows nothing of the weight above what touches.
            let creep = if method == "xpbd" { 0.006 } else { 0.003 };
            println!("{method} {degrees}° friction {friction}: {along:.4} m of {exact:.4} m, {aside:.4} m aside");
            assert!(
                (along - exact).abs() < 0.06 * exact + creep,
                "{method} {degrees}° {friction}: {along} m of {exact} m"
            );
            assert!(aside.abs() < 0.005, "{method} {degrees}° {friction}: {aside} m aside");
        }
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let text = "[[cloth]]\nresolution = 71\nsize = 0.7\nposition = [0, 0.0012, 0]\n[[cloth]]\nsize = 0.5\nresolution = 41\nposition = [0.01, 0.003, 0.02]\n\
                rotation = [0, 30, 0]\n[[collider]]\nshape = \"half-space\"\n";
    for method in ["pd-multigrid-chebyshev", "pd-jacobi-chebyshev", "pbd-jacobi"] {
        let hash = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut simulation = Simulation::new(&with_method(text, method)).unwrap();
                for _ in 0..6 {
                    simulation.step().unwrap();
                }
                simulation.state().unwrap().hash()
            })
        };
        assert_eq!(hash(1), hash(2), "{method}");
    }
}

/// Contacts remember on which side pairs were: that belongs to the state.
#[test]
fn a_simulation_goes_on_from_its_state_and_sides_to_the_same_bits() {
    let text = "[[cloth]]\nsize = [0.3, 0.5]\nresolution = [11, 18]\nthickness = \"4 mm\"\nposition = [0, 0.27, 0]\nrotation = [84, 10, 0]\n\
                [[collider]]\nshape = \"half-space\"\n";
    let scene = with_method(text, "pd-multigrid-chebyshev");
    let mut whole = Simulation::new(&scene).unwrap();
    for _ in 0..40 {
        whole.step().unwrap();
    }
    let mut resumed = Simulation::new(&scene).unwrap();
    resumed.set_state(&whole.state().unwrap()).unwrap();
    let sides = whole.sides().unwrap();
    assert!(sides[0].len() > 50 && sides[1].len() > 50);
    resumed.set_sides(&sides);
    whole.rho().into_iter().for_each(|rho| resumed.set_rho(rho));
    for _ in 0..20 {
        whole.step().unwrap();
        resumed.step().unwrap();
        assert_eq!(whole.state().unwrap().hash(), resumed.state().unwrap().hash());
    }
}

/// Regression: what had got into a solid was taken for a neighbour on the inside by the next triangle that it met, or was too
/// deep to be found at all. Two balls that hit each other stayed together and went round one another.
#[test]
fn coarse_balls_that_hit_each_other_part_again() {
    for (method, aside) in [("auto", 0.05), ("newton", 0.0), ("xpbd", 0.05)] {
        let ball = |x: f64, y: f64, v: f64| {
            format!(
                "[[solid]]\nshape = \"sphere\"\nradius = 0.1\nedge = \"5 cm\"\nposition = [{x}, {y}, 0]\nvelocity = [{v}, 0, 0]\n"
            )
        };
        let text = format!(
            "gravity = [0, 0, 0]\n{ON}[time]\nsteps_per_frame = 4\n{}{}",
            ball(-0.2, 0.0, 1.0),
            ball(0.2, aside, -0.5)
        );
        let mut scene = scene(&text);
        scene.solver.method = method.to_string();
        let mut simulation = Simulation::new(&scene).unwrap();
        let model = simulation.model().clone();
        let apart = |state: &State| (middle(&model, state, 0) - middle(&model, state, 1)).length();
        let mut nearest = f64::INFINITY;
        for _ in 0..240 {
            simulation.step().unwrap();
            nearest = nearest.min(apart(&simulation.state().unwrap()));
        }
        let state = simulation.state().unwrap();
        let (end, crossed) = (apart(&state), crossings(&model, &state));
        println!("{method}: {nearest:.4} m apart at the nearest, {end:.3} m at the end, {crossed} crossings");
        assert!(nearest > 0.17 && nearest < 0.21, "{method}: they did not hit each other, {nearest} m");
        assert!(end > 0.3 && crossed == 0, "{method}: {end} m apart, {crossed} crossings");
    }
}

/// Plates thinner than solids look for each other in depth: the far side of a plate is not the way out.
#[test]
fn thin_plates_rest_on_each_other() {
    let plate = |size: f64, y: f64, turned: f64| {
        format!(
            "[[solid]]\nshape = \"box\"\nsize = [{size}, 0.01, {size}]\nedge = \"5 cm\"\nposition = [0, {y}, 0]\n\
             rotation = [0, {turned}, 0]\n"
        )
    };
    let text = format!(
        "{ON}friction = 0.3\n[time]\nsteps_per_frame = 4\n[[collider]]\nshape = \"half-space\"\n{}{}",
        plate(0.4, 0.006, 0.0),
        plate(0.3, 0.03, 25.0)
    );
    for method in ["auto", "newton", "xpbd"] {
        let mut scene = scene(&text);
        scene.solver.method = method.to_string();
        let mut simulation = Simulation::new(&scene).unwrap();
        let model = simulation.model().clone();
        for _ in 0..100 {
            simulation.step().unwrap();
        }
        let state = simulation.state().unwrap();
        let way = middle(&model, &state, 1) - middle(&model, &state, 0);
        let (speed, crossed) = (speed(&state), crossings(&model, &state));
        println!("{method}: {:.4} m over the other, {speed:.4} m/s, {crossed} crossings", way.y);
        // A plate's height and the thickness of both, 1 mm, which contacts give in to by some tenths.
        assert!(way.y > 0.0104 && way.y < 0.0112, "{method}: {} m over the other", way.y);
        assert!(speed < 0.01 && crossed == 0, "{method}: {speed} m/s, {crossed} crossings");
    }
}
