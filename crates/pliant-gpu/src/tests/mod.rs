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
use pliant::math::SplitMix;

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

/// Repeatable points in [−1, 1), multiples of 2⁻²³: exact in `f32`.
fn points(seed: u64, n: usize) -> Vec<[f64; 3]> {
    let mut random = SplitMix(seed);
    (0..n).map(|_| random.point().map(|c| (c * 8388608.0).floor() / 8388608.0)).collect()
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
