// Twin of cover.rs; follows sym3.wgsl.

const HELD_ALONG: f32 = 1e-4;

fn covered(found: Sym3, had: Sym3) -> Sym3 {
    let now = sym_add(found, sym_scalar(sym_trace(found) * HELD_ALONG));
    let before = sym_trace(had);
    let after = sym_trace(now);
    if after >= before { return now; }
    return sym_add(now, sym_scale(had, 1.0 - after / before));
}

fn without_momentum(pushes: Sym3, plain: vec3<f32>, next: vec3<f32>) -> vec3<f32> {
    let stiffness = sym_bound(pushes);
    if stiffness == 0.0 { return next; }
    return next - sym_times(pushes, next - plain) / stiffness;
}
