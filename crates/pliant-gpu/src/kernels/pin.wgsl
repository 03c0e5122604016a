// A pin of the step at hand, as `PackedPin` in problem.rs packs it: step.wgsl takes vertices where it says, and shape.wgsl
// finds how much energy it has if it is a spring.
struct Pin {
    // m
    goal: vec3<f32>,
    vertex: u32,
    // N/m; held where negative.
    stiffness: f32,
    // m/h² of the vertex, N/m.
    inertia: f32,
}
