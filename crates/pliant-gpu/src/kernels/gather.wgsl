// x_hat = x + relaxation · Σ of the slots of a vertex: all position-based corrections at once.

struct Parameters {
    n: u32,
    // Fraction of corrections that is taken.
    relaxation: f32,
}
var<immediate> p: Parameters;
@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> x_hat: array<vec4<f32>>;
// Slots of vertex i: slots[offsets[i]..offsets[i + 1]].
@group(0) @binding(2) var<storage, read> offsets: array<u32>;
@group(0) @binding(3) var<storage, read> slots: array<vec4<f32>>;

@compute @workgroup_size(GROUP)
fn gather(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    var sum = vec3<f32>(0.0);
    let end = offsets[i + 1u];
    for (var k = offsets[i]; k < end; k++) { sum += slots[k].xyz; }
    x_hat[i] = vec4(x[i].xyz + p.relaxation * sum, 0.0);
}
