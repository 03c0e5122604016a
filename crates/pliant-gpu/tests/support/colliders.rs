//! Distances, normals, velocities and friction in WGSL.
//!
//! Bounds: a distance moves by as much as its point does, which rounding moves by a few ε of its distance from the centre
//! and of the collider's size. A normal may turn fast or jump (edges, axes); how much the exact one turns when the point
//! moves that much is measured.

use super::elements::EPS;
use super::random::Random;
use super::{Gpu, as_written_and_sloppy};
use pliant::contact::{self, Collider, PosedCollider, limit_slip};
use pliant::disk_cache::DiskCache;
use pliant::math::{self, Vec3};
use pliant::scene::{self, ColliderShape};

const KERNEL: &str = "
@group(0) @binding(0) var<storage, read> colliders: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> queries: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4<f32>>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if 2u * i >= arrayLength(&queries) {
        return;
    }
    let c = collider_at(u32(queries[2u * i].w));
    let x = queries[2u * i].xyz;
    let relative = queries[2u * i + 1u];
    let found = collider_distance(c, x);
    result[3u * i] = vec4<f32>(found.normal, found.d);
    result[3u * i + 1u] = vec4<f32>(collider_velocity_at(c, x), 0.0);
    result[3u * i + 2u] = vec4<f32>(limit_slip(relative.xyz, found.normal, relative.w, c.friction), 0.0);
}
";

const APPROACH: &str = "
struct Query {
    start: vec3<f32>,
    collider: f32,
    goal: vec3<f32>,
    thickness: f32,
}
@group(0) @binding(0) var<storage, read> colliders: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> queries: array<Query>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4<f32>>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if i >= arrayLength(&queries) {
        return;
    }
    let q = queries[i];
    let c = collider_at(u32(q.collider));
    let a = collider_approach(c, q.start, q.goal, q.thickness, H);
    let grip = Grip(a.anchor, 0.0, a.normal, select(-1.0, 7.0, a.face), 0.0);
    result[3u * i] = vec4<f32>(a.anchor, select(0.0, 1.0, a.comes));
    result[3u * i + 1u] = vec4<f32>(a.normal, select(0.0, 1.0, a.face));
    result[3u * i + 2u] = vec4<f32>(a.stopped, a.depth, grip_distance(grip, 7u, c, q.goal).d, select(0.0, 1.0, a.touches));
}
";

const GRIDS: &str = "const GRIDS: bool = true;\n";

/// Of a step, s.
const H: f64 = 0.015625;

fn colliders() -> Vec<PosedCollider<f64>> {
    let shapes = [
        ColliderShape::HalfSpace { normal: [1.0, 2.0, -0.5] },
        ColliderShape::Sphere { radius: 0.4 },
        ColliderShape::Sphere { radius: 1e3 },
        ColliderShape::Capsule { radius: 0.3, height: 0.8 },
        ColliderShape::Box { size: [0.6, 1.0, 0.8] },
        ColliderShape::Box { size: [2.0, 1e-3, 2.0] },
        ColliderShape::Cylinder { radius: 0.5, height: 0.3 },
        ColliderShape::Cylinder { radius: 1e-3, height: 3.0 },
        ColliderShape::Armchair { width: 0.8, cells: 16 },
    ];
    let posed = |shape, position, rotation| {
        let described = scene::Collider {
            name: String::new(),
            shape,
            position,
            rotation,
            velocity: [1.0, 0.2, -3.0],
            angular_velocity: [10.0, 90.0, -40.0],
            moves: [0.0, 2.0],
            friction: 0.5,
        };
        // Exact in f32, as the twin sees it.
        let made = Collider::new(&described, "".as_ref(), &DiskCache::default()).unwrap();
        made.after::<f32>(0.7, 0.1).cast()
    };
    let tilted = |shape: ColliderShape| posed(shape, [0.3, -0.2, 0.1], [20.0, 40.0, -70.0]);
    let still = |shape| posed(shape, [0.0; 3], [0.0; 3]);
    shapes.into_iter().flat_map(|shape| [tilted(shape.clone()), still(shape)]).collect()
}

/// The buffer of the kernels.
fn packed(colliders: &[PosedCollider<f64>]) -> Vec<[f32; 4]> {
    let (mut heads, mut grids) = (Vec::new(), Vec::new());
    for collider in colliders {
        heads.extend(collider.pack(0.0, 7 * colliders.len() + grids.len()));
        grids.extend(collider.grid().into_iter().flat_map(|grid| grid.pack()));
    }
    [heads, grids].concat()
}

