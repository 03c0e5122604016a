// Which contacts each vertex is in: sorted by counting, then by the numbers of contacts, so that sums do not depend on who came
// first. Twin of `Touches::take_corners`.

struct Parameters {
    // Invocations: contacts, vertices, or four per contact.
    n: u32,
    vertices: u32,
}
var<immediate> p: Parameters;

@group(0) @binding(0) var<storage, read> touches: array<Touch>;
// 1/kg; 0 where held.
@group(0) @binding(1) var<storage, read> inv_mass: array<f32>;
// How many corners each vertex has; scanned, where they end; after `place`, where they begin.
@group(0) @binding(2) var<storage, read_write> ends: array<atomic<u32>>;
// Corners by vertex, in any order: contact · 4 + corner.
@group(0) @binding(3) var<storage, read_write> loose: array<u32>;
// As in bodies.wgsl.
@group(0) @binding(4) var<storage, read_write> corners: array<u32>;

const CORNER: u32 = 4u;

// Counts corners of vertices that can move.
@compute @workgroup_size(GROUP)
fn count(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let t = index(group, groups, local);
    if t >= p.n { return; }
    let stencil = touches[t].stencil;
    for (var k = 0u; k < 4u; k++) {
        if inv_mass[stencil[k]] > 0.0 { atomicAdd(&ends[stencil[k]], 1u); }
    }
}

// Where corners of each vertex begin; one more than there are vertices.
@compute @workgroup_size(GROUP)
fn begin(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    var before = 0u;
    if i > 0u { before = atomicLoad(&ends[i - 1u]); }
    corners[i] = p.vertices + 1u + CORNER * before;
}

@compute @workgroup_size(GROUP)
fn place(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let t = index(group, groups, local);
    if t >= p.n { return; }
    let stencil = touches[t].stencil;
    for (var k = 0u; k < 4u; k++) {
        if inv_mass[stencil[k]] > 0.0 { loose[atomicSub(&ends[stencil[k]], 1u) - 1u] = 4u * t + k; }
    }
}

// An invocation per corner: as many as have lower numbers come before it.
@compute @workgroup_size(GROUP)
fn order(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let at = index(group, groups, local);
    let first = p.vertices + 1u;
    if at >= p.n || at >= (corners[p.vertices] - first) / CORNER { return; }
    let own = loose[at];
    let t = own / 4u;
    let i = touches[t].stencil[own % 4u];
    let end = (corners[i + 1u] - first) / CORNER;
    var rank = 0u;
    for (var k = (corners[i] - first) / CORNER; k < end; k++) { rank += select(0u, 1u, loose[k] < own); }
    let out = corners[i] + CORNER * rank;
    corners[out] = t;
    corners[out + 1u] = bitcast<u32>(touches[t].weight[own % 4u]);
}

// How stiff each corner may be, when friction is known.
@compute @workgroup_size(GROUP)
fn bound(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let at = index(group, groups, local);
    let first = p.vertices + 1u;
    if at >= p.n || at >= (corners[p.vertices] - first) / CORNER { return; }
    let own = first + CORNER * at;
    let touch = touches[corners[own]];
    let share = abs(bitcast<f32>(corners[own + 1u])) * touch.spread;
    var friction = 0.0;
    if touch.limit > 0.0 { friction = touch.limit / touch.sticking; }
    corners[own + 2u] = bitcast<u32>(share * touch.comes * touch.stiffness);
    corners[own + 3u] = bitcast<u32>(share * max(touch.stiffness, friction));
}
