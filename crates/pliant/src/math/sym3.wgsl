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

// m⁻¹ v for a positive definite matrix, by L diag(d) Lᵀ.
fn sym_solve(m: Sym3, v: vec3<f32>) -> vec3<f32> {
    let o = m.off;
    let l_z = o.z / m.diagonal.x;
    let l_y = o.y / m.diagonal.x;
    let d_y = m.diagonal.y - l_z * o.z;
    let rest = o.x - l_y * o.z;
    let l_x = rest / d_y;
    let d_z = m.diagonal.z - l_y * o.y - l_x * rest;
    let y = v.y - l_z * v.x;
    let z = (v.z - l_y * v.x - l_x * y) / d_z;
    let solved_y = y / d_y - l_x * z;
    return vec3(v.x / m.diagonal.x - l_z * solved_y - l_y * z, solved_y, z);
}
