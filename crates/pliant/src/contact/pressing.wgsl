// Twin of pressing.rs.

struct Pressing {
    contact: f32,
    stopped: f32,
    inertia: f32,
    stopping: vec3<f32>,
    side: vec3<f32>,
    motion: vec3<f32>,
    place: vec3<f32>,
    stopped_place: vec3<f32>,
    spread: Sym3,
    whole_place: vec3<f32>,
    whole: f32,
}

struct Pressed {
    by: f32,
    tilt: vec3<f32>,
    centre: vec3<f32>,
}

fn pressed_at(pressed: Pressed, x: vec3<f32>, stopped: f32) -> f32 {
    return max(stopped + pressed.by + dot(pressed.tilt, x - pressed.centre), 0.0);
}

// Normals that cancel to less than this part of their sum have no common side.
const ONE_SIDE: f32 = 0.1;
// Normals that agree this well are those of a plane.
const PLANE: f32 = 0.99;
// What is so thin across the way it slides, as a part of what it is seen from its first vertex, touches along a line.
const THIN: f32 = 1e-4;

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
fn pressed_by(own: Pressing, shares: Share, is_held: bool) -> Pressed {
    if own.inertia <= 0.0 { return Pressed(0.0, vec3(0.0), vec3(0.0)); }
    let by_contact = (own.contact - own.stopped) / own.inertia;
    let side = length(own.side);
    if is_held || side <= own.inertia * ONE_SIDE { return Pressed(max(by_contact, 0.0), vec3(0.0), vec3(0.0)); }
    let direction = pressing_direction(own);
    let by_motion = (dot(direction, own.motion) - shares.stopped + shares.pushed) / shares.side;
    let by = max(min(by_motion, by_contact * 2.0), 0.0);
    let alone = side * 1.001 > shares.side && side > own.inertia * PLANE;
    if alone && own.inertia * 2.0 < own.whole { return tilted(own, by, direction); }
    return Pressed(by, vec3(0.0), vec3(0.0));
}

// Pressed by so much in the mean, and across the way it slides so that the centre of pressure is below the centre of mass.
fn tilted(own: Pressing, by: f32, normal: vec3<f32>) -> Pressed {
    let pressing = dot(normal, own.motion);
    let way = cross(normal, own.motion);
    var sliding = 0.0;
    if pressing > 0.0 { sliding = min(length(way) / pressing, 1.0); }
    let across = unit_or(way, vec3(0.0));
    let middle = dot(across, own.place) / own.inertia;
    let squares = dot(across, sym_times(own.spread, across));
    let spread = squares - own.inertia * middle * middle;
    if spread <= squares * THIN { return Pressed(by, vec3(0.0), vec3(0.0)); }
    let force = own.stopped + by * own.inertia;
    let off = own.whole_place * (force / own.whole) - own.stopped_place - own.place * by;
    let most = force / own.inertia / sqrt(3.0 * spread / own.inertia);
    let tilt = clamp(dot(across, off) / spread, -most, most);
    return Pressed(by, across * (tilt * sliding), own.place / own.inertia);
}
