// Reads READS vectors for each one it writes, all next to each other: the least time a sweep of as many bytes can take.

struct Parameters {
    n: u32,
}
var<immediate> p: Parameters;
@group(0) @binding(0) var<storage, read> from_all: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> to_one: array<vec4<f32>>;

@compute @workgroup_size(GROUP)
fn stream(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    var sum = vec4<f32>(0.0);
    for (var k = 0u; k < READS; k++) { sum += from_all[k * p.n + i]; }
    to_one[i] = sum;
}
