//! Closest points of a point and a triangle, and of two segments.
//!
//! The distance is a convex quadratic over the triangle, or over the square of both parameters. So its minimum is inside, or
//! it is the least one of the border: of the three edges, or of the four ends against the other segment. Nothing is divided by
//! what may be zero: slivers and segments without length have no inside, and their border is as good.
//!
//! Deviation from Ericson, "Real-time collision detection" (2005), 5.1.5 and 5.1.9, which walks Voronoi regions in a fixed
//! order: on slivers its regions contradict each other, and nearly parallel segments get any point of their lines.
//!
//! | symbol | code | |
//! |---|---|---|
//! | n | `n` | normal of the triangle, as long as twice its area |
//! | s, t | `s`, `t` | where on the first and the second segment, 0 to 1 |
//! | d1, d2, r | `d1`, `d2`, `r` | directions of the segments; from the second's begin to the first's |

use super::{Real, Vec3};

/// The points of two things that are closest to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Closest<R, const N: usize> {
    /// Where: weights of the corners of a triangle, or s and t. Zero is exact: it says which corner or edge is closest.
    pub at: [R; N],
    /// From the triangle's point to the point, or from the second segment's to the first's, m.
    pub offset: Vec3<R>,
}

impl<R: Real, const N: usize> Closest<R, N> {
    #[inline(always)]
    pub fn distance_sq(&self) -> R {
        self.offset.length_sq()
    }

    #[inline(always)]
    fn nearer(self, other: Self) -> Self {
        if other.distance_sq() < self.distance_sq() { other } else { self }
    }
}

/// The point of a triangle that is closest to `x`.
#[inline]
pub(crate) fn point_triangle<R: Real>(x: Vec3<R>, [a, b, c]: [Vec3<R>; 3]) -> Closest<R, 3> {
    let (ab, ac, ax) = (b - a, c - a, x - a);
    let n = ab.cross(ac);
    let n_sq = n.length_sq();
    if n_sq > ab.length_sq() * ac.length_sq() * R::EPSILON && n_sq > R::TINY {
        let (v, w) = (ax.cross(ac).dot(n) / n_sq, ab.cross(ax).dot(n) / n_sq);
        let u = R::ONE - v - w;
        if u > R::ZERO && v > R::ZERO && w > R::ZERO {
            return Closest { at: [u, v, w], offset: ax - ab * v - ac * w };
        }
    }
    let edge = |p: Vec3<R>, q: Vec3<R>| {
        let t = along(x, p, q);
        (t, x - p - (q - p) * t)
    };
    let (t, offset) = edge(a, b);
    let first = Closest { at: [R::ONE - t, t, R::ZERO], offset };
    let (t, offset) = edge(b, c);
    let second = Closest { at: [R::ZERO, R::ONE - t, t], offset };
    let (t, offset) = edge(c, a);
    let third = Closest { at: [t, R::ZERO, R::ONE - t], offset };
    first.nearer(second).nearer(third)
}

/// Where on the segment from p to q the point closest to x is, 0 to 1.
#[inline(always)]
fn along<R: Real>(x: Vec3<R>, p: Vec3<R>, q: Vec3<R>) -> R {
    let d = q - p;
    let (above, below) = ((x - p).dot(d), d.length_sq());
    // Not the quotient decides: it may round to one before the end, and then two edges would not agree on their corner.
    if above <= R::ZERO || below <= R::TINY {
        R::ZERO
    } else if above >= below {
        R::ONE
    } else {
        above / below
    }
}

/// Where two segments are closest, if that is inside both; not if they are parallel to within rounding, about 1° in `f32`.
#[inline(always)]
pub(crate) fn crossing<R: Real>([p1, q1]: [Vec3<R>; 2], [p2, q2]: [Vec3<R>; 2]) -> Option<Closest<R, 2>> {
    let (d1, d2, r) = (q1 - p1, q2 - p2, p1 - p2);
    let (a, e, b) = (d1.length_sq(), d2.length_sq(), d1.dot(d2));
    let (c, f) = (d1.dot(r), d2.dot(r));
    let denominator = a * e - b * b;
    let (s, t) = (b * f - c * e, a * f - b * c);
    // One branch, which is mostly not taken, instead of six that nobody can predict.
    let inside = |numerator: R| (numerator > R::ZERO) & (numerator < denominator);
    let askew = (denominator > a * e * R::EPSILON.sqrt()) & (denominator > R::TINY);
    if !(askew & inside(s) & inside(t)) {
        return None;
    }
    let at = [s / denominator, t / denominator];
    Some(Closest { at, offset: r + d1 * at[0] - d2 * at[1] })
}

