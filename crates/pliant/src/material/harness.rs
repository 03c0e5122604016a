//! What every element must satisfy, written once. Each element's test calls it with the element in both precisions
//! and its rest shape.

use super::{Compliant, Energy, Hessian, Projective};
use crate::math::eigen::{Square, project_psd, symmetric_eigen};
use crate::math::{Mat3, Real, SplitMix, Vec3};

fn vector(random: &mut SplitMix) -> Vec3<f64> {
    Vec3::of(random.point())
}

/// Any rotation.
fn rotation(random: &mut SplitMix) -> Mat3<f64> {
    Mat3::rotation(vector(random).unit_or(Vec3::axis(0)), 3.0 * random.signed())
}

type Points<const N: usize> = [Vec3<f64>; N];

fn size<const N: usize>(x: &Points<N>) -> f64 {
    let longest = x.iter().map(|p| (*p - x[0]).length()).fold(0.0, f64::max);
    if N == 1 { 1.0 } else { longest }
}

/// The rest shape disturbed by `amplitude` (of its size), turned and moved.
pub fn disturbed<const N: usize>(rest: &Points<N>, amplitude: f64, random: &mut SplitMix) -> Points<N> {
    let (turn, shift, size) = (rotation(random), vector(random), size(rest));
    rest.map(|p| turn * (p + vector(random) * (amplitude * size)) + shift)
}

/// Disturbances from barely to beyond recognition (inverted, flattened, stretched).
pub fn samples<const N: usize>(rest: &Points<N>) -> Vec<Points<N>> {
    let mut random = SplitMix(7);
    let mut out = Vec::new();
    for amplitude in [0.02, 0.2, 0.5, 1.0, 2.0] {
        for _ in 0..12 {
            out.push(disturbed(rest, amplitude, &mut random));
        }
    }
    // Stretched along every axis: where Hessians of elastic energies are positive definite by themselves.
    for _ in 0..12 {
        let mut x = disturbed(rest, 0.1, &mut random);
        let centre = x[0];
        x = x.map(|p| centre + (p - centre) * 1.6);
        out.push(x);
    }
    out
}

/// Stencils that break careless formulas: collapsed to a point, a line, a plane, mirrored, tiny, huge, far away.
pub fn nasty<const N: usize>(rest: &Points<N>) -> Vec<Points<N>> {
    let mut out = vec![
        [Vec3::ZERO; N],
        [Vec3::new(3.0, -2.0, 1.0); N],
        rest.map(|p| Vec3::new(p.x, 0.0, 0.0)),
        rest.map(|p| Vec3::new(0.0, p.y, 0.0)),
        rest.map(|p| Vec3::new(p.x + p.y + p.z, 0.0, 0.0)),
        rest.map(|p| Vec3::new(p.x, p.y, 0.0)),
        rest.map(|p| Vec3::new(p.x, 0.0, p.z)),
        rest.map(|p| Vec3::new(-p.x, p.y, p.z)),
        rest.map(|p| -p),
        rest.map(|p| p * 1e-6),
        rest.map(|p| p * 1e4),
        rest.map(|p| -p * 1e4),
        rest.map(|p| Vec3::new(p.x * 1e4, p.y * 1e-6, p.z)),
        rest.map(|p| Vec3::new(p.x, p.y, p.z * 1e-9)),
        rest.map(|p| p + Vec3::new(1e3, 1e3, -1e3)),
        *rest,
    ];
    for pair in 1..N {
        let mut joined = *rest;
        joined[pair] = joined[0];
        out.push(joined);
    }
    out
}

fn flat<R: Real, const N: usize>(v: &[Vec3<R>; N]) -> Vec<f64> {
    v.iter().flat_map(|p| p.f64()).collect()
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|e| e * e).sum::<f64>().sqrt()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
}

/// A 3N × 3N matrix padded to 12 × 12 with zeros.
fn dense<R: Real, const N: usize>(h: &Hessian<R, N>) -> Square<f64, 12> {
    let mut out = [[0.0; 12]; 12];
    for i in 0..N {
        for j in 0..N {
            for r in 0..3 {
                for c in 0..3 {
                    out[3 * i + r][3 * j + c] = h[i][j].at(r, c).f64();
                }
            }
        }
    }
    out
}

