//! Colliders with a distance grid do what those with a formula do.

mod support;

use pliant::contact::Collider;
use pliant::disk_cache::DiskCache;
use pliant::math::Vec3;
use pliant::mesh::{self, Mesh, generate};
use pliant::model::State;
use pliant::scene::Scene;
use pliant::step::Simulation;
use std::path::Path;
use support::*;

/// A scene with a mesh beside it, in a folder that must stay as long as the scene is read.
fn scene_with(name: &str, mesh: &Mesh, text: &str) -> (Scene, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    mesh::write(&folder.path().join(name), mesh).unwrap();
    let scene = Scene::parse(&format!("pliant = 1\n{text}"), "test", folder.path(), &[]);
    (scene.unwrap_or_else(|error| panic!("{error}")), folder)
}

/// Neither the mesh nor where it lies has any symmetry: Newton would stay on a saddle.
const CLOTH: &str = "[[cloth]]\nsize = 0.8\nresolution = 11\ntriangulation = \"delaunay\"\nthickness = \"5 mm\"\n\
                     position = [0.03, 0.35, 0.01]\n[[force]]\nkind = \"damping\"\nrate = 1\n";

/// After some steps: the mean height, m, and the distance of the nearest vertex from a ball of 0.3 m; and how deep any ever was
/// inside by its own distances, m.
fn on_the_ball(scene: &Scene, steps: usize) -> [f64; 3] {
    let mut simulation = Simulation::new(scene).unwrap();
    let mut least = f64::INFINITY;
    for _ in 0..steps {
        least = least.min(simulation.step().unwrap().certificate.min_gap);
    }
    let x = simulation.state().unwrap().x;
    let height = x.iter().map(|x| x[1]).sum::<f64>() / x.len() as f64;
    let nearest = x.iter().map(|x| Vec3::<f64>::of(*x).length() - 0.3).fold(f64::INFINITY, f64::min);
    [height, nearest, least]
}

/// The surfaces differ by what facets of this ball are off (edge²/(6 r): 0.9 mm at most) and by what a grid of 19 mm is
/// (cell²/8 · 3/r: 0.5 mm). The mean height follows that, and folds that differ: 3 mm.
#[test]
fn a_ball_of_triangles_is_a_ball() {
    let ball = generate::surface::icosphere(0.3, 4).unwrap();
    for method in ["pd-jacobi-chebyshev", "newton", "xpbd"] {
        let solver = format!("friction = 0.5\n[solver]\nmethod = \"{method}\"\nrho = 0.9\n");
        let text = format!("{CLOTH}[[collider]]\nshape = \"mesh\"\nmesh = \"ball.obj\"\ncells = 32\n{solver}");
        let (of_facets, _folder) = scene_with("ball.obj", &ball, &text);
        let [facets, facets_gap, least] = on_the_ball(&of_facets, 40);
        let text = format!("{CLOTH}[[collider]]\nshape = \"sphere\"\nradius = 0.3\n{solver}");
        let [round, round_gap, _] = on_the_ball(&scene(&text), 40);
        assert!(least > -1e-4, "{method}: {least} m inside");
        assert!((facets - round).abs() < 3e-3, "{method}: at {facets} m, on a ball at {round} m");
        assert!((facets_gap - round_gap).abs() < 1.4e-3, "{method}: {facets_gap} m above, on a ball {round_gap} m");
    }
}

#[test]
fn a_plate_of_triangles_carries_a_cloth_by_friction_along_and_around() {
    let plate = generate::surface::cuboid([1.5, 0.1, 1.5]).unwrap();
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
            let (scene, _folder) = scene_with("plate.stl", &plate, text);
            let mut simulation = Simulation::new(&scene).unwrap();
            for _ in 0..48 {
                simulation.step().unwrap();
            }
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

#[test]
fn a_cloth_comes_to_rest_in_an_armchair() {
    // The default's usual 80 iterations leave hems that stir by 1 to 3 cm/s.
    for (method, iterations) in [("pd-multigrid-chebyshev", 300), ("newton", 200), ("pd-jacobi-chebyshev", 200)] {
        let text = format!(
            "[time]\nsteps_per_frame = 2\n[[cloth]]\nsize = [0.9, 0.8]\nresolution = 13\nthickness = \"5 mm\"\n\
             position = [0, 0.75, 0.2]\n[[collider]]\nshape = \"armchair\"\ncells = 40\nfriction = 0.6\n\
             [[force]]\nkind = \"damping\"\nrate = 2\n[solver]\nmethod = \"{method}\"\niterations = {iterations}\n"
        );
        let mut simulation = Simulation::new(&scene(&text)).unwrap();
        let mut least = f64::INFINITY;
        for _ in 0..2 * 120 {
            least = least.min(simulation.step().unwrap().certificate.min_gap);
        }
        let State { x, v, .. } = simulation.state().unwrap();
        let speed = (v.iter().flatten().map(|c| c * c).sum::<f64>() / v.len() as f64).sqrt();
        // It keeps 5 mm; a short step along a normal of the grid ends a little beside the surface.
        assert!(least > -1e-3, "{method}: {least} m inside");
        assert!(speed < 0.02, "{method}: {speed} m/s after two seconds");
        let seated = x.iter().filter(|x| x[0].abs() < 0.2 && (0.0..0.3).contains(&x[2])).map(|x| x[1]);
        let (low, high) = seated.fold((f64::INFINITY, 0.0f64), |(low, high), y| (low.min(y), high.max(y)));
        assert!(low > 0.42 && high < 0.55, "{method}: the seat is at 0.42 m, the cloth at {low} to {high} m");
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
    let (scene, _folder) = scene_with("shelf.obj", &open, text);
    let error = pliant::model::Model::new(&scene).unwrap_err().to_string();
    for word in ["collider 'shelf'", "shelf.obj", "not watertight", "close the holes"] {
        assert!(error.contains(word), "{word} in {error}");
    }
    let mut shelf = generate::surface::cuboid([1.0, 0.005, 1.0]).unwrap();
    let ball = generate::surface::icosphere(0.2, 2).unwrap();
    let first = shelf.points.len() as u32;
    shelf.points.extend(&ball.points);
    shelf.triangles.extend(ball.triangles.iter().map(|t| t.map(|i| i + first)));
    let (scene, _folder) = scene_with("shelf.obj", &shelf, text);
    let warnings = build(&scene).0.warnings.clone();
    assert!(warnings.iter().any(|w| w.contains("'shelf'") && w.contains("raise its `cells`")), "{warnings:?}");
}
