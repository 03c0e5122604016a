// Luby 1985, colour after colour a maximal independent set: `crates/pliant/src/colouring/luby.rs`. A round is two passes
// over all vertices. When a set is complete only the device knows: every invocation finds out by the candidates that the
// round before has left.

@group(0) @binding(3) var<storage, read_write> colour: array<u32>;
// The colour in which a vertex has a neighbour, so that it cannot have it itself.
@group(0) @binding(4) var<storage, read_write> waits: array<u32>;
// The round in which a vertex joined a set.
@group(0) @binding(5) var<storage, read_write> joined: array<u32>;

fn is_candidate(v: u32, current: u32) -> bool {
    return colour[v] == NONE && waits[v] != current;
}

@compute @workgroup_size(GROUP)
fn join(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let v = index(group, groups, local);
    var current = counter(CURRENT + p.at);
    if counter(CANDIDATES + p.at) == 0u { current++; }
    if v == 0u { atomicStore(&counters[CURRENT + p.at + 1u], current); }
    if v >= p.n || counter(LEFT + p.at) == 0u || !is_candidate(v, current) { return; }
    let key = draw_key(p.seed, p.round);
    let own = draw(key, v);
    for (var k = offset[v]; k < offset[v + 1u]; k++) {
        let n = neighbour[k];
        if n != v && draw(key, n) > own && is_candidate(n, current) { return; }
    }
    joined[v] = p.round;
}

@compute @workgroup_size(GROUP)
fn settle(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let v = index(group, groups, local);
    let current = counter(CURRENT + p.at + 1u);
    var is_left = false;
    var still_candidate = false;
    if v < p.n && counter(LEFT + p.at) > 0u && colour[v] == NONE {
        is_left = true;
        if joined[v] == p.round {
            colour[v] = current;
            is_left = false;
        } else if waits[v] != current {
            still_candidate = true;
            for (var k = offset[v]; k < offset[v + 1u]; k++) {
                if joined[neighbour[k]] == p.round { still_candidate = false; }
            }
            if !still_candidate { waits[v] = current; }
        }
    }
    claim(is_left, LEFT + p.at + 1u, local);
    claim(still_candidate, CANDIDATES + p.at + 1u, local);
}
