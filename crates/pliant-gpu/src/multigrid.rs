//! One symmetric V-cycle on a hierarchy of A, see `multigrid.wgsl`: four kernels for each large level, and one for all the
//! small ones, see `coarse.wgsl`. The hierarchy is made and brought to the device at the first call.

use crate::buffer::{Buffer, Field};
use crate::context::Context;
use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::kernel::{Access, Kernel, SMALL_GROUP};
use crate::problem::GpuProblem;
use crate::rows::{SLICE, SlicedRows};
use bytemuck::{Pod, Zeroable};
use pliant::linear::{Csr, Hierarchy, Level};
use std::sync::Arc;

#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
struct CycleParameters {
    n: u32,
    factor: f32,
}

#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
struct CoarseParameters {
    levels: u32,
}

/// Unknowns up to which a level is done in one workgroup.
const COARSE: usize = 1500;

/// Invocations of that workgroup, if the device has as many.
const COARSE_GROUP: u32 = 1024;

struct Kernels {
    covered: Arc<Kernel>,
    residual: Arc<Kernel>,
    restricted: Arc<Kernel>,
    correct: Arc<Kernel>,
    smoothed: Arc<Kernel>,
}

/// The hierarchy of A on the device.
pub(crate) struct Multigrid {
    kernels: Kernels,
    grids: Vec<Grid>,
    /// The levels after `grids`, if there are any.
    coarse: Option<Coarse>,
    /// No cycle of this step has looked at the contacts yet.
    pub(crate) fresh_step: bool,
}

/// A large level with its unknowns.
struct Grid {
    n: u32,
    omega: f32,
    interpolation_norm: f32,
    matrix: SlicedRows,
    interpolation: SlicedRows,
    restriction: SlicedRows,
    scratch: Buffer,
    unknowns: Unknowns,
}

/// What a level gets from the one above and gives back. Of the finest one right-hand side and solution are the caller's.
struct Unknowns {
    /// What Jacobi divides by without contacts, N/m.
    divisor: Buffer,
    /// Contacts, N/m, and 1/(divisor + contacts), m/N.
    contact: Buffer,
    r: Buffer,
    z: Buffer,
}

/// All small levels, one after the other.
struct Coarse {
    kernel: Arc<Kernel>,
    count: u32,
    /// Unknowns of the first of them.
    n: u32,
    levels: Buffer,
    slices: Buffer,
    entries: Buffer,
    scratch: Buffer,
    unknowns: Unknowns,
}

#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
struct PackedLevel {
    n: u32,
    first: u32,
    matrix: u32,
    interpolation: u32,
    restriction: u32,
    omega: f32,
    interpolation_norm: f32,
    padding: u32,
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

    fn of<'a>(&'a self, values: &'a [f64]) -> impl Iterator<Item = f32> + 'a {
        self.row.iter().map(|&i| values[i as usize] as f32)
    }
}

/// The text of `row_sum.wgsl` for a sum.
fn row_sum(name: &str, term: &str) -> String {
    let mut text = include_str!("kernels/row_sum.wgsl").replace("NAME", name);
    for entry in ["a", "b", "c", "d"] {
        text = text.replace(&format!("TERM({entry})"), &term.replace("ENTRY", entry));
    }
    text
}

const STEPS: &str = "r[ENTRY.x] * (bitcast<f32>(ENTRY.y) * contact[ENTRY.x].y)";
const Z: &str = "z[ENTRY.x] * bitcast<f32>(ENTRY.y)";

/// A field with its contacts in w, which have no sign.
fn with_contacts(field: &str) -> String {
    format!("{field}[ENTRY.x] * vec4(vec3(bitcast<f32>(ENTRY.y)), abs(bitcast<f32>(ENTRY.y)))")
}

/// The text of the kernels of a large level.
pub(crate) fn text() -> String {
    let sums = [row_sum("sum_steps", STEPS), row_sum("sum_r", &with_contacts("r")), row_sum("sum_z", Z)].concat();
    format!("const SLICE: u32 = {SLICE}u;\n{sums}\n{}", include_str!("kernels/multigrid.wgsl"))
}

/// The text of the kernel of all small levels.
pub(crate) fn coarse_text() -> String {
    let scratch = row_sum("sum_scratch", &with_contacts("scratch"));
    let sums = [row_sum("sum_steps", STEPS), scratch, row_sum("sum_z", Z)].concat();
    format!("const SLICE: u32 = {SLICE}u;\n{sums}\n{}", include_str!("kernels/coarse.wgsl"))
}

