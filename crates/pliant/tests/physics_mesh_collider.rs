//! Colliders with a distance grid do what those with a formula do.

mod support;

use pliant::contact::Collider;
use pliant::disk_cache::DiskCache;
use pliant::mesh::{self, Mesh, generate};
use pliant::model::State;
use pliant::scene::Scene;
use pliant::step::Simulation;
use std::path::Path;
use support::*;

/// A scene in a folder with these meshes.
fn scene_with(meshes: &[(&str, Mesh)], text: &str) -> Scene {
    let folder = tempfile::tempdir().unwrap();
    for (name, mesh) in meshes {
        mesh::write(&folder.path().join(name), mesh).unwrap();
    }
    let scene = Scene::parse(&format!("pliant = 1\n{text}"), "test", folder.path(), &[]);
    let scene = scene.unwrap_or_else(|error| panic!("{error}"));
    // Read before the folder goes: a simulation is made at once.
    keep(folder);
    scene
}

/// Folders are removed by the system, not by the test that still reads them.
fn keep(folder: tempfile::TempDir) {
    let _ = folder.keep();
}

const CLOTH: &str = "[[cloth]]\nsize = 0.8\nresolution = 11\nthickness = \"5 mm\"\nposition = [0, 0.35, 0]\n\
                     [[force]]\nkind = \"damping\"\nrate = 1\n";

fn heights(scene: &Scene, steps: usize) -> (Vec<f64>, f64) {
    let mut simulation = Simulation::new(scene).unwrap();
    let mut least = f64::INFINITY;
    for _ in 0..steps {
        least = least.min(simulation.step().unwrap().certificate.min_gap);
    }
    (simulation.state().unwrap().x.iter().map(|x| x[1]).collect(), least)
}

/// The surfaces differ by what facets of this ball are off (0.5 mm) and by what a grid of 19 mm is (cell²/8 · 3/r = 0.5 mm);
/// the hem, which hangs from it and swings, by a few times that.
#[test]
fn a_ball_of_triangles_is_a_ball() {
    for method in ["pd-jacobi-chebyshev", "newton", "xpbd"] {
        let solver = format!("friction = 0.5\n[solver]\nmethod = \"{method}\"\nrho = 0.9\n");
        let ball = generate::surface::icosphere(0.3, 4).unwrap();
        let text = format!("{CLOTH}[[collider]]\nshape = \"mesh\"\nmesh = \"ball.obj\"\ncells = 32\n{solver}");
        let (facets, least) = heights(&scene_with(&[("ball.obj", ball)], &text), 40);
        let text = format!("{CLOTH}[[collider]]\nshape = \"sphere\"\nradius = 0.3\n{solver}");
        let (round, _) = heights(&scene(&text), 40);
        assert!(least > -1e-4, "{method}: {least} m inside");
        let mean = |y: &[f64]| y.iter().sum::<f64>() / y.len() as f64;
        let top = |y: &[f64]| y.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b));
        assert!((mean(&facets) - mean(&round)).abs() < 3e-3, "{method}: {} {}", mean(&facets), mean(&round));
        assert!((top(&facets) - top(&round)).abs() < 1e-3, "{method}: {} {}", top(&facets), top(&round));
    }
}

#[test]
fn a_plate_of_triangles_carries_a_cloth_by_friction_along_and_around() {
    let plate = || generate::surface::cuboid([1.5, 0.1, 1.5]).unwrap();
    let mean = |state: &State| -> [f64; 3] {
        std::array::from_fn(|k| state.x.iter().map(|x| x[k]).sum::<f64>() / state.x.len() as f64)
    };
    for (method, friction) in [("pd-jacobi-chebyshev", 0.8), ("newton", 0.8), ("xpbd", 0.8), ("newton", 0.0)] {
        let text = |motion: &str, at: &str| {
            format!(
                "[[cloth]]\nsize = 0.3\nresolution = 7\nposition = [{at}, 0.0505, 0]\n[[collider]]\nshape = \"mesh\"\n\
                 mesh = \"plate.stl\"\ncells = 30\n{motion}\nmoves = [0.1, 0.6]\nfriction = {friction}\n\
                 [solver]\nmethod = \"{method}\"\nrho = 0.9"
            )
        };
        let end = |text: &str| {
            let mut simulation = Simulation::new(&scene_with(&[("plate.stl", plate())], text)).unwrap();
            (0..48).for_each(|_| drop(simulation.step().unwrap()));
            mean(&simulation.state().unwrap())
        };
        let along = end(&text("velocity = [0.4, 0, 0]", "0"));
        // Half a second at 60°/s about y: 30°.
        let around = end(&text("angular_velocity = [0, 60, 0]", "0.3"));
        let [far, x, z] = if friction > 0.0 { [0.2, 0.3 * 0.75f64.sqrt(), -0.15] } else { [0.0, 0.3, 0.0] };
        assert!((along[0] - far).abs() < 0.03, "{method} {friction}: {along:?}");
        let off = (around[0] - x).hypot(around[2] - z);
        assert!(off < 0.03, "{method} {friction}: {around:?}, expected {x} {z}");
        assert!([along, around].iter().all(|at| (0.0495..0.053).contains(&at[1])), "{method}: {along:?} {around:?}");
    }
}

