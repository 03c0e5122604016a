//! How hard a body is pressed against a collider, for friction. A mesh of several pieces that nothing connects is several
//! bodies here.

use crate::math::{Real, Sym3, Vec3};

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
    /// Where those that touch are, times their inertia, N, and times their `stopped`, N·m; from any one point.
    pub place: Vec3<R>,
    /// See `place`.
    pub stopped_place: Vec3<R>,
    /// Squares of these places times inertia, N·m.
    pub spread: Sym3<R>,
    /// Where all vertices of the body are, times their inertia, N.
    pub whole_place: Vec3<R>,
    /// Inertia of the whole body, N/m.
    pub whole: R,
}

/// How much harder a body is pressed against a collider than by inertia and weight of what touches, as a displacement that
/// these would have to stop besides their own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pressed<R> {
    /// In the mean, m.
    pub by: R,
    /// How it changes from place to place, m/m.
    pub tilt: Vec3<R>,
    /// Where it is the mean, m; from the same point as the places.
    pub centre: Vec3<R>,
}

impl<R: Real> Pressed<R> {
    /// The same with places from where `origin` was a place, m.
    pub fn moved(self, origin: Vec3<R>) -> Self {
        Self { centre: self.centre + origin, ..self }
    }

    /// The same in another precision.
    pub fn cast<S: Real>(&self) -> Pressed<S> {
        Pressed { by: S::of(self.by.f64()), tilt: self.tilt.cast(), centre: self.centre.cast() }
    }

    /// Besides what a vertex at `x` stops of its own motion, m; all of it is what the vertex is pressed by, never less than 0.
    #[inline(always)]
    pub fn at(&self, x: Vec3<R>, stopped: R) -> R {
        (stopped + self.by + self.tilt.dot(x - self.centre)).max(R::ZERO)
    }
}

/// Normals that cancel to less than this part of their sum have no common side: a ball in a bag, where the balance of all
/// forces says nothing of any. The forces along their mean would be a tenth of what is divided.
const ONE_SIDE: f64 = 0.1;

/// Normals that agree this well are those of a plane.
const PLANE: f64 = 0.99;

/// What is so thin across the way it slides, as a part of what it is seen from its first vertex, touches along a line.
const THIN: f64 = 1e-4;

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
            place: self.place + other.place,
            stopped_place: self.stopped_place + other.stopped_place,
            spread: self.spread + other.spread,
            whole_place: self.whole_place + other.whole_place,
            whole: self.whole + other.whole,
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

/// How hard a body is pressed against collider number k of `all`.
///
/// Contact forces at the start say it: tension, a clamp, the rest of a solid above. But they are a few micrometres times a
/// large stiffness, which rounding and an unfinished solve drown: a fine cloth on a ball shows a hundred times its weight. A
/// body that no pin holds cannot be pressed by more than what stops it and what other colliders push it with against this one.
/// That is known well, so it counts, unless contact forces are not half of it: then the body is not all stopped. Colliders on
/// the same side share it by the inertia of what touches them.
///
/// On a plane that no other collider shares, the centre of pressure is where the balance of moments asks for it, as far as that
/// is across the way the body slides: below the centre of mass, so that friction does not turn what slides straight. The
/// pressure is linear in the place. By inertia alone its centre would be wherever the mesh happens to have the heavier
/// vertices. Along the way it is farther forward, because friction tips a body over; that turns nothing.
pub fn pressed<R: Real>(all: &[Pressing<R>], k: usize, is_held: bool) -> Pressed<R> {
    let this = &all[k];
    if this.inertia <= R::ZERO {
        return Pressed::default();
    }
    let by_contact = (this.contact - this.stopped) / this.inertia;
    if is_held || !this.is_on_one_side() {
        return Pressed { by: by_contact.max(R::ZERO), ..Pressed::default() };
    }
    let direction = this.direction();
    let shares = all.iter().fold(Share::default(), |sum, other| sum + other.share(direction));
    let by_motion = (this.motion.dot(direction) - shares.stopped + shares.pushed) / shares.side;
    let by = by_motion.min(by_contact * R::of(2.0)).max(R::ZERO);
    let side = this.side.length();
    let alone = side * R::of(1.001) > shares.side && side > this.inertia * R::of(PLANE);
    // What lies on its own, as cloth does, presses where it is; the rest of a solid presses through what touches.
    if alone && this.inertia * R::of(2.0) < this.whole {
        this.tilted(by, direction)
    } else {
        Pressed { by, ..Pressed::default() }
    }
}

