//! Bending that is quadratic in x, for surfaces that are flat at rest. Bergou, Wardetzky, Harmon, Zorin, Grinspun 2006,
//! "A quadratic bending model for inextensible surfaces", eq 5: with e₀ the hinge edge, e₁, e₂ the edges from its
//! start to the opposite corners, e₃, e₄ those from its end, and c_jk the cotangent of the angle between e_j and e_k,
//!
//! ```text
//! K = (c₀₃ + c₀₄, c₀₁ + c₀₂, −c₀₁ − c₀₃, −c₀₂ − c₀₄),    Ψ = k_b/2 · 3/(A₀ + A₁) · ‖K x‖²
//! ```
//!
//! Constant Hessian: projective dynamics puts it into the matrix and has no local step (course 2.3).
//!
//! | symbol | code | |
//! |---|---|---|
//! | K | `stencil` | 1 |
//! | k_b · 3/(A₀+A₁) | `weight` | N/m |

use super::error::not_negative;
use super::simplex::RestTriangle;
use super::{Compliant, Energy, Hessian, LocalStep, MaterialError, Projective, WgslTwin};
use crate::math::{Mat3, Real, Vec3};

/// A hinge: edge_a, edge_b, opposite_0, opposite_1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuadraticBending<R> {
    /// K: one number per corner, dimensionless; sums to zero.
    pub stencil: [R; 4],
    /// k_b · 3/(A₀ + A₁), N/m.
    pub weight: R,
}

impl QuadraticBending<f64> {
    /// From rest positions, m, and bending stiffness k_b, N·m. A rest shape that is folded is unfolded, because the
    /// cotangents see each triangle alone.
    pub fn new(rest: [Vec3<f64>; 4], stiffness: f64) -> Result<Self, MaterialError> {
        let (stencil, weight) = cotangent_stencil("quadratic bending", rest, stiffness)?;
        Ok(Self { stencil, weight })
    }
}

/// K and k_b · 3/(A₀ + A₁) of a hinge.
pub(super) fn cotangent_stencil(
    element: &'static str,
    rest: [Vec3<f64>; 4],
    stiffness: f64,
) -> Result<([f64; 4], f64), MaterialError> {
    let stiffness = not_negative(element, "stiffness", stiffness, "a finite number >= 0 N*m")?;
    let [a, b, p, q] = rest;
    let area = RestTriangle::new(element, [a, b, p])?.measure + RestTriangle::new(element, [b, a, q])?.measure;
    let cot = |u: Vec3<f64>, v: Vec3<f64>| u.dot(v) / u.cross(v).length();
    let e = b - a;
    let (c01, c02) = (cot(e, p - a), cot(e, q - a));
    let (c03, c04) = (cot(-e, p - b), cot(-e, q - b));
    Ok(([c03 + c04, c01 + c02, -c01 - c03, -c02 - c04], 3.0 * stiffness / area))
}

/// K x, from differences to the first corner: K sums to zero, and a sheet far from the origin keeps its digits.
#[inline(always)]
pub(super) fn curvature<R: Real>(stencil: &[R; 4], x: &[Vec3<R>; 4]) -> Vec3<R> {
    (x[1] - x[0]) * stencil[1] + (x[2] - x[0]) * stencil[2] + (x[3] - x[0]) * stencil[3]
}

impl<R: Real> QuadraticBending<R> {
    /// The same hinge in another precision.
    pub fn cast<S: Real>(&self) -> QuadraticBending<S> {
        QuadraticBending { stencil: self.stencil.map(|k| S::of(k.f64())), weight: S::of(self.weight.f64()) }
    }
}

impl<R: Real> Energy<R, 4> for QuadraticBending<R> {
    #[inline]
    fn value(&self, x: &[Vec3<R>; 4]) -> R {
        R::of(0.5) * self.weight * curvature(&self.stencil, x).length_sq()
    }
    #[inline]
    fn gradient(&self, x: &[Vec3<R>; 4]) -> [Vec3<R>; 4] {
        let pull = curvature(&self.stencil, x) * self.weight;
        self.stencil.map(|k| pull * k)
    }
    fn hessian_psd(&self, _: &[Vec3<R>; 4]) -> Hessian<R, 4> {
        self.stiffness().map(|row| row.map(Mat3::scalar))
    }
    fn hessian_diagonal(&self, _: &[Vec3<R>; 4]) -> [Mat3<R>; 4] {
        self.stencil.map(|k| Mat3::scalar(k * k * self.weight))
    }
}

