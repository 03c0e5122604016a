// Second stage of every reduction: workgroup q takes the partials of quantity q.

struct Parameters {
    // Quantity q: first partial, number of partials, and slot plus 256 times the reduction.
    targets: array<u32, 30>,
}

var<immediate> p: Parameters;
@group(0) @binding(0) var<storage, read> partials: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read_write> scalars: array<vec2<f32>>;

@compute @workgroup_size(GROUP)
fn finish(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let q = group.x;
    let first = p.targets[3u * q];
    let count = p.targets[3u * q + 1u];
    let aim = p.targets[3u * q + 2u];
    let reduction = aim / 256u;
    var mine = neutral(reduction, group.z);
    for (var i = local; i < count; i += GROUP) {
        mine = combine(reduction, mine, partials[first + i], group.z);
    }
    let all = group_reduce(reduction, mine, local, group.z);
    if local == 0u {
        scalars[aim % 256u] = all;
    }
}
