// Twin of friction.rs.

fn stopped_motion(depth: f32, motion: f32) -> f32 {
    return max(min(motion, depth * 10.0), depth);
}

// Friction of one vertex in one step; its limit is 0 where nothing touches.
struct Grip {
    anchor: vec3<f32>,
    limit: f32,
    normal: vec3<f32>,
    // A slip below this is none, m.
    sticking: f32,
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
