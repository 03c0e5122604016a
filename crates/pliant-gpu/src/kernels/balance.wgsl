// Moves bodies, together with all they may touch in the step, as a whole to where E is least. Twin of device/cpu/balance.rs.
// Follows contacts.wgsl. Workgroup g of `sum` and `shift` has the vertices of chunk g, all of one part; `settle` has a
// workgroup for each part, and those that are the first of their group find where it goes. The constants SUMS, LEAST_SPREAD and
// MOST_TURN come from Rust.

struct Parameters {
    // Chunks; of `settle` parts.
    n: u32,
    parts: u32,
}
struct Chunk {
    first: u32,
    end: u32,
    part: u32,
}
struct Part {
    first_chunk: u32,
    chunks: u32,
    // 1 if a pin holds it.
    is_held: u32,
}
var<immediate> p: Parameters;
@group(0) @binding(0) var<storage, read_write> x: array<vec4<f32>>;
// ∇E, N.
@group(0) @binding(1) var<storage, read> gradient: array<vec4<f32>>;
// As in force.wgsl.
@group(0) @binding(2) var<storage, read> x_pull: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> colliders: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> touch: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> chunks: array<Chunk>;
@group(0) @binding(6) var<storage, read> parts: array<Part>;
// Of each part: the first part of those that it touches, by whatever others, and 1 if bodies touch somewhere among them.
@group(0) @binding(7) var<storage, read> leaders: array<vec2<u32>>;
// SUMS pairs per chunk, as `Sum` in balance.rs.
@group(0) @binding(8) var<storage, read_write> sums: array<vec2<f32>>;
// Of each leader's group: centre, translation and turn, m and rad.
@group(0) @binding(9) var<storage, read_write> motions: array<vec4<f32>>;

// Places of a group are from the first vertex of its first part.
fn origin_of(leader: u32) -> vec3<f32> {
    return x[chunks[parts[leader].first_chunk].first].xyz;
}

// a · b of two lists of three vectors, all with all: a symmetric matrix.
fn products(a: mat3x3<f32>, b: mat3x3<f32>) -> Sym3 {
    let diagonal = vec3(dot(a[0], b[0]), dot(a[1], b[1]), dot(a[2], b[2]));
    return Sym3(diagonal, vec3(dot(a[1], b[2]), dot(a[0], b[2]), dot(a[0], b[1])));
}

@compute @workgroup_size(GROUP)
fn sum(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let g = group_index(group, groups);
    let chunk = chunks[min(g, p.n - 1u)];
    let i = chunk.first + local;
    var mine: array<f32, SUMS>;
    if i < chunk.end {
        let xi = x[i].xyz;
        let inertia = x_pull[i].w;
        var block = sym_scalar(inertia);
        if COLLIDERS > 0u {
            let f = with_contacts(vec3(0.0), xi, touch[TOUCH * i], grip_of(i));
            block = sym_add(block, sym_add(f.push, f.friction));
        }
        let force = gradient[i].xyz;
        let place = xi - origin_of(leaders[chunk.part].x);
        let torque = cross(place, force);
        // How the vertex moves in a turn about each axis, and what that costs.
        let ways = mat3x3(vec3(0.0, -place.z, place.y), vec3(place.z, 0.0, -place.x), vec3(-place.y, place.x, 0.0));
        let pushes = mat3x3(sym_times(block, ways[0]), sym_times(block, ways[1]), sym_times(block, ways[2]));
        let turning = products(ways, pushes);
        for (var k = 0u; k < 3u; k++) {
            mine[k] = force[k];
            mine[3u + k] = torque[k];
            mine[6u + k] = block.diagonal[k];
            mine[9u + k] = block.off[k];
            mine[12u + k] = pushes[0][k];
            mine[15u + k] = pushes[1][k];
            mine[18u + k] = pushes[2][k];
            mine[21u + k] = turning.diagonal[k];
            mine[24u + k] = turning.off[k];
            mine[27u + k] = place[k] * inertia;
        }
        mine[30] = inertia;
        mine[31] = dot(place, place) * inertia;
    }
    for (var q = 0u; q < SUMS; q++) {
        let all = group_reduce(SUM, vec2(mine[q], 0.0), local, group.z);
        if local == 0u && g < p.n { sums[SUMS * g + q] = all; }
    }
}

