// What comes before the rounds.

@group(0) @binding(3) var<storage, read_write> first: array<u32>;
@group(0) @binding(4) var<storage, read_write> second: array<u32>;
@group(0) @binding(5) var<storage, read_write> third: array<u32>;
@group(0) @binding(6) var<storage, read_write> members: array<u32>;

// Empties three arrays and lists all vertices. The least number of neighbours that any vertex with neighbours has is
// kept as its complement, because counters start as 0.
@compute @workgroup_size(GROUP)
fn start(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let v = index(group, groups, local);
    var least = 0u;
    if v < p.n {
        first[v] = NONE;
        second[v] = NONE;
        third[v] = NONE;
        members[v] = v;
        if degree(v) > 0u { least = ~degree(v); }
    }
    raise(least, LEAST_DEGREE, local);
}
