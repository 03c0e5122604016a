//! A corotated tetrahedron whose rotation is held: its force is linear in x, and its stiffness that of cg section 3.1.
//!
//! With c_i = R b_i, the shape gradients turned with the element, and H = Σ x_i c_iᵀ = F Rᵀ, strain and stress in world axes are
//! sym H − I and T = λ tr(H − I) I + μ (H − I + (H − I)ᵀ), and ∂Ψ/∂x_i = vol T c_i (cg eq 6). So the blocks of its Hessian are
//! vol (λ c_i c_jᵀ + μ (c_i·c_j) I + μ c_j c_iᵀ) (cg eq 8): only the c_i change as the element turns. Where R is the rotation of F
//! the force is the exact one of [`CorotatedTet`]. The Hessian is positive semi-definite for every R, whatever the element does.
//!
//! Misprint: with n_i weighted by area, as eq 6 has them (b_i = −n_i/(3 vol)), the factor of eq 8 is 1/(9 vol); its 1/(36 vol) belongs
//! to normals of twice that length. Its sign is that of forces, not of a Hessian.
//!
//! | symbol | code | |
//! |---|---|---|
//! | c_1, c_2, c_3 | `c`; c_0 = −Σ | 1/m |
//! | vol λ, vol μ | `lambda`, `mu` | J |
//! | vol T | `stress` | J |

use super::{CorotatedTet, Hessian};
use crate::math::{Mat3, Real, Sym3, Vec3};

/// The linear force of a tetrahedron with a given rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrozenTet<R> {
    /// Shape gradients of corners 1, 2 and 3 in world axes, 1/m.
    pub c: [Vec3<R>; 3],
    /// vol λ, J.
    pub lambda: R,
    /// vol μ, J.
    pub mu: R,
}

impl<R: Real> CorotatedTet<R> {
    /// The tetrahedron with a rotation that is held.
    #[inline(always)]
    pub fn frozen(&self, rotation: Mat3<R>) -> FrozenTet<R> {
        let [_, b @ ..] = self.rest.shape_gradient;
        let c = b.map(|b| rotation * Vec3::new(b[0], b[1], b[2]));
        FrozenTet { c, lambda: self.lame_lambda * self.rest.measure, mu: self.lame_mu * self.rest.measure }
    }
}

impl<R: Real> FrozenTet<R> {
    /// c_0 to c_3, 1/m.
    #[inline(always)]
    pub fn gradients(&self) -> [Vec3<R>; 4] {
        let [one, two, three] = self.c;
        [-(one + two + three), one, two, three]
    }

    /// Σ x_i c_iᵀ: F Rᵀ of positions; of displacements, its change. From edges, so that a body far from the origin keeps its digits.
    #[inline(always)]
    pub fn deformation(&self, x: &[Vec3<R>; 4]) -> Mat3<R> {
        let mut H = Mat3::ZERO;
        for k in 0..3 {
            let (edge, c) = (x[k + 1] - x[0], self.c[k]);
            H += Mat3::from_columns(edge * c.x, edge * c.y, edge * c.z);
        }
        H
    }

    /// vol T of H − I, or of a change of H, J.
    #[inline(always)]
    pub fn stress(&self, H: Mat3<R>) -> Sym3<R> {
        let (pressure, two) = (self.lambda * H.trace(), self.mu + self.mu);
        let [a, b, c] = H.c;
        Sym3 {
            diagonal: Vec3::new(pressure + two * a.x, pressure + two * b.y, pressure + two * c.z),
            off: Vec3::new(self.mu * (b.z + c.y), self.mu * (a.z + c.x), self.mu * (a.y + b.x)),
        }
    }

    /// What a stress does to the corners, N.
    #[inline(always)]
    pub fn pull_back(&self, stress: Sym3<R>) -> [Vec3<R>; 4] {
        let [one, two, three] = self.c.map(|c| stress.times(c));
        [-(one + two + three), one, two, three]
    }

    /// ∂Ψ/∂x with the rotation held, N.
    #[inline(always)]
    pub fn gradient(&self, x: &[Vec3<R>; 4]) -> [Vec3<R>; 4] {
        self.pull_back(self.stress(self.deformation(x) - Mat3::IDENTITY))
    }

    /// The Hessian times a displacement, N.
    #[inline(always)]
    pub fn multiply(&self, p: &[Vec3<R>; 4]) -> [Vec3<R>; 4] {
        self.pull_back(self.stress(self.deformation(p)))
    }

    /// The block of the Hessian between corners with these gradients, N/m.
    #[inline(always)]
    pub fn block(&self, c_i: Vec3<R>, c_j: Vec3<R>) -> Mat3<R> {
        let (across, along) = (c_i * self.lambda, c_j * self.mu);
        let mut K = Mat3::scalar(self.mu * c_i.dot(c_j));
        for k in 0..3 {
            K.c[k] += across * c_j[k] + along * c_i[k];
        }
        K
    }

    /// The block of a corner with itself, N/m.
    #[inline(always)]
    pub fn diagonal(&self, c: Vec3<R>) -> Sym3<R> {
        Sym3::square(c) * (self.lambda + self.mu) + Sym3::scalar(self.mu * c.length_sq())
    }

