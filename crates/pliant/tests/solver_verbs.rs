//! The verbs of the CPU device on fields, forces and the matrix, in both precisions, against a slow and plain way to say the
//! same. Those of contacts and constraints are in `solver_contact_verbs.rs`.

mod support;
#[path = "support/verbs.rs"]
mod verbs;

use pliant::device::{Blend, Device, Factor, Slot};
use pliant::math::{Fnv, Mat3, Real, Vec3};
use support::*;
use verbs::*;

impl<R: Real> Bench<R> {
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
        let (mut plain, mut swept, mut sum) = (before.clone(), before.clone(), 0.0);
        for i in 0..g.len() {
            let held = self.step.system.held[i];
            let divided = if held { Vec3::ZERO } else { self.divided(i, Vec3::of(wide(g[i]))) };
            let error = (divided - Vec3::of(wide(z[i]))).length();
            // Factors cancel by as much as a contact is stiffer than the rest.
            let contact = self.contact[i].trace() / self.step.system.matrix.diagonal()[i];
            let bound = (8.0 + 32.0 * contact) * R::EPSILON.f64() * divided.length();
            assert!(error <= bound, "divide_by_diagonal {i}: {error:e} {bound:e}");
            let (x, x_before) = (Vec3::<f64>::of(wide(self.x[i])), Vec3::<f64>::of(wide(before[i])));
            let x_hat = x - divided;
            let next = ((x_hat - x) * blend.under_relaxation + x - x_before) * blend.omega + x_before;
            plain[i] = Vec3::<R>::of(next.f64()).store();
            // Across contacts there is no momentum.
            let push = self.pushes[i];
            let row = |r: usize| (0..3).map(|c| push.at(r, c).abs()).sum::<f64>();
            let stiffness = (0..3).map(row).fold(f64::MIN_POSITIVE, f64::max);
            swept[i] = Vec3::<R>::of((next - push * (next - x_hat) / stiffness).f64()).store();
            sum += divided.dot(Vec3::of(wide(g[i])));
        }
        assert!(distance(&fused, &swept) < 64.0 * R::EPSILON.f64(), "jacobi: {:e}", distance(&fused, &swept));
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

    /// Vertices of one colour go where a Jacobi sweep with γ = ω would put them, all others stay.
    fn check_relax(&mut self) {
        let (mut x, n) = (self.x.clone(), self.x.len());
        let mut seen = vec![false; n];
        let mut sum = 0.0;
        let colours = self.step.device.colours(&mut self.step.problem);
        for colour in 0..colours {
            let (before, mut swept, mut next) = (x.clone(), x.clone(), x.clone());
            let blend = Blend { omega: 1.0, under_relaxation: 1.7 };
            self.step.device.jacobi(&mut self.step.problem, &mut swept, &mut next, &[blend], None);
            self.step.device.relax(&mut self.step.problem, colour, 1.7, &mut x, Some(Slot(4)));
            let mut g = before.clone();
            self.step.device.gradient(&mut self.step.problem, &before, &mut g);
            let mut z = g.clone();
            self.step.device.divide_by_diagonal(&self.step.problem, &g, &mut z);
            for i in (0..n).filter(|&i| x[i] != before[i]) {
                assert!(!seen[i], "vertex {i} has two colours");
                seen[i] = true;
                let error = (Vec3::<f64>::of(wide(x[i])) - Vec3::of(wide(swept[i]))).length();
                let far = 1.0 + Vec3::<f64>::of(wide(swept[i])).length();
                assert!(error < 1e3 * R::EPSILON.f64() * far, "vertex {i}: {error:e}");
                sum += Vec3::<f64>::of(wide(g[i])).dot(Vec3::of(wide(z[i])));
            }
        }
        assert!((0..n).all(|i| seen[i] != self.step.system.held[i]));
        let residual = self.step.device.scalar(Slot(4)).unwrap();
        assert!((residual - sum).abs() <= 1e3 * R::EPSILON.f64() * sum, "residual: {residual} {sum}");
    }

    fn check_direct(&mut self) {
        let mut r = self.field();
        r.iter_mut().zip(&self.step.system.held).filter(|(_, held)| **held).for_each(|(r, _)| *r = [R::ZERO; 4]);
        let mut z = r.clone();
        self.step.device.solve_direct(&mut self.step.problem, &r, &mut z).unwrap();
        let largest = z.iter().map(|z| Vec3::<f64>::of(wide(*z)).length()).fold(0.0, f64::max);
        // Its factor is the same for all three axes, so its contacts are: some number that no stiffness of them exceeds.
        let product = self.product_with(&z, |_| Mat3::ZERO);
        let grips = self.step.potential().grips;
        for i in (0..r.len()).filter(|&i| !self.step.system.held[i]) {
            let z = Vec3::<f64>::of(wide(z[i]));
            let left = Vec3::<f64>::of(wide(r[i])) - Vec3::load(product[i]);
            let stiffness = left.dot(z) / z.length_sq();
            let rounding = 1e-13 + self.rounding * largest;
            assert!((left - z * stiffness).length() < rounding, "the same for all axes");
            let (trace, slack) = (self.contact[i].trace(), rounding / z.length());
            // What was about to touch when the step began counts, too, whether it does at x or not.
            let expected = grips[i].normal.length_sq() * self.step.system.contact_stiffness[i];
            // Of a push the trace is its stiffness, of friction twice that, and that may be rounded up to twice.
            let most = 2.0 * (trace + expected);
            assert!(stiffness > trace / 2.0 - slack && stiffness < most + slack, "{stiffness} {trace} {expected}");
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

    fn check_all(&mut self) {
        self.check_gradient();
        self.check_jacobi();
        self.check_multiply();
        self.check_gauss_seidel();
        self.check_direct();
        self.check_cycle();
        self.check_vectors();
        // Last: it leaves the contacts of other positions behind.
        self.check_relax();
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
        bench.check_gradient();
        bench.check_multiply();
        bench.check_gauss_seidel();
        bench.check_relax();
        bench.check_vectors();
    });
}

#[test]
fn verbs_hold_on_a_hundred_thousand_vertices() {
    Bench::<f32>::new(large_sheet()).check_gradient();
    let mut bench = Bench::<f64>::new(large_sheet());
    bench.check_gradient();
    bench.check_multiply();
    bench.check_vectors();
}

/// All results of all verbs, hashed.
fn fingerprint<R: Real>(n: usize) -> u64 {
    let mut bench = Bench::<R>::new(random_model(n, 1, true));
    let mut hash = Fnv::default();
    let mut note = |points: &[[R; 4]]| hash.add(points.iter().flatten().flat_map(|c| c.f64().to_bits().to_le_bytes()));
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
    let [mut first, mut second] = [z.clone(), z.clone()];
    device.enforce(problem, &mut z, [&mut first, &mut second]);
    note(&z);
    device.dot(&z, &z, Slot(1));
    device.dot(&a, &z, Slot(2));
    device.axpy(Factor::Ratio(Slot(2), Slot(1)), &z, &mut a);
    note(&a);
    let residual = device.scalar(Slot(0)).unwrap();
    let energy = device.objective(problem, x).unwrap();
    hash.value() ^ residual.to_bits().rotate_left(7) ^ energy.to_bits().rotate_left(13)
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
