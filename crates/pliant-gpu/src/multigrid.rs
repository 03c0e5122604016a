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
    omega: f32,
    interpolation_norm: f32,
    touching: u32,
    first: u32,
}

#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
struct CoarseParameters {
    levels: u32,
    touching: u32,
}

/// Unknowns up to which a level is done in one workgroup.
const COARSE: usize = 1500;

/// Invocations of that workgroup, if the device has as many.
const COARSE_GROUP: u32 = 1024;

struct Kernels {
    swept: Arc<Kernel>,
    residual: Arc<Kernel>,
    restricted: Arc<Kernel>,
    corrected: Arc<Kernel>,
    smoothed: Arc<Kernel>,
}

/// The hierarchy of A on the device.
pub(crate) struct Multigrid {
    kernels: Kernels,
    grids: Vec<Grid>,
    /// The levels after `grids`, if there are any.
    coarse: Option<Coarse>,
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
    /// 1 over what Jacobi divides by without contacts, m/N; 0 where held.
    inverse: Buffer,
    /// Contacts, N/m; empty without colliders.
    contact: Buffer,
    r: Buffer,
    z: Buffer,
}

/// All small levels, one after the other.
struct Coarse {
    kernel: Arc<Kernel>,
    count: u32,
    /// Unknowns of the first of them, and its ω.
    n: u32,
    omega: f32,
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

