//! Blocks of contacts, their cover, and friction in the objective, in WGSL.
//!
//! Bounds count roundings, worst case, in ε of the terms before they cancel: ½ for a sum or product, 2.5 for a division,
//! 4.5 for a square root (a reciprocal of an inverse one). What an earlier error grows to is carried along, so the bounds
//! hold on every GPU that rounds to nearest; the twin in `f64` counts as exact.

use super::elements::EPS;
use super::random::Random;
use super::{Gpu, as_written_and_sloppy};
use pliant::contact::{self, Grip, Pressing, covered, pressed, without_momentum};
use pliant::math::{self, Sym3, Vec3};

const BLOCKS: &str = "
struct Query {
    any: array<vec4<f32>, 2>,
    found: array<vec4<f32>, 2>,
    had: array<vec4<f32>, 2>,
    definite: array<vec4<f32>, 2>,
    plain: vec4<f32>,
    next: vec4<f32>,
}
@group(0) @binding(0) var<storage, read> queries: array<Query>;
@group(0) @binding(1) var<storage, read_write> result: array<vec4<f32>>;
fn block(lines: array<vec4<f32>, 2>) -> Sym3 {
    return Sym3(lines[0].xyz, lines[1].xyz);
}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&queries) {
        return;
    }
    let q = queries[id.x];
    let any = block(q.any);
    let square = sym_square(q.plain.xyz);
    let cover = covered(block(q.found), block(q.had));
    let out = 7u * id.x;
    result[out] = vec4(square.diagonal, sym_trace(any));
    result[out + 1u] = vec4(square.off, sym_bound(any));
    result[out + 2u] = vec4(sym_times(any, q.plain.xyz), 0.0);
    result[out + 3u] = vec4(sym_solve(block(q.definite), q.plain.xyz), 0.0);
    result[out + 4u] = vec4(cover.diagonal, 0.0);
    result[out + 5u] = vec4(cover.off, 0.0);
    result[out + 6u] = vec4(without_momentum(block(q.found), q.plain.xyz, q.next.xyz), 0.0);
}
";

/// What the formulas of colliders ask for.
pub(super) const GRIDS: &str = "
const GRIDS: bool = false;
@group(0) @binding(2) var<storage, read> colliders: array<vec4<f32>>;
";

const FRICTION: &str = "
struct Query {
    grip: Grip,
    x: vec3<f32>,
}
@group(0) @binding(0) var<storage, read> queries: array<Query>;
@group(0) @binding(1) var<storage, read_write> result: array<vec4<f32>>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&queries) {
        return;
    }
    let q = queries[id.x];
    let slip = grip_slip(q.grip, q.x);
    result[2u * id.x] = vec4(slip, grip_value(q.grip, q.x));
    result[2u * id.x + 1u] = vec4(grip_stiffness(q.grip, slip), 0.0, 0.0, 0.0);
}
";

/// Three colliders; the first is asked for.
const PRESSING: &str = "
struct Query {
    all: array<vec4<f32>, 27>,
}
@group(0) @binding(0) var<storage, read> queries: array<Query>;
@group(0) @binding(1) var<storage, read_write> result: array<vec4<f32>>;
fn pressing_of(q: Query, k: u32) -> Pressing {
    let at = 9u * k;
    let first = q.all[at];
    let spread = Sym3(q.all[at + 6u].xyz, q.all[at + 7u].xyz);
    let whole = q.all[at + 8u];
    return Pressing(first.x, first.y, first.z, q.all[at + 1u].xyz, q.all[at + 2u].xyz, q.all[at + 3u].xyz,
        q.all[at + 4u].xyz, q.all[at + 5u].xyz, spread, whole.xyz, whole.w);
}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&queries) {
        return;
    }
    let q = queries[id.x];
    let own = pressing_of(q, 0u);
    var shares: Share;
    for (var k = 0u; k < 3u; k++) {
        shares = share_sum(shares, pressing_share(pressing_of(q, k), pressing_direction(own)));
    }
    let found = pressed_by(own, shares, q.all[0].w > 0.0);
    result[2u * id.x] = vec4(found.tilt, found.by);
    result[2u * id.x + 1u] = vec4(found.centre, pressed_at(found, vec3(0.3, -0.2, 0.1), 0.01));
}
";

