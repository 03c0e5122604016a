//! On which side of a plane or line a point lies, without rounding errors.
//!
//! J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates", 1997: a fast
//! determinant with an error bound (sections 4.2, 4.3), and where the bound does not decide, the exact value as an
//! expansion, a sum of numbers that do not overlap (section 2). Exact as long as no product over- or underflows.

use std::cmp::Ordering;

/// Unit roundoff of `f64`, 2⁻⁵³.
const EPSILON: f64 = f64::EPSILON / 2.0;
const BOUND_2D: f64 = (3.0 + 16.0 * EPSILON) * EPSILON;
const BOUND_3D: f64 = (7.0 + 56.0 * EPSILON) * EPSILON;

/// −1, 0 or 1: the sign of det[a−d, b−d, c−d].
pub(super) fn orient3d(a: [f64; 3], b: [f64; 3], c: [f64; 3], d: [f64; 3]) -> i32 {
    let minus = |p: [f64; 3]| [p[0] - d[0], p[1] - d[1], p[2] - d[2]];
    let (u, v, w) = (minus(a), minus(b), minus(c));
    let (vw1, vw2) = (v[0] * w[1], v[1] * w[0]);
    let (wu1, wu2) = (w[0] * u[1], w[1] * u[0]);
    let (uv1, uv2) = (u[0] * v[1], u[1] * v[0]);
    let det = u[2] * (vw1 - vw2) + v[2] * (wu1 - wu2) + w[2] * (uv1 - uv2);
    let permanent = (vw1.abs() + vw2.abs()) * u[2].abs()
        + (wu1.abs() + wu2.abs()) * v[2].abs()
        + (uv1.abs() + uv2.abs()) * w[2].abs();
    decide(det, BOUND_3D * permanent).unwrap_or_else(|| exact_orient3d(a, b, c, d))
}

