// Contacts on the diagonal of A. The module has `p.touching`, 1 where anything may touch, and a buffer `contact` of blocks,
// N/m, in two vectors each: xx, yy, zz; yz, xz, xy.
fn contact_of(k: u32) -> Sym3 {
    if p.touching == 0u { return sym_scalar(0.0); }
    return Sym3(contact[2u * k].xyz, contact[2u * k + 1u].xyz);
}

// (D + contact)⁻¹ r, from 1/D, which is 0 where nothing moves.
fn divided(contact: Sym3, inverse: f32, r: vec3<f32>) -> vec3<f32> {
    // Contacts are positive semi-definite: without a diagonal there is nothing.
    if inverse == 0.0 || all(contact.diagonal == vec3(0.0)) { return r * inverse; }
    return sym_solve(sym_add(contact, sym_scalar(1.0 / inverse)), r);
}
