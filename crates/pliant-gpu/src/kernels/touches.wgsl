// Contacts between bodies: what each does at x, their energy, and how they push vertices apart. Twin of device/cpu/touching.rs.
// No two invocations write to one place: contacts write what they do, and vertices gather it.

struct Parameters {
    // Contacts; of `look`, `shift` and `shift_all` vertices.
    n: u32,
    // First partial of the energy.
    first: u32,
    // 1/h² where contacts yield as they are soft, 0 where they do not, 1/s².
    soft: f32,
    // Friction: how many times the push, and how many times its limit, s².
    rough: f32,
    limited: f32,
}
var<immediate> p: Parameters;

@group(0) @binding(0) var<storage, read> touches: array<Touch>;
@group(0) @binding(1) var<storage, read_write> x: array<vec4<f32>>;
// As in bodies.wgsl.
@group(0) @binding(2) var<storage, read_write> felt: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> corners: array<u32>;
// Impulse times h of each contact, kg m per weight, and 1 where it is active.
@group(0) @binding(4) var<storage, read_write> impulses: array<vec4<f32>>;
// Weights of active contacts at each vertex, added up.
@group(0) @binding(5) var<storage, read_write> crowd: array<f32>;
// 1/kg; 0 where held.
@group(0) @binding(6) var<storage, read> inv_mass: array<f32>;
@group(0) @binding(7) var<storage, read_write> partials: array<vec2<f32>>;
// Other fields that move along.
@group(0) @binding(8) var<storage, read_write> first_other: array<vec4<f32>>;
@group(0) @binding(9) var<storage, read_write> second_other: array<vec4<f32>>;
// Last, how far each vertex was pushed since the start of the step, m.
@group(0) @binding(10) var<storage, read_write> before: array<vec4<f32>>;

const CORNER: u32 = 4u;

fn apart(touch: Touch) -> vec3<f32> {
    let s = touch.stencil;
    return touch_apart(touch, x[s.x].xyz, x[s.y].xyz, x[s.z].xyz, x[s.w].xyz);
}

@compute @workgroup_size(GROUP)
fn feel(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let t = index(group, groups, local);
    if t >= p.n { return; }
    let touch = touches[t];
    let own = touch_feel(touch, apart(touch));
    felt[2u * t] = vec4(own.force, touch.spread * own.push);
    felt[2u * t + 1u] = vec4(touch.normal, touch.spread * own.friction);
}

// Always as many workgroups, whatever the number of contacts.
@compute @workgroup_size(GROUP)
fn energy(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    var mine = vec2(0.0, 0.0);
    for (var t = index(group, groups, local); t < p.n; t += groups.x * GROUP) {
        let touch = touches[t];
        mine = pair_add(mine, vec2(touch_value(touch, apart(touch)), 0.0), group.z);
    }
    let all = group_reduce(SUM, mine, local, group.z);
    if local == 0u { partials[p.first + group.x] = all; }
}

// Which contacts are active.
@compute @workgroup_size(GROUP)
fn press(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let t = index(group, groups, local);
    if t >= p.n { return; }
    let touch = touches[t];
    let pushes = touch.stiffness > 0.0 && dot(touch.normal, apart(touch)) < touch.gap;
    impulses[t] = vec4(0.0, 0.0, 0.0, select(0.0, 1.0, pushes));
}

// Their weights at each vertex.
@compute @workgroup_size(GROUP)
fn look(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    var sum = 0.0;
    let end = corners[i + 1u];
    for (var k = corners[i]; k < end; k += CORNER) {
        sum += abs(bitcast<f32>(corners[k + 1u])) * impulses[corners[k]].w;
    }
    crowd[i] = sum;
}

// The impulse of each active contact: all push at once, so each has its share of the masses.
@compute @workgroup_size(GROUP)
fn push(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let t = index(group, groups, local);
    if t >= p.n || impulses[t].w == 0.0 { return; }
    let touch = touches[t];
    var yielding = p.soft / touch.stiffness;
    for (var k = 0u; k < 4u; k++) {
        let i = touch.stencil[k];
        yielding += abs(touch.weight[k]) * crowd[i] * inv_mass[i];
    }
    impulses[t] = vec4(touch_impulse(touch, apart(touch), yielding, vec2(p.rough, p.limited * touch.limit)), 1.0);
}

// Where the last push moves vertex i, m.
fn moved(i: u32) -> vec3<f32> {
    var sum = vec3<f32>(0.0);
    let end = corners[i + 1u];
    for (var k = corners[i]; k < end; k += CORNER) {
        sum += impulses[corners[k]].xyz * bitcast<f32>(corners[k + 1u]);
    }
    return sum * inv_mass[i];
}

@compute @workgroup_size(GROUP)
fn shift(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i < p.n { x[i] += vec4(moved(i), 0.0); }
}

// The same with other fields, and it is noted how far.
@compute @workgroup_size(GROUP)
fn shift_all(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    let by = moved(i);
    x[i] += vec4(by, 0.0);
    first_other[i] += vec4(by, 0.0);
    second_other[i] += vec4(by, 0.0);
    before[i].w += length(by);
}