/// A hundredth of its speed of impact, and slower than what counts as sticking.
#[test]
fn a_cloth_comes_to_rest_in_an_armchair() {
    for (method, iterations) in [("pd-multigrid-chebyshev", 20), ("newton", 30), ("pd-jacobi-chebyshev", 80)] {
        let text = format!(
            "[time]\nsteps_per_frame = 2\n[[cloth]]\nsize = [0.9, 1.0]\nresolution = 17\nthickness = \"5 mm\"\n\
             position = [0, 0.75, 0.25]\n[[collider]]\nshape = \"armchair\"\ncells = 40\nfriction = 0.6\n\
             [[force]]\nkind = \"damping\"\nrate = 2\n[solver]\nmethod = \"{method}\"\niterations = {iterations}\n"
        );
        let mut simulation = Simulation::new(&scene(&text)).unwrap();
        let mut least = f64::INFINITY;
        for _ in 0..2 * 120 {
            least = least.min(simulation.step().unwrap().certificate.min_gap);
        }
        let State { x, v, .. } = simulation.state().unwrap();
        let speed = (v.iter().flatten().map(|c| c * c).sum::<f64>() / v.len() as f64).sqrt();
        // A corner of a cell is not a plane: what is put onto the surface may be off by a little.
        assert!(least > -1e-3, "{method}: {least} m inside");
        assert!(speed < 0.02, "{method}: {speed} m/s after two seconds");
        let seated = x.iter().filter(|x| x[0].abs() < 0.2 && (0.0..0.3).contains(&x[2])).map(|x| x[1]);
        let (low, high) = seated.fold((f64::INFINITY, 0.0f64), |(low, high), y| (low.min(y), high.max(y)));
        assert!(low > 0.42 && high < 0.62, "{method}: the seat is at 0.42 m, the cloth at {low} to {high} m");
    }
}

#[test]
fn posing_a_solid_copies_no_grid() {
    let scene = scene("[[cloth]]\nresolution = 2\n[[collider]]\nshape = \"armchair\"\nvelocity = [1, 0, 0]\n");
    let collider = Collider::new(&scene.collider[0], Path::new(""), &DiskCache::default()).unwrap();
    let (a, b) = (collider.at::<f64>(0.1), collider.at::<f32>(0.2));
    let address = |grid: &pliant::contact::DistanceGrid| grid.values().as_ptr();
    let [first, second, third] = [a.grid().map(address), b.grid().map(address), a.cast::<f32>().grid().map(address)];
    assert!(first.is_some() && first == second && second == third);
}

#[test]
fn a_mesh_that_is_no_solid_is_refused_with_its_file_and_thin_parts_are_told() {
    let text = "[[cloth]]\nresolution = 2\n[[collider]]\nname = \"shelf\"\nshape = \"mesh\"\nmesh = \"shelf.obj\"\ncells = 12\n";
    let mut open = generate::surface::cuboid([1.0; 3]).unwrap();
    open.triangles.truncate(10);
    let scene = scene_with(&[("shelf.obj", open)], text);
    let error = pliant::model::Model::new(&scene).unwrap_err().to_string();
    for word in ["collider 'shelf'", "shelf.obj", "not watertight", "close the holes"] {
        assert!(error.contains(word), "{word} in {error}");
    }
    let mut shelf = generate::surface::cuboid([1.0, 0.005, 1.0]).unwrap();
    let ball = generate::surface::icosphere(0.2, 2).unwrap();
    let first = shelf.points.len() as u32;
    shelf.points.extend(&ball.points);
    shelf.triangles.extend(ball.triangles.iter().map(|t| t.map(|i| i + first)));
    let warnings = build(&scene_with(&[("shelf.obj", shelf)], text)).0.warnings.clone();
    assert!(warnings.iter().any(|w| w.contains("'shelf'") && w.contains("raise its `cells`")), "{warnings:?}");
}
