// Twin of pairs.rs: which pairs count. Follows closest.wgsl and facing.wgsl.

// What of the surface is near, by numbers: buffers of these names are in the module that uses this.
//   x: array<vec4<f32>>                 where the step begins, m
//   x_tilde: array<vec4<f32>>           where it would end if nothing were in the way, m
//   triangles: array<vec4<u32>>         corners
//   edges: array<vec4<u32>>             ends, and both triangles; NONE where there are not two
//   surface: array<SurfaceVertex>
//   around: array<u32>                  triangles round vertices
//   facings: array<vec4<f32>>           of vertices, then of edges
// and `p.vertices`, how many there are, `p.reach` and `p.deepest`, m.
struct SurfaceVertex {
    // m
    rest: vec3<f32>,
    // Half the thickness, m.
    half: f32,
    body: u32,
    flags: u32,
    // Triangles round it.
    first: u32,
    end: u32,
}

const HEM: u32 = 1u;
const SOLID: u32 = 2u;

const NONE: u32 = 0xffffffffu;
const NEIGHBOURS: f32 = 1.01;
const LEVEL: f32 = 1e-3;
const TURNED: f32 = 0.999;

// A pair, if it counts.
struct Near {
    counts: bool,
    // The closest part: an edge by its vertices, a corner by one of them twice, or the whole of the other and NONE.
    part: vec2<u32>,
    // Distance less the gap to keep, m.
    clearance: f32,
}

const FAR: Near = Near(false, vec2(NONE, NONE), 0.0);

fn is_at_hem(i: u32) -> bool {
    return (surface[i].flags & HEM) != 0u;
}

fn is_same_body(i: u32, j: u32) -> bool {
    return surface[i].body == surface[j].body;
}

// Whether two vertices belong to different solids.
fn are_solids(i: u32, j: u32) -> bool {
    return (surface[i].flags & surface[j].flags & SOLID) != 0u && !is_same_body(i, j);
}

fn facing_of(k: u32) -> Facing {
    let facing = facings[k];
    return Facing(facing.xyz, facing.w);
}

// Which way the surface faces at vertex v, for something of another body.
fn facing_for(v: u32, other: u32) -> Facing {
    if is_same_body(v, other) { return FACING_ANY; }
    return facing_of(v);
}

// How far vertex i would go, at most `reach`, m.
fn motion_of(i: u32) -> f32 {
    return min(length(x_tilde[i].xyz - x[i].xyz), p.reach);
}

fn face_weights(at: vec2<f32>) -> vec4<f32> {
    return vec4(1.0, at.x + at.y - 1.0, -at);
}

fn edge_weights(at: vec2<f32>) -> vec4<f32> {
    return vec4(1.0 - at.x, at.x, at.y - 1.0, -at.y);
}

// The distance that four vertices keep, m: half a thickness on each side.
fn pair_gap(stencil: vec4<u32>, weight: vec4<f32>) -> f32 {
    let half = vec4(surface[stencil.x].half, surface[stencil.y].half, surface[stencil.z].half, surface[stencil.w].half);
    return dot(half, abs(weight));
}

// Whether points this far apart may come as near as their gap in the step, or are as deep as can be: against the way `out`.
fn is_near(offset: vec3<f32>, gap: f32, motion: f32, out: vec3<f32>) -> bool {
    let deepest = select(0.0, p.deepest, dot(out, offset) < 0.0);
    let limit = gap + max(min(motion, p.reach), deepest);
    return dot(offset, offset) < limit * limit;
}

// The way out of a triangle of a solid for a vertex of another one that faces it, of any length; else zero.
fn out_of_triangle(v: u32, t: u32) -> vec3<f32> {
    if !are_solids(v, triangles[t].x) { return vec3(0.0); }
    let out = triangle_normal(t);
    return select(vec3(0.0), out, dot(facing_of(v).axis, out) < 0.0);
}

// The ends of two edges; the first of both is the first side.
fn edge_stencil(e: u32, f: u32) -> vec4<u32> {
    return vec4(edges[min(e, f)].xy, edges[max(e, f)].xy);
}

// The way out of the second of two edges of solids for the first, if they face each other; else zero.
fn out_of_edges(e: u32, f: u32) -> vec3<f32> {
    let stencil = edge_stencil(e, f);
    if !are_solids(stencil.x, stencil.z) { return vec3(0.0); }
    let first = facing_of(p.vertices + min(e, f)).axis;
    let second = facing_of(p.vertices + max(e, f)).axis;
    return select(vec3(0.0), second - first, dot(first, second) < 0.0);
}

