//! The motion of bodies as a whole after a solve.
//!
//! Methods that know only diagonals of contacts take both sides of a contact for held. What moves both together comes slowly
//! then, and an unfinished solve leaves a net force and a net torque: a folded cloth on a floor pushed itself along, faster and
//! faster, and a box that slid down a slope turned. But E along a common rigid motion of bodies that touch each other is known:
//! only inertia and colliders feel it, if no pin holds some of them. So the best one is found at once, with what these have for
//! a Hessian. Planes of contacts between bodies do not turn with them, so where bodies touch, they are only translated.

use super::force::Force;
use super::problem::CpuProblem;
use crate::device::Groups;
use crate::math::{Mat3, Real, Sym3, Vec3};
use std::ops::AddAssign;

/// What a turn costs at least, as a part of what inertia has about all axes: a line of vertices has none about its own.
pub const LEAST_SPREAD: f64 = 1e-3;
/// Largest turn at once, rad: E is not a parabola any more beyond.
pub const MOST_TURN: f64 = 0.3;

/// Memory for it.
#[derive(Default)]
pub(super) struct Balance<R> {
    gradient: Vec<[R; 4]>,
    groups: Groups,
    /// Of each group, by its first part.
    sums: Vec<Sum>,
    motions: Vec<Motion>,
}

/// Sums over the vertices of a group, with places from the first vertex of its first part.
#[derive(Clone, Copy, Default)]
struct Sum {
    /// ∇E, N.
    force: Vec3<f64>,
    /// Its torque, N m.
    torque: Vec3<f64>,
    /// What a common translation costs, N/m.
    moving: Sym3<f64>,
    /// The force that a turn costs, N/rad.
    coupling: Mat3<f64>,
    /// What a turn costs, N m/rad.
    turning: Sym3<f64>,
    /// Of inertia alone: what translation costs, N/m, times place, N, and its square, N m.
    inertia: f64,
    place: Vec3<f64>,
    spread: f64,
}

/// A rigid motion: a turn about a centre, m, and a translation, m.
#[derive(Clone, Copy, Debug)]
struct Motion {
    centre: Vec3<f64>,
    by: Vec3<f64>,
    turn: Mat3<f64>,
}

impl Motion {
    const NONE: Self = Self { centre: Vec3::ZERO, by: Vec3::ZERO, turn: Mat3::IDENTITY };

    fn of(self, x: Vec3<f64>) -> Vec3<f64> {
        self.centre + self.by + self.turn * (x - self.centre)
    }
}

impl Sum {
    /// What one vertex adds: its gradient, inertia, and with it all of its Hessian that a rigid motion feels.
    fn of(x: Vec3<f64>, gradient: Vec3<f64>, inertia: f64, block: Sym3<f64>) -> Self {
        // How the vertex moves in a turn about each axis.
        let ways = Mat3::<f64>::IDENTITY.c.map(|axis| axis.cross(x));
        let pushes = ways.map(|way| block.times(way));
        let cost = |j: usize, k: usize| ways[j].dot(pushes[k]);
        Self {
            force: gradient,
            torque: x.cross(gradient),
            moving: block,
            coupling: Mat3 { c: pushes },
            turning: Sym3 {
                diagonal: Vec3::new(cost(0, 0), cost(1, 1), cost(2, 2)),
                off: Vec3::new(cost(1, 2), cost(0, 2), cost(0, 1)),
            },
            inertia,
            place: x * inertia,
            spread: inertia * x.length_sq(),
        }
    }

