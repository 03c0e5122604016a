// What happens to a step before and after its solve, and what position-based methods do with pins and colliders. The
// constants COLLIDERS, GRIDS, TOUCH and HAS_WIND come from Rust.

struct Parameters {
    // Vertices; for `pin` and `pull` pins.
    n: u32,
    wind_count: u32,
    // h, and h exp(-damping h), s.
    h: f32,
    drift: f32,
    // h² times the acceleration, m.
    fall: vec3<f32>,
    // 1 if friction counts.
    rough: u32,
}
var<immediate> p: Parameters;

@group(0) @binding(0) var<storage, read> x_start: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> v: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> x: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> x_pull: array<vec4<f32>>;
// m/h², N/m; 0 where held.
@group(0) @binding(4) var<storage, read> inertia: array<f32>;
@group(0) @binding(5) var<storage, read> colliders: array<vec4<f32>>;
// As in force.wgsl.
@group(0) @binding(6) var<storage, read> touch: array<vec4<f32>>;
// Triangles of vertex i: three numbers each, from wind_offsets[i] to wind_offsets[i + 1].
@group(0) @binding(7) var<storage, read> wind_offsets: array<u32>;
@group(0) @binding(8) var<storage, read> wind_triangles: array<u32>;
// Velocity of the air, m/s, and drag, N s/m³.
@group(0) @binding(9) var<storage, read> winds: array<vec4<f32>>;
@group(0) @binding(10) var<storage, read> pins: array<Pin>;
// Where each vertex was at the start of the step, m; last, how far `push` moved it out of colliders since, m.
@group(0) @binding(11) var<storage, read_write> before: array<vec4<f32>>;

// Force of all winds on vertex i, N: a third of drag area (relative velocity · n) n of each of its triangles. Last, how
// much it falls per speed of the vertex, N s/m: a third of drag area. Twin of stepping.rs.
fn wind_force(i: u32) -> vec4<f32> {
    var sum = vec4<f32>(0.0);
    for (var k = wind_offsets[i]; k < wind_offsets[i + 1u]; k++) {
        let a = wind_triangles[3u * k];
        let b = wind_triangles[3u * k + 1u];
        let c = wind_triangles[3u * k + 2u];
        let normal = cross(x_start[b].xyz - x_start[a].xyz, x_start[c].xyz - x_start[a].xyz);
        let n = unit_or(normal, vec3<f32>(0.0));
        let mean = (v[a].xyz + v[b].xyz + v[c].xyz) / 3.0;
        for (var w = 0u; w < p.wind_count; w++) {
            sum += vec4(n * dot(winds[w].xyz - mean, n), 1.0) * (length(normal) * (winds[w].w / 6.0));
        }
    }
    return sum;
}

// x = x̃ = x_start + h v + h² M⁻¹ f; wind is divided by h D/m where that is above 1, so that it cannot overshoot.
@compute @workgroup_size(GROUP)
fn predict(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    var at = x_start[i].xyz;
    let inv_mass = touch[TOUCH * i].z;
    if inv_mass > 0.0 {
        at += v[i].xyz * p.drift + p.fall;
        if HAS_WIND {
            let wind = wind_force(i);
            at += wind.xyz * (p.h * p.h * inv_mass / max(1.0, p.h * wind.w * inv_mass));
        }
    }
    x[i] = vec4(at, 0.0);
    x_pull[i] = vec4(at, inertia[i]);
    before[i] = vec4(x_start[i].xyz, 0.0);
}

// x = where the step begins, held vertices at their targets, which `v` has: x̃.
@compute @workgroup_size(GROUP)
fn stay(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    x[i] = vec4(select(v[i].xyz, x_start[i].xyz, touch[TOUCH * i].z > 0.0), 0.0);
}

// Held vertices of x go to their targets, which `v` has: x̃.
@compute @workgroup_size(GROUP)
fn hold(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i < p.n && touch[TOUCH * i].z == 0.0 { x[i] = v[i]; }
}

