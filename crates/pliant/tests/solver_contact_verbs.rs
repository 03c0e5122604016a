//! The verbs of the CPU device that begin and end a step, and those of position-based methods: constraints, pins and contacts.
//! In both precisions, against a slow and plain way to say the same.

mod support;
#[path = "support/verbs.rs"]
mod verbs;

use pliant::colouring::{Stencils, greedy_elements};
use pliant::device::Device;
use pliant::material::Elements;
use pliant::math::{Real, Vec3};
use pliant::step::step_input;
use support::*;
use verbs::*;

impl<R: Real> Bench<R> {
    /// Position-based verbs, from the constraints themselves in `f64`.
    fn check_constraints(&mut self) {
        let model = self.step.model.clone();
        let elements: Vec<Elements<R>> = model.elements.iter().map(Elements::cast).collect();
        let start: Vec<[f64; 4]> = self.x.iter().map(|x| x.map(Real::f64)).collect();
        let held = self.step.system.held.clone();
        let inv_mass = |i: u32| if held[i as usize] { 0.0 } else { 1.0 / model.mass[i as usize] };
        let correction = |batch: &Elements<R>, c: usize, x: &[[f64; 4]], multiplier: f64| {
            let narrow: Vec<[R; 4]> = batch.view().stencil(c).iter().map(|&i| x[i as usize].map(R::of)).collect();
            let view = batch.view();
            let compliant = view.compliant().unwrap();
            let mut all = vec![[R::ZERO; 4]; x.len()];
            view.stencil(c).iter().zip(&narrow).for_each(|(&i, p)| all[i as usize] = *p);
            let mut gradient = vec![[R::ZERO; 4]; view.arity()];
            let value = compliant.constraint(c, &all, &mut gradient).f64();
            let compliance = compliant.compliance(c).f64() / (H * H);
            let moves: f64 = view
                .stencil(c)
                .iter()
                .zip(&gradient)
                .map(|(&i, g)| inv_mass(i) * Vec3::<f64>::of(wide(*g)).length_sq())
                .sum();
            let change =
                if moves > R::TINY.f64() { -(value + compliance * multiplier) / (moves + compliance) } else { 0.0 };
            let shifts: Vec<(u32, Vec3<f64>)> = view
                .stencil(c)
                .iter()
                .zip(&gradient)
                .map(|(&i, g)| (i, Vec3::<f64>::of(wide(*g)) * (inv_mass(i) * change)))
                .collect();
            (change, shifts)
        };
        let mut expected = start.clone();
        for batch in &elements {
            for c in 0..batch.len() {
                for (i, shift) in correction(batch, c, &start, 0.0).1 {
                    expected[i as usize] = (Vec3::load(expected[i as usize]) + shift * 0.25).store();
                }
            }
        }
        let mut x_hat = self.x.clone();
        self.step.device.constrain_jacobi(&mut self.step.problem, 0.25, &self.x, &mut x_hat);
        let bound = 1e3 * R::EPSILON.f64();
        assert!(distance(&x_hat, &expected) < bound, "constrain_jacobi {:e}", distance(&x_hat, &expected));

        for extended in [false, true] {
            self.step.device.reset_multipliers(&mut self.step.problem);
            let mut x = self.x.clone();
            let mut expected = start.clone();
            let mut multipliers: Vec<Vec<f64>> = elements.iter().map(|batch| vec![0.0; batch.len()]).collect();
            let colours = self.step.device.constraint_colours(&mut self.step.problem);
            for _ in 0..2 {
                (0..colours).for_each(|k| {
                    self.step.device.constrain_colour(&mut self.step.problem, k, extended, &mut x);
                });
                let mut seen = 0;
                for (batch, multiplier) in elements.iter().zip(&mut multipliers) {
                    let stencils = Stencils::flat(batch.arity(), batch.view().stencils());
                    let colouring = greedy_elements(x.len(), &[stencils]);
                    seen += colouring.count();
                    for &c in colouring.classes.rows().flatten() {
                        let before = if extended { multiplier[c as usize] } else { 0.0 };
                        let (change, shifts) = correction(batch, c as usize, &expected, before);
                        multiplier[c as usize] = before + change;
                        for (i, shift) in shifts {
                            expected[i as usize] = (Vec3::load(expected[i as usize]) + shift).store();
                        }
                    }
                }
                assert_eq!(seen, colours);
            }
            let error = distance(&x, &expected);
            // Rounding passes from constraint to constraint, and near-collapsed springs turn it around.
            let bound = if R::NAME == "f32" { 1e-2 } else { 1e-10 };
            assert!(error < bound, "constrain_colour extended {extended}: {error:e}");
        }
    }

