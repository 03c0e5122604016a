//! A model at one step size on the device.

use crate::balance::Balance;
use crate::buffer::{Buffer, Field};
use crate::chunks::Chunks;
use crate::context::Context;
use crate::elements::{Batch, places};
use crate::error::GpuError;
use crate::grips::Grips;
use crate::kernels::{Kernels, Obstacles};
use crate::library::Library;
use crate::order::Order;
use crate::rows::ForceRows;
use crate::slots::{Slots, grouped};
use crate::stepping::Layout;
use crate::sweep::Sweeping;
use crate::touching::Touching;
use bytemuck::{Pod, Zeroable};
use pliant::device::rows::is_in_rows;
use pliant::math::Vec3;
use pliant::model::{Model, Potential, System};
use std::sync::Arc;

/// A model at one step size, with the step's inertial target, pins and colliders.
pub struct GpuProblem {
    pub(crate) model: Arc<Model>,
    pub(crate) system: Arc<System>,
    pub(crate) order: Arc<Order>,
    pub(crate) n: u32,
    /// Where gravity pulls.
    pub(crate) down: [f32; 3],
    pub(crate) rows: ForceRows,
    pub(crate) batches: Vec<Batch>,
    /// Forces of elements that are not in the rows.
    pub(crate) slots: Slots,
    /// m/h², N/m; 0 where held.
    pub(crate) inertia: Buffer,
    pub(crate) inv_diagonal: Buffer,
    pub(crate) inv_mass: Buffer,
    /// Contact stiffness, thickness, 1/m, D with what elements outside of A are stiff at rest; where anything may touch, the friction of the step after it, see `force.wgsl`.
    pub(crate) touch: Buffer,
    /// Blocks of contacts as of the last gradient: the active ones, then the pushes of the step so far, then these with
    /// friction; empty where nothing touches.
    pub(crate) contact: Buffer,
    /// No gradient of this step has looked at the contacts yet.
    pub(crate) fresh_step: bool,
    /// Connected parts.
    pub(crate) chunks: Chunks,
    /// If there are colliders.
    pub(crate) grips: Option<Grips>,
    /// If bodies feel each other.
    pub(crate) touching: Option<Touching>,
    pub(crate) balance: Option<Balance>,
    /// Where each vertex was at the start of the step, m, and how far `enforce` pushed it since, m.
    pub(crate) before: Buffer,
    pub(crate) x_tilde: Field,
    pub(crate) x_pull: Field,
    /// Where the step begins, held vertices at their targets, m: if anything is held, and was measured.
    pub(crate) stayed: Option<Field>,
    /// What not moving would be was measured in this step.
    pub(crate) still_is_known: bool,
    /// Colliders at the end of the step, then the distance grids of those that have one.
    pub(crate) colliders: Buffer,
    pub(crate) packed_colliders: Vec<[[f32; 4]; 7]>,
    /// The first vector of each collider's grid; of those without, where one would be.
    pub(crate) grids_at: Vec<usize>,
    pub(crate) pins: Buffer,
    pub(crate) packed_pins: Vec<PackedPin>,
    pub(crate) wind: Wind,
    pub(crate) shape: Shape,
    /// Partials of the measures, and where each of them lies.
    pub(crate) measured: Buffer,
    pub(crate) layout: Layout,
    pub(crate) kernels: Kernels,
    pub(crate) sweeping: Sweeping,
    pub(crate) matrix: Option<crate::matrix::Matrix>,
    pub(crate) by_colour: Option<crate::relax::ByColour>,
    pub(crate) multigrid: Option<crate::multigrid::Multigrid>,
    pub(crate) constraints: Option<crate::constrain::Constraints>,
    pub(crate) scales: Option<crate::scale::Scales>,
    pub(crate) converting: Vec<crate::conversion::ConvertedBatch>,
    pub(crate) free_parts: Option<crate::turn::FreeParts>,
    pub(crate) potential: Potential,
    /// Stands where a kernel has a buffer that it does not use.
    pub(crate) nothing: Nothing,
}