    /// The rigid motion to where E is least, of places from `origin`; a translation unless it may turn.
    fn motion(&self, origin: Vec3<f64>, may_turn: bool) -> Motion {
        let centre = self.place / self.inertia;
        let spread = self.spread - self.inertia * centre.length_sq();
        let with = self.coupling.c.map(|push| self.moving.solve(push));
        let taken = |j: usize, k: usize| self.coupling.c[j].dot(with[k]);
        let free = self.moving.solve(self.force);
        let turning = self.turning
            + Sym3::scalar(LEAST_SPREAD * spread)
            + Sym3 {
                diagonal: Vec3::new(taken(0, 0), taken(1, 1), taken(2, 2)),
                off: Vec3::new(taken(1, 2), taken(0, 2), taken(0, 1)),
            } * -1.0;
        let torque = self.torque - self.coupling.transpose() * free;
        let turn = if may_turn && spread > 0.0 { -turning.solve(torque) } else { Vec3::ZERO };
        let angle = turn.length();
        let turn = if angle > MOST_TURN { turn * (MOST_TURN / angle) } else { turn };
        let by = -free - Mat3 { c: with } * turn + turn.cross(centre);
        let angle = angle.min(MOST_TURN);
        let rotation = if angle > 0.0 { Mat3::rotation(turn / angle, angle) } else { Mat3::IDENTITY };
        Motion { centre: origin + centre, by, turn: rotation }
    }
}

impl AddAssign for Sum {
    fn add_assign(&mut self, o: Self) {
        self.force += o.force;
        self.torque += o.torque;
        self.moving = self.moving + o.moving;
        self.coupling = self.coupling + o.coupling;
        self.turning = self.turning + o.turning;
        self.inertia += o.inertia;
        self.place += o.place;
        self.spread += o.spread;
    }
}

