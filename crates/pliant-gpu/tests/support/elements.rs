//! What the WGSL twin of every element must satisfy, written once.
//!
//! Bounds. Rounding the edges and the rest data moves a stencil by a few ε of its own size (backward error); what the
//! exact formula makes of that is measured, by moving the points of the `f64` twin that much (`spread`). On top comes the
//! rounding of the result, a few ε of ‖K‖ (size now + size at rest), K = w AᵀA the stiffness: the two terms of K x − p
//! before they cancel. Ψ and C are squares and lengths of √w (A x − p), which moves by at most √‖K‖ times what the points
//! move, however badly p is conditioned; so their bounds need no measuring.

use super::random::{Random, size, stencils};
use super::{Gpu, as_written_and_sloppy};
use pliant::material::{
    Batch, Compliant, CorrectionSetting, Corrections, Disjoint, Elements, Projective, WgslElement, WgslTwin,
    wgsl_formulas,
};
use pliant::math::{self, Mat3, Real, Vec3};

/// Rounding of f32.
pub const EPS: f64 = f32::EPSILON as f64;
/// How far rounding moves the points, in ε of the size of the stencil: a nearest rotation is worth 24 ε and F another 6;
/// points are moved up to √3 times this, twice, and 32 random moves reach about two thirds of that in the worst direction.
const MOVED: f64 = 12.0;
/// How far rounding moves a result, in ε of its terms: a square root (4.5), a division (2.5) and a dozen sums and products
/// (½ each). Lavapipe, whose roots are exact, needs a fifth of it, sloppy roots three fifths.
const ROUNDED: f64 = 16.0;
/// 1/h², 1/s².
const INV_H_SQ: f64 = 1e4;

/// An element that all solvers of the GPU can take.
pub trait Element<const N: usize>: Projective<f64, N> + Compliant<f64, N> + WgslTwin {}
impl<E: Projective<f64, N> + Compliant<f64, N> + WgslTwin, const N: usize> Element<N> for E {}

/// What a formula says about one stencil.
#[derive(Debug)]
struct Answer<const N: usize> {
    value: f64,
    gradient: [Vec3<f64>; N],
    compliance: f64,
    constraint: f64,
    constraint_gradient: [Vec3<f64>; N],
    dx: [Vec3<f64>; N],
    multiplier: f64,
}

impl<const N: usize> Answer<N> {
    /// As the kernel writes it.
    fn read(words: &[f32]) -> Self {
        let number = |at: usize| f64::from(words[at]);
        let vectors = |block: usize| {
            std::array::from_fn(|k| Vec3::of(std::array::from_fn(|axis| number(4 + 3 * (block * N + k) + axis))))
        };
        Answer {
            value: number(0),
            gradient: vectors(0),
            compliance: number(1),
            constraint: number(2),
            constraint_gradient: vectors(1),
            dx: vectors(2),
            multiplier: number(3),
        }
    }

    /// Which quantities are numbers.
    fn finite(&self) -> [bool; 6] {
        let all = |v: &[Vec3<f64>; N]| v.iter().all(|p| p.is_finite());
        [
            self.value.is_finite(),
            all(&self.gradient),
            self.constraint.is_finite(),
            all(&self.constraint_gradient),
            all(&self.dx),
            self.multiplier.is_finite(),
        ]
    }
}

fn words_per_answer(arity: usize) -> usize {
    4 + 9 * arity
}

/// The kernel for so many elements, whose data lie there twice: element by element, and then word by word.
fn kernel(twin: &WgslElement, count: usize) -> String {
    let (prefix, words, arity, width) = (twin.prefix, twin.words, twin.arity, words_per_answer(twin.arity));
    let first = count * words;
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
{}{}{}{}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
    let c = id.x;
    if c >= arrayLength(&multipliers) {{
        return;
    }}
    let e = {prefix}_load({first}u + c, {count}u);
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
        math::SYM3_WGSL,
        wgsl_formulas(&[*twin]),
        twin.correction()
    )
}

/// Elements, each with a stencil, all exact in f32.
struct Cases<E, const N: usize> {
    element: Vec<E>,
    x: Vec<[Vec3<f64>; N]>,
    rest: Vec<[Vec3<f64>; N]>,
    inv_mass: Vec<[f64; N]>,
    multiplier: Vec<f64>,
}

impl<E, const N: usize> Default for Cases<E, N> {
    fn default() -> Self {
        Self { element: vec![], x: vec![], rest: vec![], inv_mass: vec![], multiplier: vec![] }
    }
}

