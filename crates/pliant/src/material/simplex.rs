//! A triangle or tetrahedron with a linear shape: what every finite element here is built on.
//!
//! F = Σ_i x_i b_iᵀ, with b_i = ∂N_i/∂X the constant gradient of corner i's shape function (the rows of D_m⁻¹, and for
//! corner 0 minus their sum). N corners, D = N − 1 material dimensions.
//!
//! | symbol | code | |
//! |---|---|---|
//! | D_m⁻¹, b_i | `shape_gradient` | 1/m |
//! | F | columns, one per material axis | |
//! | P = ∂ψ/∂F | columns | Pa, or N/m for a membrane |

use super::{Hessian, MaterialError};
use crate::math::{Mat3, Real, Vec3};

/// Rest shape of a triangle (N = 3, D = 2) or tetrahedron (N = 4, D = 3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Simplex<R, const N: usize, const D: usize> {
    /// b_i: gradient of each corner's shape function in material axes, 1/m.
    pub shape_gradient: [[R; D]; N],
    /// Rest area, m², or volume, m³.
    pub measure: R,
}

/// Rest shape of a tetrahedron.
pub type RestTet<R> = Simplex<R, 4, 3>;
/// Rest shape of a triangle.
pub type RestTriangle<R> = Simplex<R, 3, 2>;

/// A simplex flatter than this (measure over longest edge to the same power) cannot be inverted with any accuracy.
const FLATTEST: f64 = 1e-9;

impl RestTet<f64> {
    /// From rest positions, m; the volume must be positive.
    pub fn new(element: &'static str, rest: [Vec3<f64>; 4]) -> Result<Self, MaterialError> {
        let longest_edge = longest_edge(element, &rest)?;
        let D_m = Mat3::from_columns(rest[1] - rest[0], rest[2] - rest[0], rest[3] - rest[0]);
        let volume = D_m.det() / 6.0;
        let least = FLATTEST * longest_edge.powi(3);
        let degenerate = MaterialError::DegenerateRest {
            element,
            measure: "volume",
            found: volume,
            least,
            unit: "m^3",
            longest_edge,
        };
        if volume <= least {
            return Err(degenerate);
        }
        let rows = D_m.inverse().ok_or(degenerate)?.transpose().c;
        let first = -(rows[0] + rows[1] + rows[2]);
        Ok(Self { shape_gradient: [first, rows[0], rows[1], rows[2]].map(Vec3::f64), measure: volume })
    }
}

impl RestTriangle<f64> {
    /// From rest positions, m; the first material axis lies along the first edge.
    pub fn new(element: &'static str, rest: [Vec3<f64>; 3]) -> Result<Self, MaterialError> {
        Self::along(element, rest, rest[1] - rest[0])
    }

    /// From rest positions, m; the first material axis is the part of `warp` in the triangle's plane (of the first
    /// edge where `warp` is perpendicular to the plane).
    pub fn along(element: &'static str, rest: [Vec3<f64>; 3], warp: Vec3<f64>) -> Result<Self, MaterialError> {
        let longest_edge = longest_edge(element, &rest)?;
        let (a, b) = (rest[1] - rest[0], rest[2] - rest[0]);
        let cross = a.cross(b);
        let area = cross.length() / 2.0;
        let least = FLATTEST * longest_edge.powi(2);
        if area <= least {
            return Err(MaterialError::DegenerateRest {
                element,
                measure: "area",
                found: area,
                least,
                unit: "m^2",
                longest_edge,
            });
        }
        let normal = cross / cross.length();
        let in_plane = warp - normal * normal.dot(warp);
        let along = if in_plane.length() > 1e-6 * warp.length() { in_plane } else { a };
        let u = along.unit_or(a / a.length());
        let v = normal.cross(u);
        let (a, b) = ([a.dot(u), a.dot(v)], [b.dot(u), b.dot(v)]);
        let det = a[0] * b[1] - a[1] * b[0];
        let one = [b[1] / det, -b[0] / det];
        let two = [-a[1] / det, a[0] / det];
        Ok(Self { shape_gradient: [[-one[0] - two[0], -one[1] - two[1]], one, two], measure: area })
    }
}

impl<R: Real> RestTet<R> {
    /// What `tet_gradients_load` reads: b of corners 1, 2, 3.
    pub(super) fn pack(&self) -> [f32; 9] {
        let b = &self.shape_gradient;
        std::array::from_fn(|k| b[1 + k / 3][k % 3].f64() as f32)
    }
}

impl<R: Real> RestTriangle<R> {
    /// What `triangle_gradients_load` reads: b₁ and the second component of b₂, with the material axes turned so that
    /// its first component is zero. No isotropic formula sees that turn, and [`RestTriangle::new`] chose such axes.
    pub(super) fn pack(&self) -> [f32; 3] {
        let [_, one, two] = self.shape_gradient.map(|b| b.map(R::f64));
        let length = two[0].hypot(two[1]);
        let (c, s) = (two[1] / length, two[0] / length);
        [one[0] * c - one[1] * s, one[0] * s + one[1] * c, length].map(|b| b as f32)
    }
}

