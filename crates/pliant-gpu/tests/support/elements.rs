//! What the WGSL twin of every element must satisfy, written once.
//!
//! Bounds. Rounding the edges and the rest data moves a stencil by a few ε of its own size (backward error); what the
//! exact formula makes of that is measured, by moving the points of the `f64` twin that much. On top comes the rounding
//! of the result, a few ε of ‖K‖ (size now + size at rest), K = w AᵀA the stiffness: the two terms of K x − p before they
//! cancel. Ψ and C are squares and lengths of √w (A x − p), which moves by at most √‖K‖ times what the points move, however
//! badly p is conditioned; so their bounds need no measuring.

use super::{Gpu, as_written_and_sloppy};
use super::random::{Random, size, stencils};
use pliant::material::{
    Batch, Compliant, CorrectionSetting, Corrections, Disjoint, Elements, Projective, SIMPLEX_WGSL, WgslTwin,
};
use pliant::math::{self, Vec3};

/// Rounding of f32.
pub const EPS: f64 = f32::EPSILON as f64;
/// How far rounding moves the points, in ε of the size of the stencil.
const MOVED: f64 = 4.0;
/// How far rounding moves a result, in ε of its terms.
const ROUNDED: f64 = 16.0;
/// 1/h², 1/s².
const INV_H_SQ: f64 = 1e4;

/// An element that all solvers of the GPU can take.
pub trait Element<const N: usize>: Projective<f64, N> + Compliant<f64, N> + WgslTwin {}
impl<E: Projective<f64, N> + Compliant<f64, N> + WgslTwin, const N: usize> Element<N> for E {}

/// What a formula says about one stencil.
struct Answer<const N: usize> {
    value: f64,
    gradient: [Vec3<f64>; N],
    compliance: f64,
    constraint: f64,
    constraint_gradient: [Vec3<f64>; N],
    dx: [Vec3<f64>; N],
    multiplier: f64,
}

fn words_per_answer(arity: usize) -> usize {
    4 + 9 * arity
}

fn kernel(elements: &Elements<f64>) -> String {
    let twin = elements.wgsl().expect("the element has a twin");
    let (prefix, words, arity, width) = (twin.prefix, twin.words, twin.arity, words_per_answer(twin.arity));
    let corners = |text: &dyn Fn(usize) -> String| (0..arity).map(text).collect::<Vec<_>>().join(", ");
    let points = corners(&|k| format!("points[c * {arity}u + {k}u].xyz"));
    let masses = corners(&|k| format!("points[c * {arity}u + {k}u].w"));
    let mut out = String::new();
    for (block, name) in ["gradient", "constraint.gradient", "correction.dx"].iter().enumerate() {
        for k in 0..arity {
            for (axis, letter) in ["x", "y", "z"].iter().enumerate() {
                let at = 4 + 3 * (block * arity + k) + axis;
                out += &format!("    result[c * {width}u + {at}u] = {name}[{k}].{letter};\n");
            }
        }
    }
    format!(
        "@group(0) @binding(0) var<storage, read> element_data: array<f32>;
@group(0) @binding(1) var<storage, read> points: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> multipliers: array<f32>;
@group(0) @binding(3) var<storage, read_write> result: array<f32>;
{}{SIMPLEX_WGSL}{}{}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
    let c = id.x;
    if c >= arrayLength(&multipliers) {{
        return;
    }}
    let e = {prefix}_load(c * {words}u);
    let x = array<vec3<f32>, {arity}>({points});
    let inv_mass = array<f32, {arity}>({masses});
    let gradient = {prefix}_gradient(e, x);
    let constraint = {prefix}_constraint(e, x);
    let correction = {prefix}_correct(c * {words}u, x, inv_mass, {INV_H_SQ:e}, multipliers[c]);
    result[c * {width}u] = {prefix}_value(e, x);
    result[c * {width}u + 1u] = {prefix}_compliance(e);
    result[c * {width}u + 2u] = constraint.value;
    result[c * {width}u + 3u] = correction.multiplier;
{out}}}
",
        math::WGSL,
        twin.source,
        twin.correction()
    )
}

