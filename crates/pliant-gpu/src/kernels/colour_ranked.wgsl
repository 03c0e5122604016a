// Jones-Plassmann, and largest-degree-first where Rust writes `WEIGHED` as true before this text:
// `crates/pliant/src/colouring/ranked.rs`. In a round every vertex that outranks all its uncoloured neighbours takes the
// lowest colour that no neighbour has.
//
// The CPU decides in one pass and colours in the next, so that nobody sees a colour a round early. Here one pass does:
// a vertex counts as coloured from the round after `stamp` on. Who reads the stamp of a neighbour that is coloured
// meanwhile finds NONE or this round, which mean the same.

// The round in which a vertex got its colour.
@group(0) @binding(4) var<storage, read_write> stamp: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> weight: array<u32>;

fn seen(n: u32) -> u32 {
    if atomicLoad(&stamp[n]) < p.round { return colour[n]; }
    return NONE;
}

// How many neighbours of a vertex have no colour.
@compute @workgroup_size(GROUP)
fn weigh(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if !is_listed(i) { return; }
    let v = uncoloured[i];
    var left = 0u;
    for (var k = offset[v]; k < offset[v + 1u]; k++) {
        if seen(neighbour[k]) == NONE { left++; }
    }
    weight[v] = left;
}

fn is_outranked(v: u32) -> bool {
    let key = draw_key(p.seed, 0u);
    let own = draw(key, v);
    for (var k = offset[v]; k < offset[v + 1u]; k++) {
        let n = neighbour[k];
        if seen(n) != NONE { continue; }
        let higher = draw(key, n) > own;
        if WEIGHED {
            if weight[n] > weight[v] || (weight[n] == weight[v] && higher) { return true; }
        } else if higher {
            return true;
        }
    }
    return false;
}

@compute @workgroup_size(GROUP)
fn decide(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    var v = 0u;
    var waits = false;
    if is_listed(i) {
        v = uncoloured[i];
        waits = is_outranked(v);
        if !waits {
            colour[v] = lowest_free(v);
            atomicStore(&stamp[v], p.round);
        }
    }
    relist(v, waits, local);
}
