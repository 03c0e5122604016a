//! The patches of a mesh with the elements that touch them, and how they lie in memory for `patch.wgsl`.

use crate::elements::Batch;
use crate::order::Order;
use pliant::material::WgslElement;
use pliant::model::Model;

/// A slot of no vertex of the patch.
pub(crate) const NONE: u32 = 0xffff;

/// No vertex.
const NOBODY: u32 = u32::MAX;

/// Elements of a kind in a patch are padded to a multiple of this, so that their words begin where a line of the GPU's
/// memory does.
const ALIGNED: usize = 8;

/// What a vertex weighs beside one of its elements.
const VERTEX_WEIGHT: u32 = 4;

/// A patch before it is packed; vertices are those of the model.
pub(crate) struct Patch {
    /// Own vertices, then the other corners of its elements.
    members: Vec<u32>,
    /// By kind, the elements that touch own vertices, in the order they have on the device.
    elements: Vec<Vec<u32>>,
    /// Where the slots of each own vertex start, and one more.
    slots: Vec<u32>,
}

impl Patch {
    fn own(&self) -> usize {
        self.slots.len() - 1
    }
}

/// Finds the elements around patches.
pub(crate) struct Cutter<'a> {
    model: &'a Model,
    order: &'a Order,
    batches: &'a [&'a Batch],
    /// By kind, the elements around each vertex, in the order they have on the device.
    around: Vec<Vec<Vec<u32>>>,
    /// The number of each vertex in the patch at hand.
    local: Vec<u32>,
}

impl<'a> Cutter<'a> {
    pub(crate) fn new(model: &'a Model, order: &'a Order, batches: &'a [&'a Batch]) -> Self {
        let around = |batch: &&Batch| {
            let mut lists = vec![Vec::new(); model.vertices()];
            let view = model.elements[batch.index].view();
            for (number, &c) in batch.items.iter().enumerate() {
                view.stencil(c as usize).iter().for_each(|&i| lists[i as usize].push(number as u32));
            }
            lists
        };
        let around = batches.iter().map(around).collect();
        Self { model, order, batches, around, local: vec![NOBODY; model.vertices()] }
    }

    fn stencil(&self, kind: usize, number: u32) -> &'a [u32] {
        let batch = self.batches[kind];
        self.model.elements[batch.index].view().stencil(batch.items[number as usize] as usize)
    }

    /// All corners of a patch's elements: kind, place in the list of the kind, corner, vertex.
    fn corners<'b>(&'b self, elements: &'b [Vec<u32>]) -> impl Iterator<Item = (usize, usize, usize, u32)> + 'b {
        elements.iter().enumerate().flat_map(move |(kind, list)| {
            list.iter().enumerate().flat_map(move |(e, &number)| {
                self.stencil(kind, number).iter().enumerate().map(move |(corner, &i)| (kind, e, corner, i))
            })
        })
    }

    /// What each vertex adds to the work of a patch: its elements, most of which it shares with others, and itself.
    pub(crate) fn weights(&self) -> Vec<u32> {
        let elements = |i: usize| self.around.iter().map(|around| around[i].len()).sum::<usize>();
        (0..self.local.len()).map(|i| VERTEX_WEIGHT + elements(i) as u32).collect()
    }

    /// Numbers the members of a patch.
    fn enter(&mut self, members: &[u32]) {
        members.iter().enumerate().for_each(|(k, &i)| self.local[i as usize] = k as u32);
    }

    fn leave(&mut self, members: &[u32]) {
        members.iter().for_each(|&i| self.local[i as usize] = NOBODY);
    }

    /// The patch of these vertices.
    pub(crate) fn patch(&mut self, own: Vec<u32>) -> Patch {
        let touching = |around: &Vec<Vec<u32>>| {
            let mut list: Vec<u32> = own.iter().flat_map(|&i| around[i as usize].iter().copied()).collect();
            list.sort_unstable();
            list.dedup();
            list
        };
        let elements: Vec<Vec<u32>> = self.around.iter().map(touching).collect();
        self.enter(&own);
        let mut slots = vec![0; own.len() + 1];
        for (.., i) in self.corners(&elements) {
            if let Some(count) = slots[1..].get_mut(self.local[i as usize] as usize) {
                *count += 1;
            }
        }
        for k in 0..own.len() {
            slots[k + 1] += slots[k];
        }
        let mut others: Vec<u32> =
            self.corners(&elements).map(|(.., i)| i).filter(|&i| self.local[i as usize] == NOBODY).collect();
        // Invocations next to each other read what lies together.
        others.sort_unstable_by_key(|&i| self.order.place[i as usize]);
        others.dedup();
        self.leave(&own);
        let mut members = own;
        members.extend(others);
        Patch { members, elements, slots }
    }
}

