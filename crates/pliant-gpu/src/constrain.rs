//! Position-based sweeps: all constraints at once (Jacobi), or colour by colour (Gauss-Seidel, XPBD).

use crate::buffer::Field;
use crate::elements::{ColouredBatch, CorrectedBatch, ElementParameters};
use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::kernel::{Access, Kernel};
use crate::problem::GpuProblem;
use crate::slots::Slots;
use bytemuck::{Pod, Zeroable};
use std::sync::Arc;

/// Constraints on the device; each half is made at its first use.
#[derive(Default)]
pub(crate) struct Constraints {
    coloured: Option<Coloured>,
    jacobi: Option<Slotted>,
}

struct Coloured {
    batches: Vec<ColouredBatch>,
    /// Batch, and colour within it, of each colour.
    colours: Vec<(usize, usize)>,
}

struct Slotted {
    batches: Vec<CorrectedBatch>,
    slots: Slots,
    gather: Arc<Kernel>,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct GatherParameters {
    n: u32,
    relaxation: f32,
}

impl Gpu {
    fn make_coloured(&mut self, problem: &mut GpuProblem) -> Result<(), GpuError> {
        let n = problem.model.vertices();
        let (mut batches, mut colours) = (Vec::new(), Vec::new());
        for elements in &problem.model.elements {
            if let Some(batch) = ColouredBatch::new(&self.context, &mut self.library, n, elements, &problem.order)? {
                colours.extend((0..batch.colours.len()).map(|colour| (batches.len(), colour)));
                batches.push(batch);
            }
        }
        problem.constraints.get_or_insert_default().coloured = Some(Coloured { batches, colours });
        Ok(())
    }

    fn make_slotted(&mut self, problem: &mut GpuProblem) -> Result<(), GpuError> {
        let (mut batches, mut corners) = (Vec::new(), Vec::new());
        for elements in &problem.model.elements {
            let first = corners.len() as u32;
            let batch = CorrectedBatch::new(&self.context, &mut self.library, elements, &problem.order, first)?;
            if let Some(batch) = batch {
                corners.extend(CorrectedBatch::corners(elements, &problem.order));
                batches.push(batch);
            }
        }
        use Access::{Read, Write};
        let (text, access) = (include_str!("kernels/gather.wgsl"), [Read, Write, Read, Read]);
        problem.constraints.get_or_insert_default().jacobi = Some(Slotted {
            batches,
            slots: Slots::new(&self.context, problem.model.vertices(), &corners)?,
            gather: self.library.kernel::<GatherParameters>("gather", text, "gather", &access)?,
        });
        Ok(())
    }

    fn ensure_coloured(&mut self, problem: &mut GpuProblem) {
        if problem.constraints.as_ref().is_none_or(|c| c.coloured.is_none()) {
            let made = self.make_coloured(problem);
            made.unwrap_or_else(|error| self.context.faults.report(error));
        }
    }

    pub(crate) fn constraint_colour_count(&mut self, problem: &mut GpuProblem) -> usize {
        self.ensure_coloured(problem);
        let coloured = problem.constraints.as_ref().and_then(|c| c.coloured.as_ref());
        coloured.map_or(0, |coloured| coloured.colours.len())
    }

    pub(crate) fn clear_multipliers(&mut self, problem: &mut GpuProblem) {
        self.ensure_coloured(problem);
        let Some(coloured) = problem.constraints.as_ref().and_then(|c| c.coloured.as_ref()) else { return };
        for batch in &coloured.batches {
            self.recorder.clear(&batch.multipliers);
        }
    }

    pub(crate) fn correct_colour(&mut self, problem: &mut GpuProblem, colour: usize, extended: bool, x: &Field) {
        self.ensure_coloured(problem);
        let Some(coloured) = problem.constraints.as_ref().and_then(|c| c.coloured.as_ref()) else { return };
        let (batch, class) = coloured.colours[colour];
        let batch = &coloured.batches[batch];
        let [first, n] = batch.colours[class];
        let nothing = &problem.nothing.write;
        let buffers = [
            &batch.data,
            &batch.stencils,
            &x.buffer,
            &nothing[0],
            &nothing[1],
            &problem.inv_mass,
            &batch.multipliers,
            &problem.nothing.read,
        ];
        let inv_h_sq = (1.0 / (problem.system.h * problem.system.h)) as f32;
        let parameters = ElementParameters { n, first, inv_h_sq, extended: u32::from(extended) };
        self.recorder.run(&batch.correct_colour, &buffers, &parameters, n);
    }

    pub(crate) fn correct_all(&mut self, problem: &mut GpuProblem, relaxation: f64, x: &Field, x_hat: &Field) {
        if problem.constraints.as_ref().is_none_or(|c| c.jacobi.is_none())
            && let Err(error) = self.make_slotted(problem)
        {
            self.context.faults.report(error);
        }
        let Some(slotted) = problem.constraints.as_ref().and_then(|c| c.jacobi.as_ref()) else { return };
        let nothing = &problem.nothing.write;
        let inv_h_sq = (1.0 / (problem.system.h * problem.system.h)) as f32;
        for batch in &slotted.batches {
            let buffers = [
                &batch.data,
                &batch.stencils,
                &x.buffer,
                &slotted.slots.vectors,
                &nothing[0],
                &problem.inv_mass,
                &nothing[1],
                &slotted.slots.destinations,
            ];
            let parameters =
                ElementParameters { n: batch.count, first: batch.first_slot, inv_h_sq, ..Default::default() };
            self.recorder.run(&batch.correct_all, &buffers, &parameters, batch.count);
        }
        let buffers = [&x.buffer, &x_hat.buffer, &slotted.slots.offsets, &slotted.slots.vectors];
        let parameters = GatherParameters { n: problem.n, relaxation: relaxation as f32 };
        self.recorder.run(&slotted.gather, &buffers, &parameters, problem.n);
    }
}
