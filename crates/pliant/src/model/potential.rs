//! The objective, the incremental potential of implicit Euler (course eq 12 and 31, with pins and contacts; those between
//! bodies have the same two terms, see [`crate::contact::close::Touch`]):
//!
//! E(x) = Σᵢ mᵢ/(2h²) ‖xᵢ − x̃ᵢ‖² + Σ_c Ψ_c(x) + Σ pins k/2 ‖x − t‖² + Σ contacts κ/2 min(0, d(x) − δ)² + friction
//!
//! and with Rayleigh damping 1/(2h) (x − xₙ)ᵀ (a M + b K) (x − xₙ), whose first part is in m and x̃ ([`super::Viscous`]); all
//! in `f64`, whatever the device computes in: this is what every reported energy, gradient norm and relative error is
//! measured with. Exactly held vertices are constants of the problem: their gradient is zero.

use super::conversion::set_shares;
use super::{Model, System, Viscous};
use crate::contact::close::Touch;
use crate::contact::{Grip, PosedCollider};
use crate::material::Elements;
use crate::math::{Mat3, Real, Vec3};
use rayon::prelude::*;
use std::cell::RefCell;
use std::sync::Arc;

/// The incremental potential of one step.
#[derive(Clone, Debug)]
pub struct Potential {
    model: Arc<Model>,
    system: Arc<System>,
    /// The elements of the model as far as they are converted or pulled straight; `None` while none is.
    converted: Option<Vec<Elements<f64>>>,
    /// Inertial target, m.
    pub x_tilde: Vec<[f64; 4]>,
    /// Targets of the pins that are springs: vertex, target, stiffness.
    pub spring_pins: Vec<(u32, [f64; 3], f64)>,
    /// Colliders at the end of the step.
    pub colliders: Vec<PosedCollider<f64>>,
    /// Friction of each vertex, and the face that it lies on; empty without colliders.
    pub grips: Vec<Grip<f64>>,
    /// Damping that couples vertices.
    pub viscous: Option<Viscous<f64>>,
    /// Contacts between bodies.
    touches: Vec<Touch<f64>>,
    /// Stiffness of these at each vertex with their friction at most, N/m; empty if there are none.
    touch_bound: Vec<f64>,
}

/// Which Hessian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curvature {
    /// Exact for contacts and for most elements ([`crate::material::Energy::hessian_exact`]), projected for the others:
    /// what converges fast near a minimum. May be indefinite.
    Exact,
    /// Every element's part is positive semi-definite.
    Projected,
    /// What `Projected` is more than `Exact`.
    Excess,
}

/// Elements or vertices per task; fixed, so that sums do not depend on the number of threads.
const CHUNK: usize = 2048;

// Scratch that lives as long as the thread: certificates are measured in every step, and a step allocates nothing.
thread_local! {
    static SLOTS: RefCell<Vec<[f64; 4]>> = const { RefCell::new(Vec::new()) };
    static PARTS: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
}

impl Potential {
    /// For a model at one step size; set the fields before each step.
    pub fn new(model: Arc<Model>, system: Arc<System>) -> Self {
        let n = model.vertices();
        let (spring_pins, colliders, grips) = (Vec::new(), Vec::new(), Vec::new());
        let (touches, touch_bound, converted, viscous) = (Vec::new(), Vec::new(), None, None);
        let x_tilde = vec![[0.0; 4]; n];
        Self { model, system, converted, x_tilde, spring_pins, colliders, grips, viscous, touches, touch_bound }
    }

    /// The elements, each as far converted as it is in this step, or pulled straight.
    pub fn elements(&self) -> &[Elements<f64>] {
        self.converted.as_ref().unwrap_or(&self.model.elements)
    }

    /// Takes over the conversion of the elements from another potential of the same model.
    pub fn convert_like(&mut self, other: &Self) {
        self.converted.clone_from(&other.converted);
    }

