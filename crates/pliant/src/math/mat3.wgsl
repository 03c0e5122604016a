// Twin of mat3.rs, for what WGSL does not have itself. Matrices are stored by columns there and here.

/// Squared Frobenius norm.
fn norm_sq(m: mat3x3<f32>) -> f32 {
    return dot(m[0], m[0]) + dot(m[1], m[1]) + dot(m[2], m[2]);
}

/// det · inverseᵀ, which exists even when the inverse does not.
fn cofactor(m: mat3x3<f32>) -> mat3x3<f32> {
    return mat3x3<f32>(cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1]));
}

fn identity() -> mat3x3<f32> {
    return mat3x3<f32>(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
}
