// What descents divide gradients by: a symmetric block for each vertex, twin of device/cpu/scale.rs. Follows sym3.wgsl and
// diagonal.wgsl. Blocks are two vectors each: xx, yy, zz; yz, xz, xy; N/m.

struct Parameters {
    n: u32,
    // 1 where anything may touch.
    touching: u32,
    // Vectors of `touch` per vertex.
    stride: u32,
    // Scalar that `fill` takes.
    slot: u32,
}
var<immediate> p: Parameters;
// Of `gather`: what elements wrote for their corners; slots of vertex i: slots[slot_offsets[i]..slot_offsets[i + 1]]. Of
// `divide`: r.
@group(0) @binding(0) var<storage, read> slots: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> slot_offsets: array<u32>;
// What does not depend on positions: inertia, pins that are springs, and elements of constant stiffness, N/m.
@group(0) @binding(2) var<storage, read> constant: array<f32>;
// 1/D; 0 where held.
@group(0) @binding(3) var<storage, read> inv_diagonal: array<f32>;
// As in force.wgsl.
@group(0) @binding(4) var<storage, read> touch: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> scalars: array<vec2<f32>>;
// Blocks of contacts, as of the last gradient.
@group(0) @binding(6) var<storage, read> contact: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> blocks: array<vec4<f32>>;
// 0 where held.
@group(0) @binding(8) var<storage, read_write> inverses: array<vec4<f32>>;
@group(0) @binding(9) var<storage, read_write> partials: array<vec2<f32>>;
// Of `divide`.
@group(0) @binding(9) var<storage, read_write> z: array<vec4<f32>>;

fn put(i: u32, block: Sym3) {
    blocks[2u * i] = vec4(block.diagonal, 0.0);
    blocks[2u * i + 1u] = vec4(block.off, 0.0);
    var inverse = sym_scalar(0.0);
    if inv_diagonal[i] > 0.0 { inverse = sym_inverse(block); }
    inverses[2u * i] = vec4(inverse.diagonal, 0.0);
    inverses[2u * i + 1u] = vec4(inverse.off, 0.0);
}

@compute @workgroup_size(GROUP)
fn gather(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    var block = sym_scalar(constant[i]);
    let end = slot_offsets[i + 1u];
    for (var k = slot_offsets[i]; k < end; k++) {
        block = sym_add(block, Sym3(slots[2u * k].xyz, slots[2u * k + 1u].xyz));
    }
    put(i, block);
}

// The stiffness of the stiffest vertex, with a contact where it may have one.
@compute @workgroup_size(GROUP)
fn stiffest(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    var mine = neutral(MAX, group.z);
    if i < p.n {
        mine.x = sym_bound(Sym3(blocks[2u * i].xyz, blocks[2u * i + 1u].xyz));
        if p.touching > 0u { mine.x += touch[p.stride * i].x; }
    }
    let all = group_reduce(MAX, mine, local, group.z);
    let g = group_index(group, groups);
    if local == 0u && g < group_count(p.n) { partials[g] = all; }
}

// All vertices get that of the stiffest.
@compute @workgroup_size(GROUP)
fn fill(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i < p.n { put(i, sym_scalar(scalars[p.slot].x)); }
}

// z = (P + contact)⁻¹ r
@compute @workgroup_size(GROUP)
fn divide(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    let r = slots[i].xyz;
    var out = sym_times(Sym3(inverses[2u * i].xyz, inverses[2u * i + 1u].xyz), r);
    let touched = contact_of(i);
    if any(touched.diagonal != vec3(0.0)) && inv_diagonal[i] > 0.0 {
        out = sym_solve(sym_add(Sym3(blocks[2u * i].xyz, blocks[2u * i + 1u].xyz), touched), r);
    }
    z[i] = vec4(out, 0.0);
}