fn norm_of(m: &Square<f64, 12>) -> f64 {
    norm(&m.concat())
}

/// Central differences of a vector function of the points: `column` k is ∂f/∂x_k.
fn differences<const N: usize>(x: &Points<N>, step: f64, f: impl Fn(&Points<N>) -> Vec<f64>) -> Vec<Vec<f64>> {
    let mut out = Vec::new();
    for i in 0..N {
        for axis in 0..3 {
            let (mut above, mut below) = (*x, *x);
            above[i][axis] += step;
            below[i][axis] -= step;
            out.push(f(&above).iter().zip(f(&below)).map(|(a, b)| (a - b) / (2.0 * step)).collect());
        }
    }
    out
}

/// Value, gradient and Hessian agree; the Hessian is positive semi-definite; nothing is ever NaN; f32 follows f64.
pub fn check_energy<E, S, const N: usize>(element: &E, single: &S, rest: &Points<N>)
where
    E: Energy<f64, N>,
    S: Energy<f32, N>,
{
    for (k, x) in samples(rest).iter().enumerate() {
        check_derivatives(element, x, size(rest), k);
    }
    check_nasty(element, single, rest);
    check_single(element, single, rest);
}

/// Moving or turning the element changes nothing, and at rest there is neither energy nor force.
pub fn check_invariance<E: Energy<f64, N>, const N: usize>(element: &E, rest: &Points<N>) {
    let mut random = SplitMix(99);
    let stiffness = norm_of(&dense(&element.hessian_psd(rest)));
    let scale = stiffness * size(rest);
    assert!(element.value(rest).abs() <= 1e-14 * scale * size(rest), "energy at rest {}", element.value(rest));
    assert!(norm(&flat(&element.gradient(rest))) <= 1e-11 * scale, "force at rest {:?}", element.gradient(rest));
    for x in samples(rest) {
        let (turn, shift) = (rotation(&mut random), vector(&mut random));
        let moved = x.map(|p| turn * p + shift);
        let (a, b) = (element.value(&x), element.value(&moved));
        assert!((a - b).abs() <= 1e-10 * (a + scale * size(rest)), "value {a} became {b}");
        let turned = element.gradient(&x).map(|g| turn * g);
        let found = element.gradient(&moved);
        let error = distance(&flat(&turned), &flat(&found));
        assert!(error <= 1e-8 * (scale + norm(&flat(&turned))), "gradient {turned:?} became {found:?}");
    }
}

fn check_derivatives<E: Energy<f64, N>, const N: usize>(element: &E, x: &Points<N>, size: f64, sample: usize) {
    let gradient = flat(&element.gradient(x));
    let hessian = dense(&element.hessian_psd(x));
    let scale = norm(&gradient) + norm_of(&hessian) * size;
    let numeric = differences(x, 1e-6 * size, |x| vec![element.value(x)]).concat();
    let error = distance(&gradient, &numeric);
    assert!(error <= 1e-6 * scale, "sample {sample}: gradient {gradient:?}, differences {numeric:?}");

    let (values, _) = symmetric_eigen(hessian);
    let (low, high) = values.iter().fold((0.0f64, 0.0f64), |(l, h), &v| (l.min(v), h.max(v)));
    assert!(low >= -1e-9 * high, "sample {sample}: eigenvalue {low} beside {high}");
    for (i, block) in element.hessian_diagonal(x).iter().enumerate() {
        let whole = element.hessian_psd(x)[i][i];
        assert!((*block - whole).norm_sq().sqrt() <= 1e-10 * high, "diagonal block {i}: {block:?}, {whole:?}");
    }
    for (i, (scale, block)) in element.scale(x).iter().zip(element.hessian_diagonal(x)).enumerate() {
        let more = *scale - block;
        let (values, _) =
            symmetric_eigen(std::array::from_fn::<[f64; 3], 3, _>(|r| std::array::from_fn(|c| more.at(r, c))));
        assert!(values.iter().all(|v| *v >= -1e-9 * high), "sample {sample}: scale {i} is less than {block:?}");
    }

    for i in 0..3 * N {
        for j in 0..3 * N {
            assert!((hessian[i][j] - hessian[j][i]).abs() <= 1e-10 * high, "sample {sample}: not symmetric");
        }
    }
    let exact = exact_hessian(element, x, size);
    let (values, _) = symmetric_eigen(exact);
    let (low, high) = values.iter().fold((0.0f64, 0.0f64), |(l, h), &v| (l.min(v), h.max(v)));
    if low >= -1e-7 * high {
        let error = distance(&exact.concat(), &hessian.concat());
        assert!(
            error <= 1e-5 * norm_of(&exact),
            "sample {sample}: Hessian off by {error} of {high}\n{hessian:?}\n{exact:?}"
        );
    }
}

