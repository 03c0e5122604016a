//! Looking for what is close allocates nothing from the second time on.

#[path = "support/counting.rs"]
mod counting;

use counting::{BYTES, Counting};
use pliant::contact::close::{CloseContacts, CloseLimits, ContactKind};
use pliant::model::Model;
use pliant::scene::Scene;
use std::sync::Arc;
use std::sync::atomic::Ordering;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const SCENE: &str = "
pliant = 1
[[cloth]]
name = 'lower'
shape = 'grid'
resolution = 61
thickness = '5 mm'
[[cloth]]
name = 'upper'
shape = 'grid'
resolution = 61
thickness = '5 mm'
rotation = [0, 30, 0]
position = [0, 0.004, 0]
[[solid]]
shape = 'box'
size = 0.2
cells = 4
material = 'gelatine'
position = [0.1, 0.1072, 0]
thickness = '5 mm'
";

/// rayon's queue takes a block of memory now and then, whatever the size of the work.
const QUEUE: usize = 16 * 1024;

#[test]
fn bodies_of_a_model_are_found_close_to_each_other_without_allocating() {
    let scene = Scene::parse(SCENE, "close", ".".as_ref(), &[]).unwrap();
    let (model, state) = Model::new(&scene).unwrap();
    let surface = Arc::new(model.close_surface());
    let reach = 2e-3;
    let field = |down: f32| -> Vec<[f32; 4]> {
        state.x.iter().map(|x| x.map(|c| c as f32)).map(|[x, y, z]| [x, y - down, z, 0.0]).collect()
    };
    let (start, target) = (field(0.0), field(1e-3));
    let mut finder = CloseContacts::<f32>::new(surface, CloseLimits::default());
    let found = finder.find(&start, &target, reach).len();
    assert!(found > 5000, "{found}");
    let body = |i: u32| model.bodies.iter().position(|body| body.vertices.contains(&(i as usize))).unwrap();
    let mut pairs: Vec<[usize; 2]> = finder
        .contacts()
        .iter()
        .map(|c| [body(c.stencil[0]), body(c.stencil[3])])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    assert_eq!(pairs, [[0, 1], [1, 2]], "the solid lies on the upper cloth, that one on the lower");
    assert!(finder.contacts().iter().any(|c| c.kind == ContactKind::EdgeEdge));
    let before = BYTES.load(Ordering::Relaxed);
    for _ in 0..8 {
        assert_eq!(finder.find(&start, &target, reach).len(), found);
    }
    let per_search = (BYTES.load(Ordering::Relaxed) - before) / 8;
    assert!(per_search < QUEUE, "{per_search} bytes per search");
}
