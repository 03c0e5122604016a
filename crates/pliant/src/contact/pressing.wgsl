// Twin of pressing.rs.

struct Pressing {
    contact: f32,
    stopped: f32,
    inertia: f32,
    stopping: vec3<f32>,
    side: vec3<f32>,
    motion: vec3<f32>,
}

// Normals that cancel to less than this part of their sum have no common side.
const ONE_SIDE: f32 = 0.1;

fn pressing_direction(own: Pressing) -> vec3<f32> {
    return unit_or(own.side, vec3(0.0));
}

// `pushed` is what other colliders push with against this one, N.
fn pressed_by(own: Pressing, pushed: f32, is_held: bool) -> f32 {
    if own.inertia <= 0.0 { return 0.0; }
    let by_contact = (own.contact - own.stopped) / own.inertia;
    let side = length(own.side);
    if is_held || side <= own.inertia * ONE_SIDE { return max(by_contact, 0.0); }
    let by_motion = (dot(pressing_direction(own), own.motion - own.stopping) + pushed) / side;
    return max(min(by_motion, by_contact * 2.0), 0.0);
}
