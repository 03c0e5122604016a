// What colliders do to one vertex in a sweep; see touch.wgsl. The constants COLLIDERS, GRIDS, TOUCH and CONTACTS come from
// Rust.

struct Force {
    gradient: vec3<f32>,
    // Active contacts and their friction, N/m.
    push: Sym3,
    friction: Sym3,
}

fn without_contacts(gradient: vec3<f32>) -> Force {
    return Force(gradient, sym_scalar(0.0), sym_scalar(0.0));
}

// The push of a vertex that is about to go inside, for A, before it is found, N/m.
fn expected_push(i: u32) -> Sym3 {
    let side = touch[TOUCH * i + 2u];
    return sym_scale(sym_square(side.xyz), select(touch[TOUCH * i].x, 0.0, side.w == LIES));
}

// What colliders add to the gradient of a vertex, whose first line of `touch` is `own`.
fn with_contacts(gradient: vec3<f32>, xi: vec3<f32>, own: vec4<f32>, grip: Grip) -> Force {
    var out = without_contacts(gradient);
    for (var c = 0u; c < COLLIDERS; c++) {
        let near = grip_distance(grip, c, collider_at(c), xi);
        let depth = own.y - near.d;
        if depth > 0.0 {
            out.push = sym_add(out.push, sym_scale(sym_square(near.normal), own.x));
            out.gradient -= near.normal * (own.x * depth);
        }
    }
    if grip.limit > 0.0 {
        let slip = grip_slip(grip, xi);
        let stiffness = grip_stiffness(grip, slip);
        out.friction = sym_add(sym_scalar(stiffness), sym_scale(sym_square(grip.normal), -stiffness));
        out.gradient += slip * stiffness;
    }
    return out;
}

// The iterate after xi, by Chebyshev's blend with the one before; momentum is for motion along contacts.
fn blended(f: Force, step: vec3<f32>, xi: vec3<f32>, before: vec3<f32>, omega: f32, gamma: f32) -> vec3<f32> {
    let next = before + omega * (xi - gamma * step - before);
    if CONTACTS { return without_momentum(f.push, xi - step, next); }
    return next;
}

// D⁻¹∇E with active contacts in D, m; from 1/D, and from D where something touches.
fn step_of(f: Force, inverse: f32, diagonal: f32) -> vec3<f32> {
    // Contacts are positive semi-definite: without a diagonal there is none.
    if CONTACTS {
        let block = sym_add(f.push, f.friction);
        if any(block.diagonal != vec3(0.0)) {
            return sym_solve(sym_add(block, sym_scalar(diagonal)), f.gradient);
        }
    }
    return inverse * f.gradient;
}
