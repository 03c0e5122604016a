// One Jacobi-Chebyshev iteration in one dispatch for elements with slots: a workgroup takes a patch of vertices, evaluates all
// elements that touch it with their forces in workgroup memory, and sweeps its vertices. Elements between patches are
// evaluated by each of them; that costs less than a second dispatch. Follows force.wgsl; Rust puts before it: WIDTH, the
// invocations of a workgroup; MEMBERS and SLOTS, the most of any patch; HEADER, the words of a patch; and KINDS, a loop for
// each kind of element.

struct Parameters {
    patches: u32,
    omega: f32,
    gamma: f32,
}
var<immediate> p: Parameters;
// x⁻, which becomes x⁺.
@group(0) @binding(10) var<storage, read_write> out_field: array<vec4<f32>>;
// Per patch: first member, members, own members, first slot offset; then first word and number of elements of each kind.
@group(0) @binding(11) var<storage, read> headers: array<u32>;
// Own vertices of a patch, then the other corners of its elements.
@group(0) @binding(12) var<storage, read> members: array<u32>;
// Where the slots of each own vertex start, and one more.
@group(0) @binding(13) var<storage, read> own_slots: array<u32>;
// Per element: its number, corners (two per word), slots of the corners (two per word; NONE for vertices of other patches).
@group(0) @binding(14) var<storage, read> records: array<u32>;
@group(0) @binding(15) var<storage, read> element_data: array<f32>;

const NONE: u32 = 0xffffu;

var<workgroup> patch_x: array<f32, 3u * MEMBERS>;
var<workgroup> patch_slots: array<f32, 3u * SLOTS>;
var<private> own_range: vec2<u32>;

fn member_at(k: u32) -> vec3<f32> {
    return vec3(patch_x[3u * k], patch_x[3u * k + 1u], patch_x[3u * k + 2u]);
}

fn put_slot(k: u32, force: vec3<f32>) {
    if k == NONE { return; }
    patch_slots[3u * k] = force.x;
    patch_slots[3u * k + 1u] = force.y;
    patch_slots[3u * k + 2u] = force.z;
}

fn slot_at(k: u32) -> vec3<f32> {
    return vec3(patch_slots[3u * k], patch_slots[3u * k + 1u], patch_slots[3u * k + 2u]);
}

// As in slots.wgsl, in the same order.
fn slots_of(i: u32) -> vec3<f32> {
    let end = own_range.y;
    var k = own_range.x;
    var sum = vec3<f32>(0.0);
    for (; k + 3u < end; k += 4u) { sum += (slot_at(k) + slot_at(k + 1u)) + (slot_at(k + 2u) + slot_at(k + 3u)); }
    for (; k < end; k++) { sum += slot_at(k); }
    return sum;
}

@compute @workgroup_size(WIDTH)
fn sweep_patch(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let g = group_index(group, groups);
    if g >= p.patches { return; }
    let header = g * HEADER;
    let first = headers[header];
    let count = headers[header + 1u];
    let own = headers[header + 2u];
    let offsets = headers[header + 3u];
    for (var k = local; k < count; k += WIDTH) {
        let at = x[members[first + k]].xyz;
        patch_x[3u * k] = at.x;
        patch_x[3u * k + 1u] = at.y;
        patch_x[3u * k + 2u] = at.z;
    }
    workgroupBarrier();
    KINDS
    workgroupBarrier();
    for (var k = local; k < own; k += WIDTH) {
        let i = members[first + k];
        let xi = member_at(k);
        let inverse = inv_diagonal[i];
        own_range = vec2(own_slots[offsets + k], own_slots[offsets + k + 1u]);
        let f = force(i, xi, inverse > 0.0);
        let step = inverse_with_contact(i, inverse, f.contact) * f.gradient;
        let before = out_field[i].xyz;
        out_field[i] = vec4(before + p.omega * (xi - p.gamma * step - before), 0.0);
    }
}
