//! Every verb against a loop in `f64`.

use super::gpu;
use crate::{Field, Gpu, Trust};
use pliant::device::{Blend, Factor, Slot};

const SIZES: [usize; 7] = [0, 1, 63, 64, 65, 1000, 1_000_000];

/// Repeatable points in [-1, 1], exact in `f32`.
fn points(seed: u64, n: usize) -> Vec<[f64; 3]> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        f64::from(((state >> 40) as f32 - 8388608.0) / 8388608.0)
    };
    (0..n).map(|_| [next(), next(), next()]).collect()
}

fn upload(gpu: &mut Gpu, values: &[[f64; 3]]) -> Field {
    let field = gpu.field("field", values.len()).unwrap();
    gpu.recorder.write_points(&field, values);
    field
}

fn download(gpu: &mut Gpu, field: &Field) -> Vec<[f64; 3]> {
    let mut out = vec![[f64::NAN; 3]; field.len()];
    gpu.recorder.read_points(field, &mut out).unwrap();
    out
}

/// Both are equal within `ulps` roundings of numbers up to 4.
fn assert_close(found: &[[f64; 3]], expected: impl Fn(usize, usize) -> f64, ulps: f64) {
    let bound = ulps * 4.0 * f64::from(f32::EPSILON);
    for (i, x) in found.iter().enumerate() {
        for k in 0..3 {
            let e = expected(i, k);
            assert!((x[k] - e).abs() <= bound, "[{i}][{k}] is {}, not {e}", x[k]);
        }
    }
}

#[test]
fn dot_keeps_48_bits() {
    for trust in [Trust::Checked, Trust::Trusted] {
        let Some(mut gpu) = gpu(trust) else { return };
        for n in SIZES {
            let (a, b) = (points(1, n), points(2, n));
            let (fa, fb) = (upload(&mut gpu, &a), upload(&mut gpu, &b));
            gpu.vector.dot(&mut gpu.recorder, &fa, &fb, Slot(3));
            let found = gpu.vector.scalars(&mut gpu.recorder).unwrap()[3];
            let terms = || a.iter().zip(&b).flat_map(|(a, b)| (0..3).map(|k| a[k] * b[k]));
            let (expected, size) = (terms().sum::<f64>(), terms().map(f64::abs).sum::<f64>());
            println!("{trust:?} {n}: {found} {expected} {:e}", (found - expected).abs() / size);
            assert!((found - expected).abs() <= 1e-13 * size, "{n}: {found} {expected}");
        }
    }
}

#[test]
fn axpy_and_blend() {
    let Some(mut gpu) = gpu(Trust::Checked) else { return };
    for n in SIZES {
        let (x, y, z) = (points(1, n), points(2, n), points(3, n));
        let (fx, fy, fz) = (upload(&mut gpu, &x), upload(&mut gpu, &y), upload(&mut gpu, &z));
        gpu.vector.axpy(&mut gpu.recorder, Factor::Value(0.75), &fx, &fy);
        assert_close(&download(&mut gpu, &fy), |i, k| y[i][k] + 0.75 * x[i][k], 1.0);
        gpu.recorder.write_points(&fy, &y);
        gpu.vector.blend(&mut gpu.recorder, &fx, &fz, &fy, Blend { omega: 1.5, under_relaxation: 0.9 });
        let blended = |i: usize, k: usize| y[i][k] + 1.5 * (0.9 * (x[i][k] - z[i][k]) + z[i][k] - y[i][k]);
        assert_close(&download(&mut gpu, &fy), blended, 4.0);
    }
}
