//! The verbs of descent: what gradients are divided by, and iterations in one pass.

use crate::buffer::{Buffer, Field};
use crate::elements::{ACCESS, ElementParameters, scale_text};
use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::kernel::{Access, GROUP, Kernel, SMALL_GROUP};
use crate::kernels::{Obstacles, force_text};
use crate::problem::GpuProblem;
use crate::sweep::force_buffers;
use crate::vector::Reduction;
use bytemuck::{Pod, Zeroable};
use pliant::device::{Blend, Scale, Slot};
use std::sync::Arc;

/// The stiffness of the stiffest vertex; behind the slots of the certificate.
const STIFFEST: Slot = Slot(20);

/// What descents divide by, made at the first use.
pub(crate) struct Scales {
    /// Diagonal blocks for each slot of the elements that have a formula of theirs; two vectors each.
    corners: Buffer,
    /// Inertia, pins that are springs, and elements of constant stiffness, N/m.
    constant: Buffer,
    /// The block of each vertex and its inverse, two vectors each.
    blocks: Buffer,
    inverses: Buffer,
    /// By batch, those that have a formula.
    elements: Vec<(usize, Arc<Kernel>)>,
    gather: Arc<Kernel>,
    stiffest: Arc<Kernel>,
    fill: Arc<Kernel>,
    divide: Arc<Kernel>,
    descend: Arc<Kernel>,
    descend_residual: Arc<Kernel>,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct ScaleParameters {
    n: u32,
    touching: u32,
    stride: u32,
    slot: u32,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct DescentParameters {
    n: u32,
    omega: f32,
    gamma: f32,
}

/// The text of the kernels on blocks.
pub(crate) fn text() -> String {
    let (sym3, diagonal) = (pliant::math::SYM3_WGSL, include_str!("kernels/diagonal.wgsl"));
    format!("{sym3}\n{diagonal}\n{}", include_str!("kernels/scale.wgsl"))
}

/// The text of iterations in one pass.
pub(crate) fn descent_text(has_slots: bool) -> String {
    let none = Obstacles { count: 0, grids: false, bodies: false };
    force_text(has_slots, none, include_str!("kernels/descent.wgsl"))
}

/// Inertia, pins that are springs, and the diagonals of elements whose stiffness is constant, by place, N/m.
fn constant(problem: &GpuProblem) -> Vec<f32> {
    let GpuProblem { model, system, order, .. } = problem;
    let own = |(inertia, pin): (&f64, &f64)| inertia + pin;
    let mut sum: Vec<f64> = system.inertia.iter().zip(&system.pin_stiffness).map(own).collect();
    for elements in model.elements.iter().filter(|elements| elements.wgsl().is_some_and(|twin| !twin.isotropic)) {
        let batch = elements.view();
        let Some(projective) = batch.projective() else { continue };
        for c in 0..batch.len() {
            let stencil = batch.stencil(c);
            projective.stiffness(c, &mut |i, j, value| {
                if i == j {
                    sum[stencil[i] as usize] += value;
                }
            });
        }
    }
    order.vertex.iter().map(|&i| sum[i as usize] as f32).collect()
}

impl Gpu {
    fn make_scales(&mut self, problem: &GpuProblem) -> Result<Scales, GpuError> {
        use Access::{Read, Write};
        let (context, n) = (self.context.clone(), u64::from(problem.n));
        let mut elements = Vec::new();
        for (k, batch) in problem.batches.iter().enumerate() {
            let Some(element) = problem.model.elements[batch.index].wgsl().filter(|twin| twin.isotropic) else {
                continue;
            };
            let label = format!("scale {}", element.prefix);
            let text = scale_text(&element);
            let kernel = self.library.kernel_of::<ElementParameters>(SMALL_GROUP, &label, &text, "scale", &ACCESS)?;
            elements.push((k, kernel));
        }
        let own = text();
        let access = [Read, Read, Read, Read, Read, Read, Read, Write, Write, Write];
        let mut kernel = |entry| self.library.kernel::<ScaleParameters>("scale", &own, entry, &access);
        let (gather, stiffest) = (kernel("gather")?, kernel("stiffest")?);
        let (fill, divide) = (kernel("fill")?, kernel("divide")?);
        let descent = descent_text(problem.has_slots());
        let mut access = [Read; 15];
        (access[12], access[14]) = (Write, Write);
        let mut kernel = |group: u32, entry: &str| {
            self.library.kernel_of::<DescentParameters>(group, "descent", &descent, entry, &access)
        };
        Ok(Scales {
            descend: kernel(SMALL_GROUP, "descend")?,
            descend_residual: kernel(GROUP, "descend_residual")?,
            corners: Buffer::new(&context, "blocks of corners", 2 * problem.slots.vectors.bytes())?,
            constant: Buffer::with(&context, "constant stiffness", &constant(problem))?,
            blocks: Buffer::new(&context, "blocks of vertices", 32 * n)?,
            inverses: Buffer::new(&context, "inverse blocks", 32 * n)?,
            elements,
            gather,
            stiffest,
            fill,
            divide,
        })
    }

    fn scale_parameters(&self, problem: &GpuProblem) -> ScaleParameters {
        let stride = Obstacles::of(&problem.model).touch_stride() as u32;
        ScaleParameters { n: problem.n, touching: problem.may_touch(), stride, slot: STIFFEST.0 as u32 }
    }

    /// Renews what gradients are divided by.
    pub(crate) fn rescale_at(&mut self, problem: &mut GpuProblem, scale: Scale, x: &Field) {
        if problem.scales.is_none() {
            match self.make_scales(problem) {
                Ok(scales) => problem.scales = Some(scales),
                Err(error) => return self.context.faults.report(error),
            }
        }
        let problem = &*problem;
        let Some(scales) = &problem.scales else { return };
        let nothing = &problem.nothing;
        for (k, kernel) in &scales.elements {
            let batch = &problem.batches[*k];
            let Some(first) = batch.first_slot else { continue };
            let buffers = [
                &batch.data,
                &batch.stencils,
                &x.buffer,
                &scales.corners,
                &nothing.write[0],
                &nothing.read,
                &nothing.write[1],
                &problem.slots.destinations,
            ];
            let parameters = ElementParameters { n: batch.count, first, ..Default::default() };
            self.recorder.run(kernel, &buffers, &parameters, batch.count);
        }
        let parameters = self.scale_parameters(problem);
        self.run_scale(problem, (&scales.gather, &parameters), (&scales.corners, None));
        if scale == Scale::Blocks {
            return;
        }
        let groups = problem.n.div_ceil(GROUP);
        if let Err(error) = self.vector.reserve(groups, 1) {
            return self.context.faults.report(error);
        }
        self.run_scale(problem, (&scales.stiffest, &parameters), (&scales.corners, None));
        self.vector.finish(&mut self.recorder, self.vector.partials(), groups, &[(Reduction::Max, STIFFEST)]);
        self.run_scale(problem, (&scales.fill, &parameters), (&scales.corners, None));
    }

    /// One of the kernels of `scale.wgsl`, with what it reads first and what it writes last: a field, or partials.
    fn run_scale(
        &mut self,
        problem: &GpuProblem,
        (kernel, parameters): (&Kernel, &ScaleParameters),
        (from, to): (&Buffer, Option<&Buffer>),
    ) {
        let Some(scales) = &problem.scales else { return };
        let scalars = &self.vector.scalars;
        let buffers = [
            from,
            &problem.slots.offsets,
            &scales.constant,
            &problem.inv_diagonal,
            &problem.touch,
            scalars,
            &problem.contact,
            &scales.blocks,
            &scales.inverses,
            to.unwrap_or(self.vector.partials()),
        ];
        self.recorder.run(kernel, &buffers, parameters, parameters.n);
    }

    /// z = P⁻¹ r
    pub(crate) fn divide_scaled(&mut self, problem: &GpuProblem, r: &Field, z: &Field) {
        let Some(scales) = &problem.scales else { return };
        let parameters = self.scale_parameters(problem);
        self.run_scale(problem, (&scales.divide, &parameters), (&r.buffer, Some(&z.buffer)));
    }

    /// x⁻ becomes x⁺; only where nothing can touch anything.
    pub(crate) fn descend_once(
        &mut self,
        problem: &GpuProblem,
        x: &Field,
        x_before: &Field,
        (blend, residual): (Blend, Option<Slot>),
    ) {
        self.fill_slots(problem, x);
        let Some(scales) = &problem.scales else { return };
        let (omega, gamma) = (blend.omega as f32, blend.under_relaxation as f32);
        let parameters = DescentParameters { n: problem.n, omega, gamma };
        let groups = problem.n.div_ceil(GROUP);
        if residual.is_some()
            && let Err(error) = self.vector.reserve(groups, 1)
        {
            return self.context.faults.report(error);
        }
        let mut buffers = [&problem.nothing.read; 15];
        buffers[..12].copy_from_slice(&force_buffers(problem, x));
        (buffers[12], buffers[13], buffers[14]) = (&x_before.buffer, &scales.inverses, &problem.nothing.write[0]);
        let Some(slot) = residual else {
            self.recorder.run(&scales.descend, &buffers, &parameters, problem.n);
            return;
        };
        buffers[14] = self.vector.partials();
        self.recorder.run(&scales.descend_residual, &buffers, &parameters, problem.n);
        self.vector.finish(&mut self.recorder, self.vector.partials(), groups, &[(Reduction::Sum, slot)]);
    }
}
