// The elements of one kind: forces into slots, energy, corrections. Rust writes PREFIX, ARITY and WORDS, repeats lines with
// CORNER, and puts the formulas before it.

struct Parameters {
    n: u32,
    // First corner, or first partial, or first element of a colour.
    first: u32,
    inv_h_sq: f32,
    // 1 where multipliers are kept (XPBD).
    extended: u32,
}
var<immediate> p: Parameters;
// Word by word of all elements; for corrections element by element.
@group(0) @binding(0) var<storage, read> element_data: array<f32>;
@group(0) @binding(1) var<storage, read> stencils: array<u32>;
@group(0) @binding(2) var<storage, read_write> x: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> slots: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> partials: array<vec2<f32>>;
// 1/kg; 0 where held.
@group(0) @binding(5) var<storage, read> inv_mass: array<f32>;
@group(0) @binding(6) var<storage, read_write> multipliers: array<f32>;
// Slot of each corner: those of one vertex lie together.
@group(0) @binding(7) var<storage, read> destinations: array<u32>;

fn corners(c: u32) -> array<vec3<f32>, ARITY> {
    var at: array<vec3<f32>, ARITY>;
    at[CORNER] = x[stencils[ARITYu * c + CORNERu]].xyz;
    return at;
}

fn masses(c: u32) -> array<f32, ARITY> {
    var out: array<f32, ARITY>;
    out[CORNER] = inv_mass[stencils[ARITYu * c + CORNERu]];
    return out;
}

@compute @workgroup_size(GROUP)
fn fill(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let c = index(group, groups, local);
    if c >= p.n { return; }
    let g = PREFIX_gradient(PREFIX_load(c, p.n), corners(c));
    let at = p.first + ARITYu * c;
    slots[destinations[at + CORNERu]] = vec4(g[CORNER], 0.0);
}

@compute @workgroup_size(GROUP)
fn energy(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let c = index(group, groups, local);
    var mine = vec2(0.0, 0.0);
    if c < p.n { mine.x = PREFIX_value(PREFIX_load(c, p.n), corners(c)); }
    let all = group_reduce(SUM, mine, local, group.z);
    let g = group_index(group, groups);
    if local == 0u && g < group_count(p.n) { partials[p.first + g] = all; }
}
