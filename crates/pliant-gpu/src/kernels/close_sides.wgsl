// What the last search for contacts kept, in a row: for checkpoints.

struct Parameters {
    n: u32,
}
var<immediate> p: Parameters;

// As in close_search.wgsl, with normals.
@group(0) @binding(0) var<storage, read> slots: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> ends: array<u32>;
@group(0) @binding(2) var<storage, read> normals: array<vec4<f32>>;
// Of each: owner, triangle or edge, its closest part; the normal.
@group(0) @binding(3) var<storage, read_write> rows: array<vec4<u32>>;

// An invocation per slot.
@compute @workgroup_size(GROUP)
fn gather(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let place = index(group, groups, local);
    if place >= p.n { return; }
    let owner = place / SLOTS;
    var first = 0u;
    if owner > 0u { first = ends[owner - 1u]; }
    let number = first + place % SLOTS;
    if number >= ends[owner] { return; }
    rows[2u * number] = vec4(owner, slots[place].xyz);
    rows[2u * number + 1u] = bitcast<vec4<u32>>(normals[place]);
}