    /// Replaces the conversion of the elements, see [`super::Conversion::shares`], and which of each batch are pulled straight, see
    /// [`super::Unwinding`].
    pub fn convert<'a>(&mut self, shares: &[f64], pulled: impl Iterator<Item = &'a [(u32, Mat3<f64>)]> + Clone) {
        if shares.iter().all(|share| *share == 0.0) && pulled.clone().all(<[_]>::is_empty) {
            self.converted = None;
            return;
        }
        let elements = self.converted.get_or_insert_with(|| self.model.elements.clone());
        set_shares(elements, shares);
        elements.iter_mut().zip(pulled).for_each(|(elements, pulled)| elements.set_pulled(pulled.to_vec()));
    }

    /// Replaces the contacts between bodies.
    pub fn set_touches(&mut self, touches: impl Iterator<Item = Touch<f64>>) {
        self.touches.clear();
        self.touches.extend(touches);
        self.touch_bound.clear();
        if self.touches.is_empty() {
            return;
        }
        self.touch_bound.resize(self.x_tilde.len(), 0.0);
        for touch in &self.touches {
            let friction = if touch.limit > 0.0 { touch.limit / touch.sticking } else { 0.0 };
            let free = |(i, _): &(u32, f64)| !self.system.held[*i as usize];
            for (i, weight) in touch.stencil.into_iter().zip(touch.weight).filter(free) {
                self.touch_bound[i as usize] += weight.abs() * touch.spread * touch.stiffness.max(friction);
            }
        }
    }

    /// Contacts between bodies.
    pub fn touches(&self) -> &[Touch<f64>] {
        &self.touches
    }

    /// The model this is about.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The matrix and stiffnesses at this step size.
    pub fn system(&self) -> &Arc<System> {
        &self.system
    }

    /// The part of E(x) that is the distance from the inertial target, J.
    pub fn inertia_value(&self, x: &[[f64; 4]]) -> f64 {
        let inertia = &self.system.inertia;
        let own = |i: usize| 0.5 * inertia[i] * offset(x[i], self.x_tilde[i]).length_sq();
        chunked_sum(x.len(), |range| range.map(own).sum())
    }

    /// E(x), J.
    pub fn value(&self, x: &[[f64; 4]]) -> f64 {
        let elastic: f64 = self
            .elements()
            .iter()
            .map(|elements| {
                let batch = elements.view();
                chunked_sum(batch.len(), |range| batch.value_range(range, x))
            })
            .sum();
        let inertia = &self.system.inertia;
        let own = chunked_sum(x.len(), |range| {
            range
                .map(|i| 0.5 * inertia[i] * offset(x[i], self.x_tilde[i]).length_sq() + self.contact_value(i, x[i]))
                .sum()
        });
        let pins: f64 = self
            .spring_pins
            .iter()
            .map(|(i, target, stiffness)| {
                0.5 * stiffness * (Vec3::load(x[*i as usize]) - Vec3::of(*target)).length_sq()
            })
            .sum();
        let touches = chunked_sum(self.touches.len(), |range| self.touches[range].iter().map(|t| t.value(x)).sum());
        let viscous = |viscous: &Viscous<f64>| chunked_sum(x.len(), |range| range.map(|i| viscous.value(i, x)).sum());
        elastic + own + pins + touches + self.viscous.as_ref().map_or(0.0, viscous)
    }

    fn contact_value(&self, i: usize, x: [f64; 4]) -> f64 {
        let push: f64 =
            self.contacts(i, x).map(|contact| 0.5 * contact.stiffness * contact.depth * contact.depth).sum();
        push + self.grip(i).map_or(0.0, |grip| grip.value(Vec3::load(x)))
    }

    fn grip(&self, i: usize) -> Option<&Grip<f64>> {
        self.grips.get(i).filter(|grip| grip.limit > 0.0)
    }

    /// Stiffness of a contact of a vertex with its friction at most, N/m.
    pub fn contact_bound(&self, i: usize) -> f64 {
        let friction = self.grip(i).map_or(0.0, |grip| grip.limit / grip.sticking);
        self.system.contact_stiffness[i] + friction + self.touch_bound.get(i).copied().unwrap_or(0.0)
    }

    /// Active contacts of a vertex.
    fn contacts(&self, i: usize, x: [f64; 4]) -> impl Iterator<Item = Contact<'_>> + '_ {
        let (thickness, stiffness) = (self.model.thickness[i], self.system.contact_stiffness[i]);
        let (free, grip) = (!self.system.held[i], self.grips.get(i).copied().unwrap_or(Grip::NONE));
        self.colliders.iter().enumerate().filter_map(move |(k, collider)| {
            let (d, normal) = grip.distance(k, collider, Vec3::load(x));
            let curved = (grip.face != Some(k as u32)).then_some(collider);
            (free && d < thickness).then_some(Contact { curved, depth: thickness - d, normal, stiffness })
        })
    }

    /// ∇E(x), N; zero for held vertices.
    pub fn gradient(&self, x: &[[f64; 4]], gradient: &mut Vec<[f64; 4]>) {
        gradient.clear();
        gradient.extend((0..x.len()).map(|i| {
            let contact: Vec3<f64> =
                self.contacts(i, x[i]).fold(Vec3::ZERO, |sum, c| sum - c.normal * (c.stiffness * c.depth));
            let friction = self.grip(i).map_or(Vec3::ZERO, |grip| grip.gradient(Vec3::load(x[i])).0);
            (offset(x[i], self.x_tilde[i]) * self.system.inertia[i] + contact + friction).store()
        }));
        if let Some(viscous) = &self.viscous {
            gradient.par_iter_mut().enumerate().for_each(|(i, g)| add(g, viscous.gradient(i, x)));
        }
        for (i, target, stiffness) in &self.spring_pins {
            let pull = (Vec3::load(x[*i as usize]) - Vec3::of(*target)) * *stiffness;
            add(&mut gradient[*i as usize], pull);
        }
        for elements in self.elements() {
            let batch = elements.view();
            let arity = batch.arity();
            // Taken, not borrowed: while a thread waits for rayon it may be given another simulation's work.
            let mut slots = SLOTS.take();
            slots.resize(batch.len() * arity, [0.0; 4]);
            slots.par_chunks_mut(CHUNK * arity).enumerate().for_each(|(k, slots)| {
                batch.gradient_range(k * CHUNK..k * CHUNK + slots.len() / arity, x, slots);
            });
            for (force, &i) in slots.iter().zip(batch.stencils()) {
                add(&mut gradient[i as usize], Vec3::load(*force));
            }
            SLOTS.set(slots);
        }
        for touch in &self.touches {
            let force = touch.feel(x).force;
            touch.stencil.into_iter().zip(touch.weight).for_each(|(i, w)| add(&mut gradient[i as usize], force * w));
        }
        gradient.iter_mut().zip(&self.system.held).filter(|(_, held)| **held).for_each(|(g, _)| *g = [0.0; 4]);
    }

    /// Blocks of ∇²E(x), inertia included, N/m: calls `f(row, column, block)`; several calls for one place add up. Held
    /// vertices are left out.
    pub fn hessian(&self, x: &[[f64; 4]], curvature: Curvature, f: &mut dyn FnMut(u32, u32, Mat3<f64>)) {
        let held = &self.system.held;
        for i in (0..x.len()).filter(|&i| !held[i]) {
            let contact =
                self.contacts(i, x[i]).fold(Mat3::ZERO, |sum, contact| sum + contact.hessian(curvature, x[i]));
            if curvature == Curvature::Excess {
                f(i as u32, i as u32, contact);
                continue;
            }
            let friction = self.grip(i).map_or(Mat3::ZERO, |grip| grip.hessian(Vec3::load(x[i])));
            f(i as u32, i as u32, Mat3::scalar(self.system.inertia[i]) + contact + friction);
        }
        let pins = self.spring_pins.iter().filter(|pin| curvature != Curvature::Excess && !held[pin.0 as usize]);
        for (i, _, stiffness) in pins {
            f(*i, *i, Mat3::scalar(*stiffness));
        }
        // As it is frozen, so there is no difference between exact and projected.
        for viscous in self.viscous.iter().filter(|_| curvature != Curvature::Excess) {
            for i in (0..x.len()).filter(|i| !held[*i]) {
                viscous.hessian(i).filter(|(j, _)| !held[*j as usize]).for_each(|(j, block)| f(i as u32, j, block));
            }
        }
        // Their normals are frozen, so there is no difference between exact and projected.
        for touch in self.touches.iter().filter(|_| curvature != Curvature::Excess) {
            let Some(hessian) = touch.hessian(x) else { continue };
            let corners = || touch.stencil.into_iter().zip(touch.weight).filter(|(i, _)| !held[*i as usize]);
            for ((i, a), (j, b)) in corners().flat_map(|first| corners().map(move |second| (first, second))) {
                f(i, j, hessian * (a * b));
            }
        }
        for elements in self.elements() {
            let mut add = |row: u32, column: u32, block| {
                if !held[row as usize] && !held[column as usize] {
                    f(row, column, block);
                }
            };
            let batch = elements.view();
            for c in 0..batch.len() {
                let stencil = batch.stencil(c);
                let mut add = |i: usize, j: usize, block| add(stencil[i], stencil[j], block);
                match curvature {
                    Curvature::Exact => batch.exact_hessian_blocks(c, x, &mut add),
                    Curvature::Projected => batch.hessian_blocks(c, x, &mut add),
                    Curvature::Excess => batch.excess_hessian_blocks(c, x, &mut add),
                }
            }
        }
    }
}