impl<R: Real> CpuProblem<R> {
    /// Moves bodies, together with all they may touch in the step, as a whole to where E is least, with colliders as they touch
    /// at x.
    pub(super) fn balance_bodies(&mut self, x: &mut [[R; 4]]) {
        if self.parts.is_held.iter().all(|&is_held| is_held) {
            return;
        }
        let Balance { mut gradient, mut groups, mut sums, mut motions } = std::mem::take(&mut self.scratch.balance);
        gradient.resize(x.len(), [R::ZERO; 4]);
        self.gradient(x, &mut gradient);
        groups.take(&self.parts, &self.touching.touches);
        let leaders = groups.leaders();
        let force = Force::of(self);
        let origin = |group: usize| -> Vec3<f64> {
            self.parts.vertices.of(group).first().map_or(Vec3::ZERO, |&i| Vec3::load(x[i as usize]).cast())
        };
        sums.clear();
        sums.resize(leaders.len(), Sum::default());
        for (part, &[leader, _]) in self.parts.vertices.rows().zip(leaders) {
            let (sum, origin) = (&mut sums[leader as usize], origin(leader as usize));
            for i in part.iter().map(|&i| i as usize) {
                let (inertia, place) = (self.inertia[i].f64(), Vec3::load(x[i]).cast::<f64>() - origin);
                let (_, push, friction) = force.colliders_at(i, Vec3::load(x[i]));
                let block = Sym3::scalar(inertia) + (push + friction).cast();
                *sum += Sum::of(place, Vec3::load(gradient[i]).cast(), inertia, block);
            }
        }
        motions.clear();
        motions.extend(sums.iter().zip(leaders).enumerate().map(|(k, (sum, &[_, touches]))| match sum.inertia > 0.0 {
            true => sum.motion(origin(k), touches == 0),
            false => Motion::NONE,
        }));
        for (&[leader, _], &is_held) in leaders.iter().zip(&self.parts.is_held) {
            if is_held {
                motions[leader as usize] = Motion::NONE;
            }
        }
        for (part, &[leader, _]) in self.parts.vertices.rows().zip(leaders) {
            let motion = motions[leader as usize];
            for i in part.iter().map(|&i| i as usize) {
                x[i] = motion.of(Vec3::load(x[i]).cast()).cast::<R>().store();
            }
        }
        self.scratch.balance = Balance { gradient, groups, sums, motions };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::SplitMix;

    /// Points with targets and a plane that pushes some of them.
    struct Points {
        x: Vec<Vec3<f64>>,
        targets: Vec<Vec3<f64>>,
        inertia: Vec<f64>,
        push: Vec<Sym3<f64>>,
    }

    impl Points {
        /// Random points in 2 m about `middle`, with targets some millimetres away.
        fn random(count: usize, middle: Vec3<f64>) -> Self {
            let mut random = SplitMix(5);
            let normal = Vec3::new(0.36, 0.48, 0.8);
            let x: Vec<_> = (0..count).map(|_| Vec3::of(random.point()) + middle).collect();
            let targets = x.iter().map(|&x| x + Vec3::of(random.point()) * 1e-3).collect();
            let push = (0..count).map(|i| Sym3::square(normal) * if i % 3 == 0 { 500.0 } else { 0.0 }).collect();
            Self { x, targets, inertia: (1..=count).map(|i| i as f64).collect(), push }
        }

        fn gradient(&self, i: usize, x: Vec3<f64>) -> Vec3<f64> {
            let off = x - self.targets[i];
            off * self.inertia[i] + self.push[i].times(off)
        }

        fn energy(&self, motion: Motion) -> f64 {
            let of = |i: usize| {
                let x = motion.of(self.x[i]);
                0.5 * (x - self.targets[i]).dot(self.gradient(i, x))
            };
            (0..self.x.len()).map(of).sum()
        }

        fn best(&self) -> Motion {
            let (mut sum, origin) = (Sum::default(), self.x[0]);
            for (i, &x) in self.x.iter().enumerate() {
                let block = Sym3::scalar(self.inertia[i]) + self.push[i];
                sum += Sum::of(x - origin, self.gradient(i, x), self.inertia[i], block);
            }
            sum.motion(origin, true)
        }
    }

    /// Whatever rigid motion comes after it, E is larger.
    #[test]
    fn no_other_rigid_motion_has_less_energy() {
        let mut random = SplitMix(8);
        for middle in [Vec3::ZERO, Vec3::new(30.0, -20.0, 10.0)] {
            let points = Points::random(20, middle);
            let best = points.best();
            let (before, least) = (points.energy(Motion::NONE), points.energy(best));
            assert!(least < 0.95 * before, "{least} of {before}");
            for _ in 0..100 {
                let axis = Vec3::of(random.point());
                let turn = Mat3::rotation(axis / axis.length(), 1e-5) * best.turn;
                let other = Motion { by: best.by + Vec3::of(random.point()) * 1e-5, turn, ..best };
                assert!(points.energy(other) > least, "{} and {least}", points.energy(other));
            }
        }
    }

    #[test]
    fn a_small_rigid_motion_is_found_again() {
        let mut points = Points::random(9, Vec3::new(3.0, 0.0, 0.0));
        let axis = Vec3::new(0.6, 0.0, 0.8);
        let motion = Motion { centre: Vec3::ZERO, by: Vec3::new(0.01, 0.0, -0.02), turn: Mat3::rotation(axis, 1e-3) };
        points.targets = points.x.iter().map(|&x| motion.of(x)).collect();
        let best = points.best();
        for &x in &points.x {
            // A thousandth less turn than that: [`LEAST_SPREAD`].
            assert!((best.of(x) - motion.of(x)).length() < 3e-6, "{:?} and {:?}", best.of(x), motion.of(x));
        }
    }

    /// One vertex, and vertices in a line, which no motion about the line moves.
    #[test]
    fn what_cannot_turn_moves_all_the_same() {
        for count in [1, 5] {
            let mut points = Points::random(count, Vec3::ZERO);
            let way = Vec3::new(0.5, 1.0, 0.25);
            points.x = (0..count).map(|i| way * i as f64).collect();
            let by = Vec3::new(0.02, 0.0, 0.01);
            points.targets = points.x.iter().map(|&x| x + by).collect();
            let best = points.best();
            for &x in &points.x {
                assert!((best.of(x) - x - by).length() < 1e-9, "{:?}", best.of(x) - x);
            }
        }
    }
}
