//! Stencils: random ones, and those that break careless formulas.

use pliant::math::{Mat3, Vec3};

/// SplitMix64 (Steele, Lea, Flood 2014).
pub struct Random(pub u64);

impl Random {
    /// Uniform in [−1, 1).
    pub fn signed(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    /// Uniform in the cube [−1, 1)³.
    pub fn vector(&mut self) -> Vec3<f64> {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }
    /// Any rotation.
    pub fn rotation(&mut self) -> Mat3<f64> {
        Mat3::rotation(self.vector().unit_or(Vec3::axis(0)), 3.0 * self.signed())
    }
}

/// The longest distance from the first corner, m.
pub fn size<const N: usize>(x: &[Vec3<f64>; N]) -> f64 {
    x.iter().map(|p| (*p - x[0]).length()).fold(0.0, f64::max)
}

/// Shapes from barely disturbed to beyond recognition, turned and moved; then collapsed to a point, a line, a plane,
/// mirrored, tiny, huge, far away, with two corners joined.
pub fn stencils<const N: usize>(rest: &[Vec3<f64>; N], random: &mut Random) -> Vec<[Vec3<f64>; N]> {
    let mut out = Vec::new();
    for amplitude in [0.0, 1e-4, 0.02, 0.2, 0.5, 1.0, 2.0, 10.0] {
        for _ in 0..16 {
            let (turn, shift) = (random.rotation(), random.vector() * size(rest));
            out.push(rest.map(|p| turn * (p + random.vector() * (amplitude * size(rest))) + shift));
        }
    }
    out.extend([
        [Vec3::ZERO; N],
        [Vec3::new(3.0, -2.0, 1.0); N],
        rest.map(|p| Vec3::new(p.x, 0.0, 0.0)),
        rest.map(|p| Vec3::new(0.0, p.y, 0.0)),
        rest.map(|p| Vec3::new(p.x + p.y + p.z, 0.0, 0.0)),
        rest.map(|p| Vec3::new(p.x, p.y, 0.0)),
        rest.map(|p| Vec3::new(p.x, 0.0, p.z)),
        rest.map(|p| Vec3::new(-p.x, p.y, p.z)),
        rest.map(|p| -p),
        rest.map(|p| p * 1e-6),
        rest.map(|p| p * 1e-12),
        rest.map(|p| p * 1e4),
        rest.map(|p| -p * 1e4),
        rest.map(|p| Vec3::new(p.x * 1e4, p.y * 1e-6, p.z)),
        rest.map(|p| Vec3::new(p.x, p.y, p.z * 1e-9)),
        rest.map(|p| Vec3::new(p.x, p.y, p.z * -1e-3)),
        rest.map(|p| p + Vec3::new(1e3, 1e3, -1e3)),
        *rest,
    ]);
    for pair in 1..N {
        let mut joined = *rest;
        joined[pair] = joined[0];
        out.push(joined);
    }
    out
}

/// Matrices with any signs and magnitudes of singular values: generic, nearly singular, inverted, repeated, zero; some
/// so large or small that their squares are no numbers of f32.
pub fn matrices(random: &mut Random) -> Vec<Mat3<f64>> {
    let mut sigma =
        vec![[1.0, 1.0, 1.0], [1.0, 1.0, -1.0], [-1.0, -1.0, -1.0], [0.0; 3], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0]];
    for _ in 0..200 {
        sigma.push([0; 3].map(|_| (0.35 * random.signed()).exp()));
        sigma.push([0; 3].map(|_| 2.0 * random.signed()));
        let (s, e) = (1.0 + random.signed(), 10f64.powf(-6.0 - 6.0 * random.signed()));
        sigma.extend([[s, s * e, -s * e], [s, s * (1.0 + e), e], [s, s * e, s * e * random.signed()], [e, -1.0, 1e-3]]);
        sigma.extend([[s, s, -s * (1.0 + e)], [s, s, e * random.signed()]]);
    }
    let mut out = Vec::new();
    for s in sigma {
        out.push(random.rotation() * Mat3::diagonal(Vec3::of(s)) * random.rotation());
        out.push(Mat3::diagonal(Vec3::of(s)));
    }
    for scale in [1e-35, 1e-30, 1e-20, 1e-10, 1e10, 1e20, 1e30, 1e37] {
        let generic = [0; 3].map(|_| random.vector());
        out.push(Mat3 { c: generic } * scale);
        out.push(random.rotation() * scale);
    }
    out
}
