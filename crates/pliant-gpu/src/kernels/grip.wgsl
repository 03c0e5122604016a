// Where the vertices of a step come from, and their friction, from where it starts and x̃. Twin of stepping.rs. The constants COLLIDERS and TOUCH come from Rust.

struct Parameters {
    n: u32,
    // 1 if `solid` and `start_gradient` are there.
    has_solids: u32,
    // s
    h: f32,
    // The slip that is none, m.
    sticking: f32,
}
var<immediate> p: Parameters;
@group(0) @binding(0) var<storage, read> x_start: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> x_tilde: array<vec4<f32>>;
// m/h², N/m; 0 where held.
@group(0) @binding(2) var<storage, read> inertia: array<f32>;
@group(0) @binding(3) var<storage, read> colliders: array<Collider>;
// As in force.wgsl: what comes after the first line of each vertex is written.
@group(0) @binding(4) var<storage, read_write> touch: array<vec4<f32>>;
// 1 for vertices of solids.
@group(0) @binding(5) var<storage, read> solid: array<u32>;
// ∇E without colliders at x_start, N.
@group(0) @binding(6) var<storage, read> start_gradient: array<vec4<f32>>;

@compute @workgroup_size(GROUP)
fn grip(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = index(group, groups, local);
    if i >= p.n { return; }
    let own = touch[TOUCH * i];
    let start = x_start[i].xyz;
    let goal = x_tilde[i].xyz;
    // Elastic forces on solids.
    var force = vec3<f32>(0.0);
    if p.has_solids != 0u && solid[i] != 0u { force = start_gradient[i].xyz - (start - goal) * inertia[i]; }
    var most = vec4(start, 0.0);
    var pressed_by = 0.0;
    var normal = vec3<f32>(0.0);
    if own.z > 0.0 {
        for (var c = 0u; c < COLLIDERS; c++) {
            let collider = colliders[c];
            let anchor = start + collider_velocity_at(collider, start) * p.h;
            let depth = own.y - collider_distance_coming(collider, goal, anchor, own.y).d;
            if depth > 0.0 {
                let near = collider_distance(collider, anchor);
                let stopped = stopped_motion(depth, dot(anchor - goal, near.normal));
                let pressing = max(inertia[i] * stopped + dot(force, near.normal), 0.0);
                let limit = collider.friction * pressing;
                // Without friction the one that presses most says where the vertex comes from.
                if limit > most.w || (limit == most.w && pressing > pressed_by) {
                    most = vec4(anchor, limit);
                    pressed_by = pressing;
                    normal = near.normal;
                }
            }
        }
    }
    touch[TOUCH * i + 1u] = most;
    touch[TOUCH * i + 2u] = vec4(normal, p.sticking);
}
