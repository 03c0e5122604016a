// How hard contacts between bodies press, and so their friction, and which parts are in contact. Twin of
// device/touch_friction.rs and of `Groups` in device/parts.rs. The constants KNOWN and STIFFEST come from Rust.
//
// Sums go over contacts in any order, so they are whole numbers: of 64 bits, in two words, the lower one first. Workgroups take
// turns with COPIES of them (the constant comes from Rust), because all contacts may be of one pair.

struct Parameters {
    // Invocations: contacts or parts.
    n: u32,
    parts: u32,
    // Pairs of parts there is room for; a power of two.
    pairs: u32,
    // Coulomb's coefficient.
    coefficient: f32,
    // How far weight alone moves things in a step, m.
    falls: f32,
    // 1/h², 1/s².
    per_h_sq: f32,
    // Slip that counts as none, at least, m.
    least_sticking: f32,
    // Whole numbers per kg, and per N.
    per_kg: f32,
    per_newton: f32,
}
var<immediate> p: Parameters;

@group(0) @binding(0) var<storage, read_write> touches: array<Touch>;
@group(0) @binding(1) var<storage, read> x_tilde: array<vec4<f32>>;
// 1/kg; 0 where held.
@group(0) @binding(2) var<storage, read> inv_mass: array<f32>;
// Weights of contacts that push at x_tilde, at each vertex, added up.
@group(0) @binding(3) var<storage, read> crowd: array<f32>;
// What elements connect: of each vertex, and what each weighs, kg; 0 if it is held somewhere.
@group(0) @binding(4) var<storage, read> part: array<u32>;
@group(0) @binding(5) var<storage, read> part_mass: array<f32>;
// Of each contact: by what stops motion, by the force that is left of the step before, N; what of both sides is stopped, kg.
@group(0) @binding(6) var<storage, read_write> pressing: array<vec4<f32>>;
// Pairs of parts, hashed: a contact of each, plus 1; then sums of both forces.
@group(0) @binding(7) var<storage, read_write> pairs: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read_write> pair_sums: array<atomic<u32>>;
// Of each part: what is stopped of it, and what all weighs that it is linked to, where it is the first of these; sums.
@group(0) @binding(9) var<storage, read_write> part_sums: array<atomic<u32>>;
// An earlier part that each is linked to, or itself: free parts in contact, then all parts in contact; then 1 if it touches.
@group(0) @binding(10) var<storage, read_write> links: array<atomic<u32>>;
// As in balance.wgsl: the first of all parts in contact, and 1 if they touch.
@group(0) @binding(11) var<storage, read_write> leaders: array<vec2<u32>>;

const PAIR_SUMS: u32 = 4u;
const PART_SUMS: u32 = 4u;

// Whole numbers of a sum that fit, with room for many.
const MOST: f32 = 1e9;

fn whole_low(value: f32) -> u32 {
    return u32((value - floor(value)) * 4294967296.0);
}

// Adds two words to two others.
fn add_to_pair(k: u32, low: u32, high: u32) {
    let old = atomicAdd(&pair_sums[k], low);
    atomicAdd(&pair_sums[k + 1u], high + select(0u, 1u, old > 0xffffffffu - low));
}

fn add_to_part(k: u32, low: u32, high: u32) {
    let old = atomicAdd(&part_sums[k], low);
    atomicAdd(&part_sums[k + 1u], high + select(0u, 1u, old > 0xffffffffu - low));
}

fn pair_sum(k: u32) -> f32 {
    return f32(atomicLoad(&pair_sums[k + 1u])) + f32(atomicLoad(&pair_sums[k])) / 4294967296.0;
}

fn part_sum(k: u32) -> f32 {
    return f32(atomicLoad(&part_sums[k + 1u])) + f32(atomicLoad(&part_sums[k])) / 4294967296.0;
}

// The first of all that part k is linked to; `base` is where links of their kind begin.
fn first_of(base: u32, k: u32) -> u32 {
    var at = k;
    loop {
        let up = atomicLoad(&links[base + at]);
        if up == at { return at; }
        // Half as far next time.
        let above = atomicLoad(&links[base + up]);
        if above != up { atomicMin(&links[base + at], above); }
        at = up;
    }
    return at;
}

