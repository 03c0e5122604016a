//! Gauss-Seidel on ∇E itself by colours: rows of springs and constant Hessians sorted by colour.

use crate::buffer::{Buffer, Field};
use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::kernel::{Access, GROUP, Kernel, SMALL_GROUP};
use crate::kernels::{Obstacles, force_text};
use crate::matrix::matrix_colouring;
use crate::problem::GpuProblem;
use crate::rows::{ForceRows, Groups};
use crate::sweep::force_buffers;
use crate::vector::Reduction;
use bytemuck::{Pod, Zeroable};
use pliant::device::Slot;
use std::sync::Arc;

/// What colours are relaxed with; made at the first use.
pub(crate) struct ByColour {
    rows: ForceRows,
    groups: Groups,
    relax: Arc<Kernel>,
    relax_residual: Arc<Kernel>,
    /// The first partial of each colour, and the number of all.
    partials: Vec<u32>,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct RelaxParameters {
    n: u32,
    first: u32,
    omega: f32,
    partial: u32,
}

/// The text of these kernels: those of sweeps write another field than they read, these do not.
pub(crate) fn text(has_slots: bool, obstacles: Obstacles) -> String {
    let text = force_text(has_slots, obstacles, include_str!("kernels/relax.wgsl"));
    text.replace("var<storage, read> x: ", "var<storage, read_write> x: ")
}

impl Gpu {
    fn make_by_colour(&mut self, problem: &mut GpuProblem) -> Result<(), GpuError> {
        let GpuProblem { model, system, order, .. } = &*problem;
        let colouring = matrix_colouring(&system.matrix);
        let classes = colouring.classes.rows();
        let (rows, groups) = ForceRows::grouped(&self.context, (model, system, order), classes)?;
        let text = text(problem.has_slots(), Obstacles::of(model));
        let mut access = [Access::Read; 14];
        (access[0], access[13]) = (Access::Write, Access::Write);
        let mut partials = vec![0];
        for [_, n] in &groups.ranges {
            partials.push(partials[partials.len() - 1] + n.div_ceil(GROUP));
        }
        let mut kernel =
            |group: u32, entry: &str| self.library.kernel_of::<RelaxParameters>(group, "relax", &text, entry, &access);
        let (relax, relax_residual) = (kernel(SMALL_GROUP, "relax")?, kernel(GROUP, "relax_residual")?);
        problem.by_colour = Some(ByColour { rows, groups, relax, relax_residual, partials });
        Ok(())
    }

    pub(crate) fn relax_colour(
        &mut self,
        problem: &mut GpuProblem,
        colour: usize,
        omega: f64,
        x: &Field,
        residual: Option<Slot>,
    ) {
        if problem.by_colour.is_none()
            && let Err(error) = self.make_by_colour(problem)
        {
            self.context.faults.report(error);
        }
        // Elements whose forces are in slots are projected anew for every colour, all of them: few more than are around it.
        self.fill_slots(problem, x);
        let Some(ByColour { rows, groups, relax, relax_residual, partials }) = &problem.by_colour else { return };
        let all = partials[groups.ranges.len()];
        if residual.is_some()
            && let Err(error) = self.vector.reserve(all, 1)
        {
            self.context.faults.report(error);
            return;
        }
        let [first, n] = groups.ranges[colour];
        let mut buffers: [&Buffer; 14] = [&problem.nothing.write[0]; 14];
        buffers[..12].copy_from_slice(&force_buffers(problem, x));
        buffers[3..6].copy_from_slice(&[&rows.slices, &rows.entries, &rows.pulls]);
        buffers[12] = &groups.vertices;
        let parameters = RelaxParameters { n, first, omega: omega as f32, partial: partials[colour] };
        let Some(slot) = residual else {
            self.recorder.run(relax, &buffers, &parameters, n);
            return;
        };
        buffers[13] = self.vector.partials();
        self.recorder.run(relax_residual, &buffers, &parameters, n);
        // What other colours left there is of the same sweep, or of the one before.
        self.vector.finish(&mut self.recorder, self.vector.partials(), all, &[(Reduction::Sum, slot)]);
    }
}
