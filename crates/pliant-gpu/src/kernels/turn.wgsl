// Turns free parts to where they are nearest to their inertial target: twin of device/cpu/turn.rs. A workgroup is a part.

struct Parameters {
    // Number of parts.
    count: u32,
}
var<immediate> p: Parameters;

@group(0) @binding(0) var<storage, read_write> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> x_tilde: array<vec4<f32>>;
// m/h², N/m: weighs as masses do.
@group(0) @binding(2) var<storage, read> inertia: array<f32>;
// In w how far each vertex was pushed out of colliders in this step, m.
@group(0) @binding(3) var<storage, read> before: array<vec4<f32>>;
// Vertices of part k: from offsets[k] to offsets[k + 1].
@group(0) @binding(4) var<storage, read> offsets: array<u32>;
@group(0) @binding(5) var<storage, read> members: array<u32>;

var<workgroup> summed: f32;

// Sum of a pair over the workgroup, for all of it.
fn total(mine: vec2<f32>, local: u32, zero: u32) -> f32 {
    let all = group_reduce(SUM, mine, local, zero);
    if local == 0u { summed = all.x; }
    workgroupBarrier();
    let out = summed;
    workgroupBarrier();
    return out;
}

@compute @workgroup_size(GROUP)
fn turn(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let zero = group.z;
    let part = min(group_index(group, groups), p.count - 1u);
    let first = offsets[part];
    // A two-dimensional dispatch may have more workgroups than there are parts.
    let end = select(first, offsets[part + 1u], group_index(group, groups) < p.count);

    var weight = vec2(0.0, 0.0);
    var touched = vec2(0.0, 0.0);
    var at: array<vec2<f32>, 3>;
    var goal: array<vec2<f32>, 3>;
    for (var k = first + local; k < end; k += GROUP) {
        let i = members[k];
        weight = pair_add(weight, vec2(inertia[i], 0.0), zero);
        touched.x += before[i].w;
        for (var c = 0u; c < 3u; c++) {
            at[c] = pair_add(at[c], two_product(inertia[i], x[i][c], zero), zero);
            goal[c] = pair_add(goal[c], two_product(inertia[i], x_tilde[i][c], zero), zero);
        }
    }
    let all = max(total(weight, local, zero), 1e-30);
    let was_touched = total(touched, local, zero) > 0.0;
    var centre: vec3<f32>;
    var target_centre: vec3<f32>;
    for (var c = 0u; c < 3u; c++) {
        centre[c] = total(at[c], local, zero) / all;
        target_centre[c] = total(goal[c], local, zero) / all;
    }

    var moment: array<vec2<f32>, 9>;
    for (var k = first + local; k < end; k += GROUP) {
        let i = members[k];
        let a = (x_tilde[i].xyz - target_centre) * (inertia[i] / all);
        let b = x[i].xyz - centre;
        for (var e = 0u; e < 9u; e++) {
            moment[e] = pair_add(moment[e], two_product(a[e % 3u], b[e / 3u], zero), zero);
        }
    }
    var F: mat3x3<f32>;
    for (var e = 0u; e < 9u; e++) { F[e / 3u][e % 3u] = total(moment[e], local, zero); }
    let rotation = polar_rotation(F);
    if was_touched { return; }
    for (var k = first + local; k < end; k += GROUP) {
        let i = members[k];
        x[i] = vec4(centre + rotation * (x[i].xyz - centre), 0.0);
    }
}
