// Diagonal blocks of the elements of one kind, two vectors for each corner: xx, yy, zz; yz, xz, xy; N/m. Follows element.wgsl.
@compute @workgroup_size(GROUP)
fn scale(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let c = index(group, groups, local);
    if c >= p.n { return; }
    let blocks = PREFIX_scale(PREFIX_load(c, p.n), corners(c));
    let at = p.first + ARITYu * c;
    slots[2u * destinations[at + CORNERu]] = vec4(blocks[CORNER].diagonal, 0.0);
    slots[2u * destinations[at + CORNERu] + 1u] = vec4(blocks[CORNER].off, 0.0);
}
