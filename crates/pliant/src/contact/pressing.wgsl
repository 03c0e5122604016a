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

// What one collider does for a body that is pressed along a direction.
struct Share {
    side: f32,
    stopped: f32,
    pushed: f32,
}

fn pressing_share(other: Pressing, direction: vec3<f32>) -> Share {
    let along = dot(other.side, direction);
    var out = Share(max(along, 0.0), max(dot(other.stopping, direction), 0.0), 0.0);
    if other.inertia > 0.0 { out.pushed = max(-along, 0.0) / other.inertia * other.contact; }
    return out;
}

fn share_sum(a: Share, b: Share) -> Share {
    return Share(a.side + b.side, a.stopped + b.stopped, a.pushed + b.pushed);
}

// `shares` is the sum over all colliders.
fn pressed_by(own: Pressing, shares: Share, is_held: bool) -> f32 {
    if own.inertia <= 0.0 { return 0.0; }
    let by_contact = (own.contact - own.stopped) / own.inertia;
    let side = length(own.side);
    if is_held || side <= own.inertia * ONE_SIDE { return max(by_contact, 0.0); }
    let by_motion = (dot(pressing_direction(own), own.motion) - shares.stopped + shares.pushed) / shares.side;
    return max(min(by_motion, by_contact * 2.0), 0.0);
}