/// Points around a collider, in its own frame: everywhere, on axes and planes of symmetry, tiny and far.
fn points(random: &mut Random) -> Vec<Vec3<f64>> {
    let mut out = vec![Vec3::ZERO];
    for _ in 0..100 {
        let p = random.vector();
        out.extend([p, p * 1e-6, p * 1e-12, p * 1e4]);
        out.extend([Vec3::new(p.x, 0.0, 0.0), Vec3::new(0.0, p.y, 0.0), Vec3::new(0.0, 0.0, p.z)]);
        out.extend([Vec3::new(p.x, p.y, 0.0), Vec3::new(0.3, p.y, 0.4), Vec3::new(p.x, 0.5, p.z)]);
    }
    out
}

/// Points on borders of cells and on the border of a grid, in its own frame, where gradients jump.
fn borders(collider: &PosedCollider<f64>, random: &mut Random) -> Vec<Vec3<f64>> {
    let Some(layout) = collider.grid().map(|grid| *grid.layout()) else { return Vec::new() };
    let [low, high] = [layout.point([0; 3]), layout.point(layout.counts().map(|count| count - 1))];
    let mut any = |axis: usize| 0.5 * (low[axis] + high[axis] + (high[axis] - low[axis]) * 1.1 * random.signed());
    let mut out = Vec::new();
    for k in 0..300 {
        let mut p = Vec3::new(any(0), any(1), any(2));
        let axis = k % 3;
        let at = layout.point([k % layout.counts()[0], k % layout.counts()[1], k % layout.counts()[2]]);
        p[axis] = [at[axis], low[axis], high[axis]][k / 100];
        out.push(p);
    }
    out
}

fn reach(collider: &PosedCollider<f64>, x: Vec3<f64>) -> f64 {
    let [centre, size, ..] = collider.pack(0.0, 0);
    let length = |v: [f32; 4]| Vec3::new(v[0], v[1], v[2]).cast::<f64>().length();
    (x - Vec3::new(centre[0], centre[1], centre[2]).cast()).length() + length(size)
}

/// All of it, on all adapters.
pub fn check_colliders() {
    let mut random = Random(3);
    let colliders = colliders();
    let mut queries = Vec::new();
    for (k, collider) in colliders.iter().enumerate() {
        for own in points(&mut random).into_iter().chain(borders(collider, &mut random)) {
            let (x, relative) = (collider.place(own).cast::<f32>(), (random.vector() * 1e-2).cast::<f32>());
            queries.push([x.x, x.y, x.z, k as f32]);
            queries.push([relative.x, relative.y, relative.z, (1e-2 * random.signed().abs()) as f32]);
        }
    }
    let packed = packed(&colliders);
    let inputs: [&[f32]; 2] = [bytemuck::cast_slice(&packed), bytemuck::cast_slice(&queries)];
    let sources = as_written_and_sloppy(&format!("{GRIDS}{}{}{KERNEL}", math::WGSL, contact::WGSL));
    for (gpu, source) in Gpu::all().iter().flat_map(|gpu| sources.iter().map(move |source| (gpu, source))) {
        let out = gpu.run(source, &inputs, queries.len() / 2 * 12, queries.len() / 2);
        let mut worst = [0.0f64; 4];
        for (query, out) in queries.chunks_exact(2).zip(out.chunks_exact(12)) {
            let collider = &colliders[query[0][3] as usize];
            for (worst, share) in worst.iter_mut().zip(compare(collider, query, out, &mut random)) {
                assert!(share <= 1.0, "{}: {share} of the bound at {query:?}: {out:?} of {collider:?}", gpu.name);
                *worst = worst.max(share);
            }
        }
        eprintln!("{}: distance, normal, velocity, slip {worst:.3?} of the bounds", gpu.name);
    }
}

/// Errors of distance, normal, velocity and slip in units of their bounds.
fn compare(collider: &PosedCollider<f64>, query: &[[f32; 4]], out: &[f32], random: &mut Random) -> [f64; 4] {
    let vector = |v: &[f32]| Vec3::new(v[0], v[1], v[2]).cast::<f64>();
    let x = vector(&query[0]);
    let round = 8.0 * EPS * reach(collider, x);
    let (d, normal) = collider.distance(x);
    let found = vector(out);
    let mut turns = 8.0 * EPS;
    for _ in 0..24 {
        let (_, moved) = collider.distance(x + random.vector() * round);
        turns = turns.max(2.0 * (moved - normal).length());
    }
    let velocity = collider.velocity_at(x);
    // Friction is compared at the normal that was found: its own error is checked above.
    let (relative, pushed) = (vector(&query[1]), f64::from(query[1][3]));
    let slip = limit_slip(relative, found, pushed, collider.friction);
    [
        (f64::from(out[3]) - d).abs() / round,
        (found - normal).length() / turns,
        (vector(&out[4..]) - velocity).length() / (8.0 * EPS * (velocity.length() + 4.0 * reach(collider, x))),
        (vector(&out[8..]) - slip).length() / (8.0 * EPS * (relative.length() + pushed)),
    ]
}

