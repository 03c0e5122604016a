// What the kernels that colour graphs share: the graph, the counters, and how workgroups count.
//
// A pass writes cells of its own vertices only, and reads of others only cells that the pass does not write, or that say
// the same before and after (`colour_ranked.wgsl`). So the order of invocations shows in the order of lists only, which
// nothing depends on. Counters are integers: atomic sums of them do not depend on the order either.

struct Parameters {
    // Invocations that have work at most.
    n: u32,
    seed: u32,
    // Number of this round; its place among those recorded since the host last read the counters.
    round: u32,
    at: u32,
    // What it is depends on the kernel.
    extra: u32,
}
var<immediate> p: Parameters;
// The neighbours of v are neighbour[offset[v]] to neighbour[offset[v + 1] - 1].
@group(0) @binding(0) var<storage, read> offset: array<u32>;
@group(0) @binding(1) var<storage, read> neighbour: array<u32>;
@group(0) @binding(2) var<storage, read_write> counters: array<atomic<u32>>;

const NONE: u32 = 0xffffffffu;

// Colours that a palette holds at once: the bits of a word.
const WINDOW: u32 = 32u;

// Places of the counters, as `counters.rs` has them. Of those from LEFT on there is one for each round, and one for the
// end.
const LEAST_DEGREE: u32 = 0u;
const HIGHEST: u32 = 1u;
const COLOURS: u32 = 2u;
const WRONG: u32 = 3u;
const CHANGED: u32 = 4u;
const FILLED: u32 = 5u;
const LEFT: u32 = 8u;
const CANDIDATES: u32 = LEFT + ROUNDS + 1u;
const CURRENT: u32 = CANDIDATES + ROUNDS + 1u;

fn counter(slot: u32) -> u32 {
    return atomicLoad(&counters[slot]);
}

fn degree(v: u32) -> u32 {
    return offset[v + 1u] - offset[v];
}

var<workgroup> group_sum: atomic<u32>;
var<workgroup> group_first: u32;
var<workgroup> group_most: atomic<u32>;

// Adds up in a counter how many invocations have something, and gives each of those a number of its own. One atomic per
// workgroup reaches memory. All invocations must call it.
fn claim(has: bool, slot: u32, local: u32) -> u32 {
    workgroupBarrier();
    if local == 0u { atomicStore(&group_sum, 0u); }
    workgroupBarrier();
    var mine = 0u;
    if has { mine = atomicAdd(&group_sum, 1u); }
    workgroupBarrier();
    if local == 0u {
        let all = atomicLoad(&group_sum);
        if all > 0u { group_first = atomicAdd(&counters[slot], all); }
    }
    workgroupBarrier();
    return group_first + mine;
}

// Raises a counter to the largest value of all invocations; 0 changes nothing. All invocations must call it.
fn raise(value: u32, slot: u32, local: u32) {
    workgroupBarrier();
    if local == 0u { atomicStore(&group_most, 0u); }
    workgroupBarrier();
    if value > 0u { atomicMax(&group_most, value); }
    workgroupBarrier();
    if local == 0u {
        let most = atomicLoad(&group_most);
        if most > 0u { atomicMax(&counters[slot], most); }
    }
}
