//! Iterations in ghost rings are the same iterations.

use super::{BOTH, gpu};
use crate::{Cut, Gpu};
use pliant::device::{Blend, Device};
use pliant::disk_cache::DiskCache;
use pliant::model::{Model, System};
use pliant::scene::Scene;
use pliant::step::step_input;
use std::sync::Arc;

const SCENE: &str = "
pliant = 1
[[cloth]]
name = 'large'
shape = 'grid'
resolution = [29, 41]
triangulation = 'delaunay'
position = [0, 0.12, 0]
[[cloth]]
shape = 'grid'
size = 0.2
resolution = 5
position = [3, 0, 0]
[[pin]]
body = 'large'
corners = ['-x-z']
[[pin]]
body = 'large'
corners = ['+x-z']
stiffness = 1e4
[[collider]]
shape = 'sphere'
radius = 0.1
";

const BLENDS: [Blend; 13] = {
    let mut blends = [Blend { omega: 1.0, under_relaxation: 0.9 }; 13];
    let mut k = 3;
    while k < 13 {
        blends[k].omega = 1.0 + 0.07 * k as f64;
        k += 1;
    }
    blends
};

/// x and x⁻ after all blends, with or without rings.
fn swept(gpu: &mut Gpu, scene: &str, cut: Cut) -> [Vec<[f64; 3]>; 2] {
    let scene = Scene::parse(scene, "rings", ".".as_ref(), &[]).unwrap();
    let (model, state) = Model::new(&scene).unwrap();
    let model = Arc::new(model);
    let system = Arc::new(System::new(&model, 1.0 / 60.0, 1.0 / 60.0));
    let mut problem = gpu.upload(&model, &system).unwrap();
    assert!(gpu.cut(&mut problem, cut).unwrap(), "{cut:?}");
    let [mut x, mut before, v] = [(); 3].map(|()| gpu.points(&problem));
    gpu.write(&state.x, &mut x);
    gpu.begin_step(&mut problem, &step_input(&model, 1.0 / 60.0, 1.0 / 60.0), &x, &v);
    gpu.start(&problem, &mut x);
    gpu.copy(&x, &mut before);
    gpu.jacobi(&mut problem, &mut x, &mut before, &BLENDS, None);
    [x, before].map(|field| {
        let mut out = vec![[0.0; 3]; model.vertices()];
        gpu.read(&field, &mut out).unwrap();
        out
    })
}

const SOLID: &str = "
pliant = 1
[[solid]]
shape = 'sphere'
radius = 0.2
edge = 0.05
material = 'gelatine'
position = [0, 0.25, 0]
[[cloth]]
shape = 'grid'
resolution = [19, 23]
triangulation = 'delaunay'
stretch = 'arap'
strain_limit = [0.9, 1.1]
position = [2, 0.02, 0]
[[pin]]
body = 'solid'
nearest = [0, 1, 0]
[[collider]]
shape = 'sphere'
radius = 0.1
";

/// Without rows, without colliders, and with more elements around some vertices than others.
const TETS: &str = "
pliant = 1
[[solid]]
shape = 'box'
size = [0.7, 0.2, 0.3]
cells = [9, 3, 4]
material = 'rubber'
model = 'arap'
[[pin]]
nearest = [0, 1, 0]
";

#[test]
fn patches_give_the_iterates_of_single_sweeps() {
    for (trust, scene) in BOTH.into_iter().flat_map(|trust| [(trust, SOLID), (trust, TETS)]) {
        let Some(mut gpu) = gpu(trust) else { return };
        let single = swept(&mut gpu, scene, Cut::Single);
        for (patch, elements_per_invocation) in [(16, 1), (33, 2), (64, 4), (48, 40)] {
            let patches = swept(&mut gpu, scene, Cut::Patches { patch, elements_per_invocation });
            let apart = single.iter().flatten().zip(patches.iter().flatten());
            let apart = apart.flat_map(|(a, b)| (0..3).map(|k| (a[k] - b[k]).abs())).fold(0.0, f64::max);
            println!("{trust:?} patches of {patch}: {apart:e} m apart");
            assert!(apart < 13.0 * 4.0 * f64::from(f32::EPSILON), "{apart:e}");
        }
    }
}

/// Patches and rings repeat the data between them, so they may be too large where the mesh is not.
#[test]
fn cuts_that_do_not_fit_into_a_buffer_are_refused_and_are_no_fault() {
    let cuts = [
        (SOLID, Cut::Patches { patch: 16, elements_per_invocation: 2 }),
        (SCENE, Cut::Rings { patch: 32, iterations: 4 }),
    ];
    for (scene, cut) in cuts {
        let Some(mut gpu) = gpu(BOTH[0]) else { return };
        let scene = Scene::parse(scene, "rings", ".".as_ref(), &[]).unwrap();
        let model = Arc::new(Model::new(&scene).unwrap().0);
        let system = Arc::new(System::new(&model, 1.0 / 60.0, 1.0 / 60.0));
        let mut problem = gpu.upload(&model, &system).unwrap();
        gpu.limit_buffers(20_000);
        assert!(!gpu.cut(&mut problem, cut).unwrap(), "{cut:?}");
        gpu.check().unwrap();
    }
}

