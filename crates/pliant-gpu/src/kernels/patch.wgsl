// One Jacobi-Chebyshev iteration in one dispatch for elements with slots: a workgroup takes a patch of vertices, evaluates all
// elements that touch it with their forces in workgroup memory, and sweeps its vertices. Elements between patches are
// evaluated by each of them; that costs less than a second dispatch.
//
// All that can be read early is read before the first barrier, so that the waits for memory overlap: members and then their
// positions, the first element of each invocation, the data of its own vertex. What is read by the number of the patch alone
// lies in blocks of equal size.
//
// Follows force.wgsl; Rust puts before it: WIDTH, the invocations of a workgroup; OWN, the most own vertices of any patch, at
// most WIDTH; SLOTS, the most slots; MEMBER_ROUNDS, how many members each invocation reads; BLOCKS, the kinds of elements;
// HAS_ROWS. A line with TURN stands for MEMBER_ROUNDS lines; LOADS and LOOPS stand for patch_load.wgsl and
// patch_kind.wgsl of each kind.

struct Parameters {
    patches: u32,
    omega: f32,
    gamma: f32,
}
var<immediate> p: Parameters;

// The elements of one kind in one patch.
struct Block {
    // First word in `corners` and in `element_data`.
    corners: u32,
    data: u32,
    elements: u32,
    // Elements with padding, at least one: word w of element e lies at first + w stride + e.
    stride: u32,
}

// x⁻, which becomes x⁺.
@group(0) @binding(10) var<storage, read_write> out_field: array<vec4<f32>>;
// BLOCKS per patch.
@group(0) @binding(11) var<storage, read> headers: array<Block>;
// MEMBER_ROUNDS · WIDTH per patch: own vertices, then the other corners of its elements; the rest is padding.
@group(0) @binding(12) var<storage, read> members: array<u32>;
// OWN per patch: an own vertex, and where its slots start and end (16 bits each); NOBODY where there are fewer.
@group(0) @binding(13) var<storage, read> owned: array<vec2<u32>>;
// A word per corner: its member, and its slot in the upper half; NONE for vertices of other patches.
@group(0) @binding(14) var<storage, read> corners: array<u32>;
@group(0) @binding(15) var<storage, read> element_data: array<f32>;

const NONE: u32 = 0xffffu;
const NOBODY: u32 = 0xffffffffu;

var<workgroup> patch_x: array<f32, 3u * MEMBER_ROUNDS * WIDTH>;
var<workgroup> patch_slots: array<f32, 3u * SLOTS>;

fn put_member(k: u32, at: vec3<f32>) {
    patch_x[3u * k] = at.x;
    patch_x[3u * k + 1u] = at.y;
    patch_x[3u * k + 2u] = at.z;
}

fn member_at(k: u32) -> vec3<f32> {
    return vec3(patch_x[3u * k], patch_x[3u * k + 1u], patch_x[3u * k + 2u]);
}

fn put_slot(k: u32, force: vec3<f32>) {
    if k == NONE { return; }
    patch_slots[3u * k] = force.x;
    patch_slots[3u * k + 1u] = force.y;
    patch_slots[3u * k + 2u] = force.z;
}

fn slot_at(k: u32) -> vec3<f32> {
    return vec3(patch_slots[3u * k], patch_slots[3u * k + 1u], patch_slots[3u * k + 2u]);
}

// As in slots.wgsl, in the same order.
fn sum_slots(first: u32, end: u32) -> vec3<f32> {
    var k = first;
    var sum = vec3<f32>(0.0);
    for (; k + 3u < end; k += 4u) { sum += (slot_at(k) + slot_at(k + 1u)) + (slot_at(k + 2u) + slot_at(k + 3u)); }
    for (; k < end; k++) { sum += slot_at(k); }
    return sum;
}

@compute @workgroup_size(WIDTH)
fn sweep_patch(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let g = group_index(group, groups);
    if g >= p.patches { return; }
    // The last invocations take the own vertices: the first ones may have an element more.
    let k = WIDTH - 1u - local;
    var own = vec2(0u, NOBODY);
    if k < OWN { own = owned[g * OWN + k]; }
    let member_TURN = members[(g * MEMBER_ROUNDS + TURNu) * WIDTH + local];
    LOADS
    let x_TURN = x[member_TURN].xyz;
    let i = own.x;
    let is_own = own.y != NOBODY;
    var goal = vec4<f32>(0.0);
    var before = vec3<f32>(0.0);
    var inverse = 0.0;
    var contact_data = vec4<f32>(0.0);
    if is_own {
        goal = x_pull[i];
        before = out_field[i].xyz;
        inverse = inv_diagonal[i];
        if COLLIDERS > 0u { contact_data = touch[TOUCH * i]; }
    }
    put_member(TURNu * WIDTH + local, x_TURN);
    workgroupBarrier();
    LOOPS
    var xi = vec3<f32>(0.0);
    var gradient = vec3<f32>(0.0);
    if is_own {
        xi = member_at(k);
        gradient = goal.w * (xi - goal.xyz);
        if HAS_ROWS { gradient += row_force(i, xi); }
    }
    workgroupBarrier();
    if is_own {
        var f = without_contacts(gradient);
        if inverse > 0.0 {
            f.gradient += sum_slots(own.y & 0xffffu, own.y >> 16u);
            if COLLIDERS > 0u { f = with_contacts(f.gradient, xi, contact_data, grip_of(i)); }
        }
        let step = step_of(f, inverse, contact_data.w);
        out_field[i] = vec4(blended(f, step, xi, before, p.omega, p.gamma), 0.0);
    }
}
