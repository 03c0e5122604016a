// What the elements with slots add to the gradient of vertex i. Four at a time: loads that do not depend on each other
// overlap.
fn slots_of(i: u32) -> vec3<f32> {
    let end = slot_offsets[i + 1u];
    var k = slot_offsets[i];
    var sum = vec3<f32>(0.0);
    for (; k + 3u < end; k += 4u) {
        let a = slots[k].xyz;
        let b = slots[k + 1u].xyz;
        let c = slots[k + 2u].xyz;
        let d = slots[k + 3u].xyz;
        sum += (a + b) + (c + d);
    }
    for (; k < end; k++) { sum += slots[k].xyz; }
    return sum;
}

// ∇E of vertex i: inertia and spring pins, rows, slots, contacts. The constant HAS_SLOTS comes from Rust. Follows bodies.wgsl.
fn force(i: u32, xi: vec3<f32>, free: bool) -> Force {
    let goal = x_pull[i];
    var gradient = goal.w * (xi - goal.xyz) + row_force(i, xi);
    if HAS_SLOTS && free { gradient += slots_of(i); }
    if CONTACTS && free { return with_bodies(with_contacts(gradient, xi, touch[TOUCH * i], grip_of(i)), i); }
    return without_contacts(gradient);
}
