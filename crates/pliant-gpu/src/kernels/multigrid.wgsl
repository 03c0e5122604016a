// One symmetric V-cycle on a hierarchy of A, level by level; twin of device/cpu/multigrid.rs. Rows are in slices of SLICE,
// entry by entry, as in matrix.wgsl. Rust puts before it the sums over rows (row_sum.wgsl): `sum_steps` of entries times
// 1/(D + contacts) times r, `sum_r` with the contacts in w, `sum_z`.

struct Parameters {
    n: u32,
    // omega of the level; for `restricted` what bounds the rows of the interpolation.
    factor: f32,
}
var<immediate> p: Parameters;
// Right-hand side of the level; for `restricted` the residual of the finer one, with its contacts in w.
@group(0) @binding(0) var<storage, read> r: array<vec4<f32>>;
// Contacts of the level, N/m, and 1/(D + contacts), m/N.
@group(0) @binding(1) var<storage, read> contact: array<vec2<f32>>;
// First entry and width of a slice of the matrix, the interpolation or the restriction.
@group(0) @binding(2) var<storage, read> slices: array<vec2<u32>>;
// Column and the bits of the value.
@group(0) @binding(3) var<storage, read> entries: array<vec2<u32>>;
// The solution of the coarser level, or this one's so far.
@group(0) @binding(4) var<storage, read> z: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> out: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> out_contact: array<vec2<f32>>;
// D of the coarser level, N/m.
@group(0) @binding(7) var<storage, read> divisor: array<f32>;

// Contacts of the last gradient; with a factor of 1 also those of the gradients before it in this step.
@compute @workgroup_size(GROUP)
fn covered(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    let now = contact[i];
    let touch = max(now.x, p.factor * out_contact[i].x);
    // Held vertices keep an inverse of 0.
    out_contact[i] = vec2(touch, select(0.0, 1.0 / (divisor[i] + touch), now.y > 0.0));
}

// What is left of r after a sweep from zero.
@compute @workgroup_size(GROUP)
fn residual(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    let own = contact[i];
    let ri = r[i].xyz;
    let product = ri * (own.x * own.y) + sum_steps(slices[i / SLICE], i % SLICE).xyz;
    out[i] = vec4(ri - product * p.factor, own.x);
}

// The residual and the contacts for the next level.
@compute @workgroup_size(GROUP)
fn restricted(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    let sum = sum_r(slices[i / SLICE], i % SLICE);
    let touch = p.factor * sum.w;
    out[i] = vec4(sum.xyz, 0.0);
    out_contact[i] = vec2(touch, 1.0 / (divisor[i] + touch));
}

// The sweep from zero and the correction of the next level, if there is one.
@compute @workgroup_size(GROUP)
fn correct(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    let step = r[i].xyz * (p.factor * contact[i].y);
    out[i] = vec4(step + sum_z(slices[i / SLICE], i % SLICE).xyz, 0.0);
}

// A sweep.
@compute @workgroup_size(GROUP)
fn smoothed(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    let own = contact[i];
    let zi = z[i].xyz;
    let product = zi * own.x + sum_z(slices[i / SLICE], i % SLICE).xyz;
    out[i] = vec4(zi + (r[i].xyz - product) * (p.factor * own.y), 0.0);
}
