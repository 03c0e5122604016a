//! Bending by the angle between two triangles. Grinspun, Hirani, Desbrun, Schröder 2003, "Discrete shells", with the
//! gradient of Bridson, Marino, Fedkiw 2003 and the exact Hessian (as Tamstorf and Grinspun 2013).
//!
//! ```text
//! Ψ = k/2 (θ − θ₀)² ‖e‖²/(A₀ + A₁)          e, A₀, A₁ at rest
//! e = x₁ − x₀,  n = e × (x₂ − x₀),  m = (x₃ − x₀) × e,  θ = atan2((n × m)·e/‖e‖, n·m)
//! ∇₂θ = −‖e‖ n/‖n‖²,  ∇₃θ = −‖e‖ m/‖m‖²,  ∇₀θ = −(1−s)∇₂θ − (1−t)∇₃θ,  ∇₁θ = −s ∇₂θ − t ∇₃θ
//! ```
//!
//! with s, t where the opposite corners' feet divide the edge. The Hessian of θ is the derivative of these formulas
//! along each of the 12 coordinates; k̂(∇θ∇θᵀ + (θ−θ₀)∇²θ) is then projected by its eigenvalues.
//! Deviations: θ − θ₀ is taken into [−π, π]; and a triangle (or edge) that has shrunk below 1e-4 of its rest area (or
//! length) is treated as if it had that size, so forces stay bounded where the angle loses its meaning.
//!
//! | symbol | code | |
//! |---|---|---|
//! | θ₀ | `rest_angle` | rad, 0 = flat |
//! | k ‖e‖²/(A₀+A₁) | `weight` | N·m |
//! | ‖e‖, 2A₀, 2A₁ at rest | `rest_edge`, `rest_double_area` | m, m² |

use super::error::not_negative;
use super::simplex::RestTriangle;
use super::{Energy, Hessian, MaterialError, in_all_directions};
use crate::math::eigen::project_psd;
use crate::math::{Mat3, Real, Vec3};

/// A hinge: edge_a, edge_b, opposite_0, opposite_1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DihedralBending<R> {
    /// θ₀, rad; 0 = flat.
    pub rest_angle: R,
    /// k ‖e‖²/(A₀ + A₁), N·m.
    pub weight: R,
    /// ‖e‖ at rest, m.
    pub rest_edge: R,
    /// 2A₀ and 2A₁ at rest, m².
    pub rest_double_area: [R; 2],
}

impl DihedralBending<f64> {
    /// From rest positions, m, and bending stiffness k, N·m.
    pub fn new(rest: [Vec3<f64>; 4], stiffness: f64) -> Result<Self, MaterialError> {
        let name = "dihedral bending";
        let stiffness = not_negative(name, "stiffness", stiffness, "a finite number >= 0 N*m")?;
        let [a, b, p, q] = rest;
        let areas = [RestTriangle::new(name, [a, b, p])?.measure, RestTriangle::new(name, [b, a, q])?.measure];
        let edge = (b - a).length();
        Ok(Self {
            rest_angle: angle(&rest),
            weight: stiffness * edge * edge / (areas[0] + areas[1]),
            rest_edge: edge,
            rest_double_area: areas.map(|a| 2.0 * a),
        })
    }
}

/// A size below this fraction of the one at rest is taken as this fraction.
const SHRUNK: f64 = 1e-4;

/// θ, rad, in [−π, π]; 0 for a hinge that has collapsed.
fn angle<R: Real>(x: &[Vec3<R>; 4]) -> R {
    let e = x[1] - x[0];
    let n = e.cross(x[2] - x[0]).unit_or(Vec3::ZERO);
    let m = (x[3] - x[0]).cross(e).unit_or(Vec3::ZERO);
    n.cross(m).dot(e.unit_or(Vec3::ZERO)).atan2(n.dot(m))
}

/// The pieces of ∇θ on one side of the edge: the gradient at the opposite corner, and where its foot divides the edge.
#[derive(Clone, Copy)]
struct Side<R> {
    normal: Vec3<R>,
    normal_sq: R,
    /// ∇θ at the opposite corner, rad/m.
    gradient: Vec3<R>,
    /// Share of edge_b, (p − x₀)·e/‖e‖².
    share: R,
    /// The floor holds, so its size no longer changes with x.
    floored: bool,
}

