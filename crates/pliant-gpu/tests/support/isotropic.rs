//! What the WGSL twin of an isotropic energy must satisfy: its value, gradient, diagonal blocks, and l of its conversion.
//!
//! Bounds. Rounding the edges and the rest data moves a stencil by a few ε of its own size (backward error); what the exact
//! formula makes of that is measured, by moving the points of the `f64` twin that much (`Spread`). On top comes the rounding of
//! the result: some ε of what it is made of before terms cancel or are cut off. In slivers that is larger (differences of
//! powers, quotients of small differences), so it is measured, too: what the `f32` twin on the CPU is off at the same moved points. A
//! software driver is off by as much, with other digits for each width of the processor's vectors.

use super::random::{Random, size, stencils};
use super::{Gpu, as_written_and_sloppy};
use pliant::material::{Batch, Convertible, Elements, Energy, WgslElement, WgslTwin, wgsl_formulas};
use pliant::math::{self, Mat3, Real, Vec3};

const EPS: f64 = f32::EPSILON as f64;
/// How far rounding moves the points, in ε of the size of the stencil: F takes 6, a decomposition 24, and 64 random moves reach
/// about two thirds of what is farthest.
const MOVED: f64 = 12.0;
/// How far rounding moves a result, in ε of its terms: powers and exponentials take up to 26 (WGSL, exp of 10), five of them
/// where a power of a power is taken.
const ROUNDED: f64 = 64.0;
/// Blocks only scale what descents do: a thousandth of them more or less is as good.
const GOOD_ENOUGH: f64 = 1e-3;
/// Blocks that rounding moves by more than this part of them are not compared: where an element is mirrored, eigenvalues of
/// twists are quotients of nothing.
const UNBOUNDED: f64 = 0.1;

/// Words of an answer.
const WIDTH: usize = 1 + 12 + 24 + 1;

/// What a formula says about one stencil.
#[derive(Clone, Debug)]
struct Answer {
    value: f64,
    gradient: [Vec3<f64>; 4],
    /// Of each corner xx, yy, zz, yz, xz, xy.
    blocks: [[f64; 6]; 4],
    /// From 0 to 1.
    share: f64,
}

impl Answer {
    fn read(words: &[f32]) -> Self {
        let number = |at: usize| f64::from(words[at]);
        Self {
            value: number(0),
            gradient: std::array::from_fn(|k| Vec3::of([0, 1, 2].map(|axis| number(1 + 3 * k + axis)))),
            blocks: std::array::from_fn(|k| std::array::from_fn(|entry| number(13 + 6 * k + entry))),
            share: number(37).clamp(0.0, 1.0),
        }
    }

    fn exact<R: Real, E: Energy<R, 4>>(element: &E, x: &[Vec3<R>; 4], share: f64) -> Self {
        let block = |m: Mat3<R>| {
            [m.at(0, 0), m.at(1, 1), m.at(2, 2), m.at(1, 2), m.at(0, 2), m.at(0, 1)].map(|entry| entry.f64())
        };
        Self {
            value: element.value(x).f64(),
            gradient: element.gradient(x).map(Vec3::cast),
            blocks: element.scale(x).map(block),
            share: share.clamp(0.0, 1.0),
        }
    }

    fn finite(&self) -> [bool; 3] {
        let blocks = self.blocks.as_flattened().iter().all(|entry| entry.is_finite());
        [self.value.is_finite(), self.gradient.iter().all(|g| g.is_finite()), blocks]
    }

    /// How far another answer is off: value, gradient, blocks, share.
    fn apart(&self, other: &Self) -> [f64; 4] {
        let gradient: f64 = (0..4).map(|k| (self.gradient[k] - other.gradient[k]).length_sq()).sum();
        let blocks = self.blocks.as_flattened().iter().zip(other.blocks.as_flattened());
        let blocks: f64 = blocks.map(|(a, b)| (a - b) * (a - b)).sum();
        [(self.value - other.value).abs(), gradient.sqrt(), blocks.sqrt(), (self.share - other.share).abs()]
    }
}

/// l at x alone of elements that are converted, else 0.
type Share<E> = fn(&E, &[Vec3<f64>; 4]) -> f64;

/// Elements that are never converted.
pub fn none<E>(_: &E, _: &[Vec3<f64>; 4]) -> f64 {
    0.0
}

/// Of elements that are.
pub fn share<E: Convertible<f64, 4>>(element: &E, x: &[Vec3<f64>; 4]) -> f64 {
    element.share_at(x)
}

