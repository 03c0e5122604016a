//! Contacts of a step before its solve: who is about to touch, how hard bodies press, and so their friction.

use super::parallel::CHUNK;
use super::problem::CpuProblem;
use crate::contact::{Approach, Grip, PosedCollider, sticking_slip};
use crate::math::{Real, Vec3};
use rayon::prelude::*;
use std::ops::Range;

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
        for (body, pressed) in self.model.bodies.iter().zip(self.pressed.chunks_exact(self.colliders.len())) {
            let first = body.vertices.start;
            let own = grips[body.vertices.clone()].par_iter_mut().enumerate();
            own.for_each(|(k, grip)| *grip = self.grip(first + k, pressed));
        }
        self.grips = grips;
    }

    /// Of all colliders that a vertex is about to touch, the one with the most friction holds it; without friction, the one that
    /// presses most. `pressed` is how much its body is pressed against each, beyond what the vertex's own motion takes, m.
    fn grip(&self, i: usize, pressed: &[R]) -> Grip<R> {
        let (inertia, h) = (R::of(self.system.inertia[i]), R::of(self.system.h));
        let (mut most, mut pressed_by) = (Grip::NONE, R::ZERO);
        for (k, (collider, by)) in (0..).zip(self.colliders.iter().zip(pressed)) {
            let Some(Approach { anchor, normal, face, stopped, .. }) = self.approach(i, collider) else { continue };
            let pressing = inertia * (stopped + *by);
            let limit = collider.friction * pressing;
            if limit > most.limit || (limit == most.limit && pressing > pressed_by) {
                let sticking = sticking_slip(limit, self.contact_stiffness[i], h);
                (most, pressed_by) = (Grip { anchor, normal, limit, sticking, face: face.then_some(k) }, pressing);
            }
        }
        most
    }

    fn approach(&self, i: usize, collider: &PosedCollider<R>) -> Option<Approach<R>> {
        let (start, target) = (Vec3::load(self.start[i]), Vec3::load(self.x_tilde[i]));
        let free = self.inv_mass[i] > R::ZERO;
        free.then(|| collider.approach(start, target, self.thickness[i], R::of(self.system.h))).flatten()
    }

    /// How much harder each body is pressed against each collider than by inertia and weight of what touches, as a displacement
    /// that these would have to stop besides their own, m.
    ///
    /// Contact forces at the start say it: tension, a clamp, the rest of a solid above. A single one is mostly what the last
    /// solve left unfinished, a few micrometres times a large stiffness; in their sum that cancels.
    fn take_pressing(&mut self) {
        let mut pressed = std::mem::take(&mut self.pressed);
        let mut parts = std::mem::take(&mut self.scratch.pairs);
        pressed.clear();
        for body in &self.model.bodies {
            pressed.extend(self.colliders.iter().map(|collider| {
                let [beyond, inertia] = match collider.friction > R::ZERO {
                    true => self.pressing(body.vertices.clone(), collider, &mut parts),
                    false => [0.0; 2],
                };
                if inertia > 0.0 { R::of(beyond.max(0.0) / inertia) } else { R::ZERO }
            }));
        }
        (self.pressed, self.scratch.pairs) = (pressed, parts);
    }

    /// Of the vertices that touch: contact force at the start less what stops their motion, N, and inertia, N/m.
    fn pressing(&self, vertices: Range<usize>, collider: &PosedCollider<R>, parts: &mut Vec<[f64; 2]>) -> [f64; 2] {
        parts.resize(vertices.len().div_ceil(CHUNK), [0.0; 2]);
        parts.par_iter_mut().enumerate().for_each(|(k, part)| {
            let first = vertices.start + k * CHUNK;
            *part = [0.0; 2];
            for i in first..(first + CHUNK).min(vertices.end) {
                if let Some(Approach { stopped, depth, .. }) = self.approach(i, collider) {
                    let inertia = self.system.inertia[i];
                    part[0] += (self.contact_stiffness[i] * depth).f64() - inertia * stopped.f64();
                    part[1] += inertia;
                }
            }
        });
        parts.iter().fold([0.0; 2], |sum, part| [sum[0] + part[0], sum[1] + part[1]])
    }
}
