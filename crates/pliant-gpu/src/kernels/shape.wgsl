// Measures of edges, tets and pins for the certificate.

struct Parameters {
    n: u32,
    first: u32,
}
var<immediate> p: Parameters;

@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> stencils: array<u32>;
// Rest lengths of edges, m.
@group(0) @binding(2) var<storage, read> rest: array<f32>;
@group(0) @binding(3) var<storage, read_write> partials: array<vec2<f32>>;
@group(0) @binding(4) var<storage, read> pins: array<Pin>;

// Largest |length/rest - 1|, and their sum.
@compute @workgroup_size(GROUP)
fn stretch(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let c = index(group, groups, local);
    var mine = vec2(0.0, 0.0);
    if c < p.n {
        mine.x = abs(length(x[stencils[2u * c]].xyz - x[stencils[2u * c + 1u]].xyz) / rest[c] - 1.0);
    }
    let largest = group_reduce(MAX, mine, local, group.z);
    let sum = group_reduce(SUM, mine, local, group.z);
    let g = group_index(group, groups);
    if local == 0u && g < group_count(p.n) {
        partials[p.first + g] = largest;
        partials[p.first + group_count(p.n) + g] = sum;
    }
}

// Number of tets with negative volume.
@compute @workgroup_size(GROUP)
fn inverted(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let c = index(group, groups, local);
    var mine = vec2(0.0, 0.0);
    if c < p.n {
        let a = x[stencils[4u * c]].xyz;
        let b = x[stencils[4u * c + 1u]].xyz - a;
        let d = x[stencils[4u * c + 2u]].xyz - a;
        let e = x[stencils[4u * c + 3u]].xyz - a;
        mine.x = select(0.0, 1.0, dot(cross(b, d), e) < 0.0);
    }
    let all = group_reduce(SUM, mine, local, group.z);
    let g = group_index(group, groups);
    if local == 0u && g < group_count(p.n) { partials[p.first + g] = all; }
}

// Energy of the pins that are springs, J.
@compute @workgroup_size(GROUP)
fn pin_energy(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let k = index(group, groups, local);
    var mine = vec2(0.0, 0.0);
    if k < p.n {
        let d = x[pins[k].vertex].xyz - pins[k].goal;
        mine.x = 0.5 * max(pins[k].stiffness, 0.0) * dot(d, d);
    }
    let all = group_reduce(SUM, mine, local, group.z);
    let g = group_index(group, groups);
    if local == 0u && g < group_count(p.n) { partials[p.first + g] = all; }
}
