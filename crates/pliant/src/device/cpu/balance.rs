//! The motion of bodies as a whole after a solve.
//!
//! Methods that know only diagonals of contacts take both sides of a contact for held. What moves both together comes slowly then,
//! and an unfinished solve leaves a net force: a folded cloth on a floor pushed itself along, faster and faster. But E along a
//! common translation of bodies that touch each other is known: only inertia and colliders feel it, if no pin holds some of them. So the best one is
//! found at once, with what these have for a Hessian.

use super::problem::CpuProblem;
use crate::math::{Real, Sym3, Vec3};
use crate::model::Links;

/// Memory for it.
#[derive(Default)]
pub(super) struct Balance<R> {
    gradient: Vec<[R; 4]>,
    /// Connected parts that are in contact.
    links: Links,
    /// Of each group, by its first part.
    sums: Vec<Sum>,
}

/// Sums over the vertices of a group.
#[derive(Clone, Copy, Default)]
struct Sum {
    /// ∇E, N.
    force: Vec3<f64>,
    /// What a common translation costs, N/m.
    stiffness: Sym3<f64>,
    /// A pin holds some of it: then it does not move as a whole.
    is_held: bool,
}

impl<R: Real> CpuProblem<R> {
    /// Moves all bodies that touch each other together to where E is least.
    pub(super) fn balance_bodies(&mut self, x: &mut [[R; 4]]) {
        if self.touching.is_empty() {
            return;
        }
        let Balance { mut gradient, mut links, mut sums } = std::mem::take(&mut self.scratch.balance);
        gradient.resize(x.len(), [R::ZERO; 4]);
        self.gradient(x, &mut gradient);
        self.touching.touches.link(&self.parts.of, self.parts.is_held.len(), &mut links);
        let group = links.firsts();
        sums.clear();
        sums.resize(group.len(), Sum::default());
        for ((part, &group), &is_held) in self.parts.vertices.rows().zip(group).zip(&self.parts.is_held) {
            let sum = &mut sums[group as usize];
            sum.is_held |= is_held;
            for i in part.iter().map(|&i| i as usize) {
                sum.force += Vec3::load(gradient[i]).cast::<f64>();
                sum.stiffness = sum.stiffness + Sym3::scalar(self.inertia[i].f64()) + self.collider_block(i, x[i]);
            }
        }
        for (part, &group) in self.parts.vertices.rows().zip(group) {
            let Sum { force, stiffness, is_held } = sums[group as usize];
            if !is_held && stiffness.trace() > 0.0 {
                let by = stiffness.solve(force).cast::<R>();
                part.iter().for_each(|&i| x[i as usize] = (Vec3::load(x[i as usize]) - by).store());
            }
        }
        self.scratch.balance = Balance { gradient, links, sums };
    }

    /// What colliders add to the Hessian of vertex i, N/m.
    fn collider_block(&self, i: usize, x: [R; 4]) -> Sym3<f64> {
        let Some(grip) = self.grips.get(i) else { return Sym3::ZERO };
        let x = Vec3::load(x);
        let mut block = Sym3::ZERO;
        for (k, collider) in self.colliders.iter().enumerate() {
            let (d, normal) = grip.distance(k, collider, x);
            if d < self.thickness[i] {
                block = block + Sym3::square(normal.cast::<f64>()) * self.contact_stiffness[i].f64();
            }
        }
        if grip.limit > R::ZERO {
            let (normal, stiffness) = (grip.normal.cast::<f64>(), grip.gradient(x).1.f64());
            block = block + Sym3::scalar(stiffness) + Sym3::square(normal) * -stiffness;
        }
        block
    }
}