// Links two parts: the later of both firsts to the earlier.
fn link(base: u32, a: u32, b: u32) {
    var one = a;
    var other = b;
    loop {
        one = first_of(base, one);
        other = first_of(base, other);
        if one == other { return; }
        let later = max(one, other);
        if atomicCompareExchangeWeak(&links[base + later], later, min(one, other)).exchanged { return; }
    }
}

fn parts_of(t: u32) -> vec2<u32> {
    let a = part[touches[t].stencil.x];
    let b = part[touches[t].stencil.w];
    return vec2(min(a, b), max(a, b));
}

// Place of a pair of parts, made by contact t if there is none.
fn pair_of(t: u32) -> u32 {
    let own = parts_of(t);
    let mask = p.pairs - 1u;
    var at = ((own.x * 0x9E3779B1u) ^ (own.y * 0x85EBCA77u)) & mask;
    loop {
        let there = atomicCompareExchangeWeak(&pairs[at], 0u, t + 1u);
        if there.exchanged { return at; }
        // It may fail for no reason; then it is tried again.
        if there.old_value != 0u {
            if all(parts_of(there.old_value - 1u) == own) { return at; }
            at = (at + 1u) & mask;
        }
    }
    return at;
}

// Nothing is linked, and all sums are 0.
@compute @workgroup_size(GROUP)
fn reset(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let k = index(group, groups, local);
    if k >= p.n { return; }
    atomicStore(&links[k], k);
    atomicStore(&links[p.parts + k], k);
    atomicStore(&links[2u * p.parts + k], 0u);
    for (var copy = 0u; copy < COPIES; copy++) {
        for (var j = 0u; j < PART_SUMS; j++) { atomicStore(&part_sums[PART_SUMS * (copy * p.parts + k) + j], 0u); }
    }
}

// What a contact stops of the side with these corners, kg.
fn stopped_of(touch: Touch, first: u32, end: u32) -> f32 {
    var sum = 0.0;
    for (var k = first; k < end; k++) {
        let i = touch.stencil[k];
        if inv_mass[i] > 0.0 && crowd[i] > 0.0 { sum += abs(touch.weight[k]) / (crowd[i] * inv_mass[i]); }
    }
    return sum;
}

fn ahead(touch: Touch) -> vec3<f32> {
    let s = touch.stencil;
    return touch_apart(touch, x_tilde[s.x].xyz, x_tilde[s.y].xyz, x_tilde[s.z].xyz, x_tilde[s.w].xyz);
}

fn press_of(touch: Touch) -> vec4<f32> {
    if touch.stiffness <= 0.0 { return vec4(0.0); }
    // What starts deep inside has a negative gap, and says nothing of forces.
    let depth = clamp(touch.gap - dot(touch.normal, touch.anchor), 0.0, max(touch.gap, 0.0));
    // A corner without weight may be on either side.
    let first = select(1u, 2u, touch.weight.y >= 0.0);
    let mass = vec2(stopped_of(touch, 0u, first), stopped_of(touch, first, 4u));
    var yielding = 0.0;
    if mass.x > 0.0 { yielding += 1.0 / mass.x; }
    if mass.y > 0.0 { yielding += 1.0 / mass.y; }
    let target_apart = ahead(touch);
    let comes = dot(touch.normal, touch.anchor - target_apart) > KNOWN * p.falls;
    let stops = touch.comes > 0.0 && yielding > 0.0 && comes;
    var out = vec4(0.0, 0.0, mass);
    if stops { out.x = max(touch.gap - dot(touch.normal, target_apart), 0.0) * p.per_h_sq / yielding; }
    // Nobody knows how hard what comes without stopping anything presses.
    if stops || !comes { out.y = touch.stiffness * depth; }
    return out;
}

