//! Every verb against a loop in `f64`.

use super::{BOTH, download, gpu, points, upload};
use crate::{Gpu, Trust};
use pliant::device::{Blend, Factor, Slot};

const SIZES: [usize; 7] = [0, 1, 63, 64, 65, 1000, 1_000_000];

/// Half a unit in the last place of 1: the relative error of one rounding.
const ROUNDING: f64 = f32::EPSILON as f64 / 2.0;

/// All components equal `expected` within `bound`.
fn assert_close(found: &[[f64; 3]], expected: impl Fn(usize, usize) -> f64, bound: f64) {
    for (i, x) in found.iter().enumerate() {
        for k in 0..3 {
            let e = expected(i, k);
            assert!((x[k] - e).abs() <= bound, "of {}, [{i}][{k}] is {}, not {e}", found.len(), x[k]);
        }
    }
}

/// Slots 4, 5 and 6 become 3, 4 and 0.
fn set_scalars(gpu: &mut Gpu) {
    gpu.recorder.write(&gpu.vector.scalars, 8 * 4, &[[3f32, 0.0], [4.0, 0.0], [0.0, 0.0]]);
}

#[test]
fn copy_and_clear_are_exact() {
    for trust in BOTH {
        let Some(mut gpu) = gpu(trust) else { return };
        for n in SIZES {
            let x = points(1, n);
            let (from, to) = (upload(&mut gpu, &x), upload(&mut gpu, &points(2, n)));
            gpu.vector.copy(&mut gpu.recorder, &from, &to);
            assert!(download(&mut gpu, &to) == x, "{n}");
            gpu.vector.clear(&mut gpu.recorder, &to);
            assert!(download(&mut gpu, &to).iter().all(|x| *x == [0.0; 3]), "{n}");
            assert!(download(&mut gpu, &from) == x, "{n}: the other field is as it was");
        }
    }
}

/// |x|, |y| ≤ 1 and |a| ≤ 1: product and sum round once each, at sizes up to 1 and 2, and a quotient has an error of
/// 2.5 units in the last place (Vulkan's bound): 1 + 2 + 5 roundings of 1.
#[test]
fn axpy_and_xpay_with_every_factor() {
    let (three, four, none) = (Slot(4), Slot(5), Slot(6));
    let factors = [
        (Factor::Value(0.75), 0.75),
        (Factor::Value(-1.0 / 3.0), f64::from(-1f32 / 3.0)),
        (Factor::Ratio(three, four), 0.75),
        (Factor::MinusRatio(three, four), -0.75),
        (Factor::Ratio(three, none), 0.0),
        (Factor::MinusRatio(none, none), 0.0),
    ];
    for trust in BOTH {
        let Some(mut gpu) = gpu(trust) else { return };
        set_scalars(&mut gpu);
        for n in SIZES {
            let (x, y) = (points(1, n), points(2, n));
            let (fx, fy) = (upload(&mut gpu, &x), upload(&mut gpu, &y));
            for (factor, a) in factors {
                gpu.recorder.write_points(&fy, y.iter().copied());
                gpu.vector.axpy(&mut gpu.recorder, factor, &fx, &fy);
                assert_close(&download(&mut gpu, &fy), |i, k| y[i][k] + a * x[i][k], 8.0 * ROUNDING);
                gpu.recorder.write_points(&fy, y.iter().copied());
                gpu.vector.xpay(&mut gpu.recorder, &fx, factor, &fy);
                assert_close(&download(&mut gpu, &fy), |i, k| x[i][k] + a * y[i][k], 8.0 * ROUNDING);
            }
        }
    }
}

/// Five roundings of intermediate sizes 2, 2, 4, 6, 7, the first three enlarged by ω ≤ 1.5, and those of ω and γ: at most
/// 33 roundings of 1.
#[test]
fn blend_is_the_course_formula() {
    for trust in BOTH {
        let Some(mut gpu) = gpu(trust) else { return };
        for n in SIZES {
            let (x_hat, x, before) = (points(1, n), points(2, n), points(3, n));
            let fields = [&x_hat, &x, &before].map(|values| upload(&mut gpu, values));
            for (omega, gamma) in [(1.0, 1.0), (1.5, 0.9)] {
                gpu.recorder.write_points(&fields[2], before.iter().copied());
                let blend = Blend { omega, under_relaxation: gamma };
                gpu.vector.blend(&mut gpu.recorder, &fields[0], &fields[1], &fields[2], blend);
                let expected = |i: usize, k: usize| {
                    omega * (gamma * (x_hat[i][k] - x[i][k]) + x[i][k] - before[i][k]) + before[i][k]
                };
                assert_close(&download(&mut gpu, &fields[2]), expected, 33.0 * ROUNDING);
            }
        }
    }
}

/// a · b and Σ|a b|. Points are multiples of 2⁻²³, so integers give the sum without error.
fn exact_dot(a: &[[f64; 3]], b: &[[f64; 3]]) -> (f64, f64) {
    let whole = |x: f64| (x * 8388608.0) as i128;
    let terms = || a.as_flattened().iter().zip(b.as_flattened()).map(|(a, b)| whole(*a) * whole(*b));
    let real = |sum: i128| sum as f64 / 8388608f64.powi(2);
    (real(terms().sum()), real(terms().map(i128::abs).sum()))
}

