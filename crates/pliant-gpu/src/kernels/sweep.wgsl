// The verbs `gradient` and `jacobi`: the local step of springs, the force, the sweep and Chebyshev's blend in one pass.

struct Parameters {
    n: u32,
    omega: f32,
    gamma: f32,
    // 1 for the first gradient of a step.
    fresh: u32,
}
var<immediate> p: Parameters;
// x⁻, which becomes x⁺; or ∇E.
@group(0) @binding(12) var<storage, read_write> out_field: array<vec4<f32>>;
// Of `jacobi_residual`: partials of the residual.
@group(0) @binding(13) var<storage, read_write> partials: array<vec2<f32>>;
// Of `gradient`: blocks of contacts, N/m, two each: xx, yy, zz; yz, xz, xy. First those that are active, then the pushes of the
// step so far, then these with the friction of now.
@group(0) @binding(13) var<storage, read_write> blocks: array<vec4<f32>>;

fn block_at(k: u32) -> Sym3 {
    return Sym3(blocks[2u * k].xyz, blocks[2u * k + 1u].xyz);
}

fn put_block(k: u32, block: Sym3) {
    blocks[2u * k] = vec4(block.diagonal, 0.0);
    blocks[2u * k + 1u] = vec4(block.off, 0.0);
}

@compute @workgroup_size(GROUP)
fn gradient(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    let inverse = inv_diagonal[i];
    let f = force(i, x[i].xyz, inverse > 0.0);
    out_field[i] = vec4(f.gradient, 0.0);
    if CONTACTS {
        var had = covered(sym_add(expected_push(i), coming_bodies(i)), sym_scalar(0.0));
        if p.fresh == 0u { had = block_at(p.n + i); }
        let pushes = covered(f.push, had);
        put_block(i, sym_add(f.push, f.friction));
        put_block(p.n + i, pushes);
        put_block(2u * p.n + i, sym_add(pushes, f.friction));
    }
}

fn next(i: u32, f: Force, step: vec3<f32>, xi: vec3<f32>) {
    out_field[i] = vec4(blended(f, step, xi, out_field[i].xyz, p.omega, p.gamma), 0.0);
}

@compute @workgroup_size(GROUP)
fn jacobi(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    let inverse = inv_diagonal[i];
    let xi = x[i].xyz;
    let f = force(i, xi, inverse > 0.0);
    next(i, f, step_of(f, inverse, touch[TOUCH * i].w), xi);
}

// The same with the partials of ∇Eᵀ D⁻¹ ∇E.
@compute @workgroup_size(GROUP)
fn jacobi_residual(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    var mine = vec2(0.0, 0.0);
    if i < p.n {
        let inverse = inv_diagonal[i];
        let xi = x[i].xyz;
        let f = force(i, xi, inverse > 0.0);
        let step = step_of(f, inverse, touch[TOUCH * i].w);
        mine.x = dot(f.gradient, step);
        next(i, f, step, xi);
    }
    let all = group_reduce(SUM, mine, local, group.z);
    let g = group_index(group, groups);
    if local == 0u && g < group_count(p.n) { partials[g] = all; }
}