impl Multigrid {
    fn new(gpu: &mut Gpu, problem: &GpuProblem) -> Result<Self, GpuError> {
        use Access::{Read, Write};
        let access = [Read, Read, Read, Read, Read, Write, Write, Read];
        let text = text();
        let mut kernel =
            |entry| gpu.library.kernel_of::<CycleParameters>(SMALL_GROUP, "multigrid", &text, entry, &access);
        let kernels = Kernels {
            covered: kernel("covered")?,
            residual: kernel("residual")?,
            restricted: kernel("restricted")?,
            correct: kernel("correct")?,
            smoothed: kernel("smoothed")?,
        };
        let mut places = vec![Places { place: problem.order.place.clone(), row: problem.order.vertex.clone() }];
        let levels = Hierarchy::new(&problem.system.matrix).levels;
        for level in &levels {
            let coarser = places[places.len() - 1].coarser(&level.restriction);
            places.push(coarser);
        }
        // The finest level is never in the workgroup: its fields are the caller's.
        let large = (1..levels.len()).find(|&k| levels[k].matrix.rows() <= COARSE).unwrap_or(levels.len());
        let context = &gpu.context;
        let grid = |k: usize| Grid::new(context, &levels[k], &places[k], &places[k + 1], k == 0);
        let grids = (0..large).map(grid).collect::<Result<Vec<_>, _>>()?;
        let coarse =
            (large < levels.len()).then(|| Coarse::new(gpu, &levels[large..], &places[large..])).transpose()?;
        Ok(Self { kernels, grids, coarse, fresh_step: true })
    }

    /// The unknowns of the level after grid `k`.
    fn after(&self, k: usize) -> Option<(&Unknowns, u32)> {
        let large = self.grids.get(k + 1).map(|grid| (&grid.unknowns, grid.n));
        large.or_else(|| self.coarse.as_ref().map(|coarse| (&coarse.unknowns, coarse.n)))
    }
}

impl Unknowns {
    fn new(context: &Context, divisor: &[f32], finest: bool) -> Result<Self, GpuError> {
        let n = divisor.len() as u64;
        let own = |name: &str| Buffer::new(context, name, if finest { 0 } else { 16 * n });
        Ok(Self {
            divisor: Buffer::with(context, "diagonal of levels", divisor)?,
            contact: Buffer::new(context, "contacts of levels", 8 * n)?,
            r: own("right-hand side of levels")?,
            z: own("solution of levels")?,
        })
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
        let divisor: Vec<f32> = places.of(&level.divisor).collect();
        let rows = |name: &str, matrix: &Csr, rows: &[u32], columns: &[u32]| {
            SlicedRows::new(context, name, matrix, rows, columns)
        };
        Ok(Self {
            n: n as u32,
            omega: level.omega as f32,
            interpolation_norm: level.interpolation_norm as f32,
            matrix: rows("a level's matrix", &level.matrix, &places.row, &places.place)?,
            interpolation: rows("interpolation", &level.interpolation, &places.row, &coarser.place)?,
            restriction: rows("restriction", &level.restriction, &coarser.row, &places.place)?,
            scratch: Buffer::new(context, "residual of a level", 16 * n as u64)?,
            unknowns: Unknowns::new(context, &divisor, finest)?,
        })
    }
}

