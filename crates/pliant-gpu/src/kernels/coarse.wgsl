// The coarse levels of a V-cycle, all in one workgroup: a dispatch per pass would cost more than the pass. The same passes
// as in multigrid.wgsl, with all levels one after the other in the same buffers; columns of entries count from the first
// unknown of all. Rust puts the sums over rows before it: `sum_steps`, `sum_scratch` with the contacts in w, `sum_z`.

struct Parameters {
    levels: u32,
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
@group(0) @binding(3) var<storage, read> divisor: array<f32>;
// Contacts, N/m, and 1/(D + contacts), m/N; those of the first level and its right-hand side are there already.
@group(0) @binding(4) var<storage, read_write> contact: array<vec2<f32>>;
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
            let own = contact[fine.first + i];
            let ri = r[fine.first + i].xyz;
            let product = ri * (own.x * own.y) + sum_steps(slice_of(fine.matrix, i), i % SLICE).xyz;
            scratch[fine.first + i] = vec4(ri - product * fine.omega, own.x);
        }
        storageBarrier();
        for (var i = local; i < next.n; i += GROUP) {
            let sum = sum_scratch(slice_of(fine.restriction, i), i % SLICE);
            let touch = fine.interpolation_norm * sum.w;
            r[next.first + i] = vec4(sum.xyz, 0.0);
            contact[next.first + i] = vec2(touch, 1.0 / (divisor[next.first + i] + touch));
        }
        storageBarrier();
    }
    let last = levels[p.levels - 1u];
    for (var i = local; i < last.n; i += GROUP) {
        z[last.first + i] = r[last.first + i] * (last.omega * contact[last.first + i].y);
    }
    storageBarrier();
    for (var k = p.levels - 1u; k > 0u; k--) {
        let fine = levels[k - 1u];
        for (var i = local; i < fine.n; i += GROUP) {
            let step = r[fine.first + i].xyz * (fine.omega * contact[fine.first + i].y);
            scratch[fine.first + i] = vec4(step + sum_z(slice_of(fine.interpolation, i), i % SLICE).xyz, 0.0);
        }
        storageBarrier();
        for (var i = local; i < fine.n; i += GROUP) {
            let own = contact[fine.first + i];
            let zi = scratch[fine.first + i].xyz;
            let product = zi * own.x + sum_scratch(slice_of(fine.matrix, i), i % SLICE).xyz;
            z[fine.first + i] = vec4(zi + (r[fine.first + i].xyz - product) * (fine.omega * own.y), 0.0);
        }
        storageBarrier();
    }
}
