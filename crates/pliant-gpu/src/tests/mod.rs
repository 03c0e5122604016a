//! Tests on the first adapter there is, which is lavapipe where there is no hardware.

mod verbs;

use crate::{Choice, Gpu, GpuError, Trust};

/// A GPU; `None`, with a line that says so, where there is none and none is required.
fn gpu(trust: Trust) -> Option<Gpu> {
    match Gpu::open_with(&Choice::Any, trust) {
        Ok(gpu) => Some(gpu),
        Err(error) => {
            assert!(matches!(error, GpuError::NoAdapter { .. }), "{error}");
            let required = ["CI", "PLIANT_REQUIRE_GPU"].into_iter().find(|name| std::env::var_os(name).is_some());
            assert!(required.is_none(), "{error}, and {required:?} is set");
            println!("skipped: {error}");
            None
        }
    }
}
