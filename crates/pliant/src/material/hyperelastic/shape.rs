//! How much the shape of an element is changed, apart from its volume: what neo-Hookean materials are made of.
//!
//! J^(−2/3) I − 3 = 3 (Q^(−2/3) − 1) with Q = J (I/3)^(−3/2), and J^(−4/3) (I² − II)/2 − 3 = 3 (Q₂^(−2/3) − 1) with
//! Q₂ = J² (I₂/3)^(−3/2), I₂ = (I² − II)/2. Both Q are 1 where angles are kept and 0 where the element is flat, below which the left
//! sides are infinite or meaningless. Beyond the papers: from Q = 0.005 down, which is a stretch of 10 at constant volume or a
//! compression to 0.003, Q^(−2/3) is replaced by what goes on smoothly (C²) and in the end along a straight line, so that all is
//! finite everywhere and an element that is inside out is turned back.

use super::Strain;
use crate::math::{Real, Smooth};

/// Where Q^(−2/3) is replaced.
const LEAST_Q: f64 = 5e-3;
/// Least I/3, and least I₂/3 is its square: of an element shrunk to a hundredth there is no shape to speak of.
const LEAST_SIZE: f64 = 1e-4;

/// J^(−2/3) I − 3.
#[inline(always)]
pub fn isochoric<R: Real, S: Smooth<R>>(strain: Strain<S>) -> S {
    let third = strain.i.times(R::of(1.0 / 3.0)).plus(R::ONE);
    of_quality(strain.j * at_least(third, LEAST_SIZE).power(-1.5))
}

/// J^(−4/3) (I² − II)/2 − 3.
#[inline(always)]
pub fn isochoric_area<R: Real, S: Smooth<R>>(strain: Strain<S>) -> S {
    let Strain { i, ii, j } = strain;
    // (I² − II)/2 = 3 + 2 (I−3) + ((I−3)² − ‖C−1‖²)/2
    let third = (i.times(R::of(2.0)) + (i * i - ii).times(R::of(0.5))).times(R::of(1.0 / 3.0)).plus(R::ONE);
    // Inside out it is as flat as can be.
    let j_sq = if j.value() > R::ZERO { j * j } else { S::constant(R::ZERO) };
    of_quality(j_sq * at_least(third, LEAST_SIZE * LEAST_SIZE).power(-1.5))
}

/// 3 (Q^(−2/3) − 1), or what takes its place: with d = 1 − Q/Q₀ > 0, Q₀^(−2/3) (1 + 16/9 d − 10/9 ln(1 + d)) for Q^(−2/3).
#[inline(always)]
fn of_quality<R: Real, S: Smooth<R>>(q: S) -> S {
    let least = R::of(LEAST_Q);
    let power = if q.value() >= least {
        q.power(-2.0 / 3.0)
    } else {
        let d = q.times(-R::ONE / least).plus(R::ONE);
        let rise = d.times(R::of(16.0 / 9.0)) - d.plus(R::ONE).log().times(R::of(10.0 / 9.0));
        rise.plus(R::ONE).times(R::of(LEAST_Q.powf(-2.0 / 3.0)))
    };
    power.plus(-R::ONE).times(R::of(3.0))
}

fn at_least<R: Real, S: Smooth<R>>(x: S, least: f64) -> S {
    if x.value() > R::of(least) { x } else { S::constant(R::of(least)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Jet;

    #[test]
    fn what_goes_on_below_the_least_quality_is_smooth_and_falls_towards_the_right_side() {
        let at = |q: f64| of_quality(Jet::variable(0, q));
        let (above, below) = (at(LEAST_Q * (1.0 + 1e-9)), at(LEAST_Q * (1.0 - 1e-9)));
        let near = |a: f64, b: f64| (a - b).abs() < 1e-7 * a.abs();
        assert!(near(above.value, below.value) && near(above.slope[0], below.slope[0]));
        assert!(near(above.curvature[0][0], below.curvature[0][0]));
        assert!((1..100).all(|k| at(-0.01 * f64::from(k)).slope[0] < at(0.9 * LEAST_Q).slope[0]));
        assert!(at(-1.0).value < 1e5 && at(1.0).value.abs() < 1e-15);
    }
}
