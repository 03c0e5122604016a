//! Many elements of one kind, and the view of them that a solver sees: one dynamic call per batch, never per element.

use super::{Compliant, Convertible, Corrections, Energy, Hessian, LocalStep, Projective, Pull};
use crate::math::{Mat3, Real, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// Elements of one kind with the points they act on; the first two lists have the same length.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch<E, const N: usize> {
    /// Indices of each element's points.
    pub stencil: Vec<[u32; N]>,
    /// Rest data and stiffness of each element.
    pub element: Vec<E>,
    /// Elements that are pulled straight for now ([`Energy::pull`]), ascending, each with its R̄.
    pub pulled: Vec<(u32, Mat3<f64>)>,
}

impl<E, const N: usize> Default for Batch<E, N> {
    fn default() -> Self {
        Self { stencil: Vec::new(), element: Vec::new(), pulled: Vec::new() }
    }
}

impl<E, const N: usize> Batch<E, N> {
    /// Adds one element.
    pub fn push(&mut self, stencil: [u32; N], element: E) {
        self.stencil.push(stencil);
        self.element.push(element);
    }
    /// How many elements.
    pub fn len(&self) -> usize {
        self.element.len()
    }
    /// Has no elements.
    pub fn is_empty(&self) -> bool {
        self.element.is_empty()
    }
    /// The points of element `c`, m.
    #[inline(always)]
    pub fn points<R: Real>(&self, c: usize, x: &[[R; 4]]) -> [Vec3<R>; N] {
        self.stencil[c].map(|i| Vec3::load(x[i as usize]))
    }
    /// Elements and their stencils in order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u32; N], &E)> {
        self.stencil.iter().zip(&self.element)
    }
}

/// Elements projected together: two AVX2 registers of f32, one of AVX-512.
const GROUP: usize = 16;

/// A batch behind a pointer. Points are stored as `[x, y, z, unused]`; `out` has `range.len() · arity` slots, the
/// corners of one element side by side.
pub trait ElementBatch<R: Real>: Send + Sync {
    /// Name of the element, as in reports.
    fn name(&self) -> &'static str;
    /// How many elements.
    fn len(&self) -> usize;
    /// Has no elements.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Points per element.
    fn arity(&self) -> usize;
    /// Indices of the points of all elements, `arity` each.
    fn stencils(&self) -> &[u32];
    /// Indices of the points of element `c`.
    fn stencil(&self, c: usize) -> &[u32] {
        &self.stencils()[c * self.arity()..(c + 1) * self.arity()]
    }
    /// Σ Ψ over the range, added in order, J.
    fn value_range(&self, range: Range<usize>, x: &[[R; 4]]) -> f64;
    /// ∂Ψ/∂x of every element of the range, N.
    fn gradient_range(&self, range: Range<usize>, x: &[[R; 4]], out: &mut [[R; 4]]);
    /// ∂Ψ/∂x of the elements `items`, N.
    fn gradient_items(&self, items: &[u32], x: &[[R; 4]], out: &mut [[R; 4]]);
    /// Every block of element `c`'s positive semi-definite Hessian, with the corners it couples, N/m.
    fn hessian_blocks(&self, c: usize, x: &[[R; 4]], f: &mut dyn FnMut(usize, usize, Mat3<R>));
    /// Every block of element `c`'s Hessian, exact where that is known, N/m.
    fn exact_hessian_blocks(&self, c: usize, x: &[[R; 4]], f: &mut dyn FnMut(usize, usize, Mat3<R>));
    /// Every block of what the positive semi-definite Hessian is more than that, N/m.
    fn excess_hessian_blocks(&self, c: usize, x: &[[R; 4]], f: &mut dyn FnMut(usize, usize, Mat3<R>));
    /// [`Energy::scale`] of every element of the range, `arity` blocks per element, N/m.
    fn scale_range(&self, range: Range<usize>, x: &[[R; 4]], out: &mut [Mat3<R>]);
    /// The view for projective dynamics, if the element has one.
    fn projective(&self) -> Option<&dyn ProjectiveBatch<R>>;
    /// The view for position-based dynamics, if the element has one.
    fn compliant(&self) -> Option<&dyn CompliantBatch<R>>;
}

/// A batch that projective dynamics can solve.
pub trait ProjectiveBatch<R: Real>: Send + Sync {
    /// What the local step does.
    fn local(&self) -> LocalStep;
    /// w AᵀA of element `c`: every entry with the corners it couples, N/m.
    fn stiffness(&self, c: usize, f: &mut dyn FnMut(usize, usize, R));
    /// w Aᵀ p of every element of the range, N.
    fn project_range(&self, range: Range<usize>, x: &[[R; 4]], out: &mut [[R; 4]]);
}