/// Products are exact to 2⁻⁴⁷, a sum of pairs to 2⁻⁴⁶ of its size, and at most 2 + 8 + 16 + 8 sums lie above each of a
/// million points: 34·2⁻⁴⁶ = 5·10⁻¹³ of Σ|a b|.
#[test]
fn dot_keeps_48_bits() {
    for trust in BOTH {
        let Some(mut gpu) = gpu(trust) else { return };
        for n in SIZES {
            let (a, b) = (points(1, n), points(2, n));
            let (fa, fb) = (upload(&mut gpu, &a), upload(&mut gpu, &b));
            gpu.recorder.write(&gpu.vector.scalars, 0, &[[7f32; 2]; 8]);
            gpu.vector.dot(&mut gpu.recorder, &fa, &fb, Slot(3));
            let found = gpu.vector.scalars(&mut gpu.recorder).unwrap();
            let (expected, size) = exact_dot(&a, &b);
            assert!((found[3] - expected).abs() <= 5e-13 * size, "{n}: {} is not {expected}", found[3]);
            assert_eq!([found[2], found[4]], [14.0; 2], "neighbours are as they were");
            gpu.vector.dot(&mut gpu.recorder, &fa, &fa, Slot(3));
            let found = gpu.vector.scalars(&mut gpu.recorder).unwrap()[3];
            let (expected, size) = exact_dot(&a, &a);
            println!("{n}: relative error {:e}", (found - expected).abs() / size);
            assert!((found - expected).abs() <= 5e-13 * size, "{n}: {found} is not {expected}");
        }
    }
}

#[test]
fn dot_ignores_the_fourth_component_and_survives_cancellation() {
    let Some(mut gpu) = gpu(Trust::Checked) else { return };
    let (a, b) = (gpu.field("a", 2).unwrap(), gpu.field("b", 2).unwrap());
    gpu.recorder.write(&a.buffer, 0, &[[1e3f32, 1.0, 3.0, 9.0], [-1e3, 0.0, 0.0, 9.0]]);
    gpu.recorder.write(&b.buffer, 0, &[[1e3f32, 1e-6, 2.0, 9.0], [1e3, 0.0, 0.0, 9.0]]);
    gpu.vector.dot(&mut gpu.recorder, &a, &b, Slot(0));
    let expected = 6.0 + f64::from(1e-6f32);
    let found = gpu.vector.scalars(&mut gpu.recorder).unwrap()[0];
    // Before 10⁶ cancels, 48 bits resolve 4·10⁻⁹; plain f32 would resolve 0.06.
    assert!((found - expected).abs() < 1e-8, "{found}");
}

#[test]
fn scalars_are_copied_in_order() {
    let Some(mut gpu) = gpu(Trust::Checked) else { return };
    set_scalars(&mut gpu);
    gpu.vector.copy_scalar(&mut gpu.recorder, Slot(5), Slot(31));
    gpu.vector.copy_scalar(&mut gpu.recorder, Slot(4), Slot(5));
    let found = gpu.vector.scalars(&mut gpu.recorder).unwrap();
    assert_eq!([found[4], found[5], found[31], found[30]], [3.0, 3.0, 4.0, 0.0]);
}

#[test]
fn two_runs_give_the_same_bits() {
    let run = |trust| {
        let mut gpu = gpu(trust)?;
        let n = 100_000;
        let (x, y) = (upload(&mut gpu, &points(1, n)), upload(&mut gpu, &points(2, n)));
        for _ in 0..20 {
            gpu.vector.dot(&mut gpu.recorder, &x, &y, Slot(0));
            gpu.vector.dot(&mut gpu.recorder, &y, &y, Slot(1));
            gpu.vector.axpy(&mut gpu.recorder, Factor::MinusRatio(Slot(0), Slot(1)), &y, &x);
            gpu.vector.xpay(&mut gpu.recorder, &x, Factor::Value(0.5), &y);
        }
        let bits = |x: &[[f64; 3]]| x.iter().flatten().map(|x| x.to_bits()).collect::<Vec<_>>();
        Some((bits(&download(&mut gpu, &x)), gpu.vector.scalars(&mut gpu.recorder).unwrap().map(f64::to_bits)))
    };
    for trust in BOTH {
        assert!(run(trust) == run(trust), "{trust:?}");
    }
}

#[test]
fn nothing_is_recorded_for_no_points() {
    let Some(mut gpu) = gpu(Trust::Checked) else { return };
    let [x, y, z] = [(); 3].map(|()| gpu.field("empty", 0).unwrap());
    gpu.vector.copy(&mut gpu.recorder, &x, &y);
    gpu.vector.clear(&mut gpu.recorder, &x);
    gpu.vector.axpy(&mut gpu.recorder, Factor::Value(1.0), &x, &y);
    gpu.vector.xpay(&mut gpu.recorder, &x, Factor::Value(1.0), &y);
    gpu.vector.blend(&mut gpu.recorder, &x, &y, &z, Blend { omega: 1.0, under_relaxation: 1.0 });
    assert_eq!(gpu.recorder.dispatches(), 0);
    gpu.vector.dot(&mut gpu.recorder, &x, &y, Slot(0));
    assert_eq!(gpu.recorder.dispatches(), 1, "only the second stage, which writes 0");
}
