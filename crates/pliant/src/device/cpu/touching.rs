//! Contacts between bodies on the CPU: what they do at an iterate, and how they push.

use super::problem::CpuProblem;
use crate::contact::close::{Felt, Since, Touch};
use crate::device::parallel::for_chunks;
use crate::device::touches::{Corner, MEETINGS, TouchSearch, TouchSetting, Touches};
use crate::math::{Real, Sym3, Vec3};

/// Contacts of the step in progress, and what they do.
#[derive(Default)]
pub(super) struct Touching<R> {
    pub touches: Touches<R>,
    near: Near<R>,
    /// What each of those that are near does at the last x that was looked at.
    felt: Vec<Felt<R>>,
    /// Impulse times h of each, kg m.
    impulses: Vec<[R; 4]>,
    /// What each of those that are near answers to a displacement, N.
    answers: Vec<[R; 4]>,
}

/// Contacts that can do something near some x. The search finds all that a step may bring together, ten times as many as touch
/// in the end, and iterates move less and less: most contacts need not be looked at in most iterations.
#[derive(Default)]
struct Near<R> {
    touches: Touches<R>,
    /// Where they were chosen, m; empty in a new step.
    place: Vec<[R; 4]>,
    /// Clearance above which they were left out, m.
    margin: R,
    /// How often they were looked at since.
    looks: usize,
}

/// Margins as parts of the largest gap, the one to begin with and the smallest and the largest; results do not depend on them.
const MARGINS: [f64; 3] = [0.5, 0.05, 4.0];
/// For how many looks a choice should hold, going by how fast vertices moved since the last.
const LOOKS: f64 = 16.0;

impl<R: Real> Near<R> {
    /// How far a vertex went from where they were chosen, m; infinite if they were not.
    fn moved(&self, x: &[[R; 4]]) -> R {
        if self.place.is_empty() {
            return R::of(f64::INFINITY);
        }
        let moved = |(a, b): (&[R; 4], &[R; 4])| (Vec3::load(*a) - Vec3::load(*b)).length_sq();
        self.place.iter().zip(x).map(moved).fold(R::ZERO, R::max).sqrt()
    }

    /// Makes sure that those which are left out do nothing at x: clearances change by at most twice as far as a vertex moved.
    fn reach(&mut self, touches: &Touches<R>, inv_mass: &[R], x: &[[R; 4]]) {
        let moved = self.moved(x);
        self.looks += 1;
        // The hundredth is for rounding.
        if moved + moved < self.margin * R::of(0.99) {
            return;
        }
        let gap = touches.all.iter().fold(R::ZERO, |most, touch| most.max(touch.gap));
        let [usual, least, most] = MARGINS.map(|part| gap * R::of(part));
        let soon = (moved + moved) * R::of(LOOKS / self.looks as f64);
        self.margin = if soon.is_finite() { soon.max(least).min(most) } else { usual };
        self.looks = 0;
        let does = |touch: &&Touch<R>| touch.limit > R::ZERO || touch.clearance(x) < self.margin;
        self.touches.all.clear();
        self.touches.all.extend(touches.all.iter().filter(does));
        self.touches.take_corners(inv_mass);
        self.place.clear();
        self.place.extend_from_slice(x);
    }
}

/// What contacts do to one vertex.
pub(super) struct Sum<R> {
    pub force: Vec3<R>,
    pub push: Sym3<R>,
    pub friction: Sym3<R>,
}

impl<R: Real> Touching<R> {
    pub fn is_empty(&self) -> bool {
        self.touches.is_empty()
    }

    /// Prepares for looking at contacts at x.
    pub fn choose(&mut self, x: &[[R; 4]], inv_mass: &[R]) {
        if !self.touches.is_empty() {
            self.near.reach(&self.touches, inv_mass, x);
        }
    }

    /// What contacts do at x.
    pub fn feel(&mut self, x: &[[R; 4]], inv_mass: &[R]) {
        if self.touches.is_empty() {
            return;
        }
        self.choose(x, inv_mass);
        let touches = &self.near.touches.all;
        self.felt.resize(touches.len(), Felt::default());
        for_chunks(&mut self.felt, |first, felt| {
            felt.iter_mut().zip(&touches[first..]).for_each(|(felt, touch)| *felt = touch.feel(x));
        });
    }

    /// What contacts do to vertex i where all were looked at last.
    #[inline]
    pub fn at(&self, i: usize) -> Sum<R> {
        self.sum(i, |number, _| self.felt[number])
    }

    /// What contacts do to vertex i at x, which they were chosen for. Where few vertices ask between two moves, looking at
    /// their contacts costs less than looking at all.
    #[inline]
    pub fn look_at(&self, i: usize, x: &[[R; 4]]) -> Sum<R> {
        self.sum(i, |_, touch| touch.feel(x))
    }

