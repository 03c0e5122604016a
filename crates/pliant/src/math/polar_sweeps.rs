//! The rotation nearest to a matrix by sweeps of 2×2 problems from a guess (cg section 3.3; Bridson), for callers that keep the
//! rotation of the last step.
//!
//! S = QᵀF is made symmetric: in each plane (p, q) in turn Q takes the angle that makes S_pq = S_qp and tr S largest,
//! tan θ = (S_qp − S_pq)/(S_pp + S_qq). The trace never falls, and its only maximum is the nearest rotation, det Q = +1, whether F is
//! inverted or not.
//!
//! Accuracy and time: `benches/polar.rs`. [`super::polar_rotation`] is exact, faster where eight are computed at once, and needs no
//! memory; so solvers take that.

use super::{Mat3, Real};

/// A rotation nearer to the nearest one of F than `guess` is, unless that is it.
#[inline]
pub fn polar_by_sweeps<R: Real>(F: Mat3<R>, guess: Mat3<R>, sweeps: usize) -> Mat3<R> {
    let mut Q = guess;
    // Columns of Sᵀ: what turns those of Q turns them, too.
    let mut T = F.transpose() * Q;
    for _ in 0..sweeps {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let (along, across) = (T.c[p][p] + T.c[q][q], T.c[q][p] - T.c[p][q]);
            let length = (along * along + across * across).sqrt();
            if length > R::TINY {
                let (c, s) = (along / length, across / length);
                for m in [&mut T, &mut Q] {
                    let (a, b) = (m.c[p], m.c[q]);
                    (m.c[p], m.c[q]) = (a * c + b * s, b * c - a * s);
                }
            }
        }
    }
    Q
}

#[cfg(test)]
mod tests {
    use super::super::svd::tests::{any_matrix, check_rotation};
    use super::super::{SplitMix, Vec3, polar_rotation, svd};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 500, ..ProptestConfig::default() })]
        #[test]
        fn the_trace_never_falls_and_the_result_is_a_rotation(F in any_matrix()) {
            let sigma = svd(F).sigma;
            let most = sigma.x + sigma.y + sigma.z;
            let mut last = F.trace();
            for sweeps in 1..6 {
                let Q = polar_by_sweeps(F, Mat3::IDENTITY, sweeps);
                check_rotation(Q, 1e-13);
                let trace = Q.dot(F);
                let slack = 1e-13 * F.norm_sq().sqrt();
                prop_assert!(trace >= last - slack && trace <= most + slack);
                last = trace;
            }
        }
    }

    /// Largest error after 1, 2, 3 and 4 sweeps from a guess so far off, rad.
    fn errors(off: f64) -> [f64; 4] {
        let mut random = SplitMix(5);
        let mut largest = [0.0f64; 4];
        for _ in 0..500 {
            let mut turn = |angle: f64| Mat3::rotation(Vec3::of(random.point()).unit_or(Vec3::axis(0)), angle);
            let (rotation, stretch_axes, nudge) = (turn(2.0), turn(1.0), turn(off));
            let stretch = stretch_axes * Mat3::diagonal(Vec3::of([0.8, 1.0, 1.3])) * stretch_axes.transpose();
            let F = rotation * stretch;
            for (sweeps, largest) in (1..).zip(&mut largest) {
                let Q = polar_by_sweeps(F, rotation * nudge, sweeps);
                *largest = largest.max((Q - polar_rotation(F)).norm_sq().sqrt());
            }
        }
        largest
    }

    #[test]
    fn every_sweep_from_the_last_steps_rotation_takes_the_error_down() {
        for off in [0.05, 0.3] {
            let errors = errors(off);
            println!("{off} rad off: {errors:?} after 1 to 4 sweeps");
            assert!(errors[0] < 0.5 * off && errors.is_sorted_by(|a, b| *b < 0.3 * a), "{errors:?}");
        }
    }
}