fn kernel(twin: &WgslElement, count: usize, convertible: bool) -> String {
    let (prefix, words) = (twin.prefix, twin.words);
    let corners = (0..4).map(|k| format!("points[4u * c + {k}u].xyz")).collect::<Vec<_>>().join(", ");
    let mut out = String::new();
    let mut put = |at: usize, what: String| out += &format!("    result[c * {WIDTH}u + {at}u] = {what};\n");
    put(0, "value".to_string());
    for k in 0..4 {
        for (axis, letter) in ["x", "y", "z"].iter().enumerate() {
            put(1 + 3 * k + axis, format!("gradient[{k}].{letter}"));
            put(13 + 6 * k + axis, format!("blocks[{k}].diagonal.{letter}"));
            put(16 + 6 * k + axis, format!("blocks[{k}].off.{letter}"));
        }
    }
    put(37, if convertible { format!("{prefix}_share(e, x)") } else { "0.0".to_string() });
    format!(
        "@group(0) @binding(0) var<storage, read> element_data: array<f32>;
@group(0) @binding(1) var<storage, read> points: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> result: array<f32>;
{}{}{}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
    let c = id.x;
    if c >= {count}u {{ return; }}
    let e = {prefix}_load(c * {words}u, 1u);
    let x = array<vec3<f32>, 4>({corners});
    let value = {prefix}_value(e, x);
    let gradient = {prefix}_gradient(e, x);
    let blocks = {prefix}_scale(e, x);
{out}}}
",
        math::WGSL,
        math::SYM3_WGSL,
        wgsl_formulas(&[*twin]),
    )
}

/// Elements, each with a stencil, all exact in f32.
struct Cases<E> {
    element: Vec<E>,
    x: Vec<[Vec3<f64>; 4]>,
    rest: Vec<[Vec3<f64>; 4]>,
}

impl<E: Energy<f64, 4> + WgslTwin> Cases<E>
where
    Elements<f64>: From<Batch<E, 4>>,
{
    fn new() -> Self {
        Self { element: Vec::new(), x: Vec::new(), rest: Vec::new() }
    }

    fn push(&mut self, element: E, rest: [Vec3<f64>; 4], x: [Vec3<f64>; 4]) {
        self.element.push(element);
        self.rest.push(rest);
        self.x.push(x.map(|p| p.cast::<f32>().cast()));
    }

    fn gpu_answers(&self, gpu: &Gpu, sloppy: bool) -> Vec<Answer> {
        let stencil = (0..self.x.len() as u32).map(|c| [0, 1, 2, 3].map(|k| 4 * c + k));
        let elements =
            Elements::from(Batch { stencil: stencil.collect(), element: self.element.clone(), pulled: Vec::new() });
        let twin = elements.wgsl().expect("the element has a twin");
        let points: Vec<[f32; 4]> =
            self.x.iter().flatten().map(|p| [p.x as f32, p.y as f32, p.z as f32, 0.0]).collect();
        let (data, count) = (twin.packed(), self.x.len());
        let source = kernel(&twin, count, elements.is_convertible());
        let source = &as_written_and_sloppy(&source)[usize::from(sloppy)];
        let found = gpu.run(source, &[&data, points.as_flattened()], count * WIDTH, count);
        found.chunks_exact(WIDTH).map(Answer::read).collect()
    }
}

