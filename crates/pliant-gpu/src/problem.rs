//! A model at one step size on the device.

use crate::buffer::{Buffer, Field};
use crate::context::Context;
use crate::elements::{Batch, places};
use crate::error::GpuError;
use crate::kernel::{Access, GROUP, Kernel, SMALL_GROUP};
use crate::library::Library;
use crate::order::Order;
use crate::rings::RingChoice;
use crate::rows::{ForceRows, SLICE};
use crate::stepping::Layout;
use bytemuck::{Pod, Zeroable};
use pliant::device::rows::is_in_rows;
use pliant::model::{Model, Potential, System};
use std::sync::Arc;

/// A model at one step size, with the step's inertial target, pins and colliders.
pub struct GpuProblem {
    pub(crate) model: Arc<Model>,
    pub(crate) system: Arc<System>,
    pub(crate) order: Arc<Order>,
    pub(crate) n: u32,
    pub(crate) rows: ForceRows,
    pub(crate) batches: Vec<Batch>,
    /// Forces of elements that are not in the rows, one per corner, sorted by vertex; and the slot of each corner.
    pub(crate) slots: Buffer,
    pub(crate) slot_offsets: Buffer,
    pub(crate) destinations: Buffer,
    /// m/h², N/m; 0 where held.
    pub(crate) inertia: Buffer,
    pub(crate) inv_diagonal: Buffer,
    pub(crate) inv_mass: Buffer,
    /// Contact stiffness, thickness, 1/m, D; with colliders, the friction of the step after it, see `force.wgsl`.
    pub(crate) touch: Buffer,
    /// Blocks of contacts as of the last gradient: the active ones, then the pushes of the step so far, then these with
    /// friction; empty without colliders.
    pub(crate) contact: Buffer,
    /// No gradient of this step has looked at the contacts yet.
    pub(crate) fresh_step: bool,
    /// Whether there is friction.
    pub(crate) gripping: bool,
    /// Which vertices are of solids, and ∇E without colliders at the start of the step; empty without their friction.
    pub(crate) solid: Buffer,
    pub(crate) start_force: Field,
    /// Where each vertex was at the start of the step, m, and how far `enforce` pushed it since, m.
    pub(crate) before: Buffer,
    pub(crate) x_tilde: Field,
    pub(crate) x_pull: Field,
    pub(crate) colliders: Buffer,
    pub(crate) packed_colliders: Vec<[[f32; 4]; 7]>,
    pub(crate) pins: Buffer,
    pub(crate) packed_pins: Vec<PackedPin>,
    pub(crate) wind: Wind,
    pub(crate) shape: Shape,
    /// Partials of the measures, and where each of them lies.
    pub(crate) measured: Buffer,
    pub(crate) layout: Layout,
    pub(crate) kernels: Kernels,
    pub(crate) rings: RingChoice,
    pub(crate) matrix: Option<crate::matrix::Matrix>,
    pub(crate) multigrid: Option<crate::multigrid::Multigrid>,
    pub(crate) constraints: Option<crate::constrain::Constraints>,
    pub(crate) free_parts: Option<crate::turn::FreeParts>,
    pub(crate) potential: Potential,
    /// Stands where a kernel has a buffer that it does not use.
    pub(crate) nothing: Nothing,
}

/// Buffers for places that a kernel does not use. No writable buffer may be bound twice.
pub(crate) struct Nothing {
    pub(crate) read: Buffer,
    pub(crate) write: [Buffer; 2],
}

/// A pin as the kernels see it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct PackedPin {
    pub goal: [f32; 3],
    pub vertex: u32,
    /// N/m; negative where held.
    pub stiffness: f32,
    pub inertia: f32,
    pub padding: [f32; 2],
}

/// Triangles around each vertex, for wind.
pub(crate) struct Wind {
    pub(crate) offsets: Buffer,
    pub(crate) triangles: Buffer,
    pub(crate) winds: Buffer,
    pub(crate) count: u32,
}

/// What certificates look at.
pub(crate) struct Shape {
    pub(crate) edges: Buffer,
    pub(crate) rest: Buffer,
    pub(crate) edge_count: u32,
    pub(crate) tets: Buffer,
    pub(crate) tet_count: u32,
}

#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct SweepParameters {
    pub n: u32,
    pub omega: f32,
    pub gamma: f32,
    /// 1 for the first gradient of a step.
    pub fresh: u32,
}

#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct StepParameters {
    pub n: u32,
    pub wind_count: u32,
    pub h: f32,
    pub drift: f32,
    pub fall: [f32; 3],
    pub padding: u32,
}

#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct GripParameters {
    pub n: u32,
    pub has_solids: u32,
    pub h: f32,
    pub sticking: f32,
}

#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct MeasureParameters {
    pub n: u32,
    pub first: u32,
    pub others: u32,
}

