// What the parts of ∇E of one vertex are made from, and those of springs and constant Hessians (the rows). Rows are in slices
// of SLICE vertices, entry by entry; see `rows.rs`. contacts.wgsl has those of contacts.

@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
// Inertial target with the targets of spring pins averaged in, m; w: m/h² plus stiffness of spring pins, N/m.
@group(0) @binding(1) var<storage, read> x_pull: array<vec4<f32>>;
// 1/D, m/N; 0 where held.
@group(0) @binding(2) var<storage, read> inv_diagonal: array<f32>;
// First entry, springs, others, first pull.
@group(0) @binding(3) var<storage, read> slices: array<vec4<u32>>;
// Neighbour, with AFTER set if it comes after the vertex in the model, and the bits of c.
@group(0) @binding(4) var<storage, read> entries: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read> pulls: array<f32>;
@group(0) @binding(6) var<storage, read> slots: array<vec4<f32>>;
// Slots of vertex i: slots[slot_offsets[i]..slot_offsets[i + 1]].
@group(0) @binding(7) var<storage, read> slot_offsets: array<u32>;
@group(0) @binding(8) var<storage, read> colliders: array<vec4<f32>>;
// Of vertex i at TOUCH i: contact stiffness, N/m; thickness, m; 1/m, 1/kg, 0 where held; D, N/m. Where anything may touch,
// friction with colliders after it: anchor, m, and limit, N; normal, and the collider of which the plane there counts, or COMES
// or LIES.
@group(0) @binding(9) var<storage, read> touch: array<vec4<f32>>;

const AFTER: u32 = 0x80000000u;

fn row_force(i: u32, xi: vec3<f32>) -> vec3<f32> {
    let slice = slices[i / SLICE];
    var g = vec3<f32>(0.0);
    var at = slice.x + i % SLICE;
    var pull_at = slice.w + i % SLICE;
    // Two at a time: loads that do not depend on each other overlap.
    for (var k = 0u; k + 1u < slice.y; k += 2u) {
        let e0 = entries[at];
        let e1 = entries[at + SLICE];
        let s0 = pulls[pull_at];
        let s1 = pulls[pull_at + SLICE];
        let x0 = x[e0.x & ~AFTER].xyz;
        let x1 = x[e1.x & ~AFTER].xyz;
        g += spring_force(bitcast<f32>(e0.y), s0, (e0.x & AFTER) != 0u, xi - x0);
        g += spring_force(bitcast<f32>(e1.y), s1, (e1.x & AFTER) != 0u, xi - x1);
        at += 2u * SLICE;
        pull_at += 2u * SLICE;
    }
    if (slice.y & 1u) != 0u {
        let e = entries[at];
        g += spring_force(bitcast<f32>(e.y), pulls[pull_at], (e.x & AFTER) != 0u, xi - x[e.x & ~AFTER].xyz);
        at += SLICE;
    }
    for (var k = 0u; k + 1u < slice.z; k += 2u) {
        let e0 = entries[at];
        let e1 = entries[at + SLICE];
        let x0 = x[e0.x & ~AFTER].xyz;
        let x1 = x[e1.x & ~AFTER].xyz;
        g += bitcast<f32>(e0.y) * (xi - x0);
        g += bitcast<f32>(e1.y) * (xi - x1);
        at += 2u * SLICE;
    }
    if (slice.z & 1u) != 0u {
        let e = entries[at];
        g += bitcast<f32>(e.y) * (xi - x[e.x & ~AFTER].xyz);
    }
    return g;
}
