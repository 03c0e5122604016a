// Twin of spring.rs. Deviation: a spring shorter than 1.1e-19 m counts as collapsed.

struct Spring {
    rest_length: f32,
    stiffness: f32,
}
struct SpringConstraint {
    value: f32,
    gradient: array<vec3<f32>, 2>,
}
/// l and n.
struct SpringFrame {
    length: f32,
    n: vec3<f32>,
}

fn spring_load(at: u32, stride: u32) -> Spring {
    return Spring(element_data[at], element_data[at + stride]);
}

fn spring_frame(x: array<vec3<f32>, 2>) -> SpringFrame {
    let d = x[0] - x[1];
    return SpringFrame(length(d), unit_or(d, vec3<f32>(1.0, 0.0, 0.0)));
}

fn spring_value(e: Spring, x: array<vec3<f32>, 2>) -> f32 {
    let stretch = length(x[0] - x[1]) - e.rest_length;
    return 0.5 * e.stiffness * stretch * stretch;
}

fn spring_gradient(e: Spring, x: array<vec3<f32>, 2>) -> array<vec3<f32>, 2> {
    let frame = spring_frame(x);
    let pull = frame.n * (e.stiffness * (frame.length - e.rest_length));
    return array<vec3<f32>, 2>(pull, -pull);
}

fn spring_compliance(e: Spring) -> f32 {
    return 1.0 / e.stiffness;
}

fn spring_constraint(e: Spring, x: array<vec3<f32>, 2>) -> SpringConstraint {
    let frame = spring_frame(x);
    return SpringConstraint(frame.length - e.rest_length, array<vec3<f32>, 2>(frame.n, -frame.n));
}
