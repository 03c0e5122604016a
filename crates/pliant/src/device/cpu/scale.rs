//! What descent divides gradients by: diagonal blocks of the Hessian of E, gathered from the elements.

use super::problem::{CpuProblem, Slotted};
use crate::device::Scale;
use crate::math::{Mat3, Real, Sym3, Vec3};
use rayon::prelude::*;

/// Elements per task.
const TASK: usize = 512;

/// A symmetric block per vertex.
pub(super) struct VertexScale<R: Real> {
    /// Slots of every element's corners.
    slots: Slotted<R>,
    /// Diagonal block of each corner of each element, N/m.
    corner: Vec<Mat3<R>>,
    /// Sum of those of a vertex with its inertia, N/m; and its inverse.
    block: Vec<Sym3<R>>,
    inverse: Vec<Sym3<R>>,
}

impl<R: Real> CpuProblem<R> {
    pub(super) fn rescale(&mut self, scale: Scale, x: &[[R; 4]]) {
        let n = x.len();
        let mut own = self.scale.take().unwrap_or_else(|| {
            let slots = Slotted::new(n, &self.elements, |_| true);
            let corner = vec![Mat3::ZERO; slots.slots.len()];
            VertexScale { slots, corner, block: vec![Sym3::ZERO; n], inverse: vec![Sym3::ZERO; n] }
        });
        let VertexScale { slots, corner, block, inverse } = &mut own;
        for &(index, start) in &slots.batches {
            let batch = self.elements[index].view();
            let arity = batch.arity();
            let corner = &mut corner[start..start + batch.len() * arity];
            corner.par_chunks_mut(TASK * arity).enumerate().for_each(|(k, corner)| {
                let first = k * TASK;
                batch.scale_range(first..first + corner.len() / arity, x, corner);
            });
        }
        block.par_iter_mut().enumerate().for_each(|(i, block)| {
            let mut inertia = Sym3::scalar(self.inertia[i]);
            if let Some(viscous) = &self.viscous {
                let own = viscous.hessian(i).find(|(j, _)| *j as usize == i);
                inertia = own.map_or(inertia, |(_, block)| inertia + symmetric(&block));
            }
            *block = slots.of(i).iter().fold(inertia, |sum, &slot| sum + symmetric(&corner[slot as usize]));
        });
        if scale == Scale::Largest {
            let stiffest =
                |(block, contact): (&Sym3<R>, &R)| block.bound() + if self.has_contacts() { *contact } else { R::ZERO };
            let largest = block.iter().zip(&self.contact_stiffness).map(stiffest).fold(R::ZERO, |a, b| a.max(b));
            block.fill(Sym3::scalar(largest));
        }
        inverse.par_iter_mut().zip(&*block).for_each(|(inverse, block)| *inverse = block.inverse());
        self.scale = Some(own);
    }

    /// D⁻¹ r of a vertex; 0 where it is held.
    #[inline(always)]
    pub(super) fn divide_by_scale(&self, i: usize, r: Vec3<R>) -> Vec3<R> {
        let Some(scale) = self.scale.as_ref().filter(|_| self.inv_diagonal[i] > R::ZERO) else { return Vec3::ZERO };
        let contact = self.contact[i];
        if contact == Sym3::ZERO { scale.inverse[i].times(r) } else { (scale.block[i] + contact).solve(r) }
    }
}

fn symmetric<R: Real>(m: &Mat3<R>) -> Sym3<R> {
    let half = R::of(0.5);
    let mean = |r: usize, c: usize| half * (m.at(r, c) + m.at(c, r));
    Sym3 { diagonal: Vec3::new(m.at(0, 0), m.at(1, 1), m.at(2, 2)), off: Vec3::new(mean(1, 2), mean(0, 2), mean(0, 1)) }
}