impl<E: Element<N>, const N: usize> Cases<E, N>
where
    Elements<f64>: From<Batch<E, N>>,
{
    fn push(&mut self, element: E, rest: [Vec3<f64>; N], x: [Vec3<f64>; N], random: &mut Random) {
        let exact = |v: f64| f64::from(v as f32);
        let x = x.map(|p| p.cast::<f32>().cast());
        let typical = element.constraint(&x).0 / element.compliance() / INV_H_SQ;
        self.multiplier.push(exact((typical * random.signed().max(0.0)).min(1e30)));
        let mut mass = || if random.signed() < -0.7 { 0.0 } else { 3.0 + 2.0 * random.signed() };
        self.inv_mass.push(std::array::from_fn(|_| exact(mass())));
        self.element.push(element);
        self.x.push(x);
        self.rest.push(rest);
    }

    fn gpu_answers(&self, gpu: &Gpu, sloppy: bool) -> Vec<Answer<N>> {
        let stencil = (0..self.x.len() as u32).map(|c| std::array::from_fn(|k| c * N as u32 + k as u32));
        let elements =
            Elements::from(Batch { stencil: stencil.collect(), element: self.element.clone(), pulled: Vec::new() });
        let twin = elements.wgsl().expect("the element has a twin");
        let point = |p: Vec3<f64>, m: f64| [p.x as f32, p.y as f32, p.z as f32, m as f32];
        let corners = self.x.iter().flatten().zip(self.inv_mass.iter().flatten());
        let points: Vec<[f32; 4]> = corners.map(|(p, m)| point(*p, *m)).collect();
        let multipliers: Vec<f32> = self.multiplier.iter().map(|&m| m as f32).collect();
        let (width, count) = (words_per_answer(N), self.x.len());
        let mut data = twin.packed();
        let word_by_word = (0..count * twin.words).map(|k| data[k % count * twin.words + k / count]);
        data.extend(word_by_word.collect::<Vec<f32>>());
        let inputs = [&data[..], points.as_flattened(), &multipliers];
        let source = &as_written_and_sloppy(&kernel(&twin, count))[usize::from(sloppy)];
        gpu.run(source, &inputs, count * width, count).chunks_exact(width).map(Answer::read).collect()
    }
}