/// What an answer may be off: value, gradient, blocks, share.
fn bounds<E: Energy<f64, 4>, S: Energy<f32, 4>>(
    (element, single, x, rest): (&E, &S, &[Vec3<f64>; 4], &[Vec3<f64>; 4]),
    exact: &Answer,
    share: Share<E>,
    random: &mut Random,
) -> [f64; 4] {
    let reach = MOVED * EPS * size(x);
    let (mut spread, mut rounded) = ([0.0f64; 4], [0.0f64; 4]);
    for turn in 0..64 {
        let moved = if turn % 2 == 0 {
            x.map(|p| p + random.vector() * reach)
        } else {
            let E = Mat3 { c: [0; 3].map(|_| random.vector() * (MOVED * EPS)) };
            std::array::from_fn(|k| x[k] + E * (rest[k] - rest[0]))
        };
        let there = Answer::exact(element, &moved, share(element, &moved));
        let apart = exact.apart(&there);
        (0..4).for_each(|q| spread[q] = spread[q].max(apart[q]));
        let near = moved.map(|p| p.cast::<f32>());
        let there = Answer::exact(element, &near.map(Vec3::cast), 0.0);
        let apart = there.apart(&Answer::exact(single, &near, 0.0));
        (0..3).for_each(|q| rounded[q] = rounded[q].max(apart[q]));
    }
    let size_of = |hessian: Option<pliant::material::Hessian<f64, 4>>| {
        hessian.map_or(0.0, |h| (0..4).map(|i| h[i][i].norm_sq()).sum::<f64>().sqrt())
    };
    // With what was cut off, and as it is at rest: there stresses cancel.
    let stiffness = |x: &[Vec3<f64>; 4]| size_of(Some(element.hessian_psd(x))) + size_of(element.hessian_excess(x));
    let stiffness = stiffness(x) + stiffness(rest);
    let round = ROUNDED * EPS;
    let blocks = exact.blocks.as_flattened().iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    if spread[2] > UNBOUNDED * blocks {
        spread[2] = f64::INFINITY;
    }
    [
        2.0 * (spread[0] + rounded[0]) + round * exact.value,
        2.0 * (spread[1] + rounded[1]) + round * stiffness * (size(x) + size(rest)),
        2.0 * (spread[2] + rounded[2]) + round * stiffness + GOOD_ENOUGH * blocks,
        2.0 * spread[3] + round,
    ]
}

/// Shapes of several sizes, each with random and nasty stencils, on every GPU; `build` makes an element, `single` and `double`
/// change its precision.
pub fn check_isotropic<E, S>(
    shapes: &[[Vec3<f64>; 4]],
    (build, single, double): (impl Fn([Vec3<f64>; 4], f64) -> E, impl Fn(&E) -> S, impl Fn(&S) -> E),
    share: Share<E>,
) where
    E: Energy<f64, 4> + WgslTwin,
    S: Energy<f32, 4>,
    Elements<f64>: From<Batch<E, 4>>,
{
    let mut random = Random(11);
    let (mut sane, mut extreme) = (Cases::new(), Cases::new());
    for shape in shapes {
        for (scale, converted) in [(1.0, 0.0), (1.0, 0.4), (1e-3, 1.0), (1e2, 0.0)] {
            let rest = shape.map(|p| p * scale);
            let element = double(&single(&build(rest, converted)));
            stencils(&rest, &mut random).into_iter().for_each(|x| sane.push(element, rest, x));
        }
        let element = double(&single(&build(*shape, 0.0)));
        for (k, x) in stencils(shape, &mut random).into_iter().enumerate() {
            let factor = [1e-30, 1e-22, 1e-18, 1e-14, 1e-9, 1e4][k % 6];
            extreme.push(element, *shape, x.map(|p| p * factor));
        }
    }
    for gpu in &Gpu::all() {
        for sloppy in [false, true] {
            let (mut worst, mut unbounded) = ([0.0f64; 4], 0);
            for (c, found) in sane.gpu_answers(gpu, sloppy).iter().enumerate() {
                let (element, x, rest) = (&sane.element[c], &sane.x[c], &sane.rest[c]);
                let exact = Answer::exact(element, x, share(element, x));
                let bounds = bounds((element, &single(element), x, rest), &exact, share, &mut random);
                let off = exact.apart(found);
                unbounded += usize::from(bounds[2].is_infinite());
                for (q, name) in ["value", "gradient", "blocks", "share"].iter().enumerate() {
                    let part = if off[q] == 0.0 { 0.0 } else { off[q] / bounds[q] };
                    worst[q] = worst[q].max(part);
                    assert!(
                        part <= 1.0,
                        "{} {c}: {name} is {:e} off, bound {:e}, at {x:?}, rest {rest:?}: {found:?}, {exact:?}",
                        E::PREFIX,
                        off[q],
                        bounds[q]
                    );
                }
            }
            let count = sane.x.len();
            eprintln!(
                "{}: {} on {count} stencils: {worst:.3?} of the bounds, {unbounded} without",
                gpu.name,
                E::PREFIX
            );
            assert!(unbounded < count / 10, "{}: {unbounded} of {count} blocks are not compared", E::PREFIX);
            for (c, found) in extreme.gpu_answers(gpu, sloppy).iter().enumerate() {
                let x = extreme.x[c].map(Vec3::cast::<f32>);
                let twin = Answer::exact(&single(&extreme.element[c]), &x, 0.0);
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