fn gpu_answers<const N: usize>(gpu: &Gpu, source: &str, elements: &Elements<f64>, cases: &Cases<N>) -> Vec<Answer<N>> {
    let data = elements.wgsl().expect("the element has a twin").packed();
    let points: Vec<f32> = cases
        .x
        .iter()
        .zip(&cases.inv_mass)
        .flat_map(|(x, m)| (0..N).flat_map(|k| [x[k].x as f32, x[k].y as f32, x[k].z as f32, m[k] as f32]))
        .collect();
    let multipliers: Vec<f32> = cases.multiplier.iter().map(|&m| m as f32).collect();
    let width = words_per_answer(N);
    let count = cases.x.len();
    let out = gpu.run(source, &[&data, &points, &multipliers], count * width, count);
    out.chunks_exact(width)
        .map(|a| {
            let vectors = |block: usize| {
                std::array::from_fn(|k| {
                    Vec3::of(std::array::from_fn(|axis| f64::from(a[4 + 3 * (block * N + k) + axis])))
                })
            };
            Answer {
                value: a[0].into(),
                gradient: vectors(0),
                compliance: a[1].into(),
                constraint: a[2].into(),
                constraint_gradient: vectors(1),
                dx: vectors(2),
                multiplier: a[3].into(),
            }
        })
        .collect()
}

/// Elements, each with a stencil, exact in f32.
struct Cases<const N: usize> {
    x: Vec<[Vec3<f64>; N]>,
    rest_size: Vec<f64>,
    inv_mass: Vec<[f64; N]>,
    multiplier: Vec<f64>,
}

fn rust_answer<E: Element<N>, const N: usize>(
    element: E,
    x: &[Vec3<f64>; N],
    inv_mass: &[f64; N],
    multiplier: f64,
) -> Answer<N> {
    let (constraint, constraint_gradient) = element.constraint(x);
    let mut batch = Batch::default();
    batch.push(std::array::from_fn(|k| k as u32), element);
    let mut points = x.map(Vec3::store);
    let mut multipliers = [multiplier];
    let setting = CorrectionSetting { inv_mass, inv_h_sq: INV_H_SQ, extended: true };
    // SAFETY: one element, one thread.
    unsafe { batch.correct_items(&[0], Disjoint::new(&mut points), Disjoint::new(&mut multipliers), setting) };
    Answer {
        value: element.value(x),
        gradient: element.gradient(x),
        compliance: element.compliance(),
        constraint,
        constraint_gradient,
        dx: std::array::from_fn(|k| Vec3::load(points[k]) - x[k]),
        multiplier: multipliers[0],
    }
}

fn difference<const N: usize>(a: &[Vec3<f64>; N], b: &[Vec3<f64>; N]) -> f64 {
    (0..N).map(|k| (a[k] - b[k]).length_sq()).sum::<f64>().sqrt()
}

fn norm<const N: usize>(v: &[Vec3<f64>; N]) -> f64 {
    difference(v, &[Vec3::ZERO; N])
}

/// The largest error of an answer in units of its bound, per quantity.
#[derive(Default, Debug)]
struct Worst {
    value: f64,
    gradient: f64,
    compliance: f64,
    constraint: f64,
    constraint_gradient: f64,
    correction: f64,
    multiplier: f64,
}

/// Compares the twin on all adapters with the `f64` formula, for elements built at several sizes from rest shapes.
pub fn check_element<E, const N: usize>(
    shapes: &[[Vec3<f64>; N]],
    build: impl Fn([Vec3<f64>; N]) -> E,
    round: impl Fn(&E) -> E,
) where
    E: Element<N>,
    Elements<f64>: From<Batch<E, N>>,
{
    let mut random = Random(11);
    let mut batch = Batch::default();
    let mut cases = Cases { x: Vec::new(), rest_size: Vec::new(), inv_mass: Vec::new(), multiplier: Vec::new() };
    for shape in shapes {
        for scale in [1.0, 1e-6, 1e-3, 1e2, 1e4] {
            let rest = shape.map(|p| p * scale);
            let element = round(&build(rest));
            for x in stencils(&rest, &mut random) {
                let c = cases.x.len() as u32;
                batch.push(std::array::from_fn(|k| c * N as u32 + k as u32), element);
                cases.x.push(x.map(|p| p.cast::<f32>().cast()));
                cases.rest_size.push(size(&rest));
                let mass = |random: &mut Random| if random.signed() < -0.7 { 0.0 } else { 3.0 + 2.0 * random.signed() };
                cases.inv_mass.push(std::array::from_fn(|_| f64::from(mass(&mut random) as f32)));
                let typical = element.constraint(&x).0 / element.compliance() / INV_H_SQ;
                cases.multiplier.push(f64::from((typical * random.signed().max(0.0)) as f32));
            }
        }
    }
    let exact = batch.element.clone();
    let elements = Elements::from(batch);
    let sources = as_written_and_sloppy(&kernel(&elements));
    for (gpu, source) in Gpu::all().iter().flat_map(|gpu| sources.iter().map(move |source| (gpu, source))) {
        let answers = gpu_answers(gpu, source, &elements, &cases);
        let mut worst = Worst::default();
        for (c, found) in answers.iter().enumerate() {
            compare(exact[c], found, &cases, c, &mut worst, &mut random);
        }
        eprintln!("{}: {} on {} stencils: {worst:.3?} of the bounds", gpu.name, elements.name(), answers.len());
    }
}

