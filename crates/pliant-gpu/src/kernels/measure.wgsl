// Measures of vertices for the certificate; follows force.wgsl.

struct Parameters {
    n: u32,
    // First partial of the energy or the gap, and of the other quantities.
    first: u32,
    others: u32,
    // Where gravity pulls.
    down: vec3<f32>,
}
var<immediate> p: Parameters;
// Inertial target, m.
@group(0) @binding(12) var<storage, read> x_tilde: array<vec4<f32>>;
@group(0) @binding(13) var<storage, read_write> partials: array<vec2<f32>>;
// m/h², N/m; 0 where held.
@group(0) @binding(14) var<storage, read> inertia: array<f32>;

// Inertia and contacts, J.
fn own_energy(i: u32, xi: vec3<f32>) -> f32 {
    let d = xi - x_tilde[i].xyz;
    var energy = 0.5 * inertia[i] * dot(d, d);
    if COLLIDERS > 0u && inv_diagonal[i] > 0.0 {
        let own = touch[TOUCH * i];
        let grip = grip_of(i);
        for (var c = 0u; c < COLLIDERS; c++) {
            let depth = max(own.y - grip_distance(grip, c, collider_at(c), xi).d, 0.0);
            energy += 0.5 * own.x * depth * depth;
        }
        if grip.limit > 0.0 { energy += grip_value(grip, xi); }
    }
    return energy;
}

@compute @workgroup_size(GROUP)
fn start(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    var mine = vec2(0.0, 0.0);
    if i < p.n { mine.x = own_energy(i, x[i].xyz); }
    let all = group_reduce(SUM, mine, local, group.z);
    let g = group_index(group, groups);
    if local == 0u && g < group_count(p.n) { partials[p.first + g] = all; }
}

// The same, and the part of it that is energy of motion.
@compute @workgroup_size(GROUP)
fn still(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    var mine = vec2(0.0, 0.0);
    var motion = vec2(0.0, 0.0);
    if i < p.n {
        let d = x[i].xyz - x_tilde[i].xyz;
        mine.x = own_energy(i, x[i].xyz);
        motion.x = 0.5 * inertia[i] * dot(d, d);
    }
    let all = group_reduce(SUM, mine, local, group.z);
    let all_motion = group_reduce(SUM, motion, local, group.z);
    let g = group_index(group, groups);
    if local == 0u && g < group_count(p.n) {
        partials[p.first + g] = all;
        partials[p.others + g] = all_motion;
    }
}

// Energy; ‖∇E‖²; ½ ∇Eᵀ D⁻¹ ∇E with contacts in D; what rounding of x makes; and the force that is left along gravity.
@compute @workgroup_size(GROUP)
fn solution(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    var mine: array<f32, 5>;
    if i < p.n {
        let xi = x[i].xyz;
        let inverse = inv_diagonal[i];
        let g = force(i, xi, inverse > 0.0).gradient;
        var diagonal = touch[TOUCH * i].w + touch[TOUCH * i].x;
        if CONTACTS {
            let grip = grip_of(i);
            if grip.limit > 0.0 { diagonal += grip.limit / grip.sticking; }
            diagonal += bound_by_bodies(i);
        }
        if inverse > 0.0 {
            mine[1] = dot(g, g);
            mine[2] = 0.5 * dot(g, g) / diagonal;
            mine[4] = -dot(g, p.down);
        }
        mine[0] = own_energy(i, xi);
        mine[3] = EPSILON * (EPSILON * diagonal * dot(xi, xi));
    }
    let g = group_index(group, groups);
    let count = group_count(p.n);
    for (var q = 0u; q < 5u; q++) {
        let all = group_reduce(SUM, vec2(mine[q], 0.0), local, group.z);
        if local == 0u && g < count { partials[select(p.others + (q - 1u) * count, p.first, q == 0u) + g] = all; }
    }
}

// Smallest distance of a free vertex from a collider, m.
@compute @workgroup_size(GROUP)
fn gap(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    var mine = neutral(MIN, group.z);
    if i < p.n && inv_diagonal[min(i, p.n - 1u)] > 0.0 {
        for (var c = 0u; c < COLLIDERS; c++) { mine.x = min(mine.x, collider_distance(collider_at(c), x[i].xyz).d); }
    }
    let all = group_reduce(MIN, mine, local, group.z);
    let g = group_index(group, groups);
    if local == 0u && g < group_count(p.n) { partials[p.first + g] = all; }
}
