//! Patches for elements with slots: one dispatch per iteration instead of two or more, see `patch.wgsl`.

use crate::buffer::Buffer;
use crate::context::Context;
use crate::elements::{Batch, expand};
use crate::error::GpuError;
use crate::kernel::{Access, Kernel};
use crate::library::Library;
use crate::order::{Order, patches};
use crate::problem::{SweepParameters, bare_force_text};
use pliant::material::{SIMPLEX_WGSL, WgslElement};
use pliant::model::Model;
use std::sync::Arc;

/// A slot of no vertex of the patch.
const NONE: u32 = 0xffff;

/// The patches of a mesh on the device.
pub(crate) struct Patches {
    pub(crate) kernel: Arc<Kernel>,
    pub(crate) headers: Buffer,
    pub(crate) members: Buffer,
    pub(crate) own_slots: Buffer,
    pub(crate) records: Buffer,
    pub(crate) data: Buffer,
    pub(crate) count: u32,
}

#[derive(Default)]
struct Packed {
    headers: Vec<u32>,
    members: Vec<u32>,
    own_slots: Vec<u32>,
    records: Vec<u32>,
    most_members: usize,
    most_elements: usize,
    most_slots: usize,
}

impl Patches {
    /// Cuts a mesh into patches; `None` where that does not fit into workgroups of the device.
    pub(crate) fn new(
        context: &Context,
        library: &mut Library,
        (model, order, batches): (&Model, &Order, &[Batch]),
        patch: usize,
        elements_per_invocation: usize,
    ) -> Result<Option<Self>, GpuError> {
        let batches: Vec<&Batch> = batches.iter().filter(|batch| batch.first_slot.is_some()).collect();
        let parts = patches(model, patch);
        let packed = pack(model, order, &batches, &parts);
        let limits = context.device.limits();
        let limit = limits.max_compute_workgroup_storage_size as usize;
        let widest = limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x) as usize;
        let width = packed.most_elements.div_ceil(elements_per_invocation).next_multiple_of(64).min(widest);
        if 12 * (packed.most_members + packed.most_slots) + 64 > limit || packed.most_slots >= NONE as usize {
            return Ok(None);
        }
        let (mut data, mut elements) = (Vec::new(), Vec::new());
        for batch in &batches {
            let Some(element) = model.elements[batch.index].wgsl() else { return Ok(None) };
            let first = data.len();
            elements.push((element, first));
            data.resize(first + batch.items.len() * element.words, 0.0f32);
            for (&c, words) in batch.items.iter().zip(data[first..].chunks_exact_mut(element.words)) {
                element.pack(c as usize, words);
            }
        }
        let text = text(&elements, width, [packed.most_members, packed.most_slots], model.colliders.len());
        let mut access = [Access::Read; 16];
        access[10] = Access::Write;
        Ok(Some(Self {
            kernel: library.kernel::<SweepParameters>("patch", &text, "sweep_patch", &access)?,
            headers: Buffer::with(context, "patches", &packed.headers)?,
            members: Buffer::with(context, "members of patches", &packed.members)?,
            own_slots: Buffer::with(context, "slots of patches", &packed.own_slots)?,
            records: Buffer::with(context, "elements of patches", &packed.records)?,
            data: Buffer::with(context, "data of elements", &data)?,
            count: parts.len() as u32,
        }))
    }
}

/// The text of the kernel for kinds of elements, each with its first word of data, in workgroups of `width`, with at most
/// so many members and slots.
pub(crate) fn text(
    elements: &[(WgslElement, usize)],
    width: usize,
    [members, slots]: [usize; 2],
    colliders: usize,
) -> String {
    let (mut formulas, mut kinds) = (SIMPLEX_WGSL.to_string(), String::new());
    for (k, (element, first)) in elements.iter().enumerate() {
        formulas += element.source;
        let kind = include_str!("kernels/patch_kind.wgsl")
            .replace("KIND_WORDS", &(4 + 2 * k).to_string())
            .replace("HALF", &element.arity.div_ceil(2).to_string())
            .replace("DATA", &first.to_string());
        kinds += &expand(element, &kind);
    }
    let constants = format!(
        "const WIDTH: u32 = {width}u;\nconst MEMBERS: u32 = {}u;\nconst SLOTS: u32 = {}u;\nconst HEADER: u32 = {}u;\n",
        members.max(1),
        slots.max(1),
        4 + 2 * elements.len(),
    );
    let kernel = include_str!("kernels/patch.wgsl").replace("    KINDS\n", &kinds);
    bare_force_text(true, colliders, &format!("{constants}{formulas}\n{kernel}"))
}

