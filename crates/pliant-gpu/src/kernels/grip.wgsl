// How hard bodies press on colliders at the start of a step, and the friction of their vertices. Twin of grips.rs. Workgroup g
// has the vertices of chunk g, all of one body. The constants COLLIDERS, GRIDS and TOUCH come from Rust.

struct Parameters {
    // Chunks; of `spread`, bodies times colliders.
    n: u32,
    // s
    h: f32,
}
struct Chunk {
    first: u32,
    end: u32,
    body: u32,
}
struct Body {
    first_chunk: u32,
    chunks: u32,
}
var<immediate> p: Parameters;
@group(0) @binding(0) var<storage, read> x_start: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> x_tilde: array<vec4<f32>>;
// m/h², N/m; 0 where held.
@group(0) @binding(2) var<storage, read> inertia: array<f32>;
@group(0) @binding(3) var<storage, read> colliders: array<vec4<f32>>;
// As in force.wgsl: what comes after the first line of each vertex is written.
@group(0) @binding(4) var<storage, read_write> touch: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> chunks: array<Chunk>;
@group(0) @binding(6) var<storage, read> bodies: array<Body>;
// Of each chunk and collider, as pairs: contact force less what stops the motion, N; inertia, N/m.
@group(0) @binding(7) var<storage, read_write> parts: array<vec4<f32>>;
// Of each body and collider: how much it is pressed, m.
@group(0) @binding(8) var<storage, read_write> pressed: array<f32>;

fn approach(i: u32, c: u32) -> Approach {
    return collider_approach(collider_at(c), x_start[i].xyz, x_tilde[i].xyz, touch[TOUCH * i].y, p.h);
}

@compute @workgroup_size(GROUP)
fn press(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let g = group_index(group, groups);
    let chunk = chunks[min(g, p.n - 1u)];
    let i = chunk.first + local;
    let free = i < chunk.end && touch[TOUCH * min(i, chunk.end - 1u)].z > 0.0;
    for (var c = 0u; c < COLLIDERS; c++) {
        var beyond = vec2(0.0);
        var touching = 0.0;
        if free && collider_at(c).friction > 0.0 {
            let a = approach(i, c);
            if a.comes {
                touching = inertia[i];
                beyond = two_sum(touch[TOUCH * i].x * a.depth, -inertia[i] * a.stopped, group.z);
            }
        }
        let force = group_reduce(SUM, beyond, local, group.z);
        let weight = group_reduce(SUM, vec2(touching, 0.0), local, group.z);
        if local == 0u && g < p.n { parts[g * COLLIDERS + c] = vec4(force, weight); }
    }
}

@compute @workgroup_size(GROUP)
fn spread(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let g = group_index(group, groups);
    let body = bodies[min(g, p.n - 1u) / COLLIDERS];
    var mine = vec4(0.0);
    for (var k = local; k < body.chunks; k += GROUP) {
        let part = parts[(body.first_chunk + k) * COLLIDERS + g % COLLIDERS];
        mine = vec4(pair_add(mine.xy, part.xy, group.z), pair_add(mine.zw, part.zw, group.z));
    }
    let force = group_reduce(SUM, mine.xy, local, group.z);
    let weight = group_reduce(SUM, mine.zw, local, group.z);
    if local == 0u && g < p.n { pressed[g] = select(0.0, max(force.x, 0.0) / weight.x, weight.x > 0.0); }
}

// Of all colliders that a vertex is about to touch, the one with the most friction holds it; without friction, the one that
// presses most.
@compute @workgroup_size(GROUP)
fn grip(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let g = group_index(group, groups);
    if g >= p.n { return; }
    let chunk = chunks[g];
    let i = chunk.first + local;
    if i >= chunk.end { return; }
    var most = vec4(0.0);
    var pressed_by = 0.0;
    var side = vec4(0.0, 0.0, 0.0, -1.0);
    if touch[TOUCH * i].z > 0.0 {
        for (var c = 0u; c < COLLIDERS; c++) {
            let a = approach(i, c);
            if !a.comes { continue; }
            let pressing = inertia[i] * (a.stopped + pressed[chunk.body * COLLIDERS + c]);
            let limit = collider_at(c).friction * pressing;
            if limit > most.w || (limit == most.w && pressing > pressed_by) {
                most = vec4(a.anchor, limit);
                pressed_by = pressing;
                side = vec4(a.normal, select(-1.0, f32(c), a.face));
            }
        }
    }
    touch[TOUCH * i + 1u] = most;
    touch[TOUCH * i + 2u] = side;
}
