//! Faults are errors, never panics.

use super::{gpu, points, upload};
use crate::buffer::Buffer;
use crate::kernel::Module;
use crate::{Choice, Gpu, GpuError, Trust};
use pliant::device::{Factor, Slot};

#[test]
fn a_name_that_no_gpu_has_is_refused() {
    let name = "Voodoo 2";
    let there: Vec<_> = crate::adapters().into_iter().map(|info| info.name).collect();
    let error = Gpu::open(&Choice::Named(name.into())).unwrap_err();
    assert_eq!(error, GpuError::NotFound { name: name.into(), there: there.clone() });
    assert!(there.iter().all(|name| error.to_string().contains(name)), "{error}");
}

#[test]
fn adapters_are_described() {
    for info in crate::adapters() {
        println!("{info:?}");
        assert!(!info.name.is_empty() && !info.backend.is_empty());
        assert!(info.max_storage_binding_size <= info.max_buffer_size && info.max_invocations >= 64);
    }
    if let Some(gpu) = gpu(Trust::Checked) {
        assert!(crate::adapters().contains(gpu.info()));
        let named = Gpu::open(&Choice::Named(gpu.info().name.to_uppercase())).unwrap();
        assert_eq!(named.info(), gpu.info());
    }
}

#[test]
fn a_field_larger_than_a_binding_is_refused_with_both_sizes() {
    let Some(gpu) = gpu(Trust::Checked) else { return };
    let limit = gpu.info().max_storage_binding_size.min(gpu.info().max_buffer_size);
    let n = limit / 16 + 1;
    let error = gpu.field("velocities", n as usize).unwrap_err();
    assert_eq!(error, GpuError::TooLarge { name: "velocities".into(), bytes: 16 * n, limit });
    assert!(gpu.field("velocities", usize::MAX).is_err());
    gpu.check().unwrap();
}

#[test]
fn a_lost_device_is_an_error() {
    let Some(mut gpu) = gpu(Trust::Checked) else { return };
    let (x, y) = (upload(&mut gpu, &points(1, 1000)), upload(&mut gpu, &points(2, 1000)));
    gpu.vector.axpy(&mut gpu.recorder, Factor::Value(1.0), &x, &y);
    let ticket = gpu.recorder.request_read(&x.buffer, 0..16).unwrap();
    gpu.context.device.destroy();
    for _ in 0..60 {
        gpu.vector.dot(&mut gpu.recorder, &x, &y, Slot(0));
    }
    gpu.recorder.write_points(&x, points(1, 1000).into_iter());
    let lost = |error: GpuError| assert!(matches!(error, GpuError::Lost { .. }), "{error}");
    lost(gpu.recorder.read_points(&x, |_, _| ()).unwrap_err());
    lost(gpu.vector.scalars(&mut gpu.recorder).unwrap_err());
    lost(gpu.recorder.wait(ticket, |_| ()).unwrap_err());
    lost(gpu.finish().unwrap_err());
    lost(gpu.check().unwrap_err());
    lost(gpu.field("field", 10).unwrap_err());
    lost(Module::new(&gpu.context, "empty", "").unwrap_err());
}

#[test]
fn a_device_lost_between_two_recordings_is_an_error() {
    let Some(mut gpu) = gpu(Trust::Trusted) else { return };
    let x = upload(&mut gpu, &points(1, 1000));
    gpu.vector.clear(&mut gpu.recorder, &x);
    gpu.context.device.destroy();
    let error = gpu.finish().unwrap_err();
    assert!(matches!(error, GpuError::Lost { .. }), "{error}");
}

#[test]
fn shaders_that_are_wrong_say_where() {
    let Some(gpu) = gpu(Trust::Checked) else { return };
    let error = Module::new(&gpu.context, "broken", "fn f() -> f32 { return 1u; }").unwrap_err();
    assert!(matches!(&error, GpuError::Invalid { what, .. } if what == "shader broken"), "{error}");
    let module = Module::new(&gpu.context, "good", "@compute @workgroup_size(GROUP) fn f() {}").unwrap();
    let error = module.kernel::<()>("g", &[]).unwrap_err();
    assert!(matches!(&error, GpuError::Invalid { what, .. } if what == "kernel good.g"), "{error}");
    module.kernel::<()>("f", &[]).unwrap();
    gpu.check().unwrap();
}

#[test]
fn misuse_is_reported_at_the_next_wait() {
    let Some(mut gpu) = gpu(Trust::Checked) else { return };
    let x = upload(&mut gpu, &points(1, 4));
    // Read and written by one kernel.
    gpu.vector.axpy(&mut gpu.recorder, Factor::Value(1.0), &x, &x);
    let error = gpu.recorder.read_points(&x, |_, _| ()).unwrap_err();
    assert!(matches!(error, GpuError::Invalid { .. }), "{error}");
    assert_eq!(gpu.check(), Err(error), "and stays");
}

#[test]
fn copies_outside_of_a_buffer_are_refused() {
    let Some(mut gpu) = gpu(Trust::Checked) else { return };
    let buffer = Buffer::new(&gpu.context, "small", 20).unwrap();
    assert!(gpu.recorder.read(&buffer, 0, &mut [0u8; 24]).is_err());
    let Some(mut gpu) = super::gpu(Trust::Checked) else { return };
    let x = upload(&mut gpu, &points(1, 4));
    gpu.recorder.write_points(&x, points(1, 5).into_iter());
    assert!(gpu.check().unwrap_err().to_string().contains("80 bytes at 0 of 64"));
}
