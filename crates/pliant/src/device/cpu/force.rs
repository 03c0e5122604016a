//! ∇E on the CPU, eight vertices at a time, and the sweeps that are fused with it.

use super::parallel::{CHUNK, for_chunks, sum_chunks};
use super::problem::{CpuProblem, Slotted};
use super::rows::{Lanes, Rows};
use super::touching::{Sum, Touching};
use crate::contact::{Grip, PosedCollider, covered, without_momentum};
use crate::device::Blend;
use crate::material::Elements;
use crate::math::{LANES, Real, Sym3, Vec3, Wide};
use crate::model::Viscous;
use rayon::prelude::*;
use std::ops::Range;

/// What the gradient of a vertex needs, borrowed from a problem.
pub(super) struct Force<'a, R> {
    rows: &'a Rows<R>,
    pub slotted: &'a Slotted<R>,
    pub inertia: &'a [R],
    pub x_pull: &'a [[R; 4]],
    pub colliders: &'a [PosedCollider<R>],
    /// If there is any.
    pub viscous: Option<&'a Viscous<R>>,
    /// If there are any.
    touching: Option<&'a Touching<R>>,
    /// Something may touch something.
    pub has_contacts: bool,
    /// Empty without colliders.
    grips: &'a [Grip<R>],
    thickness: &'a [R],
    contact_stiffness: &'a [R],
    pub diagonal: &'a [R],
    pub inv_diagonal: &'a [R],
}

impl<'a, R: Real> Force<'a, R> {
    pub fn of(problem: &'a CpuProblem<R>) -> Self {
        Self {
            rows: &problem.rows,
            slotted: &problem.slotted,
            inertia: &problem.inertia,
            x_pull: &problem.x_pull,
            colliders: &problem.colliders,
            viscous: problem.viscous.as_ref(),
            touching: (!problem.touching.is_empty()).then_some(&problem.touching),
            has_contacts: problem.has_contacts(),
            grips: &problem.grips,
            thickness: &problem.thickness,
            contact_stiffness: &problem.contact_stiffness,
            diagonal: &problem.diagonal,
            inv_diagonal: &problem.inv_diagonal,
        }
    }

    /// ∇E of a block of vertices at `xi`; `touch` gets the lane of each vertex and what its active contacts and
    /// their friction add to the Hessian, N/m.
    #[inline(always)]
    fn block(
        &self,
        b: usize,
        x: &[[R; 4]],
        xi: [R::Wide; 3],
        touch: &mut impl FnMut(usize, Sym3<R>, Sym3<R>),
    ) -> [R::Wide; 3] {
        let first = b * LANES;
        let count = LANES.min(x.len() - first);
        let target = load::<R>(self.x_pull, first);
        let inertia = R::Wide::new(lanes(self.inertia, first));
        let forces = self.rows.block(b, x, xi);
        let mut g: [R::Wide; 3] = std::array::from_fn(|k| inertia * (xi[k] - target[k]) + forces[k]);
        if !self.slotted.item.is_empty() || self.has_contacts || self.viscous.is_some() {
            let mut sum = g.map(Wide::lanes);
            self.add_slots(first, count, &mut sum);
            if let Some(viscous) = self.viscous {
                self.add_viscous(viscous, first..first + count, x, &mut sum);
            }
            if self.has_contacts {
                self.add_contacts(first, x, &mut sum, touch);
            }
            g = sum.map(R::Wide::new);
        }
        g
    }

