//! The turn of free parts after a position-based solve: a workgroup per part.

use crate::buffer::{Buffer, Field};
use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::kernel::{Access, GROUP, Kernel};
use crate::kernels::CountParameters;
use crate::problem::GpuProblem;
use pliant::model::free_parts;
use std::sync::Arc;

/// Parts of a model that no pin holds, made when they are first turned.
pub(crate) struct FreeParts {
    offsets: Buffer,
    members: Buffer,
    count: u32,
    kernel: Arc<Kernel>,
}

impl Gpu {
    fn make_free_parts(&mut self, problem: &GpuProblem) -> Result<FreeParts, GpuError> {
        use Access::{Read, Write};
        let parts = free_parts(&problem.model, &problem.system);
        let members: Vec<u32> = parts.item.iter().map(|&i| problem.order.place[i as usize]).collect();
        let text = turn_text();
        let access = [Write, Read, Read, Read, Read, Read];
        Ok(FreeParts {
            offsets: Buffer::with(&self.context, "parts", &parts.offset)?,
            members: Buffer::with(&self.context, "vertices of parts", &members)?,
            count: parts.len() as u32,
            kernel: self.library.kernel::<CountParameters>("turn", &text, "turn", &access)?,
        })
    }

    pub(crate) fn turn_parts(&mut self, problem: &mut GpuProblem, x: &Field) {
        if problem.free_parts.is_none() {
            match self.make_free_parts(problem) {
                Ok(parts) => problem.free_parts = Some(parts),
                Err(error) => self.context.faults.report(error),
            }
        }
        let Some(FreeParts { offsets, members, count, kernel }) = &problem.free_parts else { return };
        if *count == 0 {
            return;
        }
        let buffers = [&x.buffer, &problem.x_tilde.buffer, &problem.inertia, &problem.before, offsets, members];
        self.recorder.run(kernel, &buffers, &CountParameters { n: *count }, count * GROUP);
    }
}

/// The text of the kernel.
pub(crate) fn turn_text() -> String {
    format!("{}\n{}", pliant::math::WGSL, include_str!("kernels/turn.wgsl"))
}
