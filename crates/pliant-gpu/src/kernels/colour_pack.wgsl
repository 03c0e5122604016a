// The same vertices in fewer colours (`crates/pliant/src/colouring/pack.rs`), and how many vertices have each colour.

@group(0) @binding(3) var<storage, read_write> colour: array<u32>;
@group(0) @binding(4) var<storage, read_write> draft: array<u32>;
// One for each colour up to the number of vertices; the last one is for all colours beyond.
@group(0) @binding(5) var<storage, read_write> sizes: array<atomic<u32>>;

fn seen(n: u32) -> u32 {
    return colour[n];
}

// The vertices of one colour of the draft take the lowest colour that no neighbour has got in its turn. Pass `extra` is
// for the colour so far below the highest. Nothing happens while vertices are left.
@compute @workgroup_size(GROUP)
fn pack(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let v = index(group, groups, local);
    if v >= p.n || counter(LEFT + p.at) > 0u { return; }
    let colours = counter(HIGHEST);
    if p.extra >= colours || draft[v] != colours - 1u - p.extra { return; }
    colour[v] = lowest_free(v);
}

const BINS: u32 = 32u;
var<workgroup> bins: array<atomic<u32>, BINS>;

// Counts the vertices of each colour, once all have one: when none is left, and `extra` passes have packed everything.
@compute @workgroup_size(GROUP)
fn count(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let v = index(group, groups, local);
    if local < BINS { atomicStore(&bins[local], 0u); }
    workgroupBarrier();
    var reached = 0u;
    if v < p.n && counter(LEFT + p.at) == 0u && counter(HIGHEST) <= p.extra {
        let bin = min(colour[v], p.n);
        reached = bin + 1u;
        if bin < BINS { atomicAdd(&bins[bin], 1u); } else { atomicAdd(&sizes[bin], 1u); }
    }
    workgroupBarrier();
    if local < BINS {
        let size = atomicLoad(&bins[local]);
        if size > 0u { atomicAdd(&sizes[local], size); }
    }
    raise(reached, COLOURS, local);
}