/// How far the answers of the exact formula lie apart when the points move by rounding.
fn spread<E: Element<N>, const N: usize>(
    element: E,
    cases: &Cases<N>,
    c: usize,
    exact: &Answer<N>,
    random: &mut Random,
) -> Answer<N> {
    let mut out = Answer {
        value: 0.0,
        gradient: [Vec3::ZERO; N],
        compliance: 0.0,
        constraint: 0.0,
        constraint_gradient: [Vec3::ZERO; N],
        dx: [Vec3::ZERO; N],
        multiplier: 0.0,
    };
    let reach = MOVED * EPS * size(&cases.x[c]);
    let wider = |widest: &mut [Vec3<f64>; N], a: &[Vec3<f64>; N], b: &[Vec3<f64>; N]| {
        widest[0].x = widest[0].x.max(difference(a, b));
    };
    for _ in 0..32 {
        let moved = cases.x[c].map(|p| p + random.vector() * reach);
        let there = rust_answer(element, &moved, &cases.inv_mass[c], cases.multiplier[c]);
        wider(&mut out.gradient, &there.gradient, &exact.gradient);
        wider(&mut out.constraint_gradient, &there.constraint_gradient, &exact.constraint_gradient);
        wider(&mut out.dx, &there.dx, &exact.dx);
        out.multiplier = out.multiplier.max((there.multiplier - exact.multiplier).abs());
    }
    out
}

fn compare<E: Element<N>, const N: usize>(
    element: E,
    found: &Answer<N>,
    cases: &Cases<N>,
    c: usize,
    worst: &mut Worst,
    random: &mut Random,
) {
    let (x, inv_mass, multiplier) = (&cases.x[c], &cases.inv_mass[c], cases.multiplier[c]);
    let exact = rust_answer(element, x, inv_mass, multiplier);
    let spread = spread(element, cases, c, &exact, random);
    let reach = size(x) + cases.rest_size[c];
    let round = ROUNDED * EPS;
    let stiffness = element.stiffness().iter().flatten().map(|k| k * k).sum::<f64>().sqrt();
    // ‖A‖: how much C moves when the points do.
    let slope = (stiffness * exact.compliance).sqrt();
    let compliance = exact.compliance * INV_H_SQ;
    let pliability: f64 =
        (0..N).map(|k| inv_mass[k] * exact.constraint_gradient[k].length_sq()).sum::<f64>() + compliance;
    let heaviest = inv_mass.iter().fold(0.0f64, |a, &b| a.max(b));
    // The twin moves the points in place, and so rounds them, in f64.
    let twin_rounds = 4.0 * f64::EPSILON * x.iter().map(|p| p.length()).fold(0.0, f64::max);
    let pull = slope * reach + compliance * multiplier.abs();

    let check = |name: &str, error: f64, bound: f64, so_far: &mut f64| {
        let share = if error == 0.0 { 0.0 } else { error / bound };
        *so_far = so_far.max(share);
        assert!(
            share <= 1.0,
            "{} {c}: {name} is {error:e} off, bound {bound:e}, at {x:?}, size at rest {}",
            E::PREFIX,
            cases.rest_size[c]
        );
    };
    let root = |v: f64| (2.0 * v).sqrt();
    check("value", (root(found.value) - root(exact.value)).abs(), round * stiffness.sqrt() * reach, &mut worst.value);
    check(
        "gradient",
        difference(&found.gradient, &exact.gradient),
        2.0 * norm(&spread.gradient) + round * stiffness * reach,
        &mut worst.gradient,
    );
    check(
        "compliance",
        (found.compliance - exact.compliance).abs(),
        4.0 * EPS * exact.compliance,
        &mut worst.compliance,
    );
    check("constraint", (found.constraint - exact.constraint).abs(), round * slope * reach, &mut worst.constraint);
    check(
        "constraint gradient",
        difference(&found.constraint_gradient, &exact.constraint_gradient),
        2.0 * norm(&spread.constraint_gradient)
            + round * slope * (1.0 + slope * reach / exact.constraint.abs().max(1e-30)),
        &mut worst.constraint_gradient,
    );
    check(
        "correction",
        difference(&found.dx, &exact.dx),
        2.0 * norm(&spread.dx) + round * slope * heaviest * pull / pliability + twin_rounds,
        &mut worst.correction,
    );
    check(
        "multiplier",
        (found.multiplier - exact.multiplier).abs(),
        2.0 * spread.multiplier + round * (pull / pliability + multiplier.abs()),
        &mut worst.multiplier,
    );
}
