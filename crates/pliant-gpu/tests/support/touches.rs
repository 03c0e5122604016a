//! Contacts between bodies in WGSL. Bounds are as in `contacts.rs`.

use super::contacts::{GRIDS, check, seen, share, vector, worst_share};
use super::elements::EPS;
use super::random::Random;
use pliant::contact::{self, close};
use pliant::math::{self, Vec3};

const TOUCHES: &str = "
struct Query {
    touch: Touch,
    a: vec4<f32>,
    b: vec4<f32>,
    c: vec4<f32>,
    d: vec4<f32>,
    // Yielding, and what holds.
    pushed: vec4<f32>,
}
@group(0) @binding(0) var<storage, read> queries: array<Query>;
@group(0) @binding(1) var<storage, read_write> result: array<vec4<f32>>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&queries) {
        return;
    }
    let q = queries[id.x];
    let apart = touch_apart(q.touch, q.a.xyz, q.b.xyz, q.c.xyz, q.d.xyz);
    let felt = touch_feel(q.touch, apart);
    result[4u * id.x] = vec4(apart, touch_value(q.touch, apart));
    result[4u * id.x + 1u] = vec4(felt.force, felt.push);
    result[4u * id.x + 2u] = vec4(touch_impulse(q.touch, apart, q.pushed.x, q.pushed.yz), felt.friction);
}
";

#[derive(Debug)]
struct Case {
    touch: close::Touch<f64>,
    x: [[f64; 4]; 4],
    yielding: f64,
    hold: [f64; 2],
}

fn single(number: f64) -> f64 {
    f64::from(number as f32)
}

/// Vertices over triangles and edges over edges, deep inside, just inside and not; smooth, sticking and slipping; that do not
/// yield, and that friction does not hold.
fn cases() -> Vec<Case> {
    let mut random = Random(21);
    let mut out = Vec::new();
    for round in 0..400 {
        let mut point = || seen(random.vector());
        let x: [[f64; 4]; 4] = std::array::from_fn(|_| point().store());
        let normal = seen(point().unit_or(Vec3::axis(1)));
        let [s, t] = [0; 2].map(|_| single(random.signed().abs()));
        let first = if round % 2 == 0 { [1.0, s - 1.0, -s * t] } else { [1.0 - s, s, t - 1.0] }.map(single);
        let weight = [first[0], first[1], first[2], single(-(first[0] + first[1] + first[2]))];
        let mut touch = close::Touch {
            stencil: [0, 1, 2, 3],
            weight,
            normal,
            stiffness: [7.0, 1e4, 0.0][round % 3],
            spread: 2.0,
            sticking: single(1e-3),
            limit: [0.0, 2.0][round / 2 % 2],
            ..close::Touch::default()
        };
        let apart = touch.apart(&x);
        touch.gap = single(normal.dot(apart) + [0.1, 1e-3, -1e-3, 1e-6, -0.3][round % 5]);
        let tangent = normal.cross(random.vector()).unit_or(Vec3::ZERO);
        let slip = tangent * [0.0, 1e-4, 0.999e-3, 1.001e-3, 0.2][round / 5 % 5];
        touch.anchor = seen(apart - slip - normal * 0.01);
        let hold = [[0.0, 0.0], [0.3, 0.0], [0.0, 1e-3], [1e6, 0.0]][round % 4].map(single);
        out.push(Case { touch, x, yielding: [0.0, 0.25, 3.0][round / 3 % 3], hold });
    }
    out
}

fn compare(case: &Case, out: &[f32]) -> [(&'static str, f64); 5] {
    let Case { touch, x, yielding, hold } = case;
    let [a, b, c, d] = x.map(Vec3::load);
    let apart = touch.apart(x);
    // Each difference (½) and product (½), and two sums.
    let size = (0..3).fold(0.0, |sum, k| sum + touch.weight[k].abs() * ([a, b, c][k] - d).length());
    let off = 2.0 * EPS * size;
    // A product with a normal (2), and the difference from the gap.
    let depth = touch.gap - touch.normal.dot(apart);
    let depth_off = off + EPS * (2.5 * apart.length() + touch.gap.abs());
    // The slip as in `compare_friction`: a difference (½), its part along the normal (2½), another difference.
    let moved = (apart - touch.anchor).length();
    let slip_off = off + EPS * (4.0 * moved + touch.anchor.length());
    let (k, pushed) = (touch.stiffness, depth.max(0.0));
    let felt = touch.feel(x);
    // Friction is no steeper than its limit over the slip that sticks, and that of the slip.
    let steep = if touch.limit > 0.0 { touch.limit / touch.sticking } else { 0.0 };
    let force_off = k * depth_off + steep * slip_off + EPS * (2.0 * k * pushed + 16.0 * touch.limit);
    let value = touch.value(x);
    let value_off = k * depth_off * (pushed + depth_off) + touch.limit * slip_off + 10.0 * EPS * value;
    // The root and a division.
    let friction_off = felt.friction * (slip_off / touch.sticking + 10.0 * EPS);
    // What is just inside may be just outside.
    let push_off = if depth.abs() <= depth_off { k } else { 0.0 };
    let impulse = touch.impulse(x, *yielding, |push| hold[0] * push + hold[1]);
    let most = if *yielding > 0.0 { 1.0 / yielding } else { 0.0 };
    // A direction of the slip is as wrong as it is short; along it goes no more than the slip, nor than what holds.
    let slipped = moved.min((hold[0] * pushed) + hold[1] * yielding);
    let turned = slip_off
        / (apart - touch.anchor - touch.normal * touch.normal.dot(apart - touch.anchor)).length().max(slip_off);
    let impulse_off = most
        * ((1.0 + hold[0].min(1.0)) * depth_off
            + slip_off
            + 2.0 * slipped.min(moved) * turned
            + 16.0 * EPS * (pushed + moved));
    [
        ("apart", worst_share(vector(out), apart, Vec3::new(off, off, off))),
        ("value", share(f64::from(out[3]), value, value_off)),
        ("force", (vector(&out[4..]) - felt.force).length() / force_off.max(f64::MIN_POSITIVE)),
        (
            "push and friction",
            share(f64::from(out[7]), felt.push, push_off).max(share(f64::from(out[11]), felt.friction, friction_off)),
        ),
        ("impulse", (vector(&out[8..]) - impulse).length() / impulse_off.max(f64::MIN_POSITIVE)),
    ]
}

/// What contacts between bodies do, on all adapters.
pub fn check_touches() {
    let pack = |case: &Case| {
        let Case { touch, x, yielding, hold } = case;
        let stencil = touch.stencil.map(f32::from_bits);
        let line = |v: Vec3<f64>, w: f64| [v.x, v.y, v.z, w];
        let lines = [
            touch.weight,
            line(touch.normal, touch.gap),
            line(touch.anchor, touch.stiffness),
            [touch.limit, touch.sticking, touch.spread, 0.0],
            x[0],
            x[1],
            x[2],
            x[3],
            [*yielding, hold[0], hold[1], 0.0],
        ];
        stencil.into_iter().chain(lines.into_iter().flatten().map(|number| number as f32)).collect()
    };
    let source = [GRIDS, math::WGSL, contact::WGSL, close::TOUCH_WGSL, TOUCHES].concat();
    check(&source, &cases(), 16, pack, compare);
}