fn pack(model: &Model, order: &Order, batches: &[&Batch], parts: &[Vec<u32>]) -> Packed {
    let n = model.vertices();
    // Elements around each vertex, by batch, in the order they have on the device.
    let around: Vec<Vec<Vec<u32>>> = batches
        .iter()
        .map(|batch| {
            let mut lists = vec![Vec::new(); n];
            let view = model.elements[batch.index].view();
            for (number, &c) in batch.items.iter().enumerate() {
                view.stencil(c as usize).iter().for_each(|&i| lists[i as usize].push(number as u32));
            }
            lists
        })
        .collect();
    let mut out = Packed::default();
    let mut local = vec![u32::MAX; n];
    for own in parts {
        let mut members = own.clone();
        own.iter().enumerate().for_each(|(k, &i)| local[i as usize] = k as u32);
        let lists: Vec<Vec<u32>> = around
            .iter()
            .map(|around| {
                let mut list: Vec<u32> = own.iter().flat_map(|&i| around[i as usize].iter().copied()).collect();
                list.sort_unstable();
                list.dedup();
                list
            })
            .collect();
        let stencil = |k: usize, number: u32| {
            model.elements[batches[k].index].view().stencil(batches[k].items[number as usize] as usize)
        };
        for (k, list) in lists.iter().enumerate() {
            for &i in list.iter().flat_map(|&number| stencil(k, number)) {
                if local[i as usize] == u32::MAX {
                    local[i as usize] = members.len() as u32;
                    members.push(i);
                }
            }
        }
        // Slots of an own vertex in the order of all slots: batch by batch, element by element.
        let mut counts = vec![0u32; own.len() + 1];
        for (k, list) in lists.iter().enumerate() {
            for &i in list.iter().flat_map(|&number| stencil(k, number)) {
                let at = local[i as usize] as usize;
                if at < own.len() {
                    counts[at + 1] += 1;
                }
            }
        }
        for k in 0..own.len() {
            counts[k + 1] += counts[k];
        }
        out.headers.extend([out.members.len(), members.len(), own.len(), out.own_slots.len()].map(|word| word as u32));
        let mut next = counts.clone();
        for (k, list) in lists.iter().enumerate() {
            out.headers.extend([out.records.len() as u32, list.len() as u32]);
            let half = (batches[k].arity as usize).div_ceil(2);
            let first = out.records.len();
            out.records.resize(first + (1 + 2 * half) * list.len(), 0);
            let block = &mut out.records[first..];
            for (e, &number) in list.iter().enumerate() {
                block[e] = number;
                for (corner, &i) in stencil(k, number).iter().enumerate() {
                    let at = local[i as usize];
                    let slot = next.get_mut(at as usize).filter(|_| (at as usize) < own.len()).map_or(NONE, |next| {
                        *next += 1;
                        *next - 1
                    });
                    let shift = 16 * (corner % 2);
                    block[(1 + corner / 2) * list.len() + e] |= at << shift;
                    block[(1 + half + corner / 2) * list.len() + e] |= slot << shift;
                }
            }
        }
        out.own_slots.extend(&counts);
        out.most_members = out.most_members.max(members.len());
        out.most_elements = out.most_elements.max(lists.iter().map(Vec::len).max().unwrap_or(0)).max(1);
        out.most_slots = out.most_slots.max(counts[own.len()] as usize);
        members.iter().for_each(|&i| local[i as usize] = u32::MAX);
        out.members.extend(members.iter().map(|&i| order.place[i as usize]));
    }
    out
}
