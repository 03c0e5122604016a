//! Jacobi sweeps: one by one, several in ghost rings, or in patches; and which of these is the fastest for a mesh.

use crate::buffer::{Buffer, Field};
use crate::cut::Cut;
use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::kernel::GROUP;
use crate::kernels::SweepParameters;
use crate::patches::{PatchParameters, Patches};
use crate::problem::GpuProblem;
use crate::rings::Rings;
use crate::vector::Reduction;
use pliant::device::{Blend, Slot};
use pliant::math::Fnv;
use std::time::{Duration, Instant};

/// How a problem is swept: a [`Cut`] that was made.
pub(crate) enum Sweeping {
    /// Not decided.
    Open,
    /// One iteration in one dispatch, or in several where elements have slots.
    Single,
    /// Several iterations per dispatch.
    Rings(Box<Rings>),
    /// One iteration per dispatch, elements with slots included.
    Patches(Box<Patches>),
}

/// What `force.wgsl` and then `bodies.wgsl` read, in the order of their bindings.
pub(crate) fn force_buffers<'a>(problem: &'a GpuProblem, x: &'a Field) -> [&'a Buffer; 12] {
    let nothing = &problem.nothing.read;
    let (felt, corners) = problem.touching.as_ref().map_or((nothing, nothing), |own| (&own.felt, &own.corners));
    [
        &x.buffer,
        &problem.x_pull.buffer,
        &problem.inv_diagonal,
        &problem.rows.slices,
        &problem.rows.entries,
        &problem.rows.pulls,
        &problem.slots.vectors,
        &problem.slots.offsets,
        &problem.colliders,
        &problem.touch,
        felt,
        corners,
    ]
}

/// The same, and what the kernels of `sweep.wgsl` write.
pub(crate) fn sweep_buffers<'a>(
    problem: &'a GpuProblem,
    x: &'a Field,
    out: &'a Field,
    last: &'a Buffer,
) -> [&'a Buffer; 14] {
    let mut buffers = [last; 14];
    buffers[..12].copy_from_slice(&force_buffers(problem, x));
    buffers[12] = &out.buffer;
    buffers
}

impl Gpu {
    /// g = ∇E(x); remembers the contacts.
    pub(crate) fn gradient_at(&mut self, problem: &mut GpuProblem, x: &Field, g: &Field) {
        self.prepare_matrix(problem);
        self.fill_slots(problem, x);
        let fresh = u32::from(std::mem::take(&mut problem.fresh_step));
        let buffers = sweep_buffers(problem, x, g, &problem.contact);
        let parameters = SweepParameters { n: problem.n, fresh, ..Default::default() };
        self.recorder.run(&problem.kernels.gradient, &buffers, &parameters, problem.n);
    }

    /// x⁻ becomes x⁺.
    pub(crate) fn sweep(
        &mut self,
        problem: &GpuProblem,
        x: &Field,
        x_before: &Field,
        blend: Blend,
        residual: Option<Slot>,
    ) {
        self.fill_slots(problem, x);
        let parameters =
            SweepParameters { n: problem.n, omega: blend.omega as f32, gamma: blend.under_relaxation as f32, fresh: 0 };
        let Some(slot) = residual else {
            let buffers = sweep_buffers(problem, x, x_before, &problem.nothing.write[0]);
            self.recorder.run(&problem.kernels.jacobi, &buffers, &parameters, problem.n);
            return;
        };
        let groups = problem.n.div_ceil(GROUP);
        if let Err(error) = self.vector.reserve(groups, 1) {
            self.context.faults.report(error);
            return;
        }
        let buffers = sweep_buffers(problem, x, x_before, self.vector.partials());
        self.recorder.run(&problem.kernels.jacobi_residual, &buffers, &parameters, problem.n);
        self.vector.finish(&mut self.recorder, self.vector.partials(), groups, &[(Reduction::Sum, slot)]);
    }

    /// As many iterations as there are blends, in as few dispatches as the mesh allows.
    pub(crate) fn sweeps(&mut self, problem: &mut GpuProblem, x: &mut Field, x_before: &mut Field, blends: &[Blend]) {
        // Rings and patches do not know what is near in space only, and how fast they are cannot be seen now.
        if problem.bodies_touch() {
            return self.single_sweeps(problem, x, x_before, blends);
        }
        if let Sweeping::Open = problem.sweeping {
            problem.sweeping = self.choose_sweeping(problem).unwrap_or_else(|error| {
                self.context.faults.report(error);
                Sweeping::Single
            });
        }
        let mut choice = std::mem::replace(&mut problem.sweeping, Sweeping::Single);
        match &mut choice {
            Sweeping::Rings(rings) => {
                for chunk in blends.chunks(rings.iterations) {
                    self.ring_sweep(problem, rings, x, x_before, chunk);
                }
            }
            Sweeping::Patches(patches) => {
                for blend in blends {
                    self.patch_sweep(problem, patches, x, x_before, *blend);
                    std::mem::swap(x, x_before);
                }
            }
            Sweeping::Single | Sweeping::Open => self.single_sweeps(problem, x, x_before, blends),
        }
        problem.sweeping = choice;
    }

    fn single_sweeps(&mut self, problem: &GpuProblem, x: &mut Field, x_before: &mut Field, blends: &[Blend]) {
        for blend in blends {
            self.sweep(problem, x, x_before, *blend, None);
            std::mem::swap(x, x_before);
        }
    }

