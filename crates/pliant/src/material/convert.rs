//! What elements that are converted where they are crushed have in common (course eq 45 to 47; see
//! [`super::hyperelastic`]): (1 − l) ψ + l κ ‖F − R‖².

use super::isotropic::corotated_twists;
use crate::math::{Real, Vec3};

/// λ⁻: the least stretch at which an element is converted wholly.
const CONVERTED_AT: f64 = 0.05;

/// l of what is never converted.
pub(super) const NEVER: f64 = -1.0;

/// l of an element by its least stretch: above 1 where it is crushed, negative above `below` (λ⁺).
#[inline]
pub(super) fn least_to_share<R: Real>(least: R, below: f64) -> R {
    (R::of(below) - least) / R::of(below - CONVERTED_AT)
}

/// Scaling matrix, twists and flips.
type Principal<R> = ([[R; 3]; 3], [R; 3], [R; 3]);

/// Those of ψ turned into those of (1 − l) ψ + κ ‖F − R‖²; `kappa` has l in it.
#[inline]
pub(super) fn with_projective<R: Real>(own: Principal<R>, share: R, kappa: R, sigma: Vec3<R>) -> Principal<R> {
    if share <= R::ZERO {
        return own;
    }
    let (mut scale, mut twist, mut flip) = own;
    let rest = R::ONE - share;
    let (twists, flips) = corotated_twists(kappa, R::ZERO, sigma, 3);
    for k in 0..3 {
        scale[k] = scale[k].map(|s| s * rest);
        scale[k][k] += kappa + kappa;
        (twist[k], flip[k]) = (rest * twist[k] + twists[k], rest * flip[k] + flips[k]);
    }
    (scale, twist, flip)
}
