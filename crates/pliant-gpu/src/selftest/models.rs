//! The models that verbs are tried on.

use super::case::Case;
use pliant::contact::Collider;
use pliant::disk_cache::DiskCache;
use pliant::material::{
    ArapTet, ArapTriangle, Batch, CorotatedTet, CurvedBending, Elements, FungTet, LameParameters, MooneyRivlinTet,
    NeoHookeanTet, QuadraticBending, Spring, StableNeoHookeanTet, StrainLimitTet, StrainLimitTriangle, StvkTet,
    VolumeLimitTet,
};
use pliant::math::{SplitMix, Vec3};
use pliant::mesh::{Mesh, generate, topology};
use pliant::model::{Model, ModelBuilder, Pin, State};
use pliant::scene::{self, ColliderShape, Scene, Triangulation};

/// A sheet of springs with bending, as regular as it gets.
const CLOTH: &str = "
pliant = 1
[[cloth]]
size = 0.9
resolution = [43, 41]
";

/// An irregular sheet of finite elements with strain limits.
const MEMBRANE: &str = "
pliant = 1
[[cloth]]
size = 0.9
resolution = 29
triangulation = 'delaunay'
stretch = 'arap'
strain_limit = [0.95, 1.05]
";

/// Two solids, of regular and of irregular tets, with limits of strain and volume.
const SOLIDS: &str = "
pliant = 1
[[solid]]
shape = 'sphere'
radius = 0.2
edge = 0.05
strain_limit = [0.9, 1.1]
volume_limit = [0.95, 1.05]
[[solid]]
shape = 'box'
size = [0.3, 0.2, 0.2]
cells = [7, 5, 4]
material = 'gelatine'
position = [0.3, 0.1, -0.2]
";

/// Solids of every material that has no projection, one with, and a sheet.
fn materials() -> String {
    let models = ["stvk", "neo-hookean", "mooney-rivlin", "fung", "stable-neo-hookean", "corotated", "arap"];
    let mut text = "pliant = 1\n[[cloth]]\nsize = 0.5\nresolution = 9\n".to_string();
    for (k, model) in models.iter().enumerate() {
        let at = 0.12 * k as f64 - 0.36;
        text += &format!(
            "[[solid]]\nshape = 'box'\nsize = [0.1, 0.15, 0.3]\ncells = [2, 3, 4]\njitter = 0.003\nmodel = '{model}'\n\
             material = 'gelatine'\nposition = [{at}, 0, 0]\n"
        );
    }
    text
}

/// A sheet to be folded, and an irregular one that crosses it, which touch each other and themselves.
const BODIES: &str = "
pliant = 1
[[cloth]]
size = 0.4
resolution = [23, 21]
[[cloth]]
size = 0.3
resolution = 13
triangulation = 'delaunay'
stretch = 'arap'
[contact]
self_collision = true
friction = 0.4
";

fn built(text: &str) -> (Model, State) {
    let scene = Scene::parse(text, "selftest", ".".as_ref(), &[]).expect("the scenes here are sound");
    Model::new(&scene).expect("the scenes here have bodies")
}

/// Six colliders of all shapes, four of them moving and one smooth, where bodies around the origin touch them; wind; damping;
/// pins that hold, move, and pull the first body; others are free.
fn surround(model: &mut Model, x: &[[f64; 3]]) {
    let still = |shape, position| scene::Collider {
        name: String::new(),
        shape,
        position,
        rotation: [20.0, 40.0, -70.0],
        velocity: [0.0; 3],
        angular_velocity: [0.0; 3],
        moves: [0.0, f64::INFINITY],
        friction: 0.4,
    };
    let moving = |shape, position| scene::Collider {
        velocity: [0.5, 0.1, -0.7],
        angular_velocity: [10.0, 90.0, -40.0],
        ..still(shape, position)
    };
    let half_space = ColliderShape::HalfSpace { normal: [0.2, 1.0, 0.1] };
    let colliders = [
        scene::Collider { rotation: [0.0; 3], ..still(half_space, [0.0, -0.06, 0.0]) },
        scene::Collider { friction: 0.0, ..still(ColliderShape::Sphere { radius: 0.12 }, [0.2, -0.1, 0.2]) },
        moving(ColliderShape::Capsule { radius: 0.05, height: 0.3 }, [-0.25, 0.02, 0.1]),
        moving(ColliderShape::Box { size: [0.2, 0.1, 0.15] }, [0.2, -0.03, -0.25]),
        moving(ColliderShape::Cylinder { radius: 0.1, height: 0.12 }, [-0.2, -0.02, -0.25]),
        moving(ColliderShape::Armchair { width: 0.2, cells: 12 }, [0.0, -0.1, 0.0]),
    ];
    let made = |described| Collider::new(described, "".as_ref(), &DiskCache::default());
    model.colliders = colliders.iter().map(|described| made(described).expect("none is from a file")).collect();
    model.thickness.fill(5e-3);
    model.contact_stiffness = 1.0;
    model.acceleration = [0.3, -9.81, 0.1];
    model.winds = vec![([3.0, 1.0, -2.0], 2.5), ([-1.0, 0.5, 4.0], 1.0)];
    model.damping = 2.0;
    let first = model.bodies.first().map_or(0, |body| body.vertices.end);
    for i in (0..first).step_by(23).skip(1) {
        let mut pin = Pin::fixed(i as u32, x[i]);
        match i / 23 % 3 {
            0 => {}
            1 => pin.motion.velocity = [0.3, -0.2, 0.1],
            _ => {
                pin.stiffness = Some(500.0);
                pin.motion.angular_velocity = [0.0, 1.0, 2.0];
            }
        }
        model.pins.push(pin);
    }
}