struct Contact<'a> {
    /// The collider, unless the plane of one of its faces counts.
    curved: Option<&'a PosedCollider<f64>>,
    depth: f64,
    normal: Vec3<f64>,
    stiffness: f64,
}

impl Contact<'_> {
    /// ∇²(κ/2 depth²) = κ n nᵀ − κ depth ∂n/∂x; around a convex collider the second part is negative.
    fn hessian(&self, curvature: Curvature, x: [f64; 4]) -> Mat3<f64> {
        let across = self.normal.outer(self.normal) * self.stiffness;
        let curved = || match self.curved {
            Some(collider) => collider.curvature(Vec3::load(x)) * (self.stiffness * self.depth),
            None => Mat3::ZERO,
        };
        match curvature {
            Curvature::Projected => across,
            Curvature::Exact => across - curved(),
            Curvature::Excess => curved(),
        }
    }
}

/// x − x̃
#[inline(always)]
fn offset(x: [f64; 4], x_tilde: [f64; 4]) -> Vec3<f64> {
    Vec3::load(x) - Vec3::load(x_tilde)
}

#[inline(always)]
fn add<R: Real>(to: &mut [R; 4], v: Vec3<R>) {
    *to = (Vec3::load(*to) + v).store();
}

/// Σ over `0..n` in parallel chunks, added in order.
fn chunked_sum(n: usize, f: impl Fn(std::ops::Range<usize>) -> f64 + Sync) -> f64 {
    let chunks = n.div_ceil(CHUNK);
    if chunks <= 1 {
        return f(0..n);
    }
    let mut parts = PARTS.take();
    parts.resize(chunks, 0.0);
    let each = parts.par_iter_mut().enumerate();
    each.for_each(|(k, part)| *part = f(k * CHUNK..((k + 1) * CHUNK).min(n)));
    let sum = parts.iter().sum();
    PARTS.set(parts);
    sum
}
