//! Contacts of a step before its solve: how hard bodies press, and so their friction.

use crate::buffer::{Buffer, Field};
use crate::chunks::Chunks;
use crate::context::Context;
use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::kernel::{Access, GROUP, Kernel};
use crate::kernels::{Obstacles, grip_text};
use crate::library::Library;
use crate::problem::GpuProblem;
use bytemuck::{Pod, Zeroable};
use pliant::contact::{Grip, sticking_slip};
use pliant::math::Vec3;
use pliant::model::Model;
use std::sync::Arc;

/// What the grips of a step are found with.
pub(crate) struct Grips {
    press: Arc<Kernel>,
    total: Arc<Kernel>,
    balance: Arc<Kernel>,
    grip: Arc<Kernel>,
    /// Bodies times colliders.
    pairs: u32,
    parts: Buffer,
    totals: Buffer,
    pressed: Buffer,
    /// Some collider has friction.
    rough: bool,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct GripParameters {
    n: u32,
    h: f32,
}

impl Grips {
    /// `None` without colliders.
    pub(crate) fn new(
        context: &Context,
        library: &mut Library,
        model: &Model,
        chunks: &Chunks,
    ) -> Result<Option<Self>, GpuError> {
        let colliders = model.colliders.len();
        if model.vertices() == 0 || colliders == 0 {
            return Ok(None);
        }
        let (chunks, parts) = (chunks.count as usize, chunks.part_count as usize);
        use Access::{Read, Write};
        let access = [Read, Read, Read, Read, Write, Read, Read, Write, Write, Write];
        let text = grip_text(Obstacles::of(model));
        let mut kernel = |entry: &str| library.kernel::<GripParameters>("grip", &text, entry, &access);
        Ok(Some(Self {
            press: kernel("press")?,
            total: kernel("total")?,
            balance: kernel("balance")?,
            grip: kernel("grip")?,
            pairs: (parts * colliders) as u32,
            parts: Buffer::new(context, "parts of pressing forces", (112 * chunks * colliders) as u64)?,
            totals: Buffer::new(context, "pressing forces", (112 * parts * colliders) as u64)?,
            pressed: Buffer::with(context, "pressing", &vec![[0.0f32; 8]; parts * colliders])?,
            rough: model.colliders.iter().any(|collider| collider.friction() > 0.0),
        }))
    }
}

impl Gpu {
    /// Friction of the step that begins at x, and on which side its vertices touch.
    pub(crate) fn take_grips(&mut self, problem: &GpuProblem, x: &Field) {
        let Some(grips) = &problem.grips else { return };
        let h = problem.system.h as f32;
        let buffers = [
            &x.buffer,
            &problem.x_tilde.buffer,
            &problem.inertia,
            &problem.colliders,
            &problem.touch,
            &problem.chunks.chunks,
            &problem.chunks.parts,
            &grips.parts,
            &grips.totals,
            &grips.pressed,
        ];
        let mut run = |kernel: &Kernel, n: u32, invocations: u32| {
            self.recorder.run(kernel, &buffers, &GripParameters { n, h }, invocations);
        };
        if grips.rough {
            run(&grips.press, problem.chunks.count, problem.chunks.count * GROUP);
            run(&grips.total, grips.pairs, grips.pairs * GROUP);
            run(&grips.balance, grips.pairs, grips.pairs);
        }
        run(&grips.grip, problem.chunks.count, problem.chunks.count * GROUP);
    }

    /// Brings the friction of the step to the objective in `f64`.
    pub(crate) fn read_grips(&mut self, problem: &mut GpuProblem) -> Result<(), GpuError> {
        let GpuProblem { order, potential, touch, grips, system, .. } = problem;
        if grips.is_none() {
            return Ok(());
        }
        let grips = &mut potential.grips;
        grips.resize(order.vertex.len(), Grip::NONE);
        self.recorder.read_vectors(touch, |k, [x, y, z, w]| {
            let i = order.vertex[k / 3] as usize;
            let grip = &mut grips[i];
            let vector = Vec3::<f32>::new(x, y, z).cast();
            match k % 3 {
                1 => {
                    (grip.anchor, grip.limit) = (vector, f64::from(w));
                    grip.sticking = sticking_slip(grip.limit, system.contact_stiffness[i], system.h);
                }
                2 => {
                    // COMES and LIES of touch.wgsl.
                    (grip.comes, grip.face) = (w > -2.0, (w >= 0.0).then_some(w as u32));
                    grip.normal = vector.unit_or(Vec3::ZERO);
                }
                _ => {}
            }
        })
    }
}
