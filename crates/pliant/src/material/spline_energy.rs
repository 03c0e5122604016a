//! An energy of one stretch that is drawn rather than computed: its slope f′ by a few knots (Xu, Sin, Zhu, Barbič 2015,
//! "Nonlinear material design using principal stretches", section 4).
//!
//! f′ is a cubic between knots (Hermite), with one slope per knot, so f is twice continuously differentiable; beyond the knots f′
//! is a straight line, at negative stretches too. Every f′ is zero at 1, where all materials here are at rest, negative before and
//! positive after, so that f ≥ 0. Deviation: the paper's splines are natural ones, which overshoot; these keep to the knots, as in
//! Fritsch and Butland 1984, "A method for constructing local monotone piecewise cubic interpolants". A f′ whose knots rise
//! rises everywhere, and f is convex.
//!
//! | symbol | code | |
//! |---|---|---|
//! | x, f′, f″ | `knot` | 1, Pa, Pa |

use super::MaterialError;
use crate::math::Real;

/// The most knots.
pub const MOST_KNOTS: usize = 8;

/// f(x), with f′ by its knots. f(1) = f′(1) = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SplineEnergy<R> {
    /// x, f′ in Pa and f″ in Pa of each knot, by growing x.
    knot: [[R; 3]; MOST_KNOTS],
    count: u8,
    /// The knot at 1.
    rest: u8,
}

impl SplineEnergy<f64> {
    /// f = 0.
    pub const NONE: Self = {
        let mut knot = [[0.0; 3]; MOST_KNOTS];
        knot[0][0] = 1.0;
        Self { knot, count: 1, rest: 0 }
    };

    /// f′ through points (x, Pa): from two to eight by growing x, one of them (1, 0).
    pub fn through(points: &[[f64; 2]]) -> Result<Self, MaterialError> {
        let secant = |k: usize| (points[k + 1][1] - points[k][1]) / (points[k + 1][0] - points[k][0]);
        let width = |k: usize| points[k + 1][0] - points[k][0];
        let last = points.len().saturating_sub(1);
        let slope = |k: usize| match k {
            _ if last == 0 => 0.0,
            0 => secant(0).max(0.0),
            _ if k == last => secant(last - 1).max(0.0),
            _ if secant(k - 1) * secant(k) <= 0.0 => 0.0,
            _ => {
                let (before, after) = (2.0 * width(k) + width(k - 1), width(k) + 2.0 * width(k - 1));
                (before + after) / (before / secant(k - 1) + after / secant(k))
            }
        };
        let knots: Vec<[f64; 3]> = points.iter().enumerate().map(|(k, [x, y])| [*x, *y, slope(k)]).collect();
        Self::of_knots(&knots)
    }

    /// With given slopes, too: (x, f′ in Pa, f″ in Pa).
    pub(super) fn of_knots(knots: &[[f64; 3]]) -> Result<Self, MaterialError> {
        let wrong =
            |parameter, found, expected| MaterialError::BadParameter { element: "spline", parameter, found, expected };
        if !(2..=MOST_KNOTS).contains(&knots.len()) {
            return Err(wrong("the number of knots", knots.len() as f64, "from 2 to 8"));
        }
        if let Some(found) = knots.as_flattened().iter().find(|number| !number.is_finite()) {
            return Err(wrong("a knot", *found, "finite numbers"));
        }
        if let Some(pair) = knots.windows(2).find(|pair| pair[0][0] >= pair[1][0]) {
            return Err(wrong("the place of a knot", pair[1][0], "more than that of the knot before"));
        }
        let Some(rest) = knots.iter().position(|knot| knot[0] == 1.0 && knot[1] == 0.0) else {
            return Err(wrong("the slope at 1", f64::NAN, "a knot at 1 with slope 0"));
        };
        if let Some(knot) = knots.iter().find(|knot| knot[1] * (knot[0] - 1.0) < 0.0) {
            return Err(wrong("the slope at a knot", knot[1], "at most 0 Pa before 1, and at least 0 Pa after"));
        }
        let mut knot = [[0.0; 3]; MOST_KNOTS];
        knot[..knots.len()].copy_from_slice(knots);
        Ok(Self { knot, count: knots.len() as u8, rest: rest as u8 })
    }
}

impl<R: Real> SplineEnergy<R> {
    /// The same energy in another precision.
    pub fn cast<S: Real>(&self) -> SplineEnergy<S> {
        let knot = self.knot.map(|knot| knot.map(|number| S::of(number.f64())));
        SplineEnergy { knot, count: self.count, rest: self.rest }
    }

    /// f″(1), Pa.
    pub fn bend_at_rest(&self) -> R {
        self.knot[usize::from(self.rest)][2]
    }

