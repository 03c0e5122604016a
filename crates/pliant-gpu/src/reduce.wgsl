// Second stage of every reduction: workgroup q takes the partials of quantity q.

struct Parameters {
    // Partials per quantity.
    count: u32,
    // Quantity q: slot, plus 256 times the reduction.
    targets: array<vec4<u32>, 2>,
}

var<immediate> p: Parameters;
// Of quantity q: partials[q * count] and the count - 1 after it.
@group(0) @binding(0) var<storage, read> partials: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read_write> scalars: array<vec2<f32>>;

@compute @workgroup_size(GROUP)
fn finish(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let q = group.x;
    let aim = p.targets[q / 4u][q % 4u];
    let reduction = aim / 256u;
    var mine = neutral(reduction, group.z);
    for (var i = local; i < p.count; i += GROUP) {
        mine = combine(reduction, mine, partials[q * p.count + i], group.z);
    }
    let all = group_reduce(reduction, mine, local, group.z);
    if local == 0u {
        scalars[aim % 256u] = all;
    }
}
