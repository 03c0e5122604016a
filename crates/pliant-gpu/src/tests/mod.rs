//! Tests on the best adapter there is, which is lavapipe where there is no hardware.

mod close;
mod colouring;
mod faults;
mod multigrid;
mod recording;
mod reductions;
mod rings;
mod shaders;
mod verbs;

#[path = "../../tests/required/mod.rs"]
mod required;

use crate::{Choice, Field, Gpu, GpuError, Trust};

const BOTH: [Trust; 2] = [Trust::Checked, Trust::Trusted];

/// A GPU; `None`, with a line that says so, where there is none and none is required.
pub(crate) fn gpu(trust: Trust) -> Option<Gpu> {
    match Gpu::open_with(&Choice::Any, trust) {
        Ok(gpu) => Some(gpu),
        Err(error) => {
            assert!(matches!(error, GpuError::NoAdapter { .. }), "{error}");
            required::skip_without_gpu(false);
            None
        }
    }
}

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
    gpu.recorder.write_points(&field, values.iter().copied());
    field
}

fn download(gpu: &mut Gpu, field: &Field) -> Vec<[f64; 3]> {
    let mut out = vec![[f64::NAN; 3]; field.len()];
    gpu.recorder.read_points(field, |i, x| out[i] = x).unwrap();
    out
}