fn rust_answer<R: Real, E: Compliant<R, N>, const N: usize>(
    element: E,
    x: &[Vec3<R>; N],
    inv_mass: &[f64; N],
    multiplier: f64,
) -> Answer<N> {
    let (constraint, constraint_gradient) = element.constraint(x);
    let mut batch = Batch::default();
    batch.push(std::array::from_fn(|k| k as u32), element);
    let mut points = x.map(Vec3::store);
    let mut multipliers = [R::of(multiplier)];
    let setting = CorrectionSetting { inv_mass: &inv_mass.map(R::of), inv_h_sq: R::of(INV_H_SQ), extended: true };
    // SAFETY: one element, one thread.
    unsafe { batch.correct_items(&[0], Disjoint::new(&mut points), Disjoint::new(&mut multipliers), setting) };
    Answer {
        value: element.value(x).f64(),
        gradient: element.gradient(x).map(Vec3::cast),
        compliance: element.compliance().f64(),
        constraint: constraint.f64(),
        constraint_gradient: constraint_gradient.map(Vec3::cast),
        dx: std::array::from_fn(|k| (Vec3::load(points[k]) - x[k]).cast()),
        multiplier: multipliers[0].f64(),
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

/// Compares the twin on all adapters with the formula in `f64`, for elements built from rest shapes at several sizes; far
/// beyond any sense with the formula in `f32`, which says where a number can be expected.
pub fn check_element<E, S, const N: usize>(
    shapes: &[[Vec3<f64>; N]],
    build: impl Fn([Vec3<f64>; N]) -> E,
    single: impl Fn(&E) -> S,
    double: impl Fn(&S) -> E,
) where
    E: Element<N>,
    S: Compliant<f32, N>,
    Elements<f64>: From<Batch<E, N>>,
{
    let mut random = Random(11);
    let (mut sane, mut extreme) = (Cases::default(), Cases::default());
    for shape in shapes {
        for scale in [1.0, 1e-6, 1e-3, 1e2, 1e4] {
            let rest = shape.map(|p| p * scale);
            let element = double(&single(&build(rest)));
            for x in stencils(&rest, &mut random) {
                sane.push(element, rest, x, &mut random);
            }
        }
        let element = double(&single(&build(*shape)));
        for (k, x) in stencils(shape, &mut random).into_iter().enumerate() {
            let factor = [1e-30, 1e-22, 1e-18, 1e-14, 1e9, 1e12, 1e15, 1e18, 1e22, 1e30][k % 10];
            extreme.push(element, *shape, x.map(|p| p * factor), &mut random);
        }
    }
    for gpu in &Gpu::all() {
        for sloppy in [false, true] {
            let mut worst = Worst::default();
            for (c, found) in sane.gpu_answers(gpu, sloppy).iter().enumerate() {
                compare(found, &sane, c, &mut worst, &mut random);
            }
            eprintln!("{}: {} on {} stencils: {worst:.3?} of the bounds", gpu.name, E::PREFIX, sane.x.len());
            for (c, found) in extreme.gpu_answers(gpu, sloppy).iter().enumerate() {
                let x = extreme.x[c].map(Vec3::cast::<f32>);
                let twin = rust_answer(single(&extreme.element[c]), &x, &extreme.inv_mass[c], extreme.multiplier[c]);
                assert!(
                    twin.finite().iter().zip(found.finite()).all(|(twin, found)| found >= *twin),
                    "{}: {} {c} at {x:?} is {found:?}, its twin {twin:?}",
                    gpu.name,
                    E::PREFIX
                );
            }
        }
    }
}

/// How far the answers of the exact formula lie apart when the points move by rounding: each by itself, as edges and rest
/// data are rounded, or by a linear map E of the rest shape (F becomes F + E), as F and its nearest rotation are. E changes
/// no edge more, but the points of a sliver, moved each by itself, change F nearly always across its thin side.
///
/// That matters where the nearest rotation is not unique, because there any rounding chooses among all of them. The sliver
/// of width 100 m mirrored has F = diag(−1, 1, 1), R = F (I − 2 v vᵀ) for any unit v. Its multiplier lies between −2.93 (v
/// along the wide side) and −0.34, the one of the exact formula is −0.59: an answer may be 2.34 off, and an H200's is. All
/// roundings of the terms, counted by `ROUNDED`, are worth 3e-6 there. Twice the spread of 32 moves is below 2.34 one
/// time in 13 if only points move, and one in 6000 if F does.
fn spread<E: Element<N>, const N: usize>(
    cases: &Cases<E, N>,
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
    let rest = &cases.rest[c];
    for turn in 0..64 {
        let moved = if turn % 2 == 0 {
            cases.x[c].map(|p| p + random.vector() * reach)
        } else {
            let E = Mat3 { c: [0; 3].map(|_| random.vector() * (reach / size(rest))) };
            std::array::from_fn(|k| cases.x[c][k] + E * (rest[k] - rest[0]))
        };
        let there = rust_answer(cases.element[c], &moved, &cases.inv_mass[c], cases.multiplier[c]);
        wider(&mut out.gradient, &there.gradient, &exact.gradient);
        wider(&mut out.constraint_gradient, &there.constraint_gradient, &exact.constraint_gradient);
        wider(&mut out.dx, &there.dx, &exact.dx);
        out.multiplier = out.multiplier.max((there.multiplier - exact.multiplier).abs());
    }
    out
}

fn compare<E: Element<N>, const N: usize>(
    found: &Answer<N>,
    cases: &Cases<E, N>,
    c: usize,
    worst: &mut Worst,
    random: &mut Random,
) {
    let (element, x) = (cases.element[c], &cases.x[c]);
    let (inv_mass, multiplier) = (&cases.inv_mass[c], cases.multiplier[c]);
    let exact = rust_answer(element, x, inv_mass, multiplier);
    let spread = spread(cases, c, &exact, random);
    let rest_size = size(&cases.rest[c]);
    let reach = size(x) + rest_size;
    let round = ROUNDED * EPS;
    let stiffness = element.stiffness().iter().flatten().map(|k| k * k).sum::<f64>().sqrt();
    // ‖A‖: how much C moves when the points do.
    let slope = (stiffness * exact.compliance).sqrt();
    let compliance = exact.compliance * INV_H_SQ;
    let movable: f64 = (0..N).map(|k| inv_mass[k] * exact.constraint_gradient[k].length_sq()).sum();
    let pliability = movable + compliance;
    let heaviest = inv_mass.iter().fold(0.0f64, |a, &b| a.max(b));
    // The twin moves the points in place, and so rounds them, in f64.
    let twin_rounds = 4.0 * f64::EPSILON * x.iter().map(|p| p.length()).fold(0.0, f64::max);
    let pull = slope * reach + compliance * multiplier.abs();

    let check = |name: &str, error: f64, bound: f64, so_far: &mut f64| {
        let share = if error == 0.0 { 0.0 } else { error / bound };
        *so_far = so_far.max(share);
        assert!(
            share <= 1.0,
            "{} {c}: {name} is {error:e} off, bound {bound:e}, at {x:?}, size at rest {rest_size}",
            E::PREFIX
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
    // Where nothing can move but by rounding, the multiplier is the previous one or not: no correction sees it.
    if movable == 0.0 || movable > heaviest * (round * slope).powi(2) {
        check(
            "multiplier",
            (found.multiplier - exact.multiplier).abs(),
            2.0 * spread.multiplier + round * (pull / pliability + multiplier.abs()),
            &mut worst.multiplier,
        );
    }
}
