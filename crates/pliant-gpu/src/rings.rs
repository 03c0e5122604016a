//! Ghost rings: several iterations in one dispatch, see `rings.wgsl`. Redundant work buys fewer launches, and rows that are
//! read once for several iterations.

use crate::buffer::{Buffer, Field};
use crate::context::Context;
use crate::error::GpuError;
use crate::kernel::{Access, Kernel};
use crate::kernels::{Obstacles, sweep_text};
use crate::library::Library;
use crate::order::{Order, patches};
use bytemuck::{Pod, Zeroable};
use pliant::device::Blend;
use pliant::device::rows::{RowEntry, vertex_rows};
use pliant::model::{Model, System};
use std::fmt::Write;
use std::sync::Arc;

/// Most iterations in one dispatch.
pub(crate) const MOST: usize = 8;

/// Longest row that is kept in registers.
const LONGEST_ROW: usize = 40;

/// Set on a neighbour that comes after the vertex in the model.
const AFTER: u32 = 0x8000;

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct PackedPatch {
    first: u32,
    words: u32,
    stride: u32,
    padding: u32,
    reach: [u32; 12],
}

#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct RingParameters {
    count: u32,
    patches: u32,
    padding: [u32; 2],
    blends: [[f32; 2]; MOST],
}

/// The patches of a mesh on the device.
pub(crate) struct Rings {
    /// Iterations per dispatch.
    pub(crate) iterations: usize,
    pub(crate) kernel: Arc<Kernel>,
    pub(crate) patches: Buffer,
    pub(crate) members: Buffer,
    pub(crate) rows: Buffer,
    pub(crate) count: u32,
    /// Where the next iterates go; change places with the fields of x and x⁻.
    pub(crate) spare: [Field; 2],
}

/// A patch before it is packed.
struct Patch {
    /// Own vertices, then ring after ring; of the model.
    members: Vec<u32>,
    reach: Vec<usize>,
}

/// The text of the kernel for rows of so many springs and other entries, in workgroups of `width`.
pub(crate) fn text(width: usize, springs: usize, others: usize, obstacles: Obstacles) -> String {
    let entries = springs + others;
    let index_words = entries.div_ceil(2);
    let (mut variables, mut loads, mut forces) = (String::new(), String::new(), String::new());
    for w in 0..index_words {
        let _ = writeln!(variables, "    var n{w} = 0u;");
        let _ = writeln!(loads, "        n{w} = rows[word + {w}u * stride];");
    }
    for k in 0..entries {
        let _ = writeln!(variables, "    var c{k} = 0.0;");
        let _ = writeln!(loads, "        c{k} = bitcast<f32>(rows[word + {}u * stride]);", index_words + k);
    }
    for k in 0..springs {
        let _ = writeln!(variables, "    var s{k} = 0.0;");
        let _ = writeln!(loads, "        s{k} = bitcast<f32>(rows[word + {}u * stride]);", index_words + entries + k);
    }
    for k in 0..entries {
        let neighbour = if k % 2 == 0 { format!("(n{} & 0xffffu)", k / 2) } else { format!("(n{} >> 16u)", k / 2) };
        let _ = if k < springs {
            writeln!(
                forces,
                "            row += spring_force(c{k}, s{k}, ({neighbour} & AFTER) != 0u, xi - at({neighbour}));"
            )
        } else {
            writeln!(forces, "            row += c{k} * (xi - at({neighbour}));")
        };
    }
    let kernel = include_str!("kernels/rings.wgsl")
        .lines()
        .map(|line| match line.trim() {
            "ROW_VARIABLES" => &variables,
            "ROW_LOADS" => &loads,
            "ROW_FORCES" => &forces,
            _ => line,
        })
        .collect::<Vec<_>>()
        .join("\n");
    sweep_text(obstacles, &format!("const MOST: u32 = {MOST}u;\nconst WIDTH: u32 = {width}u;\n{kernel}"))
}

