// Twin of simplex.rs. Only the gradients of corners 1 to D are stored; corner 0 has minus their sum, so forces add up
// to zero.

/// A difference D = F − p(F) as a constraint: ‖D‖ and D/‖D‖, zero where there is no difference.
struct Distance3 {
    value: f32,
    direction: mat3x3<f32>,
}
struct Distance2 {
    value: f32,
    direction: array<vec3<f32>, 2>,
}

fn distance3(D: mat3x3<f32>) -> Distance3 {
    let square = norm_sq(D);
    return Distance3(sqrt(square), D * select(0.0, inverseSqrt(max(square, TINY)), square > TINY));
}

fn distance2(D: array<vec3<f32>, 2>) -> Distance2 {
    let square = dot(D[0], D[0]) + dot(D[1], D[1]);
    let inv = select(0.0, inverseSqrt(max(square, TINY)), square > TINY);
    return Distance2(sqrt(square), array<vec3<f32>, 2>(D[0] * inv, D[1] * inv));
}

/// The gradients of corners 1, 2, 3, as packed.
fn tet_gradients_load(at: u32, stride: u32) -> mat3x3<f32> {
    return mat3x3<f32>(
        element_data[at], element_data[at + stride], element_data[at + 2u * stride],
        element_data[at + 3u * stride], element_data[at + 4u * stride], element_data[at + 5u * stride],
        element_data[at + 6u * stride], element_data[at + 7u * stride], element_data[at + 8u * stride],
    );
}

/// F of a tetrahedron; column i of `gradients` is b of corner i + 1, 1/m.
fn tet_deformation(gradients: mat3x3<f32>, x: array<vec3<f32>, 4>) -> mat3x3<f32> {
    return mat3x3<f32>(x[1] - x[0], x[2] - x[0], x[3] - x[0]) * transpose(gradients);
}

/// P bᵢ for each corner.
fn tet_pull_back(gradients: mat3x3<f32>, P: mat3x3<f32>) -> array<vec3<f32>, 4> {
    let corners = P * gradients;
    return array<vec3<f32>, 4>(-(corners[0] + corners[1] + corners[2]), corners[0], corners[1], corners[2]);
}

/// The gradients of corners 1 and 2, as packed.
fn triangle_gradients_load(at: u32, stride: u32) -> vec3<f32> {
    return vec3<f32>(element_data[at], element_data[at + stride], element_data[at + 2u * stride]);
}

/// The two columns of F of a triangle; b₁ = gradients.xy, b₂ = (0, gradients.z), 1/m.
fn triangle_deformation(gradients: vec3<f32>, x: array<vec3<f32>, 3>) -> array<vec3<f32>, 2> {
    let e = x[1] - x[0];
    return array<vec3<f32>, 2>(e * gradients.x, e * gradients.y + (x[2] - x[0]) * gradients.z);
}

/// P bᵢ for each corner.
fn triangle_pull_back(gradients: vec3<f32>, P: array<vec3<f32>, 2>) -> array<vec3<f32>, 3> {
    let one = P[0] * gradients.x + P[1] * gradients.y;
    let two = P[1] * gradients.z;
    return array<vec3<f32>, 3>(-(one + two), one, two);
}
