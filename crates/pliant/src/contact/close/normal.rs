//! Which way two things are pushed apart.

use crate::math::{Real, Vec3};

/// A pair at the hem of a cloth that has turned by less since the step before has gone round it: cos 120°.
const ROUND_A_HEM: f64 = -0.5;
/// Directions of offsets shorter than so many roundings of the coordinates are noise.
const ROUNDINGS: f64 = 16.0;

/// What is known of a pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Apart<R> {
    /// From the second side to the first, between closest points, m.
    pub offset: Vec3<R>,
    /// Perpendicular to both sides, of any length: of the triangle, or the product of the edges. Zero if there is no such.
    pub across: Vec3<R>,
    /// Closest inside both sides: then the offset runs along `across`.
    pub inside: bool,
    /// How far the first side would go relative to the second in the step, m.
    pub motion: Vec3<R>,
    /// Largest coordinate, m.
    pub magnitude: R,
    /// The normal in the step before.
    pub before: Option<Vec3<R>>,
    /// It was closest to a hem then, so it may have gone round it.
    pub hem: bool,
}

impl<R: Real> Apart<R> {
    /// The unit normal from the second side to the first, on the side where the pair was.
    ///
    /// Where it touches, the step before knows the side; else it came from where it does not go; else any will do.
    #[inline]
    pub fn normal(&self) -> Vec3<R> {
        let noise = R::of(ROUNDINGS) * R::EPSILON * self.magnitude + R::TINY.sqrt();
        let distance = self.offset.length();
        let across = unit(self.across);
        let perpendicular = across.filter(|_| self.inside);
        if distance > noise {
            // The same direction as the offset's, and still exact where that is short.
            let straight = match perpendicular {
                Some(n) => along(n, self.offset),
                None => self.offset / distance,
            };
            let passed = if self.hem { R::of(ROUND_A_HEM) } else { R::ZERO };
            return match self.before {
                Some(before) if before.dot(straight) < passed => perpendicular.map_or(before, |_| -straight),
                _ => straight,
            };
        }
        match (self.before, across) {
            (Some(before), Some(n)) if self.inside => along(n, before),
            (Some(before), _) => before,
            (None, Some(n)) => along(n, -self.motion),
            (None, None) => unit(-self.motion).unwrap_or(Vec3::axis(1)),
        }
    }
}

/// `n`, turned to the side of `to`.
#[inline(always)]
fn along<R: Real>(n: Vec3<R>, to: Vec3<R>) -> Vec3<R> {
    if n.dot(to) < R::ZERO { -n } else { n }
}

#[inline(always)]
fn unit<R: Real>(v: Vec3<R>) -> Option<Vec3<R>> {
    let length = v.length();
    (length > R::TINY.sqrt()).then(|| v / length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::SplitMix;

    const UP: Vec3<f64> = Vec3::new(0.0, 1.0, 0.0);

    fn apart(offset: [f64; 3]) -> Apart<f64> {
        Apart {
            offset: Vec3::of(offset),
            across: UP * 3.0,
            inside: true,
            motion: Vec3::ZERO,
            magnitude: 1.0,
            before: None,
            hem: false,
        }
    }

    #[test]
    fn the_side_is_where_it_was() {
        assert_eq!(apart([0.0, 1e-3, 0.0]).normal(), UP);
        assert_eq!(apart([0.0, -1e-3, 0.0]).normal(), -UP);
        let beside = Apart { inside: false, ..apart([2.0, 0.0, 0.0]) };
        assert_eq!(beside.normal(), Vec3::axis(0));
    }

    #[test]
    fn what_touches_came_from_where_it_does_not_go() {
        let touching = Apart { motion: UP * 0.1, ..apart([0.0; 3]) };
        assert_eq!(touching.normal(), -UP);
        assert_eq!(Apart { motion: -UP, ..touching }.normal(), UP);
        assert_eq!(Apart { before: Some(UP), ..touching }.normal(), UP);
        assert_eq!(apart([0.0; 3]).normal(), UP);
    }

    #[test]
    fn what_has_passed_keeps_its_side_and_what_goes_round_does_not() {
        let below = Apart { before: Some(UP), ..apart([0.0, -1e-3, 0.0]) };
        assert_eq!(below.normal(), UP);
        let hem = Apart { inside: false, hem: true, ..below };
        assert_eq!(hem.normal(), UP);
        // Beside it, then below it: only at a hem there is a way that does not pass.
        let beside = Vec3::new(0.6, 0.8, 0.0);
        assert_eq!(Apart { before: Some(Vec3::new(0.95, 0.3, 0.0)), ..below }.normal(), UP);
        assert_eq!(Apart { before: Some(Vec3::new(0.95, 0.3, 0.0)), hem: true, ..below }.normal(), -UP);
        assert_eq!(Apart { before: Some(beside), hem: true, ..below }.normal(), UP);
        // Round the border of a cloth in steps of 30°.
        let mut before = UP;
        for k in 1..=12 {
            let (sin, cos) = (f64::from(k) * 30f64.to_radians()).sin_cos();
            let there = Vec3::new(sin, cos, 0.0);
            before = Apart { offset: there * 1e-3, before: Some(before), ..hem }.normal();
            assert!((before - there).length() < 1e-12, "{before:?}");
        }
    }

    fn any_input_gives_a_unit_normal<R: Real>() {
        let mut random = SplitMix(9);
        let scales = [0.0, 1e-30, 1e-9, 1.0, 1e9];
        for _ in 0..20_000 {
            let mut any = || Vec3::<R>::of(random.point()) * R::of(scales[random.below(5)]);
            let [offset, across, motion, before] = std::array::from_fn(|_| any());
            let before = unit(before);
            let magnitude = R::of(scales[random.below(5)]);
            let inside = random.below(2) == 0;
            let normal = Apart { offset, across, inside, motion, magnitude, before, hem: inside }.normal();
            assert!((normal.length() - R::ONE).abs() < R::EPSILON * R::of(4.0), "{normal:?}");
        }
    }

    #[test]
    fn any_input_gives_a_unit_normal_in_both_precisions() {
        any_input_gives_a_unit_normal::<f32>();
        any_input_gives_a_unit_normal::<f64>();
    }
}
