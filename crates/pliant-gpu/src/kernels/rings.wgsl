// Several Jacobi-Chebyshev iterations in one dispatch. A workgroup takes a patch of vertices with as many rings of neighbours
// around it as there are iterations, one vertex per invocation, and keeps their rows in registers. Each iteration is right
// for one ring less; in the end the patch itself is. Rust puts before it MOST, the most iterations, and WIDTH, the invocations
// of a workgroup; ROW_VARIABLES, ROW_LOADS and ROW_FORCES stand for lines that name the entries of a row one by one.

const AFTER: u32 = 0x8000u;

struct Parameters {
    // Iterations, at most MOST.
    count: u32,
    patches: u32,
    padding: vec2<u32>,
    // ω, γ of each.
    blends: array<vec2<f32>, MOST>,
}
var<immediate> p: Parameters;

struct Patch {
    // First of its members: its own vertices, then ring after ring.
    first: u32,
    // First word of its rows, and the number of rows, a multiple of 32.
    words: u32,
    stride: u32,
    padding: u32,
    // reach[r]: members up to ring r.
    reach: array<u32, 12>,
}

@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> x_before: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> x_out: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> before_out: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> x_pull: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> inv_diagonal: array<f32>;
@group(0) @binding(6) var<storage, read> patches: array<Patch>;
@group(0) @binding(7) var<storage, read> members: array<u32>;
// Word w of row r: rows[words + w stride + r]. Two neighbours per word (16 bits, AFTER set as in the other rows), then c of
// each entry, then s of each spring.
@group(0) @binding(8) var<storage, read> rows: array<u32>;
@group(0) @binding(9) var<storage, read> colliders: array<vec4<f32>>;
@group(0) @binding(10) var<storage, read> touch: array<vec4<f32>>;

var<workgroup> shared_x: array<f32, 3u * WIDTH>;

fn at(member: u32) -> vec3<f32> {
    let k = 3u * (member & ~AFTER);
    return vec3(shared_x[k], shared_x[k + 1u], shared_x[k + 2u]);
}

@compute @workgroup_size(WIDTH)
fn rings(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let g = group_index(group, groups);
    if g >= p.patches { return; }
    let count = p.count;
    let first = patches[g].first;
    let stride = patches[g].stride;
    let inside = local < patches[g].reach[count];
    let own = local < patches[g].reach[0];
    let updated = local < patches[g].reach[count - 1u];
    var i = 0u;
    var xi = vec3<f32>(0.0);
    var before = vec3<f32>(0.0);
    var goal = vec4<f32>(0.0);
    var inverse = 0.0;
    var contact_data = vec4<f32>(0.0);
    var grip = Grip(vec3(0.0), 0.0, vec3(0.0), -1.0, 0.0);
    ROW_VARIABLES
    if inside {
        i = members[first + local];
        xi = x[i].xyz;
        shared_x[3u * local] = xi.x;
        shared_x[3u * local + 1u] = xi.y;
        shared_x[3u * local + 2u] = xi.z;
    }
    if updated {
        before = x_before[i].xyz;
        goal = x_pull[i];
        inverse = inv_diagonal[i];
        if COLLIDERS > 0u {
            contact_data = touch[TOUCH * i];
            grip = grip_of(i);
        }
        let word = patches[g].words + local;
        ROW_LOADS
    }
    workgroupBarrier();
    for (var k = 0u; k < count; k++) {
        let busy = local < patches[g].reach[count - 1u - k];
        var next = xi;
        if busy {
            var row = vec3<f32>(0.0);
            ROW_FORCES
            var f = without_contacts(goal.w * (xi - goal.xyz) + row);
            if COLLIDERS > 0u && inverse > 0.0 { f = with_contacts(f.gradient, xi, contact_data, grip); }
            let step = step_of(f, inverse, contact_data.w);
            next = blended(f, step, xi, before, p.blends[k].x, p.blends[k].y);
        }
        workgroupBarrier();
        if busy {
            before = xi;
            xi = next;
            shared_x[3u * local] = xi.x;
            shared_x[3u * local + 1u] = xi.y;
            shared_x[3u * local + 2u] = xi.z;
        }
        workgroupBarrier();
    }
    if own {
        x_out[i] = vec4(xi, 0.0);
        before_out[i] = vec4(before, 0.0);
    }
}
