// Twin of sym3.rs.

struct Sym3 {
    diagonal: vec3<f32>,
    // yz, xz, xy.
    off: vec3<f32>,
}

fn sym_scalar(s: f32) -> Sym3 {
    return Sym3(vec3(s), vec3(0.0));
}

// v vᵀ
fn sym_square(v: vec3<f32>) -> Sym3 {
    return Sym3(v * v, v.yxx * v.zzy);
}

fn sym_add(a: Sym3, b: Sym3) -> Sym3 {
    return Sym3(a.diagonal + b.diagonal, a.off + b.off);
}

fn sym_scale(m: Sym3, s: f32) -> Sym3 {
    return Sym3(m.diagonal * s, m.off * s);
}

fn sym_trace(m: Sym3) -> f32 {
    return m.diagonal.x + m.diagonal.y + m.diagonal.z;
}

// No eigenvalue is larger.
fn sym_bound(m: Sym3) -> f32 {
    let rows = abs(m.diagonal) + abs(m.off.yxx) + abs(m.off.zzy);
    return max(rows.x, max(rows.y, rows.z));
}

fn sym_times(m: Sym3, v: vec3<f32>) -> vec3<f32> {
    return m.diagonal * v + m.off.zzy * v.yxx + m.off.yxx * v.zzy;
}

// m⁻¹ v for a positive definite matrix, by cofactors.
fn sym_solve(m: Sym3, v: vec3<f32>) -> vec3<f32> {
    let d = m.diagonal;
    let o = m.off;
    let cofactor = Sym3(d.yxx * d.zzy - o * o, o.yxx * o.zzy - d * o);
    let det = d.x * cofactor.diagonal.x + o.z * cofactor.off.z + o.y * cofactor.off.y;
    return sym_times(cofactor, v) / det;
}
