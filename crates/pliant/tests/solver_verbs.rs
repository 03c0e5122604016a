//! Every verb of the CPU device, in both precisions, against a slow and plain way to say the same.

mod support;

use pliant::colouring::{Stencils, greedy_elements};
use pliant::contact::STICKING_SPEED;
use pliant::device::{Blend, Device, Factor, Slot};
use pliant::material::{ArapTet, Batch, Elements, QuadraticBending};
use pliant::math::{Mat3, Real, Vec3};
use pliant::model::{Model, ModelBuilder, Pin, State};
use pliant::step::step_input;
use std::sync::Arc;
use support::*;

const H: f64 = 1.0 / 60.0;

/// Random points, springs between near indices, hinges, tets, pins of both kinds and two colliders; `spoil` collapses
/// springs and flattens tets.
fn random_model(n: usize, seed: u64, spoil: bool) -> (Arc<Model>, State) {
    let mut random = Random(seed);
    let mut builder = ModelBuilder::new("random");
    let x: Vec<[f64; 3]> = (0..n).map(|_| random.point()).collect();
    let mass: Vec<f64> = (0..n).map(|_| 0.05 + 0.04 * random.signed()).collect();
    builder.add_points("random", &x, &mass);
    for i in 0..n {
        for _ in 0..3 {
            let j = (i + 1 + random.below(20)) % n;
            if i != j {
                builder.add_spring([i as u32, j as u32], 60.0 + 50.0 * random.signed()).unwrap();
            }
        }
    }
    let (mut tets, mut hinges) = (Batch::default(), Batch::default());
    for first in (0..n.saturating_sub(4)).step_by(3) {
        let stencil: [u32; 4] = std::array::from_fn(|k| (first + k) as u32);
        let rest = stencil.map(|i| Vec3::of(x[i as usize]));
        if let Ok(tet) = ArapTet::new(rest, 100.0) {
            tets.push(stencil, tet);
        }
        // Hinges of slivers are far stiffer than anything else here, so they are left out.
        if let Ok(hinge) = QuadraticBending::new(rest, 0.01)
            && hinge.weight * hinge.stencil.iter().map(|k| k * k).sum::<f64>() < 100.0
        {
            hinges.push(stencil, hinge);
        }
    }
    let colliders = scene(
        "[[cloth]]\n[[collider]]\nshape = \"half-space\"\nposition = [0, -0.5, 0]\nfriction = 0.4\nvelocity = [0.1, 0.2, 0]\n\
         [[collider]]\nshape = \"sphere\"\nradius = 0.6\nposition = [0, -0.2, 0]\n",
    );
    let model = builder.model();
    model.thickness.fill(0.02);
    model.acceleration = [0.0, -9.81, 0.0];
    model.damping = 0.3;
    model.colliders = build(&colliders).0.colliders.clone();
    for i in (0..n).filter(|i| i % 11 == 3) {
        let mut pin = Pin::fixed(i as u32, x[i]);
        pin.stiffness = (i % 2 == 0).then_some(30.0);
        pin.motion.velocity = [0.5, 0.0, 0.0];
        model.pins.push(pin);
    }
    let (mut model, mut state) = builder.finish();
    model.elements.extend([Elements::from(tets), Elements::from(hinges)].into_iter().filter(|e| !e.is_empty()));
    for v in &mut state.v {
        *v = random.point();
    }
    if spoil {
        for i in (0..n.saturating_sub(2)).step_by(7) {
            state.x[i + 1] = state.x[i];
            state.v[i + 1] = state.v[i];
            state.x[i + 2][1] = 0.0;
        }
    }
    (Arc::new(model), state)
}

/// One step of a random model with a slow twin of everything the device knows.
struct Bench<R: Real> {
    step: Step<R>,
    state: State,
    x: Vec<[R; 4]>,
    /// Active contacts, N/m.
    contact: Vec<Mat3<f64>>,
    /// What rounding in `R` makes of a force here, N.
    rounding: f64,
    random: Random,
}