/// Where two segments are closest.
#[inline]
pub(crate) fn segment_segment<R: Real>(first: [Vec3<R>; 2], second: [Vec3<R>; 2]) -> Closest<R, 2> {
    if let Some(inside) = crossing(first, second) {
        return inside;
    }
    let ([p1, q1], [p2, q2]) = (first, second);
    let of_first = |x: Vec3<R>, s: R| {
        let t = along(x, p2, q2);
        Closest { at: [s, t], offset: x - p2 - (q2 - p2) * t }
    };
    let of_second = |x: Vec3<R>, t: R| {
        let s = along(x, p1, q1);
        Closest { at: [s, t], offset: p1 - x + (q1 - p1) * s }
    };
    let ends = of_first(p1, R::ZERO).nearer(of_first(q1, R::ONE));
    ends.nearer(of_second(p2, R::ZERO)).nearer(of_second(q2, R::ONE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::SplitMix;

    fn point(random: &mut SplitMix) -> Vec3<f64> {
        Vec3::of(random.point())
    }

    /// Whole coordinates 0 to 2 now and then: coincident points, points on edges, parallel and zero-length segments.
    fn stencil<const N: usize>(random: &mut SplitMix, case: usize) -> [Vec3<f64>; N] {
        std::array::from_fn(|_| match case % 3 {
            0 => point(random),
            1 => Vec3::of(std::array::from_fn(|_| random.below(3) as f64)),
            _ => Vec3::new(random.signed(), 1e-5 * random.signed(), 1e-9 * random.signed()),
        })
    }

    fn on_triangle(t: [Vec3<f64>; 3], at: [f64; 3]) -> Vec3<f64> {
        t[0] * at[0] + t[1] * at[1] + t[2] * at[2]
    }

    #[test]
    fn no_sampled_point_of_a_triangle_is_closer() {
        let mut random = SplitMix(1);
        let mut regions = [0; 4];
        for case in 0..3000 {
            let [x, a, b, c] = stencil(&mut random, case);
            let found = point_triangle(x, [a, b, c]);
            assert!((found.at.iter().sum::<f64>() - 1.0).abs() < 1e-14 && found.at.iter().all(|w| *w >= 0.0));
            assert!((on_triangle([a, b, c], found.at) + found.offset - x).length() < 1e-12);
            regions[found.at.iter().filter(|w| **w > 0.0).count()] += 1;
            for i in 0..=12 {
                for j in 0..=12 - i {
                    let at = [i as f64 / 12.0, j as f64 / 12.0, (12 - i - j) as f64 / 12.0];
                    let sampled = (x - on_triangle([a, b, c], at)).length();
                    assert!(found.offset.length() <= sampled + 1e-12, "{case}: {found:?} {sampled}");
                }
            }
        }
        assert!(regions[1..].iter().all(|n| *n > 200), "{regions:?}");
    }

    #[test]
    fn no_sampled_points_of_two_segments_are_closer() {
        let mut random = SplitMix(2);
        let mut inside = 0;
        for case in 0..3000 {
            let [p1, q1, p2, q2] = stencil(&mut random, case);
            let found = segment_segment([p1, q1], [p2, q2]);
            let offset = |[s, t]: [f64; 2]| p1 + (q1 - p1) * s - p2 - (q2 - p2) * t;
            assert!(found.at.iter().all(|s| (0.0..=1.0).contains(s)));
            assert!((offset(found.at) - found.offset).length() < 1e-12);
            inside += usize::from(found.at.iter().all(|s| *s > 0.0 && *s < 1.0));
            for k in 0..=144 {
                let sampled = offset([(k / 12) as f64 / 12.0, (k % 12) as f64 / 12.0]).length();
                // Segments that count as parallel may be that much closer inside.
                assert!(
                    found.offset.length() <= sampled + 1e-4 * f64::from(case % 3 == 2) + 1e-12,
                    "{case}: {found:?}"
                );
            }
        }
        assert!(inside > 300, "{inside}");
    }

    /// At the closest points the distance does not change to first order: inside along every direction.
    #[test]
    fn inside_the_gradient_vanishes() {
        let mut random = SplitMix(3);
        let h = 1e-6;
        let mut checked = [0; 2];
        for _ in 0..2000 {
            let [a, b, c, d] = stencil(&mut random, 0);
            let found = point_triangle(a, [b, c, d]);
            if found.at.iter().all(|w| *w > 0.0) {
                checked[0] += 1;
                for edge in [c - b, d - b] {
                    let slope = (found.offset + edge * h).length_sq() - (found.offset - edge * h).length_sq();
                    assert!(slope.abs() / (2.0 * h) < 1e-8, "{slope}");
                }
            }
            if let Some(found) = crossing([a, b], [c, d]) {
                checked[1] += 1;
                for edge in [b - a, d - c] {
                    let slope = (found.offset + edge * h).length_sq() - (found.offset - edge * h).length_sq();
                    assert!(slope.abs() / (2.0 * h) < 1e-8, "{slope}");
                }
            }
        }
        assert!(checked.iter().all(|n| *n > 100), "{checked:?}");
    }

    fn nasty<R: Real>() -> Vec<[Vec3<R>; 4]> {
        let line = |x: f64| Vec3::of([x, 0.0, 0.0]);
        let o = Vec3::ZERO;
        let far = Vec3::of([1e6, 1e6, 1e6]);
        vec![
            [o; 4],
            [o, o, o, line(1.0)],
            [line(1.0), o, o, o],
            [line(0.5), o, line(1.0), line(2.0)],
            [line(0.5), o, line(1.0), line(1.0)],
            [Vec3::of([0.5, 1.0, 0.0]), o, line(1.0), Vec3::of([2.0, 1e-30, 0.0])],
            [far, far, far + line(1.0), far],
            [line(1e-30), line(2e-30), Vec3::of([0.0, 1e-30, 0.0]), Vec3::of([0.0, 0.0, 1e-30])],
            [line(1e18), o, line(-1e18), Vec3::of([0.0, 1e18, 0.0])],
        ]
    }

    fn nasty_stencils_are_finite<R: Real>() {
        for points in nasty::<R>() {
            for turn in 0..24 {
                let mut p = points;
                p.swap(0, turn % 4);
                p.swap(1, 1 + turn / 4 % 3);
                p.swap(2, 2 + turn / 12);
                let triangle = point_triangle(p[0], [p[1], p[2], p[3]]);
                let segments = segment_segment([p[0], p[1]], [p[2], p[3]]);
                assert!(triangle.offset.is_finite() && segments.offset.is_finite(), "{p:?}");
                let sum = triangle.at[0] + triangle.at[1] + triangle.at[2] - R::ONE;
                assert!(sum.abs() <= R::EPSILON * R::of(4.0), "{p:?}: {triangle:?}");
                assert!(triangle.at.iter().chain(&segments.at).all(|w| *w >= R::ZERO && *w <= R::ONE), "{p:?}");
            }
        }
    }

    #[test]
    fn nasty_stencils_are_finite_in_both_precisions() {
        nasty_stencils_are_finite::<f32>();
        nasty_stencils_are_finite::<f64>();
    }

    #[test]
    fn in_single_precision_distances_are_those_of_double() {
        let mut random = SplitMix(4);
        for case in 0..3000 {
            let p: [Vec3<f32>; 4] = stencil(&mut random, 3 * case).map(|v| v.cast());
            let q: [Vec3<f64>; 4] = p.map(|v| v.cast());
            let [near, exact] = [
                [
                    point_triangle(p[0], [p[1], p[2], p[3]]).offset.length() as f64,
                    segment_segment([p[0], p[1]], [p[2], p[3]]).offset.length() as f64,
                ],
                [
                    point_triangle(q[0], [q[1], q[2], q[3]]).offset.length(),
                    segment_segment([q[0], q[1]], [q[2], q[3]]).offset.length(),
                ],
            ];
            assert!((near[0] - exact[0]).abs() < 2e-5 && (near[1] - exact[1]).abs() < 2e-3, "{near:?} {exact:?}");
        }
    }
}
