// What every module starts with. Rust puts `const GROUP: u32`, the number of invocations in a workgroup (a power of
// two), before it. A kernel opens with
//   @compute @workgroup_size(GROUP)
//   fn name(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
//           @builtin(local_invocation_index) local: u32)
// and `groups.z` is always 1, so `group.z` is always 0, which no compiler knows: see `opaque`.

// Number of this workgroup. Large dispatches are two-dimensional.
fn group_index(group: vec3<u32>, groups: vec3<u32>) -> u32 {
    return group.y * groups.x + group.x;
}

// Number of this invocation.
fn index(group: vec3<u32>, groups: vec3<u32>, local: u32) -> u32 {
    return group_index(group, groups) * GROUP + local;
}

// Workgroups that n invocations fill. A two-dimensional dispatch may have more; they must not write partials.
fn group_count(n: u32) -> u32 {
    return (n + GROUP - 1u) / GROUP;
}

// x, in a way that hides from the compiler how it was computed. WGSL lets compilers treat f32 as real numbers, and they
// do: Mesa turns (a + b) - a into b. `zero` is 0, but only at run time.
fn opaque(x: f32, zero: u32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) ^ zero);
}

fn is_nan(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}

// A pair (high, low) stands for the number high + low, with |low| at most half a unit in the last place of high: 48
// bits of precision.

// a + b without error (Knuth).
fn two_sum(a: f32, b: f32, zero: u32) -> vec2<f32> {
    let s = opaque(a + b, zero);
    let b_part = opaque(s - a, zero);
    let a_part = opaque(s - b_part, zero);
    return vec2(s, opaque(a - a_part, zero) + opaque(b - b_part, zero));
}

// a b without error but underflow (Dekker). Factors are split by bits: fma need not be fused in WGSL.
fn two_product(a: f32, b: f32, zero: u32) -> vec2<f32> {
    let p = opaque(a * b, zero);
    let a_high = bitcast<f32>(bitcast<u32>(a) & 0xfffff000u);
    let b_high = bitcast<f32>(bitcast<u32>(b) & 0xfffff000u);
    let a_low = opaque(a - a_high, zero);
    let b_low = opaque(b - b_high, zero);
    let rest = opaque(opaque(opaque(a_high * b_high - p, zero) + a_high * b_low, zero) + a_low * b_high, zero);
    return vec2(p, rest + a_low * b_low);
}

// Sum of two pairs.
fn pair_add(a: vec2<f32>, b: vec2<f32>, zero: u32) -> vec2<f32> {
    let high = two_sum(a.x, b.x, zero);
    let low = two_sum(a.y, b.y, zero);
    let sum = two_sum(high.x, opaque(high.y + low.x, zero), zero);
    return two_sum(sum.x, opaque(sum.y + low.y, zero), zero);
}

// Dot product of two vectors as a pair.
fn pair_dot(a: vec3<f32>, b: vec3<f32>, zero: u32) -> vec2<f32> {
    let xy = pair_add(two_product(a.x, b.x, zero), two_product(a.y, b.y, zero), zero);
    return pair_add(xy, two_product(a.z, b.z, zero), zero);
}

// Reductions. The numbers are those of `Reduction` in Rust.
const SUM: u32 = 0u;
const MAX: u32 = 1u;
const MIN: u32 = 2u;

// The pair that changes nothing: 0, -∞ or +∞.
fn neutral(reduction: u32, zero: u32) -> vec2<f32> {
    if reduction == MAX { return vec2(bitcast<f32>(0xff800000u ^ zero), 0.0); }
    if reduction == MIN { return vec2(bitcast<f32>(0x7f800000u ^ zero), 0.0); }
    return vec2(0.0, 0.0);
}

// Two pairs into one. Maxima and minima look at the high part only and keep a NaN.
fn combine(reduction: u32, a: vec2<f32>, b: vec2<f32>, zero: u32) -> vec2<f32> {
    if reduction == SUM { return pair_add(a, b, zero); }
    if is_nan(a.x) { return a; }
    if is_nan(b.x) { return b; }
    // In brackets: `x < y, x > …` would be read as a list of template arguments.
    return select(b, a, select((a.x < b.x), (a.x > b.x), reduction == MAX));
}

var<workgroup> reduced: array<vec2<f32>, GROUP>;

// Reduces one pair per invocation over the workgroup, always in the same order. All invocations must call it; the one
// with `local == 0` gets the result.
fn group_reduce(reduction: u32, mine: vec2<f32>, local: u32, zero: u32) -> vec2<f32> {
    workgroupBarrier();
    reduced[local] = mine;
    for (var half = GROUP / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if local < half {
            reduced[local] = combine(reduction, reduced[local], reduced[local + half], zero);
        }
    }
    return reduced[local];
}