/// Buffers for places that a kernel does not use. No writable buffer may be bound twice.
pub(crate) struct Nothing {
    pub(crate) read: Buffer,
    pub(crate) write: [Buffer; 4],
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

impl GpuProblem {
    pub(crate) fn new(
        context: &Arc<Context>,
        library: &mut Library,
        model: &Arc<Model>,
        system: &Arc<System>,
    ) -> Result<Self, GpuError> {
        let n = model.vertices();
        let order = Arc::new(Order::new(model));
        let (batches, corners) = batches(context, library, model, &order)?;
        let kernels = Kernels::new(library, !corners.is_empty(), !model.winds.is_empty(), Obstacles::of(model))?;
        let inv_mass = by_place(&order, system, |i| 1.0 / model.mass[i]);
        let shape = Shape::new(context, model, &order)?;
        let layout = Layout::new(model, system, batches.iter().map(|batch| batch.count));
        let (colliders, grids_at) = with_grids(context, model)?;
        let chunks = Chunks::new(context, model, system, &order)?;
        let converting = crate::conversion::batches(context, library, model, &batches)?;
        let numbers = |name: &str, values: &[f32]| Buffer::with(context, name, values);
        let bytes = |name: &str, bytes: usize| Buffer::new(context, name, bytes as u64);
        Ok(Self {
            down: Vec3::<f64>::of(model.acceleration).unit_or(Vec3::ZERO).f64().map(|c| c as f32),
            rows: ForceRows::new(context, model, system, &order)?,
            batches,
            slots: Slots::new(context, n, &corners)?,
            inertia: numbers("inertia", &by_place(&order, system, |i| system.inertia[i]))?,
            inv_diagonal: numbers("inverse diagonal", &by_place(&order, system, |i| 1.0 / system.diagonal[i]))?,
            touch: Buffer::with(context, "contact parameters", &touch(model, system, &order, &inv_mass))?,
            inv_mass: numbers("inverse masses", &inv_mass)?,
            contact: bytes("active contacts", if model.has_contacts() { 96 * n } else { 0 })?,
            fresh_step: true,
            grips: Grips::new(context, library, model, &chunks)?,
            touching: Touching::new(context, library, (model, system), &order)?,
            balance: Balance::new(context, library, (model, system))?,
            chunks,
            before: bytes("start of the step", 16 * n)?,
            x_tilde: Field::new(context, "inertial target", n)?,
            x_pull: Field::new(context, "targets", n)?,
            stayed: None,
            still_is_known: false,
            colliders,
            packed_colliders: Vec::new(),
            grids_at,
            pins: bytes("pins", size_of::<PackedPin>() * model.pins.len())?,
            packed_pins: Vec::new(),
            wind: Wind::new(context, model, &order)?,
            shape,
            measured: Buffer::new(context, "measures", layout.bytes())?,
            layout,
            kernels,
            sweeping: Sweeping::Open,
            matrix: None,
            by_colour: None,
            multigrid: None,
            constraints: None,
            scales: None,
            converting,
            free_parts: None,
            potential: Potential::new(model.clone(), system.clone()),
            nothing: Nothing::new(context)?,
            n: n as u32,
            order,
            model: model.clone(),
            system: system.clone(),
        })
    }

    /// Whether pins hold some vertex exactly.
    pub(crate) fn holds_some(&self) -> bool {
        self.packed_pins.iter().any(|pin| pin.stiffness < 0.0)
    }

    /// 1 if anything may touch something, as kernels take it.
    pub(crate) fn may_touch(&self) -> u32 {
        u32::from(self.model.has_contacts())
    }

    /// Whether some elements write their forces to slots.
    pub(crate) fn has_slots(&self) -> bool {
        self.batches.iter().any(|batch| batch.first_slot.is_some())
    }

    /// See [`pliant::device::Device::sweep_way`].
    pub(crate) fn way(&self) -> &'static str {
        match self.sweeping {
            Sweeping::Open | Sweeping::Single => "single",
            Sweeping::Rings(_) => "rings",
            Sweeping::Patches(_) => "patches",
        }
    }

