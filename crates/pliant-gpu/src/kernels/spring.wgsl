// What one neighbour adds to ∇E: (c - s/‖d‖) d. A spring of length zero has no direction: it pushes its ends apart along x,
// as in spring.rs; `after` says which end this is.
fn spring_force(c: f32, s: f32, after: bool, d: vec3<f32>) -> vec3<f32> {
    let square = dot(d, d);
    let kick = select(0.0, select(s, -s, after), square < TINY);
    return (c - s * inverseSqrt(max(square, TINY))) * d + vec3(kick, 0.0, 0.0);
}
