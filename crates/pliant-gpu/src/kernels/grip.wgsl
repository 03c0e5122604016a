// How hard bodies press on colliders at the start of a step, and the friction of their vertices. Twin of grips.rs. Workgroup g
// has the vertices of chunk g, all of one body. The constants COLLIDERS, GRIDS and TOUCH come from Rust.

struct Parameters {
    // Chunks; of `total` and `balance`, bodies times colliders.
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
    // 1 if a pin holds it.
    is_held: u32,
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
// `Pressing` of each chunk and collider, and then of each body and collider, seven vectors each.
@group(0) @binding(7) var<storage, read_write> parts: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read_write> totals: array<vec4<f32>>;
// Of each body and collider: how much it is pressed, `Pressed` in two vectors.
@group(0) @binding(9) var<storage, read_write> pressed: array<vec4<f32>>;

fn approach(i: u32, c: u32) -> Approach {
    return collider_approach(collider_at(c), x_start[i].xyz, x_tilde[i].xyz, touch[TOUCH * i].y, p.h);
}

// How many colliders vertex i touches on the side of a normal: where two meet, each stops its part of it.
fn sharers(i: u32, normal: vec3<f32>) -> f32 {
    var count = 0.0;
    for (var c = 0u; c < COLLIDERS; c++) {
        let other = approach(i, c);
        if other.touches && dot(other.normal, normal) > SAME_SIDE { count += 1.0; }
    }
    return max(count, 1.0);
}

// Places of a body are from its first vertex, so that little of their squares is lost.
fn place_of(i: u32, body: u32) -> vec3<f32> {
    return x_start[i].xyz - x_start[chunks[bodies[body].first_chunk].first].xyz;
}

// What one vertex adds: contact, stopped, inertia, side, stopping, motion, place, stopped place, spread, whole place, whole.
fn pressing_of(i: u32, c: u32, body: u32) -> array<f32, 28> {
    let start = x_start[i].xyz;
    let place = place_of(i, body);
    let carried = start + collider_velocity_at(collider_at(c), start) * p.h;
    let motion = (carried - x_tilde[i].xyz) * inertia[i];
    var out: array<f32, 28>;
    for (var k = 0u; k < 3u; k++) {
        out[9u + k] = motion[k];
        out[24u + k] = place[k] * inertia[i];
    }
    out[27] = inertia[i];
    let a = approach(i, c);
    if a.touches {
        let own = inertia[i] / sharers(i, a.normal);
        let side = a.normal * own;
        let stopped = own * a.stopped;
        let stopping = a.normal * stopped;
        out[0] = touch[TOUCH * i].x * a.depth;
        out[1] = stopped;
        out[2] = own;
        let square = sym_scale(sym_square(place), own);
        for (var k = 0u; k < 3u; k++) {
            out[3u + k] = side[k];
            out[6u + k] = stopping[k];
            out[12u + k] = place[k] * own;
            out[15u + k] = place[k] * stopped;
            out[18u + k] = square.diagonal[k];
            out[21u + k] = square.off[k];
        }
    }
    return out;
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
        var mine: array<f32, 28>;
        if free { mine = pressing_of(i, c, chunk.body); }
        for (var k = 0u; k < 7u; k++) {
            var sum: vec4<f32>;
            for (var l = 0u; l < 4u; l++) {
                sum[l] = group_reduce(SUM, vec2(mine[4u * k + l], 0.0), local, group.z).x;
            }
            if local == 0u && g < p.n { parts[7u * (g * COLLIDERS + c) + k] = sum; }
        }
    }
}

// Sums over the chunks of a body.
@compute @workgroup_size(GROUP)
fn total(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let g = group_index(group, groups);
    let body = bodies[min(g, p.n - 1u) / COLLIDERS];
    for (var k = 0u; k < 7u; k++) {
        var mine = vec4(0.0);
        for (var chunk = local; chunk < body.chunks; chunk += GROUP) {
            mine += parts[7u * ((body.first_chunk + chunk) * COLLIDERS + g % COLLIDERS) + k];
        }
        var sum: vec4<f32>;
        for (var l = 0u; l < 4u; l++) { sum[l] = group_reduce(SUM, vec2(mine[l], 0.0), local, group.z).x; }
        if local == 0u && g < p.n { totals[7u * g + k] = sum; }
    }
}

fn pressing_at(pair: u32) -> Pressing {
    let a = totals[7u * pair];
    let b = totals[7u * pair + 1u];
    let c = totals[7u * pair + 2u];
    let d = totals[7u * pair + 3u];
    let e = totals[7u * pair + 4u];
    let f = totals[7u * pair + 5u];
    let g = totals[7u * pair + 6u];
    let spread = Sym3(vec3(e.zw, f.x), f.yzw);
    return Pressing(a.x, a.y, a.z, vec3(b.zw, c.x), vec3(a.w, b.xy), c.yzw, d.xyz, vec3(d.w, e.xy), spread, g.xyz, g.w);
}

@compute @workgroup_size(GROUP)
fn balance(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let pair = index(group, groups, local);
    if pair >= p.n { return; }
    let own = pressing_at(pair);
    let side = pressing_direction(own);
    let first = pair - pair % COLLIDERS;
    var shares: Share;
    for (var other = first; other < first + COLLIDERS; other++) {
        shares = share_sum(shares, pressing_share(pressing_at(other), side));
    }
    let found = pressed_by(own, shares, bodies[pair / COLLIDERS].is_held != 0u);
    pressed[2u * pair] = vec4(found.tilt, found.by);
    pressed[2u * pair + 1u] = vec4(found.centre, 0.0);
}

// Of all colliders that a vertex touches, the one with the most friction holds it; without friction, the one that
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
    var pressing_most = 0.0;
    var side = vec4(0.0, 0.0, 0.0, LIES);
    if touch[TOUCH * i].z > 0.0 {
        for (var c = 0u; c < COLLIDERS; c++) {
            let a = approach(i, c);
            if !a.touches { continue; }
            let tilt = pressed[2u * (chunk.body * COLLIDERS + c)];
            let centre = pressed[2u * (chunk.body * COLLIDERS + c) + 1u].xyz;
            let own = Pressed(tilt.w, tilt.xyz, centre);
            let pressing = inertia[i] * pressed_at(own, place_of(i, chunk.body), a.stopped);
            let limit = collider_at(c).friction * pressing;
            if limit > most.w || (limit == most.w && pressing > pressing_most) {
                most = vec4(a.anchor, limit);
                pressing_most = pressing;
                side = vec4(a.normal, select(select(LIES, COMES, a.comes), f32(c), a.face));
            }
        }
    }
    touch[TOUCH * i + 1u] = most;
    touch[TOUCH * i + 2u] = side;
}
