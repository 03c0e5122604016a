// (D + contact)⁻¹ r, from 1/D, which is 0 where nothing moves.
fn divided(contact: Sym3, inverse: f32, r: vec3<f32>) -> vec3<f32> {
    // Contacts are positive semi-definite: without a diagonal there is nothing.
    if inverse == 0.0 || all(contact.diagonal == vec3(0.0)) { return r * inverse; }
    return sym_solve(sym_add(contact, sym_scalar(1.0 / inverse)), r);
}