#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct CountParameters {
    pub n: u32,
}

#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct RangeParameters {
    pub n: u32,
    pub first: u32,
}

/// Kernels whose text depends on what the model has.
pub(crate) struct Kernels {
    pub(crate) gradient: Arc<Kernel>,
    pub(crate) gradient_without_colliders: Arc<Kernel>,
    pub(crate) jacobi: Arc<Kernel>,
    pub(crate) jacobi_residual: Arc<Kernel>,
    pub(crate) predict: Arc<Kernel>,
    pub(crate) pin: Arc<Kernel>,
    pub(crate) pull: Arc<Kernel>,
    pub(crate) push: Arc<Kernel>,
    pub(crate) grip: Arc<Kernel>,
    pub(crate) shorten_slips: Arc<Kernel>,
    pub(crate) finish_step: Arc<Kernel>,
    pub(crate) start: Arc<Kernel>,
    pub(crate) solution: Arc<Kernel>,
    pub(crate) gap: Arc<Kernel>,
    pub(crate) stretch: Arc<Kernel>,
    pub(crate) inverted: Arc<Kernel>,
    pub(crate) pin_energy: Arc<Kernel>,
}

/// The text of the kernels that loop over a vertex's neighbours.
pub(crate) fn force_text(has_slots: bool, colliders: usize, kernel: &str) -> String {
    let slots = include_str!("kernels/slots.wgsl");
    bare_force_text(colliders, &format!("const HAS_SLOTS: bool = {has_slots};\n{slots}\n{kernel}"))
}

/// The same for kernels that keep slots elsewhere.
pub(crate) fn bare_force_text(colliders: usize, kernel: &str) -> String {
    let (cover, force) = (pliant::contact::COVER_WGSL, include_str!("kernels/force.wgsl"));
    sweep_text(colliders, &format!("const SLICE: u32 = {SLICE}u;\n{cover}\n{force}\n{kernel}"))
}

/// The text of all kernels that sweep.
pub(crate) fn sweep_text(colliders: usize, kernel: &str) -> String {
    let parts =
        [pliant::math::SYM3_WGSL, include_str!("kernels/contacts.wgsl"), include_str!("kernels/spring.wgsl"), kernel];
    contact_text(colliders, &parts.join("\n"))
}

/// Vectors of `touch` per vertex: with colliders, friction has two.
fn touch_stride(colliders: usize) -> usize {
    if colliders > 0 { 3 } else { 1 }
}

/// The text of the kernels before and after a solve.
pub(crate) fn step_text(has_wind: bool, colliders: usize) -> String {
    let wind = format!("const HAS_WIND: bool = {has_wind};\n");
    wind + &contact_text(colliders, include_str!("kernels/step.wgsl"))
}

/// The text of the kernel that finds the friction of a step.
pub(crate) fn grip_text(colliders: usize) -> String {
    contact_text(colliders, include_str!("kernels/grip.wgsl"))
}

/// What all kernels with colliders start with.
fn contact_text(colliders: usize, kernel: &str) -> String {
    let (stride, math, contact) = (touch_stride(colliders), pliant::math::WGSL, pliant::contact::WGSL);
    format!("const COLLIDERS: u32 = {colliders}u;\nconst TOUCH: u32 = {stride}u;\n{math}\n{contact}\n{kernel}")
}

impl Kernels {
    fn new(library: &mut Library, has_slots: bool, has_wind: bool, colliders: usize) -> Result<Self, GpuError> {
        use Access::{Read, Write};
        let sweep = force_text(has_slots, colliders, include_str!("kernels/sweep.wgsl"));
        let mut sweeps = |entry: &str, group: u32| {
            let mut access = [Read; 12];
            access[10..].fill(Write);
            library.kernel_of::<SweepParameters>(group, "sweep", &sweep, entry, &access)
        };
        let (gradient, jacobi) = (sweeps("gradient", SMALL_GROUP)?, sweeps("jacobi", SMALL_GROUP)?);
        let jacobi_residual = sweeps("jacobi_residual", GROUP)?;
        let gradient_without_colliders = sweeps("gradient_without_colliders", SMALL_GROUP)?;
        let step = step_text(has_wind, colliders);
        let mut steps = |entry: &str| {
            let access = [Read, Write, Write, Write, Read, Read, Read, Read, Read, Read, Read, Write];
            library.kernel::<StepParameters>("step", &step, entry, &access)
        };
        let (predict, pin, pull) = (steps("predict")?, steps("pin")?, steps("pull")?);
        let (push, shorten_slips, finish_step) = (steps("push")?, steps("shorten_slips")?, steps("finish_step")?);
        let access = [Read, Read, Read, Read, Write, Read, Read];
        let grip = library.kernel::<GripParameters>("grip", &grip_text(colliders), "grip", &access)?;
        let measure = force_text(has_slots, colliders, include_str!("kernels/measure.wgsl"));
        let mut measures = |entry: &str| {
            let mut access = [Read; 13];
            access[11] = Write;
            library.kernel::<MeasureParameters>("measure", &measure, entry, &access)
        };
        let (start, solution, gap) = (measures("start")?, measures("solution")?, measures("gap")?);
        let mut shapes = |entry: &str| {
            let access = [Read, Read, Read, Write, Read];
            library.kernel::<RangeParameters>("shape", include_str!("kernels/shape.wgsl"), entry, &access)
        };
        let (stretch, inverted, pin_energy) = (shapes("stretch")?, shapes("inverted")?, shapes("pin_energy")?);
        Ok(Self {
            gradient,
            gradient_without_colliders,
            jacobi,
            jacobi_residual,
            predict,
            pin,
            pull,
            push,
            grip,
            shorten_slips,
            finish_step,
            start,
            solution,
            gap,
            stretch,
            inverted,
            pin_energy,
        })
    }
}