    /// f, f′ and f″ at x, Pa. f is summed up from 1, so that it keeps its digits near there.
    #[inline]
    pub fn at(&self, x: R) -> [R; 3] {
        let mut k = usize::from(self.rest);
        let up = x >= self.knot[k][0];
        let mut sum = R::ZERO;
        loop {
            let next = if up { k + 1 } else { k.wrapping_sub(1) };
            if next >= usize::from(self.count) {
                let [x0, slope, bend] = self.knot[k];
                let d = x - x0;
                return [sum + d * (slope + R::of(0.5) * bend * d), slope + bend * d, bend];
            }
            let beyond = if up { x > self.knot[next][0] } else { x < self.knot[next][0] };
            let piece = self.between(k, next, if beyond { self.knot[next][0] } else { x });
            if !beyond {
                return [sum + piece[0], piece[1], piece[2]];
            }
            sum += piece[0];
            k = next;
        }
    }

    /// The integral of f′ from knot a to x, f′ and f″, with x between knots a and b, in either order.
    #[inline]
    fn between(&self, a: usize, b: usize, x: R) -> [R; 3] {
        let ([x0, y0, m0], [x1, y1, m1]) = (self.knot[a], self.knot[b]);
        let (h, rise) = (x1 - x0, y1 - y0);
        let (two, three) = (R::of(2.0), R::of(3.0));
        // f′ = y0 + c1 u + c2 u² + c3 u³
        let (c1, end) = (h * m0, h * m1);
        let (c2, c3) = (three * rise - two * c1 - end, c1 + end - two * rise);
        let u = (x - x0) / h;
        let integral = u * (y0 + u * (R::of(0.5) * c1 + u * (R::of(1.0 / 3.0) * c2 + u * (R::of(0.25) * c3))));
        [h * integral, y0 + u * (c1 + u * (c2 + u * c3)), (c1 + u * (two * c2 + u * (three * c3))) / h]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWN: [[f64; 2]; 6] = [[0.2, -9.0], [0.6, -2.0], [1.0, 0.0], [1.5, 3.0], [2.0, 3.0], [3.0, 9.0]];

    #[test]
    fn slopes_are_those_of_finite_differences_on_both_sides_of_every_knot() {
        let energy = SplineEnergy::through(&DRAWN).unwrap();
        for k in 0..600 {
            let x = -1.0 + 0.01 * f64::from(k) + 1e-3;
            let ([above, slope_above, _], [below, slope_below, _]) = (energy.at(x + 1e-5), energy.at(x - 1e-5));
            let [value, slope, bend] = energy.at(x);
            assert!(((above - below) / 2e-5 - slope).abs() < 1e-6, "{x}");
            assert!(((slope_above - slope_below) / 2e-5 - bend).abs() < 1e-5, "{x}");
            assert!(value >= 0.0 && slope * (x - 1.0) >= 0.0, "{x}: {value}, {slope}");
        }
        for [x, y] in DRAWN {
            let [left, at, right] = [x - 1e-9, x, x + 1e-9].map(|x| energy.at(x));
            assert!((at[1] - y).abs() < 1e-12 && (left[2] - right[2]).abs() < 1e-5, "{x}: {left:?}, {right:?}");
        }
        assert_eq!(energy.at(1.0)[..2], [0.0, 0.0]);
    }

    #[test]
    fn what_rises_at_the_knots_rises_between_and_beyond_them() {
        let energy = SplineEnergy::through(&DRAWN).unwrap();
        let slopes: Vec<f64> = (-200..600).map(|k| energy.at(0.01 * f64::from(k))[1]).collect();
        assert!(slopes.windows(2).all(|pair| pair[1] >= pair[0] - 1e-12));
        assert!((energy.at(5.0)[1] - (9.0 + 2.0 * 6.0)).abs() < 1e-12 && energy.at(-3.0)[1] < energy.at(0.0)[1]);
    }

    #[test]
    fn a_line_is_half_a_square() {
        let energy = SplineEnergy::through(&[[0.5, -1.0], [1.0, 0.0], [3.0, 4.0]]).unwrap();
        for x in [-2.0, 0.3, 0.7, 1.0, 1.0 + 1e-9, 2.0, 40.0] {
            let [value, slope, bend] = energy.at(x);
            let d = x - 1.0;
            assert!(
                (value - d * d).abs() <= 1e-14 * d * d && (slope - 2.0 * d).abs() <= 1e-13 * d.abs(),
                "{x}: {value}"
            );
            assert!((bend - 2.0).abs() < 1e-13);
        }
        assert_eq!(SplineEnergy::NONE.at(3.0), [0.0; 3]);
    }

    #[test]
    fn knots_without_rest_or_order_are_refused() {
        let refused = |points: &[[f64; 2]]| SplineEnergy::through(points).unwrap_err().to_string();
        assert!(refused(&[[1.0, 0.0]]).contains("from 2 to 8"));
        assert!(refused(&[[0.5, -1.0]; 9]).contains("from 2 to 8"));
        assert!(refused(&[[0.5, -1.0], [2.0, 1.0]]).contains("a knot at 1"));
        assert!(refused(&[[1.0, 0.0], [1.0, 0.0]]).contains("more than"));
        assert!(refused(&[[1.0, 0.0], [2.0, -1.0]]).contains("at least 0 Pa after"));
        assert!(refused(&[[1.0, 0.0], [2.0, f64::NAN]]).contains("finite"));
    }
}
