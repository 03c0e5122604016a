//! Cloth with warp and weft. Baraff and Witkin 1998, "Large steps in cloth simulation", section 4.2 and 4.3; as a finite
//! element as in Kim 2020, "A finite element formulation of Baraff-Witkin cloth".
//!
//! Ψ = A/2 (k_u (‖w_u‖ − 1)² + k_v (‖w_v‖ − 1)² + k_s (w_u · w_v)²), w_u, w_v the columns of F in warp and weft axes.
//! Deviations: area enters once, not squared (Kim 2020), so stiffness does not depend on the mesh; the rest stretches
//! b_u, b_v are 1; the Hessian is the exact 6×6 one, projected by its eigenvalues, instead of dropping terms. A thread
//! shorter than 1/100 of its rest length is treated as that short when its buckling term is formed.
//!
//! | symbol | code | |
//! |---|---|---|
//! | k_u, k_v, k_s | `stiffness` | N/m |
//! | w_u, w_v | `F[0]`, `F[1]` | 1 |

use super::error::not_negative;
use super::simplex::RestTriangle;
use super::{Energy, Hessian, MaterialError, in_all_directions};
use crate::math::eigen::project_psd;
use crate::math::{Mat3, Real, Vec3};

/// A triangle of woven cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BaraffWitkinTriangle<R> {
    /// Shape at rest, in warp and weft axes.
    pub rest: RestTriangle<R>,
    /// Along warp, along weft, in shear, N/m.
    pub stiffness: [R; 3],
}

impl BaraffWitkinTriangle<f64> {
    /// From rest positions, m, the direction of the warp in space at rest (its part in the triangle's plane counts),
    /// and stiffness along warp, along weft and in shear, N/m.
    pub fn new(rest: [Vec3<f64>; 3], warp: Vec3<f64>, stiffness: [f64; 3]) -> Result<Self, MaterialError> {
        let name = "Baraff-Witkin triangle";
        for (parameter, k) in ["warp stiffness", "weft stiffness", "shear stiffness"].into_iter().zip(stiffness) {
            not_negative(name, parameter, k, "a finite number >= 0 N/m")?;
        }
        Ok(Self { rest: RestTriangle::along(name, rest, warp)?, stiffness })
    }
}

impl<R: Real> BaraffWitkinTriangle<R> {
    /// The same triangle in another precision.
    pub fn cast<S: Real>(&self) -> BaraffWitkinTriangle<S> {
        BaraffWitkinTriangle { rest: self.rest.cast(), stiffness: self.stiffness.map(|k| S::of(k.f64())) }
    }

    /// Second derivative of k/2 (‖w‖ − 1)².
    fn thread(k: R, w: Vec3<R>) -> Mat3<R> {
        let n = w.unit_or(Vec3::axis(0));
        let across = R::ONE - R::ONE / w.length().max(R::of(0.01));
        (n.outer(n) * (R::ONE - across) + Mat3::scalar(across)) * k
    }
}

impl<R: Real> Energy<R, 3> for BaraffWitkinTriangle<R> {
    #[inline]
    fn value(&self, x: &[Vec3<R>; 3]) -> R {
        let [u, v] = self.rest.deformation(x);
        let (a, b, c) = (u.length() - R::ONE, v.length() - R::ONE, u.dot(v));
        let [k_u, k_v, k_s] = self.stiffness;
        R::of(0.5) * self.rest.measure * (k_u * a * a + k_v * b * b + k_s * c * c)
    }
    #[inline]
    fn gradient(&self, x: &[Vec3<R>; 3]) -> [Vec3<R>; 3] {
        let [u, v] = self.rest.deformation(x);
        let [k_u, k_v, k_s] = self.stiffness.map(|k| k * self.rest.measure);
        let shear = k_s * u.dot(v);
        let pull = |w: Vec3<R>, k: R| w.unit_or(Vec3::axis(0)) * (k * (w.length() - R::ONE));
        self.rest.pull_back(&[pull(u, k_u) + v * shear, pull(v, k_v) + u * shear])
    }
    fn hessian_psd(&self, x: &[Vec3<R>; 3]) -> Hessian<R, 3> {
        let [u, v] = self.rest.deformation(x);
        let [k_u, k_v, k_s] = self.stiffness;
        let uu = Self::thread(k_u, u) + v.outer(v) * k_s;
        let vv = Self::thread(k_v, v) + u.outer(u) * k_s;
        let uv = (v.outer(u) + Mat3::scalar(u.dot(v))) * k_s;
        let blocks = [[uu, uv], [uv.transpose(), vv]];
        let H = project_psd::<R, 6>(std::array::from_fn(|i| {
            std::array::from_fn(|j| blocks[i / 3][j / 3].at(i % 3, j % 3))
        }));
        let block = |p: usize, q: usize| Mat3 {
            c: std::array::from_fn(|c| {
                Vec3::new(H[3 * p][3 * q + c], H[3 * p + 1][3 * q + c], H[3 * p + 2][3 * q + c])
            }),
        };
        self.rest.pull_back_hessian(&[[block(0, 0), block(0, 1)], [block(1, 0), block(1, 1)]])
    }
    fn scale(&self, x: &[Vec3<R>; 3]) -> [Mat3<R>; 3] {
        in_all_directions(self.hessian_diagonal(x))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::harness::{
        TRIANGLE, UNIT_TRIANGLE, check_energy, check_invariance, check_scales, check_spectral,
    };

    #[test]
    fn triangle_meets_its_derivatives() {
        let warp = Vec3::new(0.3, 1.0, 0.2);
        let triangle = BaraffWitkinTriangle::new(TRIANGLE, warp, [100.0, 60.0, 5.0]).unwrap();
        check_energy(&triangle, &triangle.cast::<f32>(), &TRIANGLE);
        check_invariance(&triangle, &TRIANGLE);
    }

    #[test]
    fn pulling_along_a_thread_stretches_that_thread_alone() {
        let rest = [Vec3::ZERO, Vec3::axis(0), Vec3::axis(1)];
        let triangle = BaraffWitkinTriangle::new(rest, Vec3::axis(1), [100.0, 60.0, 5.0]).unwrap();
        let along_warp = rest.map(|p| Vec3::new(p.x, 1.5 * p.y, p.z));
        assert!((triangle.value(&along_warp) - 0.5 * 0.5 * 100.0 * 0.25).abs() < 1e-12);
        let along_weft = rest.map(|p| Vec3::new(1.5 * p.x, p.y, p.z));
        assert!((triangle.value(&along_weft) - 0.5 * 0.5 * 60.0 * 0.25).abs() < 1e-12);
    }

    #[test]
    fn hessian_is_the_exact_one_without_its_negative_eigenvalues() {
        let triangle = BaraffWitkinTriangle::new(UNIT_TRIANGLE, Vec3::axis(0), [100.0, 60.0, 20.0]).unwrap();
        check_spectral(&triangle, &UNIT_TRIANGLE, 1);
    }

    #[test]
    fn micrometres_and_kilometres_are_both_fine() {
        check_scales(
            &TRIANGLE,
            |rest| BaraffWitkinTriangle::new(rest, Vec3::axis(1), [100.0, 60.0, 5.0]).unwrap(),
            |e| e.cast(),
        );
    }
}
