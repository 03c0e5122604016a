//! Coulomb friction against colliders.
//!
//! In the objective it is lagged and smooth (Li et al. 2020, eq 14 to 16): from the start of a step a vertex that is about to
//! touch has an anchor, a normal and a limit F = friction × normal force, and slipping by u costs F (‖u‖ − ε/2), or F ‖u‖²/(2ε)
//! below ε, which is sticking. Its gradient F u/max(‖u‖, ε) never exceeds F, and F/max(‖u‖, ε) bounds its curvature from any
//! other point, too: sweeps that divide by it never raise the energy.
//!
//! Position-based methods have no forces. There the contact pushed the vertex out by `pushed` (normal impulse × h / m);
//! Coulomb's law bounds the tangential impulse by `friction` times the normal one, so the slip may shrink by
//! `friction · pushed`, at most to 0.

use crate::math::{Mat3, Real, Sym3, Vec3};

/// A vertex that slips slower than this sticks, m/s.
pub const STICKING_SPEED: f64 = 1e-3;

/// How far a vertex is to be kept from going that is about to go inside by `depth`, with a normal motion of `motion`, m.
///
/// What is above the surface and comes down on it needs no more than to stay there. But an unfinished solve leaves a cloth
/// at rest hovering over the surface, here more and there less, and its whole weight must count: so does the way above the
/// surface, up to ten times the depth.
#[inline(always)]
pub fn stopped_motion<R: Real>(depth: R, motion: R) -> R {
    motion.min(depth * R::of(10.0)).max(depth)
}

/// Friction of one vertex in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Grip<R> {
    /// Where the vertex is at the end of the step if it sticks, up to a motion along the normal; where nothing touches, where it
    /// was at the start, m.
    pub anchor: Vec3<R>,
    /// Of the surface, at the start of the step.
    pub normal: Vec3<R>,
    /// F, the largest force, N; 0 where nothing touches.
    pub limit: R,
}

impl<R: Real> Grip<R> {
    /// No friction.
    pub const NONE: Self = Self { anchor: Vec3::ZERO, normal: Vec3::ZERO, limit: R::ZERO };

    /// u, the slip of a vertex at x, m.
    #[inline(always)]
    fn slip(&self, x: Vec3<R>) -> Vec3<R> {
        let moved = x - self.anchor;
        moved - self.normal * moved.dot(self.normal)
    }

    /// Work against friction, J; below a slip of `sticking` m it is quadratic.
    #[inline(always)]
    pub fn value(&self, x: Vec3<R>, sticking: R) -> R {
        let u = self.slip(x).length();
        let half = R::of(0.5);
        self.limit * if u > sticking { u - half * sticking } else { half * u * u / sticking }
    }

    /// Gradient of the value, N, and F/max(‖u‖, ε), N/m, its curvature along the surface at most.
    #[inline(always)]
    pub fn gradient(&self, x: Vec3<R>, sticking: R) -> (Vec3<R>, R) {
        let slip = self.slip(x);
        let stiffness = self.limit / slip.length().max(sticking);
        (slip * stiffness, stiffness)
    }

    /// Hessian of the value, N/m: positive semi-definite.
    pub fn hessian(&self, x: Vec3<R>, sticking: R) -> Mat3<R> {
        let slip = self.slip(x);
        let (length, surface) = (slip.length(), Mat3::IDENTITY - self.normal.outer(self.normal));
        if length <= sticking {
            return surface * (self.limit / sticking);
        }
        let u = slip / length;
        (surface - u.outer(u)) * (self.limit / length)
    }

    /// A stiffness along the surface only, N/m.
    #[inline(always)]
    pub fn along(&self, stiffness: R) -> Sym3<R> {
        Sym3::scalar(stiffness) + Sym3::square(self.normal) * -stiffness
    }

    /// The same in another precision, with a normal of length 1 there.
    pub fn cast<S: Real>(self) -> Grip<S> {
        let normal = self.normal.cast::<S>().unit_or(Vec3::ZERO);
        Grip { anchor: self.anchor.cast(), normal, limit: S::of(self.limit.f64()) }
    }
}

/// The displacement of a vertex relative to the surface, with its tangential part shortened by friction, m.
#[inline]
pub fn limit_slip<R: Real>(relative: Vec3<R>, normal: Vec3<R>, pushed: R, friction: R) -> Vec3<R> {
    let along = normal * relative.dot(normal);
    let slip = relative - along;
    let length = slip.length();
    let kept = length - friction * pushed;
    if kept > R::ZERO { along + slip * (kept / length) } else { along }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn friction_stops_short_slips_and_shortens_long_ones() {
        let n = Vec3::new(0.0, 1.0, 0.0);
        let limited = |slip: f64| limit_slip(Vec3::new(slip, 0.3, 0.0), n, 0.1, 0.5);
        assert_eq!(limited(0.04), Vec3::new(0.0, 0.3, 0.0));
        assert!((limited(0.2) - Vec3::new(0.15, 0.3, 0.0)).length() < 1e-15);
        assert_eq!(limited(0.0), Vec3::new(0.0, 0.3, 0.0));
    }

    fn grip() -> Grip<f64> {
        let normal = Vec3::new(0.6, 0.8, 0.0);
        Grip { anchor: Vec3::new(0.1, -0.2, 0.3), normal, limit: 2.5 }
    }

    #[test]
    fn the_gradient_of_friction_is_that_of_its_value() {
        let (grip, sticking, step) = (grip(), 1e-2, 1e-6);
        for moved in [[3e-3, 0.0, 1e-3], [0.2, 0.1, -0.3], [0.0, 0.0, 0.0], [6e-3, 8e-3, 0.0f64]] {
            let x = grip.anchor + Vec3::of(moved);
            let (gradient, _) = grip.gradient(x, sticking);
            for k in 0..3 {
                let mut by = [0.0; 3];
                by[k] = step;
                let difference = grip.value(x + Vec3::of(by), sticking) - grip.value(x - Vec3::of(by), sticking);
                assert!((gradient[k] - difference / (2.0 * step)).abs() < 1e-5, "{moved:?} {k}");
            }
            let hessian = grip.hessian(x, sticking);
            for k in 0..3 {
                let mut by = [0.0; 3];
                by[k] = step;
                let after = grip.gradient(x + Vec3::of(by), sticking).0 - grip.gradient(x - Vec3::of(by), sticking).0;
                let at_the_bend = (grip.slip(x).length() - sticking).abs() < 1e-5;
                assert!(at_the_bend || (hessian.c[k] - after / (2.0 * step)).length() < 1e-4, "{moved:?} {k}");
            }
            assert!(gradient.length() <= grip.limit * (1.0 + 1e-12));
            assert!(gradient.dot(grip.normal).abs() < 1e-12, "friction acts along the surface");
        }
    }

    #[test]
    fn the_stiffness_of_friction_bounds_its_value_from_everywhere() {
        let (grip, sticking) = (grip(), 1e-2);
        let places = [[0.0, 0.0, 0.0], [4e-3, -3e-3, 1e-3], [0.02, 0.0, 0.01], [-0.3, 0.1, 0.5f64]].map(Vec3::of);
        for from in places {
            let (gradient, stiffness) = grip.gradient(grip.anchor + from, sticking);
            for to in places {
                let dx = to - from;
                let bound = grip.value(grip.anchor + from, sticking)
                    + gradient.dot(dx)
                    + 0.5 * dx.dot(grip.along(stiffness).times(dx));
                assert!(grip.value(grip.anchor + to, sticking) <= bound + 1e-12, "{from:?} {to:?}");
            }
        }
    }
}