    /// 1 over what the sweeps of the level divide by, m/N.
    fn inverse<'a>(&'a self, level: &'a Level) -> impl Iterator<Item = f32> + 'a {
        self.row.iter().map(|&i| 1.0 / level.divisor[i as usize] as f32)
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

/// Entries times a field.
fn of_field(name: &str) -> String {
    row_sum(&format!("sum_{name}"), &format!("{name}[ENTRY.x] * bitcast<f32>(ENTRY.y)"))
}

/// Entries without their sign times the contacts, which start at `first`.
fn of_contacts(first: &str) -> String {
    let term = |of: &str| format!("contact[2u * ({first} + ENTRY.x) + {of}] * abs(bitcast<f32>(ENTRY.y))");
    row_sum("sum_diagonal", &term("0u")) + &row_sum("sum_off", &term("1u"))
}

fn with_sums(sums: &[String], kernel: &str) -> String {
    let sums = sums.concat();
    let parts = [
        pliant::math::SYM3_WGSL,
        include_str!("kernels/diagonal.wgsl"),
        &sums,
        include_str!("kernels/cycle.wgsl"),
        kernel,
    ];
    format!("const SLICE: u32 = {SLICE}u;\n{}", parts.join("\n"))
}

/// The text of the kernels of a large level.
pub(crate) fn text() -> String {
    with_sums(&[of_field("r"), of_field("z"), of_contacts("p.first")], include_str!("kernels/multigrid.wgsl"))
}

/// The text of the kernel of all small levels.
pub(crate) fn coarse_text() -> String {
    with_sums(&[of_field("scratch"), of_field("z"), of_contacts("0u")], include_str!("kernels/coarse.wgsl"))
}

impl Multigrid {
    fn new(gpu: &mut Gpu, problem: &GpuProblem) -> Result<Self, GpuError> {
        use Access::{Read, Write};
        let access = [Read, Read, Read, Read, Read, Write, Write, Read, Write];
        let text = text();
        let mut kernel =
            |entry| gpu.library.kernel_of::<CycleParameters>(SMALL_GROUP, "multigrid", &text, entry, &access);
        let kernels = Kernels {
            swept: kernel("swept")?,
            residual: kernel("residual")?,
            restricted: kernel("restricted")?,
            corrected: kernel("corrected")?,
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
        let touching = problem.model.has_contacts();
        let held = |k: usize| (k == 0).then_some(&problem.system.held[..]);
        let grid = |k: usize| Grid::new(context, &levels[k], &places[k], &places[k + 1], held(k), touching);
        let grids = (0..large).map(grid).collect::<Result<Vec<_>, _>>()?;
        let coarse = (large < levels.len())
            .then(|| Coarse::new(gpu, &levels[large..], &places[large..], touching))
            .transpose()?;
        Ok(Self { kernels, grids, coarse })
    }

    /// The level after grid `k`: its unknowns, their number, and ω.
    fn after(&self, k: usize) -> Option<(&Unknowns, u32, f32)> {
        let large = self.grids.get(k + 1).map(|grid| (&grid.unknowns, grid.n, grid.omega));
        large.or_else(|| self.coarse.as_ref().map(|coarse| (&coarse.unknowns, coarse.n, coarse.omega)))
    }
}

impl Unknowns {
    fn new(context: &Context, inverse: &[f32], finest: bool, touching: bool) -> Result<Self, GpuError> {
        let n = inverse.len() as u64;
        let own = |name: &str| Buffer::new(context, name, if finest { 0 } else { 16 * n });
        Ok(Self {
            inverse: Buffer::with(context, "inverse diagonal of levels", inverse)?,
            contact: Buffer::new(context, "contacts of levels", if touching && !finest { 32 * n } else { 0 })?,
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
        held: Option<&[bool]>,
        touching: bool,
    ) -> Result<Self, GpuError> {
        let n = places.row.len();
        let mut inverse: Vec<f32> = places.inverse(level).collect();
        for (inverse, &i) in inverse.iter_mut().zip(&places.row) {
            if held.is_some_and(|held| held[i as usize]) {
                *inverse = 0.0;
            }
        }
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
            unknowns: Unknowns::new(context, &inverse, held.is_some(), touching)?,
        })
    }
}

impl Coarse {
    /// `places` has one more, of no unknowns, than there are levels.
    fn new(gpu: &mut Gpu, levels: &[Level], places: &[Places], touching: bool) -> Result<Self, GpuError> {
        let mut firsts = vec![0u32];
        let mut inverse = Vec::new();
        for (level, places) in levels.iter().zip(places) {
            inverse.extend(places.inverse(level));
            firsts.push(inverse.len() as u32);
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
            omega: packed[0].omega,
            levels: Buffer::with(context, "coarse levels", &packed)?,
            slices: slices.slices,
            entries: slices.entries,
            scratch: Buffer::new(context, "residuals of coarse levels", 16 * inverse.len() as u64)?,
            unknowns: Unknowns::new(context, &inverse, false, touching)?,
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
        let touching = problem.may_touch();
        let Some(multigrid) = &problem.multigrid else { return };
        let nothing = &problem.nothing.read;
        let [unwritten, unwritten_too, ..] = &problem.nothing.write;
        let Multigrid { kernels, grids, coarse, .. } = multigrid;
        let right = |k: usize| if k == 0 { &r.buffer } else { &grids[k].unknowns.r };
        let solution = |k: usize| if k == 0 { &z.buffer } else { &grids[k].unknowns.z };
        let contact = |k: usize| if k == 0 { &problem.contact } else { &grids[k].unknowns.contact };
        // On the finest level those of the step so far with friction, which come last.
        let parameters = |k: usize| {
            let first = if k == 0 { 2 * problem.n } else { 0 };
            CycleParameters { touching, first, ..CycleParameters::default() }
        };
        let Grid { n, omega, matrix: SlicedRows { slices, entries }, unknowns: finest, .. } = &grids[0];
        let buffers =
            [&r.buffer, contact(0), slices, entries, nothing, &z.buffer, unwritten, &finest.inverse, unwritten_too];
        let sweep = CycleParameters { n: *n, omega: *omega, ..parameters(0) };
        self.recorder.run(&kernels.swept, &buffers, &sweep, *n);
        for (k, fine) in grids.iter().enumerate() {
            let Some((next, n, omega)) = multigrid.after(k) else { break };
            let (contact, inverse) = (contact(k), &fine.unknowns.inverse);
            let SlicedRows { slices, entries } = &fine.matrix;
            let buffers =
                [right(k), contact, slices, entries, solution(k), &fine.scratch, unwritten, inverse, unwritten_too];
            self.recorder.run(&kernels.residual, &buffers, &CycleParameters { n: fine.n, ..parameters(k) }, fine.n);
            let SlicedRows { slices, entries } = &fine.restriction;
            let Unknowns { inverse, contact: out_contact, r, z } = next;
            let buffers = [&fine.scratch, contact, slices, entries, nothing, z, out_contact, inverse, r];
            let interpolation_norm = fine.interpolation_norm;
            let restrict = CycleParameters { n, omega, interpolation_norm, ..parameters(k) };
            self.recorder.run(&kernels.restricted, &buffers, &restrict, n);
        }
        if let Some(Coarse { kernel, count, levels, slices, entries, scratch, unknowns, .. }) = coarse {
            let Unknowns { inverse, contact, r, z } = unknowns;
            let buffers = [levels, slices, entries, inverse, contact, r, scratch, z];
            self.recorder.dispatch(kernel, &buffers, &CoarseParameters { levels: *count, touching }, 1);
        }
        for (k, fine) in grids.iter().enumerate().rev() {
            let Some((coarser, ..)) = multigrid.after(k) else { continue };
            let parameters = CycleParameters { n: fine.n, omega: fine.omega, ..parameters(k) };
            let (contact, inverse) = (contact(k), &fine.unknowns.inverse);
            let SlicedRows { slices, entries } = &fine.interpolation;
            let buffers =
                [solution(k), contact, slices, entries, &coarser.z, &fine.scratch, unwritten, inverse, unwritten_too];
            self.recorder.run(&kernels.corrected, &buffers, &parameters, fine.n);
            let SlicedRows { slices, entries } = &fine.matrix;
            let buffers =
                [right(k), contact, slices, entries, &fine.scratch, solution(k), unwritten, inverse, unwritten_too];
            self.recorder.run(&kernels.smoothed, &buffers, &parameters, fine.n);
        }
    }
}