/// Sorts corners by the vertex they are at: where the ones of each vertex start, and the place of each corner.
pub(crate) fn grouped(vertices: usize, of: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut offsets = vec![0u32; vertices + 1];
    of.iter().for_each(|&i| offsets[i as usize + 1] += 1);
    for i in 0..vertices {
        offsets[i + 1] += offsets[i];
    }
    let mut next = offsets.clone();
    let place = |&i: &u32| {
        next[i as usize] += 1;
        next[i as usize] - 1
    };
    (offsets, of.iter().map(place).collect())
}

impl GpuProblem {
    pub(crate) fn new(
        context: &Arc<Context>,
        library: &mut Library,
        model: &Arc<Model>,
        system: &Arc<System>,
    ) -> Result<Self, GpuError> {
        let n = model.vertices();
        let order = Arc::new(Order::new(model));
        let (mut batches, mut corners) = (Vec::new(), Vec::new());
        for (index, elements) in model.elements.iter().enumerate().filter(|(_, elements)| !elements.is_empty()) {
            let Some(mut batch) = Batch::new(context, library, index, elements, &order)? else {
                return Err(GpuError::NoFormula { element: elements.name() });
            };
            if !is_in_rows(elements) {
                batch.first_slot = Some(corners.len() as u32);
                corners.extend(places(elements, &order, &batch.items));
            }
            batches.push(batch);
        }
        let (slot_offsets, destinations) = grouped(n, &corners);
        let by_place = |f: &dyn Fn(usize) -> f64| -> Vec<f32> {
            order.vertex.iter().map(|&i| if system.held[i as usize] { 0.0 } else { f(i as usize) as f32 }).collect()
        };
        let inv_diagonal = by_place(&|i| 1.0 / system.diagonal[i]);
        let inv_mass = by_place(&|i| 1.0 / model.mass[i]);
        let stride = touch_stride(model.colliders.len());
        let mut touch = vec![[0.0f32; 4]; stride * n];
        for ((own, &i), &inv_mass) in touch.chunks_exact_mut(stride).zip(&order.vertex).zip(&inv_mass) {
            let i = i as usize;
            let stiffness = system.contact_stiffness[i] as f32;
            own[0] = [stiffness, model.thickness[i] as f32, inv_mass, system.diagonal[i] as f32];
        }
        let gripping = n > 0 && model.colliders.iter().any(|collider| collider.friction() > 0.0);
        let solid = if gripping { model.solid_vertices() } else { Vec::new() };
        let solid: Vec<u32> = if solid.is_empty() {
            Vec::new()
        } else {
            order.vertex.iter().map(|&i| solid[i as usize].into()).collect()
        };
        let kernels = Kernels::new(library, !corners.is_empty(), !model.winds.is_empty(), model.colliders.len())?;
        let shape = Shape::new(context, model, &order)?;
        let springs = if system.pin_stiffness.iter().any(|k| *k > 0.0) { model.pins.len() as u32 } else { 0 };
        let counts = batches.iter().map(|batch: &Batch| batch.count);
        let layout = Layout::new(n as u32, counts, springs, shape.edge_count, shape.tet_count);
        let bytes = |name: &str, bytes: usize| Buffer::new(context, name, bytes as u64);
        Ok(Self {
            rows: ForceRows::new(context, model, system, &order)?,
            batches,
            slots: bytes("slots", 16 * corners.len())?,
            slot_offsets: Buffer::with(context, "slot offsets", &slot_offsets)?,
            destinations: Buffer::with(context, "slots of corners", &destinations)?,
            inertia: Buffer::with(context, "inertia", &by_place(&|i| system.inertia[i]))?,
            inv_diagonal: Buffer::with(context, "inverse diagonal", &inv_diagonal)?,
            inv_mass: Buffer::with(context, "inverse masses", &inv_mass)?,
            touch: Buffer::with(context, "contact parameters", &touch)?,
            contact: bytes("active contacts", if model.colliders.is_empty() { 0 } else { 96 * n })?,
            fresh_step: true,
            start_force: Field::new(context, "forces at the start of the step", solid.len())?,
            solid: Buffer::with(context, "vertices of solids", &solid)?,
            gripping,
            before: bytes("start of the step", 16 * n)?,
            x_tilde: Field::new(context, "inertial target", n)?,
            x_pull: Field::new(context, "targets", n)?,
            colliders: bytes("colliders", 112 * model.colliders.len())?,
            packed_colliders: Vec::new(),
            pins: bytes("pins", size_of::<PackedPin>() * model.pins.len())?,
            packed_pins: Vec::new(),
            wind: Wind::new(context, model, &order)?,
            shape,
            measured: Buffer::new(context, "measures", layout.bytes())?,
            layout,
            kernels,
            rings: RingChoice::Open,
            matrix: None,
            multigrid: None,
            constraints: None,
            free_parts: None,
            potential: Potential::new(model.clone(), system.clone()),
            nothing: Nothing::new(context)?,
            n: n as u32,
            order,
            model: model.clone(),
            system: system.clone(),
        })
    }