    /// Bytes that one Jacobi sweep moves at least: the streaming floor of benchmarks. Several in one dispatch count as if
    /// they were done one by one, so that rings may be faster than their floor.
    pub(crate) fn moved_bytes(&self) -> u64 {
        let n = u64::from(self.n);
        // x, x⁻ and the targets are read, x⁺ is written, 1/D is read.
        let vertices = n * (4 * 16 + 4);
        if let Sweeping::Patches(patches) = &self.sweeping {
            return vertices + self.rows.bytes() + patches.bytes();
        }
        vertices + self.rows.bytes() + self.slotted_bytes()
    }

    /// Bytes that the evaluation of ∇E moves at least.
    pub(crate) fn force_bytes(&self) -> u64 {
        // x and the targets are read, ∇E is written, 1/D is read.
        u64::from(self.n) * (3 * 16 + 4) + self.rows.bytes() + self.slotted_bytes()
    }

    /// Those of elements with slots.
    fn slotted_bytes(&self) -> u64 {
        let n = u64::from(self.n);
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
        let offsets = if elements > 0 { self.slots.offsets.bytes() } else { 0 };
        elements + offsets
    }
}

/// Room for the colliders of a step, and all distance grids; and where each of these starts.
fn with_grids(context: &Context, model: &Model) -> Result<(Buffer, Vec<usize>), GpuError> {
    let mut vectors = vec![[0.0f32; 4]; 7 * model.colliders.len()];
    let mut starts = Vec::new();
    for collider in &model.colliders {
        starts.push(vectors.len());
        vectors.extend(collider.solid().into_iter().flat_map(|solid| solid.grid().pack()));
    }
    // Kernels take a start as a number of f32.
    let (bytes, limit) = (16 * vectors.len() as u64, 16 << f32::MANTISSA_DIGITS);
    if bytes > limit {
        return Err(GpuError::TooLarge { name: "colliders".into(), bytes, limit });
    }
    Ok((Buffer::with(context, "colliders", &vectors)?, starts))
}

/// All elements, and where the corners of those lie that are not in the rows: these have slots.
fn batches(
    context: &Context,
    library: &mut Library,
    model: &Model,
    order: &Order,
) -> Result<(Vec<Batch>, Vec<u32>), GpuError> {
    let (mut batches, mut corners) = (Vec::new(), Vec::new());
    for (index, elements) in model.elements.iter().enumerate().filter(|(_, elements)| !elements.is_empty()) {
        let Some(mut batch) = Batch::new(context, library, index, elements, order)? else {
            return Err(GpuError::NoFormula { element: elements.name() });
        };
        if !is_in_rows(elements) {
            batch.first_slot = Some(corners.len() as u32);
            corners.extend(places(elements, order, &batch.items));
        }
        batches.push(batch);
    }
    Ok((batches, corners))
}

/// A number of each vertex of the model; 0 where held.
fn by_place(order: &Order, system: &System, of: impl Fn(usize) -> f64) -> Vec<f32> {
    order.vertex.iter().map(|&i| if system.held[i as usize] { 0.0 } else { of(i as usize) as f32 }).collect()
}

/// What `touch` holds before the first step.
fn touch(model: &Model, system: &System, order: &Order, inv_mass: &[f32]) -> Vec<[f32; 4]> {
    let stride = Obstacles::of(model).touch_stride();
    let mut touch = vec![[0.0f32; 4]; stride * order.vertex.len()];
    for ((own, &i), &inv_mass) in touch.chunks_exact_mut(stride).zip(&order.vertex).zip(inv_mass) {
        let i = i as usize;
        let stiffness = system.contact_stiffness[i] as f32;
        own[0] = [stiffness, model.thickness[i] as f32, inv_mass, system.stiffness[i] as f32];
        // LIES of touch.wgsl: nothing touches.
        own.iter_mut().skip(2).for_each(|normal| normal[3] = -2.0);
    }
    touch
}

impl Nothing {
    fn new(context: &Context) -> Result<Self, GpuError> {
        let one = || Buffer::new(context, "nothing", 0);
        Ok(Self { read: one()?, write: [one()?, one()?, one()?, one()?] })
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
