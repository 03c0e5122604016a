//! Contacts between bodies. They are found on the host once per step ([`pliant::device::TouchSearch`], the same as for the
//! CPU), which needs to read where the step begins and its inertial target; all that happens at iterates is done here, see
//! `touches.wgsl`.

use crate::buffer::{Buffer, Field};
use crate::context::Context;
use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::kernel::{Access, Kernel};
use crate::library::Library;
use crate::order::Order;
use crate::problem::GpuProblem;
use bytemuck::{Pod, Zeroable};
use pliant::contact::close::{Since, TOUCH_WGSL, Touch};
use pliant::device::{MEETINGS, TouchSetting, Touches};
use pliant::model::{Model, System};
use std::sync::Arc;

/// Partials of their energy, however many there are.
pub(crate) const ENERGY_GROUPS: u32 = 64;

/// Words of a corner on the device; CORNER of bodies.wgsl.
const CORNER: u32 = 4;

/// Contacts of the step in progress, with room for more.
pub(crate) struct Touching {
    /// On the host, with the numbers that vertices have in the model.
    pub(crate) touches: Touches<f32>,
    host: Host,
    kernels: TouchKernels,
    records: Buffer,
    /// See bodies.wgsl.
    pub(crate) felt: Buffer,
    pub(crate) corners: Buffer,
    impulses: Buffer,
    crowd: Buffer,
}

/// What the search looks at, by vertices of the model, and memory for what it found.
struct Host {
    start: Vec<[f32; 4]>,
    x_tilde: Vec<[f32; 4]>,
    inv_mass: Vec<f32>,
    contact_stiffness: Vec<f32>,
    records: Vec<Record>,
    corners: Vec<u32>,
}

struct TouchKernels {
    feel: Arc<Kernel>,
    energy: Arc<Kernel>,
    press: Arc<Kernel>,
    look: Arc<Kernel>,
    push: Arc<Kernel>,
    shift: Arc<Kernel>,
    shift_all: Arc<Kernel>,
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
    fn new(touch: &Touch<f32>, order: &Order) -> Self {
        let Touch { stencil, weight, normal, gap, stiffness, spread, anchor, limit, sticking, comes } = *touch;
        Self {
            stencil: stencil.map(|i| order.place[i as usize]),
            weight,
            normal: [normal.x, normal.y, normal.z],
            gap,
            anchor: [anchor.x, anchor.y, anchor.z],
            stiffness,
            // What has no stiffness sticks within an infinite slip, and shaders need not know infinities.
            limit: if sticking.is_finite() { limit } else { 0.0 },
            sticking,
            spread,
            comes: f32::from(u8::from(comes)),
        }
    }

    /// Per weight: the push that it may have at the inertial target, and the most stiffness that it may ever have, N/m.
    fn bounds(&self) -> [f32; 2] {
        let friction = if self.limit > 0.0 { self.limit / self.sticking } else { 0.0 };
        [self.comes * self.spread * self.stiffness, self.spread * self.stiffness.max(friction)]
    }
}

impl Host {
    /// Contacts and corners as the kernels see them.
    fn pack(&mut self, touches: &Touches<f32>, order: &Order) {
        let Self { records, corners, .. } = self;
        records.clear();
        records.extend(touches.all.iter().map(|touch| Record::new(touch, order)));
        corners.clear();
        let mut at = order.vertex.len() as u32 + 1;
        for &i in &order.vertex {
            corners.push(at);
            at += CORNER * touches.corners(i as usize).len() as u32;
        }
        corners.push(at);
        for corner in order.vertex.iter().flat_map(|&i| touches.corners(i as usize)) {
            let bounds = records[corner.touch as usize].bounds().map(|bound| (bound * corner.weight.abs()).to_bits());
            corners.extend([corner.touch, corner.weight.to_bits(), bounds[0], bounds[1]]);
        }
    }
}

/// The text of the kernels.
pub(crate) fn text() -> String {
    let head = "const GRIDS: bool = false;\n@group(0) @binding(11) var<storage, read> colliders: array<vec4<f32>>;\n";
    [head, pliant::math::WGSL, pliant::contact::WGSL, TOUCH_WGSL, include_str!("kernels/touches.wgsl")].join("\n")
}

impl Touching {
    /// `None` where bodies do not feel each other.
    pub(crate) fn new(
        context: &Context,
        library: &mut Library,
        (model, system): (&Model, &System),
    ) -> Result<Option<Self>, GpuError> {
        if model.self_friction.is_none() {
            return Ok(None);
        }
        use Access::{Read, Write};
        let access = [Read, Write, Write, Read, Write, Write, Read, Write, Write, Write, Write];
        let text = text();
        let mut kernel = |entry: &str| library.kernel::<TouchParameters>("touches", &text, entry, &access);
        let kernels = TouchKernels {
            feel: kernel("feel")?,
            energy: kernel("energy")?,
            press: kernel("press")?,
            look: kernel("look")?,
            push: kernel("push")?,
            shift: kernel("shift")?,
            shift_all: kernel("shift_all")?,
        };
        let n = model.vertices();
        let free = |i: usize| if system.held[i] { 0.0 } else { (1.0 / model.mass[i]) as f32 };
        let host = Host {
            start: vec![[0.0; 4]; n],
            x_tilde: vec![[0.0; 4]; n],
            inv_mass: (0..n).map(free).collect(),
            contact_stiffness: system.contact_stiffness.iter().map(|&k| k as f32).collect(),
            records: Vec::new(),
            corners: Vec::new(),
        };
        // Nothing touches yet.
        let none = vec![n as u32 + 1; n + 1];
        Ok(Some(Self {
            touches: Touches::default(),
            host,
            kernels,
            records: Buffer::new(context, "contacts", 0)?,
            felt: Buffer::new(context, "forces of contacts", 0)?,
            corners: Buffer::with(context, "corners of contacts", &none)?,
            impulses: Buffer::new(context, "impulses", 0)?,
            crowd: Buffer::new(context, "crowd", 4 * n as u64)?,
        }))
    }

