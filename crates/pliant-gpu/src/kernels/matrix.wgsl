// The matrix A with active contacts on its diagonal: products, Gauss-Seidel by colours, division by the diagonal, and the
// blend of descent where contacts are. Rows are in slices of SLICE, entry by entry; for Gauss-Seidel they are sorted by colour.

struct Parameters {
    // Rows, and the first of them.
    n: u32,
    first: u32,
    omega: f32,
    gamma: f32,
    // 1 where anything may touch.
    touching: u32,
}
var<immediate> p: Parameters;
@group(0) @binding(0) var<storage, read> r: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> z: array<vec4<f32>>;
// Contacts, N/m, two each: xx, yy, zz; yz, xz, xy; only where anything may touch. What the last gradient left: first those that
// are active, then, after those of all vertices, the pushes of the step so far, and these with friction.
@group(0) @binding(2) var<storage, read> contact: array<vec4<f32>>;
// First entry and width of a slice.
@group(0) @binding(3) var<storage, read> slices: array<vec2<u32>>;
// Column and the bits of the value.
@group(0) @binding(4) var<storage, read> entries: array<vec2<u32>>;
// Vertex of each row, NOBODY where a slice is padded.
@group(0) @binding(5) var<storage, read> vertices: array<u32>;
// 1/D, m/N; 0 where held.
@group(0) @binding(6) var<storage, read> inverse: array<f32>;
// Where `descend` starts.
@group(0) @binding(7) var<storage, read> x: array<vec4<f32>>;

const NOBODY: u32 = 0xffffffffu;

@compute @workgroup_size(GROUP)
fn divide(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    z[i] = vec4(divided(contact_of(i), inverse[i], r[i].xyz), 0.0);
}

// z = A r
@compute @workgroup_size(GROUP)
fn multiply(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    let slice = slices[i / SLICE];
    var sum = sym_times(contact_of(i), r[i].xyz);
    for (var k = 0u; k < slice.y; k++) {
        let entry = entries[slice.x + k * SLICE + i % SLICE];
        sum += r[entry.x].xyz * bitcast<f32>(entry.y);
    }
    z[i] = vec4(sum, 0.0);
}

// z += ω (r - A z)/D for the vertices of one colour, which have no neighbours of the same colour.
@compute @workgroup_size(GROUP)
fn gauss_seidel(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let k = index(group, groups, local);
    if k >= p.n { return; }
    let row = p.first + k;
    let i = vertices[row];
    if i == NOBODY { return; }
    let slice = slices[row / SLICE];
    let own = z[i].xyz;
    let touched = contact_of(i);
    var sum = sym_times(touched, own);
    for (var e = 0u; e < slice.y; e++) {
        let entry = entries[slice.x + e * SLICE + row % SLICE];
        sum += z[entry.x].xyz * bitcast<f32>(entry.y);
    }
    z[i] = vec4(own + divided(touched, inverse[i], r[i].xyz - sum) * p.omega, 0.0);
}

// z, the iterate before x, becomes the next one from the candidate x - r; momentum is for motion along contacts.
@compute @workgroup_size(GROUP)
fn descend(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    let xi = x[i].xyz;
    let before = z[i].xyz;
    let next = before + (xi - r[i].xyz * p.gamma - before) * p.omega;
    z[i] = vec4(without_momentum(contact_of(p.n + i), xi - r[i].xyz, next), 0.0);
}