impl Rings {
    /// Cuts a mesh; `None` where that does not fit into workgroups of the device.
    pub(crate) fn new(
        context: &Context,
        library: &mut Library,
        (model, system, order): (&Model, &System, &Order),
        patch: usize,
        iterations: usize,
    ) -> Result<Option<Self>, GpuError> {
        let rows = vertex_rows(model, system);
        let limits = context.device.limits();
        let most = (limits.max_compute_invocations_per_workgroup as usize)
            .min(limits.max_compute_workgroup_size_x as usize)
            .min(limits.max_compute_workgroup_storage_size as usize / 12 - 64);
        let Some(patches) = grow(model, order, &rows, (patch, iterations), most) else { return Ok(None) };
        let split: Vec<[Vec<RowEntry>; 2]> = rows
            .into_iter()
            .map(|row| {
                let (springs, others) = row.into_iter().partition(|entry| entry.pull != 0.0);
                [springs, others]
            })
            .collect();
        let longest = [0, 1].map(|part| split.iter().map(|row| row[part].len()).max().unwrap_or(0));
        if longest[0] + longest[1] > LONGEST_ROW {
            return Ok(None);
        }
        let widest = patches.iter().map(|patch| patch.members.len()).max().unwrap_or(1);
        // A power of two is not asked for: the kernel has no reductions.
        let width = widest.next_multiple_of(32);
        let packed = pack(&patches, &split, longest, order);
        use Access::{Read, Write};
        let access = [Read, Read, Write, Write, Read, Read, Read, Read, Read, Read, Read];
        let text = text(width, longest[0], longest[1], Obstacles::of(model));
        Ok(Some(Self {
            iterations,
            kernel: library.kernel::<RingParameters>("rings", &text, "rings", &access)?,
            patches: Buffer::with(context, "patches", &packed.patches)?,
            members: Buffer::with(context, "members of patches", &packed.members)?,
            rows: Buffer::with(context, "rows of patches", &packed.rows)?,
            count: patches.len() as u32,
            spare: [
                Field::new(context, "next points", model.vertices())?,
                Field::new(context, "next points", model.vertices())?,
            ],
        }))
    }

    pub(crate) fn parameters(&self, blends: &[Blend]) -> RingParameters {
        let mut parameters = RingParameters { count: blends.len() as u32, patches: self.count, ..Default::default() };
        for (to, blend) in parameters.blends.iter_mut().zip(blends) {
            *to = [blend.omega as f32, blend.under_relaxation as f32];
        }
        parameters
    }
}

/// The patches with their rings; `None` if one has more than `most` members.
fn grow(
    model: &Model,
    order: &Order,
    rows: &[Vec<RowEntry>],
    (patch, iterations): (usize, usize),
    most: usize,
) -> Option<Vec<Patch>> {
    // Bit 15 of a neighbour is taken.
    let most = most.min(AFTER as usize);
    let mut seen = vec![u32::MAX; model.vertices()];
    let mut out = Vec::new();
    for (number, own) in patches(model, patch).into_iter().enumerate() {
        let number = number as u32;
        let mut members = own;
        members.iter().for_each(|&i| seen[i as usize] = number);
        let mut reach = vec![members.len()];
        let mut first = 0;
        for _ in 0..iterations {
            let last = members.len();
            for k in first..last {
                for entry in &rows[members[k] as usize] {
                    let j = entry.neighbour as usize;
                    if seen[j] != number {
                        seen[j] = number;
                        members.push(entry.neighbour);
                    }
                }
            }
            members[last..].sort_unstable_by_key(|&i| order.place[i as usize]);
            first = last;
            reach.push(members.len());
            if members.len() > most {
                return None;
            }
        }
        out.push(Patch { members, reach });
    }
    Some(out)
}

struct Packed {
    patches: Vec<PackedPatch>,
    members: Vec<u32>,
    rows: Vec<u32>,
}

fn pack(patches: &[Patch], rows: &[[Vec<RowEntry>; 2]], longest: [usize; 2], order: &Order) -> Packed {
    let mut out = Packed { patches: Vec::new(), members: Vec::new(), rows: Vec::new() };
    let mut local = vec![0u32; rows.len()];
    let entries = longest[0] + longest[1];
    let index_words = entries.div_ceil(2);
    let words = index_words + entries + longest[0];
    for patch in patches {
        for (k, &i) in patch.members.iter().enumerate() {
            local[i as usize] = k as u32;
        }
        let updated = patch.reach[patch.reach.len() - 2];
        let stride = updated.next_multiple_of(32);
        let first = out.rows.len();
        out.rows.resize(first + words * stride, 0);
        let mut reach = [0; 12];
        reach.iter_mut().zip(&patch.reach).for_each(|(to, &members)| *to = members as u32);
        out.patches.push(PackedPatch {
            first: out.members.len() as u32,
            words: first as u32,
            stride: stride as u32,
            padding: 0,
            reach,
        });
        out.members.extend(patch.members.iter().map(|&i| order.place[i as usize]));
        let block = &mut out.rows[first..];
        for (r, &i) in patch.members[..updated].iter().enumerate() {
            for k in 0..entries {
                let (part, at) = if k < longest[0] { (0, k) } else { (1, k - longest[0]) };
                let entry = rows[i as usize][part].get(at);
                let neighbour = entry.map_or(r as u32, |entry| {
                    local[entry.neighbour as usize] | if entry.neighbour > i { AFTER } else { 0 }
                });
                block[(k / 2) * stride + r] |= neighbour << (16 * (k % 2));
                let Some(entry) = entry else { continue };
                block[(index_words + k) * stride + r] = (entry.coefficient as f32).to_bits();
                if part == 0 {
                    block[(index_words + entries + k) * stride + r] = (entry.pull as f32).to_bits();
                }
            }
        }
    }
    out
}