/// Exact in f32, as the twin sees it.
pub(super) fn seen(v: Vec3<f64>) -> Vec3<f64> {
    v.cast::<f32>().cast()
}

fn seen_block(m: Sym3<f64>) -> Sym3<f64> {
    Sym3 { diagonal: seen(m.diagonal), off: seen(m.off) }
}

fn absolute(v: Vec3<f64>) -> Vec3<f64> {
    Vec3::new(v.x.abs(), v.y.abs(), v.z.abs())
}

fn absolute_block(m: Sym3<f64>) -> Sym3<f64> {
    Sym3 { diagonal: absolute(m.diagonal), off: absolute(m.off) }
}

pub(super) fn vector(words: &[f32]) -> Vec3<f64> {
    Vec3::new(words[0], words[1], words[2]).cast()
}

/// An error in units of its bound; where nothing may round, any error is too much, and so is what is no number.
pub(super) fn share(found: f64, exact: f64, bound: f64) -> f64 {
    let error = (found - exact).abs();
    match (error == 0.0, error.is_nan()) {
        (true, _) => 0.0,
        (_, true) => f64::INFINITY,
        _ => error / bound,
    }
}

fn worst_share_of_block(words: &[f32], exact: Sym3<f64>, bound: Sym3<f64>) -> f64 {
    let diagonal = worst_share(vector(words), exact.diagonal, bound.diagonal);
    diagonal.max(worst_share(vector(&words[4..]), exact.off, bound.off))
}

pub(super) fn worst_share(found: Vec3<f64>, exact: Vec3<f64>, bound: Vec3<f64>) -> f64 {
    (0..3).map(|k| share(found[k], exact[k], bound[k])).fold(0.0, f64::max)
}

