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

fn pressing_direction(this: Pressing) -> vec3<f32> {
    return unit_or(this.side, vec3(0.0));
}

// `pushed` is what other colliders push with against this one, N.
fn pressed_by(this: Pressing, pushed: f32, is_held: bool) -> f32 {
    if this.inertia <= 0.0 { return 0.0; }
    let by_contact = (this.contact - this.stopped) / this.inertia;
    let side = length(this.side);
    if is_held || side <= this.inertia * ONE_SIDE { return max(by_contact, 0.0); }
    let by_motion = (dot(pressing_direction(this), this.motion - this.stopping) + pushed) / side;
    return max(min(by_motion, by_contact * 2.0), 0.0);
}
