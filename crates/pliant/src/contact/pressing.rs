//! How hard a body is pressed against a collider, for friction.

use crate::math::{Real, Vec3};

/// Sums over the vertices of one body about one collider at the start of a step; those that touch are the ones that are about
/// to go inside or were pressed on the surface.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pressing<R> {
    /// Contact forces at the start of those that touch, N.
    pub contact: R,
    /// Forces that stop the motion of those that touch, N, along their normals.
    pub stopping: Vec3<R>,
    /// The lengths of these forces, N.
    pub stopped: R,
    /// Normals of those that touch times their inertia, N/m.
    pub side: Vec3<R>,
    /// Inertia m/h² of those that touch, N/m.
    pub inertia: R,
    /// Force that stops the motion of the whole body relative to the collider, N.
    pub motion: Vec3<R>,
}

/// Normals that cancel to less than this part of their sum have no common side: a ball in a bag, where the balance of all forces
/// says nothing of any. The forces along their mean would be a tenth of what is divided.
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

    /// What this collider does for a body that is pressed along a direction.
    fn share(&self, direction: Vec3<R>) -> Share<R> {
        let along = self.side.dot(direction);
        let against = if self.inertia > R::ZERO { (-along).max(R::ZERO) / self.inertia } else { R::ZERO };
        Share {
            side: along.max(R::ZERO),
            stopped: self.stopping.dot(direction).max(R::ZERO),
            pushed: against * self.contact,
        }
    }
}

/// What one collider does for a body that is pressed along a direction.
#[derive(Clone, Copy, Debug, Default)]
struct Share<R> {
    /// Inertia of what touches it from that side, N/m.
    side: R,
    /// Forces that stop the motion of these, N.
    stopped: R,
    /// Contact forces from the other side, N.
    pushed: R,
}

impl<R: Real> std::ops::Add for Share<R> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { side: self.side + other.side, stopped: self.stopped + other.stopped, pushed: self.pushed + other.pushed }
    }
}

/// How much harder a body is pressed against collider number k of `all` than by inertia and weight of what touches, as a
/// displacement that these would have to stop besides their own, m.
///
/// Contact forces at the start say it: tension, a clamp, the rest of a solid above. But they are a few micrometres times a large
/// stiffness, which rounding and an unfinished solve drown: a fine cloth on a ball shows a hundred times its weight. A body that
/// no pin holds cannot be pressed by more than what stops it and what other colliders push it with against this one. That is
/// known well, so it counts, unless contact forces are not half of it: then the body is not all stopped. Colliders on the same
/// side share it by the inertia of what touches them.
pub fn pressed<R: Real>(all: &[Pressing<R>], k: usize, is_held: bool) -> R {
    let this = &all[k];
    if this.inertia <= R::ZERO {
        return R::ZERO;
    }
    let by_contact = (this.contact - this.stopped) / this.inertia;
    if is_held || !this.is_on_one_side() {
        return by_contact.max(R::ZERO);
    }
    let direction = this.direction();
    let shares = all.iter().fold(Share::default(), |sum, other| sum + other.share(direction));
    let by_motion = (this.motion.dot(direction) - shares.stopped + shares.pushed) / shares.side;
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
    fn colliders_on_one_side_share_the_weight() {
        let half = Pressing { contact: 5.0, stopping: Vec3::axis(1) * 0.5, stopped: 0.5, inertia: 2.0, ..resting() };
        let half = Pressing { side: Vec3::axis(1) * 2.0, ..half };
        for k in 0..2 {
            assert_eq!(pressed(&[half, half], k, false), 9.0 / 4.0);
        }
        // In a valley of two slopes at a right angle each has the part of the weight across it.
        let slope = |x: f64| {
            let normal = Vec3::new(x, 0.5f64.sqrt(), 0.0);
            Pressing { contact: 100.0, stopping: normal, stopped: 1.0, side: normal * 4.0, ..resting() }
        };
        let expected = (10.0 * 0.5f64.sqrt() - 1.0) / 4.0;
        for k in 0..2 {
            let found = pressed(&[slope(0.5f64.sqrt()), slope(-0.5f64.sqrt())], k, false);
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    #[test]
    fn pins_and_clamps_press_by_their_force() {
        let pulled = Pressing { contact: 100.0, ..resting() };
        assert_eq!(pressed(&[pulled], 0, true), 99.0 / 4.0);
        let lid = Pressing { contact: 100.0, side: Vec3::axis(1) * -4.0, stopping: Vec3::ZERO, ..resting() };
        assert_eq!(pressed(&[pulled, lid], 0, false), 109.0 / 4.0);
        // The lid is pressed by what is left of that above the weight.
        assert_eq!(pressed(&[pulled, Pressing { stopped: 0.0, ..lid }], 1, false), 90.0 / 4.0);
        // A wall beside it does not.
        let wall = Pressing { side: Vec3::axis(0) * 4.0, ..lid };
        assert_eq!(pressed(&[pulled, wall], 0, false), 9.0 / 4.0);
        // Nor does a lid whose normals cancel press with all it has.
        let bent = Pressing { side: Vec3::axis(1) * -2.0, ..lid };
        assert_eq!(pressed(&[pulled, bent], 0, false), 59.0 / 4.0);
        // Normals all around say nothing.
        let bag = Pressing { side: Vec3::axis(1) * 0.1, ..pulled };
        assert_eq!(pressed(&[bag], 0, false), 99.0 / 4.0);
        assert_eq!(pressed(&[Pressing::<f64>::default()], 0, true), 0.0);
    }
}