    /// All blocks, N/m.
    pub fn hessian(&self) -> Hessian<R, 4> {
        let c = self.gradients();
        std::array::from_fn(|i| std::array::from_fn(|j| self.block(c[i], c[j])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::harness::{TET, nasty, samples};
    use crate::material::{Energy, LameParameters};
    use crate::math::eigen::symmetric_eigen;
    use crate::math::polar_rotation;

    fn tet() -> CorotatedTet<f64> {
        CorotatedTet::new(TET, LameParameters::solid(100.0, 0.3).unwrap()).unwrap()
    }

    fn rotation(tet: &CorotatedTet<f64>, x: &[Vec3<f64>; 4]) -> Mat3<f64> {
        polar_rotation(Mat3 { c: tet.rest.deformation(x) })
    }

    fn largest(a: impl IntoIterator<Item = Vec3<f64>>) -> f64 {
        a.into_iter().map(|v| v.length()).fold(0.0, f64::max)
    }

    #[test]
    fn with_the_elements_own_rotation_the_force_is_the_exact_one() {
        let tet = tet();
        for x in samples(&TET) {
            let (exact, frozen) = (tet.gradient(&x), tet.frozen(rotation(&tet, &x)).gradient(&x));
            let size = largest(exact) + 1.0;
            assert!(largest((0..4).map(|i| exact[i] - frozen[i])) < 1e-11 * size, "{exact:?} {frozen:?}");
        }
    }

    /// The force is linear, so that differences are exact up to rounding.
    #[test]
    fn the_stiffness_is_the_change_of_the_force_with_the_rotation_held() {
        let tet = tet();
        for x in samples(&TET) {
            let frozen = tet.frozen(rotation(&tet, &x));
            let (K, before) = (frozen.hessian(), frozen.gradient(&x));
            for j in 0..4 {
                for axis in 0..3 {
                    let mut p = [Vec3::ZERO; 4];
                    p[j] = Vec3::axis(axis);
                    let moved: [Vec3<f64>; 4] = std::array::from_fn(|i| x[i] + p[i]);
                    let (after, product) = (frozen.gradient(&moved), frozen.multiply(&p));
                    for i in 0..4 {
                        let change = after[i] - before[i];
                        let size = 1e-10 * (1.0 + largest(before) + largest(after));
                        assert!((change - K[i][j].c[axis]).length() < size, "block {i} {j}");
                        assert!((change - product[i]).length() < size, "product {i} {j}");
                    }
                }
            }
        }
    }

    #[test]
    fn eq_8_has_a_ninth_of_the_volume_with_the_normals_of_eq_6() {
        let tet = tet();
        let (frozen, volume) = (tet.frozen(Mat3::IDENTITY), tet.rest.measure);
        let face = |a: usize, b: usize, c: usize| (TET[b] - TET[a]).cross(TET[c] - TET[a]) * 0.5;
        // Outward, weighted by area, opposite to corners 0 to 3.
        let n = [face(1, 2, 3), face(0, 3, 2), face(0, 1, 3), face(0, 2, 1)];
        for i in 0..4 {
            for j in 0..4 {
                let outer = |a: Vec3<f64>, b: Vec3<f64>| Mat3::from_columns(a * b.x, a * b.y, a * b.z);
                let sum = outer(n[i], n[j]) * tet.lame_lambda
                    + Mat3::scalar(tet.lame_mu * n[i].dot(n[j]))
                    + outer(n[j], n[i]) * tet.lame_mu;
                let K = frozen.hessian()[i][j];
                assert!((K - sum * (1.0 / (9.0 * volume))).norm_sq().sqrt() < 1e-12 * K.norm_sq().sqrt());
            }
        }
    }

    #[test]
    fn turning_the_element_turns_its_force_and_its_stiffness() {
        let tet = tet();
        let turn = Mat3::rotation(Vec3::of([0.48, 0.6, 0.64]), 1.1);
        for x in samples(&TET) {
            let turned = x.map(|p| turn * p + Vec3::of([3.0, -1.0, 2.0]));
            let [here, there] = [&x, &turned].map(|x| tet.frozen(rotation(&tet, x)));
            let (f, g) = (here.gradient(&x), there.gradient(&turned));
            assert!(largest((0..4).map(|i| turn * f[i] - g[i])) < 1e-9 * (1.0 + largest(f)));
            let (K, L) = (here.hessian()[1][2], there.hessian()[1][2]);
            assert!((turn * K * turn.transpose() - L).norm_sq().sqrt() < 1e-9 * (1.0 + K.norm_sq().sqrt()));
        }
    }

    /// Crushed, inverted, flattened: no deformation takes away that it is positive semi-definite, with the six motions of a rigid
    /// body free.
    #[test]
    fn the_stiffness_is_positive_semi_definite_for_every_deformation() {
        let tet = tet();
        for x in samples(&TET).into_iter().chain(nasty(&TET)) {
            let K = tet.frozen(rotation(&tet, &x)).hessian();
            let full: [[f64; 12]; 12] =
                std::array::from_fn(|r| std::array::from_fn(|c| K[r / 3][c / 3].at(r % 3, c % 3)));
            let mut values = symmetric_eigen(full).0;
            values.sort_by(f64::total_cmp);
            let stiffest = values[11];
            assert!(stiffest > 0.0 && values[0] > -1e-12 * stiffest, "{values:?}");
            assert!(values[5] < 1e-12 * stiffest && values[6] > 1e-4 * stiffest, "{values:?}");
            for (i, row) in K.iter().enumerate() {
                let own = tet.frozen(rotation(&tet, &x));
                let diagonal = own.diagonal(own.gradients()[i]);
                let v = Vec3::of([0.3, -0.8, 0.5]);
                assert!((row[i] * v - diagonal.times(v)).length() < 1e-12 * stiffest);
            }
        }
    }
}
