//! The selftest on the adapter there is, which is lavapipe where there is no hardware.

mod required;

use pliant_gpu::selftest::{Check, Extent, Suite};
use pliant_gpu::{Choice, Gpu, GpuError, Trust};

/// A GPU; `None`, with a line that says so, where there is none and none is required.
fn gpu(trust: Trust) -> Option<Gpu> {
    match Gpu::open_with(&Choice::Any, trust) {
        Ok(gpu) => Some(gpu),
        Err(error) => {
            assert!(matches!(error, GpuError::NoAdapter { .. }), "{error}");
            required::skip_without_gpu(false);
            None
        }
    }
}

fn passes(suite: &Suite, trust: Trust) {
    let Some(mut gpu) = gpu(trust) else { return };
    let checks = suite.run(&mut gpu, &mut |_| {}).unwrap();
    assert_eq!(checks.len(), suite.count(&gpu));
    let nearest = checks.iter().filter(|check| check.bound > 0.0).max_by(|a, b| share(a).total_cmp(&share(b)));
    println!("{trust:?}: nearest to its bound came {nearest:?}");
    let failed: Vec<&Check> = checks.iter().filter(|check| !check.passed).collect();
    assert!(failed.is_empty(), "{trust:?}: {failed:#?}");
}

fn share(check: &Check) -> f64 {
    check.error / check.bound
}

#[test]
fn every_verb_and_whole_steps_are_right_with_checked_shaders_up_to_a_million_vertices() {
    passes(&Suite::new(Extent::Large).unwrap(), Trust::Checked);
}

#[test]
fn every_verb_and_whole_steps_are_right_with_trusted_shaders() {
    passes(&Suite::new(Extent::Usual).unwrap(), Trust::Trusted);
}