    /// Out of colliders by the depth; the slip since the start of the step shrinks by friction times the depth.
    fn check_enforce(&mut self) {
        let mut x = self.x.clone();
        let [mut first, mut second] = [self.step.x_prev.clone(), self.x.clone()];
        self.step.device.enforce(&mut self.step.problem, &mut x, [&mut first, &mut second]);
        let input = step_input(&self.step.model, self.state.time + H, H);
        for i in 0..x.len() {
            let mut at = Vec3::<R>::load(self.x[i]);
            let mut came = at;
            if !self.step.system.held[i] {
                if let Some((_, target)) = input.targets.iter().find(|target| target.0 as usize == i) {
                    let share = 30.0 / (30.0 + self.step.system.inertia[i]);
                    at += (Vec3::of(*target) - at) * R::of(share);
                }
                came = at;
                let grip = self.step.potential().grips[i].cast::<R>();
                for (k, collider) in input.colliders.iter().map(|collider| collider.cast::<R>()).enumerate() {
                    let (d, n) = grip.distance(k, &collider, at);
                    let depth = R::of(self.step.model.thickness[i]) - d;
                    if depth > R::ZERO {
                        let carried = Vec3::load(self.step.x_prev[i]) + collider.velocity_at(at) * R::of(H);
                        let slip = (at - carried) - n * (at - carried).dot(n);
                        let share = (collider.friction * depth / slip.length().max(R::TINY)).min(R::ONE);
                        at = at + n * depth - slip * share;
                    }
                }
            }
            assert!((at - Vec3::load(x[i])).length().f64() < 16.0 * R::EPSILON.f64(), "vertex {i}");
            for (before, after) in [(self.step.x_prev[i], first[i]), (self.x[i], second[i])] {
                let expected = Vec3::<R>::load(before) + (at - came);
                assert!((expected - Vec3::load(after)).length().f64() < 16.0 * R::EPSILON.f64(), "others at {i}");
            }
        }
    }

    /// x̃ = x + h v e^(−damping h) + h² g, held vertices at their targets; v = (x − x_prev)/h.
    fn check_step_ends(&mut self) {
        let model = self.step.model.clone();
        let targets = step_input(&model, self.state.time + H, H).targets;
        let decay = (-model.damping * H).exp();
        let expected: Vec<[f64; 4]> = (0..self.x.len())
            .map(|i| {
                let held = targets.iter().find(|t| t.0 as usize == i && self.step.system.held[i]);
                let fall = Vec3::<f64>::of(model.acceleration) * (H * H);
                let free = Vec3::<f64>::of(self.state.x[i]) + Vec3::of(self.state.v[i]) * (H * decay) + fall;
                held.map_or(free, |t| Vec3::of(t.1)).store()
            })
            .collect();
        let mut start = self.x.clone();
        self.step.device.start(&self.step.problem, &mut start);
        assert!(distance(&start, &expected) < 8.0 * R::EPSILON.f64());

        let mut x = self.step.x_prev.clone();
        x.iter_mut().for_each(|x| *x = (Vec3::load(*x) + Vec3::new(R::ZERO, R::of(2.0), R::ZERO)).store());
        let mut v = x.clone();
        self.step.device.end_step(&self.step.problem, &self.step.x_prev, &mut x, &mut v);
        assert!(
            v.iter()
                .all(|v| (Vec3::<f64>::of(wide(*v)) - Vec3::new(0.0, 2.0 / H, 0.0)).length() < 1e3 * R::EPSILON.f64())
        );
    }

    fn check_all(&mut self) {
        self.check_constraints();
        self.check_enforce();
        self.check_step_ends();
    }
}

#[test]
fn every_verb_does_what_it_says_on_random_models() {
    on_models(&SOUND, Bench::check_all, Bench::check_all);
}

#[test]
fn every_verb_does_what_it_says_with_collapsed_springs_and_flat_tets() {
    on_models(&SPOILT, Bench::check_all, Bench::check_all);
}

#[test]
fn every_verb_does_what_it_says_at_the_edges_of_blocks_and_chunks() {
    on_models(&EDGES, Bench::check_all, Bench::check_all);
    at_edges_of_chunks(|bench| {
        bench.check_enforce();
        bench.check_step_ends();
    });
}

#[test]
fn vertices_leave_a_collider_on_a_hundred_thousand_vertices() {
    Bench::<f32>::new(large_sheet()).check_enforce();
}