impl<R: Real> Bench<R> {
    fn new((model, state): (Arc<Model>, State)) -> Self {
        let mut step = Step::<R>::new(&model, &state, H);
        let mut random = Random(5);
        let mut x = step.x.clone();
        for (i, x) in x.iter_mut().enumerate() {
            // Some points stay exactly where they are, so that collapsed springs stay collapsed.
            if i % 3 == 0 && !step.system.held[i] {
                *x = (Vec3::load(*x) + Vec3::of(random.point()) * R::of(0.1)).store();
            }
        }
        let colliders = step_input(&model, state.time + H).colliders;
        let grips = step.potential().grips;
        assert!(x.len() < 100 || grips.iter().any(|grip| grip.limit > 0.0), "somebody feels friction");
        let system = &step.system;
        let block = |i: usize| {
            let (at, kappa) = (Vec3::load(x[i]), system.contact_stiffness[i]);
            let mut sum = Mat3::ZERO;
            for (d, normal) in colliders.iter().map(|collider| collider.cast::<R>().distance(at)) {
                let normal: Vec3<f64> = normal.cast();
                let touches = d < R::of(model.thickness[i]) && !system.held[i];
                sum += normal.outer(normal) * if touches { kappa } else { 0.0 };
            }
            let (grip, moved) = (grips[i], at.cast() - grips[i].anchor);
            let across = Mat3::IDENTITY - grip.normal.outer(grip.normal);
            sum + across * (grip.limit / (across * moved).length().max(STICKING_SPEED * H))
        };
        let contact: Vec<Mat3<f64>> = (0..x.len()).map(block).collect();
        let stiffest = system.matrix.diagonal().iter().zip(&contact).map(|(d, c)| d + c.trace()).fold(0.0, f64::max);
        let rounding = 8.0 * R::EPSILON.f64() * stiffest;
        // The verbs below use the contacts of the last gradient.
        let mut g = x.clone();
        step.device.gradient(&mut step.problem, &x, &mut g);
        Self { step, state, x, contact, rounding, random }
    }

    fn field(&mut self) -> Vec<[R; 4]> {
        (0..self.x.len()).map(|_| Vec3::<R>::of(self.random.point()).store()).collect()
    }

    /// D⁻¹ r of a vertex.
    fn divided(&self, i: usize, r: Vec3<f64>) -> Vec3<f64> {
        let diagonal = Mat3::scalar(self.step.system.matrix.diagonal()[i]) + self.contact[i];
        diagonal.inverse().unwrap() * r
    }

    fn gradient(&mut self) -> Vec<[R; 4]> {
        let mut g = self.x.clone();
        self.step.device.gradient(&mut self.step.problem, &self.x, &mut g);
        g
    }

    /// A p, entry by entry in `f64`.
    fn product(&self, p: &[[R; 4]]) -> Vec<[f64; 4]> {
        self.product_with(p, |contact| contact)
    }

    fn product_with(&self, p: &[[R; 4]], contact: impl Fn(Mat3<f64>) -> Mat3<f64>) -> Vec<[f64; 4]> {
        let matrix = &self.step.system.matrix;
        let row = |i: usize| {
            let own = contact(self.contact[i]) * Vec3::<f64>::of(wide(p[i]));
            matrix.row(i).fold(own, |sum, (j, a)| sum + Vec3::of(wide(p[j])) * a).store()
        };
        (0..p.len()).map(row).collect()
    }

    fn check_gradient(&mut self) {
        let g = self.gradient();
        let x: Vec<[f64; 4]> = self.x.iter().map(|x| x.map(Real::f64)).collect();
        let mut expected = Vec::new();
        self.step.potential().gradient(&x, &mut expected);
        let error = distance(&g, &expected);
        assert!(error < self.rounding, "gradient: {error:e} {:e}", self.rounding);
        if R::NAME == "f64" {
            assert!(error <= 1e-12 * norm(&expected), "relative {:e}", error / norm(&expected));
        }
        let held = self.step.system.held.clone();
        assert!(g.iter().zip(held).all(|(g, held)| !held || *g == [R::ZERO; 4]), "held vertices feel no force");
    }

