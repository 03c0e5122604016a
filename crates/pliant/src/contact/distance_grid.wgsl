// Twin of distance_grid.rs. The module has the buffer `colliders`; collider.wgsl says what is in it.

// Number i of the grid whose head is vector `first`.
fn grid_value(first: u32, i: u32) -> f32 {
    return colliders[first + 1u + i / 4u][i % 4u];
}

// Value and slope along x, per cell, at a share of the way from number i to the next.
fn grid_edge(first: u32, i: u32, share: f32) -> vec2<f32> {
    let a = grid_value(first, i);
    let b = grid_value(first, i + 1u);
    return vec2(a + (b - a) * share, b - a);
}

// Value and slopes along x and y, per cell, on a face across z.
fn grid_face(first: u32, i: u32, row: u32, share: vec3<f32>) -> vec3<f32> {
    let a = grid_edge(first, i, share.x);
    let b = grid_edge(first, i + row, share.x);
    return vec3(a + (b - a) * share.y, b.x - a.x);
}

// Distance from a grid of so many points along x, y and z, in its own frame.
fn grid_distance(first: u32, counts: vec3<f32>, p: vec3<f32>) -> Distance {
    let head = colliders[first];
    let q = clamp(p, head.xyz, head.xyz + (counts - 1.0) * head.w);
    let u = (q - head.xyz) / head.w;
    let before = min(floor(u), counts - 2.0);
    let share = u - before;
    let size = vec3<u32>(counts);
    // What is not a number may become any.
    let at = min(vec3<u32>(before), size - 2u);
    let i = at.x + size.x * (at.y + size.y * at.z);
    let a = grid_face(first, i, size.x, share);
    let b = grid_face(first, i + size.x * size.y, size.x, share);
    let between = a + (b - a) * share.z;
    let slope = vec3(between.y, between.z, b.x - a.x) / head.w;
    let out = p - q;
    let square = dot(out, out);
    if square <= TINY { return Distance(between.x, slope); }
    return Distance(between.x + sqrt(square), select(slope, vec3(0.0), out != vec3(0.0)) + out * inverseSqrt(square));
}
