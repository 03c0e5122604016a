// What the search for contacts between bodies knows: parameters and buffers that all its kernels have.

struct Parameters {
    // Invocations.
    n: u32,
    // Vertices of the model; those of the surface, its triangles and its edges.
    vertices: u32,
    owners: u32,
    triangles: u32,
    edges: u32,
    // Where the vertices of the surface begin in `around`.
    owners_at: u32,
    // Cells of triangles and of edges; powers of two.
    triangle_cells: u32,
    edge_cells: u32,
    // How far is looked, how deep in solids, and how large boxes of the finest level are, m.
    reach: f32,
    deepest: f32,
    base: f32,
}
var<immediate> p: Parameters;

@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> x_tilde: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> triangles: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> edges: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> surface: array<SurfaceVertex>;
@group(0) @binding(5) var<storage, read> around: array<u32>;

// How much larger a box is than what it is around, m, if that is so thick and may go so far: its part of the distance at which a
// pair is found.
fn box_margin(half: f32, motion: f32) -> f32 {
    return half + max(motion, 0.5 * p.deepest);
}