impl<R: Real> Pressing<R> {
    /// Pressed by so much in the mean, and across the way it slides so that the centre of pressure is below the centre of mass.
    fn tilted(&self, by: R, normal: Vec3<R>) -> Pressed<R> {
        // What hardly moves as a whole has no way, and what turns in its place must not take rounding for one.
        let (across, pressing) = (normal.cross(self.motion), normal.dot(self.motion));
        let sliding = if pressing > R::ZERO { (across.length() / pressing).min(R::ONE) } else { R::ZERO };
        let across = across.unit_or(Vec3::ZERO);
        let middle = across.dot(self.place) / self.inertia;
        let squares = across.dot(self.spread.times(across));
        let spread = squares - self.inertia * middle * middle;
        if spread <= squares * R::of(THIN) {
            return Pressed { by, ..Pressed::default() };
        }
        let force = self.stopped + by * self.inertia;
        let off = self.whole_place * (force / self.whole) - self.stopped_place - self.place * by;
        // No farther than where one side is pressed by nothing.
        let (width, mean) = ((spread * R::of(3.0) / self.inertia).sqrt(), force / self.inertia);
        let tilt = (across.dot(off) / spread).max(-mean / width).min(mean / width);
        Pressed { by, tilt: across * (tilt * sliding), centre: self.place * (R::ONE / self.inertia) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pressed(all: &[Pressing<f64>], k: usize, is_held: bool) -> f64 {
        super::pressed(all, k, is_held).by
    }

    /// A tenth of a body of 10 N touches a floor; the contact forces are what the whole weighs.
    fn resting() -> Pressing<f64> {
        let up = Vec3::axis(1);
        let spread = Sym3::scalar(1.0);
        Pressing {
            contact: 10.0,
            stopping: up,
            stopped: 1.0,
            side: up * 4.0,
            inertia: 4.0,
            motion: up * 10.0,
            spread,
            whole: 40.0,
            ..Default::default()
        }
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
        assert_eq!(pressed(&[Pressing::default()], 0, true), 0.0);
    }

    /// Vertices on a floor, unequally heavy, with a heavier rest of the body somewhere above them.
    #[test]
    fn the_centre_of_pressure_is_below_the_centre_of_mass() {
        let up = Vec3::axis(1);
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 0.0, 1.0], [0.5, 0.0, 0.4]];
        let weights = [6.0, 2.0, 3.0, 1.0, 2.0];
        let touching = corners.into_iter().zip(weights).map(|(x, inertia)| {
            let x = Vec3::<f64>::of(x);
            let stopped = inertia * 0.1;
            Pressing {
                contact: 100.0,
                stopping: up * stopped,
                stopped,
                side: up * inertia,
                inertia,
                motion: up * stopped,
                place: x * inertia,
                stopped_place: x * stopped,
                spread: Sym3::square(x) * inertia,
                whole_place: x * inertia,
                whole: inertia,
            }
        });
        // It slides along x.
        let above = Pressing {
            motion: up * 3.0 + Vec3::axis(0) * 20.0,
            whole: 30.0,
            whole_place: Vec3::new(0.6, 0.8, 0.45) * 30.0,
            ..Pressing::default()
        };
        let sum = touching.clone().fold(above, |sum, one| sum + one);
        let found = super::pressed(&[sum], 0, false);
        let centre = sum.whole_place * (1.0 / sum.whole);
        let (mut force, mut moment) = (0.0, Vec3::ZERO);
        for (x, inertia) in corners.into_iter().zip(weights) {
            let x = Vec3::<f64>::of(x);
            let own = inertia * found.at(x, 0.1);
            force += own;
            moment += x * own;
        }
        assert!((force - 4.4).abs() < 1e-12, "all of the weight: {force}");
        let off = moment * (1.0 / force) - centre;
        assert!(off.z.abs() < 1e-12, "{off:?}");
        // A second collider on the same side, or normals all around: as before.
        let two = super::pressed(&[sum, sum], 0, false);
        assert_eq!(two.tilt, Vec3::ZERO);
    }
}
