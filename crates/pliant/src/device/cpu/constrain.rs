//! Position-based sweeps on the CPU: all constraints at once (Jacobi), or colour by colour (Gauss-Seidel).

use super::parallel::for_chunks;
use super::problem::{CpuProblem, Slotted};
use crate::colouring::{Colouring, Stencils, greedy_elements};
use crate::contact::limit_slip;
use crate::material::{CorrectionSetting, Disjoint, Elements};
use crate::math::{Real, Vec3};
use rayon::prelude::*;

/// Colours and multipliers of all constraints.
pub(super) struct Constraints<R> {
    batches: Vec<ColouredBatch<R>>,
    /// (batch, colour) of each colour, in order.
    colours: Vec<(usize, usize)>,
    /// Corrections of a Jacobi sweep.
    slotted: Slotted<R>,
}

struct ColouredBatch<R> {
    /// Index into the problem's elements.
    index: usize,
    colouring: Colouring,
    multiplier: Vec<R>,
}

impl<R: Real> Constraints<R> {
    fn new(vertices: usize, elements: &[Elements<R>]) -> Self {
        let mut batches = Vec::new();
        let mut colours = Vec::new();
        for (index, elements) in elements.iter().enumerate().filter(|(_, e)| e.is_compliant() && !e.is_empty()) {
            let stencils = Stencils::flat(elements.arity(), elements.view().stencils());
            let colouring = greedy_elements(vertices, &[stencils]);
            colours.extend((0..colouring.count()).map(|colour| (batches.len(), colour)));
            batches.push(ColouredBatch { index, colouring, multiplier: vec![R::ZERO; elements.len()] });
        }
        Self { batches, colours, slotted: Slotted::new(vertices, elements, |elements| elements.is_compliant()) }
    }

    pub fn colours(&self) -> usize {
        self.colours.len()
    }

    pub fn reset(&mut self) {
        self.batches.iter_mut().for_each(|batch| batch.multiplier.fill(R::ZERO));
    }
}

/// Constraints per task.
const TASK: usize = 512;

impl<R: Real> CpuProblem<R> {
    pub(super) fn constraints(&mut self) -> &mut Constraints<R> {
        let (n, elements) = (self.model.vertices(), &self.elements);
        self.constraints.get_or_insert_with(|| Constraints::new(n, elements))
    }

    fn correction_setting(&self, extended: bool) -> CorrectionSetting<'_, R> {
        let inv_h_sq = R::of(1.0 / (self.system.h * self.system.h));
        CorrectionSetting { inv_mass: &self.inv_mass, inv_h_sq, extended }
    }

    /// Projects the constraints of one colour in place.
    pub(super) fn constrain_colour(&mut self, colour: usize, extended: bool, x: &mut [[R; 4]]) {
        self.constraints();
        let Some(mut constraints) = self.constraints.take() else { return };
        let (batch, class) = constraints.colours[colour];
        let ColouredBatch { index, colouring, multiplier } = &mut constraints.batches[batch];
        let setting = self.correction_setting(extended);
        let (x, multiplier) = (Disjoint::new(x), Disjoint::new(multiplier));
        if let Some(compliant) = self.elements[*index].view().compliant() {
            colouring.classes.of(class).par_chunks(TASK).for_each(|items| {
                // SAFETY: the elements of one colour share no vertex.
                unsafe { compliant.correct_items(items, x, multiplier, setting) }
            });
        }
        self.constraints = Some(constraints);
    }

    /// x̂ = x + α Σ Δx
    pub(super) fn constrain_jacobi(&mut self, relaxation: f64, x: &[[R; 4]], x_hat: &mut [[R; 4]]) {
        self.constraints();
        let Some(mut constraints) = self.constraints.take() else { return };
        let setting = self.correction_setting(false);
        let slotted = &mut constraints.slotted;
        for &(index, start) in &slotted.batches {
            let elements = &self.elements[index];
            let arity = elements.arity();
            let slots = &mut slotted.slots[start..start + elements.len() * arity];
            if let Some(compliant) = elements.view().compliant() {
                slots.par_chunks_mut(TASK * arity).enumerate().for_each(|(k, slots)| {
                    compliant.correct_range(k * TASK..k * TASK + slots.len() / arity, x, setting, slots);
                });
            }
        }
        let (slotted, relaxation) = (&*slotted, R::of(relaxation));
        for_chunks(x_hat, |first, out| {
            for (i, out) in (first..).zip(out) {
                let sum = slotted.of(i).iter().fold(Vec3::ZERO, |sum, &s| sum + Vec3::load(slotted.slots[s as usize]));
                *out = (Vec3::load(x[i]) + sum * relaxation).store();
            }
        });
        self.constraints = Some(constraints);
    }

    /// Spring pins pull; colliders push, and their friction shortens the slip since the start of the step.
    pub(super) fn enforce(&mut self, x: &mut [[R; 4]], [first, second]: [&mut Vec<[R; 4]>; 2]) {
        for (i, target, stiffness) in &self.spring_pins {
            let i = *i as usize;
            let share = *stiffness / (*stiffness + R::of(self.system.inertia[i]));
            let at = Vec3::load(x[i]);
            x[i] = (at + (*target - at) * share).store();
        }
        self.enforce_touches(x, [first, second]);
        if self.colliders.is_empty() {
            return;
        }
        let (colliders, thickness, inv_mass, grips) = (&self.colliders, &self.thickness, &self.inv_mass, &self.grips);
        let h = R::of(self.system.h);
        let others = first.par_chunks_mut(TASK).zip(second.par_chunks_mut(TASK));
        let chunks = x.par_chunks_mut(TASK).zip(self.start.par_chunks_mut(TASK)).zip(others);
        chunks.enumerate().for_each(|(k, ((x, start), (first, second)))| {
            let others = first.iter_mut().zip(second);
            for (i, ((x, start), others)) in (k * TASK..).zip(x.iter_mut().zip(start).zip(others)) {
                if inv_mass[i] == R::ZERO {
                    continue;
                }
                let came = Vec3::load(*x);
                for (k, collider) in colliders.iter().enumerate() {
                    let at = Vec3::load(*x);
                    let (d, normal) = grips[i].distance_and_normal(k, collider, at);
                    let depth = thickness[i] - d;
                    if depth > R::ZERO {
                        let carried = Vec3::load(*start) + collider.velocity_at(at) * h;
                        let slip = at + normal * depth - carried;
                        *x = (carried + limit_slip(slip, normal, depth, collider.friction)).store();
                        start[3] += depth;
                    }
                }
                let pushed = Vec3::load(*x) - came;
                for other in [others.0, others.1] {
                    *other = (Vec3::load(*other) + pushed).store();
                }
            }
        });
    }
}
