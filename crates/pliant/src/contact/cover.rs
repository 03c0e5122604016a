//! Contacts during a solve. They are one-sided: an iterate that leaves the surface feels nothing, and one that comes back is
//! stopped. A solver that takes A for constant must be told what will come.

use crate::math::{Real, Sym3, Vec3};

/// How much of a contact's stiffness counts along its surface, too: normals turn while vertices slide.
const HELD_ALONG: f64 = 1e-4;

/// Pushes of contacts for A, after a gradient that found `now` in a step that had `had` so far, N/m. Friction is not among
/// them: it may be stiffer by far, and would hide them.
///
/// Within a step their stiffness never falls: a global step moves many vertices far, and where that brings a contact and
/// takes it away again, A must not forget it. But normals turn.
#[inline(always)]
pub fn covered<R: Real>(now: Sym3<R>, had: Sym3<R>) -> Sym3<R> {
    let now = now + Sym3::scalar(now.trace() * R::of(HELD_ALONG));
    let (before, after) = (had.trace(), now.trace());
    if after >= before { now } else { now + had * (R::ONE - after / before) }
}

/// The accelerated iterate `next` of a vertex with these pushes, without what acceleration adds to `plain` across the
/// surface.
///
/// Momentum carries what a contact pushed out beyond the surface, where nothing but weight brings it back: cloth would hop,
/// and inflate on a ball.
#[inline(always)]
pub fn without_momentum<R: Real>(pushes: Sym3<R>, plain: Vec3<R>, next: Vec3<R>) -> Vec3<R> {
    let stiffness = pushes.bound();
    if stiffness == R::ZERO { next } else { next - pushes.times(next - plain) * (R::ONE / stiffness) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contacts_stay_within_a_step_and_turn() {
        let contact = |normal: [f64; 3]| Sym3::square(Vec3::of(normal)) * 5.0;
        let first = covered(contact([0.0, 1.0, 0.0]), Sym3::ZERO);
        assert_eq!(covered(Sym3::ZERO, first), first);
        let turned = covered(contact([0.6, 0.8, 0.0]), first);
        assert_eq!(turned, covered(contact([0.6, 0.8, 0.0]), Sym3::ZERO));
    }

    #[test]
    fn momentum_goes_on_along_the_surface_only() {
        let up = Vec3::new(0.0, 1.0, 0.0);
        let (plain, next) = (Vec3::new(1.0, 1.0, 1.0), Vec3::new(2.0, 3.0, 1.5f64));
        let kept = without_momentum(Sym3::square(up) * 7.0, plain, next);
        assert!((kept - Vec3::new(2.0, 1.0, 1.5)).length() < 1e-15);
        assert_eq!(without_momentum(Sym3::ZERO, plain, next), next);
        // In a corner there is one way left.
        let corner = Sym3::square(up) * 7.0 + Sym3::square(Vec3::new(1.0, 0.0, 0.0)) * 7.0;
        assert!((without_momentum(corner, plain, next) - Vec3::new(1.0, 1.0, 1.5)).length() < 1e-15);
    }
}