/// A batch that position-based dynamics can solve.
pub trait CompliantBatch<R: Real>: Corrections<R> {
    /// α of element `c`.
    fn compliance(&self, c: usize) -> R;
    /// C of element `c`; writes ∇C, one slot per corner.
    fn constraint(&self, c: usize, x: &[[R; 4]], grad_out: &mut [[R; 4]]) -> R;
}

/// A batch whose elements are replaced where they are crushed.
pub trait ConvertibleBatch<R: Real> {
    /// l of each element.
    fn shares(&self) -> Vec<R>;
    /// Replaces them.
    fn set_shares(&mut self, shares: &[R]);
    /// Renews them at x, each at most so much smaller than before; how many have changed.
    fn convert(&mut self, x: &[[R; 4]], undone: R) -> usize;
}

impl<E, const N: usize> Batch<E, N> {
    /// What stands for element `c`, where it is pulled straight.
    #[inline]
    pub(super) fn pull<R: Real>(&self, c: usize) -> Option<Pull<R, N>>
    where
        E: Energy<R, N>,
    {
        if self.pulled.is_empty() {
            return None;
        }
        let k = self.pulled.binary_search_by_key(&(c as u32), |pulled| pulled.0).ok()?;
        self.element[c].pull(self.pulled[k].1.cast())
    }

    /// Those of `items` that are pulled straight, with their slots.
    fn for_pulled<'a, R: Real, S>(
        &self,
        items: impl Iterator<Item = usize>,
        slots: &'a mut [S],
        mut f: impl FnMut(Pull<R, N>, usize, &'a mut [S]),
    ) where
        E: Energy<R, N>,
    {
        if self.pulled.is_empty() {
            return;
        }
        for (c, slots) in items.zip(slots.chunks_exact_mut(N)) {
            if let Some(pull) = self.pull(c) {
                f(pull, c, slots);
            }
        }
    }

    pub(super) fn sum_values<R: Real>(&self, range: Range<usize>, x: &[[R; 4]]) -> f64
    where
        E: Energy<R, N>,
    {
        let value = |c: usize| match self.pull(c) {
            Some(pull) => pull.value(&self.points(c, x)),
            None => self.element[c].value(&self.points(c, x)),
        };
        range.map(|c| value(c).f64()).sum()
    }

    /// Writes N vectors per element of the range.
    fn fill<R: Real>(
        &self,
        range: Range<usize>,
        x: &[[R; 4]],
        out: &mut [[R; 4]],
        f: impl Fn(&E, &[Vec3<R>; N]) -> [Vec3<R>; N],
    ) {
        debug_assert_eq!(out.len(), range.len() * N);
        for (c, slots) in range.zip(out.chunks_exact_mut(N)) {
            for (slot, v) in slots.iter_mut().zip(f(&self.element[c], &self.points(c, x))) {
                *slot = v.store();
            }
        }
    }

    pub(super) fn write_gradients<R: Real>(&self, range: Range<usize>, x: &[[R; 4]], out: &mut [[R; 4]])
    where
        E: Energy<R, N>,
    {
        debug_assert_eq!(out.len(), range.len() * N);
        let mut points = [[Vec3::ZERO; N]; GROUP];
        let mut gradient = [[Vec3::ZERO; N]; GROUP];
        let mut first = range.start;
        for slots in out.chunks_mut(GROUP * N) {
            let count = slots.len() / N;
            for k in 0..count {
                points[k] = self.points(first + k, x);
            }
            E::gradient_many(&self.element[first..first + count], &points[..count], &mut gradient[..count]);
            for (slot, v) in slots.iter_mut().zip(gradient.as_flattened()) {
                *slot = v.store();
            }
            first += count;
        }
        self.write_pulled(range, x, out);
    }

    /// Gradients of those that are pulled straight.
    fn write_pulled<R: Real>(&self, items: impl Iterator<Item = usize>, x: &[[R; 4]], out: &mut [[R; 4]])
    where
        E: Energy<R, N>,
    {
        self.for_pulled(items, out, |pull, c, slots| {
            slots.iter_mut().zip(pull.gradient(&self.points(c, x))).for_each(|(slot, v)| *slot = v.store());
        });
    }

    pub(super) fn write_gradients_of<R: Real>(&self, items: &[u32], x: &[[R; 4]], out: &mut [[R; 4]])
    where
        E: Energy<R, N>,
    {
        debug_assert_eq!(out.len(), items.len() * N);
        let mut points = [[Vec3::ZERO; N]; GROUP];
        let mut gradient = [[Vec3::ZERO; N]; GROUP];
        for (items, slots) in items.chunks(GROUP).zip(out.chunks_mut(GROUP * N)) {
            let count = items.len();
            let element = std::array::from_fn::<E, GROUP, _>(|k| self.element[items[k.min(count - 1)] as usize]);
            for (points, c) in points.iter_mut().zip(items) {
                *points = self.points(*c as usize, x);
            }
            E::gradient_many(&element[..count], &points[..count], &mut gradient[..count]);
            for (slot, v) in slots.iter_mut().zip(gradient.as_flattened()) {
                *slot = v.store();
            }
        }
        self.write_pulled(items.iter().map(|c| *c as usize), x, out);
    }

