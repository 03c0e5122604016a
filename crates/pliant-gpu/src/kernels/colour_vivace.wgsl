// Vivace, Algorithm 2: `crates/pliant/src/colouring/vivace.rs` says what deviates from the page. A round is two passes.

@group(0) @binding(4) var<storage, read_write> tentative: array<u32>;
// Each vertex was offered the colours below this.
@group(0) @binding(5) var<storage, read_write> offered: array<u32>;

fn seen(n: u32) -> u32 {
    return colour[n];
}

// Which colours a vertex is offered at first: Δ_v/s, at least one.
fn first_offer(v: u32) -> u32 {
    let shrink = max(~counter(LEAST_DEGREE), 2u);
    return clamp(degree(v) / shrink, 1u, WINDOW);
}

// The index of one of the bits of a set, which is not 0.
fn random_bit(all: u32, random: u32) -> u32 {
    var bits = all;
    let skip = ((random >> 16u) * countOneBits(bits)) >> 16u;
    for (var k = 0u; k < skip; k++) { bits &= bits - 1u; }
    return countTrailingZeros(bits);
}

// A random colour of the palette; a hungry one is fed first. `extra` is 1 where nothing was offered before.
@compute @workgroup_size(GROUP)
fn choose(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if !is_listed(i) { return; }
    let v = uncoloured[i];
    var end = 0u;
    if p.extra == 1u { end = first_offer(v); } else { end = offered[v]; }
    loop {
        // Below `base` everything is taken: only then was a colour above offered.
        let base = (end - 1u) / WINDOW * WINDOW;
        let found = taken(v, base);
        let shown = NONE >> (WINDOW - (end - base));
        var palette = shown & ~found;
        if palette == 0u {
            let next = trailing_ones(shown | found);
            end = base + next + 1u;
            if next < WINDOW { palette = 1u << next; }
        }
        if palette != 0u {
            offered[v] = end;
            tentative[v] = base + random_bit(palette, draw(draw_key(p.seed, p.round), v));
            return;
        }
    }
}

// Of neighbours that try the same colour the one with the larger random number gets it.
@compute @workgroup_size(GROUP)
fn resolve(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    var v = 0u;
    var loses = false;
    var reached = 0u;
    if is_listed(i) {
        v = uncoloured[i];
        let key = draw_key(p.seed, p.round);
        let own = tentative[v];
        let number = draw(key, v);
        for (var k = offset[v]; k < offset[v + 1u]; k++) {
            let n = neighbour[k];
            // The tentative colour of a neighbour that is done is its colour, which is not in this palette.
            if tentative[n] == own && draw(key, n) > number {
                loses = true;
                break;
            }
        }
        if !loses {
            colour[v] = own;
            reached = own + 1u;
        }
    }
    raise(reached, HIGHEST, local);
    relist(v, loses, local);
}
