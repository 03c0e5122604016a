// What the passes of a V-cycle do to one unknown, whether a pass is a dispatch (multigrid.wgsl) or all of them are one
// (coarse.wgsl). Rust puts before it the sums over rows (row_sum.wgsl).

// What is left of r; `row` is the product of the unknown's row of A with z, without contacts.
fn left_of(r: vec3<f32>, touched: Sym3, z: vec3<f32>, row: vec3<f32>) -> vec3<f32> {
    return r - (sym_times(touched, z) + row);
}

// The contact of an unknown of the next level, from its row of the restriction; `norm` bounds the rows of the interpolation.
fn restricted_contact(slice: vec2<u32>, lane: u32, norm: f32) -> Sym3 {
    if p.touching == 0u { return sym_scalar(0.0); }
    return sym_scale(Sym3(sum_diagonal(slice, lane).xyz, sum_off(slice, lane).xyz), norm);
}