    #[inline(always)]
    fn sum(&self, i: usize, feel: impl Fn(usize, &Touch<R>) -> Felt<R>) -> Sum<R> {
        let mut sum = Sum { force: Vec3::ZERO, push: Sym3::ZERO, friction: Sym3::ZERO };
        for corner in self.near.touches.corners(i) {
            let touch = &self.near.touches.all[corner.touch as usize];
            let felt = feel(corner.touch as usize, touch);
            if felt.push == R::ZERO && felt.friction == R::ZERO {
                continue;
            }
            let (share, across) = (corner.weight.abs() * touch.spread, Sym3::square(touch.normal));
            sum.force += felt.force * corner.weight;
            sum.push = sum.push + across * (share * felt.push);
            if felt.friction > R::ZERO {
                let stiffness = share * felt.friction;
                sum.friction = sum.friction + Sym3::scalar(stiffness) + across * -stiffness;
            }
        }
        sum
    }

    /// Finds what contacts as they were felt last answer to a displacement, linear as they are: each with all its corners at once,
    /// where [`Touching::at`] has blocks on the diagonal.
    pub fn answer(&mut self, p: &[[R; 4]]) {
        if self.touches.is_empty() {
            return;
        }
        let (touches, felt) = (&self.near.touches.all, &self.felt);
        self.answers.resize(touches.len(), [R::ZERO; 4]);
        for_chunks(&mut self.answers, |first, answers| {
            let each = touches[first..].iter().zip(&felt[first..]);
            for (answer, (touch, felt)) in answers.iter_mut().zip(each) {
                if felt.push == R::ZERO && felt.friction == R::ZERO {
                    *answer = [R::ZERO; 4];
                    continue;
                }
                let moved =
                    (0..4).fold(Vec3::ZERO, |sum, k| sum + Vec3::load(p[touch.stencil[k] as usize]) * touch.weight[k]);
                let across = touch.normal * touch.normal.dot(moved);
                *answer = (across * felt.push + (moved - across) * felt.friction).store();
            }
        });
    }

    /// What vertex i feels of the last answers, N.
    #[inline]
    pub fn answered(&self, i: usize) -> Vec3<R> {
        let each = self.near.touches.corners(i).iter();
        each.fold(Vec3::ZERO, |sum, corner| sum + Vec3::load(self.answers[corner.touch as usize]) * corner.weight)
    }

    /// What a contact answers to vertex i alone, N/m.
    pub fn own_answer(&self, i: usize) -> Sym3<R> {
        self.near.touches.corners(i).iter().fold(Sym3::ZERO, |sum, corner| {
            let (touch, felt) = (&self.near.touches.all[corner.touch as usize], &self.felt[corner.touch as usize]);
            let (share, across) = (corner.weight * corner.weight, Sym3::square(touch.normal));
            let along = Sym3::scalar(R::ONE) + across * -R::ONE;
            sum + across * (share * felt.push) + along * (share * felt.friction)
        })
    }

    /// Blocks of the contacts of vertex i that would be active at the inertial target, N/m.
    pub fn coming(&self, i: usize) -> Sym3<R> {
        let corners = self.touches.corners(i).iter().map(|corner| (corner, &self.touches.all[corner.touch as usize]));
        corners.filter(|(_, touch)| touch.comes).fold(Sym3::ZERO, |sum, (corner, touch)| {
            sum + Sym3::square(touch.normal) * (corner.weight.abs() * touch.spread * touch.stiffness)
        })
    }

    /// Finds the impulses of contacts that are active at x. `hold` is the largest impulse of friction of a contact, given its
    /// other one; `compliance` is 1/k h², or 0.
    fn push(
        &mut self,
        x: &[[R; 4]],
        inv_mass: &[R],
        compliance: impl Fn(&Touch<R>) -> R + Sync + Send,
        hold: impl Fn(&Touch<R>, R) -> R + Sync + Send,
    ) {
        self.touches.look(x);
        let Self { touches, impulses, .. } = self;
        impulses.resize(touches.all.len(), [R::ZERO; 4]);
        for_chunks(impulses, |first, impulses| {
            for (number, out) in (first..).zip(impulses) {
                *out = [R::ZERO; 4];
                if touches.is_active(number) {
                    let touch = &touches.all[number];
                    let yielding = (0..4).fold(compliance(touch), |sum, k| {
                        let i = touch.stencil[k] as usize;
                        sum + touch.weight[k].abs() * touches.crowd()[i] * inv_mass[i]
                    });
                    *out = touch.impulse(x, yielding, |push| hold(touch, push)).store();
                }
            }
        });
    }

    /// Where the last push moves vertex i, m.
    #[inline]
    fn moved(&self, i: usize, inv_mass: R) -> Vec3<R> {
        let impulse = |corner: &Corner<R>| Vec3::load(self.impulses[corner.touch as usize]) * corner.weight;
        self.touches.corners(i).iter().fold(Vec3::ZERO, |sum, corner| sum + impulse(corner)) * inv_mass
    }
}

