// Twin of pairs.rs: what becomes of pairs that were kept. Follows pairs.wgsl, normal.wgsl and touch.wgsl. Besides, the module
// has what the search before kept, SLOTS of each vertex, then of each edge, nearest first:
//   before: array<vec4<u32>>            triangle or edge, its closest part (two words), clearance
//   before_normal: array<vec4<f32>>
//   before_count: array<u32>            how many each has; more than SLOTS if some were left out

// A pair as it is pushed apart.
struct Turned {
    stencil: vec4<u32>,
    weight: vec4<f32>,
    normal: vec3<f32>,
    // m
    gap: f32,
}

// How many slots an owner had in the search before.
fn kept_before(owner: u32) -> u32 {
    return min(before_count[owner], SLOTS);
}

// Place of what `owner` kept of `other`; NONE if it did not.
fn pair_before(owner: u32, other: u32) -> u32 {
    let first = owner * SLOTS;
    let end = first + kept_before(owner);
    for (var k = first; k < end; k++) {
        if before[k].x == other { return k; }
    }
    return NONE;
}

// Whether what was kept is a triangle beside t, not folded by more than 90°, or an edge or a corner of t.
fn is_beside(t: u32, slot: vec4<u32>) -> bool {
    let corners = triangles[t].xyz;
    let other = triangles[slot.x].xyz;
    var shared_count = 0u;
    var ends = vec2(0u, 0u);
    var own = 0u;
    var tip = 0u;
    for (var k = 0u; k < 3u; k++) {
        if any(other == vec3(corners[k])) {
            ends[min(shared_count, 1u)] = corners[k];
            shared_count++;
        } else {
            own = corners[k];
        }
        if !any(corners == vec3(other[k])) { tip = other[k]; }
    }
    if shared_count == 2u {
        let a = x[ends.x].xyz;
        let edge = unit_or(x[ends.y].xyz - a, vec3(0.0));
        let to_own = x[own].xyz - a;
        let to_tip = x[tip].xyz - a;
        return dot(to_own - edge * dot(edge, to_own), to_tip - edge * dot(edge, to_tip)) < 0.0;
    }
    return slot.z != NONE && any(corners == vec3(slot.y)) && any(corners == vec3(slot.z));
}

// Place of what `owner` kept of a triangle beside t, or for it; NONE if it did not.
fn beside_before(owner: u32, t: u32) -> u32 {
    let first = owner * SLOTS;
    let end = first + kept_before(owner);
    for (var k = first; k < end; k++) {
        if is_beside(t, before[k]) { return k; }
    }
    return NONE;
}

// How far the first side would go relative to the second, and the largest coordinate, m.
fn pair_motion(stencil: vec4<u32>, weight: vec4<f32>) -> vec4<f32> {
    var motion = vec4<f32>(0.0);
    for (var k = 0u; k < 4u; k++) {
        let start = x[stencil[k]].xyz;
        motion = vec4(
            motion.xyz + (x_tilde[stencil[k]].xyz - start) * weight[k], max(motion.w, largest_component(start)));
    }
    return motion;
}

// The distance that a pair keeps along its normal, m. Where that is turned off the way from one to the other, both are farther
// apart across it, and what is near along it need not part.
fn gap_along(stencil: vec4<u32>, weight: vec4<f32>, normal: vec3<f32>) -> f32 {
    let gap = pair_gap(stencil, weight);
    if is_same_body(stencil.x, stencil.w) { return gap; }
    let d = x[stencil.w].xyz;
    let apart =
        (x[stencil.x].xyz - d) * weight.x + (x[stencil.y].xyz - d) * weight.y + (x[stencil.z].xyz - d) * weight.z;
    let along = dot(normal, apart);
    let is_turned = along >= 0.0 && along < length(apart) * TURNED;
    return select(gap, min(gap, along), is_turned);
}

fn turn_to_face(owner: u32, v: u32, slot: vec4<u32>) -> Turned {
    let t = slot.x;
    let corners = triangles[t].xyz;
    let stencil = vec4(v, corners);
    let closest = closest_of_triangle(x[v].xyz, x[corners.x].xyz, x[corners.y].xyz, x[corners.z].xyz);
    let inside = slot.z == NONE;
    var kept = pair_before(owner, t);
    if kept == NONE { kept = beside_before(owner, t); }
    var hem = false;
    var was = vec3<f32>(0.0);
    if kept != NONE {
        let part = before[kept].yz;
        hem = part.y != NONE && is_at_hem(part.x) && is_at_hem(part.y);
        was = before_normal[kept].xyz;
    }
    was = unit_or(out_of_triangle(v, t), was);
    let weight = face_weights(closest.at.yz);
    let motion = pair_motion(stencil, weight);
    let across = triangle_normal(t);
    var normal = apart_normal(Apart(closest.offset, across, inside, motion.xyz, motion.w, was, hem));
    if !inside { normal = facing_nearest(facing_for(v, corners.x), normal); }
    return Turned(stencil, weight, normal, gap_along(stencil, weight, normal));
}

// `first` is the number of edge 0 among owners.
fn turn_to_edge(first: u32, owner: u32, slot: vec4<u32>) -> Turned {
    let stencil = edge_stencil(owner, slot.x);
    let p1 = x[stencil.x].xyz;
    let q1 = x[stencil.y].xyz;
    let p2 = x[stencil.z].xyz;
    let q2 = x[stencil.w].xyz;
    let closest = segment_crossing(p1, q1, p2, q2);
    // Who looks for whom depends on where they are, and may have changed.
    var kept = pair_before(first + owner, slot.x);
    if kept == NONE { kept = pair_before(first + slot.x, owner); }
    var was = vec3<f32>(0.0);
    if kept != NONE { was = before_normal[kept].xyz; }
    was = unit_or(out_of_edges(owner, slot.x), was);
    let weight = edge_weights(closest.at);
    let motion = pair_motion(stencil, weight);
    let across = cross(q1 - p1, q2 - p2);
    let facing = edge_facing(owner, slot.x);
    var normal = apart_normal(Apart(closest.offset, across, true, motion.xyz, motion.w, was, false));
    normal = facing_nearest(facing[1], facing_nearest(facing[0], normal));
    return Turned(stencil, weight, normal, gap_along(stencil, weight, normal));
}
