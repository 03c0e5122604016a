// Verbs on fields: one invocation per point.

struct Parameters {
    n: u32,
    // Factor: 0 the value, 1 first over second, 2 minus that.
    kind: u32,
    first: u32,
    second: u32,
    value: f32,
    // Of blend.
    gamma: f32,
}

var<immediate> p: Parameters;
@group(0) @binding(0) var<storage, read> scalars: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4<f32>>;

fn factor() -> f32 {
    if p.kind == 0u { return p.value; }
    let divisor = scalars[p.second].x;
    if divisor == 0.0 { return 0.0; }
    let ratio = scalars[p.first].x / divisor;
    return select(ratio, -ratio, p.kind == 2u);
}

// y += a x
@compute @workgroup_size(GROUP)
fn axpy(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) local: u32) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    y[i] += factor() * x[i];
}

// y = x + a y
@compute @workgroup_size(GROUP)
fn xpay(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) local: u32) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    y[i] = x[i] + factor() * y[i];
}

// y = x
@compute @workgroup_size(GROUP)
fn copy(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) local: u32) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    y[i] = x[i];
}

// y = x unless the first scalar is at most the second
@compute @workgroup_size(GROUP)
fn copy_unless_lower(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                     @builtin(local_invocation_index) local: u32) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    let a = scalars[p.first];
    let b = scalars[p.second];
    let is_lower = (a.x < b.x) || (a.x == b.x && a.y <= b.y);
    if is_nan(a.x) || is_nan(b.x) || !is_lower { y[i] = x[i]; }
}

@group(0) @binding(0) var<storage, read_write> z: array<vec4<f32>>;

// z = 0
@compute @workgroup_size(GROUP)
fn clear(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
         @builtin(local_invocation_index) local: u32) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    z[i] = vec4(0.0);
}

@group(0) @binding(0) var<storage, read> x_hat: array<vec4<f32>>;

// y = y + omega (gamma (x_hat - x) + x - y), with omega the value
@compute @workgroup_size(GROUP)
fn blend(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
         @builtin(local_invocation_index) local: u32) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    let here = x[i];
    let before = y[i];
    y[i] = before + p.value * (p.gamma * (x_hat[i] - here) + (here - before));
}

// y = y + omega (x - gamma z - y), with omega the value and z in the place of x_hat
@compute @workgroup_size(GROUP)
fn descend(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
           @builtin(local_invocation_index) local: u32) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    let before = y[i];
    y[i] = before + p.value * (x[i] - p.gamma * x_hat[i] - before);
}

@group(0) @binding(2) var<storage, read_write> partials: array<vec2<f32>>;

// partials = x_hat . x, one per workgroup
@compute @workgroup_size(GROUP)
fn dot_partials(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                @builtin(local_invocation_index) local: u32) {
    let i = index(group, groups, local);
    var mine = vec2(0.0, 0.0);
    if i < p.n {
        mine = pair_dot(x_hat[i].xyz, x[i].xyz, group.z);
    }
    let all = group_reduce(SUM, mine, local, group.z);
    let g = group_index(group, groups);
    if local == 0u && g < group_count(p.n) {
        partials[g] = all;
    }
}

@group(0) @binding(0) var<storage, read_write> slots: array<vec2<f32>>;

// slots[second] = slots[first]
@compute @workgroup_size(1)
fn copy_scalar() {
    slots[p.second] = slots[p.first];
}