    fn count(&self) -> u32 {
        self.touches.all.len() as u32
    }

    /// Makes room for what was found, with some to spare.
    fn reserve(&mut self, context: &Context) -> Result<(), GpuError> {
        let Self { host, records, felt, corners, impulses, .. } = self;
        let grow = |buffer: &mut Buffer, name: &str, bytes: usize| -> Result<(), GpuError> {
            if bytes as u64 > buffer.bytes() {
                *buffer = Buffer::new(context, name, (bytes + bytes / 2) as u64)?;
            }
            Ok(())
        };
        let count = host.records.len();
        grow(records, "contacts", size_of_val(&host.records[..]))?;
        grow(felt, "forces of contacts", 32 * count)?;
        grow(impulses, "impulses", 16 * count)?;
        grow(corners, "corners of contacts", size_of_val(&host.corners[..]))
    }
}

impl GpuProblem {
    /// Whether bodies touch each other in this step.
    pub(crate) fn bodies_touch(&self) -> bool {
        self.touching.as_ref().is_some_and(|touching| !touching.touches.is_empty())
    }
}

impl Gpu {
    /// Finds the contacts of the step that begins at x; waits for x and its inertial target.
    pub(crate) fn find_touches(&mut self, problem: &mut GpuProblem, since: Since, x: &Field) {
        let Some(mut touching) = problem.touching.take() else { return };
        if let Err(error) = self.take_touches(problem, &mut touching, since, x) {
            self.context.faults.report(error);
            // Until somebody looks, kernels must stay inside the buffers there are.
            touching.touches = Touches::default();
        }
        problem.touching = Some(touching);
    }

    fn take_touches(
        &mut self,
        problem: &GpuProblem,
        touching: &mut Touching,
        since: Since,
        x: &Field,
    ) -> Result<(), GpuError> {
        let Touching { touches, host, .. } = touching;
        let order = &problem.order;
        // Both are asked for before the first is waited for.
        let asked = [self.recorder.request_points(x)?, self.recorder.request_points(&problem.x_tilde)?];
        for (ticket, to) in asked.into_iter().zip([&mut host.start, &mut host.x_tilde]) {
            self.recorder.receive_points(ticket, |place, [x, y, z]| {
                to[order.vertex[place] as usize] = [x as f32, y as f32, z as f32, 0.0];
            })?;
        }
        let Host { start, x_tilde, inv_mass, contact_stiffness, .. } = &*host;
        let setting = TouchSetting { start, x_tilde, inv_mass, contact_stiffness, h: problem.system.h };
        if let Some(search) = &mut self.search {
            search.find(since, &setting, touches);
        }
        host.pack(touches, order);
        touching.reserve(&self.context)?;
        self.recorder.write(&touching.records, 0, &touching.host.records);
        self.recorder.write(&touching.corners, 0, &touching.host.corners);
        Ok(())
    }

    /// What contacts between bodies do at x.
    pub(crate) fn feel_bodies(&mut self, problem: &GpuProblem, x: &Field) {
        if let Some(touching) = &problem.touching {
            let parameters = TouchParameters { n: touching.count(), ..Default::default() };
            self.run_touches(problem, &touching.kernels.feel, x, &parameters);
        }
    }

    /// Their energy at x, in partials from `first` on.
    pub(crate) fn touch_energies(&mut self, problem: &GpuProblem, x: &Field, first: u32) {
        let Some(touching) = &problem.touching else { return };
        let parameters = TouchParameters { n: touching.count(), first, ..Default::default() };
        let mut buffers = touch_buffers(problem, touching, x);
        buffers[7] = &problem.measured;
        self.recorder.dispatch(&touching.kernels.energy, &buffers, &parameters, ENERGY_GROUPS);
    }

    /// Contacts between bodies push vertices of the start of a solve apart, in turn with colliders.
    pub(crate) fn meet_bodies(&mut self, problem: &GpuProblem, x: &Field) {
        let Some(touching) = problem.touching.as_ref().filter(|touching| !touching.touches.is_empty()) else { return };
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
        let Some(touching) = problem.touching.as_ref().filter(|touching| !touching.touches.is_empty()) else { return };
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
        let of_contacts = TouchParameters { n: touching.count(), ..parameters };
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
