//! How long sweeps take, and how long their bytes take to stream.

use crate::buffer::Buffer;
use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::kernel::Access;
use crate::kernels::CountParameters;
use crate::problem::GpuProblem;
use pliant::step::bench::time_jacobi;
use std::time::Duration;

impl Gpu {
    /// Seconds per Jacobi-Chebyshev iteration of a problem as it is cut now, wall clock, after sweeping for as long as
    /// `warm`: an idle GPU needs a second to reach its clock.
    pub fn time_sweeps(&mut self, problem: &mut GpuProblem, warm: Duration) -> Result<f64, GpuError> {
        let model = problem.model.clone();
        time_jacobi(self, problem, &model.rest_x, warm, Self::finish)
    }

    /// Streams bytes by a kernel that does nothing else, and waits.
    pub fn stream_bytes(&mut self, [bytes, written]: [u64; 2], times: usize) -> Result<(), GpuError> {
        let writes = written.div_ceil(16).max(1);
        let reads = (bytes.saturating_sub(written)).div_ceil(16).div_ceil(writes);
        let text = format!("const READS: u32 = {reads}u;\n{}", include_str!("kernels/stream.wgsl"));
        let kernel =
            self.library.kernel::<CountParameters>("stream", &text, "stream", &[Access::Read, Access::Write])?;
        if self.streamed.as_ref().is_none_or(|(size, _)| *size != [reads, writes]) {
            let field = |vectors: u64| Buffer::new(&self.context, "stream", 16 * vectors);
            self.streamed = Some(([reads, writes], [field(reads * writes)?, field(writes)?, field(writes)?]));
        }
        let Some((_, [from, even, odd])) = &self.streamed else { return Ok(()) };
        let n = writes as u32;
        for k in 0..times {
            let to = if k % 2 == 0 { even } else { odd };
            self.recorder.run(&kernel, &[from, to], &CountParameters { n }, n);
        }
        self.finish()
    }
}
