//! Contacts of a step before its solve: who touches, how hard parts of bodies press, and so their friction.

use super::parallel::CHUNK;
use super::problem::CpuProblem;
use crate::contact::{Approach, Grip, PosedCollider, Pressed, Pressing, SAME_SIDE, pressed, sticking_slip};
use crate::math::{Real, Sym3, Vec3};
use rayon::prelude::*;

impl<R: Real> CpuProblem<R> {
    /// Friction of the step, and on which side its vertices touch.
    pub(super) fn take_grips(&mut self) {
        self.grips.clear();
        if self.colliders.is_empty() {
            return;
        }
        self.take_pressing();
        let mut grips = std::mem::take(&mut self.grips);
        grips.resize(self.start.len(), Grip::NONE);
        let count = self.colliders.len();
        grips.par_iter_mut().enumerate().for_each(|(i, grip)| {
            *grip = self.grip(i, &self.pressed[self.parts.of[i] as usize * count..][..count]);
        });
        self.grips = grips;
    }

    /// Of all colliders that a vertex touches, the one with the most friction holds it; without friction, the one that
    /// presses most. `pressed` is how much its part is pressed against each, beyond what the vertex's own motion takes, m.
    fn grip(&self, i: usize, pressed: &[Pressed<R>]) -> Grip<R> {
        let (inertia, h) = (R::of(self.system.inertia[i]), R::of(self.system.h));
        let (mut most, mut pressed_by) = (Grip::NONE, R::ZERO);
        for (k, (collider, by)) in (0..).zip(self.colliders.iter().zip(pressed)) {
            let Some(Approach { anchor, normal, comes, face, stopped, .. }) = self.approach(i, collider) else {
                continue;
            };
            let pressing = inertia * by.at(Vec3::load(self.start[i]), stopped);
            let limit = collider.friction * pressing;
            if limit > most.limit || (limit == most.limit && pressing > pressed_by) {
                let sticking = sticking_slip(limit, self.contact_stiffness[i], h);
                let face = face.then_some(k);
                (most, pressed_by) = (Grip { anchor, normal, limit, sticking, comes, face }, pressing);
            }
        }
        most
    }

    fn approach(&self, i: usize, collider: &PosedCollider<R>) -> Option<Approach<R>> {
        let (start, target) = (Vec3::load(self.start[i]), Vec3::load(self.x_tilde[i]));
        let free = self.inv_mass[i] > R::ZERO;
        free.then(|| collider.approach(start, target, self.thickness[i], R::of(self.system.h))).flatten()
    }

    /// How hard each part is pressed against each collider; see [`pressed`]. Where no collider is rough, nobody asks.
    fn take_pressing(&mut self) {
        let rough = self.colliders.iter().any(|collider| collider.friction > R::ZERO);
        let mut found = std::mem::take(&mut self.pressed);
        let [mut parts, mut sums] = std::mem::take(&mut self.scratch.pressing);
        found.clear();
        for (part, &is_held) in self.parts.vertices.rows().zip(&self.parts.is_held) {
            sums.clear();
            sums.extend(self.colliders.iter().map(|collider| match rough {
                true => self.pressing(part, collider, &mut parts),
                false => Pressing::default(),
            }));
            let origin = self.origin(part);
            found.extend((0..sums.len()).map(|k| pressed(&sums, k, is_held).moved(origin).cast()));
        }
        (self.pressed, self.scratch.pressing) = (found, [parts, sums]);
    }

    /// Places of a part are from its first vertex, so that little of their squares is lost far from the origin.
    fn origin(&self, vertices: &[u32]) -> Vec3<f64> {
        vertices.first().map_or(Vec3::ZERO, |&i| Vec3::load(self.start[i as usize]).cast())
    }

    fn pressing(&self, vertices: &[u32], collider: &PosedCollider<R>, parts: &mut Vec<Pressing<f64>>) -> Pressing<f64> {
        let origin = self.origin(vertices);
        parts.resize(vertices.len().div_ceil(CHUNK), Pressing::default());
        parts.par_iter_mut().enumerate().for_each(|(k, part)| {
            let own = &vertices[k * CHUNK..vertices.len().min((k + 1) * CHUNK)];
            *part =
                own.iter().fold(Pressing::default(), |sum, &i| sum + self.pressing_of(i as usize, collider, origin));
        });
        parts.iter().fold(Pressing::default(), |sum, part| sum + *part)
    }

    /// How many colliders vertex i touches on the side of a normal: where two meet, each stops its part of it.
    fn sharers(&self, i: usize, normal: Vec3<R>) -> usize {
        let touched = self.colliders.iter().filter_map(|collider| self.approach(i, collider));
        touched.filter(|other| other.normal.dot(normal) > R::of(SAME_SIDE)).count().max(1)
    }

    /// What one vertex adds.
    fn pressing_of(&self, i: usize, collider: &PosedCollider<R>, origin: Vec3<f64>) -> Pressing<f64> {
        if self.inv_mass[i] == R::ZERO {
            return Pressing::default();
        }
        let inertia = self.system.inertia[i];
        let start = Vec3::load(self.start[i]);
        let carried = start + collider.velocity_at(start) * R::of(self.system.h);
        let motion = (carried - Vec3::load(self.x_tilde[i])).cast::<f64>() * inertia;
        let x = start.cast::<f64>() - origin;
        let whole = Pressing { motion, whole_place: x * inertia, whole: inertia, ..Pressing::default() };
        let Some(Approach { normal, stopped, depth, .. }) = self.approach(i, collider) else {
            return whole;
        };
        let inertia = inertia / self.sharers(i, normal) as f64;
        let (normal, stopped) = (normal.cast::<f64>(), inertia * stopped.f64());
        Pressing {
            contact: (self.contact_stiffness[i] * depth).f64(),
            stopping: normal * stopped,
            stopped,
            side: normal * inertia,
            inertia,
            place: x * inertia,
            stopped_place: x * stopped,
            spread: Sym3::square(x) * inertia,
            ..whole
        }
    }
}
