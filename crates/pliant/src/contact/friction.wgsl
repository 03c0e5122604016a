// Twin of friction.rs.

/// The displacement of a vertex relative to the surface, with its tangential part shortened by friction, m.
fn limit_slip(relative: vec3<f32>, normal: vec3<f32>, pushed: f32, friction: f32) -> vec3<f32> {
    let along = normal * dot(relative, normal);
    let slip = relative - along;
    let slid = length(slip);
    let kept = slid - friction * pushed;
    return along + slip * select(0.0, kept / max(slid, TINY), kept > 0.0);
}