/// Central differences of the gradient, made symmetric.
fn exact_hessian<E: Energy<f64, N>, const N: usize>(element: &E, x: &Points<N>, size: f64) -> Square<f64, 12> {
    let columns = differences(x, 1e-5 * size, |x| flat(&element.gradient(x)));
    let mut exact = [[0.0; 12]; 12];
    for i in 0..3 * N {
        for j in 0..3 * N {
            exact[i][j] = 0.5 * (columns[i][j] + columns[j][i]);
        }
    }
    exact
}

/// `hessian_psd` is the exact Hessian with its negative eigenvalues removed, in the coordinates of the corners from
/// `first` on. Elements that clamp in the space of F pass with the unit corner simplex as rest shape and `first` = 1:
/// there the corners but the first are the columns of F.
pub fn check_spectral<E: Energy<f64, N>, const N: usize>(element: &E, rest: &Points<N>, first: usize) {
    let mut clamped = 0;
    // Scaled alike along all axes: repeated singular values.
    let uniform = [0.6, 1.5].map(|s| rest.map(|p| p * s));
    for (k, x) in samples(rest).iter().chain(&uniform).enumerate() {
        let (mut exact, mut found) = (exact_hessian(element, x, size(rest)), dense(&element.hessian_psd(x)));
        for m in [&mut exact, &mut found] {
            for i in 0..12 {
                for j in 0..12 {
                    if i.min(j) < 3 * first {
                        m[i][j] = 0.0;
                    }
                }
            }
        }
        let expected = project_psd(exact);
        clamped += usize::from(distance(&expected.concat(), &exact.concat()) > 1e-3 * norm_of(&exact));
        let error = distance(&expected.concat(), &found.concat());
        assert!(
            error <= 1e-5 * norm_of(&exact),
            "sample {k}: off by {error} of {}\n{found:?}\n{expected:?}",
            norm_of(&exact)
        );
    }
    assert!(clamped > 3, "only {clamped} samples have negative eigenvalues");
}

/// The unit corner tetrahedron: rest shape whose corners 1, 2, 3 are the columns of F.
pub const UNIT_TET: [Vec3<f64>; 4] =
    [Vec3::ZERO, Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0)];

/// The unit corner triangle.
pub const UNIT_TRIANGLE: [Vec3<f64>; 3] = [Vec3::ZERO, Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)];

/// How many samples have an exact Hessian that is positive semi-definite: the comparison must not be vacuous.
pub fn count_convex_samples<E: Energy<f64, N>, const N: usize>(element: &E, rest: &Points<N>) -> usize {
    let convex = |x: &Points<N>| {
        let (values, _) = symmetric_eigen(exact_hessian(element, x, size(rest)));
        let (low, high) = values.iter().fold((0.0f64, 0.0f64), |(l, h), &v| (l.min(v), h.max(v)));
        low >= -1e-7 * high && high > 0.0
    };
    samples(rest).iter().filter(|x| convex(x)).count()
}