// Pins of the step: held vertices go to their targets, springs are averaged with the inertial target.
@compute @workgroup_size(GROUP)
fn pin(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let k = index(group, groups, local);
    if k >= p.n { return; }
    let own = pins[k];
    if own.stiffness < 0.0 {
        x[own.vertex] = vec4(own.goal, 0.0);
        x_pull[own.vertex] = vec4(own.goal, 0.0);
    } else {
        let mean = (x[own.vertex].xyz * own.inertia + own.goal * own.stiffness) / (own.inertia + own.stiffness);
        x_pull[own.vertex] = vec4(mean, own.inertia + own.stiffness);
    }
}

// Position-based pins: springs pull.
@compute @workgroup_size(GROUP)
fn pull(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let k = index(group, groups, local);
    if k >= p.n { return; }
    let own = pins[k];
    if own.stiffness < 0.0 { return; }
    let at = x[own.vertex].xyz;
    x[own.vertex] = vec4(at + (own.goal - at) * (own.stiffness / (own.stiffness + own.inertia)), 0.0);
}

// Position-based contact: vertices go out of colliders, and friction shortens their slip. What that moves, it moves in `v` and
// `x_pull`, too, which are other fields of positions here. Twin of constrain.rs.
@compute @workgroup_size(GROUP)
fn push(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i >= p.n || touch[TOUCH * i].z == 0.0 { return; }
    let grip = grip_of(i);
    var at = x[i].xyz;
    var start = before[i];
    for (var c = 0u; c < COLLIDERS; c++) {
        let collider = collider_at(c);
        let near = with_unit_normal(collider, grip_distance(grip, c, collider, at));
        let depth = touch[TOUCH * i].y - near.d;
        if depth > 0.0 {
            let carried = start.xyz + collider_velocity_at(collider, at) * p.h;
            let slip = at + near.normal * depth - carried;
            at = carried + limit_slip(slip, near.normal, depth, collider.friction);
            start.w += depth;
        }
    }
    let pushed = vec4(at - x[i].xyz, 0.0);
    v[i] += pushed;
    x_pull[i] += pushed;
    x[i] = vec4(at, 0.0);
    before[i] = start;
}

// What colliders alone do to each vertex: it goes where contact and inertia balance, and friction shortens its slip. Twin of
// stepping.rs.
@compute @workgroup_size(GROUP)
fn meet_colliders(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i >= p.n || touch[TOUCH * i].z == 0.0 { return; }
    let own = touch[TOUCH * i];
    let grip = grip_of(i);
    let share = own.x / (own.x + inertia[i]);
    var at = x[i].xyz;
    for (var c = 0u; c < COLLIDERS; c++) {
        let collider = collider_at(c);
        let near = with_unit_normal(collider, grip_distance(grip, c, collider, at));
        at += near.normal * (max(own.y - near.d, 0.0) * share);
    }
    let back = f32(p.rough) * grip.limit * p.h * p.h * own.z;
    if back > 0.0 { at = grip.anchor + limit_slip(at - grip.anchor, grip.normal, back, 1.0); }
    x[i] = vec4(at, 0.0);
}

// What an unfinished solve left inside a collider goes on its surface; and v = (x - x_start)/h. Twin of stepping.rs.
@compute @workgroup_size(GROUP)
fn finish_step(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    var at = x[i].xyz;
    if COLLIDERS > 0u && touch[TOUCH * i].z > 0.0 {
        let grip = grip_of(i);
        for (var c = 0u; c < COLLIDERS; c++) {
            let collider = collider_at(c);
            let near = with_unit_normal(collider, grip_distance(grip, c, collider, at));
            if near.d < 0.0 { at -= near.normal * near.d; }
        }
        x[i] = vec4(at, 0.0);
    }
    v[i] = vec4((at - x_start[i].xyz) / p.h, 0.0);
}
