// One symmetric V-cycle on a hierarchy of A, level by level; twin of device/cpu/multigrid.rs. Rows are in slices of SLICE,
// entry by entry, as in matrix.wgsl. Rust puts before it the sums over rows (row_sum.wgsl): `sum_r`, `sum_z`, and
// `sum_diagonal` and `sum_off` of contacts, with entries that have no sign.

struct Parameters {
    n: u32,
    // omega of the level that is swept.
    omega: f32,
    // What bounds the rows of the interpolation.
    interpolation_norm: f32,
    // 1 where anything may touch.
    touching: u32,
    // Where the contacts start.
    first: u32,
}
var<immediate> p: Parameters;
// Right-hand side of the level; for `restricted` the residual of the finer one, for `corrected` the solution so far.
@group(0) @binding(0) var<storage, read> r: array<vec4<f32>>;
// Contacts, N/m, two each: xx, yy, zz; yz, xz, xy. Of the level; for `restricted` those of the finer one.
@group(0) @binding(1) var<storage, read> contact: array<vec4<f32>>;
// First entry and width of a slice of the matrix, the interpolation or the restriction.
@group(0) @binding(2) var<storage, read> slices: array<vec2<u32>>;
// Column and the bits of the value.
@group(0) @binding(3) var<storage, read> entries: array<vec2<u32>>;
// The solution of the coarser level, or this one's so far.
@group(0) @binding(4) var<storage, read> z: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> out: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> out_contact: array<vec4<f32>>;
// 1/D of the level, m/N; 0 where held.
@group(0) @binding(7) var<storage, read> inverse: array<f32>;
@group(0) @binding(8) var<storage, read_write> out_r: array<vec4<f32>>;

// A sweep from zero on the finest level.
@compute @workgroup_size(GROUP)
fn swept(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    out[i] = vec4(divided(contact_of(p.first + i), inverse[i], r[i].xyz) * p.omega, 0.0);
}

// What is left of r.
@compute @workgroup_size(GROUP)
fn residual(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    let row = sum_z(slices[i / SLICE], i % SLICE).xyz;
    out[i] = vec4(left_of(r[i].xyz, contact_of(p.first + i), z[i].xyz, row), 0.0);
}

// The residual and the contacts for the next level, and a sweep from zero there.
@compute @workgroup_size(GROUP)
fn restricted(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    let slice = slices[i / SLICE];
    let right = sum_r(slice, i % SLICE).xyz;
    let touched = restricted_contact(slice, i % SLICE, p.interpolation_norm);
    if p.touching != 0u {
        out_contact[2u * i] = vec4(touched.diagonal, 0.0);
        out_contact[2u * i + 1u] = vec4(touched.off, 0.0);
    }
    out_r[i] = vec4(right, 0.0);
    out[i] = vec4(divided(touched, inverse[i], right) * p.omega, 0.0);
}

// The solution so far and the correction of the next level.
@compute @workgroup_size(GROUP)
fn corrected(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    out[i] = vec4(r[i].xyz + sum_z(slices[i / SLICE], i % SLICE).xyz, 0.0);
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
    let zi = z[i].xyz;
    let touched = contact_of(p.first + i);
    let left = left_of(r[i].xyz, touched, zi, sum_z(slices[i / SLICE], i % SLICE).xyz);
    out[i] = vec4(zi + divided(touched, inverse[i], left) * p.omega, 0.0);
}