fn check_finite<R: Real, E: Energy<R, N>, const N: usize>(element: &E, x: &[Vec3<R>; N]) {
    assert!(element.value(x).is_finite(), "{}: value at {x:?}", R::NAME);
    let gradient = element.gradient(x);
    assert!(gradient.iter().all(|g| g.is_finite()), "{}: gradient {gradient:?} at {x:?}", R::NAME);
    let hessian = element.hessian_psd(x);
    // Some energies are small differences of large terms.
    let rounding = R::EPSILON.f64() * norm_of(&dense(&hessian)) * size(&x.map(Vec3::cast::<f64>)).powi(2);
    assert!(element.value(x).f64() >= -rounding, "{}: value {} at {x:?}", R::NAME, element.value(x));
    assert!(hessian.iter().flatten().all(|b| b.is_finite()), "{}: Hessian {hessian:?} at {x:?}", R::NAME);
    let (values, _) = symmetric_eigen(dense(&hessian));
    let (low, high) = values.iter().fold((0.0f64, 0.0f64), |(l, h), &v| (l.min(v), h.max(v)));
    assert!(low >= -200.0 * R::EPSILON.f64() * high, "{}: eigenvalue {low} beside {high} at {x:?}", R::NAME);
}

fn check_nasty<E: Energy<f64, N>, S: Energy<f32, N>, const N: usize>(element: &E, single: &S, rest: &Points<N>) {
    for x in nasty(rest) {
        check_finite(element, &x);
        check_finite(single, &x.map(Vec3::cast::<f32>));
    }
}

fn check_single<E: Energy<f64, N>, S: Energy<f32, N>, const N: usize>(element: &E, single: &S, rest: &Points<N>) {
    for (k, x) in samples(rest).iter().enumerate() {
        let narrow = x.map(Vec3::cast::<f32>);
        let same = narrow.map(Vec3::cast::<f64>);
        let hessian = dense(&element.hessian_psd(&same));
        let scale = norm_of(&hessian) * size(rest);
        let (a, b) = (flat(&element.gradient(&same)), flat(&single.gradient(&narrow)));
        assert!(distance(&a, &b) <= 1e-4 * (scale + norm(&a)), "sample {k}: f64 gradient {a:?}, f32 {b:?}");
        let (a, b) = (element.value(&same), single.value(&narrow).f64());
        assert!((a - b).abs() <= 1e-4 * (scale * size(rest) + a), "sample {k}: f64 value {a}, f32 {b}");
    }
}

/// Elements from a micrometre to ten kilometres: nothing is NaN, and the gradient still meets finite differences.
pub fn check_scales<E, S, const N: usize>(rest: &Points<N>, build: impl Fn(Points<N>) -> E, cast: impl Fn(&E) -> S)
where
    E: Energy<f64, N>,
    S: Energy<f32, N>,
{
    for scale in [1e-6, 1e-3, 1e2, 1e4] {
        let rest = rest.map(|p| p * scale);
        let element = build(rest);
        let single = cast(&element);
        check_nasty(&element, &single, &rest);
        let mut random = SplitMix(5);
        for k in 0..12 {
            let (turn, size) = (rotation(&mut random), size(&rest));
            let x = rest.map(|p| turn * (p + vector(&mut random) * (0.1 * k as f64 * size)));
            check_finite(&single, &x.map(Vec3::cast::<f32>));
            check_derivatives(&element, &x, size, k);
        }
    }
}

