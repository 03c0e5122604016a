// Twin of touch.rs; follows friction.wgsl.

// A contact with its stiffness and friction in one step.
struct Touch {
    stencil: vec4<u32>,
    weight: vec4<f32>,
    normal: vec3<f32>,
    // m
    gap: f32,
    // m
    anchor: vec3<f32>,
    // N/m
    stiffness: f32,
    // N
    limit: f32,
    // m
    sticking: f32,
    spread: f32,
    // 1 if it would be active at the inertial target.
    comes: f32,
}

// What a contact does to vertices, per weight.
struct Felt {
    // N
    force: vec3<f32>,
    // N/m
    push: f32,
    // N/m
    friction: f32,
}

// s of corners at these points, m. From differences: positions are large beside it.
fn touch_apart(touch: Touch, a: vec3<f32>, b: vec3<f32>, c: vec3<f32>, d: vec3<f32>) -> vec3<f32> {
    return (a - d) * touch.weight.x + (b - d) * touch.weight.y + (c - d) * touch.weight.z;
}

fn touch_grip(touch: Touch) -> Grip {
    return Grip(touch.anchor, touch.limit, touch.normal, -1.0, touch.sticking);
}

// E, J.
fn touch_value(touch: Touch, apart: vec3<f32>) -> f32 {
    let depth = max(touch.gap - dot(touch.normal, apart), 0.0);
    var value = 0.5 * touch.stiffness * depth * depth;
    if touch.limit > 0.0 { value += grip_value(touch_grip(touch), apart); }
    return value;
}

fn touch_feel(touch: Touch, apart: vec3<f32>) -> Felt {
    let depth = touch.gap - dot(touch.normal, apart);
    var felt = Felt(vec3(0.0), 0.0, 0.0);
    if depth > 0.0 {
        felt.force = touch.normal * -(touch.stiffness * depth);
        felt.push = touch.stiffness;
    }
    if touch.limit > 0.0 {
        let slip = grip_slip(touch_grip(touch), apart);
        felt.friction = grip_stiffness(touch_grip(touch), slip);
        felt.force += slip * felt.friction;
    }
    return felt;
}

// Impulse times h that the contact needs, kg m, per weight, where an impulse of 1 moves both sides apart by `yielding`, 1/kg.
// That of friction is at most `hold.x` times the one along the normal and `hold.y` more.
fn touch_impulse(touch: Touch, apart: vec3<f32>, yielding: f32, hold: vec2<f32>) -> vec3<f32> {
    let depth = touch.gap - dot(touch.normal, apart);
    if depth <= 0.0 || yielding <= 0.0 { return vec3(0.0); }
    let push = depth / yielding;
    let slip = grip_slip(touch_grip(touch), apart);
    let slid = length(slip);
    let back = min(slid / yielding, hold.x * push + hold.y);
    var along = vec3<f32>(0.0);
    if back > 0.0 { along = slip * (back / slid); }
    return touch.normal * push - along;
}