fn in_surroundings(name: &str, (mut model, state): (Model, State), jitter: f64) -> Case {
    surround(&mut model, &state.x);
    Case::new(name, model, &state.x, jitter)
}

/// Everything but the largest.
pub(super) fn usual() -> Vec<Case> {
    let mut cases = vec![
        in_surroundings("cloth", built(CLOTH), 4e-3),
        in_surroundings("membrane", built(MEMBRANE), 5e-3),
        in_surroundings("shell", shell(), 5e-3),
        in_surroundings("solids", built(SOLIDS), 8e-3),
        in_surroundings("slivers", slivers(), 2e-3),
        degenerate(),
        collapsed(),
        Case::new("bare cloth", built(CLOTH).0, &built(CLOTH).1.x, 4e-3),
        Case::new("bare solids", built(SOLIDS).0, &built(SOLIDS).1.x, 8e-3),
        in_surroundings("materials", built(&materials()), 4e-3),
        Case::new("bare materials", built(&materials()).0, &built(&materials()).1.x, 4e-3),
        crushed(),
        Case::new("thin materials", thin_materials().0, &thin_materials().1.x, 2e-4),
        in_surroundings("bodies", bodies(), 2e-3).slow(),
        Case::new("bare bodies", bodies().0, &bodies().1.x, 2e-3).slow(),
    ];
    let sizes = [0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257];
    cases.extend(sizes.map(|n| in_surroundings("points", points(n), 2e-2)));
    cases.extend([0, 1, 63, 64, 65, 255, 256, 257].map(|n| {
        let (model, state) = loose_tets(n);
        Case::new("tets", model, &state.x, 1e-2)
    }));
    cases
}

/// A sheet folded on itself, 4 mm apart where 5 mm are to be kept, and one that goes through both layers. Nothing lies exactly
/// over anything, so that all precisions find the same contacts.
pub(super) fn bodies() -> (Model, State) {
    let (mut model, mut state) = built(BODIES);
    model.thickness.fill(5e-3);
    model.contact_stiffness = 0.05;
    let mut random = SplitMix(4);
    let folded = model.bodies[0].vertices.end;
    for (i, x) in state.x.iter_mut().enumerate() {
        match i < folded {
            true if x[0] > 0.0 => *x = [-0.97 * x[0], (0.4 * x[0]).min(4e-3), x[2] + 2e-3],
            true => {}
            false => *x = [x[0] - 0.1, 2e-3 + 0.03 * x[0], 0.9 * x[2]],
        }
        let by = random.point();
        (0..3).for_each(|k| x[k] += 5e-4 * by[k]);
    }
    (model, state)
}

/// A sheet of a million vertices.
pub(super) fn large() -> Case {
    let side = 1000;
    let x: Vec<[f64; 3]> =
        (0..side * side).map(|i| [(i % side) as f64 / 1e3 - 0.5, 0.0, (i / side) as f64 / 1e3 - 0.5]).collect();
    let mut builder = ModelBuilder::new("large");
    builder.add_points("large", &x, &vec![2e-7; x.len()]);
    let mut springs = Batch::<Spring<f64>, 2>::default();
    let spring = Spring { rest_length: 1e-3, stiffness: 100.0 };
    for i in 0..side * side {
        for (there, j) in [(i % side + 1 < side, i + 1), (i / side + 1 < side, i + side)] {
            if there {
                springs.push([i as u32, j as u32], spring);
            }
        }
    }
    let (mut model, state) = builder.finish();
    model.elements.push(springs.into());
    surround(&mut model, &state.x);
    Case { pairs: 3, ..Case::new("large", model, &state.x, 2e-4) }
}