impl<R: Real> DihedralBending<R> {
    /// The same hinge in another precision.
    pub fn cast<S: Real>(&self) -> DihedralBending<S> {
        DihedralBending {
            rest_angle: S::of(self.rest_angle.f64()),
            weight: S::of(self.weight.f64()),
            rest_edge: S::of(self.rest_edge.f64()),
            rest_double_area: self.rest_double_area.map(|a| S::of(a.f64())),
        }
    }

    /// θ − θ₀ in [−π, π], rad.
    fn excess(&self, x: &[Vec3<R>; 4]) -> R {
        let turn = R::of(std::f64::consts::TAU);
        let d = angle(x) - self.rest_angle;
        if d > turn * R::of(0.5) {
            d - turn
        } else if d < -turn * R::of(0.5) {
            d + turn
        } else {
            d
        }
    }

    /// ‖e‖² with its floor, and whether the floor holds.
    fn edge_sq(&self, e: Vec3<R>) -> (R, bool) {
        let least = self.rest_edge * R::of(SHRUNK);
        (e.length_sq().max(least * least), e.length_sq() <= least * least)
    }

    fn side(&self, x: &[Vec3<R>; 4], k: usize) -> Side<R> {
        let (e, p) = (x[1] - x[0], x[2 + k] - x[0]);
        let normal = if k == 0 { e.cross(p) } else { p.cross(e) };
        let least = self.rest_double_area[k] * R::of(SHRUNK);
        let size_sq = normal.length_sq();
        let normal_sq = size_sq.max(least * least);
        let (edge_sq, _) = self.edge_sq(e);
        Side {
            normal,
            normal_sq,
            gradient: -normal * (edge_sq.sqrt() / normal_sq),
            share: p.dot(e) / edge_sq,
            floored: size_sq <= least * least,
        }
    }

    fn angle_gradient(sides: &[Side<R>; 2]) -> [Vec3<R>; 4] {
        let [a, b] = sides;
        let at_b = -(a.gradient * a.share + b.gradient * b.share);
        [-(at_b + a.gradient + b.gradient), at_b, a.gradient, b.gradient]
    }

    /// The change of ∇θ when the points move by `dx`: the derivative of [`Self::side`] and [`Self::angle_gradient`].
    fn angle_gradient_change(&self, x: &[Vec3<R>; 4], sides: &[Side<R>; 2], dx: &[Vec3<R>; 4]) -> [Vec3<R>; 4] {
        let (e, de) = (x[1] - x[0], dx[1] - dx[0]);
        let (edge_sq, edge_floored) = self.edge_sq(e);
        let edge = edge_sq.sqrt();
        let d_edge_sq = if edge_floored { R::ZERO } else { R::of(2.0) * e.dot(de) };
        let change = |k: usize| {
            let Side { normal, normal_sq, share, floored, .. } = sides[k];
            let (p, dp) = (x[2 + k] - x[0], dx[2 + k] - dx[0]);
            let dn = de.cross(p) + e.cross(dp);
            let dn = if k == 0 { dn } else { -dn };
            let d_normal_sq = if floored { R::ZERO } else { R::of(2.0) * normal.dot(dn) };
            let d_factor = (d_edge_sq / (R::of(2.0) * edge) - edge * d_normal_sq / normal_sq) / normal_sq;
            let d_gradient = -(dn * (edge / normal_sq) + normal * d_factor);
            (d_gradient, (dp.dot(e) + p.dot(de) - share * d_edge_sq) / edge_sq)
        };
        let [(da, ds), (db, dt)] = [change(0), change(1)];
        let [a, b] = sides;
        let at_b = -(da * a.share + a.gradient * ds + db * b.share + b.gradient * dt);
        [-(at_b + da + db), at_b, da, db]
    }
}