/// −1, 0 or 1: the sign of det[a−c, b−c].
pub(crate) fn orient2d(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> i32 {
    let left = (a[0] - c[0]) * (b[1] - c[1]);
    let right = (a[1] - c[1]) * (b[0] - c[0]);
    decide(left - right, BOUND_2D * (left.abs() + right.abs())).unwrap_or_else(|| {
        let d = |p: f64, q: f64| Expansion::difference(p, q);
        let left = d(a[0], c[0]).times(&d(b[1], c[1]));
        let right = d(a[1], c[1]).times(&d(b[0], c[0]));
        left.minus(&right).sign()
    })
}

fn decide(det: f64, bound: f64) -> Option<i32> {
    if det > bound {
        Some(1)
    } else if -det > bound {
        Some(-1)
    } else if bound == 0.0 {
        Some(0)
    } else {
        None
    }
}

#[cold]
fn exact_orient3d(a: [f64; 3], b: [f64; 3], c: [f64; 3], d: [f64; 3]) -> i32 {
    let minus = |p: [f64; 3]| [0, 1, 2].map(|i| Expansion::difference(p[i], d[i]));
    let (u, v, w) = (minus(a), minus(b), minus(c));
    let minor = |p: &[Expansion; 3], q: &[Expansion; 3]| p[0].times(&q[1]).minus(&p[1].times(&q[0]));
    let terms = [u[2].times(&minor(&v, &w)), v[2].times(&minor(&w, &u)), w[2].times(&minor(&u, &v))];
    terms[0].plus(&terms[1]).plus(&terms[2]).sign()
}

/// An exact sum of numbers that do not overlap, smallest first, without zeros.
struct Expansion(Vec<f64>);

impl Expansion {
    fn difference(a: f64, b: f64) -> Self {
        let (sum, error) = two_sum(a, -b);
        Expansion([error, sum].into_iter().filter(|&part| part != 0.0).collect())
    }

    /// Adds one number (Shewchuk, figure 6).
    fn grow(&mut self, b: f64) {
        let mut q = b;
        let mut grown = Vec::with_capacity(self.0.len() + 1);
        for &part in &self.0 {
            let (sum, error) = two_sum(q, part);
            if error != 0.0 {
                grown.push(error);
            }
            q = sum;
        }
        if q != 0.0 {
            grown.push(q);
        }
        self.0 = grown;
    }

    fn plus(&self, other: &Self) -> Self {
        let mut sum = Expansion(self.0.clone());
        other.0.iter().for_each(|&part| sum.grow(part));
        sum
    }

    fn minus(&self, other: &Self) -> Self {
        let mut sum = Expansion(self.0.clone());
        other.0.iter().for_each(|&part| sum.grow(-part));
        sum
    }

    fn times(&self, other: &Self) -> Self {
        let mut product = Expansion(Vec::new());
        for &a in &self.0 {
            for &b in &other.0 {
                let high = a * b;
                product.grow(a.mul_add(b, -high));
                product.grow(high);
            }
        }
        product
    }

    /// The largest part outweighs all others.
    fn sign(&self) -> i32 {
        match self.0.last().and_then(|part| part.partial_cmp(&0.0)) {
            Some(Ordering::Greater) => 1,
            Some(Ordering::Less) => -1,
            _ => 0,
        }
    }
}

/// The rounded sum and its error (Knuth).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_virtual = sum - a;
    let a_virtual = sum - b_virtual;
    (sum, (a - a_virtual) + (b - b_virtual))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_one_rounding_step_off_a_tilted_plane_is_on_the_right_side() {
        // x + y + z = 3/10-ish plane through points that are no exact decimals: only exact arithmetic decides.
        let (a, b, c) = ([0.1, 0.1, 0.1], [0.3, 0.1, -0.1], [0.1, 0.3, -0.1]);
        let on_line = [0.2, 0.1, 0.0];
        let up = [0.2, 0.1, f64::from_bits(1)];
        let signs = [orient3d(a, b, c, on_line), orient3d(a, b, c, up)];
        // Moving up by any amount may not turn the answer round.
        let far_up = orient3d(a, b, c, [0.2, 0.1, 1.0]);
        assert_ne!(far_up, 0);
        assert!((signs[1] - signs[0]) * far_up >= 0);
        assert_eq!(orient3d(b, c, a, up), signs[1], "rotating three points keeps the sign");
        assert_eq!(orient3d(b, a, c, up), -signs[1], "swapping two turns it round");
    }

    #[test]
    fn exact_zero_is_found_where_floating_point_sees_noise() {
        // All four points lie in the plane z = 3x + 5y exactly (powers of two), far from the origin.
        let p = |x: f64, y: f64| [x, y, 3.0 * x + 5.0 * y];
        let e = 2f64.powi(-40);
        let four = [p(1.0 + e, 7.0), p(3.0, 5.0 + e), p(11.0 - e, 2.0), p(6.0 + 3.0 * e, 9.0)];
        assert_eq!(orient3d(four[0], four[1], four[2], four[3]), 0);
        let mut above = four[3];
        above[2] = above[2].next_up();
        let mut below = four[3];
        below[2] = below[2].next_down();
        let (above, below) = (orient3d(four[0], four[1], four[2], above), orient3d(four[0], four[1], four[2], below));
        assert_eq!((above * below, above.abs()), (-1, 1));
    }

    #[test]
    fn orient2d_agrees_with_integer_arithmetic_near_a_line() {
        // The classic picture: points a few ulps around 0.5 against the line through (12, 12) and (24, 24).
        let ulp = 2f64.powi(-53);
        for i in 0..32i64 {
            for j in 0..32i64 {
                let c = [0.5 + i as f64 * ulp, 0.5 + j as f64 * ulp];
                let steps = |x: f64| (x * 2f64.powi(53)) as i128;
                let det = (steps(12.0) - steps(c[0])) * (steps(24.0) - steps(c[1]))
                    - (steps(12.0) - steps(c[1])) * (steps(24.0) - steps(c[0]));
                assert_eq!(orient2d([12.0, 12.0], [24.0, 24.0], c), det.signum() as i32, "{i} {j}");
            }
        }
    }
}