/// Vertices that lie on a surface, hover over it, are inside or far, and go inside, along it, around an edge or away.
fn approaches(colliders: &[PosedCollider<f64>]) -> Vec<[f32; 8]> {
    let mut random = Random(4);
    let mut out = Vec::new();
    for (k, collider) in colliders.iter().enumerate() {
        for own in points(&mut random).into_iter().filter(|own| own.length() < 10.0) {
            let thickness = [1e-3, 1e-2][out.len() % 2];
            let at = collider.place(own);
            let (d, normal) = collider.distance(at);
            let height = [0.5, 1.0, 0.0, 2.2, 30.0, -3.0][out.len() % 6] * thickness;
            // A moving surface is met where it is at the end of the step.
            let start = at + normal * (height - d) - collider.velocity_at(at) * H;
            let fall = normal * [-0.3, -3.0, -30.0, 1.0][out.len() / 6 % 4] + random.vector();
            let goal = start + collider.velocity_at(at) * H + fall * thickness;
            let [start, goal] = [start, goal].map(|x| x.cast::<f32>());
            out.push([start.x, start.y, start.z, k as f32, goal.x, goal.y, goal.z, thickness as f32]);
        }
    }
    out
}

/// Who touches a collider and how, on all adapters.
pub fn check_approaches() {
    let mut random = Random(8);
    let colliders = colliders();
    let queries = approaches(&colliders);
    let packed = packed(&colliders);
    let inputs: [&[f32]; 2] = [bytemuck::cast_slice(&packed), bytemuck::cast_slice(&queries)];
    let sources =
        as_written_and_sloppy(&format!("{GRIDS}const H: f32 = {H};{}{}{APPROACH}", math::WGSL, contact::WGSL));
    for (gpu, source) in Gpu::all().iter().flat_map(|gpu| sources.iter().map(move |source| (gpu, source))) {
        let out = gpu.run(source, &inputs, queries.len() * 12, queries.len());
        let (mut worst, mut kinds) = (0.0f64, [0; 4]);
        for (query, out) in queries.iter().zip(out.chunks_exact(12)) {
            let collider = &colliders[query[3] as usize];
            let share = compare_approach(collider, query, out, &mut random);
            assert!(share <= 1.0, "{}: {share} of the bound at {query:?}: {out:?} of {collider:?}", gpu.name);
            worst = worst.max(share);
            kinds[(out[11] + out[3] + out[7]) as usize] += 1;
        }
        eprintln!(
            "{}: approach {worst:.3} of the bounds; {kinds:?} do not touch, only lie there, come, come around an edge",
            gpu.name
        );
        assert!(kinds.iter().all(|count| *count > 50), "{kinds:?}");
    }
}

/// The error of an approach in units of its bound. Rounding is as if the points were elsewhere by a little: what was found must
/// be near to what one of many such places has, the decisions the same.
fn compare_approach(collider: &PosedCollider<f64>, query: &[f32; 8], out: &[f32], random: &mut Random) -> f64 {
    let vector = |v: &[f32]| Vec3::new(v[0], v[1], v[2]).cast::<f64>();
    let (start, goal, thickness) = (vector(query), vector(&query[4..]), f64::from(query[7]));
    let round = 12.0 * EPS * (reach(collider, start) + collider.velocity_at(start).length() * H);
    let mut least = f64::INFINITY;
    for k in 0..200 {
        let off = if k == 0 { 0.0 } else { round };
        let [start, goal] = [start, goal].map(|x| x + random.vector() * off);
        let share = match (collider.approach(start, goal, thickness, H), out[11] > 0.0) {
            (None, false) => 0.0,
            (Some(exact), true) if [exact.comes, exact.face] == [out[3], out[7]].map(|flag| flag > 0.0) => {
                let plane = exact.normal.dot(goal - exact.anchor);
                let distance = if exact.face { plane } else { collider.distance(goal).0 };
                let numbers = [(out[8], exact.stopped, 10.0), (out[9], exact.depth, 1.0), (out[10], distance, 1.0)];
                let anchor = (vector(out) - exact.anchor).length() / round;
                // A normal turns by what its point moves by over the radius below it, 1 mm at least.
                let turned = (vector(&out[4..]) - exact.normal).length() / (round / 1e-3 + 8.0 * EPS);
                let share = |(found, exact, times): (f32, f64, f64)| (f64::from(found) - exact).abs() / (times * round);
                numbers.map(share).into_iter().fold(anchor.max(turned), f64::max) / 3.0
            }
            _ => f64::INFINITY,
        };
        least = least.min(share);
        if least < 0.5 {
            break;
        }
    }
    least
}