impl<R: Real> CpuProblem<R> {
    /// Finds the contacts of the step between bodies.
    pub(super) fn find_touches(&mut self, search: &mut TouchSearch<R>, since: Since) {
        let Self { start, x_tilde, inv_mass, contact_stiffness, system, touching, .. } = self;
        let setting = TouchSetting { start, x_tilde, inv_mass, contact_stiffness, h: system.h };
        search.find(since, &setting, &mut touching.touches);
        touching.near.place.clear();
    }

    /// Whether anything may touch something.
    pub(super) fn has_contacts(&self) -> bool {
        self.model.has_contacts()
    }

    /// Contacts between bodies push vertices of the start of a solve apart, in turn with colliders.
    pub(super) fn meet_bodies(&mut self, x: &mut [[R; 4]]) {
        if self.touching.is_empty() {
            return;
        }
        let mut touching = std::mem::take(&mut self.touching);
        let h_sq = R::of(self.system.h * self.system.h);
        let soft = |touch: &Touch<R>| R::ONE / (touch.stiffness * h_sq);
        for round in 0..MEETINGS {
            // Friction has a limit for the whole step.
            let rough = if round == 0 { h_sq } else { R::ZERO };
            touching.push(x, &self.inv_mass, soft, |touch, _| touch.limit * rough);
            super::map(x, |i, x| x + touching.moved(i, self.inv_mass[i]));
            self.meet_colliders(x, false);
        }
        self.touching = touching;
    }

    /// Contacts between bodies push vertices apart in a position-based sweep, by impulses; what is moved is moved in `others`,
    /// too.
    pub(super) fn enforce_touches(&mut self, x: &mut [[R; 4]], others: [&mut Vec<[R; 4]>; 2]) {
        if self.touching.is_empty() {
            return;
        }
        let mut touching = std::mem::take(&mut self.touching);
        let friction = R::of(self.model.self_friction.unwrap_or(0.0));
        touching.push(x, &self.inv_mass, |_| R::ZERO, |_, push| push * friction);
        let inv_mass = &self.inv_mass;
        for points in [x].into_iter().chain(others.map(|other| &mut other[..])) {
            super::map(points, |i, x| x + touching.moved(i, inv_mass[i]));
        }
        for_chunks(&mut self.start, |first, start| {
            for (i, start) in (first..).zip(start) {
                start[3] += touching.moved(i, inv_mass[i]).length();
            }
        });
        self.touching = touching;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::SplitMix;

    /// What contacts do is the same bits whichever of them were left out, wherever x goes.
    #[test]
    fn contacts_that_are_left_out_do_nothing() {
        const VERTICES: usize = 60;
        let mut random = SplitMix(11);
        let mut x: Vec<[f32; 4]> = (0..VERTICES).map(|_| Vec3::of(random.point()).store()).collect();
        let inv_mass = vec![1.0f32; VERTICES];
        let mut touching = Touching::default();
        for k in 0..400 {
            let stencil = [k, k + 7, k + 19, k + 31].map(|i| i % VERTICES as u32);
            let weight = [1.0, -0.5, -0.25, -0.25];
            let normal = Vec3::of(random.point());
            let normal = normal / normal.length();
            let mut touch =
                Touch { stencil, weight, normal, gap: 0.05, stiffness: 3.0, spread: 2.0, ..Touch::default() };
            // Active, near or far at the beginning.
            touch.normal = if touch.clearance(&x) < -0.2 { -normal } else { normal };
            touching.touches.all.push(touch);
        }
        touching.touches.take_corners(&inv_mass);
        let (mut left_out, mut chosen) = (0, 0);
        for round in 0..200 {
            let by = if round % 50 == 0 { 0.2 } else { 1e-3 };
            x.iter_mut().for_each(|x| *x = (Vec3::load(*x) + Vec3::of(random.point()) * by).store());
            touching.feel(&x, &inv_mass);
            left_out += touching.touches.all.len() - touching.near.touches.all.len();
            chosen += usize::from(touching.near.looks == 0);
            for i in 0..VERTICES {
                let near = touching.at(i);
                let corners = touching.touches.corners(i).iter();
                let all = corners.map(|corner| (corner, &touching.touches.all[corner.touch as usize]));
                let all = all.filter(|(_, touch)| touch.feel(&x).push > 0.0);
                let force = all.fold(Vec3::ZERO, |sum, (corner, touch)| sum + touch.feel(&x).force * corner.weight);
                assert_eq!(near.force, force, "round {round}, vertex {i}");
                assert_eq!(touching.look_at(i, &x).force, force, "round {round}, vertex {i} alone");
            }
        }
        // Many were left out, and seldom chosen anew.
        assert!(left_out > 200 * 400 / 4 && chosen < 100, "{left_out} left out, chosen {chosen} times");
    }
}