#[test]
fn rings_give_the_iterates_of_single_sweeps() {
    for trust in BOTH {
        let Some(mut gpu) = gpu(trust) else { return };
        let single = swept(&mut gpu, SCENE, Cut::Single);
        for (patch, iterations) in [(32, 1), (32, 2), (64, 3), (20, 4), (400, 2)] {
            let rings = swept(&mut gpu, SCENE, Cut::Rings { patch, iterations });
            let apart = single.iter().flatten().zip(rings.iter().flatten());
            let apart = apart.flat_map(|(a, b)| (0..3).map(|k| (a[k] - b[k]).abs())).fold(0.0, f64::max);
            // Compilers may fuse multiplications and additions differently: some units in the last place of a metre.
            println!("{trust:?} patches of {patch}, {iterations} iterations: {apart:e} m apart");
            assert!(apart < 13.0 * 4.0 * f64::from(f32::EPSILON), "{apart:e}");
        }
    }
}

#[test]
fn a_cut_for_other_meshes_is_refused() {
    let Some(mut gpu) = gpu(BOTH[0]) else { return };
    let (rings, patches) =
        (Cut::Rings { patch: 32, iterations: 2 }, Cut::Patches { patch: 32, elements_per_invocation: 2 });
    for (scene, fits) in [(SCENE, [true, false]), (SOLID, [false, true])] {
        let scene = Scene::parse(scene, "rings", ".".as_ref(), &[]).unwrap();
        let model = Arc::new(Model::new(&scene).unwrap().0);
        let system = Arc::new(System::new(&model, 1.0 / 60.0, 1.0 / 60.0));
        let mut problem = gpu.upload(&model, &system).unwrap();
        assert_eq!([rings, patches].map(|cut| gpu.cut(&mut problem, cut).unwrap()), fits);
        assert!(gpu.cut(&mut problem, Cut::Single).unwrap());
    }
}

/// The first step of a scene on a GPU that measures how to sweep, whatever it is: which way it took, and the key it has it under.
fn chosen(cache: &DiskCache, scene: &str) -> Option<(&'static str, u64)> {
    let mut gpu = gpu(crate::Trust::Trusted)?.with_cache(cache.clone());
    gpu.measures_cuts = true;
    let scene = Scene::parse(scene, "rings", ".".as_ref(), &[]).unwrap();
    let (model, state) = Model::new(&scene).unwrap();
    let model = Arc::new(model);
    let system = Arc::new(System::new(&model, 1.0 / 60.0, 1.0 / 60.0));
    let mut problem = gpu.upload(&model, &system).unwrap();
    let key = gpu.cut_key(&problem);
    let [mut x, mut before] = [(); 2].map(|()| gpu.points(&problem));
    gpu.write(&state.x, &mut x);
    gpu.write(&state.x, &mut before);
    gpu.jacobi(&mut problem, &mut x, &mut before, &BLENDS, None);
    gpu.finish().unwrap();
    assert!(gpu.cuts.contains_key(&key));
    Some((gpu.sweep_way(&problem), key))
}

#[test]
fn how_to_sweep_is_measured_once_and_then_known_by_mesh() {
    let folder = tempfile::tempdir().unwrap();
    let cache = DiskCache::in_folder(folder.path().to_path_buf());
    let cloth = |resolution: usize| format!("pliant = 1\n[[cloth]]\nshape = 'grid'\nresolution = {resolution}\n");
    let Some((_, key)) = chosen(&cache, &cloth(17)) else { return };
    let measured = cache.load(key).and_then(Cut::from_code).expect("what was measured is kept");
    assert!(measured == Cut::Single || Cut::candidates(17 * 17, false).contains(&measured), "{measured:?}");
    // What comes from the cache is taken for true: nobody would find this by measuring.
    let odd = Cut::Rings { patch: 20, iterations: 2 };
    assert!(!Cut::candidates(17 * 17, false).contains(&odd));
    for (cut, way) in [(odd, "rings"), (Cut::Single, "single")] {
        cache.store(key, cut.code());
        assert_eq!(chosen(&cache, &cloth(17)), Some((way, key)));
        assert_eq!(cache.load(key).and_then(Cut::from_code), Some(cut), "it was measured again");
    }
    // Another mesh, and other elements on the same one, are others.
    for other in [cloth(16), format!("{}stretch = 'arap'\n", cloth(17))] {
        let (_, own) = chosen(&cache, &other).unwrap();
        assert_ne!(own, key, "{other}");
        assert!(cache.load(own).is_some(), "{other}");
    }
}
