//! One symmetric V-cycle on a hierarchy of A: four kernels per level, see `multigrid.wgsl`. The hierarchy is made and
//! brought to the device at the first call.

use crate::buffer::{Buffer, Field};
use crate::context::Context;
use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::kernel::{Access, Kernel, SMALL_GROUP};
use crate::problem::GpuProblem;
use crate::rows::SlicedRows;
use bytemuck::{Pod, Zeroable};
use pliant::linear::{Csr, Hierarchy, Level};
use std::sync::Arc;

#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
struct CycleParameters {
    n: u32,
    factor: f32,
}

struct Kernels {
    covered: Arc<Kernel>,
    residual: Arc<Kernel>,
    restrict: Arc<Kernel>,
    correct: Arc<Kernel>,
    smoothed: Arc<Kernel>,
}

/// The hierarchy of A on the device.
pub(crate) struct Multigrid {
    kernels: Kernels,
    grids: Vec<Grid>,
    /// No cycle of this step has looked at the contacts yet.
    pub(crate) fresh_step: bool,
}

/// A level with its unknowns.
struct Grid {
    n: u32,
    omega: f32,
    interpolation_norm: f32,
    matrix: SlicedRows,
    interpolation: SlicedRows,
    restriction: SlicedRows,
    divisor: Buffer,
    scratch: Buffer,
    contact: Buffer,
    /// Right-hand side and solution; those of the finest level are the caller's.
    r: Buffer,
    z: Buffer,
}

/// Where the rows of a level lie on the device, and which row lies at each place.
struct Places {
    place: Vec<u32>,
    row: Vec<u32>,
}

impl Places {
    /// For the next level: unknowns in the order of the first place that they interpolate to.
    fn coarser(&self, restriction: &Csr) -> Self {
        let first = |c: &u32| restriction.row(*c as usize).map(|(i, _)| self.place[i]).min();
        let mut row: Vec<u32> = (0..restriction.rows() as u32).collect();
        row.sort_by_key(|c| (first(c), *c));
        let mut place = vec![0; row.len()];
        row.iter().enumerate().for_each(|(k, &c)| place[c as usize] = k as u32);
        Self { place, row }
    }
}

impl Multigrid {
    fn new(gpu: &mut Gpu, problem: &GpuProblem) -> Result<Self, GpuError> {
        use Access::{Read, Write};
        let access = [Read, Read, Read, Read, Read, Write, Write, Read];
        let mut kernel = |entry| {
            let text = include_str!("kernels/multigrid.wgsl");
            gpu.library.kernel_of::<CycleParameters>(SMALL_GROUP, "multigrid", text, entry, &access)
        };
        let kernels = Kernels {
            covered: kernel("covered")?,
            residual: kernel("residual")?,
            restrict: kernel("restricted")?,
            correct: kernel("correct")?,
            smoothed: kernel("smoothed")?,
        };
        let mut places = Places { place: problem.order.place.clone(), row: problem.order.vertex.clone() };
        let mut grids = Vec::new();
        for level in &Hierarchy::new(&problem.system.matrix).levels {
            let coarser = places.coarser(&level.restriction);
            grids.push(Grid::new(&gpu.context, level, &places, &coarser, grids.is_empty())?);
            places = coarser;
        }
        Ok(Self { kernels, grids, fresh_step: true })
    }
}

impl Grid {
    fn new(
        context: &Context,
        level: &Level,
        places: &Places,
        coarser: &Places,
        finest: bool,
    ) -> Result<Self, GpuError> {
        let n = places.row.len();
        let divisor: Vec<f32> = places.row.iter().map(|&i| level.divisor[i as usize] as f32).collect();
        let rows = |name: &str, matrix: &Csr, rows: &[u32], columns: &[u32]| {
            SlicedRows::new(context, name, matrix, rows, columns)
        };
        let own = |name: &str| Buffer::new(context, name, if finest { 0 } else { 16 * n as u64 });
        Ok(Self {
            n: n as u32,
            omega: level.omega as f32,
            interpolation_norm: level.interpolation_norm as f32,
            matrix: rows("a level's matrix", &level.matrix, &places.row, &places.place)?,
            interpolation: rows("interpolation", &level.interpolation, &places.row, &coarser.place)?,
            restriction: rows("restriction", &level.restriction, &coarser.row, &places.place)?,
            divisor: Buffer::with(context, "a level's diagonal", &divisor)?,
            scratch: Buffer::new(context, "a level's residual", 16 * n as u64)?,
            contact: Buffer::new(context, "a level's contacts", 8 * n as u64)?,
            r: own("a level's right-hand side")?,
            z: own("a level's solution")?,
        })
    }
}

