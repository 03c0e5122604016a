//! Coulomb friction against colliders, applied to the displacement at the end of a step: a velocity filter (course 2.3
//! handles friction at the same place).
//!
//! In one step the contact pushed the vertex out by `pushed` (normal impulse × h / m). Coulomb's law bounds the
//! tangential impulse by `friction` times the normal one, so the slip may shrink by `friction · pushed`, at most to 0.

use crate::math::{Real, Vec3};

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
}
