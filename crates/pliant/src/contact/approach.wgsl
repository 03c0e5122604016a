// Twin of approach.rs.

// Normals that enclose less than 60° look to the same side.
const SAME_SIDE: f32 = 0.5;
// What is above its thickness by no more than that and this, m, or inside by no more, lay on the surface.
const LYING: f32 = 1e-4;

struct Approach {
    // Whether the vertex is about to go inside or was pressed on the surface; nothing else counts if not.
    touches: bool,
    // Whether it is about to go inside.
    comes: bool,
    face: bool,
    anchor: vec3<f32>,
    normal: vec3<f32>,
    stopped: f32,
    depth: f32,
}

fn collider_approach(c: Collider, start: vec3<f32>, goal: vec3<f32>, thickness: f32, h: f32) -> Approach {
    var out: Approach;
    let nearest = with_unit_normal(c, collider_distance(c, goal));
    let carried = start + collider_velocity_at(c, start) * h;
    if nearest.d >= thickness + length(goal - carried) { return out; }
    let side = with_unit_normal(c, collider_distance(c, carried));
    let lay = abs(side.d - thickness * 0.5) < thickness * 1.5 + LYING;
    let face = u32(c.kind) != COLLIDER_GRID && lay && dot(nearest.normal, side.normal) <= SAME_SIDE;
    let inside = thickness - select(nearest.d, side.d + dot(side.normal, goal - carried), face);
    out.comes = nearest.d < thickness && inside > 0.0;
    out.anchor = carried - side.normal * side.d;
    out.normal = side.normal;
    out.depth = clamp(thickness - side.d, 0.0, thickness);
    out.touches = out.comes || out.depth > 0.0;
    if out.comes {
        out.face = face;
        out.stopped = max(min(dot(carried - goal, side.normal), inside * 10.0), inside);
    }
    return out;
}
