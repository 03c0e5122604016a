// Sums of all numbers up to each, in place: workgroups add up their chunks, one adds up those, and all add what came before.

struct Parameters {
    n: u32,
}
var<immediate> p: Parameters;

@group(0) @binding(0) var<storage, read_write> values: array<u32>;
// Of chunks.
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

// Numbers per invocation.
const EACH: u32 = 8u;

var<workgroup> scanned: array<u32, GROUP>;

// Sums over the workgroup of `mine` up to each invocation; all must call it.
fn group_scan(mine: u32, local: u32) -> u32 {
    scanned[local] = mine;
    workgroupBarrier();
    for (var step = 1u; step < GROUP; step *= 2u) {
        var before = 0u;
        if local >= step { before = scanned[local - step]; }
        workgroupBarrier();
        scanned[local] += before;
        workgroupBarrier();
    }
    return scanned[local];
}

// The sum of each chunk.
@compute @workgroup_size(GROUP)
fn add_chunks(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let chunk = group_index(group, groups);
    let first = (chunk * GROUP + local) * EACH;
    var mine = 0u;
    for (var k = first; k < min(first + EACH, p.n); k++) { mine += values[k]; }
    let all = group_scan(mine, local);
    if local == GROUP - 1u && chunk * GROUP * EACH < p.n { sums[chunk] = all; }
}

// Sums of chunks up to each, in one workgroup; `n` chunks.
@compute @workgroup_size(GROUP)
fn scan_sums(@builtin(local_invocation_index) local: u32) {
    var before = 0u;
    for (var first = 0u; first < p.n; first += GROUP) {
        let k = first + local;
        var mine = 0u;
        if k < p.n { mine = sums[k]; }
        let upto = before + group_scan(mine, local);
        if k < p.n { sums[k] = upto; }
        before += scanned[GROUP - 1u];
        workgroupBarrier();
    }
}

// Numbers up to each in its chunk, with all chunks before.
@compute @workgroup_size(GROUP)
fn scan_chunks(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let chunk = group_index(group, groups);
    let first = (chunk * GROUP + local) * EACH;
    let end = min(first + EACH, p.n);
    var mine = 0u;
    for (var k = first; k < end; k++) { mine += values[k]; }
    var sum = group_scan(mine, local) - mine;
    if chunk > 0u && chunk * GROUP * EACH < p.n { sum += sums[chunk - 1u]; }
    for (var k = first; k < end; k++) {
        sum += values[k];
        values[k] = sum;
    }
}