// Which way surfaces face at two edges; the one that is less free is the last.
fn edge_facing(e: u32, f: u32) -> array<Facing, 2> {
    let stencil = edge_stencil(e, f);
    if is_same_body(stencil.x, stencil.z) { return array(FACING_ANY, FACING_ANY); }
    let a = facing_of(p.vertices + min(e, f));
    let b = facing_of(p.vertices + max(e, f));
    if facing_width(a) + LEVEL < facing_width(b) { return array(b, a); }
    return array(a, b);
}

// Whether the surface beyond an edge or a corner comes nearer to the vertex than that: then what is nearer there counts.
fn comes_nearer(v: u32, part: vec2<u32>, offset: vec3<f32>) -> bool {
    let closest = x[v].xyz - offset;
    let size_sq = dot(offset, offset);
    let end = surface[part.x].end;
    for (var k = surface[part.x].first; k < end; k++) {
        let corners = triangles[around[k]].xyz;
        if !any(corners == vec3(part.y)) { continue; }
        for (var c = 0u; c < 3u; c++) {
            let i = corners[c];
            if i == part.x || i == part.y { continue; }
            let along = x[i].xyz - closest;
            let slope = dot(offset, along);
            if slope > 0.0 && slope * slope > size_sq * dot(along, along) * (LEVEL * LEVEL) { return true; }
        }
    }
    return false;
}

// The edge or the corner of a triangle that has all the weight, lower vertex first; NONE if it is inside.
fn border_part(corners: vec3<u32>, weight: vec3<f32>) -> vec2<u32> {
    let has = weight > vec3(0.0);
    if all(has) { return vec2(NONE, NONE); }
    let low = select(vec3(NONE), corners, has);
    let high = select(vec3(0u), corners, has);
    return vec2(min(min(low.x, low.y), low.z), max(max(high.x, high.y), high.z));
}

// A vertex and a triangle; `motion` is how far both may go together, m.
fn vertex_triangle(v: u32, t: u32, motion: f32) -> Near {
    let corners = triangles[t].xyz;
    if any(corners == vec3(v)) { return FAR; }
    let closest = closest_of_triangle(x[v].xyz, x[corners.x].xyz, x[corners.y].xyz, x[corners.z].xyz);
    let gap = pair_gap(vec4(v, corners), face_weights(closest.at.yz));
    if !is_near(closest.offset, gap, motion, out_of_triangle(v, t)) { return FAR; }
    if is_same_body(v, corners.x) {
        let rest = closest_of_triangle(
            surface[v].rest, surface[corners.x].rest, surface[corners.y].rest, surface[corners.z].rest);
        let neighbours = gap * NEIGHBOURS;
        if dot(rest.offset, rest.offset) < neighbours * neighbours { return FAR; }
    }
    var part = border_part(corners, closest.at);
    if part.x == NONE {
        part.x = t;
    } else if facing_is_far_off(facing_for(v, corners.x), closest.offset) || comes_nearer(v, part, closest.offset) {
        return FAR;
    }
    return Near(true, part, length(closest.offset) - gap);
}

// Two edges.
fn edge_edge(owner: u32, other: u32, motion: f32) -> Near {
    let stencil = edge_stencil(owner, other);
    if any(stencil.xy == stencil.zw) || any(stencil.xy == stencil.wz) { return FAR; }
    let closest = segment_crossing(x[stencil.x].xyz, x[stencil.y].xyz, x[stencil.z].xyz, x[stencil.w].xyz);
    if !closest.inside { return FAR; }
    let gap = pair_gap(stencil, edge_weights(closest.at));
    if !is_near(closest.offset, gap, motion, out_of_edges(owner, other)) { return FAR; }
    let facing = edge_facing(owner, other);
    if facing_is_far_off(facing[0], closest.offset) || facing_is_far_off(facing[1], closest.offset) { return FAR; }
    if is_same_body(stencil.x, stencil.z) {
        let apart_sq = segments_apart_sq(
            surface[stencil.x].rest, surface[stencil.y].rest, surface[stencil.z].rest, surface[stencil.w].rest);
        let neighbours = gap * NEIGHBOURS;
        if apart_sq < neighbours * neighbours { return FAR; }
    }
    return Near(true, vec2(other, NONE), length(closest.offset) - gap);
}
