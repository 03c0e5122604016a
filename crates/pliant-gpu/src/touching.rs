//! Contacts between bodies: found once per step (`close.rs`), sorted by vertex (`touch_corners.wgsl`), with friction by how hard
//! they press (`touch_press.wgsl`), and all that they do at iterates (`touches.wgsl`).

use crate::buffer::{Buffer, Field};
use crate::close::CloseSearch;
use crate::context::Context;
use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::kernel::{Access, Kernel};
use crate::library::Library;
use crate::order::Order;
use crate::problem::GpuProblem;
use crate::recorder::Recorder;
use crate::scan::Scan;
use bytemuck::{Pod, Zeroable};
use pliant::contact::STICKING_SPEED;
use pliant::contact::close::{Since, TOUCH_WGSL, Touch};
use pliant::device::{KNOWN, MEETINGS, Parts};
use pliant::math::Vec3;
use pliant::model::{Model, System};
use std::sync::Arc;

/// Partials of their energy, however many there are.
pub(crate) const ENERGY_GROUPS: u32 = 64;

/// Words of a corner on the device; CORNER of bodies.wgsl.
const CORNER: u64 = 4;
/// Words of sums of a pair of parts and of a part, and of its links; see touch_press.wgsl.
const PAIR_SUMS: u64 = 4;
const PART_SUMS: u64 = 4;
/// Copies of sums that workgroups take turns with.
const COPIES: u64 = 32;
const LINKS: u64 = 3;
/// Contacts there is room for at first.
const ROOM: u32 = 1024;
/// What masses and forces add up to, at most, in sums of whole numbers, of which half of the bits are for fractions; and by how
/// many m/s² contacts may stop all there is.
const WHOLE: f64 = 1e9;
const HARDEST: f64 = 1e6;

/// Contacts of the step in progress, with room for more.
pub(crate) struct Touching {
    /// How many.
    count: u32,
    room: u32,
    kernels: TouchKernels,
    scan: Scan,
    records: Buffer,
    /// See bodies.wgsl.
    pub(crate) felt: Buffer,
    pub(crate) corners: Buffer,
    impulses: Buffer,
    crowd: Buffer,
    /// See touch_corners.wgsl.
    ends: Buffer,
    loose: Buffer,
    /// 1/mass and contact stiffness of each vertex; see close_finish.wgsl.
    yielding: Buffer,
    pressing: PressingBuffers,
    parameters: PressParameters,
}

/// See touch_press.wgsl.
struct PressingBuffers {
    part: Buffer,
    part_mass: Buffer,
    contacts: Buffer,
    pairs: Buffer,
    pair_sums: Buffer,
    part_sums: Buffer,
    links: Buffer,
    leaders: Buffer,
}

struct TouchKernels {
    feel: Arc<Kernel>,
    energy: Arc<Kernel>,
    press: Arc<Kernel>,
    look: Arc<Kernel>,
    push: Arc<Kernel>,
    shift: Arc<Kernel>,
    shift_all: Arc<Kernel>,
    count: Arc<Kernel>,
    begin: Arc<Kernel>,
    place: Arc<Kernel>,
    order: Arc<Kernel>,
    bound: Arc<Kernel>,
    reset: Arc<Kernel>,
    weigh: Arc<Kernel>,
    collect: Arc<Kernel>,
    gather: Arc<Kernel>,
    lead: Arc<Kernel>,
    limit: Arc<Kernel>,
}

