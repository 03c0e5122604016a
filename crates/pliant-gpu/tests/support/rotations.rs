//! Nearest rotations and singular values in WGSL.
//!
//! Bounds, those of the Rust twin's own test with room for square roots that are 2.5 ulp off: a nearest rotation moves
//! by ε ‖F‖/(σ₁ + σ₂) when F is rounded; unique or not, it reaches tr(RᵀF) = σ₀ + σ₁ + σ₂ up to ε ‖F‖.

use super::elements::EPS;
use super::random::{Random, matrices};
use super::{Gpu, as_written_and_sloppy};
use pliant::math::svd::svd_3x2;
use pliant::math::{self, Mat3, Vec3, polar_rotation, svd};

const KERNEL: &str = "
@group(0) @binding(0) var<storage, read> matrices: array<f32>;
@group(0) @binding(1) var<storage, read_write> result: array<mat3x3<f32>>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if 9u * i >= arrayLength(&matrices) {
        return;
    }
    var F: mat3x3<f32>;
    for (var c = 0u; c < 3u; c++) {
        F[c] = vec3<f32>(matrices[9u * i + 3u * c], matrices[9u * i + 3u * c + 1u], matrices[9u * i + 3u * c + 2u]);
    }
    let solid = svd(F);
    let sheet = svd_3x2(F[0], F[1]);
    let pair = polar_3x2(F[0], F[1]);
    result[7u * i] = polar_rotation(F);
    result[7u * i + 1u] = solid.u;
    result[7u * i + 2u] = solid.v;
    result[7u * i + 3u] = mat3x3<f32>(solid.sigma, sheet.sigma, vec3<f32>(0.0));
    result[7u * i + 4u] = sheet.u;
    result[7u * i + 5u] = sheet.v;
    result[7u * i + 6u] = mat3x3<f32>(pair[0], pair[1], cross(pair[0], pair[1]));
}
";

fn norm(m: Mat3<f64>) -> f64 {
    // Squares of 1e37 are numbers of f64, so no scaling.
    m.norm_sq().sqrt()
}

fn check_rotation(name: &str, m: Mat3<f64>, F: Mat3<f64>) {
    let error = norm(m.transpose() * m - Mat3::IDENTITY);
    assert!(error <= 32.0 * EPS && (m.det() - 1.0).abs() <= 32.0 * EPS, "{name}: {m:?} is no rotation, of {F:?}");
}

fn check_svd(name: &str, [u, v]: [Mat3<f64>; 2], sigma: Vec3<f64>, F: Mat3<f64>) {
    check_rotation(name, u, F);
    check_rotation(name, v, F);
    let size = norm(F);
    let round = 16.0 * EPS * size;
    assert!(sigma.x + round >= sigma.y && sigma.y + round >= sigma.z.abs(), "{name}: {sigma:?} of {F:?}");
    let error = norm(u * Mat3::diagonal(sigma) * v.transpose() - F);
    assert!(error <= 32.0 * EPS * size, "{name}: rebuilt {error:e} off {F:?}");
}

/// The error of a nearest rotation, in units of its bound.
fn check_nearest(found: Mat3<f64>, F: Mat3<f64>) -> f64 {
    check_rotation("polar", found, F);
    let oracle = svd(F);
    let (size, best) = (norm(F), oracle.sigma.x + oracle.sigma.y + oracle.sigma.z);
    let reached = found.dot(F);
    assert!(reached >= best - 64.0 * EPS * size, "polar: tr(R'F) is {reached:e}, best {best:e}, of {F:?}");
    let condition = size / (oracle.sigma.y + oracle.sigma.z).max(1e-300);
    if condition * EPS > 1e-2 || size == 0.0 {
        return 0.0;
    }
    let (error, bound) = (norm(found - oracle.rotation()), 24.0 * EPS * condition);
    assert!(error <= bound, "polar: {error:e} off, bound {bound:e}, of {F:?}");
    error / bound
}

fn check_pair([a, b]: [Vec3<f64>; 2], F: [Vec3<f64>; 2]) {
    let worst = (a.length() - 1.0).abs().max((b.length() - 1.0).abs()).max(a.dot(b).abs());
    assert!(worst <= 16.0 * EPS, "polar_3x2: {a:?}, {b:?} are not orthonormal, of {F:?}");
    let oracle = svd_3x2(F).sigma;
    let size = (F[0].length_sq() + F[1].length_sq()).sqrt();
    assert!(a.dot(F[0]) + b.dot(F[1]) >= oracle.x + oracle.y - 32.0 * EPS * size, "polar_3x2 of {F:?} is not nearest");
}

/// All of it, on all adapters.
pub fn check_rotations() {
    let F: Vec<Mat3<f32>> = matrices(&mut Random(5)).into_iter().map(|m| m.cast()).collect();
    let flat: Vec<f32> = F.iter().flat_map(|m| m.c).flat_map(|v| [v.x, v.y, v.z]).collect();
    let sources = as_written_and_sloppy(&format!("{}{KERNEL}", math::WGSL));
    for (gpu, source) in Gpu::all().iter().flat_map(|gpu| sources.iter().map(move |source| (gpu, source))) {
        let out = gpu.run(source, &[&flat], F.len() * 7 * 12, F.len());
        let (mut worst, mut apart) = (0.0f64, 0.0f64);
        for (i, F) in F.iter().enumerate() {
            let wide = F.cast::<f64>();
            let matrix = |k: usize| {
                let at = 12 * (7 * i + k);
                Mat3 { c: std::array::from_fn(|c| Vec3::of([0, 1, 2].map(|r| f64::from(out[at + 4 * c + r])))) }
            };
            worst = worst.max(check_nearest(matrix(0), wide));
            let [solid, sheet, _] = matrix(3).c;
            check_svd("svd", [matrix(1), matrix(2)], solid, wide);
            let two = Mat3::from_columns(wide.c[0], wide.c[1], Vec3::ZERO);
            check_svd("svd_3x2", [matrix(4), matrix(5)], sheet, two);
            check_pair([matrix(6).c[0], matrix(6).c[1]], [wide.c[0], wide.c[1]]);
            // An element as it mostly is: both twins take the closed form and round alike.
            let oracle = svd(wide).sigma;
            if oracle.z > 0.5 && oracle.x < 2.0 {
                apart = apart.max(norm(matrix(0) - polar_rotation(*F).cast()));
            }
        }
        assert!(apart > 0.0 && apart <= 16.0 * EPS, "{}: {apart:e} from the f32 twin", gpu.name);
        eprintln!("{}: nearest rotations {worst:.3} of the bound, {:.1} ulp from the f32 twin", gpu.name, apart / EPS);
    }
}
