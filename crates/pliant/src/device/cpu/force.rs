//! ∇E on the CPU, eight vertices at a time, and the sweeps that are fused with it.

use super::parallel::{CHUNK, for_chunks, sum_chunks};
use super::problem::{CpuProblem, Slotted};
use super::rows::{LANES, Lanes, Lanes3, Rows};
use crate::contact::PosedCollider;
use crate::device::Blend;
use crate::material::Elements;
use crate::math::{Real, Vec3};
use rayon::prelude::*;

/// What the gradient of a vertex needs, borrowed from a problem.
struct Force<'a, R> {
    rows: &'a Rows<R>,
    slotted: &'a Slotted<R>,
    inertia: &'a [R],
    x_pull: &'a [[R; 4]],
    colliders: &'a [PosedCollider<R>],
    thickness: &'a [R],
    contact_stiffness: &'a [R],
    diagonal: &'a [R],
    inv_diagonal: &'a [R],
}

impl<'a, R: Real> Force<'a, R> {
    fn of(problem: &'a CpuProblem<R>) -> Self {
        Self {
            rows: &problem.rows,
            slotted: &problem.slotted,
            inertia: &problem.inertia,
            x_pull: &problem.x_pull,
            colliders: &problem.colliders,
            thickness: &problem.thickness,
            contact_stiffness: &problem.contact_stiffness,
            diagonal: &problem.diagonal,
            inv_diagonal: &problem.inv_diagonal,
        }
    }

    /// ∇E of a block of vertices, and the stiffness of their active contacts.
    #[inline(always)]
    fn block(&self, b: usize, x: &[[R; 4]]) -> (Lanes3<R>, Lanes<R>) {
        let first = b * LANES;
        let count = LANES.min(x.len() - first);
        let xi = load(&x[first..first + count]);
        let target = load(&self.x_pull[first..first + count]);
        let mut g = [[R::ZERO; LANES]; 3];
        let mut inertia = [R::ZERO; LANES];
        inertia[..count].copy_from_slice(&self.inertia[first..first + count]);
        for k in 0..3 {
            for l in 0..LANES {
                g[k][l] = inertia[l] * (xi[k][l] - target[k][l]);
            }
        }
        self.rows.add_block(b, x, &xi, &mut g);
        if !self.slotted.item.is_empty() {
            self.add_slots(first, count, &mut g);
        }
        let mut contact = [R::ZERO; LANES];
        if !self.colliders.is_empty() {
            self.add_contacts(first, count, &xi, &mut g, &mut contact);
        }
        (g, contact)
    }

    #[inline(always)]
    fn add_slots(&self, first: usize, count: usize, g: &mut Lanes3<R>) {
        for l in (0..count).filter(|&l| self.inv_diagonal[first + l] > R::ZERO) {
            for &slot in self.slotted.of(first + l) {
                let force = self.slotted.slots[slot as usize];
                for k in 0..3 {
                    g[k][l] += force[k];
                }
            }
        }
    }

    #[inline(never)]
    fn add_contacts(&self, first: usize, count: usize, xi: &Lanes3<R>, g: &mut Lanes3<R>, contact: &mut Lanes<R>) {
        for l in (0..count).filter(|&l| self.inv_diagonal[first + l] > R::ZERO) {
            let x = Vec3::new(xi[0][l], xi[1][l], xi[2][l]);
            let stiffness = self.contact_stiffness[first + l];
            for collider in self.colliders {
                let (d, normal) = collider.distance(x);
                let depth = self.thickness[first + l] - d;
                if depth > R::ZERO {
                    contact[l] += stiffness;
                    for k in 0..3 {
                        g[k][l] -= normal[k] * (stiffness * depth);
                    }
                }
            }
        }
    }

    /// Gradients of the vertices from `first` on.
    #[inline(always)]
    fn gradient_chunk(&self, first: usize, x: &[[R; 4]], out: &mut [([R; 4], R)]) {
        for (k, block) in out.chunks_mut(LANES).enumerate() {
            let (g, contact) = self.block(first / LANES + k, x);
            for (l, out) in block.iter_mut().enumerate() {
                *out = ([g[0][l], g[1][l], g[2][l], R::ZERO], contact[l]);
            }
        }
    }