    fn patch_sweep(&mut self, problem: &GpuProblem, patches: &Patches, x: &Field, x_before: &Field, blend: Blend) {
        let mut buffers = [&problem.nothing.read; 16];
        buffers[..10].copy_from_slice(&force_buffers(problem, x)[..10]);
        let own =
            [&x_before.buffer, &patches.headers, &patches.members, &patches.owned, &patches.corners, &patches.data];
        buffers[10..].copy_from_slice(&own);
        let (omega, gamma) = (blend.omega as f32, blend.under_relaxation as f32);
        let parameters = PatchParameters { patches: patches.count, omega, gamma };
        self.recorder.dispatch(&patches.kernel, &buffers, &parameters, patches.count);
    }

    fn ring_sweep(
        &mut self,
        problem: &GpuProblem,
        rings: &mut Rings,
        x: &mut Field,
        x_before: &mut Field,
        blends: &[Blend],
    ) {
        let buffers = [
            &x.buffer,
            &x_before.buffer,
            &rings.spare[0].buffer,
            &rings.spare[1].buffer,
            &problem.x_pull.buffer,
            &problem.inv_diagonal,
            &rings.patches,
            &rings.members,
            &rings.rows,
            &problem.colliders,
            &problem.touch,
        ];
        self.recorder.dispatch(&rings.kernel, &buffers, &rings.parameters(blends), rings.count);
        std::mem::swap(x, &mut rings.spare[0]);
        std::mem::swap(x_before, &mut rings.spare[1]);
    }

    /// Sets how a problem is swept. Whether it could be done: a cut may be for other meshes, or too large for the GPU's
    /// workgroups or memory, and then the problem is swept one by one.
    pub fn cut(&mut self, problem: &mut GpuProblem, cut: Cut) -> Result<bool, GpuError> {
        let GpuProblem { model, system, order, batches, .. } = &*problem;
        let (context, library) = (&*self.context, &mut self.library);
        let choice = match cut {
            Cut::Single => Some(Sweeping::Single),
            // Elements with slots are not in the rows that rings are made of.
            Cut::Rings { patch, iterations } if !problem.has_slots() => {
                let rings = Rings::new(context, library, (model, system, order), patch, iterations);
                if_it_fits(rings)?.map(|rings| Sweeping::Rings(Box::new(rings)))
            }
            Cut::Patches { patch, elements_per_invocation } if problem.has_slots() => {
                let patches = Patches::new(context, library, (model, order, batches), patch, elements_per_invocation);
                if_it_fits(patches)?.map(|patches| Sweeping::Patches(Box::new(patches)))
            }
            Cut::Rings { .. } | Cut::Patches { .. } => None,
        };
        let done = choice.is_some();
        problem.sweeping = choice.unwrap_or(Sweeping::Single);
        Ok(done)
    }

    /// The fastest way to sweep a mesh, by measurement; remembered.
    fn choose_sweeping(&mut self, problem: &mut GpuProblem) -> Result<Sweeping, GpuError> {
        if let Some(cut) = self.fixed_cut {
            self.cut(problem, cut)?;
            return Ok(std::mem::replace(&mut problem.sweeping, Sweeping::Single));
        }
        if !self.measures_cuts {
            return Ok(Sweeping::Single);
        }
        let key = self.cut_key(problem);
        let known = self.cuts.get(&key).copied().or_else(|| self.cache.as_ref()?.load(key).and_then(Cut::from_code));
        let cut = match known {
            Some(cut) => cut,
            None => self.measure_cuts(problem)?,
        };
        self.cuts.insert(key, cut);
        if let (Some(cache), None) = (&self.cache, known) {
            cache.store(key, cut.code());
        }
        self.cut(problem, cut)?;
        Ok(std::mem::replace(&mut problem.sweeping, Sweeping::Single))
    }

    fn measure_cuts(&mut self, problem: &mut GpuProblem) -> Result<Cut, GpuError> {
        let time =
            |gpu: &mut Gpu, problem: &mut GpuProblem, warm: u64| gpu.time_sweeps(problem, Duration::from_millis(warm));
        problem.sweeping = Sweeping::Single;
        let mut best = (time(self, problem, 500)?, Cut::Single);
        for &cut in Cut::candidates(problem.n as usize, problem.has_slots()) {
            let begun = Instant::now();
            if self.cut(problem, cut)? {
                // The GPU was idle meanwhile.
                let warm = 2 * begun.elapsed().as_millis() as u64;
                let seconds = time(self, problem, warm.min(500))?;
                tracing::debug!("{cut:?}: {:.2} us per iteration", 1e6 * seconds);
                if seconds < best.0 {
                    best = (seconds, cut);
                }
            }
        }
        Ok(best.1)
    }

    /// What the best cut depends on: the device, the kinds of elements and the graph of the mesh.
    pub(crate) fn cut_key(&self, problem: &GpuProblem) -> u64 {
        let info = self.info();
        let kinds: Vec<&str> = problem.model.elements.iter().filter(|e| !e.is_empty()).map(|e| e.name()).collect();
        let words = format!("cut 6 {} {} {} {kinds:?}", info.name, info.driver, problem.packed_colliders.len());
        let matrix = &problem.system.matrix;
        let graph = matrix.offset.iter().chain(&matrix.column).flat_map(|word| word.to_le_bytes());
        Fnv::of(words.bytes().chain(graph))
    }
}

/// Nothing where buffers are too large for the device or its memory: there is always a way without.
fn if_it_fits<T>(made: Result<Option<T>, GpuError>) -> Result<Option<T>, GpuError> {
    match made {
        Err(GpuError::TooLarge { .. } | GpuError::OutOfMemory { .. }) => Ok(None),
        other => other,
    }
}
