//! Random models for tests of verbs, with a slow twin of everything the device knows.
#![allow(dead_code)]

use crate::support::*;
use pliant::device::Device;
use pliant::material::{ArapTet, Batch, Elements, QuadraticBending};
use pliant::math::{Mat3, Real, Vec3};
use pliant::model::{Model, ModelBuilder, Pin, State};
use pliant::step::step_input;
use std::sync::Arc;

/// Step size, s.
pub const H: f64 = 1.0 / 60.0;

/// Random points, springs between near indices, hinges, tets, pins of both kinds and two colliders; `spoil` collapses
/// springs and flattens tets.
pub fn random_model(n: usize, seed: u64, spoil: bool) -> (Arc<Model>, State) {
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
pub struct Bench<R: Real> {
    pub step: Step<R>,
    pub state: State,
    pub x: Vec<[R; 4]>,
    /// Of active contacts, and with their friction, N/m.
    pub pushes: Vec<Mat3<f64>>,
    pub contact: Vec<Mat3<f64>>,
    /// What rounding in `R` makes of a force here, N.
    pub rounding: f64,
    random: Random,
}

impl<R: Real> Bench<R> {
    pub fn new((model, state): (Arc<Model>, State)) -> Self {
        let mut step = Step::<R>::new(&model, &state, H);
        let mut random = Random(5);
        let mut x = step.x.clone();
        for (i, x) in x.iter_mut().enumerate() {
            // Some points stay exactly where they are, so that collapsed springs stay collapsed.
            if i % 3 == 0 && !step.system.held[i] {
                *x = (Vec3::load(*x) + Vec3::of(random.point()) * R::of(0.1)).store();
            }
        }
        let colliders = step_input(&model, state.time + H, H).colliders;
        let grips = step.potential().grips;
        assert!(x.len() < 100 || grips.iter().any(|grip| grip.limit > 0.0), "somebody feels friction");
        let system = &step.system;
        let push = |i: usize| {
            let (at, kappa, grip) = (Vec3::load(x[i]), system.contact_stiffness[i], grips.get(i));
            let (grip, thickness) = (grip.copied().unwrap_or_default().cast::<R>(), R::of(model.thickness[i]));
            let mut sum = Mat3::ZERO;
            for (k, collider) in colliders.iter().map(|collider| collider.cast::<R>()).enumerate() {
                let (d, normal) = grip.distance(k, &collider, at);
                let normal: Vec3<f64> = normal.cast();
                let touches = d < thickness && !system.held[i];
                sum += normal.outer(normal) * if touches { kappa } else { 0.0 };
            }
            sum
        };
        let pushes: Vec<Mat3<f64>> = (0..x.len()).map(push).collect();
        let block = |i: usize| {
            let (grip, moved) = (grips[i], Vec3::load(x[i]).cast() - grips[i].anchor);
            let across = Mat3::IDENTITY - grip.normal.outer(grip.normal);
            pushes[i] + across * (grip.limit / (across * moved).length().max(grip.sticking))
        };
        let contact: Vec<Mat3<f64>> = (0..x.len()).map(block).collect();
        let stiffest = system.matrix.diagonal().iter().zip(&contact).map(|(d, c)| d + c.trace()).fold(0.0, f64::max);
        // The stiffness of friction is as wrong as the slip below it, a small difference of positions.
        let blurred = |i: usize| {
            let (grip, at) = (grips[i], Vec3::load(x[i]).cast());
            let slip = (at - grip.anchor).length().max(grip.sticking);
            if grip.limit > 0.0 { contact[i].trace() * at.length() / slip } else { 0.0 }
        };
        let blurred = (0..x.len()).map(blurred).fold(0.0, f64::max);
        let rounding = 8.0 * R::EPSILON.f64() * stiffest + R::EPSILON.f64() * blurred;
        // The verbs below use the contacts of the last gradient.
        let mut g = x.clone();
        step.device.gradient(&mut step.problem, &x, &mut g);
        Self { step, state, x, pushes, contact, rounding, random }
    }

    pub fn field(&mut self) -> Vec<[R; 4]> {
        (0..self.x.len()).map(|_| Vec3::<R>::of(self.random.point()).store()).collect()
    }

    /// D⁻¹ r of a vertex.
    pub fn divided(&self, i: usize, r: Vec3<f64>) -> Vec3<f64> {
        let diagonal = Mat3::scalar(self.step.system.matrix.diagonal()[i]) + self.contact[i];
        diagonal.inverse().unwrap() * r
    }

    pub fn gradient(&mut self) -> Vec<[R; 4]> {
        let mut g = self.x.clone();
        self.step.device.gradient(&mut self.step.problem, &self.x, &mut g);
        g
    }

    /// A p, entry by entry in `f64`.
    pub fn product(&self, p: &[[R; 4]]) -> Vec<[f64; 4]> {
        self.product_with(p, |contact| contact)
    }

    pub fn product_with(&self, p: &[[R; 4]], contact: impl Fn(Mat3<f64>) -> Mat3<f64>) -> Vec<[f64; 4]> {
        let matrix = &self.step.system.matrix;
        let row = |i: usize| {
            let own = contact(self.contact[i]) * Vec3::<f64>::of(wide(p[i]));
            matrix.row(i).fold(own, |sum, (j, a)| sum + Vec3::of(wide(p[j])) * a).store()
        };
        (0..p.len()).map(row).collect()
    }
}

/// Size, seed, and whether it is spoilt.
pub type Case = (usize, u64, bool);
pub const SOUND: [Case; 3] = [(200, 0, false), (200, 1, false), (200, 2, false)];
pub const SPOILT: [Case; 3] = [(200, 10, true), (200, 11, true), (200, 12, true)];
/// Sizes around those of blocks.
pub const EDGES: [Case; 7] =
    [(1, 1, false), (2, 2, false), (7, 7, false), (8, 8, false), (9, 9, false), (16, 16, false), (17, 17, false)];

/// Lets checks look at random models in both precisions.
pub fn on_models(cases: &[Case], double: fn(&mut Bench<f64>), single: fn(&mut Bench<f32>)) {
    for &(n, seed, spoil) in cases {
        double(&mut Bench::new(random_model(n, seed, spoil)));
        single(&mut Bench::new(random_model(n, seed, spoil)));
    }
}

/// A random model at the edges of chunks.
pub fn at_edges_of_chunks(check: fn(&mut Bench<f64>)) {
    for n in [1023, 1024, 1025] {
        check(&mut Bench::new(random_model(n, n as u64, false)));
    }
}

/// A sheet of a hundred thousand vertices on a ball.
pub fn large_sheet() -> (Arc<Model>, State) {
    let text = "[[cloth]]\nresolution = [401, 250]\njitter = \"1 mm\"\nstretch_stiffness = 100\n[[pin]]\ncorners = [\"-x-z\"]\n[[collider]]\nshape = \"sphere\"\nradius = 0.3\nposition = [0, -0.29, 0]";
    let (model, state) = build(&scene(text));
    assert_eq!(model.vertices(), 100_250);
    (model, state)
}
