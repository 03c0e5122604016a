// The friction of a vertex in the step,
// from the buffers `colliders` and `touch` of the module; force.wgsl says what is in them.

fn grip_of(i: u32) -> Grip {
    let anchor = touch[TOUCH * i + 1u];
    let normal = touch[TOUCH * i + 2u];
    let sticking = grip_sticking(anchor.w, touch[TOUCH * i].x, collider_at(0u).sticking);
    return Grip(anchor.xyz, anchor.w, normal.xyz, normal.w, sticking);
}
