// Twin of collider.rs. Deviation: on a symmetry plane of a box or cylinder the side is always the positive one.

const COLLIDER_HALF_SPACE: u32 = 0u;
const COLLIDER_CAPSULE: u32 = 1u;
const COLLIDER_BOX: u32 = 2u;
const COLLIDER_CYLINDER: u32 = 3u;

/// A collider at one instant, as PosedCollider::pack writes it: seven times four numbers.
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
}

/// Signed distance, m (negative inside), and outward unit normal.
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

/// Signed distance of a point, m, and the outward unit normal there.
fn collider_distance(c: Collider, x: vec3<f32>) -> Distance {
    // v * M is Mᵀ v.
    let own = shape_distance(u32(c.kind), c.size, (x - c.centre) * c.rotation);
    return Distance(own.d, c.rotation * own.normal);
}

/// Velocity of the collider's material at a point, m/s.
fn collider_velocity_at(c: Collider, x: vec3<f32>) -> vec3<f32> {
    return c.velocity + cross(c.angular_velocity, x - c.centre);
}