    /// Blended Jacobi iterates of the vertices from `first` on; returns Σ ∇Eᵀ D⁻¹ ∇E.
    #[inline(always)]
    fn jacobi_chunk(&self, first: usize, x: &[[R; 4]], blend: [R; 2], out: &mut [[R; 4]]) -> f64 {
        let [omega, gamma] = blend;
        let mut residual = [R::ZERO; LANES];
        for (k, block) in out.chunks_mut(LANES).enumerate() {
            let at = first + k * LANES;
            let (g, contact) = self.block(at / LANES, x);
            let mut inv = [R::ZERO; LANES];
            inv[..block.len()].copy_from_slice(&self.inv_diagonal[at..at + block.len()]);
            if !self.colliders.is_empty() {
                for l in 0..block.len() {
                    if contact[l] > R::ZERO {
                        inv[l] = R::ONE / (self.diagonal[at + l] + contact[l]);
                    }
                }
            }
            let xi = load(&x[at..at + block.len()]);
            let mut before = load(block);
            for k in 0..3 {
                for l in 0..LANES {
                    let step = g[k][l] * inv[l];
                    residual[l] += g[k][l] * step;
                    before[k][l] += omega * (xi[k][l] - gamma * step - before[k][l]);
                }
            }
            for (l, out) in block.iter_mut().enumerate() {
                *out = [before[0][l], before[1][l], before[2][l], R::ZERO];
            }
        }
        residual.iter().map(|r| r.f64()).sum()
    }
}

#[inline(always)]
fn load<R: Real>(points: &[[R; 4]]) -> Lanes3<R> {
    let mut lanes = [[R::ZERO; LANES]; 3];
    for (l, p) in points.iter().enumerate() {
        for k in 0..3 {
            lanes[k][l] = p[k];
        }
    }
    lanes
}

/// The same loop compiled for AVX2 where the processor has it. Nothing is fused, so the bits are the same.
macro_rules! vectorised {
    ($name:ident, $wide:ident, $method:ident, ($($arg:ident: $type:ty),*) $(-> $out:ty)?) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        fn $wide<R: Real>(force: &Force<R>, $($arg: $type),*) $(-> $out)? {
            force.$method($($arg),*)
        }
        #[inline]
        fn $name<R: Real>(force: &Force<R>, $($arg: $type),*) $(-> $out)? {
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the feature was just detected.
                return unsafe { $wide(force, $($arg),*) };
            }
            force.$method($($arg),*)
        }
    };
}
vectorised!(gradient_chunk, gradient_chunk_avx2, gradient_chunk, (first: usize, x: &[[R; 4]], out: &mut [([R; 4], R)]));
vectorised!(
    jacobi_chunk, jacobi_chunk_avx2, jacobi_chunk,
    (first: usize, x: &[[R; 4]], blend: [R; 2], out: &mut [[R; 4]]) -> f64
);

impl<R: Real> CpuProblem<R> {
    /// The local step of everything that has slots: their forces at x.
    pub(super) fn fill_slots(&mut self, x: &[[R; 4]]) {
        let Slotted { batches, slots, .. } = &mut self.slotted;
        for &(index, start) in batches.iter() {
            let elements: &Elements<R> = &self.elements[index];
            let (batch, arity) = (elements.view(), elements.arity());
            let slots = &mut slots[start..start + elements.len() * arity];
            slots.par_chunks_mut(CHUNK / 2 * arity).enumerate().for_each(|(k, slots)| {
                let first = k * (CHUNK / 2);
                batch.gradient_range(first..first + slots.len() / arity, x, slots);
            });
        }
    }

    pub(super) fn gradient(&mut self, x: &[[R; 4]], g: &mut [[R; 4]]) {
        self.fill_slots(x);
        let mut contact = std::mem::take(&mut self.contact_diagonal);
        let force = Force::of(self);
        let evaluate = |first: usize, g: &mut [[R; 4]], contact: &mut [R]| {
            let mut both = [([R::ZERO; 4], R::ZERO); LANES];
            for (k, (g, contact)) in g.chunks_mut(LANES).zip(contact.chunks_mut(LANES)).enumerate() {
                let both = &mut both[..g.len()];
                gradient_chunk(&force, first + k * LANES, x, both);
                for ((g, contact), both) in g.iter_mut().zip(contact).zip(both) {
                    (*g, *contact) = *both;
                }
            }
        };
        g.par_chunks_mut(CHUNK)
            .zip(contact.par_chunks_mut(CHUNK))
            .enumerate()
            .for_each(|(k, (g, contact))| evaluate(k * CHUNK, g, contact));
        self.contact_diagonal = contact;
    }

    /// x⁻ becomes x⁺; returns ∇Eᵀ D⁻¹ ∇E at x.
    pub(super) fn jacobi(&mut self, x: &[[R; 4]], x_before: &mut [[R; 4]], blend: Blend, want_residual: bool) -> f64 {
        self.fill_slots(x);
        let mut parts = std::mem::take(&mut self.scratch.parts);
        let force = Force::of(self);
        let blend = [R::of(blend.omega), R::of(blend.under_relaxation)];
        let residual = if want_residual {
            sum_chunks(x_before, &mut parts, |first, out| jacobi_chunk(&force, first, x, blend, out))
        } else {
            for_chunks(x_before, |first, out| {
                jacobi_chunk(&force, first, x, blend, out);
            });
            0.0
        };
        self.scratch.parts = parts;
        residual
    }
}
