// How far the elements of one kind are converted because they are crushed: l, the last of the words of each. Twin of
// model/conversion.rs. Rust writes PREFIX, ARITY and WORDS, repeats lines with CORNER, and puts the formulas before it.

struct Parameters {
    n: u32,
    // First of the shares of this kind, and first partial.
    first: u32,
    partial: u32,
    // How much of a conversion is undone at most.
    undone: f32,
}
var<immediate> p: Parameters;
@group(0) @binding(0) var<storage, read_write> element_data: array<f32>;
@group(0) @binding(1) var<storage, read> stencils: array<u32>;
@group(0) @binding(2) var<storage, read> x: array<vec4<f32>>;
// Of each element the number that it has in the model.
@group(0) @binding(3) var<storage, read> items: array<u32>;
// l in the order of the model.
@group(0) @binding(4) var<storage, read_write> shares: array<f32>;
// How many have changed.
@group(0) @binding(5) var<storage, read_write> partials: array<vec2<f32>>;

fn renewed(c: u32, before: f32) -> f32 {
    var at: array<vec3<f32>, ARITY>;
    at[CORNER] = x[stencils[ARITYu * c + CORNERu]].xyz;
    let now = PREFIX_share(PREFIX_load(c, p.n), at);
    return clamp(max(now, before - p.undone), 0.0, 1.0);
}

@compute @workgroup_size(GROUP)
fn convert(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let c = index(group, groups, local);
    var mine = vec2(0.0, 0.0);
    if c < p.n {
        let item = p.first + items[c];
        let before = shares[item];
        let share = renewed(c, before);
        if share != before { mine.x = 1.0; }
        shares[item] = share;
        element_data[c + (WORDSu - 1u) * p.n] = share;
    }
    let all = group_reduce(SUM, mine, local, group.z);
    let g = group_index(group, groups);
    if local == 0u && g < group_count(p.n) { partials[p.partial + g] = all; }
}