    /// Whether some elements write their forces to slots.
    pub(crate) fn has_slots(&self) -> bool {
        self.batches.iter().any(|batch| batch.first_slot.is_some())
    }

    /// Bytes that one Jacobi sweep moves at least: the streaming floor of benchmarks.
    pub(crate) fn moved_bytes(&self) -> u64 {
        let n = u64::from(self.n);
        // x, x⁻ and the targets are read, x⁺ is written, 1/D is read.
        let vertices = n * (4 * 16 + 4);
        let elements: u64 = self
            .batches
            .iter()
            .filter(|batch| batch.first_slot.is_some())
            // Data and stencils are read, slots are written and read, their items are read, x is read once more.
            .map(|batch| {
                let corners = u64::from(batch.count * batch.arity);
                batch.data.bytes() + batch.stencils.bytes() + corners * (16 + 16 + 4) + 16 * n
            })
            .sum();
        let offsets = if elements > 0 { self.slot_offsets.bytes() } else { 0 };
        vertices + self.rows.bytes() + elements + offsets
    }
}

impl Nothing {
    fn new(context: &Context) -> Result<Self, GpuError> {
        let one = || Buffer::new(context, "nothing", 0);
        Ok(Self { read: one()?, write: [one()?, one()?] })
    }

    /// Where a step starts and its velocities, for kernels that look at neither.
    pub(crate) fn start(&self) -> (&Buffer, &Buffer) {
        (&self.read, &self.write[0])
    }
}

impl Wind {
    fn new(context: &Context, model: &Model, order: &Order) -> Result<Self, GpuError> {
        let winds: Vec<[f32; 4]> =
            model.winds.iter().map(|(v, drag)| [v[0] as f32, v[1] as f32, v[2] as f32, *drag as f32]).collect();
        let triangles: Vec<[u32; 3]> = if winds.is_empty() {
            Vec::new()
        } else {
            model.surface().map(|triangle| triangle.map(|i| order.place[i as usize])).collect()
        };
        let (offsets, places) = grouped(model.vertices(), triangles.as_flattened());
        let mut around = vec![[0; 3]; places.len()];
        for (corner, &place) in places.iter().enumerate() {
            around[place as usize] = triangles[corner / 3];
        }
        Ok(Self {
            offsets: Buffer::with(context, "wind offsets", &offsets)?,
            triangles: Buffer::with(context, "wind triangles", &around)?,
            winds: Buffer::with(context, "winds", &winds)?,
            count: winds.len() as u32,
        })
    }
}

impl Shape {
    fn new(context: &Context, model: &Model, order: &Order) -> Result<Self, GpuError> {
        let edges: Vec<[u32; 2]> = model.edges.iter().map(|edge| edge.map(|i| order.place[i as usize])).collect();
        let length = |[i, j]: [u32; 2]| {
            let (a, b) = (model.rest_x[i as usize], model.rest_x[j as usize]);
            (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum::<f64>().sqrt() as f32
        };
        let rest: Vec<f32> = model.edges.iter().map(|edge| length(*edge)).collect();
        let tets: Vec<[u32; 4]> = model
            .bodies
            .iter()
            .flat_map(|body| body.tets.iter().map(|tet| tet.map(|i| order.place[body.vertices.start + i as usize])))
            .collect();
        Ok(Self {
            edge_count: edges.len() as u32,
            tet_count: tets.len() as u32,
            edges: Buffer::with(context, "edges", &edges)?,
            rest: Buffer::with(context, "rest lengths", &rest)?,
            tets: Buffer::with(context, "tets", &tets)?,
        })
    }
}