    fn check_jacobi(&mut self) {
        let g = self.gradient();
        let blend = Blend { omega: 1.7, under_relaxation: 0.9 };
        let before = self.field();
        let mut fused = before.clone();
        let mut at = self.x.clone();
        self.step.device.jacobi(&mut self.step.problem, &mut at, &mut fused, &[blend], Some(Slot(3)));
        std::mem::swap(&mut at, &mut fused);
        assert!(at == self.x, "what was swept is in x⁻ now");
        let residual = self.step.device.scalar(Slot(3)).unwrap();

        let mut z = before.clone();
        self.step.device.divide_by_diagonal(&self.step.problem, &g, &mut z);
        let (mut plain, mut sum) = (before.clone(), 0.0);
        for i in 0..g.len() {
            let held = self.step.system.held[i];
            let divided = if held { Vec3::ZERO } else { self.divided(i, Vec3::of(wide(g[i]))) };
            let error = (divided - Vec3::of(wide(z[i]))).length();
            // Cofactors cancel by as much as a contact is stiffer than the rest.
            let contact = self.contact[i].trace() / self.step.system.matrix.diagonal()[i];
            let bound = (8.0 + 32.0 * contact) * R::EPSILON.f64() * divided.length();
            assert!(error <= bound, "divide_by_diagonal {i}: {error:e} {bound:e}");
            let (x, x_before) = (Vec3::<f64>::of(wide(self.x[i])), Vec3::<f64>::of(wide(before[i])));
            let x_hat = x - divided;
            let next = ((x_hat - x) * blend.under_relaxation + x - x_before) * blend.omega + x_before;
            plain[i] = Vec3::<R>::of(next.f64()).store();
            sum += divided.dot(Vec3::of(wide(g[i])));
        }
        assert!(distance(&fused, &plain) < 64.0 * R::EPSILON.f64(), "jacobi: {:e}", distance(&fused, &plain));
        assert!((residual - sum).abs() <= 1e3 * R::EPSILON.f64() * sum, "residual: {residual} {sum}");

        let mut x_hat = self.x.clone();
        self.step.device.axpy(Factor::Value(-1.0), &z, &mut x_hat);
        let mut blended = before.clone();
        self.step.device.blend(&x_hat, &self.x, &mut blended, blend);
        assert!(distance(&blended, &plain) < 64.0 * R::EPSILON.f64(), "blend: {:e}", distance(&blended, &plain));
    }

    fn check_multiply(&mut self) {
        let p = self.field();
        let mut out = p.clone();
        self.step.device.multiply(&self.step.problem, &p, &mut out);
        assert!(distance(&out, &self.product(&p)) < self.rounding);
    }

    /// Vertices of one colour do not touch, each vertex has one colour, and each is solved for its neighbours as they
    /// are: that is Gauss-Seidel in the order of the colours.
    fn check_gauss_seidel(&mut self) {
        let (r, mut z) = (self.field(), self.field());
        let omega = 1.3;
        let n = z.len();
        let mut colour_of = vec![usize::MAX; n];
        for colour in 0..self.step.device.colours(&mut self.step.problem) {
            let before = z.clone();
            self.step.device.gauss_seidel(&self.step.problem, colour, omega, &r, &mut z);
            let product = self.product(&before);
            for i in (0..n).filter(|&i| z[i] != before[i]) {
                assert_eq!(colour_of[i], usize::MAX, "vertex {i} has two colours");
                colour_of[i] = colour;
                let change = self.divided(i, Vec3::<f64>::of(wide(r[i])) - Vec3::load(product[i])) * omega;
                let expected = Vec3::<f64>::of(wide(before[i])) + change;
                let error = (Vec3::<f64>::of(wide(z[i])) - expected).length();
                assert!(error < 1e3 * R::EPSILON.f64() * (1.0 + expected.length()), "vertex {i}: {error:e}");
            }
        }
        for i in 0..n {
            assert_eq!(colour_of[i] == usize::MAX, self.step.system.held[i], "vertex {i}");
            let mut touching = self.step.system.matrix.row(i).filter(|&(j, a)| j != i && a != 0.0);
            assert!(colour_of[i] == usize::MAX || touching.all(|(j, _)| colour_of[j] != colour_of[i]));
        }
    }

    fn check_direct(&mut self) {
        let mut r = self.field();
        r.iter_mut().zip(&self.step.system.held).filter(|(_, held)| **held).for_each(|(r, _)| *r = [R::ZERO; 4]);
        let mut z = r.clone();
        self.step.device.solve_direct(&mut self.step.problem, &r, &mut z).unwrap();
        let largest = z.iter().map(|z| Vec3::<f64>::of(wide(*z)).length()).fold(0.0, f64::max);
        // Its factor is the same for all three axes, so its contacts are: some number that no stiffness of them exceeds.
        let product = self.product_with(&z, |_| Mat3::ZERO);
        for i in (0..r.len()).filter(|&i| !self.step.system.held[i]) {
            let z = Vec3::<f64>::of(wide(z[i]));
            let left = Vec3::<f64>::of(wide(r[i])) - Vec3::load(product[i]);
            let stiffness = left.dot(z) / z.length_sq();
            let rounding = 1e-13 + self.rounding * largest;
            assert!((left - z * stiffness).length() < rounding, "the same for all axes");
            let (trace, slack) = (self.contact[i].trace(), rounding / z.length());
            // Of a push the trace is its stiffness, of friction twice that, and that may be rounded up to twice.
            assert!(stiffness > trace / 2.0 - slack && stiffness < 2.0 * trace + slack, "{stiffness} {trace}");
        }
    }

