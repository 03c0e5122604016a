// Moves bodies that touch each other together to where E is least. Twin of device/cpu/balance.rs. Follows contacts.wgsl. Workgroup g
// of `sum` and `shift` has the vertices of chunk g, all of one part; `settle` has a workgroup for each part, and those that are the
// first of their group find where it goes.

struct Parameters {
    // Chunks; of `settle` parts.
    n: u32,
    parts: u32,
}
struct Chunk {
    first: u32,
    end: u32,
    part: u32,
}
struct Part {
    first_chunk: u32,
    chunks: u32,
    // 1 if a pin holds it.
    is_held: u32,
}
var<immediate> p: Parameters;
@group(0) @binding(0) var<storage, read_write> x: array<vec4<f32>>;
// ∇E, N.
@group(0) @binding(1) var<storage, read> gradient: array<vec4<f32>>;
// As in force.wgsl.
@group(0) @binding(2) var<storage, read> x_pull: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> colliders: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> touch: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> chunks: array<Chunk>;
@group(0) @binding(6) var<storage, read> parts: array<Part>;
// The first of the parts that each part touches, by whatever others.
@group(0) @binding(7) var<storage, read> leaders: array<u32>;
// SUMS pairs per chunk: ∇E; diagonal and the rest of what a common translation costs, N/m.
@group(0) @binding(8) var<storage, read_write> sums: array<vec2<f32>>;
// By how much the group of each leader moves, m.
@group(0) @binding(9) var<storage, read_write> shifts: array<vec4<f32>>;

const SUMS: u32 = 9u;

@compute @workgroup_size(GROUP)
fn sum(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let g = group_index(group, groups);
    let chunk = chunks[min(g, p.n - 1u)];
    let i = chunk.first + local;
    var mine: array<f32, SUMS>;
    if i < chunk.end {
        let xi = x[i].xyz;
        var block = sym_scalar(x_pull[i].w);
        if COLLIDERS > 0u {
            let f = with_contacts(vec3(0.0), xi, touch[TOUCH * i], grip_of(i));
            block = sym_add(block, sym_add(f.push, f.friction));
        }
        let force = gradient[i].xyz;
        for (var k = 0u; k < 3u; k++) {
            mine[k] = force[k];
            mine[3u + k] = block.diagonal[k];
            mine[6u + k] = block.off[k];
        }
    }
    for (var q = 0u; q < SUMS; q++) {
        let all = group_reduce(SUM, vec2(mine[q], 0.0), local, group.z);
        if local == 0u && g < p.n { sums[SUMS * g + q] = all; }
    }
}

@compute @workgroup_size(GROUP)
fn settle(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let leader = group_index(group, groups);
    var mine: array<vec2<f32>, SUMS>;
    var is_held = false;
    for (var part = 0u; part < p.parts; part++) {
        if leaders[part] != leader { continue; }
        let own = parts[part];
        is_held = is_held || own.is_held != 0u;
        for (var c = own.first_chunk + local; c < own.first_chunk + own.chunks; c += GROUP) {
            for (var q = 0u; q < SUMS; q++) { mine[q] = pair_add(mine[q], sums[SUMS * c + q], group.z); }
        }
    }
    var all: array<f32, SUMS>;
    for (var q = 0u; q < SUMS; q++) { all[q] = group_reduce(SUM, mine[q], local, group.z).x; }
    if local != 0u || leader >= p.parts { return; }
    let stiffness = Sym3(vec3(all[3], all[4], all[5]), vec3(all[6], all[7], all[8]));
    var by = vec3<f32>(0.0);
    if !is_held && sym_trace(stiffness) > 0.0 { by = sym_solve(stiffness, vec3(all[0], all[1], all[2])); }
    shifts[leader] = vec4(by, 0.0);
}

@compute @workgroup_size(GROUP)
fn shift(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let g = group_index(group, groups);
    if g >= p.n { return; }
    let chunk = chunks[g];
    let i = chunk.first + local;
    if i < chunk.end { x[i] -= shifts[leaders[chunk.part]]; }
}
