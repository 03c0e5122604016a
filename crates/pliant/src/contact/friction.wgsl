// Twin of friction.rs.

// Friction of one vertex in one step; its limit is 0 where nothing touches.
struct Grip {
    anchor: vec3<f32>,
    limit: f32,
    normal: vec3<f32>,
    // Number of the collider of which the plane through the anchor counts; -1 if none.
    face: f32,
    // A slip below this is none, m.
    sticking: f32,
}

// Friction is at most so many times as stiff as the contact that causes it.
const STIFFEST: f32 = 48.0;

// The slip that counts as none, m, and is at least `least`.
fn grip_sticking(limit: f32, contact_stiffness: f32, least: f32) -> f32 {
    return max(least, limit / (contact_stiffness * STIFFEST));
}

// Signed distance of a vertex at x from collider number k, and its gradient there.
fn grip_distance(grip: Grip, k: u32, collider: Collider, x: vec3<f32>) -> Distance {
    if grip.face == f32(k) { return Distance(dot(grip.normal, x - grip.anchor), grip.normal); }
    return collider_distance(collider, x);
}

fn grip_slip(grip: Grip, x: vec3<f32>) -> vec3<f32> {
    let moved = x - grip.anchor;
    return moved - grip.normal * dot(moved, grip.normal);
}

// Work against friction, J.
fn grip_value(grip: Grip, x: vec3<f32>) -> f32 {
    let u = length(grip_slip(grip, x));
    return grip.limit * select(0.5 * u * u / grip.sticking, u - 0.5 * grip.sticking, u > grip.sticking);
}

// F/max(‖u‖, ε), N/m: times the slip it is the force.
fn grip_stiffness(grip: Grip, slip: vec3<f32>) -> f32 {
    return grip.limit / max(length(slip), grip.sticking);
}

/// The displacement of a vertex relative to the surface, with its tangential part shortened by friction, m.
fn limit_slip(relative: vec3<f32>, normal: vec3<f32>, pushed: f32, friction: f32) -> vec3<f32> {
    let along = normal * dot(relative, normal);
    let slip = relative - along;
    let slid = length(slip);
    let kept = slid - friction * pushed;
    return along + slip * select(0.0, kept / max(slid, TINY), kept > 0.0);
}