impl Gpu {
    /// z ≈ A⁻¹ r with active contacts.
    pub(crate) fn v_cycle(&mut self, problem: &mut GpuProblem, r: &Field, z: &Field) {
        if problem.multigrid.is_none() {
            match Multigrid::new(self, problem) {
                Ok(made) => problem.multigrid = Some(made),
                Err(error) => return self.context.faults.report(error),
            }
        }
        let Some(Multigrid { kernels, grids, fresh_step }) = &mut problem.multigrid else { return };
        let Some(coarsest) = grids.len().checked_sub(1) else { return };
        let (nothing, unwritten) = (&problem.nothing.read, &problem.nothing.write);
        let touching = !problem.packed_colliders.is_empty();
        let fresh = std::mem::take(fresh_step);
        if touching {
            // Within a step contacts only grow, see the twin on the CPU.
            let finest = &grids[0];
            let buffers = [
                nothing,
                &problem.contact,
                &finest.matrix.slices,
                &finest.matrix.entries,
                nothing,
                &unwritten[0],
                &finest.contact,
                &finest.divisor,
            ];
            let parameters = CycleParameters { n: finest.n, factor: if fresh { 0.0 } else { 1.0 } };
            self.recorder.run(&kernels.covered, &buffers, &parameters, finest.n);
        }
        let right = |k: usize| if k == 0 { &r.buffer } else { &grids[k].r };
        let contact = |k: usize| if k == 0 && !touching { &problem.contact } else { &grids[k].contact };
        for k in 0..coarsest {
            let (fine, coarse) = (&grids[k], &grids[k + 1]);
            let buffers = [
                right(k),
                contact(k),
                &fine.matrix.slices,
                &fine.matrix.entries,
                nothing,
                &fine.scratch,
                &unwritten[0],
                nothing,
            ];
            let parameters = CycleParameters { n: fine.n, factor: fine.omega };
            self.recorder.run(&kernels.residual, &buffers, &parameters, fine.n);
            let buffers = [
                &fine.scratch,
                nothing,
                &fine.restriction.slices,
                &fine.restriction.entries,
                nothing,
                &coarse.r,
                &coarse.contact,
                &coarse.divisor,
            ];
            let parameters = CycleParameters { n: coarse.n, factor: fine.interpolation_norm };
            self.recorder.run(&kernels.restrict, &buffers, &parameters, coarse.n);
        }
        for k in (0..=coarsest).rev() {
            let fine = &grids[k];
            let solution = if k == 0 { &z.buffer } else { &fine.z };
            let (coarse, out) = if k == coarsest { (nothing, solution) } else { (&grids[k + 1].z, &fine.scratch) };
            let mut buffers = [
                right(k),
                contact(k),
                &fine.interpolation.slices,
                &fine.interpolation.entries,
                coarse,
                out,
                &unwritten[0],
                nothing,
            ];
            let parameters = CycleParameters { n: fine.n, factor: fine.omega };
            self.recorder.run(&kernels.correct, &buffers, &parameters, fine.n);
            if k < coarsest {
                (buffers[2], buffers[3]) = (&fine.matrix.slices, &fine.matrix.entries);
                (buffers[4], buffers[5]) = (&fine.scratch, solution);
                self.recorder.run(&kernels.smoothed, &buffers, &parameters, fine.n);
            }
        }
    }
}