impl<R: Real> Energy<R, 4> for DihedralBending<R> {
    fn value(&self, x: &[Vec3<R>; 4]) -> R {
        let d = self.excess(x);
        R::of(0.5) * self.weight * d * d
    }
    fn gradient(&self, x: &[Vec3<R>; 4]) -> [Vec3<R>; 4] {
        let pull = self.weight * self.excess(x);
        Self::angle_gradient(&[self.side(x, 0), self.side(x, 1)]).map(|g| g * pull)
    }
    fn hessian_psd(&self, x: &[Vec3<R>; 4]) -> Hessian<R, 4> {
        let sides = [self.side(x, 0), self.side(x, 1)];
        let g = Self::angle_gradient(&sides);
        let excess = self.excess(x);
        let mut H = [[R::ZERO; 12]; 12];
        for row in 0..12 {
            let mut dx = [Vec3::ZERO; 4];
            dx[row / 3] = Vec3::axis(row % 3);
            let change = self.angle_gradient_change(x, &sides, &dx);
            for col in 0..12 {
                let product = g[row / 3][row % 3] * g[col / 3][col % 3];
                H[row][col] = self.weight * (product + excess * change[col / 3][col % 3]);
            }
        }
        for row in 0..12 {
            for col in 0..row {
                let mean = (H[row][col] + H[col][row]) * R::of(0.5);
                (H[row][col], H[col][row]) = (mean, mean);
            }
        }
        let H = project_psd(H);
        std::array::from_fn(|i| {
            std::array::from_fn(|j| Mat3 {
                c: std::array::from_fn(|c| {
                    Vec3::new(H[3 * i][3 * j + c], H[3 * i + 1][3 * j + c], H[3 * i + 2][3 * j + c])
                }),
            })
        })
    }
    fn scale(&self, x: &[Vec3<R>; 4]) -> [Mat3<R>; 4] {
        in_all_directions(self.hessian_diagonal(x))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::QuadraticBending;
    use crate::material::harness::{
        FLAT_HINGE, FOLDED_HINGE, check_energy, check_invariance, check_scales, check_spectral,
    };

    #[test]
    fn flat_hinge_meets_its_derivatives() {
        let hinge = DihedralBending::new(FLAT_HINGE, 0.3).unwrap();
        check_energy(&hinge, &hinge.cast::<f32>(), &FLAT_HINGE);
        check_invariance(&hinge, &FLAT_HINGE);
    }

    #[test]
    fn folded_hinge_meets_its_derivatives() {
        let hinge = DihedralBending::new(FOLDED_HINGE, 0.3).unwrap();
        assert!(hinge.rest_angle.abs() > 0.3);
        check_energy(&hinge, &hinge.cast::<f32>(), &FOLDED_HINGE);
        check_invariance(&hinge, &FOLDED_HINGE);
    }

    #[test]
    fn a_fold_of_a_given_angle_has_that_angle_with_opposite_signs_on_both_sides() {
        let hinge = DihedralBending::new(FLAT_HINGE, 1.0).unwrap();
        let e = FLAT_HINGE[1] - FLAT_HINGE[0];
        for theta in [-2.5f64, -1.0, 0.3, 3.0] {
            let mut x = FLAT_HINGE;
            x[3] = Mat3::rotation(e / e.length(), theta) * x[3];
            assert!((hinge.excess(&x).abs() - theta.abs()).abs() < 1e-12);
            let mut mirrored = FLAT_HINGE;
            mirrored[3] = Mat3::rotation(e / e.length(), -theta) * mirrored[3];
            assert!((hinge.excess(&x) + hinge.excess(&mirrored)).abs() < 1e-12);
        }
    }

    /// The two models differ by the factor 3 of Bergou's weight when the fold is small.
    #[test]
    fn small_folds_cost_a_third_of_the_quadratic_model() {
        let dihedral = DihedralBending::new(FLAT_HINGE, 1.0).unwrap();
        let quadratic = QuadraticBending::new(FLAT_HINGE, 1.0).unwrap();
        let e = FLAT_HINGE[1] - FLAT_HINGE[0];
        let mut x = FLAT_HINGE;
        x[3] = Mat3::rotation(e / e.length(), 1e-4) * x[3];
        assert!((quadratic.value(&x) / dihedral.value(&x) - 3.0).abs() < 1e-6);
    }

    #[test]
    fn hessian_is_the_exact_one_without_its_negative_eigenvalues() {
        check_spectral(&DihedralBending::new(FOLDED_HINGE, 0.3).unwrap(), &FOLDED_HINGE, 0);
        check_spectral(&DihedralBending::new(FLAT_HINGE, 0.3).unwrap(), &FLAT_HINGE, 0);
    }

    #[test]
    fn micrometres_and_kilometres_are_both_fine() {
        check_scales(&FOLDED_HINGE, |rest| DihedralBending::new(rest, 0.3).unwrap(), |e| e.cast());
    }
}
