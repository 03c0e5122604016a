// Twin of facing.rs; follows vec3.wgsl. Who uses it has `triangles` and `x`.

// Cos and sin 30°.
const FACING_OFF: vec2<f32> = vec2(0.8660254, 0.5);
const FACING_NO_WAY: f32 = 0.1;

// A cone of normals: its axis, of length one or zero if any way is as good, and the sine of its half angle.
struct Facing {
    axis: vec3<f32>,
    sin: f32,
}

const FACING_ANY: Facing = Facing(vec3(0.0, 0.0, 0.0), 0.0);

// Across triangle t, twice its area long, m².
fn triangle_normal(t: u32) -> vec3<f32> {
    let corners = triangles[t];
    let a = x[corners.x].xyz;
    return cross(x[corners.y].xyz - a, x[corners.z].xyz - a);
}

// The axis of normals with this sum, whose lengths add up to `all`; zero if there is none.
fn facing_axis(sum: vec3<f32>, all: f32) -> vec3<f32> {
    let size = length(sum);
    // As the square root of the smallest number; what is not finite is not smaller than the largest.
    let faces = size > all * FACING_NO_WAY && size > 1.1e-19 && size < 1e30;
    return select(vec3(0.0), sum / max(size, 1.1e-19), faces);
}

// Sine of the angle from the axis to a normal; 1 if it is more than 90°. Sines, because small angles are lost in a cosine.
fn facing_sine(axis: vec3<f32>, normal: vec3<f32>) -> f32 {
    let unit = unit_or(normal, axis);
    return select(1.0, min(length(cross(unit, axis)), 1.0), dot(unit, axis) > 0.0);
}

fn facing_is_any(facing: Facing) -> bool {
    return all(facing.axis == vec3(0.0));
}

fn facing_cos(facing: Facing) -> f32 {
    return sqrt(max(1.0 - facing.sin * facing.sin, 0.0));
}

// Sine of the half angle; 1 if any way is as good.
fn facing_width(facing: Facing) -> f32 {
    return select(facing.sin, 1.0, facing_is_any(facing));
}

// Cosine of the angle from the axis, on either side, beyond which an offset is far off.
fn facing_far(facing: Facing) -> f32 {
    return facing_cos(facing) * FACING_OFF.x - facing.sin * FACING_OFF.y;
}

fn facing_is_far_off(facing: Facing, offset: vec3<f32>) -> bool {
    return !facing_is_any(facing) && abs(dot(facing.axis, offset)) < facing_far(facing) * length(offset);
}

// The unit vector nearest to `direction`, of length one, in which the surface faces on the same side.
fn facing_nearest(facing: Facing, direction: vec3<f32>) -> vec3<f32> {
    let along = dot(facing.axis, direction);
    let cos = facing_cos(facing);
    if facing_is_any(facing) || abs(along) >= cos || abs(along) < facing_far(facing) { return direction; }
    let axis = select(facing.axis, -facing.axis, along < 0.0);
    let across = unit_or(direction - facing.axis * along, vec3(0.0));
    return unit_or(axis * cos + across * facing.sin, axis);
}