/// Runs a kernel for all cases on all adapters and compares what it writes, `words` numbers for each.
pub(super) fn check<Case: std::fmt::Debug, const N: usize>(
    source: &str,
    cases: &[Case],
    words: usize,
    pack: impl Fn(&Case) -> Vec<f32>,
    compare: impl Fn(&Case, &[f32]) -> [(&'static str, f64); N],
) {
    let packed: Vec<f32> = cases.iter().flat_map(pack).collect();
    for (gpu, source) in Gpu::all().iter().flat_map(|gpu| as_written_and_sloppy(source).map(|source| (gpu, source))) {
        let out = gpu.run(&source, &[&packed], cases.len() * words, cases.len());
        let mut worst = [("", 0.0f64); N];
        for (case, out) in cases.iter().zip(out.chunks_exact(words)) {
            for (worst, (what, share)) in worst.iter_mut().zip(compare(case, out)) {
                assert!(share <= 1.0, "{}: {what} {share} of the bound at {case:?}: {out:?}", gpu.name);
                *worst = (what, worst.1.max(share));
            }
        }
        eprintln!("{}: {worst:.3?} of the bounds", gpu.name);
    }
}

#[derive(Debug)]
struct BlockCase {
    /// Of any signs.
    any: Sym3<f64>,
    found: Sym3<f64>,
    had: Sym3<f64>,
    definite: Sym3<f64>,
    plain: Vec3<f64>,
    next: Vec3<f64>,
}

/// Two normals: orthogonal ones, one a thousandth of a radian from the other, any two, axes.
fn normals(random: &mut Random) -> [[Vec3<f64>; 2]; 4] {
    let turn = random.rotation();
    let [a, b] = [0, 1].map(|axis| turn * Vec3::axis(axis));
    let any = [0; 2].map(|_| random.vector().unit_or(Vec3::axis(2)));
    [[a, b], [a, (a + b * 1e-3).unit_or(a)], any, [Vec3::axis(1), Vec3::axis(0)]].map(|pair| pair.map(seen))
}

/// Pushes of both normals, of one, of none; friction from none to a hundred times as stiff; what was there before the same,
/// softer, stiffer, turned, nothing.
fn block_cases() -> Vec<BlockCase> {
    let mut random = Random(5);
    let mut out = Vec::new();
    for round in 0..24 {
        let scale = [1.0, 1e-3, 1e4][round % 3];
        for [a, b] in normals(&mut random) {
            let push = |normal: Vec3<f64>, stiffness: f64| Sym3::square(normal) * (stiffness * scale);
            let blocks =
                [Sym3::ZERO, push(a, 1.0), push(b, 1.0), push(a, 1.0) + push(b, 1.0), push(a, 1e-2), push(b, 1e2)];
            let blocks = blocks.map(seen_block);
            for (found, had) in blocks.iter().flat_map(|found| blocks.iter().map(move |had| (*found, *had))) {
                let grip = Grip { normal: a, ..Grip::NONE };
                let held = [0.0, 1e-2, 1.0, 1e2][out.len() % 4] * scale;
                let rest = [1.0, 0.1][out.len() / 4 % 2] * scale;
                let definite = seen_block(found + grip.along(held) + Sym3::scalar(rest));
                let any = seen_block(Sym3 { diagonal: random.vector() * scale, off: random.vector() * scale });
                let plain = if out.len() % 50 == 7 { Vec3::ZERO } else { seen(random.vector()) };
                let far = [0.0, 1e-5, 1.0][out.len() % 3];
                let next = seen(plain + random.vector() * far);
                out.push(BlockCase { any, found, had, definite, plain, next });
            }
        }
    }
    out
}

/// m⁻¹ v by L D Lᵀ, and how far rounding moves it: |m⁻¹| |L| D |Lᵀ| |x| times 3n + 1 roundings of ½ (Higham 2002, "Accuracy
/// and stability of numerical algorithms", §10.1), which is 5, and 2 more for each of the two divisions on the way to an
/// entry, which WGSL may round to 2.5.
fn solved(m: Sym3<f64>, v: Vec3<f64>) -> (Vec3<f64>, Vec3<f64>) {
    let (d, o) = (m.diagonal, m.off);
    let (l_z, l_y) = (o.z / d.x, o.y / d.x);
    let d_y = d.y - l_z * o.z;
    let l_x = (o.x - l_y * o.z) / d_y;
    let d_z = d.z - l_y * o.y - l_x * (o.x - l_y * o.z);
    let column = |x: f64, y: f64, z: f64, d: f64| Sym3::square(absolute(Vec3::new(x, y, z))) * d;
    let terms = column(1.0, l_z, l_y, d.x) + column(0.0, 1.0, l_x, d_y) + column(0.0, 0.0, 1.0, d_z);
    let inverse = absolute_block(m.inverse());
    let lost = 9.0 * EPS * terms.bound() * inverse.bound();
    assert!(lost < 0.1, "a sample should leave something to compare: {m:?}");
    let exact = m.solve(v);
    (exact, inverse.times(terms.times(absolute(exact))) * (9.0 * EPS / (1.0 - lost)))
}

fn compare_blocks(case: &BlockCase, out: &[f32]) -> [(&'static str, f64); 7] {
    let BlockCase { any, found, had, definite, plain, next } = *case;
    let number = |at: usize| f64::from(out[at]);
    let square = Sym3::square(plain);
    // One product.
    let square_bound = absolute_block(square) * (0.5 * EPS);
    let size = absolute_block(any);
    let (solution, solution_bound) = solved(definite, plain);
    // What is found: a trace (1), its share (½ for the number, ½ for the product) and a sum (½) make 2.5, the sum with the
    // rest 3. What is kept of the rest: two traces (3.5 and 1), a division and a difference (½) make 7.5 of at most 1, a
    // product and a sum 8.5.
    let cover = covered(found, had);
    let now = absolute_block(covered(found, Sym3::ZERO));
    let cover_bound = (now * 3.0 + absolute_block(had) * 8.5) * EPS;
    // A difference (½), a product with two sums (1.5), a division by two sums (3.5); then a difference with `next`.
    let kept = without_momentum(found, plain, next);
    let stiffness = found.bound().max(f64::MIN_POSITIVE);
    let taken = absolute_block(found).times(absolute(next - plain)) / stiffness;
    let kept_bound = (taken * 6.0 + absolute(kept) * 0.5) * EPS;
    [
        ("square", worst_share_of_block(out, square, square_bound)),
        // Two sums each, and a product.
        ("trace", share(number(3), any.trace(), EPS * size.trace())),
        ("bound", share(number(7), any.bound(), EPS * any.bound())),
        ("times", worst_share(vector(&out[8..]), any.times(plain), size.times(absolute(plain)) * (1.5 * EPS))),
        ("solve", worst_share(vector(&out[12..]), solution, solution_bound)),
        ("covered", worst_share_of_block(&out[16..], cover, cover_bound)),
        ("without_momentum", worst_share(vector(&out[24..]), kept, kept_bound)),
    ]
}

/// Blocks and what covers them, on all adapters.
pub fn check_blocks() {
    let pack = |case: &BlockCase| {
        let BlockCase { any, found, had, definite, plain, next } = case;
        let blocks = [any, found, had, definite].into_iter().flat_map(|m| [m.diagonal, m.off]);
        blocks.chain([*plain, *next]).flat_map(|v| v.cast::<f32>().store()).collect()
    };
    let source = [math::SYM3_WGSL, contact::COVER_WGSL, BLOCKS].concat();
    check(&source, &block_cases(), 28, pack, compare_blocks);
}

#[derive(Debug)]
struct FrictionCase {
    grip: Grip<f64>,
    x: Vec3<f64>,
}

/// Slips of none, at the threshold, just below and above it, far below, far above; with and without motion along the normal.
fn friction_cases() -> Vec<FrictionCase> {
    let mut random = Random(6);
    let mut out = Vec::new();
    let mut add = |normal: Vec3<f64>, anchor: Vec3<f64>, moved: Vec3<f64>, sticking: f64| {
        let k = out.len();
        let limit = f64::from([2.5f32, 0.0, 1e-4, 1e3, 0.3][k % 5]);
        let (anchor, normal) = (seen(anchor), seen(normal));
        let x = if moved == Vec3::ZERO { anchor } else { seen(anchor + moved) };
        out.push(FrictionCase { grip: Grip { anchor, normal, limit, sticking, comes: true, face: None }, x });
    };
    let unit = 2f64.powi(-20);
    for ulp in [-1.0, 0.0, 1.0] {
        let sticking = 5.0 * unit * (1.0 + ulp * EPS);
        for normal in [Vec3::axis(1), -Vec3::axis(1)] {
            for along in [0.0, 7.0 * unit, -1024.0 * unit] {
                // ‖u‖ is 5 units, and nothing rounds.
                add(normal, Vec3::ZERO, Vec3::new(3.0 * unit, along, -4.0 * unit), sticking);
            }
        }
    }
    for _ in 0..60 {
        let sticking = f64::from((1e-5 * 10f64.powf(random.signed())) as f32);
        let normal = random.vector().unit_or(Vec3::axis(1));
        let tangent = normal.cross(random.vector()).unit_or(Vec3::ZERO);
        let near = [0.0, 1e-6, 1e-3, 0.5, 0.99, 1.0 - 1e-6, 1.0, 1.0 + 1e-6, 1.01, 2.0, 1e3];
        for (slip, along) in near.into_iter().flat_map(|slip| [0.0, 1.0, -1e3].map(|along| (slip, along))) {
            let moved = tangent * (slip * sticking) + normal * (along * sticking);
            add(normal, Vec3::ZERO, moved, sticking);
            add(normal, random.vector(), moved, sticking);
        }
        add(Vec3::ZERO, random.vector(), random.vector(), sticking);
    }
    out
}

fn compare_friction(case: &FrictionCase, out: &[f32]) -> [(&'static str, f64); 3] {
    let FrictionCase { grip, x } = *case;
    let sticking = grip.sticking;
    let (scaled, by) = Grip { limit: 1.0, ..grip }.gradient(x);
    let slip = scaled / by;
    // A difference (½), its part along the normal with two products and two sums (2, and ½ of the difference), another
    // difference.
    let moved = absolute(x - grip.anchor);
    let normal = absolute(grip.normal);
    let slip_bound = (moved * 0.5 + normal * (2.5 * moved.dot(normal)) + absolute(slip) * 0.5) * EPS;
    // Half of the products and two sums below the root (¾), and the root.
    let u = slip.length();
    let u_error = slip_bound.length() + 5.25 * EPS * u;
    // The longer of two lengths is wrong by no more than they are; then a division.
    let (_, stiffness) = grip.gradient(x);
    let stiffness_bound = stiffness * (u_error / (u.max(sticking) - u_error) + 2.5 * EPS);
    // No steeper than u/ε and 1 along u; then two products and a division.
    let value = grip.value(x);
    let value_bound = grip.limit * u_error * ((u + u_error) / sticking).min(1.0) + 3.5 * EPS * value;
    [
        ("slip", worst_share(vector(out), slip, slip_bound)),
        ("value", share(f64::from(out[3]), value, value_bound)),
        ("stiffness", share(f64::from(out[4]), stiffness, stiffness_bound)),
    ]
}

/// Friction as an energy, on all adapters.
pub fn check_friction() {
    let pack = |case: &FrictionCase| {
        let FrictionCase { grip, x } = case;
        let sticking = Vec3::new(grip.sticking, 0.0, 0.0);
        let lines = [(grip.anchor, grip.limit), (grip.normal, -1.0), (sticking, 0.0), (*x, 0.0)];
        lines.into_iter().flat_map(|(v, w)| [v.x, v.y, v.z, w]).map(|number| number as f32).collect()
    };
    let source = [GRIDS, math::WGSL, contact::WGSL, FRICTION].concat();
    check(&source, &friction_cases(), 8, pack, compare_friction);
}

#[derive(Debug)]
struct PressingCase {
    all: [Pressing<f64>; 3],
    is_held: bool,
}

/// Colliders on one side, on both, beside, with normals that cancel and with none that touches.
fn pressing_cases() -> Vec<PressingCase> {
    let mut random = Random(9);
    let mut one = |k: usize| {
        let normal = random.vector().unit_or(Vec3::axis(1)) * [1.0, 0.6, 0.02, 1.0][k % 4];
        let mut positive = |most: f64| most * random.signed().abs();
        let [inertia, stopped, contact] = [positive(100.0) + 1.0, positive(3.0), positive([5.0, 200.0][k / 4 % 2])];
        let side = seen(normal * inertia);
        let (whole, whole_place) = (f64::from(f32::from(k as u8)) + 200.0, seen(random.vector() * 100.0));
        if k.is_multiple_of(7) {
            return Pressing { motion: seen(random.vector() * 10.0), whole, whole_place, ..Pressing::default() };
        }
        let [contact, stopped, inertia] = [contact, stopped, inertia].map(|number| f64::from(number as f32));
        let stopping = seen(normal * stopped + random.vector() * 0.1);
        let motion = seen(random.vector() * 10.0 + normal * 10.0);
        // Five vertices, sometimes nearly in a line.
        let (mut place, mut stopped_place, mut spread) = (Vec3::ZERO, Vec3::ZERO, Sym3::ZERO);
        let thin = random.vector() * if k.is_multiple_of(3) { 0.05 } else { 1.0 };
        for at in [-1.0, -0.5, 0.0, 0.7, 1.2] {
            let x = thin * at + random.vector() * [1.0, 0.05][k % 2];
            (place, stopped_place) = (place + x * (inertia / 5.0), stopped_place + x * (stopped / 5.0));
            spread = spread + Sym3::square(x) * (inertia / 5.0);
        }
        let (place, stopped_place, spread) = (seen(place), seen(stopped_place), seen_block(spread));
        Pressing { contact, stopping, stopped, side, inertia, motion, place, stopped_place, spread, whole_place, whole }
    };
    let mut case = |k: usize| {
        let mut all = [one(k), one(k / 2 + 1), one(k / 3 + 2)];
        // A second floor beside the first, and a lid on it.
        match k % 5 {
            0 => all[1].side = seen(all[0].side * 0.7),
            1 => all[2].side = seen(all[0].side * -0.9),
            _ => {}
        }
        PressingCase { all, is_held: k.is_multiple_of(11) }
    };
    (0..3000).map(&mut case).collect()
}

fn compare_pressing(case: &PressingCase, out: &[f32]) -> [(&'static str, f64); 3] {
    let [own, ..] = case.all;
    let pressed = pressed(&case.all, 0, case.is_held);
    let exact = pressed.by;
    // Of the forces: the direction (a root, a division: 8), a product with it (2) and the sums (2). Of the inertia that divides
    // the same. What it divides is the motion, what stops it and what is pushed with; contact forces count twice.
    let sum = |of: &dyn Fn(&Pressing<f64>) -> f64| case.all.iter().map(of).sum::<f64>();
    let forces = own.motion.length() + sum(&|p| p.stopping.length() + p.contact);
    let side = own.side.length().max(f64::MIN_POSITIVE);
    let by_motion = 12.0 * forces / side * (1.0 + sum(&|p| p.side.length()) / side);
    let by_contact = 2.0 * 4.0 * (own.contact + own.stopped) / own.inertia.max(f64::MIN_POSITIVE);
    let bound = EPS * if own.inertia > 0.0 { by_motion.max(by_contact) } else { 0.0 };
    // The direction across is a root and two products (12); the spread is a difference of squares, 16 roundings of which the
    // tilt is divided by; and what it divides is a sum of moments, 16 of each. It is never more than the mean over the width.
    let inertia = own.inertia.max(f64::MIN_POSITIVE);
    let across = own.side.cross(own.motion);
    let turned = 16.0 * EPS * own.side.length() * own.motion.length() / across.length().max(f64::MIN_POSITIVE);
    let across = across.unit_or(Vec3::ZERO);
    let squares = own.spread.trace() + own.place.length_sq() / inertia;
    let spread = (across.dot(own.spread.times(across)) - across.dot(own.place).powi(2) / inertia).max(1e-4 * squares);
    let force = own.stopped + exact * own.inertia;
    let force_bound = bound * own.inertia + 4.0 * EPS * force;
    let moments =
        own.whole_place.length() / own.whole * force + own.stopped_place.length() + own.place.length() * exact;
    let moment_bound = (16.0 * EPS + turned) * moments
        + force_bound * own.whole_place.length() / own.whole
        + bound * own.place.length();
    let spread_error = (16.0 * EPS + 2.0 * turned) * squares / spread;
    let tilt = pressed.tilt.length();
    // How much it slides is a quotient of two products with the direction.
    let pressing = own.side.unit_or(Vec3::ZERO).dot(own.motion).abs().max(f64::MIN_POSITIVE);
    let slides = turned + 16.0 * EPS * own.motion.length() / pressing;
    let tilt_bound =
        moment_bound / spread + (spread_error + turned + slides) * (tilt + moments / spread) + 8.0 * EPS * tilt;
    let tilt_bound = if pressed.tilt == Vec3::ZERO && own.inertia == 0.0 { 0.0 } else { tilt_bound };
    let tilt_error = (vector(out) - pressed.tilt).length();
    let x = Vec3::new(0.3, -0.2, 0.1);
    let centre_bound = 4.0 * EPS * pressed.centre.length();
    let far = (x - pressed.centre).length();
    let at_bound = bound + tilt_bound * far + pressed.tilt.length() * centre_bound + 8.0 * EPS * (exact + 0.01);
    [
        ("pressed", share(f64::from(out[3]), exact, bound)),
        ("tilt", share(tilt_error, 0.0, tilt_bound)),
        ("pressed at", share(f64::from(out[7]), pressed.at(x, 0.01), at_bound)),
    ]
}

/// How hard bodies press, on all adapters.
pub fn check_pressing() {
    let cases = pressing_cases();
    let count = |is: &dyn Fn(&PressingCase) -> bool| cases.iter().filter(|case| is(case)).count();
    let pressing = count(&|case| pressed(&case.all, 0, case.is_held).by > 0.0);
    let by_balance = count(&|case| pressed(&case.all, 0, case.is_held).by != pressed(&case.all[..1], 0, true).by);
    let tilted = count(&|case| pressed(&case.all, 0, case.is_held).tilt != Vec3::ZERO);
    assert!(pressing > 500 && by_balance > 500 && tilted > 100, "{pressing} {by_balance} {tilted}");
    let pack = |case: &PressingCase| {
        let lines = case.all.iter().flat_map(|p| {
            let first = [p.contact, p.stopped, p.inertia, f64::from(u8::from(case.is_held))];
            let vectors = [p.stopping, p.side, p.motion, p.place, p.stopped_place].map(|v| [v.x, v.y, v.z, 0.0]);
            let [xx, yy, zz] = p.spread.diagonal.f64();
            let [yz, xz, xy] = p.spread.off.f64();
            let [x, y, z] = p.whole_place.f64();
            let last = [[xx, yy, zz, 0.0], [yz, xz, xy, 0.0], [x, y, z, p.whole]];
            [first].into_iter().chain(vectors).chain(last)
        });
        lines.flatten().map(|number| number as f32).collect()
    };
    let source = [math::WGSL, math::SYM3_WGSL, contact::PRESSING_WGSL, PRESSING].concat();
    check(&source, &cases, 8, pack, compare_pressing);
}