/// A chain of a million vertices, folded into rows: every second vertex has a colour, and so has every second spring, so that
/// nothing takes long to colour. On each other vertex it depends how the next one is left.
pub(super) fn chain() -> Case {
    let side = 1000;
    let x: Vec<[f64; 3]> = (0..side * side)
        .map(|i| {
            let (row, along) = (i / side, i % side);
            let there = if row % 2 == 0 { along } else { side - 1 - along };
            [there as f64 / 1e3 - 0.5, 0.0, row as f64 / 1e3 - 0.5]
        })
        .collect();
    let mut builder = ModelBuilder::new("chain");
    builder.add_points("chain", &x, &vec![2e-7; x.len()]);
    let mut springs = Batch::<Spring<f64>, 2>::default();
    let spring = Spring { rest_length: 1e-3, stiffness: 100.0 };
    (1..(side * side) as u32).for_each(|i| springs.push([i - 1, i], spring));
    let (mut model, state) = builder.finish();
    model.elements.push(springs.into());
    model.acceleration = [0.3, -9.81, 0.1];
    Case { pairs: 1, ..Case::new("chain", model, &state.x, 2e-4) }
}

/// A body of `mesh` with elements that `add` puts in.
fn body(mesh: Mesh, mass: f64, add: impl FnOnce(&Mesh, &mut Vec<Elements<f64>>)) -> (Model, State) {
    let mut builder = ModelBuilder::new("selftest");
    let n = mesh.points.len();
    builder.add_points("body", &mesh.points, &vec![mass / n.max(1) as f64; n]);
    let model = builder.model();
    model.edges = topology::edges(&mesh);
    add(&mesh, &mut model.elements);
    if let Some(body) = model.bodies.last_mut() {
        body.triangles =
            if mesh.tets.is_empty() { mesh.triangles } else { topology::boundary_triangles(n, &mesh.tets) };
        body.tets = mesh.tets;
    }
    builder.finish()
}

/// An element per stencil, made from the points of the mesh.
fn each<E, const N: usize>(mesh: &Mesh, stencils: &[[u32; N]], make: impl Fn([Vec3<f64>; N]) -> E) -> Elements<f64>
where
    Elements<f64>: From<Batch<E, N>>,
{
    let mut batch = Batch::default();
    for stencil in stencils {
        batch.push(*stencil, make(stencil.map(|i| Vec3::of(mesh.points[i as usize]))));
    }
    batch.into()
}

/// A sphere that is curved at rest.
fn shell() -> (Model, State) {
    let mesh = generate::surface::icosphere(0.3, 3).expect("a sphere of 642 points can be made");
    body(mesh, 0.1, |mesh, elements| {
        let hinges = topology::hinges(mesh.points.len(), &mesh.triangles);
        elements.push(each(mesh, &hinges, |rest| CurvedBending::new(rest, 1e-3).expect("no hinge is flat")));
        elements.push(each(mesh, &mesh.triangles, |rest| ArapTriangle::new(rest, 300.0).expect("equilateral")));
    })
}

const SLIVERS: &str = "slivers are thin, not flat";

/// Tets a fiftieth as high as wide, and a sheet whose triangles are as thin.
fn slivers() -> (Model, State) {
    let mut mesh = generate::solid_box([0.5, 0.5, 0.5], [6, 6, 6]).expect("a box can be made");
    mesh.points.iter_mut().for_each(|x| x[1] *= 0.02);
    let sheet = generate::grid([0.5, 0.5], [13, 13], Triangulation::Alternating).expect("a grid can be made");
    let first = mesh.points.len() as u32;
    mesh.points.extend(sheet.points.iter().map(|x| [x[0] * 0.02 + 0.1, x[1] + 0.05, x[2]]));
    mesh.triangles = sheet.triangles.iter().map(|t| t.map(|i| i + first)).collect();
    body(mesh, 0.5, |mesh, elements| {
        let hinges = topology::hinges(mesh.points.len(), &mesh.triangles);
        let edges = topology::stencil_edges(mesh.points.len(), &mesh.triangles);
        elements.extend([
            each(mesh, &edges, |rest| Spring::new(rest, 50.0).expect(SLIVERS)),
            each(mesh, &hinges, |rest| QuadraticBending::new(rest, 1e-6).expect(SLIVERS)),
            each(mesh, &mesh.triangles, |rest| ArapTriangle::new(rest, 100.0).expect(SLIVERS)),
            each(mesh, &mesh.triangles, |rest| StrainLimitTriangle::new(rest, 1e3, [0.9, 1.1]).expect(SLIVERS)),
        ]);
        elements.extend(tets(mesh));
    })
}