impl<R: Real> Projective<R, 4> for QuadraticBending<R> {
    const LOCAL: LocalStep = LocalStep::None;
    fn stiffness(&self) -> [[R; 4]; 4] {
        self.stencil.map(|a| self.stencil.map(|b| a * b * self.weight))
    }
    #[inline]
    fn project(&self, _: &[Vec3<R>; 4]) -> [Vec3<R>; 4] {
        [Vec3::ZERO; 4]
    }
}

impl<R: Real> Compliant<R, 4> for QuadraticBending<R> {
    #[inline]
    fn compliance(&self) -> R {
        R::ONE / self.weight
    }
    /// C = ‖K x‖; flat has no direction, so its gradient is zero.
    #[inline]
    fn constraint(&self, x: &[Vec3<R>; 4]) -> (R, [Vec3<R>; 4]) {
        let bend = curvature(&self.stencil, x);
        let n = bend.unit_or(Vec3::ZERO);
        (bend.length(), self.stencil.map(|k| n * k))
    }
}

impl<R: Real> WgslTwin for QuadraticBending<R> {
    const PREFIX: &'static str = "quadratic_bending";
    const SOURCE: &'static str = include_str!("quadratic_bending.wgsl");
    const WORDS: usize = 4;
    fn pack(&self, out: &mut [f32]) {
        let [_, a, b, c] = self.stencil;
        out.copy_from_slice(&[a, b, c, self.weight].map(|r| r.f64() as f32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::harness::{
        FLAT_HINGE, check_compliant, check_energy, check_invariance, check_projective, check_scales,
        count_convex_samples,
    };

    #[test]
    fn hinge_meets_its_derivatives_projection_and_constraint() {
        let hinge = QuadraticBending::new(FLAT_HINGE, 0.3).unwrap();
        let single = hinge.cast::<f32>();
        check_energy(&hinge, &single, &FLAT_HINGE);
        check_invariance(&hinge, &FLAT_HINGE);
        check_projective(&hinge, &single, &FLAT_HINGE);
        check_compliant(&hinge, &single, &FLAT_HINGE);
        assert!(count_convex_samples(&hinge, &FLAT_HINGE) > 5);
    }

    #[test]
    fn stretching_a_flat_sheet_in_its_plane_does_not_bend_it() {
        let hinge = QuadraticBending::new(FLAT_HINGE, 0.3).unwrap();
        let sheared = FLAT_HINGE.map(|p| Vec3::new(2.0 * p.x + 0.3 * p.z, 0.0, 0.7 * p.z - 0.1 * p.x));
        assert!(hinge.value(&sheared) < 1e-28);
    }

    /// Bergou 2006: for small angles the energy is k_b/2 · 3 ‖e‖² θ²/(A₀ + A₁).
    #[test]
    fn small_angles_cost_what_the_dihedral_energy_says() {
        let (k_b, theta) = (0.7, 1e-4);
        let hinge = QuadraticBending::new(FLAT_HINGE, k_b).unwrap();
        let e = FLAT_HINGE[1] - FLAT_HINGE[0];
        let fold = Mat3::rotation(e / e.length(), theta);
        let mut x = FLAT_HINGE;
        x[3] = fold * x[3];
        let area = 0.5 * (e.cross(FLAT_HINGE[2]).length() + e.cross(FLAT_HINGE[3]).length());
        let expected = 0.5 * k_b * 3.0 * e.length_sq() * theta * theta / area;
        assert!((hinge.value(&x) - expected).abs() < 1e-6 * expected);
    }

    #[test]
    fn a_hinge_with_a_sliver_is_refused() {
        let mut rest = FLAT_HINGE;
        rest[2] = rest[0] + (rest[1] - rest[0]) * 0.5;
        assert!(QuadraticBending::new(rest, 1.0).unwrap_err().to_string().contains("rest area"));
    }

    #[test]
    fn micrometres_and_kilometres_are_both_fine() {
        check_scales(&FLAT_HINGE, |rest| QuadraticBending::new(rest, 0.3).unwrap(), |e| e.cast());
    }
}