// How hard each contact presses, added up by parts, and which of them it links.
@compute @workgroup_size(GROUP)
fn weigh(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let t = index(group, groups, local);
    if t >= p.n { return; }
    let touch = touches[t];
    let sides = vec2(part[touch.stencil.x], part[touch.stencil.w]);
    link(p.parts, sides.x, sides.y);
    if atomicLoad(&links[2u * p.parts + sides.x]) == 0u { atomicStore(&links[2u * p.parts + sides.x], 1u); }
    if part_mass[sides.x] > 0.0 && part_mass[sides.y] > 0.0 { link(0u, sides.x, sides.y); }
    let own = press_of(touch);
    pressing[t] = own;
    if own.x <= 0.0 { return; }
    let copy = group_index(group, groups) % COPIES;
    let pair = PAIR_SUMS * (copy * p.pairs + pair_of(t));
    let forces = clamp(own.xy * p.per_newton, vec2(0.0), vec2(MOST));
    let masses = clamp(own.zw * p.per_kg, vec2(0.0), vec2(MOST));
    add_to_pair(pair, whole_low(forces.x), u32(forces.x));
    add_to_pair(pair + 2u, whole_low(forces.y), u32(forces.y));
    add_to_part(PART_SUMS * (copy * p.parts + sides.x), whole_low(masses.x), u32(masses.x));
    add_to_part(PART_SUMS * (copy * p.parts + sides.y), whole_low(masses.y), u32(masses.y));
}

// Copies of sums into the first of them; an invocation per pair there is room for.
@compute @workgroup_size(GROUP)
fn collect(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let k = index(group, groups, local);
    if k < p.n && atomicLoad(&pairs[k]) != 0u {
        for (var copy = 1u; copy < COPIES; copy++) {
            for (var j = 0u; j < PAIR_SUMS; j += 2u) {
                let at = PAIR_SUMS * (copy * p.pairs + k) + j;
                add_to_pair(PAIR_SUMS * k + j, atomicLoad(&pair_sums[at]), atomicLoad(&pair_sums[at + 1u]));
            }
        }
    }
}

// What is stopped of each part, and what is linked to the first of each.
@compute @workgroup_size(GROUP)
fn gather(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let k = index(group, groups, local);
    if k >= p.n { return; }
    for (var copy = 1u; copy < COPIES; copy++) {
        let at = PART_SUMS * (copy * p.parts + k);
        add_to_part(PART_SUMS * k, atomicLoad(&part_sums[at]), atomicLoad(&part_sums[at + 1u]));
    }
    let mass = clamp(part_mass[k] * p.per_kg, 0.0, MOST);
    add_to_part(PART_SUMS * first_of(0u, k) + 2u, whole_low(mass), u32(mass));
    let first = first_of(p.parts, k);
    leaders[k].x = first;
    if atomicLoad(&links[2u * p.parts + k]) > 0u { atomicStore(&links[2u * p.parts + first], 1u); }
}

@compute @workgroup_size(GROUP)
fn lead(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let k = index(group, groups, local);
    if k < p.n { leaders[k].y = atomicLoad(&links[2u * p.parts + leaders[k].x]); }
}

// By how many times contacts press harder than what stops the vertices in them.
fn more_above(most: f32, left: f32) -> f32 {
    return select(max(2.0 * left, 1.0), max(most, 1.0), left >= 0.5 * most);
}

// How hard contact t presses with all that is above it, N.
fn pressed(t: u32) -> f32 {
    let own = pressing[t];
    if own.x <= 0.0 { return own.y; }
    let sides = parts_of(t);
    let pair = PAIR_SUMS * pair_of(t);
    var most = 1.0;
    var is_known = false;
    // A part that lies on itself has nothing above that is not counted.
    for (var k = 0u; k < 2u && sides.x != sides.y; k++) {
        let one = sides[k];
        let stopped = part_sum(PART_SUMS * one);
        if part_mass[one] > 0.0 && stopped > 0.0 {
            let above = part_sum(PART_SUMS * first_of(0u, one) + 2u) / stopped;
            most = select(above, min(most, above), is_known);
            is_known = true;
        }
    }
    return own.x * more_above(most, pair_sum(pair + 2u) / max(pair_sum(pair), 1e-9));
}

// The largest friction of each contact in the step.
@compute @workgroup_size(GROUP)
fn limit(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let t = index(group, groups, local);
    if t >= p.n || touches[t].stiffness <= 0.0 { return; }
    let most = p.coefficient * pressed(t);
    touches[t].limit = most;
    touches[t].sticking = grip_sticking(most, touches[t].stiffness, p.least_sticking);
}
