// Position-based corrections of the elements of one kind; follows element.wgsl.

// All corrections at once, into slots.
@compute @workgroup_size(GROUP)
fn correct_all(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let c = index(group, groups, local);
    if c >= p.n { return; }
    let correction = PREFIX_correct(WORDSu * c, corners(c), masses(c), p.inv_h_sq, 0.0);
    let at = p.first + ARITYu * c;
    slots[destinations[at + CORNERu]] = vec4(correction.dx[CORNER], 0.0);
}

// The elements of one colour, in place; they share no vertex.
@compute @workgroup_size(GROUP)
fn correct_colour(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let k = index(group, groups, local);
    if k >= p.n { return; }
    let c = p.first + k;
    var multiplier = 0.0;
    if p.extended != 0u { multiplier = multipliers[c]; }
    let at = corners(c);
    let correction = PREFIX_correct(WORDSu * c, at, masses(c), p.inv_h_sq, multiplier);
    x[stencils[ARITYu * c + CORNERu]] = vec4(at[CORNER] + correction.dx[CORNER], 0.0);
    if p.extended != 0u { multipliers[c] = correction.multiplier; }
}
