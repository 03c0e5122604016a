// Recolouring after a graph has changed: `crates/pliant/src/colouring/recolour.rs`. Finds the touched vertices that need
// another colour; the rounds of Vivace colour them; then it is counted what has changed.

@group(0) @binding(3) var<storage, read_write> colour: array<u32>;
// NONE, TOUCHED, or FOUND: also in the list of wrong vertices, or looked at by another invocation with the same vertex.
@group(0) @binding(4) var<storage, read_write> mark: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> offered: array<u32>;
@group(0) @binding(6) var<storage, read_write> wrong: array<u32>;
// Vertices whose neighbours changed; there may be repeats.
@group(0) @binding(7) var<storage, read> touched: array<u32>;
// The colour that each of the wrong vertices had.
@group(0) @binding(8) var<storage, read_write> before: array<u32>;
// One for each colour up to the number of vertices; the last one is for all colours beyond.
@group(0) @binding(9) var<storage, read_write> sizes: array<atomic<u32>>;

const TOUCHED: u32 = 1u;
const FOUND: u32 = 2u;

@compute @workgroup_size(GROUP)
fn touch(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i < p.n { atomicStore(&mark[touched[i]], TOUCHED); }
}

// The colour of a neighbour, of two touched ones the lower yields; or a colour above the number of neighbours.
fn is_wrong(v: u32) -> bool {
    let own = colour[v];
    if own > degree(v) { return true; }
    for (var k = offset[v]; k < offset[v + 1u]; k++) {
        let n = neighbour[k];
        if colour[n] == own && (n > v || (n < v && atomicLoad(&mark[n]) == NONE)) { return true; }
    }
    return false;
}

@compute @workgroup_size(GROUP)
fn find(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    var v = 0u;
    var found = false;
    if i < p.n {
        v = touched[i];
        found = is_wrong(v) && atomicExchange(&mark[v], FOUND) == TOUCHED;
    }
    let place = claim(found, WRONG, local);
    if found { wrong[place] = v; }
}

// Takes the colours of wrong vertices away, unless they are more than a quarter of all vertices. `extra` is the number of
// colours, `round` the most vertices that may be wrong.
@compute @workgroup_size(GROUP)
fn uncolour(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    let count = counter(WRONG);
    if i >= p.n || i >= count || count > p.round { return; }
    if i == 0u { atomicStore(&counters[LEFT], count); }
    let v = wrong[i];
    before[i] = colour[v];
    offered[v] = min(min(p.extra, degree(v) + 1u), WINDOW);
    colour[v] = NONE;
}

// Moves the wrong vertices from the sizes of their old colours to those of their new ones, once none is left. `extra` is
// the number of all vertices, `round` the most vertices that may be wrong.
@compute @workgroup_size(GROUP)
fn compare(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    let count = counter(WRONG);
    var changed = false;
    if i < p.n && i < count && count <= p.round && counter(LEFT + p.at) == 0u {
        let then = min(before[i], p.extra);
        let now = min(colour[wrong[i]], p.extra);
        changed = before[i] != colour[wrong[i]];
        if changed {
            atomicSub(&sizes[then], 1u);
            atomicAdd(&sizes[now], 1u);
        }
    }
    claim(changed, CHANGED, local);
}

// How many of the first `n` colours have vertices, and how many colours that makes with the gaps. One workgroup.
@compute @workgroup_size(GROUP)
fn survey(@builtin(local_invocation_index) local: u32) {
    let end = max(p.n, min(counter(HIGHEST), p.extra + 1u));
    var filled = 0u;
    var reached = 0u;
    for (var c = local; c < end; c += GROUP) {
        if atomicLoad(&sizes[c]) > 0u {
            filled++;
            reached = c + 1u;
        }
    }
    raise(reached, COLOURS, local);
    atomicAdd(&counters[FILLED], filled);
}
