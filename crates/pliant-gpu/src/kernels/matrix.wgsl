// The matrix A with active contacts on its diagonal: products, Gauss-Seidel by colours, division by the diagonal. Rows are
// in slices of SLICE, entry by entry; for Gauss-Seidel they are sorted by colour.

struct Parameters {
    // Rows, and the first of them.
    n: u32,
    first: u32,
    omega: f32,
}
var<immediate> p: Parameters;
@group(0) @binding(0) var<storage, read> r: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> z: array<vec4<f32>>;
// Active contacts, N/m, and 1/(D + contacts), m/N: what the last gradient left.
@group(0) @binding(2) var<storage, read> contact: array<vec2<f32>>;
// First entry and width of a slice.
@group(0) @binding(3) var<storage, read> slices: array<vec2<u32>>;
// Column and the bits of the value.
@group(0) @binding(4) var<storage, read> entries: array<vec2<u32>>;
// Vertex of each row, NOBODY where a slice is padded.
@group(0) @binding(5) var<storage, read> vertices: array<u32>;

const SLICE: u32 = 32u;
const NOBODY: u32 = 0xffffffffu;

@compute @workgroup_size(GROUP)
fn divide(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    z[i] = vec4(r[i].xyz * contact[i].y, 0.0);
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
    var sum = r[i].xyz * contact[i].x;
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
    var sum = own * contact[i].x;
    for (var e = 0u; e < slice.y; e++) {
        let entry = entries[slice.x + e * SLICE + row % SLICE];
        sum += z[entry.x].xyz * bitcast<f32>(entry.y);
    }
    z[i] = vec4(own + (r[i].xyz - sum) * (p.omega * contact[i].y), 0.0);
}
