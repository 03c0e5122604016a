// What contacts between bodies do to one vertex in a sweep, where touches.wgsl looked at them last. The constant BODIES,
// whether bodies feel each other, comes from Rust.

// Two vectors of each contact: force, N, and stiffness along the normal, N/m; normal, and stiffness of friction, N/m. Forces
// are per weight, stiffnesses per magnitude of it.
@group(0) @binding(10) var<storage, read> felt: array<vec4<f32>>;
// Where the corners of each vertex begin, and where the last one's end; then corners, CORNER words each: number of the contact,
// and as floats its weight, the push that it may have at the inertial target, and the most that it may ever have, both N/m.
@group(0) @binding(11) var<storage, read> corners: array<u32>;

const CORNER: u32 = 4u;

// What contacts with other bodies add to the force on vertex i.
fn with_bodies(f: Force, i: u32) -> Force {
    var out = f;
    if !BODIES { return out; }
    let end = corners[i + 1u];
    for (var k = corners[i]; k < end; k += CORNER) {
        let touched = corners[k];
        let weight = bitcast<f32>(corners[k + 1u]);
        let force = felt[2u * touched];
        let normal = felt[2u * touched + 1u];
        let across = sym_square(normal.xyz);
        out.gradient += force.xyz * weight;
        out.push = sym_add(out.push, sym_scale(across, abs(weight) * force.w));
        let stiffness = abs(weight) * normal.w;
        out.friction = sym_add(out.friction, sym_add(sym_scalar(stiffness), sym_scale(across, -stiffness)));
    }
    return out;
}

// Blocks of the contacts of vertex i that would be active at the inertial target, N/m.
fn coming_bodies(i: u32) -> Sym3 {
    var sum = sym_scalar(0.0);
    if !BODIES { return sum; }
    let end = corners[i + 1u];
    for (var k = corners[i]; k < end; k += CORNER) {
        let normal = felt[2u * corners[k] + 1u].xyz;
        sum = sym_add(sum, sym_scale(sym_square(normal), bitcast<f32>(corners[k + 2u])));
    }
    return sum;
}

// Stiffness of contacts at vertex i with their friction at most, N/m.
fn bound_by_bodies(i: u32) -> f32 {
    var sum = 0.0;
    if !BODIES { return sum; }
    let end = corners[i + 1u];
    for (var k = corners[i]; k < end; k += CORNER) { sum += bitcast<f32>(corners[k + 3u]); }
    return sum;
}
