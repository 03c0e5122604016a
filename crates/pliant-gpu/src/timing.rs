//! How long sweeps take, and how long their bytes take to stream.

use crate::buffer::Buffer;
use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::kernel::Access;
use crate::problem::{CountParameters, GpuProblem};
use pliant::device::{Blend, Device};
use std::time::{Duration, Instant};

impl Gpu {
    /// Seconds per Jacobi-Chebyshev iteration of a problem as it is cut now: the shortest of five rounds that last `round`
    /// each, wall clock, from the first recorded iteration to the last one done.
    pub fn time_sweeps(&mut self, problem: &mut GpuProblem, round: Duration) -> Result<f64, GpuError> {
        let [mut x, mut x_before] = [(); 2].map(|()| self.points(problem));
        let rest = problem.model.rest_x.clone();
        self.write(&rest, &mut x);
        self.write(&rest, &mut x_before);
        let blends = [Blend { omega: 1.0, under_relaxation: 0.9 }; 96];
        let mut run = |gpu: &mut Gpu, times: usize| -> Result<f64, GpuError> {
            let begun = Instant::now();
            for _ in 0..times {
                gpu.jacobi(problem, &mut x, &mut x_before, &blends, None);
            }
            gpu.finish()?;
            Ok(begun.elapsed().as_secs_f64() / (times * blends.len()) as f64)
        };
        run(self, 1)?;
        let once = run(self, 1)?;
        let times = (round.as_secs_f64() / (once * blends.len() as f64)).clamp(1.0, 1e4) as usize;
        let mut best = f64::INFINITY;
        for _ in 0..5 {
            best = best.min(run(self, times)?);
        }
        Ok(best)
    }

    /// Seconds it takes to stream `bytes`, of which `written` are written and the rest is read: a kernel that does nothing
    /// else, repeated without waiting.
    pub fn time_streaming(&mut self, bytes: u64, written: u64, round: Duration) -> Result<f64, GpuError> {
        let (reads, writes) = ((bytes - written).div_ceil(16), written.div_ceil(16));
        let text =
            format!("const READS: u32 = {}u;\n{}", reads.div_ceil(writes.max(1)), include_str!("kernels/stream.wgsl"));
        let kernel =
            self.library.kernel::<CountParameters>("stream", &text, "stream", &[Access::Read, Access::Write])?;
        let from = Buffer::new(&self.context, "stream", 16 * reads.div_ceil(writes.max(1)) * writes)?;
        let to =
            [Buffer::new(&self.context, "stream", 16 * writes)?, Buffer::new(&self.context, "stream", 16 * writes)?];
        let n = writes as u32;
        let mut run = |gpu: &mut Gpu, times: usize| -> Result<f64, GpuError> {
            let begun = Instant::now();
            for k in 0..times {
                gpu.recorder.run(&kernel, &[&from, &to[k % 2]], &CountParameters { n }, n);
            }
            gpu.finish()?;
            Ok(begun.elapsed().as_secs_f64() / times as f64)
        };
        run(self, 100)?;
        let once = run(self, 100)?;
        let times = (round.as_secs_f64() / once).clamp(100.0, 1e6) as usize;
        let mut best = f64::INFINITY;
        for _ in 0..5 {
            best = best.min(run(self, times)?);
        }
        Ok(best)
    }
}
