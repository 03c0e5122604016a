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
    // How far is looked, how deep in solids, half of the largest gap, and how large boxes usually are, m.
    reach: f32,
    deepest: f32,
    largest_half: f32,
    usual_extent: f32,
}
var<immediate> p: Parameters;

@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> x_tilde: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> triangles: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> edges: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> surface: array<SurfaceVertex>;
@group(0) @binding(5) var<storage, read> around: array<u32>;

// Levels of cells that are finer than what is usual.
const FINER: f32 = 64.0;

// How much larger boxes of triangles and of edges are, m, where the fastest vertex goes so far.
fn box_margins(fastest: f32) -> vec2<f32> {
    let extra = max(min(p.reach, fastest + fastest), p.deepest);
    return vec2(p.largest_half + extra, 0.5 * extra);
}

// How large boxes of the finest level are, m.
fn box_base(margin: f32) -> f32 {
    return max((p.usual_extent + 2.0 * (p.largest_half + margin)) / FINER, 1.1e-19);
}