fn tets(mesh: &Mesh) -> [Elements<f64>; 3] {
    [
        each(mesh, &mesh.tets, |rest| ArapTet::new(rest, 1e4).expect(SLIVERS)),
        each(mesh, &mesh.tets, |rest| StrainLimitTet::new(rest, 1e4, [0.9, 1.1]).expect(SLIVERS)),
        each(mesh, &mesh.tets, |rest| VolumeLimitTet::new(rest, 1e4, [0.95, 1.05]).expect(SLIVERS)),
    ]
}

/// Tets that are inverted, flat, folded to a line, and gone to a point; and elements without stiffness.
fn degenerate() -> Case {
    let mesh = generate::solid_box([0.4, 0.4, 0.4], [6, 6, 6]).expect("a box can be made");
    let (mut model, mut state) = body(mesh, 0.5, |mesh, elements| {
        elements.extend(tets(mesh));
        let edges = topology::edges(mesh);
        elements.push(each(mesh, &edges[..40], |rest| Spring::new(rest, 0.0).expect(SLIVERS)));
    });
    surround(&mut model, &state.x);
    for x in &mut state.x {
        match ((x[0] + 0.2) * 10.0) as usize {
            0 => x[2] = -x[2],
            1 => x[1] = 0.05,
            2 => (x[1], x[2]) = (0.01, 0.01),
            _ if x[2] < 0.0 => *x = [0.15, 0.1, -0.1],
            _ => {}
        }
    }
    Case::new("degenerate", model, &state.x, 0.0)
}

/// Materials turned inside out, flattened, crushed, and gone to a line: of every solid a slice each.
fn crushed() -> Case {
    let (model, mut state) = built(&materials());
    for body in &model.bodies[1..] {
        let centre = model.rest_x[body.vertices.start][0] + 0.05;
        for x in &mut state.x[body.vertices.clone()] {
            let layer = ((x[2] + 0.15) / 0.075).round() as usize;
            let line = if layer == 4 { centre } else { x[0] };
            *x = [line, x[1], [-0.15, -0.075, -0.12, -0.12, -0.116][layer.min(4)]];
        }
    }
    Case::new("crushed materials", model, &state.x, 0.0)
}

const LAME: LameParameters = LameParameters { mu: 1e4, lambda: 3e4 };

/// Tets of all materials without projection on the same stencils, which are dealt out to them where `each_own`.
fn of_all_materials(mesh: &Mesh, each_own: bool) -> [Elements<f64>; 6] {
    let dealt = |which: usize| -> Vec<[u32; 4]> {
        mesh.tets.iter().enumerate().filter(|(c, _)| !each_own || c % 6 == which).map(|(_, tet)| *tet).collect()
    };
    [
        each(mesh, &dealt(0), |rest| StvkTet::new(rest, LAME.into()).expect(SLIVERS)),
        each(mesh, &dealt(1), |rest| NeoHookeanTet::new(rest, LAME.into()).expect(SLIVERS)),
        each(mesh, &dealt(2), |rest| MooneyRivlinTet::new(rest, LAME.into()).expect(SLIVERS)),
        each(mesh, &dealt(3), |rest| FungTet::new(rest, LAME.into()).expect(SLIVERS)),
        each(mesh, &dealt(4), |rest| StableNeoHookeanTet::new(rest, LAME.into()).expect(SLIVERS)),
        each(mesh, &dealt(5), |rest| CorotatedTet::new(rest, LAME).expect(SLIVERS)),
    ]
}

/// Tets a fiftieth as high as wide, of all materials.
fn thin_materials() -> (Model, State) {
    let mut mesh = generate::solid_box([0.5, 0.5, 0.5], [5, 5, 5]).expect("a box can be made");
    mesh.points.iter_mut().for_each(|x| x[1] *= 0.02);
    body(mesh, 0.5, |mesh, elements| elements.extend(of_all_materials(mesh, true)))
}

