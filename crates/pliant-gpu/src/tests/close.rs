//! Contacts between bodies against the CPU's: which ones, their normals, gaps, stiffness and friction.

use super::{BOTH, gpu};
use pliant::contact::close::{Since, Touch};
use pliant::device::{Cpu, Device};
use pliant::math::SplitMix;
use pliant::model::{Model, State, System};
use pliant::scene::Scene;
use pliant::step::step_input;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Irregular sheets that cross and lie on each other, solids that stand in them and in each other, one that is pinned, and of
/// meshes of several sizes.
const SCENE: &str = "
pliant = 1
[contact]
self_collision = true
friction = 0.4
[[cloth]]
size = 0.4
resolution = 21
triangulation = 'delaunay'
thickness = '5 mm'
[[cloth]]
size = [0.3, 0.5]
resolution = [40, 61]
triangulation = 'alternating'
thickness = '3 mm'
position = [0.02, 0.004, 0.01]
rotation = [3, 40, 2]
[[cloth]]
size = 0.2
resolution = 9
thickness = '8 mm'
position = [0, 0.1, 0]
rotation = [80, 0, 0]
[[solid]]
shape = 'sphere'
radius = 0.07
edge = '2 cm'
position = [0.08, 0.06, 0]
thickness = '2 mm'
[[solid]]
shape = 'box'
size = 0.1
cells = 3
position = [0.17, 0.07, 0.02]
rotation = [0, 20, 5]
thickness = '2 mm'
[[pin]]
body = 'cloth0'
corners = ['-x-z']
";

/// What the vertices of a contact weigh in it, without those that do not.
type Key = Vec<(u32, bool)>;

fn key(touch: &Touch<f64>) -> Key {
    let corners = touch.stencil.iter().zip(touch.weight).filter(|(_, weight)| weight.abs() > 1e-5);
    let mut key: Key = corners.map(|(&i, weight)| (i, weight > 0.0)).collect();
    key.sort_unstable();
    key
}

/// Contacts of some steps in a row, one of them tried again and one in pieces, each from places of its own.
fn contacts<D: Device>(device: &mut D, model: &Arc<Model>, state: &State) -> Vec<Vec<Touch<f64>>> {
    let h = 1.0 / 60.0;
    let system = Arc::new(System::new(model, h, h));
    let mut problem = device.upload(model, &system).unwrap();
    let [mut x, mut v] = std::array::from_fn(|_| device.points(&problem));
    device.set_sides(&Default::default());
    let steps = [Since::Step, Since::Step, Since::Retry, Since::Piece, Since::Piece, Since::Step];
    (0..)
        .zip(steps)
        .map(|(k, since)| {
            let mut random = SplitMix(40 + k);
            let mut moved = |from: &[[f64; 3]], by: f64| -> Vec<[f64; 3]> {
                let one = |x: &[f64; 3]| {
                    let point = random.point();
                    std::array::from_fn(|c| f64::from((x[c] + by * point[c]) as f32))
                };
                from.iter().map(one).collect()
            };
            device.write(&moved(&state.x, 1e-3), &mut x);
            device.write(&moved(&vec![[0.0, -0.2, 0.0]; state.x.len()], 0.4), &mut v);
            let input = pliant::device::StepInput { since, ..step_input(model, h, h) };
            device.begin_step(&mut problem, &input, &x, &v);
            device.potential(&mut problem).unwrap().touches().to_vec()
        })
        .collect()
}

/// Contacts of both searches, by who is in them. What differs in the last bits may be nearest to another triangle, or as far off
/// as is looked for, so one of a thousand may be found by one alone; all others agree to rounding. Friction is that of all that
/// presses, so a contact more or less changes it for some. On lavapipe no contact differs.
#[test]
fn contacts_are_those_of_the_cpu() {
    let scene = Scene::parse(SCENE, "close", ".".as_ref(), &[]).unwrap();
    let (model, state) = Model::new(&scene).unwrap();
    let model = Arc::new(model);
    let expected = contacts(&mut Cpu::<f32>::new(), &model, &state);
    for trust in BOTH {
        let Some(mut gpu) = gpu(trust) else { return };
        let found = contacts(&mut gpu, &model, &state);
        if trust == BOTH[0] {
            assert_eq!(found, contacts(&mut gpu, &model, &state), "another search, other contacts");
        }
        for (step, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let by_key = |touches: &[Touch<f64>]| -> BTreeMap<Key, Touch<f64>> {
                touches.iter().map(|touch| (key(touch), *touch)).collect()
            };
            let (ours, theirs) = (by_key(found), by_key(expected));
            assert!(theirs.len() > 1000, "{} contacts", theirs.len());
            let alone = theirs.keys().filter(|key| !ours.contains_key(*key)).count()
                + ours.keys().filter(|key| !theirs.contains_key(*key)).count();
            let (mut other_side, mut worst, mut rough) = (0, [0f64; 4], 0);
            let is_stiff = |touch: &Touch<f64>| touch.stiffness > 0.0;
            for (key, expected) in &theirs {
                let Some(found) = ours.get(key) else { continue };
                // Across the way at a hem, or just not: then it does nothing.
                if found.normal.dot(expected.normal) < 0.0 || is_stiff(found) != is_stiff(expected) {
                    other_side += 1;
                    continue;
                }
                let errors = [
                    (found.normal - expected.normal).length(),
                    (found.gap - expected.gap).abs(),
                    (found.anchor - expected.anchor).length(),
                    (found.stiffness - expected.stiffness).abs() / expected.stiffness.max(1e-9),
                ];
                worst = std::array::from_fn(|k| worst[k].max(errors[k]));
                rough += usize::from((found.limit - expected.limit).abs() > 0.01 * expected.limit + 1e-6);
            }
            println!(
                "step {step}: {} contacts, {alone} of one alone, {other_side} other sides or none, {worst:?}, {rough} other friction",
                theirs.len()
            );
            assert!(alone * 1000 < theirs.len() && other_side * 1000 < theirs.len(), "{alone} {other_side}");
            assert!(worst[0] < 1e-4 && worst[1] < 1e-7 && worst[2] < 1e-7 && worst[3] < 1e-5, "{worst:?}");
            assert!(rough * 100 < theirs.len(), "{rough}");
            let limit: f64 = expected.iter().map(|touch| touch.limit).sum();
            let ours: f64 = found.iter().map(|touch| touch.limit).sum();
            assert!((ours - limit).abs() < 0.01 * limit && limit > 0.0, "friction {ours} {limit}");
        }
    }
}
