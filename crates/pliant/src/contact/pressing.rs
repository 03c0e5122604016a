//! How hard a body is pressed against a collider, for friction.

use crate::math::{Real, Vec3};

/// Sums over the vertices of one body about one collider at the start of a step; those that touch are the ones that are about
/// to go inside.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pressing<R> {
    /// Contact forces at the start of those that touch, N.
    pub contact: R,
    /// Forces that stop the motion of those that touch, N: along their normals, and their lengths.
    pub stopping: Vec3<R>,
    /// As above.
    pub stopped: R,
    /// Inertia m/h² of those that touch, times their normals and alone, N/m.
    pub side: Vec3<R>,
    /// As above.
    pub inertia: R,
    /// Force that stops the motion of the whole body relative to the collider, N.
    pub motion: Vec3<R>,
}

/// Normals that cancel to less than this part of their sum have no common side.
const ONE_SIDE: f64 = 0.1;

impl<R: Real> std::ops::Add for Pressing<R> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            contact: self.contact + other.contact,
            stopping: self.stopping + other.stopping,
            stopped: self.stopped + other.stopped,
            side: self.side + other.side,
            inertia: self.inertia + other.inertia,
            motion: self.motion + other.motion,
        }
    }
}

impl<R: Real> Pressing<R> {
    /// Where the collider is seen from, as far as normals agree.
    fn direction(&self) -> Vec3<R> {
        self.side.unit_or(Vec3::ZERO)
    }

    /// The collider is on one side of the body.
    fn is_on_one_side(&self) -> bool {
        self.side.length() > self.inertia * R::of(ONE_SIDE)
    }
}

/// How much harder a body is pressed against collider number k of `all` than by inertia and weight of what touches, as a
/// displacement that these would have to stop besides their own, m.
///
/// Contact forces at the start say it: tension, a clamp, the rest of a solid above. But they are a few micrometres times a large
/// stiffness, which rounding and an unfinished solve drown: a fine cloth on a ball shows a hundred times its weight. A body that
/// no pin holds cannot be pressed by more than what stops it and what other colliders push it with against this one. That is
/// known well, so it counts, unless contact forces are not half of it: then the body is not all stopped.
pub fn pressed<R: Real>(all: &[Pressing<R>], k: usize, is_held: bool) -> R {
    let this = &all[k];
    if this.inertia <= R::ZERO {
        return R::ZERO;
    }
    let by_contact = (this.contact - this.stopped) / this.inertia;
    if is_held || !this.is_on_one_side() {
        return by_contact.max(R::ZERO);
    }
    let side = this.direction();
    let against = |other: &Pressing<R>| (-side.dot(other.direction())).max(R::ZERO) * other.contact;
    let others = (0..).zip(all).filter(|(j, _)| *j != k);
    let pushed = others.fold(R::ZERO, |sum, (_, other)| sum + against(other));
    let by_motion = (side.dot(this.motion - this.stopping) + pushed) / this.side.length();
    by_motion.min(by_contact * R::of(2.0)).max(R::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tenth of a body of 10 N touches a floor; the contact forces are what the whole weighs.
    fn resting() -> Pressing<f64> {
        let up = Vec3::axis(1);
        Pressing { contact: 10.0, stopping: up, stopped: 1.0, side: up * 4.0, inertia: 4.0, motion: up * 10.0 }
    }

    #[test]
    fn a_body_at_rest_presses_with_its_weight_whatever_its_contacts_look_like() {
        // All of it: 10 N, 1 N of which are those that touch.
        for contact in [6.0, 10.0, 1000.0] {
            assert_eq!(pressed(&[Pressing { contact, ..resting() }], 0, false), 9.0 / 4.0, "{contact}");
        }
        // A cloth that lies flat stops itself.
        let flat = Pressing { contact: 500.0, stopping: Vec3::axis(1) * 10.0, stopped: 10.0, ..resting() };
        assert_eq!(pressed(&[flat], 0, false), 0.0);
    }

    #[test]
    fn a_body_that_only_begins_to_touch_is_not_stopped() {
        assert_eq!(pressed(&[Pressing { contact: 0.0, ..resting() }], 0, false), 0.0);
        assert_eq!(pressed(&[Pressing { contact: 2.0, ..resting() }], 0, false), 2.0 / 4.0);
    }

    #[test]
    fn pins_and_clamps_press_by_their_force() {
        let pulled = Pressing { contact: 100.0, ..resting() };
        assert_eq!(pressed(&[pulled], 0, true), 99.0 / 4.0);
        let lid = Pressing { contact: 100.0, side: Vec3::axis(1) * -4.0, stopping: Vec3::ZERO, ..resting() };
        assert_eq!(pressed(&[pulled, lid], 0, false), 109.0 / 4.0);
        // A wall beside it does not.
        let wall = Pressing { side: Vec3::axis(0) * 4.0, ..lid };
        assert_eq!(pressed(&[pulled, wall], 0, false), 9.0 / 4.0);
        // Normals all around say nothing.
        let bag = Pressing { side: Vec3::axis(1) * 0.1, ..pulled };
        assert_eq!(pressed(&[bag], 0, false), 99.0 / 4.0);
        assert_eq!(pressed(&[Pressing::<f64>::default()], 0, true), 0.0);
    }
}
