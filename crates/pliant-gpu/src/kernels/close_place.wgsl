// The search for contacts, first half: which way surfaces face, and boxes into cells.

@group(0) @binding(6) var<storage, read_write> facings: array<vec4<f32>>;
// How far the fastest vertex goes, then half the extent of the largest box of each level, of triangles and of edges: bits of
// floats that are not negative.
@group(0) @binding(7) var<storage, read_write> extents: array<atomic<u32>>;
// How many boxes are in each cell, of triangles and then of edges; scanned, where they end; after `scatter`, where they begin.
@group(0) @binding(8) var<storage, read_write> cells: array<atomic<u32>>;
// Of each box: its cell and above it its level, or NOWHERE; and its place among the sorted ones.
@group(0) @binding(9) var<storage, read_write> places: array<vec2<u32>>;
@group(0) @binding(10) var<storage, read_write> sorted: array<Box>;

var<workgroup> largest: array<atomic<u32>, 64>;

fn fastest() -> f32 {
    return bitcast<f32>(atomicLoad(&extents[0]));
}

// How far vertices go and which way the surface faces at them.
@compute @workgroup_size(GROUP)
fn measure_vertices(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let v = index(group, groups, local);
    if local == 0u { atomicStore(&largest[0], 0u); }
    workgroupBarrier();
    if v < p.n {
        let motion = motion_of(v);
        // A number that is not finite goes nowhere.
        if is_finite_point(vec3(motion, 0.0, 0.0)) { atomicMax(&largest[0], bitcast<u32>(motion)); }
        var facing = vec4<f32>(0.0);
        if !is_at_hem(v) {
            var sum = vec3<f32>(0.0);
            var all = 0.0;
            let end = surface[v].end;
            for (var k = surface[v].first; k < end; k++) {
                let normal = triangle_normal(around[k]);
                sum += normal;
                all += length(normal);
            }
            let axis = facing_axis(sum, all);
            if any(axis != vec3(0.0)) {
                var sin = 0.0;
                for (var k = surface[v].first; k < end; k++) {
                    sin = max(sin, facing_sine(axis, triangle_normal(around[k])));
                }
                facing = vec4(axis, sin);
            }
        }
        facings[v] = facing;
    }
    workgroupBarrier();
    if local == 0u { atomicMax(&extents[0], atomicLoad(&largest[0])); }
}

// Which way the surface faces at edges.
@compute @workgroup_size(GROUP)
fn measure_edges(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let e = index(group, groups, local);
    if e >= p.n { return; }
    let sides = edges[e].zw;
    var facing = vec4<f32>(0.0);
    if all(sides != vec2(NONE)) {
        let first = triangle_normal(sides.x);
        let second = triangle_normal(sides.y);
        let axis = facing_axis(first + second, length(first) + length(second));
        if any(axis != vec3(0.0)) { facing = vec4(axis, max(facing_sine(axis, first), facing_sine(axis, second))); }
    }
    facings[p.vertices + e] = facing;
}

// The box of triangle or edge number k; nothing is set in `tag`. What is not finite has no size.
fn box_of(k: u32) -> Box {
    let margins = box_margins(fastest());
    let is_edge = k >= p.triangles;
    var stencil = vec3<u32>(0u);
    if is_edge {
        stencil = edges[k - p.triangles].xyy;
    } else {
        stencil = triangles[k].xyz;
    }
    let a = x[stencil.x].xyz;
    let b = x[stencil.y].xyz;
    let c = x[stencil.z].xyz;
    let half = max(surface[stencil.x].half, max(surface[stencil.y].half, surface[stencil.z].half));
    let motion = max(motion_of(stencil.x), max(motion_of(stencil.y), motion_of(stencil.z)));
    let margin = vec3(select(margins.x, margins.y, is_edge) + half);
    if !(is_finite_point(a) && is_finite_point(b) && is_finite_point(c)) {
        return Box(vec3(0.0), 0.0, vec3(-1.0), NOWHERE);
    }
    return Box(min(a, min(b, c)) - margin, motion, max(a, max(b, c)) + margin, 0u);
}

// How many boxes lie in each cell, and how large those of each level are.
@compute @workgroup_size(GROUP)
fn count(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let k = index(group, groups, local);
    if local < 64u { atomicStore(&largest[local], 0u); }
    workgroupBarrier();
    if k < p.n {
        let own = box_of(k);
        let is_edge = k >= p.triangles;
        let margins = box_margins(fastest());
        let base = box_base(select(margins.x, margins.y, is_edge));
        let extent = largest_component(own.high - own.low);
        var place = NOWHERE;
        let level = select(grid_level(extent, base), NOWHERE, own.tag == NOWHERE);
        if level != NOWHERE {
            let cell = grid_cell(0.5 * (own.low + own.high), grid_scale(base, level));
            let hash = grid_row(cell.y, cell.z, level) + bitcast<u32>(cell.x);
            var at = hash & (p.triangle_cells - 1u);
            if is_edge { at = p.triangle_cells + (hash & (p.edge_cells - 1u)); }
            place = at | (level << LEVEL_SHIFT);
            atomicAdd(&cells[at], 1u);
            // Above 0, which says that there is none.
            atomicMax(&largest[level + select(0u, LEVELS, is_edge)], max(bitcast<u32>(0.5 * extent), 1u));
        }
        places[k] = vec2(place, 0u);
    }
    workgroupBarrier();
    if local < 64u {
        let mine = atomicLoad(&largest[local]);
        if mine > 0u { atomicMax(&extents[1u + local], mine); }
    }
}

// Boxes into their cells.
@compute @workgroup_size(GROUP)
fn scatter(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let k = index(group, groups, local);
    if k >= p.n || places[k].x == NOWHERE { return; }
    let place = places[k].x;
    let at = atomicSub(&cells[place & BELOW_LEVEL], 1u) - 1u;
    var own = box_of(k);
    let number = select(k, k - p.triangles, k >= p.triangles);
    own.tag = number | (place & ~BELOW_LEVEL);
    sorted[at] = own;
    places[k].y = at;
}
