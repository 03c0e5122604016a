// The coarse levels of a V-cycle, all in one workgroup: a dispatch per pass would cost more than the pass. The same passes
// as in multigrid.wgsl, with all levels one after the other in the same buffers; columns of entries count from the first
// unknown of all. Rust puts the sums over rows before it: `sum_scratch`, `sum_z`, and `sum_diagonal` and `sum_off` of contacts.

struct Parameters {
    levels: u32,
    // 1 where anything may touch.
    touching: u32,
}
var<immediate> p: Parameters;
struct Level {
    // Unknowns, and the first of them.
    n: u32,
    first: u32,
    // First slices of the matrix, the interpolation from the next level, and the restriction to it.
    matrix: u32,
    interpolation: u32,
    restriction: u32,
    omega: f32,
    interpolation_norm: f32,
    padding: u32,
}
@group(0) @binding(0) var<storage, read> levels: array<Level>;
@group(0) @binding(1) var<storage, read> slices: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> entries: array<vec2<u32>>;
// 1/D, m/N; 0 where held.
@group(0) @binding(3) var<storage, read> inverse: array<f32>;
// Contacts, N/m, two each: xx, yy, zz; yz, xz, xy. Those of the first level, its right-hand side and its solution after a
// sweep are there already.
@group(0) @binding(4) var<storage, read_write> contact: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> r: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> scratch: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> z: array<vec4<f32>>;

fn slice_of(first: u32, i: u32) -> vec2<u32> {
    return slices[first + i / SLICE];
}

@compute @workgroup_size(GROUP)
fn coarse(@builtin(local_invocation_index) local: u32) {
    for (var k = 0u; k + 1u < p.levels; k++) {
        let fine = levels[k];
        let next = levels[k + 1u];
        for (var i = local; i < fine.n; i += GROUP) {
            let at = fine.first + i;
            let row = sum_z(slice_of(fine.matrix, i), i % SLICE).xyz;
            scratch[at] = vec4(left_of(r[at].xyz, contact_of(at), z[at].xyz, row), 0.0);
        }
        storageBarrier();
        for (var i = local; i < next.n; i += GROUP) {
            let at = next.first + i;
            let slice = slice_of(fine.restriction, i);
            let right = sum_scratch(slice, i % SLICE).xyz;
            let touched = restricted_contact(slice, i % SLICE, fine.interpolation_norm);
            if p.touching != 0u {
                contact[2u * at] = vec4(touched.diagonal, 0.0);
                contact[2u * at + 1u] = vec4(touched.off, 0.0);
            }
            r[at] = vec4(right, 0.0);
            z[at] = vec4(divided(touched, inverse[at], right) * next.omega, 0.0);
        }
        storageBarrier();
    }
    for (var k = p.levels - 1u; k > 0u; k--) {
        let fine = levels[k - 1u];
        for (var i = local; i < fine.n; i += GROUP) {
            let at = fine.first + i;
            scratch[at] = vec4(z[at].xyz + sum_z(slice_of(fine.interpolation, i), i % SLICE).xyz, 0.0);
        }
        storageBarrier();
        for (var i = local; i < fine.n; i += GROUP) {
            let at = fine.first + i;
            let zi = scratch[at].xyz;
            let touched = contact_of(at);
            let left = left_of(r[at].xyz, touched, zi, sum_scratch(slice_of(fine.matrix, i), i % SLICE).xyz);
            z[at] = vec4(zi + divided(touched, inverse[at], left) * fine.omega, 0.0);
        }
        storageBarrier();
    }
}