/// So many tets of every material, each with points of its own: numbers of elements at the edges of workgroups.
fn loose_tets(count: usize) -> (Model, State) {
    let mut random = SplitMix(count as u64);
    let corners = [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]];
    let mut points = Vec::new();
    for _ in 0..count {
        let at = random.point();
        for corner in corners {
            let by = random.point();
            points.push(std::array::from_fn(|k| 0.3 * at[k] + corner[k] + 0.01 * by[k]));
        }
    }
    let tets = (0..count as u32).map(|c| std::array::from_fn(|k| 4 * c + k as u32)).collect();
    let mut mesh = Mesh { points, triangles: Vec::new(), tets };
    mesh.orient_tets();
    body(mesh, 0.05 * count as f64, |mesh, elements| {
        elements.extend(of_all_materials(mesh, false));
        elements.retain(|elements| !elements.is_empty());
    })
}

/// A million vertices in tets of one material, some of them held.
pub(super) fn large_tets() -> Case {
    let side = 64;
    let mut points = Vec::new();
    for i in 0..250_000 {
        let at = [i % side, i / side % side, i / side / side].map(|k| k as f64 / 64.0 - 0.5);
        points.extend([[0.0; 3], [0.01, 0.0, 0.0], [0.0, 0.01, 0.0], [0.0, 0.0, 0.01]].map(|by| {
            let point: [f64; 3] = std::array::from_fn(|k| at[k] + by[k]);
            point
        }));
    }
    let mut builder = ModelBuilder::new("large tets");
    builder.add_points("large tets", &points, &vec![2e-7; points.len()]);
    let mut tets = Batch::<NeoHookeanTet<f64>, 4>::default();
    for c in 0..points.len() / 4 {
        let stencil: [u32; 4] = std::array::from_fn(|k| (4 * c + k) as u32);
        let rest = stencil.map(|i| Vec3::of(points[i as usize]));
        tets.push(stencil, NeoHookeanTet::new(rest, LAME.into()).expect(SLIVERS));
    }
    let (mut model, state) = builder.finish();
    model.elements.push(tets.into());
    model.pins = points.iter().enumerate().skip(7).step_by(1001).map(|(i, x)| Pin::fixed(i as u32, *x)).collect();
    model.acceleration = [0.3, -9.81, 0.1];
    Case { pairs: 1, ..Case::new("large tets", model, &state.x, 1e-3) }
}

/// Springs of length zero, which have no direction of their own.
fn collapsed() -> Case {
    let mut random = SplitMix(5);
    let mut x: Vec<[f64; 3]> = (0..64).map(|_| random.point().map(|c| 0.3 * c)).collect();
    let mut builder = ModelBuilder::new("collapsed");
    builder.add_points("pairs", &x, &[1e-3; 64]);
    for i in 0..32u32 {
        // As far as a device's order goes, either end may come first.
        builder.add_spring([i, 63 - i], 10.0 + f64::from(i)).expect("the ends differ");
    }
    for i in 0..32 {
        x[63 - i] = x[i];
    }
    let (mut model, _) = builder.finish();
    model.acceleration = [0.0, -9.81, 0.0];
    Case { keeps_collapsed: true, ..Case::new("collapsed", model, &x, 0.0) }
}

/// So many points with springs between them, and a tet on each four: for sizes at the edges of workgroups.
fn points(n: usize) -> (Model, State) {
    let mut random = SplitMix(n as u64);
    let x: Vec<[f64; 3]> = (0..n).map(|_| random.point().map(|c| 0.3 * c)).collect();
    let tets = (0..n as u32 / 4).map(|c| std::array::from_fn(|k| 4 * c + k as u32)).collect();
    let mut mesh = Mesh { points: x, triangles: Vec::new(), tets };
    mesh.orient_tets();
    let springs: Vec<[u32; 2]> = (0..n as u32)
        .flat_map(|i| [1, 2, 5, 40].map(|step| [i, i + step]))
        .filter(|edge| (edge[1] as usize) < n)
        .collect();
    body(mesh, 1e-3 * n as f64, |mesh, elements| {
        elements.push(each(mesh, &springs, |rest| Spring::new(rest, 20.0).expect("points differ")));
        elements.push(each(mesh, &mesh.tets, |rest| ArapTet::new(rest, 1e3).expect("points are not in a plane")));
        elements.retain(|elements| !elements.is_empty());
    })
}
