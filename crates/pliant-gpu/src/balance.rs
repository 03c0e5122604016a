//! The motion of bodies as a whole after a solve, see `balance.wgsl`.

use crate::buffer::{Buffer, Field};
use crate::context::Context;
use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::kernel::{Access, GROUP, Kernel};
use crate::kernels::{Obstacles, sweep_text};
use crate::library::Library;
use crate::problem::GpuProblem;
use crate::touching::Touching;
use bytemuck::{Pod, Zeroable};
use pliant::device::{LEAST_SPREAD, MOST_TURN, Parts};
use pliant::model::{Model, System};
use std::sync::Arc;

/// Numbers that are summed over a part: see `Sum` in device/cpu/balance.rs.
const SUMS: usize = 32;
/// Bytes of a rigid motion: three vectors.
const MOTION: usize = 48;

/// What it is found with.
pub(crate) struct Balance {
    sum: Arc<Kernel>,
    settle: Arc<Kernel>,
    shift: Arc<Kernel>,
    gradient: Field,
    /// Where bodies do not feel each other: each part is alone.
    leaders: Buffer,
    sums: Buffer,
    motions: Buffer,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct BalanceParameters {
    n: u32,
    parts: u32,
}

/// The text of the kernels.
pub(crate) fn text(obstacles: Obstacles) -> String {
    let constants = format!(
        "const SUMS: u32 = {SUMS}u;\nconst LEAST_SPREAD: f32 = {LEAST_SPREAD:e};\nconst MOST_TURN: f32 = {MOST_TURN:e};\n"
    );
    sweep_text(obstacles, &(constants + include_str!("kernels/balance.wgsl")))
}

impl Balance {
    /// `None` where all is held.
    pub(crate) fn new(
        context: &Context,
        library: &mut Library,
        (model, system): (&Model, &System),
    ) -> Result<Option<Self>, GpuError> {
        let parts = Parts::new(model, system);
        if parts.is_held.iter().all(|&is_held| is_held) {
            return Ok(None);
        }
        use Access::{Read, Write};
        let access = [Write, Read, Read, Read, Read, Read, Read, Read, Write, Write];
        let text = text(Obstacles::of(model));
        let mut kernel = |entry: &str| library.kernel::<BalanceParameters>("balance", &text, entry, &access);
        let (sum, settle, shift) = (kernel("sum")?, kernel("settle")?, kernel("shift")?);
        let (n, count) = (model.vertices(), parts.is_held.len());
        let chunks = parts.vertices.rows().map(|part| part.len().div_ceil(GROUP as usize)).sum::<usize>();
        Ok(Some(Self {
            sum,
            settle,
            shift,
            gradient: Field::new(context, "gradient", n)?,
            leaders: Buffer::with(
                context,
                "leaders of parts",
                &(0..count as u32).map(|part| [part, 0]).collect::<Vec<_>>(),
            )?,
            sums: Buffer::new(context, "sums over parts", (8 * SUMS * chunks) as u64)?,
            motions: Buffer::new(context, "motion of parts", (MOTION * count) as u64)?,
        }))
    }
}

impl Gpu {
    /// Moves bodies, together with all they may touch in the step, as a whole to where E is least.
    pub(crate) fn balance_all(&mut self, problem: &mut GpuProblem, x: &Field) {
        let Some(balance) = problem.balance.take() else { return };
        self.gradient_at(problem, x, &balance.gradient);
        let chunks = &problem.chunks;
        let leaders = problem.touching.as_ref().map_or(&balance.leaders, Touching::leaders);
        let buffers = [
            &x.buffer,
            &balance.gradient.buffer,
            &problem.x_pull.buffer,
            &problem.colliders,
            &problem.touch,
            &chunks.chunks,
            &chunks.parts,
            leaders,
            &balance.sums,
            &balance.motions,
        ];
        let [of_chunks, of_parts] =
            [chunks.count, chunks.part_count].map(|n| BalanceParameters { n, parts: chunks.part_count });
        self.recorder.dispatch(&balance.sum, &buffers, &of_chunks, chunks.count);
        self.recorder.dispatch(&balance.settle, &buffers, &of_parts, chunks.part_count);
        self.recorder.dispatch(&balance.shift, &buffers, &of_chunks, chunks.count);
        problem.balance = Some(balance);
    }
}