    /// Calls `f` for every block of a Hessian of element `c`, if it has that one; what is pulled straight has one only.
    pub(super) fn visit_hessian<R: Real>(
        &self,
        c: usize,
        x: &[[R; 4]],
        hessian: impl FnOnce(&E, &[Vec3<R>; N]) -> Option<Hessian<R, N>>,
        pulled: impl FnOnce(&Pull<R, N>, &[Vec3<R>; N]) -> Option<Hessian<R, N>>,
        f: &mut dyn FnMut(usize, usize, Mat3<R>),
    ) where
        E: Energy<R, N>,
    {
        let found = match self.pull(c) {
            Some(pull) => pulled(&pull, &self.points(c, x)),
            None => hessian(&self.element[c], &self.points(c, x)),
        };
        let Some(hessian) = found else { return };
        for (i, row) in hessian.iter().enumerate() {
            for (j, block) in row.iter().enumerate() {
                f(i, j, *block);
            }
        }
    }

    pub(super) fn write_scales<R: Real>(&self, range: Range<usize>, x: &[[R; 4]], out: &mut [Mat3<R>])
    where
        E: Energy<R, N>,
    {
        debug_assert_eq!(out.len(), range.len() * N);
        for (c, slots) in range.clone().zip(out.chunks_exact_mut(N)) {
            slots.copy_from_slice(&self.element[c].scale(&self.points(c, x)));
        }
        self.for_pulled(range, out, |pull, c, slots| slots.copy_from_slice(&pull.scale(&self.points(c, x))));
    }
}

impl<R: Real, E: Convertible<R, N>, const N: usize> ConvertibleBatch<R> for Batch<E, N> {
    fn shares(&self) -> Vec<R> {
        self.element.iter().map(Convertible::share).collect()
    }
    fn set_shares(&mut self, shares: &[R]) {
        self.element.iter_mut().zip(shares).for_each(|(element, share)| element.set_share(*share));
    }
    fn convert(&mut self, x: &[[R; 4]], undone: R) -> usize {
        let each = self.element.par_iter_mut().zip(&self.stencil);
        let changed = each.map(|(element, stencil)| {
            let now = element.share_at(&stencil.map(|i| Vec3::load(x[i as usize])));
            let before = element.share();
            let share = now.max(before - undone).max(R::ZERO).min(R::ONE);
            element.set_share(share);
            usize::from(share != before)
        });
        changed.sum()
    }
}

impl<R: Real, E: Projective<R, N>, const N: usize> ProjectiveBatch<R> for Batch<E, N> {
    fn local(&self) -> LocalStep {
        E::LOCAL
    }
    fn stiffness(&self, c: usize, f: &mut dyn FnMut(usize, usize, R)) {
        for (i, row) in self.element[c].stiffness().into_iter().enumerate() {
            for (j, entry) in row.into_iter().enumerate() {
                f(i, j, entry);
            }
        }
    }
    fn project_range(&self, range: Range<usize>, x: &[[R; 4]], out: &mut [[R; 4]]) {
        self.fill(range.clone(), x, out, |e, x| e.project(x));
        self.for_pulled(range, out, |pull, c, slots| {
            slots.iter_mut().zip(pull.project(&self.points(c, x))).for_each(|(slot, v)| *slot = v.store());
        });
    }
}

impl<E, const N: usize> Batch<E, N> {
    /// α, and C with ∇C, of element `c` at its points.
    #[inline]
    pub(super) fn compliance_and_constraint<R: Real>(&self, c: usize, x: &[Vec3<R>; N]) -> (R, (R, [Vec3<R>; N]))
    where
        E: Compliant<R, N>,
    {
        match self.pull(c) {
            Some(pull) => (pull.compliance(), pull.constraint(x)),
            None => (self.element[c].compliance(), self.element[c].constraint(x)),
        }
    }
}

impl<R: Real, E: Compliant<R, N>, const N: usize> CompliantBatch<R> for Batch<E, N> {
    fn compliance(&self, c: usize) -> R {
        self.element[c].compliance()
    }
    fn constraint(&self, c: usize, x: &[[R; 4]], grad_out: &mut [[R; 4]]) -> R {
        let (_, (value, gradient)) = self.compliance_and_constraint(c, &self.points(c, x));
        for (slot, g) in grad_out.iter_mut().zip(gradient) {
            *slot = g.store();
        }
        value
    }
}
