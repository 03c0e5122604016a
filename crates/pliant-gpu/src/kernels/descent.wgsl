// An iteration of descent in one pass, where nothing can touch anything: the force, divided by the blocks of scale.wgsl, and
// Chebyshev's blend. Follows slots.wgsl.

struct Parameters {
    n: u32,
    omega: f32,
    gamma: f32,
}
var<immediate> p: Parameters;
// x⁻, which becomes x⁺.
@group(0) @binding(12) var<storage, read_write> out_field: array<vec4<f32>>;
// P⁻¹ in two vectors each: xx, yy, zz; yz, xz, xy; 0 where held.
@group(0) @binding(13) var<storage, read> inverses: array<vec4<f32>>;
@group(0) @binding(14) var<storage, read_write> partials: array<vec2<f32>>;

// Moves vertex i; returns its part of ∇Eᵀ P⁻¹ ∇E.
fn descend_one(i: u32) -> f32 {
    // What does not depend on forces is on its way while they are summed.
    let diagonal = inverses[2u * i].xyz;
    let off = inverses[2u * i + 1u].xyz;
    let before = out_field[i].xyz;
    let xi = x[i].xyz;
    let g = force(i, xi, inv_diagonal[i] > 0.0).gradient;
    let step = sym_times(Sym3(diagonal, off), g);
    out_field[i] = vec4(before + p.omega * (xi - p.gamma * step - before), 0.0);
    return dot(g, step);
}

@compute @workgroup_size(GROUP)
fn descend(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i < p.n { _ = descend_one(i); }
}

// The same with the partials of ∇Eᵀ P⁻¹ ∇E.
@compute @workgroup_size(GROUP)
fn descend_residual(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    var mine = vec2(0.0, 0.0);
    if i < p.n { mine.x = descend_one(i); }
    let all = group_reduce(SUM, mine, local, group.z);
    let g = group_index(group, groups);
    if local == 0u && g < group_count(p.n) { partials[g] = all; }
}