impl Coarse {
    /// `places` has one more, of no unknowns, than there are levels.
    fn new(gpu: &mut Gpu, levels: &[Level], places: &[Places]) -> Result<Self, GpuError> {
        let mut firsts = vec![0u32];
        let mut divisor = Vec::new();
        for (level, places) in levels.iter().zip(places) {
            divisor.extend(places.of(&level.divisor));
            firsts.push(divisor.len() as u32);
        }
        let columns = |k: usize| -> Vec<u32> { places[k].place.iter().map(|place| firsts[k] + place).collect() };
        let mut rows = crate::rows::Slices::default();
        let mut packed = Vec::new();
        for (k, level) in levels.iter().enumerate() {
            let (own, next) = (columns(k), columns(k + 1));
            packed.push(PackedLevel {
                n: places[k].row.len() as u32,
                first: firsts[k],
                matrix: rows.push(&level.matrix, &places[k].row, &own),
                interpolation: rows.push(&level.interpolation, &places[k].row, &next),
                restriction: rows.push(&level.restriction, &places[k + 1].row, &own),
                omega: level.omega as f32,
                interpolation_norm: level.interpolation_norm as f32,
                padding: 0,
            });
        }
        use Access::{Read, Write};
        let access = [Read, Read, Read, Read, Write, Write, Write, Write];
        let limits = gpu.context.device.limits();
        let widest = limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x);
        let group = COARSE_GROUP.min(1 << widest.max(1).ilog2());
        let kernel =
            gpu.library.kernel_of::<CoarseParameters>(group, "coarse levels", &coarse_text(), "coarse", &access)?;
        let context = &gpu.context;
        let slices = rows.buffers(context, "coarse levels")?;
        Ok(Self {
            kernel,
            count: levels.len() as u32,
            n: packed[0].n,
            levels: Buffer::with(context, "coarse levels", &packed)?,
            slices: slices.slices,
            entries: slices.entries,
            scratch: Buffer::new(context, "residuals of coarse levels", 16 * divisor.len() as u64)?,
            unknowns: Unknowns::new(context, &divisor, false)?,
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
        let touching = !problem.packed_colliders.is_empty();
        let Some(multigrid) = &mut problem.multigrid else { return };
        let fresh = std::mem::take(&mut multigrid.fresh_step);
        let multigrid = &*multigrid;
        let (nothing, unwritten) = (&problem.nothing.read, &problem.nothing.write[0]);
        let Multigrid { kernels, grids, coarse, .. } = multigrid;
        let right = |k: usize| if k == 0 { &r.buffer } else { &grids[k].unknowns.r };
        let contact = |k: usize| if k == 0 && !touching { &problem.contact } else { &grids[k].unknowns.contact };
        if touching {
            // Within a step contacts only grow, see the twin on the CPU.
            let Grid { n, matrix, unknowns, .. } = &grids[0];
            let (own, divisor) = (&unknowns.contact, &unknowns.divisor);
            let (slices, entries) = (&matrix.slices, &matrix.entries);
            let buffers = [nothing, &problem.contact, slices, entries, nothing, unwritten, own, divisor];
            let parameters = CycleParameters { n: *n, factor: if fresh { 0.0 } else { 1.0 } };
            self.recorder.run(&kernels.covered, &buffers, &parameters, *n);
        }
        for (k, fine) in grids.iter().enumerate() {
            let Some((next, n)) = multigrid.after(k) else { break };
            let SlicedRows { slices, entries } = &fine.matrix;
            let buffers = [right(k), contact(k), slices, entries, nothing, &fine.scratch, unwritten, nothing];
            let parameters = CycleParameters { n: fine.n, factor: fine.omega };
            self.recorder.run(&kernels.residual, &buffers, &parameters, fine.n);
            let SlicedRows { slices, entries } = &fine.restriction;
            let buffers = [&fine.scratch, nothing, slices, entries, nothing, &next.r, &next.contact, &next.divisor];
            let parameters = CycleParameters { n, factor: fine.interpolation_norm };
            self.recorder.run(&kernels.restricted, &buffers, &parameters, n);
        }
        if let Some(Coarse { kernel, count, levels, slices, entries, scratch, unknowns, .. }) = coarse {
            let Unknowns { divisor, contact, r, z } = unknowns;
            let buffers = [levels, slices, entries, divisor, contact, r, scratch, z];
            self.recorder.dispatch(kernel, &buffers, &CoarseParameters { levels: *count }, 1);
        }
        for (k, fine) in grids.iter().enumerate().rev() {
            let solution = if k == 0 { &z.buffer } else { &fine.unknowns.z };
            let parameters = CycleParameters { n: fine.n, factor: fine.omega };
            let after = multigrid.after(k).map(|(next, _)| &next.z);
            let out = if after.is_some() { &fine.scratch } else { solution };
            let SlicedRows { slices, entries } = &fine.interpolation;
            let coarser = after.unwrap_or(nothing);
            let buffers = [right(k), contact(k), slices, entries, coarser, out, unwritten, nothing];
            self.recorder.run(&kernels.correct, &buffers, &parameters, fine.n);
            if after.is_some() {
                let SlicedRows { slices, entries } = &fine.matrix;
                let buffers = [right(k), contact(k), slices, entries, &fine.scratch, solution, unwritten, nothing];
                self.recorder.run(&kernels.smoothed, &buffers, &parameters, fine.n);
            }
        }
    }
}
