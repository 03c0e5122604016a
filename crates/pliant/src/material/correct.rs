//! Position corrections of constraints (course 1.3.5, eq 27; Macklin et al. 2016 for XPBD).
//!
//! A constraint C with compliance α moves its points by Δx = M⁻¹ ∇C Δλ with
//! Δλ = −(C + α̃ λ) / (∇Cᵀ M⁻¹ ∇C + α̃), α̃ = α/h². XPBD sums λ over the iterations of a step; plain PBD forgets it
//! each time (λ = 0), so that stiffness grows with the number of iterations, as is usual there.

use super::{Batch, Compliant};
use crate::math::{Real, Vec3};
use std::marker::PhantomData;
use std::ops::Range;

/// What a correction needs besides the constraint.
#[derive(Clone, Copy)]
pub struct CorrectionSetting<'a, R> {
    /// Inverse masses of all vertices, 1/kg; 0 = does not move.
    pub inv_mass: &'a [R],
    /// 1/h², 1/s².
    pub inv_h_sq: R,
    /// Keep multipliers (XPBD) or forget them (PBD).
    pub extended: bool,
}

/// Shared mutable access by index: the elements of one colour share no vertex and have a multiplier each.
#[derive(Clone, Copy)]
pub struct Disjoint<'a, T>(*mut T, usize, PhantomData<&'a mut [T]>);
// SAFETY: only used through `read` and `write`, whose callers promise disjoint indices.
unsafe impl<T: Send> Send for Disjoint<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Disjoint<'_, T> {}

impl<'a, T: Copy> Disjoint<'a, T> {
    /// A view that several threads may use at disjoint indices.
    pub fn new(slice: &'a mut [T]) -> Self {
        Self(slice.as_mut_ptr(), slice.len(), PhantomData)
    }

    /// # Safety
    /// No other thread may write index i meanwhile.
    #[inline(always)]
    pub unsafe fn read(&self, i: usize) -> T {
        assert!(i < self.1);
        // SAFETY: in bounds; not written meanwhile, says the caller.
        unsafe { *self.0.add(i) }
    }

    /// # Safety
    /// No other thread may use index i meanwhile.
    #[inline(always)]
    pub unsafe fn write(&self, i: usize, value: T) {
        assert!(i < self.1);
        // SAFETY: in bounds; not used meanwhile, says the caller.
        unsafe { *self.0.add(i) = value }
    }
}

/// Corrections of a batch of constraints.
pub trait Corrections<R: Real>: Send + Sync {
    /// Δx of every corner of the range at x, without multipliers: a Jacobi sweep adds them up, m.
    fn correct_range(&self, range: Range<usize>, x: &[[R; 4]], setting: CorrectionSetting<R>, out: &mut [[R; 4]]);

    /// Corrects x in place for some elements, with a multiplier each.
    ///
    /// # Safety
    /// The elements share no vertex with each other, nor with those any other thread corrects meanwhile.
    unsafe fn correct_items(
        &self,
        items: &[u32],
        x: Disjoint<[R; 4]>,
        multiplier: Disjoint<R>,
        setting: CorrectionSetting<R>,
    );
}

/// Δλ; zero where the constraint has no direction, and where it has no stiffness (its compliance is infinite).
#[inline(always)]
fn multiplier_change<R: Real, const N: usize>(
    (value, gradient): &(R, [Vec3<R>; N]),
    inv_mass: &[R; N],
    compliance: R,
    multiplier: R,
) -> R {
    let mut stiffness = R::ZERO;
    for k in 0..N {
        stiffness += inv_mass[k] * gradient[k].length_sq();
    }
    let acts = stiffness > R::TINY && compliance.is_finite();
    if acts { -(*value + compliance * multiplier) / (stiffness + compliance) } else { R::ZERO }
}

impl<R: Real, E: Compliant<R, N>, const N: usize> Corrections<R> for Batch<E, N> {
    fn correct_range(&self, range: Range<usize>, x: &[[R; 4]], setting: CorrectionSetting<R>, out: &mut [[R; 4]]) {
        for (c, slots) in range.zip(out.chunks_exact_mut(N)) {
            let inv_mass = self.stencil[c].map(|i| setting.inv_mass[i as usize]);
            let (compliance, constraint) = self.compliance_and_constraint(c, &self.points(c, x));
            let change = multiplier_change(&constraint, &inv_mass, compliance * setting.inv_h_sq, R::ZERO);
            for k in 0..N {
                slots[k] = (constraint.1[k] * (inv_mass[k] * change)).store();
            }
        }
    }

    unsafe fn correct_items(
        &self,
        items: &[u32],
        x: Disjoint<[R; 4]>,
        multiplier: Disjoint<R>,
        setting: CorrectionSetting<R>,
    ) {
        for &c in items {
            let stencil = &self.stencil[c as usize];
            let inv_mass = stencil.map(|i| setting.inv_mass[i as usize]);
            // SAFETY: nobody else uses these vertices meanwhile, says the caller.
            let points = stencil.map(|i| Vec3::load(unsafe { x.read(i as usize) }));
            let (compliance, constraint) = self.compliance_and_constraint(c as usize, &points);
            // SAFETY: a multiplier belongs to one element.
            let before = if setting.extended { unsafe { multiplier.read(c as usize) } } else { R::ZERO };
            let change = multiplier_change(&constraint, &inv_mass, compliance * setting.inv_h_sq, before);
            // SAFETY: as above.
            unsafe { multiplier.write(c as usize, before + change) };
            for k in 0..N {
                let moved = points[k] + constraint.1[k] * (inv_mass[k] * change);
                // SAFETY: as above.
                unsafe { x.write(stencil[k] as usize, moved.store()) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::Spring;

    #[test]
    fn a_constraint_without_stiffness_moves_nothing() {
        let mut batch = Batch::default();
        batch.push([0, 1], Spring { rest_length: 1.0, stiffness: 0.0 });
        let start = [[0.0; 4], [3.0, 0.0, 0.0, 0.0]];
        let (mut x, mut multiplier, mut out) = (start, [0.0], [[f64::NAN; 4]; 2]);
        let setting = CorrectionSetting { inv_mass: &[1.0; 2], inv_h_sq: 1e4, extended: true };
        batch.correct_range(0..1, &x, setting, &mut out);
        assert_eq!(out, [[0.0; 4]; 2]);
        for _ in 0..2 {
            // SAFETY: one element, one thread.
            unsafe { batch.correct_items(&[0], Disjoint::new(&mut x), Disjoint::new(&mut multiplier), setting) };
            assert_eq!((x, multiplier), (start, [0.0]));
        }
    }
}
