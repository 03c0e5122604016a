// Twin of collider.rs. Deviation: on a symmetry plane of a box or cylinder the side is always the positive one.
//
// The module has a buffer `colliders` of vectors: seven for each collider, as PosedCollider::pack writes them, then grids, as
// DistanceGrid::pack does. The constant GRIDS says whether there are any.

const COLLIDER_HALF_SPACE: u32 = 0u;
const COLLIDER_CAPSULE: u32 = 1u;
const COLLIDER_BOX: u32 = 2u;
const COLLIDER_CYLINDER: u32 = 3u;
const COLLIDER_GRID: u32 = 4u;

/// A collider at one instant.
struct Collider {
    centre: vec3<f32>,
    /// One of the numbers above.
    kind: f32,
    /// Normal of a half-space; radius and half height of a capsule or cylinder; half extents of a box.
    size: vec3<f32>,
    friction: f32,
    rotation: mat3x3<f32>,
    velocity: vec3<f32>,
    /// A slip of a step below this is none, m, wherever friction is soft enough.
    sticking: f32,
    angular_velocity: vec3<f32>,
    /// Points of its grid along x, y and z, and the vector where it starts.
    grid_counts: vec3<f32>,
    grid_at: f32,
}

/// Collider number k.
fn collider_at(k: u32) -> Collider {
    let centre = colliders[7u * k];
    let size = colliders[7u * k + 1u];
    let a = colliders[7u * k + 2u];
    let b = colliders[7u * k + 3u];
    let c = colliders[7u * k + 4u];
    let velocity = colliders[7u * k + 5u];
    let spin = colliders[7u * k + 6u];
    return Collider(
        centre.xyz, centre.w, size.xyz, size.w, mat3x3<f32>(a.xyz, b.xyz, c.xyz), velocity.xyz, velocity.w, spin.xyz,
        vec3(a.w, b.w, c.w), spin.w,
    );
}

/// Signed distance, m (negative inside), and its gradient: the outward normal, of length one but for grids, where it is about
/// that long.
struct Distance {
    d: f32,
    normal: vec3<f32>,
}

/// Distance to, and normal of, the region q ≤ 0 (all components): a box seen from its positive corner.
fn corner_distance(q: vec3<f32>) -> Distance {
    let outside = max(q, vec3<f32>(0.0));
    let square = dot(outside, outside);
    if square > TINY {
        return Distance(sqrt(square), outside * inverseSqrt(square));
    }
    if q.y >= q.x && q.y >= q.z {
        return Distance(q.y, vec3<f32>(0.0, 1.0, 0.0));
    }
    if q.x >= q.z {
        return Distance(q.x, vec3<f32>(1.0, 0.0, 0.0));
    }
    return Distance(q.z, vec3<f32>(0.0, 0.0, 1.0));
}

/// Distance in the collider's own frame.
fn shape_distance(kind: u32, size: vec3<f32>, p: vec3<f32>) -> Distance {
    let side = select(vec3<f32>(-1.0), vec3<f32>(1.0), p >= vec3<f32>(0.0));
    switch kind {
        case COLLIDER_HALF_SPACE: {
            return Distance(dot(p, size), size);
        }
        case COLLIDER_CAPSULE: {
            let out = vec3<f32>(p.x, p.y - clamp(p.y, -size.y, size.y), p.z);
            return Distance(length(out) - size.x, unit_or(out, vec3<f32>(0.0, 1.0, 0.0)));
        }
        case COLLIDER_BOX: {
            let corner = corner_distance(abs(p) - size);
            return Distance(corner.d, corner.normal * side);
        }
        default: {
            let across = vec3<f32>(p.x, 0.0, p.z);
            // The third component is far inside.
            let corner = corner_distance(vec3<f32>(length(across) - size.x, abs(p.y) - size.y, -9e18));
            let round = unit_or(across, vec3<f32>(1.0, 0.0, 0.0));
            return Distance(corner.d, round * corner.normal.x + vec3<f32>(0.0, corner.normal.y * side.y, 0.0));
        }
    }
}

/// Signed distance of a point, m, and its gradient there.
fn collider_distance(c: Collider, x: vec3<f32>) -> Distance {
    // v * M is Mᵀ v.
    let p = (x - c.centre) * c.rotation;
    var own: Distance;
    if GRIDS {
        if u32(c.kind) == COLLIDER_GRID {
            own = grid_distance(u32(c.grid_at), c.grid_counts, p);
            return Distance(own.d, c.rotation * own.normal);
        }
    }
    own = shape_distance(u32(c.kind), c.size, p);
    return Distance(own.d, c.rotation * own.normal);
}

/// The same with a normal of length one: for planes, slips and ways to the surface. Where it has that length already nothing is
/// rounded again.
fn with_unit_normal(c: Collider, near: Distance) -> Distance {
    if GRIDS {
        if u32(c.kind) == COLLIDER_GRID {
            return Distance(near.d, unit_or(near.normal, vec3<f32>(0.0, 1.0, 0.0)));
        }
    }
    return near;
}

/// Velocity of the collider's material at a point, m/s.
fn collider_velocity_at(c: Collider, x: vec3<f32>) -> vec3<f32> {
    return c.velocity + cross(c.angular_velocity, x - c.centre);
}