    /// B is symmetric, positive and at most A⁻¹: then a step z = B r never raises E, and Chebyshev knows its range.
    fn check_cycle(&mut self) {
        let free = |mut field: Vec<[R; 4]>, held: &[bool]| {
            field.iter_mut().zip(held).filter(|(_, held)| **held).for_each(|(r, _)| *r = [R::ZERO; 4]);
            field
        };
        let held = self.step.system.held.clone();
        let (r, s) = (free(self.field(), &held), free(self.field(), &held));
        let dot = |a: &[[R; 4]], b: &[[f64; 4]]| -> f64 {
            a.iter().zip(b).map(|(a, b)| Vec3::<f64>::of(wide(*a)).dot(Vec3::load(*b))).sum()
        };
        let of = |field: &[[R; 4]]| -> Vec<[f64; 4]> { field.iter().map(|x| x.map(Real::f64)).collect() };
        let (mut z, mut w) = (r.clone(), s.clone());
        self.step.device.cycle(&mut self.step.problem, &r, &mut z);
        self.step.device.cycle(&mut self.step.problem, &s, &mut w);
        let (z_r, z_s, w_r) = (dot(&z, &of(&r)), dot(&z, &of(&s)), dot(&w, &of(&r)));
        let rounding = 1e3 * R::EPSILON.f64();
        assert!((z_s - w_r).abs() < rounding * (z_r + z_s.abs()), "not symmetric: {z_s:e} and {w_r:e}");
        assert!(z_r > 0.0 || r.iter().all(|r| *r == [R::ZERO; 4]), "not positive: {z_r:e}");
        let z_a_z = dot(&z, &self.product(&z));
        assert!(z_a_z <= z_r * (1.0 + rounding), "overshoots: {z_a_z:e} and {z_r:e}");
        assert!(z.iter().zip(&held).all(|(z, held)| !held || *z == [R::ZERO; 4]), "a held vertex moves");
    }

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
        self.step.device.enforce(&mut self.step.problem, &mut x);
        let input = step_input(&self.step.model, self.state.time + H);
        for i in 0..x.len() {
            let mut at = Vec3::<R>::load(self.x[i]);
            if !self.step.system.held[i] {
                if let Some((_, target)) = input.targets.iter().find(|target| target.0 as usize == i) {
                    let share = 30.0 / (30.0 + self.step.system.inertia[i]);
                    at += (Vec3::of(*target) - at) * R::of(share);
                }
                for collider in input.colliders.iter().map(|collider| collider.cast::<R>()) {
                    let (d, n) = collider.distance(at);
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
        }
    }

    fn check_vectors(&mut self) {
        let (a, b) = (self.field(), self.field());
        let device = &mut self.step.device;
        device.dot(&a, &b, Slot(1));
        device.dot(&b, &b, Slot(2));
        let plain = |a: &[[R; 4]], b: &[[R; 4]]| -> f64 {
            a.iter().zip(b).map(|(a, b)| Vec3::<f64>::of(wide(*a)).dot(Vec3::of(wide(*b)))).sum()
        };
        let bound = 1e3 * R::EPSILON.f64() * plain(&b, &b);
        assert!((device.scalar(Slot(1)).unwrap() - plain(&a, &b)).abs() < bound);
        assert!((device.scalar(Slot(2)).unwrap() - plain(&b, &b)).abs() < bound);
        let ratio = device.scalar(Slot(1)).unwrap() / device.scalar(Slot(2)).unwrap();
        let zero = Slot(6);
        for (factor, value) in [
            (Factor::Value(0.75), 0.75),
            (Factor::Ratio(Slot(1), Slot(2)), ratio),
            (Factor::MinusRatio(Slot(1), Slot(2)), -ratio),
            (Factor::Ratio(Slot(1), zero), 0.0),
        ] {
            let value = R::of(value);
            let (mut y, mut w) = (b.clone(), b.clone());
            device.axpy(factor, &a, &mut y);
            device.xpay(&a, factor, &mut w);
            for i in 0..a.len() {
                let (a, b) = (Vec3::<R>::load(a[i]), Vec3::<R>::load(b[i]));
                assert_eq!(Vec3::load(y[i]), b + a * value);
                assert_eq!(Vec3::load(w[i]), a + b * value);
            }
        }
        device.copy_scalar(Slot(1), Slot(5));
        assert_eq!(device.scalar(Slot(5)).unwrap(), device.scalar(Slot(1)).unwrap());
        let mut copy = b.clone();
        device.copy(&a, &mut copy);
        assert_eq!(copy, a);
        device.clear(&mut copy);
        assert!(copy.iter().all(|p| *p == [R::ZERO; 4]));
    }

    /// x̃ = x + h v e^(−damping h) + h² g, held vertices at their targets; v = (x − x_prev)/h.
    fn check_step_ends(&mut self) {
        let model = self.step.model.clone();
        let targets = step_input(&model, self.state.time + H).targets;
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
        self.check_gradient();
        self.check_jacobi();
        self.check_multiply();
        self.check_gauss_seidel();
        self.check_direct();
        self.check_cycle();
        self.check_constraints();
        self.check_enforce();
        self.check_vectors();
        self.check_step_ends();
    }
}

#[test]
fn every_verb_does_what_it_says_on_random_models() {
    for seed in 0..3 {
        Bench::<f64>::new(random_model(200, seed, false)).check_all();
        Bench::<f32>::new(random_model(200, seed, false)).check_all();
    }
}

#[test]
fn every_verb_does_what_it_says_with_collapsed_springs_and_flat_tets() {
    for seed in 10..13 {
        Bench::<f64>::new(random_model(200, seed, true)).check_all();
        Bench::<f32>::new(random_model(200, seed, true)).check_all();
    }
}

#[test]
fn every_verb_does_what_it_says_at_the_edges_of_blocks_and_chunks() {
    for n in [1, 2, 7, 8, 9, 16, 17] {
        Bench::<f64>::new(random_model(n, n as u64, false)).check_all();
        Bench::<f32>::new(random_model(n, n as u64, false)).check_all();
    }
    for n in [1023, 1024, 1025] {
        let mut bench = Bench::<f64>::new(random_model(n, n as u64, false));
        bench.check_gradient();
        bench.check_multiply();
        bench.check_gauss_seidel();
        bench.check_enforce();
        bench.check_vectors();
        bench.check_step_ends();
    }
}

#[test]
fn verbs_hold_on_a_hundred_thousand_vertices() {
    let text = "[[cloth]]\nresolution = [401, 250]\njitter = \"1 mm\"\nstretch_stiffness = 100\n[[pin]]\ncorners = [\"-x-z\"]\n[[collider]]\nshape = \"sphere\"\nradius = 0.3\nposition = [0, -0.29, 0]";
    let (model, state) = build(&scene(text));
    assert_eq!(model.vertices(), 100_250);
    let mut bench = Bench::<f32>::new((model.clone(), state.clone()));
    bench.check_gradient();
    bench.check_enforce();
    let mut bench = Bench::<f64>::new((model, state));
    bench.check_gradient();
    bench.check_multiply();
    bench.check_vectors();
}

/// All results of all verbs, hashed.
fn fingerprint<R: Real>(n: usize) -> u64 {
    let mut bench = Bench::<R>::new(random_model(n, 1, true));
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut note = |points: &[[R; 4]]| {
        for c in points.iter().flatten() {
            hash = (hash ^ c.f64().to_bits()).wrapping_mul(0x0100_0000_01b3);
        }
    };
    let (mut a, mut z) = (bench.gradient(), bench.field());
    note(&a);
    let Bench { step: Step { device, problem, .. }, x, .. } = &mut bench;
    device.jacobi(problem, x, &mut z, &[Blend { omega: 1.5, under_relaxation: 0.9 }; 2], Some(Slot(0)));
    note(&z);
    device.multiply(problem, &a.clone(), &mut z);
    note(&z);
    for colour in 0..device.colours(problem) {
        device.gauss_seidel(problem, colour, 1.0, &a, &mut z);
    }
    note(&z);
    device.constrain_jacobi(problem, 0.3, x, &mut z);
    note(&z);
    for colour in 0..device.constraint_colours(problem) {
        device.constrain_colour(problem, colour, true, &mut z);
    }
    device.enforce(problem, &mut z);
    note(&z);
    device.dot(&z, &z, Slot(1));
    device.dot(&a, &z, Slot(2));
    device.axpy(Factor::Ratio(Slot(2), Slot(1)), &z, &mut a);
    note(&a);
    let residual = device.scalar(Slot(0)).unwrap();
    let energy = device.objective(problem, x).unwrap();
    hash ^ residual.to_bits().rotate_left(7) ^ energy.to_bits().rotate_left(13)
}

#[test]
fn bits_do_not_depend_on_the_number_of_threads() {
    let hashes = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| [fingerprint::<f32>(300), fingerprint::<f32>(9000), fingerprint::<f64>(9000)])
    };
    let one = hashes(1);
    for threads in [2, 3] {
        assert_eq!(hashes(threads), one, "{threads} threads");
    }
}
