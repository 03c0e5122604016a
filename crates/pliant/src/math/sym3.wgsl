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

// a bᵀ + b aᵀ
fn sym_mixed(a: vec3<f32>, b: vec3<f32>) -> Sym3 {
    return Sym3(2.0 * a * b, a.yxx * b.zzy + a.zzy * b.yxx);
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

// U m Uᵀ, from the columns of U.
fn sym_turned(m: Sym3, U: mat3x3<f32>) -> Sym3 {
    let along = sym_add(
        sym_add(sym_scale(sym_square(U[0]), m.diagonal.x), sym_scale(sym_square(U[1]), m.diagonal.y)),
        sym_scale(sym_square(U[2]), m.diagonal.z),
    );
    let across = sym_add(
        sym_add(sym_scale(sym_mixed(U[1], U[2]), m.off.x), sym_scale(sym_mixed(U[0], U[2]), m.off.y)),
        sym_scale(sym_mixed(U[0], U[1]), m.off.z),
    );
    return sym_add(along, across);
}

// The inverse of a positive definite matrix: Σ rᵀ r / d over the rows r of L⁻¹.
fn sym_inverse(m: Sym3) -> Sym3 {
    let o = m.off;
    let l_z = o.z / m.diagonal.x;
    let l_y = o.y / m.diagonal.x;
    let d_y = m.diagonal.y - l_z * o.z;
    let rest = o.x - l_y * o.z;
    let l_x = rest / d_y;
    let d_z = m.diagonal.z - l_y * o.y - l_x * rest;
    let second = sym_scale(sym_square(vec3(-l_z, 1.0, 0.0)), 1.0 / d_y);
    let third = sym_scale(sym_square(vec3(l_z * l_x - l_y, -l_x, 1.0)), 1.0 / d_z);
    return sym_add(Sym3(vec3(1.0 / m.diagonal.x, 0.0, 0.0), vec3(0.0)), sym_add(second, third));
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
