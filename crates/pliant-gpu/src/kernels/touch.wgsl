// The friction of a vertex in the step,
// from the buffers `colliders` and `touch` of the module; force.wgsl says what is in them.

// In place of the collider of which a plane counts: the vertex is about to go inside, or is not and at most lay on a surface.
const COMES: f32 = -1.0;
const LIES: f32 = -2.0;

fn grip_of(i: u32) -> Grip {
    let anchor = touch[TOUCH * i + 1u];
    let normal = touch[TOUCH * i + 2u];
    let sticking = grip_sticking(anchor.w, touch[TOUCH * i].x, collider_at(0u).sticking);
    return Grip(anchor.xyz, anchor.w, normal.xyz, normal.w, sticking);
}
