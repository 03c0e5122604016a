//! Which elements are converted because they are crushed, from step to step: the twin of `Conversion`, on the device.

use crate::buffer::{Buffer, Field};
use crate::context::Context;
use crate::elements::{Batch, convert_text};
use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::kernel::{Access, GROUP, Kernel};
use crate::library::Library;
use crate::problem::GpuProblem;
use crate::vector::{Quantity, Reduction};
use bytemuck::{Pod, Zeroable};
use pliant::contact::close::Since;
use pliant::device::Slot;
use pliant::model::{Model, UNDONE};
use std::sync::Arc;

/// The elements of one kind that can be converted.
pub(crate) struct ConvertedBatch {
    kernel: Arc<Kernel>,
    /// Index into the problem's batches.
    batch: usize,
    /// Of each element the number that it has in the model.
    items: Buffer,
    /// The first of their shares.
    first: u32,
}

/// l of every element that can be converted, in the order of the model: when the step in progress began, and now.
#[derive(Debug)]
pub(crate) struct Shares {
    before: Buffer,
    now: Buffer,
    count: u32,
    /// A step was begun, or shares were set.
    known: bool,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct ConvertParameters {
    n: u32,
    first: u32,
    partial: u32,
    undone: f32,
}

/// Those of a problem.
pub(crate) fn batches(
    context: &Context,
    library: &mut Library,
    model: &Model,
    batches: &[Batch],
) -> Result<Vec<ConvertedBatch>, GpuError> {
    use Access::{Read, Write};
    let (mut out, mut first) = (Vec::new(), 0);
    for (k, batch) in batches.iter().enumerate() {
        let elements = &model.elements[batch.index];
        let Some(element) = elements.wgsl().filter(|_| elements.is_convertible()) else { continue };
        let access = [Write, Read, Read, Read, Write, Write];
        let label = format!("convert {}", element.prefix);
        let kernel = library.kernel::<ConvertParameters>(&label, &convert_text(&element), "convert", &access)?;
        let items = Buffer::with(context, "elements that can be converted", &batch.items)?;
        out.push(ConvertedBatch { kernel, batch: k, items, first });
        first += batch.count;
    }
    Ok(out)
}

impl Shares {
    /// Nothing is converted.
    fn new(context: &Context, count: u32) -> Result<Self, GpuError> {
        let shares = || Buffer::new(context, "conversion", 4 * u64::from(count));
        Ok(Self { before: shares()?, now: shares()?, count, known: false })
    }

    /// l of now.
    pub(crate) fn now(&self) -> &Buffer {
        &self.now
    }
}

impl Gpu {
    /// Makes room for the shares of a problem; those of the same elements stay.
    pub(crate) fn ensure_shares(&mut self, problem: &GpuProblem) -> Result<(), GpuError> {
        let count = problem.converting.iter().map(|own| problem.batches[own.batch].count).sum();
        if self.shares.as_ref().is_none_or(|shares| shares.count != count) && count > 0 {
            self.shares = Some(Shares::new(&self.context, count)?);
            if let Some(pending) = self.pending_shares.take() {
                self.write_shares(&pending);
            }
        }
        Ok(())
    }

    /// Replaces the shares; what is missing at the end is 0. Without a problem they wait for one.
    pub(crate) fn write_shares(&mut self, values: &[f64]) {
        let Some(shares) = &mut self.shares else {
            self.pending_shares = (!values.is_empty()).then(|| values.to_vec());
            return;
        };
        let mut all: Vec<f32> = values.iter().map(|share| *share as f32).collect();
        shares.known = !all.is_empty();
        all.resize(shares.count as usize, 0.0);
        self.recorder.write(&shares.before, 0, &all);
        self.recorder.write(&shares.now, 0, &all);
    }

    /// The shares are those of when the step in progress began.
    pub(crate) fn undo_shares(&mut self) {
        if let Some(shares) = &self.shares {
            self.recorder.copy(&shares.before, &shares.now);
        }
    }

    /// The shares on the device, if they are known.
    pub(crate) fn known_shares(&self) -> Option<&Buffer> {
        self.shares.as_ref().filter(|shares| shares.known).map(|shares| &shares.now)
    }

    /// A step begins at x; the elements of the problem get their l.
    pub(crate) fn begin_conversion(&mut self, problem: &GpuProblem, x: &Field, since: Since) {
        if problem.converting.is_empty() {
            return;
        }
        if let Some(shares) = &mut self.shares {
            shares.known = true;
            match since {
                Since::Step => self.recorder.copy(&shares.now, &shares.before),
                Since::Retry => self.recorder.copy(&shares.before, &shares.now),
                Since::Piece => {}
            }
        }
        self.renew_shares(problem, x, if since == Since::Piece { 0.0 } else { UNDONE as f32 });
    }

    /// Raises l where x needs it; of how many elements, to `raised`.
    pub(crate) fn raise_shares(&mut self, problem: &GpuProblem, x: &Field, raised: Slot) {
        let partials = self.renew_shares(problem, x, 0.0);
        let quantity = Quantity {
            first: problem.layout.first_objective(),
            count: partials,
            reduction: Reduction::Sum,
            slot: raised,
        };
        self.vector.finish_all(&mut self.recorder, &problem.measured, &[quantity]);
    }

    /// Takes its partials where those of the objective come to lie; how many.
    fn renew_shares(&mut self, problem: &GpuProblem, x: &Field, undone: f32) -> u32 {
        let first = problem.layout.first_objective();
        let Some(shares) = &self.shares else { return 0 };
        let mut partial = first;
        for own in &problem.converting {
            let batch = &problem.batches[own.batch];
            let buffers = [&batch.data, &batch.stencils, &x.buffer, &own.items, &shares.now, &problem.measured];
            let parameters = ConvertParameters { n: batch.count, first: own.first, partial, undone };
            self.recorder.run(&own.kernel, &buffers, &parameters, batch.count);
            partial += batch.count.div_ceil(GROUP);
        }
        partial - first
    }
}