@compute @workgroup_size(GROUP)
fn settle(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let leader = group_index(group, groups);
    var mine: array<vec2<f32>, SUMS>;
    var is_held = false;
    // The leader is the first of its group; where nothing touches, it is alone.
    let alone = leaders[min(leader, p.parts - 1u)].y == 0u;
    for (var part = leader; part < min(p.parts, select(p.parts, leader + 1u, alone)); part++) {
        if leaders[part].x != leader { continue; }
        let own = parts[part];
        is_held = is_held || own.is_held != 0u;
        for (var c = own.first_chunk + local; c < own.first_chunk + own.chunks; c += GROUP) {
            for (var q = 0u; q < SUMS; q++) { mine[q] = pair_add(mine[q], sums[SUMS * c + q], group.z); }
        }
    }
    var all: array<f32, SUMS>;
    for (var q = 0u; q < SUMS; q++) { all[q] = group_reduce(SUM, mine[q], local, group.z).x; }
    if local != 0u || leader >= p.parts { return; }
    var centre = vec3<f32>(0.0);
    var by = vec3<f32>(0.0);
    var turn = vec3<f32>(0.0);
    if !is_held && all[30] > 0.0 {
        let moving = Sym3(vec3(all[6], all[7], all[8]), vec3(all[9], all[10], all[11]));
        let coupling =
            mat3x3(all[12], all[13], all[14], all[15], all[16], all[17], all[18], all[19], all[20]);
        centre = vec3(all[27], all[28], all[29]) / all[30];
        let spread = all[31] - all[30] * dot(centre, centre);
        let taken = mat3x3(sym_solve(moving, coupling[0]), sym_solve(moving, coupling[1]), sym_solve(moving, coupling[2]));
        let free = sym_solve(moving, vec3(all[0], all[1], all[2]));
        var turning = Sym3(vec3(all[21], all[22], all[23]), vec3(all[24], all[25], all[26]));
        turning = sym_add(turning, sym_add(sym_scalar(LEAST_SPREAD * spread), sym_scale(products(coupling, taken), -1.0)));
        let torque = vec3(all[3], all[4], all[5]) - free * coupling;
        if leaders[leader].y == 0u && spread > 0.0 { turn = -sym_solve(turning, torque); }
        turn *= MOST_TURN / max(length(turn), MOST_TURN);
        by = cross(turn, centre) - free - taken * turn;
        centre += origin_of(leader);
    }
    motions[3u * leader] = vec4(centre, 0.0);
    motions[3u * leader + 1u] = vec4(by, 0.0);
    motions[3u * leader + 2u] = vec4(turn, 0.0);
}

@compute @workgroup_size(GROUP)
fn shift(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let g = group_index(group, groups);
    if g >= p.n { return; }
    let chunk = chunks[g];
    let i = chunk.first + local;
    if i >= chunk.end { return; }
    let leader = leaders[chunk.part].x;
    let turn = motions[3u * leader + 2u].xyz;
    let around = cross(turn, x[i].xyz - motions[3u * leader].xyz);
    // Rodrigues' formula; sin θ/θ and (1 − cos θ)/θ² by their series, exact to rounding below MOST_TURN.
    let t = dot(turn, turn);
    let sine = 1.0 - t * (1.0 - t * (1.0 - t / 42.0) / 20.0) / 6.0;
    let cosine = 0.5 - t * (1.0 - t / 30.0 * (1.0 - t / 56.0)) / 24.0;
    x[i] += vec4(motions[3u * leader + 1u].xyz + sine * around + cosine * cross(turn, around), 0.0);
}