    #[inline(always)]
    fn add_slots(&self, first: usize, count: usize, g: &mut [Lanes<R>; 3]) {
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
    fn add_viscous(&self, viscous: &Viscous<R>, block: Range<usize>, x: &[[R; 4]], g: &mut [Lanes<R>; 3]) {
        for (l, i) in block.enumerate().filter(|(_, i)| self.inv_diagonal[*i] > R::ZERO) {
            let force = viscous.gradient(i, x);
            (0..3).for_each(|k| g[k][l] += force[k]);
        }
    }

    #[inline(never)]
    fn add_contacts(
        &self,
        first: usize,
        x: &[[R; 4]],
        g: &mut [Lanes<R>; 3],
        touch: &mut impl FnMut(usize, Sym3<R>, Sym3<R>),
    ) {
        for (l, i) in (first..x.len().min(first + LANES)).enumerate() {
            let Some((force, push, friction)) = self.contacts(i, Vec3::load(x[i])) else { continue };
            for k in 0..3 {
                g[k][l] += force[k];
            }
            touch(l, push, friction);
        }
    }

    /// What the contacts of a vertex at `x` add to its gradient, N, and what they and their friction add to the Hessian, N/m;
    /// `None` for held vertices. Those between bodies are as they were where all were looked at last.
    #[inline]
    pub fn contacts(&self, i: usize, x: Vec3<R>) -> Option<(Vec3<R>, Sym3<R>, Sym3<R>)> {
        self.contacts_with(i, x, |touching| touching.at(i))
    }

    /// The same where those between bodies are looked at for this vertex alone.
    #[inline]
    pub fn contacts_now(&self, i: usize, x: &[[R; 4]]) -> Option<(Vec3<R>, Sym3<R>, Sym3<R>)> {
        self.contacts_with(i, Vec3::load(x[i]), |touching| touching.look_at(i, x))
    }

    #[inline(always)]
    fn contacts_with(
        &self,
        i: usize,
        x: Vec3<R>,
        bodies: impl Fn(&Touching<R>) -> Sum<R>,
    ) -> Option<(Vec3<R>, Sym3<R>, Sym3<R>)> {
        if self.inv_diagonal[i] == R::ZERO {
            return None;
        }
        let (mut force, mut push, mut friction) = self.colliders_at(i, x);
        if let Some(touching) = self.touching {
            let sum = bodies(touching);
            force += sum.force;
            (push, friction) = (push + sum.push, friction + sum.friction);
        }
        Some((force, push, friction))
    }

    /// The same of colliders alone.
    #[inline]
    pub fn colliders_at(&self, i: usize, x: Vec3<R>) -> (Vec3<R>, Sym3<R>, Sym3<R>) {
        let (stiffness, mut push, mut force) = (self.contact_stiffness[i], Sym3::ZERO, Vec3::ZERO);
        for (k, collider) in self.colliders.iter().enumerate() {
            let (d, normal) = self.grips[i].distance(k, collider, x);
            let depth = self.thickness[i] - d;
            if depth > R::ZERO {
                push = push + Sym3::square(normal) * stiffness;
                force -= normal * (stiffness * depth);
            }
        }
        let (along, friction) = self.friction(i, x).unwrap_or((Vec3::ZERO, Sym3::ZERO));
        (force + along, push, friction)
    }

    /// Friction of a vertex that touches: its force on the gradient, N, and its block, N/m.
    #[inline]
    fn friction(&self, i: usize, x: Vec3<R>) -> Option<(Vec3<R>, Sym3<R>)> {
        let grip = self.grips.get(i).filter(|grip| grip.limit > R::ZERO)?;
        let (force, stiffness) = grip.gradient(x);
        Some((force, grip.along(stiffness)))
    }

    /// Gradients of the vertices of the block that starts at `first`, with their active contacts and their friction.
    #[inline(always)]
    fn gradient_block(&self, first: usize, x: &[[R; 4]], g: &mut [[R; 4]], [pushes, frictions]: [&mut [Sym3<R>]; 2]) {
        pushes.fill(Sym3::ZERO);
        frictions.fill(Sym3::ZERO);
        let mut touch = |l: usize, push, friction| (pushes[l], frictions[l]) = (push, friction);
        let sum = self.block(first / LANES, x, load::<R>(x, first), &mut touch).map(Wide::lanes);
        for (l, g) in g.iter_mut().enumerate() {
            *g = [sum[0][l], sum[1][l], sum[2][l], R::ZERO];
        }
    }

    /// Gradients of the vertices from `first` on, with their active contacts and their friction.
    #[inline(always)]
    fn gradient_chunk(&self, first: usize, x: &[[R; 4]], g: &mut [[R; 4]], [pushes, frictions]: [&mut [Sym3<R>]; 2]) {
        let touching = pushes.chunks_mut(LANES).zip(frictions.chunks_mut(LANES));
        for (k, (g, (pushes, frictions))) in g.chunks_mut(LANES).zip(touching).enumerate() {
            self.gradient_block(first + k * LANES, x, g, [pushes, frictions]);
        }
    }

    /// D⁻¹∇E of a block, where contacts are in D; elsewhere as it was.
    #[inline(never)]
    fn steps_in_contact(
        &self,
        first: usize,
        g: [R::Wide; 3],
        steps: [R::Wide; 3],
        contact: &[Sym3<R>; LANES],
    ) -> [R::Wide; 3] {
        let (g, mut steps) = (g.map(Wide::lanes), steps.map(Wide::lanes));
        for (l, contact) in contact.iter().enumerate().filter(|(_, contact)| **contact != Sym3::ZERO) {
            let diagonal = Sym3::scalar(self.diagonal[first + l]);
            let step = (diagonal + *contact).solve(Vec3::new(g[0][l], g[1][l], g[2][l]));
            (0..3).for_each(|k| steps[k][l] = step[k]);
        }
        steps.map(R::Wide::new)
    }

    /// Blended Jacobi iterates of the vertices from `first` on; returns Σ ∇Eᵀ D⁻¹ ∇E.
    #[inline(always)]
    fn jacobi_chunk(&self, first: usize, x: &[[R; 4]], blend: [R; 2], out: &mut [[R; 4]]) -> f64 {
        let [omega, gamma] = blend.map(R::Wide::splat);
        let mut residual = R::Wide::splat(R::ZERO);
        for at in (0..out.len()).step_by(LANES) {
            let i = first + at;
            let xi = load::<R>(x, i);
            let (mut contact, mut pushes) = ([Sym3::ZERO; LANES], [Sym3::ZERO; LANES]);
            let g = self.block(i / LANES, x, xi, &mut |l: usize, push, friction| {
                (contact[l], pushes[l]) = (push + friction, push);
            });
            let inv = R::Wide::new(lanes(self.inv_diagonal, i));
            let mut steps = g.map(|g| g * inv);
            if self.has_contacts && contact.iter().any(|contact| *contact != Sym3::ZERO) {
                steps = self.steps_in_contact(i, g, steps, &contact);
            }
            let before = load::<R>(out, at);
            let next: [R::Wide; 3] = std::array::from_fn(|k| {
                residual = residual + g[k] * steps[k];
                before[k] + omega * (xi[k] - gamma * steps[k] - before[k])
            });
            store(next, &mut out[at..]);
            if self.has_contacts {
                take_momentum(&pushes, std::array::from_fn(|k| xi[k] - steps[k]), &mut out[at..]);
            }
        }
        residual.lanes().iter().map(|r| r.f64()).sum()
    }
}

/// Points `first..first + 8` as lanes; points past the end are zero.
#[inline(always)]
fn load<R: Real>(points: &[[R; 4]], first: usize) -> [R::Wide; 3] {
    match points.get(first..first + LANES) {
        Some(full) => R::Wide::gather(std::array::from_fn(|l| full[l])),
        None => R::Wide::gather(std::array::from_fn(|l| points.get(first + l).copied().unwrap_or([R::ZERO; 4]))),
    }
}

/// Numbers `first..first + 8`; numbers past the end are zero.
#[inline(always)]
fn lanes<R: Real>(values: &[R], first: usize) -> Lanes<R> {
    match values.get(first..first + LANES) {
        Some(full) => std::array::from_fn(|l| full[l]),
        None => std::array::from_fn(|l| values.get(first + l).copied().unwrap_or(R::ZERO)),
    }
}

/// Takes from the first iterates what acceleration adds to `plain` across contacts.
#[inline(never)]
fn take_momentum<R: Real>(pushes: &[Sym3<R>; LANES], plain: [R::Wide; 3], out: &mut [[R; 4]]) {
    let plain = plain.map(Wide::lanes);
    for (l, push) in pushes.iter().enumerate().filter(|(_, push)| **push != Sym3::ZERO) {
        let plain = Vec3::new(plain[0][l], plain[1][l], plain[2][l]);
        out[l] = without_momentum(*push, plain, Vec3::load(out[l])).store();
    }
}

/// Writes lanes to the first points, as many as there are.
#[inline(always)]
fn store<R: Real>(value: [R::Wide; 3], out: &mut [[R; 4]]) {
    let value = value.map(Wide::lanes);
    for (l, out) in out.iter_mut().take(LANES).enumerate() {
        *out = [value[0][l], value[1][l], value[2][l], R::ZERO];
    }
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
vectorised!(
    gradient_chunk, gradient_chunk_avx2, gradient_chunk,
    (first: usize, x: &[[R; 4]], g: &mut [[R; 4]], touching: [&mut [Sym3<R>]; 2])
);
vectorised!(
    jacobi_chunk, jacobi_chunk_avx2, jacobi_chunk,
    (first: usize, x: &[[R; 4]], blend: [R; 2], out: &mut [[R; 4]]) -> f64
);

impl<R: Real> CpuProblem<R> {
    /// The local step of everything that has slots, and of contacts between bodies: their forces at x.
    pub(super) fn fill_slots(&mut self, x: &[[R; 4]]) {
        // The rows below do not check their indices again.
        assert_eq!(x.len(), self.diagonal.len(), "a field has a point per vertex");
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
        self.touching.feel(x, &self.inv_mass);
    }

    pub(super) fn gradient(&mut self, x: &[[R; 4]], g: &mut [[R; 4]]) {
        self.fill_slots(x);
        let (mut contact, mut friction) = (std::mem::take(&mut self.contact), std::mem::take(&mut self.friction));
        let force = Force::of(self);
        g.par_chunks_mut(CHUNK)
            .zip(contact.par_chunks_mut(CHUNK).zip(friction.par_chunks_mut(CHUNK)))
            .enumerate()
            .for_each(|(k, (g, (contact, friction)))| gradient_chunk(&force, k * CHUNK, x, g, [contact, friction]));
        (self.contact, self.friction) = (contact, friction);
        if self.has_contacts() {
            self.cover_contacts();
        }
    }

    /// `contact` has the pushes of a gradient: they join those of the step, and friction joins them.
    fn cover_contacts(&mut self) {
        let fresh = std::mem::take(&mut self.fresh_step);
        let Self { contact, pushes, friction, grips, contact_stiffness, touching, .. } = self;
        let touching = (!touching.is_empty()).then_some(&*touching);
        let chunks = contact.par_chunks_mut(CHUNK).zip(pushes.par_chunks_mut(CHUNK));
        chunks.enumerate().for_each(|(k, (contact, pushes))| {
            for (i, (contact, had)) in (k * CHUNK..).zip(contact.iter_mut().zip(pushes)) {
                if fresh {
                    let coming = grips.get(i).filter(|grip| grip.comes);
                    let own = coming.map_or(Sym3::ZERO, |grip| Sym3::square(grip.normal) * contact_stiffness[i]);
                    *had = covered(touching.map_or(own, |touching| own + touching.coming(i)), Sym3::ZERO);
                }
                *had = covered(*contact, *had);
                *contact = *contact + friction[i];
            }
        });
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
