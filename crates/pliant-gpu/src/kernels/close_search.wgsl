// The search for contacts, second half: each vertex looks for triangles, or each edge for edges, and keeps the nearest few.
// The constants EDGES, which of both, and SLOTS, how many are kept, come from Rust.

@group(0) @binding(6) var<storage, read> facings: array<vec4<f32>>;
// As in close_place.wgsl.
@group(0) @binding(7) var<storage, read> extents: array<u32>;
@group(0) @binding(8) var<storage, read> cells: array<u32>;
@group(0) @binding(9) var<storage, read> places: array<vec2<u32>>;
@group(0) @binding(10) var<storage, read> sorted: array<Box>;
// What was found, SLOTS of each vertex of the surface, then of each edge, nearest first: triangle or edge, its closest part
// (two words), clearance; and how many, one more than SLOTS if some were left out.
@group(0) @binding(11) var<storage, read_write> slots: array<vec4<u32>>;
@group(0) @binding(12) var<storage, read_write> counts: array<u32>;
// How many are kept; scanned, where they end in the row of all contacts.
@group(0) @binding(13) var<storage, read_write> ends: array<u32>;

var<private> nearest: array<vec4<u32>, SLOTS>;
var<private> found: u32;
// Boxes that overlap, by their places, before they are looked at: all invocations scan, and then all look, instead of each
// waiting for the others whenever one has found something.
const PENDING: u32 = 96u;
var<private> pending: array<u32, PENDING>;
var<private> waiting: u32;

// Nearest first; the order is the same however they were found.
fn precedes(a: vec4<u32>, b: vec4<u32>) -> bool {
    let mine = bitcast<f32>(a.w);
    let other = bitcast<f32>(b.w);
    return mine < other || (mine == other && a.x < b.x);
}

// Keeps what was found, unless nearer ones fill the list.
fn keep(slot: vec4<u32>) {
    var len = min(found, SLOTS);
    var same = 0u;
    while same < len && any(nearest[same].yz != slot.yz) { same++; }
    if same < len {
        if !precedes(slot, nearest[same]) { return; }
        len--;
        for (var k = same; k < len; k++) { nearest[k] = nearest[k + 1u]; }
    } else {
        found = len + 1u;
    }
    if len == SLOTS {
        if !precedes(slot, nearest[SLOTS - 1u]) { return; }
        len--;
    }
    var place = len;
    while place > 0u && precedes(slot, nearest[place - 1u]) {
        nearest[place] = nearest[place - 1u];
        place--;
    }
    nearest[place] = slot;
}

// Who looks, and from where.
struct Looking {
    // Vertex or edge.
    who: u32,
    // Its box.
    low: vec3<f32>,
    motion: f32,
    high: vec3<f32>,
    // Its level, and where the boxes of its cell begin and end: of a pair of edges the one in the finer level looks for the
    // other, in one level the one in the earlier cell, in one cell the one with the lower number.
    level: u32,
    begin: u32,
    end: u32,
}

// Looks at all that is pending.
fn look_at_pending(me: Looking) {
    for (var k = 0u; k < waiting; k++) {
        let placed = sorted[pending[k]];
        let other = placed.tag & BELOW_LEVEL;
        var near = FAR;
        if EDGES {
            near = edge_edge(me.who, other, me.motion + placed.motion);
        } else {
            near = vertex_triangle(me.who, other, me.motion + placed.motion);
        }
        if near.counts { keep(vec4(other, near.part, bitcast<u32>(near.clearance))); }
    }
    waiting = 0u;
}

// Finds the boxes of cells `first` to `last`, of a level, that overlap its own.
fn look_through(me: Looking, level: u32, first: u32, last: u32) {
    var k = cells[first];
    if EDGES && level == me.level { k = max(k, me.begin); }
    let end = cells[last + 1u];
    for (; k < end; k++) {
        let placed = sorted[k];
        if any(placed.low > me.high) || any(me.low > placed.high) { continue; }
        if EDGES {
            // Cells of other levels may have the same hash, and then would be seen from both sides.
            if (placed.tag >> LEVEL_SHIFT) != level { continue; }
            if level == me.level && k < me.end && (placed.tag & BELOW_LEVEL) <= me.who { continue; }
        }
        if waiting == PENDING { look_at_pending(me); }
        pending[waiting] = k;
        waiting++;
    }
}

// Looks at all boxes of a level that may overlap its own.
fn look_at(me: Looking, level: u32, base: f32, half_extent: f32) {
    let rounding = (abs(me.low.x) + abs(me.low.y) + abs(me.low.z)) * EPSILON * 4.0;
    let slack = vec3(half_extent * 1.001 + rounding);
    let scale = grid_scale(base, level);
    let first = grid_cell(me.low - slack, scale);
    let last = grid_cell(me.high + slack, scale);
    let mask = select(p.triangle_cells, p.edge_cells, EDGES) - 1u;
    let table = select(0u, p.triangle_cells, EDGES);
    let reach_y = min(last.y, first.y + ROWS);
    let reach_z = min(last.z, first.z + ROWS);
    let along = min(bitcast<u32>(last.x - first.x), mask);
    for (var z = first.z; z <= reach_z; z++) {
        for (var y = first.y; y <= reach_y; y++) {
            let begin = (grid_row(y, z, level) + bitcast<u32>(first.x)) & mask;
            let end = begin + along;
            look_through(me, level, table + begin, table + min(end, mask));
            // The table is a ring.
            if end > mask { look_through(me, level, table, table + end - mask - 1u); }
        }
    }
}

@compute @workgroup_size(GROUP)
fn search(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let number = index(group, groups, local);
    if number >= p.n { return; }
    found = 0u;
    waiting = 0u;
    let margins = box_margins(bitcast<f32>(extents[0]));
    let base = box_base(select(margins.x, margins.y, EDGES));
    var me = Looking(number, vec3(0.0), 0.0, vec3(-1.0), 0u, 0u, 0u);
    var is_there = false;
    if EDGES {
        let place = places[p.triangles + number];
        is_there = place.x != NOWHERE;
        if is_there {
            let own = sorted[place.y];
            let cell = place.x & BELOW_LEVEL;
            me = Looking(number, own.low, own.motion, own.high, place.x >> LEVEL_SHIFT, cells[cell], cells[cell + 1u]);
        }
    } else {
        let v = around[p.owners_at + number];
        let at = x[v].xyz;
        is_there = is_finite_point(at);
        me = Looking(v, at, motion_of(v), at, 0u, 0u, 0u);
    }
    if is_there {
        for (var level = me.level; level < LEVELS; level++) {
            let extent = extents[1u + level + select(0u, LEVELS, EDGES)];
            if extent > 0u { look_at(me, level, base, bitcast<f32>(extent)); }
        }
        look_at_pending(me);
    }
    let owner = number + select(0u, p.owners, EDGES);
    let len = min(found, SLOTS);
    for (var k = 0u; k < len; k++) { slots[owner * SLOTS + k] = nearest[k]; }
    counts[owner] = found;
    ends[owner] = len;
}