#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
struct TouchParameters {
    n: u32,
    first: u32,
    soft: f32,
    rough: f32,
    limited: f32,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct CornerParameters {
    n: u32,
    vertices: u32,
}

/// `Parameters` of touch_press.wgsl.
#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
struct PressParameters {
    n: u32,
    parts: u32,
    pairs: u32,
    coefficient: f32,
    falls: f32,
    per_h_sq: f32,
    least_sticking: f32,
    per_kg: f32,
    per_newton: f32,
}

/// A contact as the kernels see it: `Touch` of touch.wgsl.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
struct Record {
    stencil: [u32; 4],
    weight: [f32; 4],
    normal: [f32; 3],
    gap: f32,
    anchor: [f32; 3],
    stiffness: f32,
    limit: f32,
    sticking: f32,
    spread: f32,
    comes: f32,
}

impl Record {
    /// With the numbers that vertices have in the model.
    fn touch(&self, order: &Order) -> Touch<f32> {
        let Self { stencil, weight, normal, gap, anchor, stiffness, limit, sticking, spread, comes } = *self;
        let [normal, anchor] = [normal, anchor].map(|[x, y, z]| Vec3::new(x, y, z));
        let stencil = stencil.map(|place| order.vertex[place as usize]);
        let comes = comes > 0.0;
        Touch { stencil, weight, normal, gap, stiffness, spread, anchor, limit, sticking, comes }
    }
}

/// The texts of the kernels with their names: what contacts do, which vertices are in them, how hard they press.
pub(crate) fn texts() -> [(&'static str, String); 3] {
    let head = "const GRIDS: bool = false;\n@group(0) @binding(15) var<storage, read> colliders: array<vec4<f32>>;\n";
    let constants = format!("{head}const KNOWN: f32 = {KNOWN:e};\nconst COPIES: u32 = {COPIES}u;\n");
    let text = |own: &str| [&constants, pliant::math::WGSL, pliant::contact::WGSL, TOUCH_WGSL, own].join("\n");
    [
        ("touches", text(include_str!("kernels/touches.wgsl"))),
        ("touch corners", text(include_str!("kernels/touch_corners.wgsl"))),
        ("touch press", text(include_str!("kernels/touch_press.wgsl"))),
    ]
}

impl TouchKernels {
    fn new(library: &mut Library) -> Result<Self, GpuError> {
        use Access::{Read, Write};
        let [touches, corners, press] = texts();
        let touching = [Read, Write, Write, Read, Write, Write, Read, Write, Write, Write, Write];
        let sorting = [Read, Read, Write, Write, Write];
        let pressing = [&[Write][..], &[Read; 5], &[Write; 6]].concat();
        let mut touch = |entry: &str| library.kernel::<TouchParameters>(touches.0, &touches.1, entry, &touching);
        let (feel, energy, active) = (touch("feel")?, touch("energy")?, touch("press")?);
        let (look, push) = (touch("look")?, touch("push")?);
        let (shift, shift_all) = (touch("shift")?, touch("shift_all")?);
        let mut corner = |entry: &str| library.kernel::<CornerParameters>(corners.0, &corners.1, entry, &sorting);
        let (count, begin, place) = (corner("count")?, corner("begin")?, corner("place")?);
        let (order, bound) = (corner("order")?, corner("bound")?);
        let mut press = |entry: &str| library.kernel::<PressParameters>(press.0, &press.1, entry, &pressing);
        Ok(Self {
            feel,
            energy,
            press: active,
            look,
            push,
            shift,
            shift_all,
            count,
            begin,
            place,
            order,
            bound,
            reset: press("reset")?,
            weigh: press("weigh")?,
            collect: press("collect")?,
            gather: press("gather")?,
            lead: press("lead")?,
            limit: press("limit")?,
        })
    }
}

impl PressingBuffers {
    fn new(context: &Context, parts: &Parts, mass: &[f32], order: &Order) -> Result<Self, GpuError> {
        let of: Vec<u32> = order.vertex.iter().map(|&i| parts.of[i as usize]).collect();
        let count = mass.len() as u64;
        Ok(Self {
            part: Buffer::with(context, "parts of vertices", &of)?,
            part_mass: Buffer::with(context, "masses of parts", mass)?,
            contacts: Buffer::new(context, "how hard contacts press", 0)?,
            pairs: Buffer::new(context, "pairs of parts", 0)?,
            pair_sums: Buffer::new(context, "sums over pairs of parts", 0)?,
            part_sums: Buffer::new(context, "sums over contacts of parts", 4 * COPIES * PART_SUMS * count)?,
            links: Buffer::new(context, "links of parts", 4 * LINKS * count)?,
            leaders: Buffer::with(context, "leaders of parts", &(0..count as u32).map(|k| [k, 0]).collect::<Vec<_>>())?,
        })
    }
}

impl Touching {
    /// `None` where bodies do not feel each other.
    pub(crate) fn new(
        context: &Context,
        library: &mut Library,
        (model, system): (&Model, &System),
        order: &Order,
    ) -> Result<Option<Self>, GpuError> {
        let Some(coefficient) = model.self_friction else { return Ok(None) };
        let (n, h) = (model.vertices(), system.h);
        let parts = Parts::new(model, system);
        let weighs = |part: &[u32]| part.iter().map(|&i| model.mass[i as usize]).sum::<f64>();
        let free = |part: &[u32]| !part.iter().any(|&i| system.held[i as usize]);
        let mass: Vec<f32> =
            parts.vertices.rows().map(|part| if free(part) { weighs(part) as f32 } else { 0.0 }).collect();
        let total: f64 = model.mass.iter().sum();
        let yielding = |i: u32| {
            let i = i as usize;
            let inv_mass = if system.held[i] { 0.0 } else { 1.0 / model.mass[i] };
            [inv_mass as f32, system.contact_stiffness[i] as f32]
        };
        let yielding: Vec<[f32; 2]> = order.vertex.iter().map(|&i| yielding(i)).collect();
        let mut touching = Self {
            count: 0,
            room: 0,
            kernels: TouchKernels::new(library)?,
            scan: Scan::new(context, library, n as u32)?,
            records: Buffer::new(context, "contacts", 0)?,
            felt: Buffer::new(context, "forces of contacts", 0)?,
            corners: Buffer::new(context, "corners of contacts", 0)?,
            impulses: Buffer::new(context, "impulses", 0)?,
            crowd: Buffer::new(context, "crowd", 4 * n as u64)?,
            ends: Buffer::new(context, "ends of corners", 4 * n as u64)?,
            loose: Buffer::new(context, "unsorted corners", 0)?,
            yielding: Buffer::with(context, "how vertices yield", &yielding)?,
            pressing: PressingBuffers::new(context, &parts, &mass, order)?,
            parameters: PressParameters {
                n: 0,
                parts: mass.len() as u32,
                pairs: 0,
                coefficient: coefficient as f32,
                falls: (Vec3::<f64>::of(model.acceleration).length() * h * h) as f32,
                per_h_sq: (1.0 / (h * h)) as f32,
                least_sticking: (STICKING_SPEED * h) as f32,
                per_kg: (WHOLE / total.max(f64::MIN_POSITIVE)).min(f64::from(f32::MAX)) as f32,
                per_newton: (WHOLE / (HARDEST * total).max(f64::MIN_POSITIVE)).min(f64::from(f32::MAX)) as f32,
            },
        };
        touching.reserve(context, (n, ROOM))?;
        Ok(Some(touching))
    }

    /// Makes room for so many contacts between n vertices, with some to spare.
    fn reserve(&mut self, context: &Context, (n, count): (usize, u32)) -> Result<(), GpuError> {
        if count <= self.room {
            return Ok(());
        }
        let room = u64::from(count) + u64::from(count) / 2;
        let parts = u64::from(self.parameters.parts);
        // As many pairs as there are contacts, or of all parts with all, and twice the room.
        let pairs = (2 * room.min(parts * (parts + 1) / 2)).next_power_of_two().max(64);
        self.records = Buffer::new(context, "contacts", size_of::<Record>() as u64 * room)?;
        self.felt = Buffer::new(context, "forces of contacts", 32 * room)?;
        self.impulses = Buffer::new(context, "impulses", 16 * room)?;
        self.loose = Buffer::new(context, "unsorted corners", 4 * 4 * room)?;
        // Nothing touches yet.
        let none = vec![n as u32 + 1; n + 1];
        self.corners = Buffer::new(context, "corners of contacts", 4 * (none.len() as u64 + 4 * CORNER * room))?;
        context.queue.write_buffer(&self.corners.raw, 0, bytemuck::cast_slice(&none));
        self.pressing.contacts = Buffer::new(context, "how hard contacts press", 16 * room)?;
        self.pressing.pairs = Buffer::new(context, "pairs of parts", 4 * pairs)?;
        self.pressing.pair_sums = Buffer::new(context, "sums over pairs of parts", 4 * COPIES * PAIR_SUMS * pairs)?;
        self.parameters.pairs = pairs as u32;
        self.room = room as u32;
        Ok(())
    }

    /// The first of all parts in contact with each, and whether they touch; as balance.wgsl takes it.
    pub(crate) fn leaders(&self) -> &Buffer {
        &self.pressing.leaders
    }

    /// Contacts with the numbers that vertices have in the model; waits.
    pub(crate) fn read(&self, recorder: &mut Recorder, order: &Order) -> Result<Vec<Touch<f32>>, GpuError> {
        let mut records = vec![Record::default(); self.count as usize];
        recorder.read(&self.records, 0, &mut records)?;
        Ok(records.iter().map(|record| record.touch(order)).collect())
    }

    /// Sorts corners by vertex; how stiff they may be is not known yet.
    fn sort_corners(&self, recorder: &mut Recorder, problem: &GpuProblem) {
        recorder.clear(&self.ends);
        let TouchKernels { count, begin, place, order, .. } = &self.kernels;
        self.run_corners(recorder, problem, count, self.count);
        self.scan.scan(recorder, &self.ends, problem.n);
        self.run_corners(recorder, problem, begin, problem.n + 1);
        self.run_corners(recorder, problem, place, self.count);
        self.run_corners(recorder, problem, order, 4 * self.count);
    }

    fn run_corners(&self, recorder: &mut Recorder, problem: &GpuProblem, kernel: &Kernel, n: u32) {
        let buffers = [&self.records, &problem.inv_mass, &self.ends, &self.loose, &self.corners];
        recorder.run(kernel, &buffers, &CornerParameters { n, vertices: problem.n }, n);
    }

    /// How hard contacts press, their friction, and which parts are in contact.
    fn weigh(&self, recorder: &mut Recorder, problem: &GpuProblem) {
        let PressingBuffers { part, part_mass, contacts, pairs, pair_sums, part_sums, links, leaders } = &self.pressing;
        recorder.clear(pairs);
        recorder.clear(pair_sums);
        let buffers = [
            &self.records,
            &problem.x_tilde.buffer,
            &problem.inv_mass,
            &self.crowd,
            part,
            part_mass,
            contacts,
            pairs,
            pair_sums,
            part_sums,
            links,
            leaders,
        ];
        let TouchKernels { reset, weigh, collect, gather, lead, limit, .. } = &self.kernels;
        let (parts, pairs_there) = (self.parameters.parts, self.parameters.pairs);
        for (kernel, n) in [(reset, parts), (weigh, self.count), (collect, pairs_there), (gather, parts), (lead, parts)]
        {
            recorder.run(kernel, &buffers, &PressParameters { n, ..self.parameters }, n);
        }
        if self.parameters.coefficient > 0.0 {
            recorder.run(limit, &buffers, &PressParameters { n: self.count, ..self.parameters }, self.count);
        }
    }
}

impl GpuProblem {
    /// Whether bodies touch each other in this step.
    pub(crate) fn bodies_touch(&self) -> bool {
        self.touching.as_ref().is_some_and(|touching| touching.count > 0)
    }
}

impl Gpu {
    /// Finds the contacts of the step that begins at x; waits until their number is known.
    pub(crate) fn find_touches(&mut self, problem: &mut GpuProblem, since: Since, x: &Field) {
        let Some(mut touching) = problem.touching.take() else { return };
        // Until they are found, and if that fails, kernels must stay inside the buffers there are.
        touching.count = 0;
        let Some(mut search) = self.search.take() else { return };
        let found = self.take_touches(problem, &mut touching, &mut search, since, x);
        if let Err(error) = found {
            self.context.faults.report(error);
        }
        self.search = Some(search);
        problem.touching = Some(touching);
    }

    fn take_touches(
        &mut self,
        problem: &GpuProblem,
        touching: &mut Touching,
        search: &mut CloseSearch,
        since: Since,
        x: &Field,
    ) -> Result<(), GpuError> {
        let Self { context, recorder, .. } = self;
        let points = [&x.buffer, &problem.x_tilde.buffer];
        let count = search.find((context, recorder), since, points)?;
        touching.reserve(context, (problem.n as usize, count))?;
        touching.count = count;
        search.finish(recorder, since, points, &touching.yielding, &touching.records);
        touching.sort_corners(recorder, problem);
        let of_contacts = TouchParameters { n: count, ..Default::default() };
        let buffers = touch_buffers(problem, touching, &problem.x_tilde);
        recorder.run(&touching.kernels.press, &buffers, &of_contacts, count);
        let of_vertices = TouchParameters { n: problem.n, ..Default::default() };
        recorder.run(&touching.kernels.look, &buffers, &of_vertices, problem.n);
        touching.weigh(recorder, problem);
        touching.run_corners(recorder, problem, &touching.kernels.bound, 4 * count);
        Ok(())
    }

    /// What contacts between bodies do at x.
    pub(crate) fn feel_bodies(&mut self, problem: &GpuProblem, x: &Field) {
        if let Some(touching) = &problem.touching {
            let parameters = TouchParameters { n: touching.count, ..Default::default() };
            self.run_touches(problem, &touching.kernels.feel, x, &parameters);
        }
    }

    /// Their energy at x, in partials from `first` on.
    pub(crate) fn touch_energies(&mut self, problem: &GpuProblem, x: &Field, first: u32) {
        let Some(touching) = &problem.touching else { return };
        let parameters = TouchParameters { n: touching.count, first, ..Default::default() };
        let mut buffers = touch_buffers(problem, touching, x);
        buffers[7] = &problem.measured;
        self.recorder.dispatch(&touching.kernels.energy, &buffers, &parameters, ENERGY_GROUPS);
    }

    /// Contacts between bodies push vertices of the start of a solve apart, in turn with colliders.
    pub(crate) fn meet_bodies(&mut self, problem: &GpuProblem, x: &Field) {
        let Some(touching) = problem.touching.as_ref().filter(|touching| touching.count > 0) else { return };
        let h_sq = (problem.system.h * problem.system.h) as f32;
        for round in 0..MEETINGS {
            // Friction has a limit for the whole step.
            let limited = if round == 0 { h_sq } else { 0.0 };
            let parameters = TouchParameters { soft: 1.0 / h_sq, limited, ..Default::default() };
            self.push_bodies(problem, touching, x, parameters);
            self.run_touches(problem, &touching.kernels.shift, x, &TouchParameters { n: problem.n, ..parameters });
            self.meet_all_colliders(problem, x, false);
        }
    }

    /// Contacts between bodies push vertices apart in a position-based sweep; what is moved is moved in `others`, too.
    pub(crate) fn enforce_touches(&mut self, problem: &GpuProblem, x: &Field, [first, second]: [&Field; 2]) {
        let Some(touching) = problem.touching.as_ref().filter(|touching| touching.count > 0) else { return };
        let rough = problem.model.self_friction.unwrap_or(0.0) as f32;
        let parameters = TouchParameters { rough, ..Default::default() };
        self.push_bodies(problem, touching, x, parameters);
        let mut buffers = touch_buffers(problem, touching, x);
        buffers[8..].copy_from_slice(&[&first.buffer, &second.buffer, &problem.before]);
        let parameters = TouchParameters { n: problem.n, ..parameters };
        self.recorder.run(&touching.kernels.shift_all, &buffers, &parameters, problem.n);
    }

    /// The impulses of all contacts at x.
    fn push_bodies(&mut self, problem: &GpuProblem, touching: &Touching, x: &Field, parameters: TouchParameters) {
        let TouchKernels { press, look, push, .. } = &touching.kernels;
        let of_contacts = TouchParameters { n: touching.count, ..parameters };
        self.run_touches(problem, press, x, &of_contacts);
        self.run_touches(problem, look, x, &TouchParameters { n: problem.n, ..parameters });
        self.run_touches(problem, push, x, &of_contacts);
    }

    fn run_touches(&mut self, problem: &GpuProblem, kernel: &Kernel, x: &Field, parameters: &TouchParameters) {
        if let Some(touching) = &problem.touching {
            self.recorder.run(kernel, &touch_buffers(problem, touching, x), parameters, parameters.n);
        }
    }
}

/// What `touches.wgsl` binds, with nothing where most kernels need nothing.
fn touch_buffers<'a>(problem: &'a GpuProblem, touching: &'a Touching, x: &'a Field) -> [&'a Buffer; 11] {
    let Touching { records, felt, corners, impulses, crowd, .. } = touching;
    let [partials, first, second, before] = problem.nothing.write.each_ref();
    [records, &x.buffer, felt, corners, impulses, crowd, &problem.inv_mass, partials, first, second, before]
}