/// What the kernel must have room for.
pub(crate) struct Sizes {
    /// Invocations in a workgroup.
    pub(crate) width: usize,
    /// Most own vertices of a patch.
    pub(crate) own: usize,
    /// How many members each invocation reads.
    pub(crate) member_rounds: usize,
    /// Most elements of each kind.
    pub(crate) elements: Vec<usize>,
    /// Most slots.
    pub(crate) slots: usize,
}

impl Sizes {
    pub(crate) fn new(parts: &[Patch], elements_per_invocation: usize, widest: usize) -> Self {
        let most = |count: &dyn Fn(&Patch) -> usize| parts.iter().map(count).max().unwrap_or(0).max(1);
        let kinds = parts.first().map_or(0, |patch| patch.elements.len());
        let elements: Vec<usize> = (0..kinds).map(|kind| most(&|patch| patch.elements[kind].len())).collect();
        let own = most(&Patch::own);
        let width = elements.iter().max().map_or(1, |most| most.div_ceil(elements_per_invocation.max(1)));
        let width = width.max(own).next_multiple_of(32).min(widest);
        let member_rounds = most(&|patch| patch.members.len()).div_ceil(width);
        Self { width, own, member_rounds, elements, slots: most(&|patch| patch.slots[patch.own()] as usize) }
    }

    /// Workgroup memory, bytes.
    pub(crate) fn bytes(&self) -> usize {
        12 * (self.member_rounds * self.width + self.slots)
    }
}

/// All patches as they lie in memory; `patch.wgsl` says what is what.
#[derive(Default)]
pub(crate) struct Packed {
    pub(crate) headers: Vec<[u32; 4]>,
    pub(crate) members: Vec<u32>,
    pub(crate) owned: Vec<[u32; 2]>,
    pub(crate) corners: Vec<u32>,
    pub(crate) data: Vec<f32>,
}

pub(crate) fn pack(parts: &[Patch], sizes: &Sizes, cutter: &mut Cutter, elements: &[WgslElement]) -> Packed {
    let order = cutter.order;
    let mut out = Packed::default();
    for (number, patch) in parts.iter().enumerate() {
        out.members.extend(patch.members.iter().map(|&i| order.place[i as usize]));
        // Padding reads the same as the last member: any place would do.
        let last = out.members.last().copied().unwrap_or(0);
        out.members.resize((number + 1) * sizes.member_rounds * sizes.width, last);
        let ranges = patch.slots.windows(2).map(|range| range[0] | range[1] << 16);
        out.owned.extend(patch.members.iter().zip(ranges).map(|(&i, range)| [order.place[i as usize], range]));
        out.owned.resize((number + 1) * sizes.own, [0, NOBODY]);
        cutter.enter(&patch.members);
        pack_elements(&mut out, patch, cutter, elements);
        cutter.leave(&patch.members);
    }
    out
}

fn pack_elements(out: &mut Packed, patch: &Patch, cutter: &Cutter, elements: &[WgslElement]) {
    let mut blocks = Vec::new();
    for (kind, (element, list)) in elements.iter().zip(&patch.elements).enumerate() {
        let stride = list.len().max(1).next_multiple_of(ALIGNED);
        let (corners, data) = (out.corners.len(), out.data.len());
        out.headers.push([corners, data, list.len(), stride].map(|word| word as u32));
        out.corners.resize(corners + element.arity * stride, 0);
        out.data.resize(data + element.words * stride, 0.0);
        let mut words = vec![0.0; element.words];
        for (e, &number) in list.iter().enumerate() {
            element.pack(cutter.batches[kind].items[number as usize] as usize, &mut words);
            words.iter().enumerate().for_each(|(w, &word)| out.data[data + w * stride + e] = word);
        }
        blocks.push((corners, stride));
    }
    // Slots of an own vertex come in the order of all slots: kind by kind, element by element.
    let mut next = patch.slots.clone();
    for (kind, e, corner, i) in cutter.corners(&patch.elements) {
        let member = cutter.local[i as usize];
        let slot = next[..patch.own()].get_mut(member as usize).map_or(NONE, |next| {
            *next += 1;
            *next - 1
        });
        let (first, stride) = blocks[kind];
        out.corners[first + corner * stride + e] = member | slot << 16;
    }
}
