// The search for contacts, its end: what was kept, in a row, each with its normal, gap and stiffness. Twin of
// `TouchSetting::touch` in device/touches.rs. The constant RECOVERED comes from Rust.

@group(0) @binding(6) var<storage, read> facings: array<vec4<f32>>;
// As in close_search.wgsl.
@group(0) @binding(7) var<storage, read> slots: array<vec4<u32>>;
@group(0) @binding(8) var<storage, read> ends: array<u32>;
@group(0) @binding(9) var<storage, read_write> normals: array<vec4<f32>>;
// What the search before kept.
@group(0) @binding(10) var<storage, read> before: array<vec4<u32>>;
@group(0) @binding(11) var<storage, read> before_normal: array<vec4<f32>>;
@group(0) @binding(12) var<storage, read> before_count: array<u32>;
@group(0) @binding(13) var<storage, read_write> touches: array<Touch>;
// Of each vertex: 1/kg, 0 where held, and its stiffness in contacts, N/m.
@group(0) @binding(14) var<storage, read> yielding: array<vec2<f32>>;

// A side of a contact: its stiffness times its weights, N/m, and weights of vertices that can move.
fn side_of(stencil: vec4<u32>, weight: vec4<f32>, is_first: vec4<bool>, first: bool) -> vec2<f32> {
    var sum = vec2<f32>(0.0);
    for (var k = 0u; k < 4u; k++) {
        let own = yielding[stencil[k]];
        if is_first[k] == first && own.x > 0.0 { sum += abs(weight[k]) * vec2(own.y, 1.0); }
    }
    return sum;
}

fn softness(side: vec2<f32>) -> f32 {
    return select(0.0, side.y / max(side.x, TINY), side.x > 0.0);
}

// A contact that is as stiff as both sides in a row, where what is held is infinitely stiff.
fn make_touch(pair: Turned, is_edge: bool) -> Touch {
    var touch: Touch;
    touch.stencil = pair.stencil;
    touch.weight = vec4(pair.weight.xyz, -(pair.weight.x + pair.weight.y + pair.weight.z));
    touch.normal = pair.normal;
    let is_first = vec4(true, is_edge, false, false);
    let first = side_of(touch.stencil, touch.weight, is_first, true);
    let second = side_of(touch.stencil, touch.weight, is_first, false);
    let soft = softness(first) + softness(second);
    touch.spread = first.y + second.y;
    touch.stiffness = select(0.0, 1.0 / max(soft, TINY), soft > 0.0);
    let s = touch.stencil;
    touch.anchor = touch_apart(touch, x[s.x].xyz, x[s.y].xyz, x[s.z].xyz, x[s.w].xyz);
    touch.gap = min(pair.gap, dot(touch.normal, touch.anchor) + pair.gap * RECOVERED);
    let ahead = touch_apart(touch, x_tilde[s.x].xyz, x_tilde[s.y].xyz, x_tilde[s.z].xyz, x_tilde[s.w].xyz);
    touch.comes = select(0.0, 1.0, dot(touch.normal, ahead) - touch.gap < 0.0);
    touch.limit = 0.0;
    touch.sticking = 0.0;
    // The plane of a contact stays for the whole step, and at a hem that stands across the way.
    let moved = ahead - touch.anchor;
    let goes_past = dot(moved, moved) > touch.gap * touch.gap;
    if !is_edge && goes_past && is_with_hem(touch) { touch.stiffness = 0.0; }
    return touch;
}

// Whether a vertex is nearest to an edge with one triangle, or to an end of it.
fn is_with_hem(touch: Touch) -> bool {
    var inside = true;
    for (var k = 1u; k < 4u; k++) {
        if abs(touch.weight[k]) <= EPSILON {
            inside = false;
        } else if !is_at_hem(touch.stencil[k]) {
            return false;
        }
    }
    return !inside;
}

// An invocation per slot.
@compute @workgroup_size(GROUP)
fn finish(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let place = index(group, groups, local);
    if place >= p.n { return; }
    let owner = place / SLOTS;
    var first = 0u;
    if owner > 0u { first = ends[owner - 1u]; }
    let number = first + place % SLOTS;
    if number >= ends[owner] { return; }
    let slot = slots[place];
    let is_edge = owner >= p.owners;
    var pair: Turned;
    if is_edge {
        pair = turn_to_edge(p.owners, owner - p.owners, slot);
    } else {
        pair = turn_to_face(owner, around[p.owners_at + owner], slot);
    }
    normals[place] = vec4(pair.normal, 0.0);
    touches[number] = make_touch(pair, is_edge);
}
