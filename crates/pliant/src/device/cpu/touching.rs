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
    /// What each does at the last x that was looked at.
    felt: Vec<Felt<R>>,
    /// Impulse times h of each, kg m.
    impulses: Vec<[R; 4]>,
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

    /// Looks at all contacts at x.
    pub fn feel(&mut self, x: &[[R; 4]]) {
        let touches = &self.touches.all;
        for_chunks(&mut self.felt, |first, felt| {
            felt.iter_mut().zip(&touches[first..]).for_each(|(felt, touch)| *felt = touch.feel(x));
        });
    }

    /// What contacts do to vertex i where they were looked at last.
    #[inline]
    pub fn at(&self, i: usize) -> Sum<R> {
        let mut sum = Sum { force: Vec3::ZERO, push: Sym3::ZERO, friction: Sym3::ZERO };
        for corner in self.touches.corners(i) {
            let felt = &self.felt[corner.touch as usize];
            if felt.push == R::ZERO && felt.friction == R::ZERO {
                continue;
            }
            let touch = &self.touches.all[corner.touch as usize];
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

    /// Blocks of the contacts of vertex i that would be active at the inertial target, N/m.
    pub fn coming(&self, i: usize) -> Sym3<R> {
        let corners = self.touches.corners(i).iter().map(|corner| (corner, &self.touches.all[corner.touch as usize]));
        corners.filter(|(_, touch)| touch.comes).fold(Sym3::ZERO, |sum, (corner, touch)| {
            sum + Sym3::square(touch.normal) * (corner.weight.abs() * touch.spread * touch.stiffness)
        })
    }

    /// How far vertices are pushed apart by contacts that are active at x: `moved(i, by)` for each vertex that moves. `hold` is the
    /// largest impulse of friction of a contact, given its other one; `compliance` is 1/k h², or 0.
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
        touching.felt.resize(touching.touches.all.len(), Felt::default());
    }

    /// Whether anything may touch something.
    pub(super) fn has_contacts(&self) -> bool {
        !self.colliders.is_empty() || self.model.self_friction.is_some()
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

    /// Contacts between bodies push vertices apart in a position-based sweep, by impulses; what is moved is moved in `others`, too.
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
