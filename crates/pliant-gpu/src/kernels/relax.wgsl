// The verb `relax`: one colour of a Gauss-Seidel sweep on the gradient itself. Rows are sorted by colour; vertices of a colour
// have no element in common, so each may read what no other writes meanwhile.

struct Parameters {
    // Rows of the colour, and the first of them.
    n: u32,
    first: u32,
    omega: f32,
    // The first of the colour's partials.
    partial: u32,
}
var<immediate> p: Parameters;
// Vertex of each row, NOBODY where a slice is padded.
@group(0) @binding(12) var<storage, read> vertices: array<u32>;
// Of the residual, which is the sum of those of all colours.
@group(0) @binding(13) var<storage, read_write> partials: array<vec2<f32>>;

// Moves the vertex of a row; returns its part of the residual.
fn relax_row(row: u32) -> f32 {
    let i = vertices[row];
    let inverse = inv_diagonal[i];
    if inverse == 0.0 { return 0.0; }
    let xi = x[i].xyz;
    let goal = x_pull[i];
    var gradient = goal.w * (xi - goal.xyz) + row_force(row, xi);
    if HAS_SLOTS { gradient += slots_of(i); }
    var f = without_contacts(gradient);
    if CONTACTS { f = with_bodies(with_contacts(gradient, xi, touch[TOUCH * i], grip_of(i)), i); }
    let step = step_of(f, inverse, touch[TOUCH * i].w);
    x[i] = vec4(blended(f, step, xi, xi, p.omega, 1.0), 0.0);
    return dot(f.gradient, step);
}

@compute @workgroup_size(GROUP)
fn relax(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let k = index(group, groups, local);
    if k < p.n { _ = relax_row(p.first + k); }
}

// The same with the partials of the residual.
@compute @workgroup_size(GROUP)
fn relax_residual(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let k = index(group, groups, local);
    var mine = vec2(0.0, 0.0);
    if k < p.n { mine.x = relax_row(p.first + k); }
    let all = group_reduce(SUM, mine, local, group.z);
    let g = group_index(group, groups);
    if local == 0u && g < group_count(p.n) { partials[p.partial + g] = all; }
}