/// gradient = stiffness · x − project, everywhere; and projecting what has been projected changes nothing.
pub fn check_projective<E, S, const N: usize>(element: &E, single: &S, rest: &Points<N>)
where
    E: Projective<f64, N>,
    S: Projective<f32, N>,
{
    let stiffness = element.stiffness();
    let (values, vectors) = symmetric_eigen(stiffness);
    let high = values.iter().fold(0.0, |m: f64, &v| m.max(v));
    assert!(values.iter().all(|&v| v >= -1e-12 * high), "stiffness {stiffness:?}");
    let pseudo_inverse = |b: &Points<N>| -> Points<N> {
        let mut out = [Vec3::ZERO; N];
        for k in (0..N).filter(|&k| values[k] > 1e-9 * high) {
            let along = (0..N).fold(Vec3::ZERO, |s, i| s + b[i] * vectors[k][i]) * (1.0 / values[k]);
            for i in 0..N {
                out[i] += along * vectors[k][i];
            }
        }
        out
    };
    let applied = |x: &Points<N>| -> Points<N> {
        std::array::from_fn(|i| (0..N).fold(Vec3::ZERO, |s, j| s + x[j] * stiffness[i][j]))
    };
    for x in samples(rest).into_iter().chain(nasty(rest)) {
        let (gradient, projection, force) = (element.gradient(&x), element.project(&x), applied(&x));
        let expected: Points<N> = std::array::from_fn(|i| force[i] - projection[i]);
        let reach = x.iter().map(|p| p.length()).fold(size(rest), f64::max);
        let error = distance(&flat(&gradient), &flat(&expected));
        assert!(error <= 1e-11 * high * reach, "gradient {gradient:?}, stiffness x - p {expected:?} at {x:?}");
        check_finite_vectors(&single.project(&x.map(Vec3::cast::<f32>)));
    }
    for x in samples(rest) {
        let projection = element.project(&x);
        let satisfied = pseudo_inverse(&projection);
        let again = element.project(&satisfied);
        let error = distance(&flat(&projection), &flat(&again));
        assert!(error <= 1e-8 * high * size(rest), "{projection:?} projected again is {again:?}");
        assert!(element.value(&satisfied) <= 1e-12 * high * size(rest).powi(2), "{}", element.value(&satisfied));
    }
}

fn check_finite_vectors<R: Real, const N: usize>(v: &[Vec3<R>; N]) {
    assert!(v.iter().all(|p| p.is_finite()), "{}: {v:?}", R::NAME);
}

/// ½C²/α is the energy, and ∇C is the gradient of C.
pub fn check_compliant<E, S, const N: usize>(element: &E, single: &S, rest: &Points<N>)
where
    E: Compliant<f64, N>,
    S: Compliant<f32, N>,
{
    let compliance = element.compliance();
    for x in samples(rest) {
        let (c, gradient) = element.constraint(&x);
        let value = element.value(&x);
        assert!((0.5 * c * c / compliance - value).abs() <= 1e-10 * value + 1e-300, "C = {c}, energy {value}");
        let force = element.gradient(&x);
        let expected = gradient.map(|g| g * (c / compliance));
        let error = distance(&flat(&force), &flat(&expected));
        assert!(error <= 1e-9 * norm(&flat(&force)), "gradient {force:?}, C grad C / alpha {expected:?}");
        let numeric = differences(&x, 1e-6 * size(rest), |x| vec![element.constraint(x).0]).concat();
        let error = distance(&flat(&gradient), &numeric);
        if c != 0.0 {
            assert!(error <= 1e-5 * norm(&numeric), "C = {c}, grad {gradient:?}, differences {numeric:?}");
        }
    }
    for x in nasty(rest) {
        let (c, gradient) = element.constraint(&x);
        assert!(c.is_finite());
        check_finite_vectors(&gradient);
        let (c, gradient) = single.constraint(&x.map(Vec3::cast::<f32>));
        assert!(c.is_finite());
        check_finite_vectors(&gradient);
    }
}

/// A tetrahedron without symmetry, m.
pub const TET: [Vec3<f64>; 4] =
    [Vec3::new(0.1, 0.0, 0.05), Vec3::new(1.0, 0.1, 0.0), Vec3::new(0.2, 0.9, 0.1), Vec3::new(0.0, 0.15, 1.1)];

/// A triangle without symmetry, in no coordinate plane, m.
pub const TRIANGLE: [Vec3<f64>; 3] = [Vec3::new(0.1, 0.0, 0.05), Vec3::new(1.0, 0.1, 0.2), Vec3::new(0.2, 0.9, 0.1)];

/// A flat hinge: edge_a, edge_b, opposite_0, opposite_1, m.
pub const FLAT_HINGE: [Vec3<f64>; 4] =
    [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.1), Vec3::new(0.3, 0.0, 0.9), Vec3::new(0.6, 0.0, -0.8)];

/// A folded hinge, m.
pub const FOLDED_HINGE: [Vec3<f64>; 4] =
    [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.1), Vec3::new(0.3, 0.5, 0.9), Vec3::new(0.6, 0.1, -0.8)];
