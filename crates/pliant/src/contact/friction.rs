//! Coulomb friction against colliders.
//!
//! In the objective it is lagged and smooth (Li et al. 2020, eq 14 to 16): from the start of a step a vertex that touches has
//! an anchor, a normal and a limit F = friction × normal force, and slipping by u costs F (‖u‖ − ε/2), or F ‖u‖²/(2ε) below ε,
//! which is sticking. Its gradient F u/max(‖u‖, ε) never exceeds F, and F/max(‖u‖, ε) bounds its curvature from any other
//! point, too: sweeps that divide by it never raise the energy.
//!
//! Position-based methods have no forces. There the contact pushed the vertex out by `pushed` (normal impulse × h / m);
//! Coulomb's law bounds the tangential impulse by `friction` times the normal one, so the slip may shrink by
//! `friction · pushed`, at most to 0.

use super::PosedCollider;
use crate::math::{Mat3, Real, Sym3, Vec3};

/// A vertex that slips slower than this sticks, m/s.
pub const STICKING_SPEED: f64 = 1e-3;

/// Friction is at most so many times as stiff as the contact that causes it. Both are in one block, where rounding of the
/// stiffer one blurs the other.
const STIFFEST: f64 = 48.0;

/// ε, the slip in a step of h seconds that counts as none, m.
#[inline(always)]
pub fn sticking_slip<R: Real>(limit: R, contact_stiffness: R, h: R) -> R {
    (R::of(STICKING_SPEED) * h).max(limit / (contact_stiffness * R::of(STIFFEST)))
}

/// Friction of one vertex in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Grip<R> {
    /// The point of the surface over which the vertex is at the end of the step if it sticks, m.
    pub anchor: Vec3<R>,
    /// Of the surface there.
    pub normal: Vec3<R>,
    /// F, the largest force, N; 0 where nothing touches.
    pub limit: R,
    /// ε, the slip that counts as none, m; see [`sticking_slip`].
    pub sticking: R,
    /// The vertex is about to go inside; if not, it only lay on the surface.
    pub comes: bool,
    /// The collider, by its number, of which the plane through the anchor counts in this step and not the nearest face.
    pub face: Option<u32>,
}

impl<R: Real> Grip<R> {
    /// No friction.
    pub const NONE: Self =
        Self { anchor: Vec3::ZERO, normal: Vec3::ZERO, limit: R::ZERO, sticking: R::ZERO, comes: false, face: None };

    /// Signed distance of the vertex from collider number k when it is at x, m, and its gradient; see
    /// [`PosedCollider::distance`].
    #[inline(always)]
    pub fn distance(&self, k: usize, collider: &PosedCollider<R>, x: Vec3<R>) -> (R, Vec3<R>) {
        self.plane(k, x).unwrap_or_else(|| collider.distance(x))
    }

    /// Signed distance of the vertex from collider number k when it is at x, m, and the unit normal there.
    #[inline(always)]
    pub fn distance_and_normal(&self, k: usize, collider: &PosedCollider<R>, x: Vec3<R>) -> (R, Vec3<R>) {
        self.plane(k, x).unwrap_or_else(|| collider.distance_and_normal(x))
    }

    /// Distance from the plane that counts for collider number k, m, and its normal, if there is one.
    #[inline(always)]
    fn plane(&self, k: usize, x: Vec3<R>) -> Option<(R, Vec3<R>)> {
        (self.face == Some(k as u32)).then(|| (self.normal.dot(x - self.anchor), self.normal))
    }

    /// u, the slip of a vertex at x, m.
    #[inline(always)]
    fn slip(&self, x: Vec3<R>) -> Vec3<R> {
        let moved = x - self.anchor;
        moved - self.normal * moved.dot(self.normal)
    }

    /// Work against friction, J; below ε it is quadratic.
    #[inline(always)]
    pub fn value(&self, x: Vec3<R>) -> R {
        let u = self.slip(x).length();
        let (half, sticking) = (R::of(0.5), self.sticking);
        self.limit * if u > sticking { u - half * sticking } else { half * u * u / sticking }
    }

    /// Gradient of the value, N, and F/max(‖u‖, ε), N/m, its curvature along the surface at most.
    #[inline(always)]
    pub fn gradient(&self, x: Vec3<R>) -> (Vec3<R>, R) {
        let slip = self.slip(x);
        let stiffness = self.limit / slip.length().max(self.sticking);
        (slip * stiffness, stiffness)
    }

    /// Hessian of the value, N/m: positive semi-definite.
    pub fn hessian(&self, x: Vec3<R>) -> Mat3<R> {
        let slip = self.slip(x);
        let (length, surface) = (slip.length(), Mat3::IDENTITY - self.normal.outer(self.normal));
        if length <= self.sticking {
            return surface * (self.limit / self.sticking);
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
        let [limit, sticking] = [self.limit, self.sticking].map(|number| S::of(number.f64()));
        Grip { anchor: self.anchor.cast(), normal, limit, sticking, comes: self.comes, face: self.face }
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
        Grip { anchor: Vec3::new(0.1, -0.2, 0.3), normal, limit: 2.5, sticking: 1e-2, comes: true, face: None }
    }

    #[test]
    fn the_gradient_of_friction_is_that_of_its_value() {
        let (grip, step) = (grip(), 1e-6);
        for moved in [[3e-3, 0.0, 1e-3], [0.2, 0.1, -0.3], [0.0, 0.0, 0.0], [6e-3, 8e-3, 0.0f64]] {
            let x = grip.anchor + Vec3::of(moved);
            let (gradient, _) = grip.gradient(x);
            for k in 0..3 {
                let mut by = [0.0; 3];
                by[k] = step;
                let difference = grip.value(x + Vec3::of(by)) - grip.value(x - Vec3::of(by));
                assert!((gradient[k] - difference / (2.0 * step)).abs() < 1e-5, "{moved:?} {k}");
            }
            let hessian = grip.hessian(x);
            for k in 0..3 {
                let mut by = [0.0; 3];
                by[k] = step;
                let after = grip.gradient(x + Vec3::of(by)).0 - grip.gradient(x - Vec3::of(by)).0;
                let at_the_bend = (grip.slip(x).length() - grip.sticking).abs() < 1e-5;
                assert!(at_the_bend || (hessian.c[k] - after / (2.0 * step)).length() < 1e-4, "{moved:?} {k}");
            }
            assert!(gradient.length() <= grip.limit * (1.0 + 1e-12));
            assert!(gradient.dot(grip.normal).abs() < 1e-12, "friction acts along the surface");
        }
    }

    #[test]
    fn the_stiffness_of_friction_bounds_its_value_from_everywhere() {
        let grip = grip();
        let places = [[0.0, 0.0, 0.0], [4e-3, -3e-3, 1e-3], [0.02, 0.0, 0.01], [-0.3, 0.1, 0.5f64]].map(Vec3::of);
        for from in places {
            let (gradient, stiffness) = grip.gradient(grip.anchor + from);
            for to in places {
                let dx = to - from;
                let bound =
                    grip.value(grip.anchor + from) + gradient.dot(dx) + 0.5 * dx.dot(grip.along(stiffness).times(dx));
                assert!(grip.value(grip.anchor + to) <= bound + 1e-12, "{from:?} {to:?}");
            }
        }
    }
}
