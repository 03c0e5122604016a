//! Patches for elements with slots: one dispatch per iteration instead of two or more, see `patch.wgsl`.

use crate::buffer::Buffer;
use crate::context::Context;
use crate::elements::{Batch, expand, repeated};
use crate::error::GpuError;
use crate::kernel::{Access, Kernel};
use crate::kernels::{Obstacles, bare_force_text};
use crate::library::Library;
use crate::order::{Order, balanced_patches};
use crate::patch_pack::{Cutter, NONE, Packed, Patch, Sizes, pack};
use bytemuck::{Pod, Zeroable};
use pliant::device::rows::is_in_rows;
use pliant::material::{WgslElement, wgsl_formulas};
use pliant::model::Model;
use std::sync::Arc;

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct PatchParameters {
    pub(crate) patches: u32,
    pub(crate) omega: f32,
    pub(crate) gamma: f32,
}

/// The patches of a mesh on the device.
pub(crate) struct Patches {
    pub(crate) kernel: Arc<Kernel>,
    pub(crate) headers: Buffer,
    pub(crate) members: Buffer,
    pub(crate) owned: Buffer,
    pub(crate) corners: Buffer,
    pub(crate) data: Buffer,
    pub(crate) count: u32,
}

impl Patches {
    /// Cuts a mesh into patches of so many vertices; `None` where that does not fit into workgroups of the device.
    pub(crate) fn new(
        context: &Context,
        library: &mut Library,
        (model, order, batches): (&Model, &Order, &[Batch]),
        patch: usize,
        elements_per_invocation: usize,
    ) -> Result<Option<Self>, GpuError> {
        let batches: Vec<&Batch> = batches.iter().filter(|batch| batch.first_slot.is_some()).collect();
        let elements: Option<Vec<WgslElement>> =
            batches.iter().map(|batch| model.elements[batch.index].wgsl()).collect();
        let Some(elements) = elements else { return Ok(None) };
        let mut cutter = Cutter::new(model, order, &batches);
        let parts: Vec<Patch> =
            balanced_patches(model, patch, &cutter.weights()).into_iter().map(|own| cutter.patch(own)).collect();
        let limits = context.device.limits();
        let widest = limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x) as usize;
        let sizes = Sizes::new(&parts, elements_per_invocation, widest);
        let limit = limits.max_compute_workgroup_storage_size as usize;
        if sizes.own > sizes.width || sizes.bytes() + 64 > limit || sizes.slots >= NONE as usize {
            return Ok(None);
        }
        let packed = pack(&parts, &sizes, &mut cutter, &elements);
        let has_rows = model.elements.iter().any(|elements| !elements.is_empty() && is_in_rows(elements));
        let text = text(&elements, &sizes, has_rows, Obstacles::of(model));
        Self::upload(context, library, &text, &packed, parts.len()).map(Some)
    }

    /// Bytes that a sweep reads of patches: their elements, and how these and positions are laid out.
    pub(crate) fn bytes(&self) -> u64 {
        let Self { headers, members, owned, corners, data, .. } = self;
        [headers, members, owned, corners, data].iter().map(|buffer| buffer.bytes()).sum()
    }

    fn upload(
        context: &Context,
        library: &mut Library,
        text: &str,
        packed: &Packed,
        count: usize,
    ) -> Result<Self, GpuError> {
        let mut access = [Access::Read; 16];
        access[10] = Access::Write;
        Ok(Self {
            kernel: library.kernel::<PatchParameters>("patch", text, "sweep_patch", &access)?,
            headers: Buffer::with(context, "patches", &packed.headers)?,
            members: Buffer::with(context, "members of patches", &packed.members)?,
            owned: Buffer::with(context, "vertices of patches", &packed.owned)?,
            corners: Buffer::with(context, "corners of patches", &packed.corners)?,
            data: Buffer::with(context, "elements of patches", &packed.data)?,
            count: count as u32,
        })
    }
}

/// The text of the kernel for kinds of elements, and patches of these sizes.
pub(crate) fn text(elements: &[WgslElement], sizes: &Sizes, has_rows: bool, obstacles: Obstacles) -> String {
    let (formulas, mut loads, mut loops) = (wgsl_formulas(elements), String::new(), String::new());
    for (k, (element, most)) in elements.iter().zip(&sizes.elements).enumerate() {
        let [load, evaluate] =
            [include_str!("kernels/patch_load.wgsl"), include_str!("kernels/patch_kind.wgsl")].map(|template| {
                let rounds = most.div_ceil(sizes.width).to_string();
                expand(element, &template.replace("ROUNDS", &rounds).replace("KIND", &k.to_string()))
            });
        loads += &load;
        loops += &evaluate;
    }
    let Sizes { width, own, slots, member_rounds, .. } = sizes;
    let constants = format!(
        "const WIDTH: u32 = {width}u;\nconst OWN: u32 = {own}u;\nconst SLOTS: u32 = {slots}u;\n\
         const MEMBER_ROUNDS: u32 = {member_rounds}u;\nconst BLOCKS: u32 = {}u;\nconst HAS_ROWS: bool = {has_rows};\n",
        elements.len(),
    );
    let kernel: String = include_str!("kernels/patch.wgsl")
        .lines()
        .map(|line| match line {
            "    LOADS" => loads.clone(),
            "    LOOPS" => loops.clone(),
            _ => repeated(line, "TURN", *member_rounds),
        })
        .collect();
    bare_force_text(obstacles, &format!("{constants}{formulas}\n{kernel}"))
}
