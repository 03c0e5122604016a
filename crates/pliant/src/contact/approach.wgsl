// Twin of approach.rs.

// Normals that enclose less than 60° look to the same side.
const SAME_SIDE: f32 = 0.5;
// What is within its thickness of a surface and this, m, on either side lies on it.
const LYING: f32 = 1e-4;

struct Approach {
    // Whether the vertex is about to go inside; nothing else counts if not.
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
    if nearest.d >= thickness { return out; }
    let carried = start + collider_velocity_at(c, start) * h;
    let side = with_unit_normal(c, collider_distance(c, carried));
    let lay = abs(side.d - thickness * 0.5) < thickness * 1.5 + LYING;
    out.face = u32(c.kind) != COLLIDER_GRID && lay && dot(nearest.normal, side.normal) <= SAME_SIDE;
    let inside = thickness - select(nearest.d, side.d + dot(side.normal, goal - carried), out.face);
    out.comes = inside > 0.0;
    out.anchor = carried - side.normal * side.d;
    out.normal = side.normal;
    out.stopped = max(min(dot(carried - goal, side.normal), inside * 10.0), inside);
    out.depth = clamp(thickness - side.d, 0.0, thickness);
    return out;
}