impl<R: Real, const N: usize, const D: usize> Simplex<R, N, D> {
    /// The same shape in another precision.
    pub fn cast<S: Real>(&self) -> Simplex<S, N, D> {
        Simplex {
            shape_gradient: self.shape_gradient.map(|b| b.map(|e| S::of(e.f64()))),
            measure: S::of(self.measure.f64()),
        }
    }

    /// F, by columns. From edges, so that a body far from the origin keeps its digits in f32.
    #[inline(always)]
    pub fn deformation(&self, x: &[Vec3<R>; N]) -> [Vec3<R>; D] {
        let mut F = [Vec3::ZERO; D];
        for i in 1..N {
            let edge = x[i] - x[0];
            for a in 0..D {
                F[a] += edge * self.shape_gradient[i][a];
            }
        }
        F
    }

    /// P bᵢ for each corner: what a stress does to the corners; times the measure it is ∂Ψ/∂x.
    #[inline(always)]
    pub fn pull_back(&self, P: &[Vec3<R>; D]) -> [Vec3<R>; N] {
        std::array::from_fn(|i| {
            let mut sum = P[0] * self.shape_gradient[i][0];
            for a in 1..D {
                sum += P[a] * self.shape_gradient[i][a];
            }
            sum
        })
    }

    /// weight · b_i · b_j: the Hessian of weight/2 ‖F‖², acting on x, y, z alike.
    pub fn stiffness(&self, weight: R) -> [[R; N]; N] {
        let b = &self.shape_gradient;
        std::array::from_fn(|i| std::array::from_fn(|j| (0..D).map(|a| b[i][a] * b[j][a]).sum::<R>() * weight))
    }

    /// The blocks between corners of a Hessian given by blocks between columns of F, times the measure.
    pub fn pull_back_hessian(&self, H: &[[Mat3<R>; D]; D]) -> Hessian<R, N> {
        let b = &self.shape_gradient;
        let mut out = [[Mat3::ZERO; N]; N];
        for i in 0..N {
            for j in 0..=i {
                let mut block = Mat3::ZERO;
                for p in 0..D {
                    for q in 0..D {
                        block += H[p][q] * (b[i][p] * b[j][q]);
                    }
                }
                out[i][j] = block * self.measure;
                out[j][i] = out[i][j].transpose();
            }
        }
        out
    }

    /// C = ‖D‖ for D = F − p(F) with p a closest point: its gradient is D/C pulled back, zero where C is.
    #[inline]
    pub(super) fn distance_constraint(&self, difference: &[Vec3<R>; D]) -> (R, [Vec3<R>; N]) {
        let C = difference.iter().map(|d| d.length_sq()).sum::<R>().sqrt();
        let inv = if C > R::TINY { R::ONE / C } else { R::ZERO };
        (C, self.pull_back(&difference.map(|d| d * inv)))
    }

    /// b_i padded with zeros to three components.
    #[inline(always)]
    pub(super) fn gradient_of_corner(&self, i: usize) -> Vec3<R> {
        let b = &self.shape_gradient[i];
        Vec3::new(b[0], b[1], if D > 2 { b[2] } else { R::ZERO })
    }
}

/// The longest distance between two corners, m; or the corner that is not finite.
pub(super) fn longest_edge<const N: usize>(element: &'static str, rest: &[Vec3<f64>; N]) -> Result<f64, MaterialError> {
    for (corner, p) in rest.iter().enumerate() {
        if !p.is_finite() {
            return Err(MaterialError::NonFiniteRest { element, corner, found: p.f64() });
        }
    }
    let mut longest = 0.0f64;
    for i in 0..N {
        for j in 0..i {
            longest = longest.max((rest[i] - rest[j]).length());
        }
    }
    Ok(longest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::harness::{TET, TRIANGLE};

    /// Lengths and angles of the gradients are all that an isotropic formula sees.
    #[test]
    fn packed_triangles_differ_from_their_shape_by_a_turn_of_the_axes() {
        for warp in [Vec3::axis(0), Vec3::axis(2), Vec3::new(-1.0, 0.3, 0.2)] {
            let rest = RestTriangle::along("triangle", TRIANGLE, warp).unwrap();
            let [x, y, z] = rest.pack().map(f64::from);
            let [_, one, two] = rest.shape_gradient;
            let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
            for (a, b, c, d) in
                [(one, one, [x, y], [x, y]), (one, two, [x, y], [0.0, z]), (two, two, [0.0, z], [0.0, z])]
            {
                assert!((dot(a, b) - dot(c, d)).abs() < 1e-6, "{warp:?}: {} became {}", dot(a, b), dot(c, d));
            }
        }
        let rest = RestTriangle::new("triangle", TRIANGLE).unwrap();
        let [_, one, two] = rest.shape_gradient;
        assert_eq!(rest.pack(), [one[0], one[1], two[1]].map(|b| b as f32));
    }

    #[test]
    fn packed_tets_are_the_gradients_of_the_last_three_corners() {
        let rest = RestTet::new("tet", TET).unwrap();
        let [_, a, b, c] = rest.shape_gradient;
        assert_eq!(rest.pack().to_vec(), [a, b, c].concat().iter().map(|&b| b as f32).collect::<Vec<_>>());
    }
}
