//! The linear system of a step of linearly implicit Euler (cg eq 9) on the CPU, and conjugate gradients on it.
//!
//! Eight tetrahedra lie side by side, with the turned shape gradients of [`FrozenTet`]: 60 bytes each in `f32`. A product computes
//! eight at once and writes what they do to their corners to slots; vertices gather their slots in a fixed order. Written down as
//! blocks (`linear_blocks`), A costs more to make and less to multiply with.

use super::force::Force;
use super::linear_blocks::Blocks;
use super::problem::CpuProblem;
use crate::device::{LinearSetting, Progress};
use crate::material::{CorotatedTet, Disjoint, Elements, FrozenTet};
use crate::math::polar::{Lanes, polar_rotations};
use crate::math::{LANES, Mat3, Real, Sym3, Vec3, Wide};
use crate::scene::LinearPreconditioner as Preconditioner;
use rayon::prelude::*;
use std::ops::Range;

/// Groups of tetrahedra per task, and vertices per task.
const TASK: usize = 64;
const PIECE: usize = 1024;
/// Below this many vertices a task costs more than it saves.
const SEQUENTIAL: usize = 4 * PIECE;

/// Eight tetrahedra with the rotations of a step.
#[derive(Clone)]
pub(super) struct Group<R> {
    stencil: [[u32; LANES]; 4],
    /// c of corners 1 to 3, component by component, 1/m.
    c: Lanes<R, LANES>,
    /// vol λ and vol μ with the part of Rayleigh damping, J.
    lambda: [R; LANES],
    mu: [R; LANES],
}

/// The same at rest.
#[derive(Clone)]
struct Rest<R> {
    /// b of corners 1 to 3, component by component, 1/m.
    b: Lanes<R, LANES>,
    lambda: [R; LANES],
    mu: [R; LANES],
}

/// Groups whose rotations one task finds, and where it writes.
struct Turn<'a, R> {
    groups: &'a mut [Group<R>],
    rest: &'a [Rest<R>],
    tets: &'a mut [FrozenTet<R>],
    slots: &'a mut [[R; 4]],
}

/// Vertices in a row of one object.
struct Piece {
    object: u32,
    range: Range<usize>,
}

/// What conjugate gradients know of an object.
#[derive(Clone, Copy, Default)]
struct Object {
    /// r·z, the one before, and p·q, J.
    rz: f64,
    rz_before: f64,
    pq: f64,
    /// Σ M/h² · (α p)², J.
    moved: f64,
    /// Σ M/h², N/m.
    inertia: f64,
}

impl Object {
    fn alpha(&self) -> f64 {
        ratio(self.rz, self.pq)
    }
}

fn ratio(a: f64, b: f64) -> f64 {
    if b != 0.0 { a / b } else { 0.0 }
}

/// The system, and the memory to solve it.
pub(super) struct Linear<R: Real> {
    setting: LinearSetting,
    pub(super) groups: Vec<Group<R>>,
    rest: Vec<Rest<R>>,
    /// The tetrahedra of the groups once more, each in one place: vertices look at them in any order.
    pub(super) tets: Vec<FrozenTet<R>>,
    slots: Vec<[R; 4]>,
    /// Slots of vertex i: `item[offset[i]..offset[i + 1]]`; a slot is (group · 4 + corner) · 8 + lane.
    pub(super) offset: Vec<u32>,
    pub(super) item: Vec<u32>,
    blocks: Option<Blocks<R>>,
    /// P⁻¹ of Jacobi, m/N.
    inverse: Vec<Sym3<R>>,
    pieces: Vec<Piece>,
    objects: Vec<Object>,
    /// A sum per piece.
    sums: Vec<f64>,
}

impl<R: Real> Group<R> {
    /// One of the eight.
    #[inline(always)]
    pub fn tet(&self, lane: usize) -> FrozenTet<R> {
        FrozenTet { c: columns(&self.c, lane), lambda: self.lambda[lane], mu: self.mu[lane] }
    }

    pub fn vertex(&self, corner: usize, lane: usize) -> u32 {
        self.stencil[corner][lane]
    }

    /// The four corners of eight tetrahedra, component by component.
    #[inline(always)]
    fn corners(&self, x: &[[R; 4]]) -> [[[R; LANES]; 3]; 4] {
        self.stencil.map(|stencil| R::Wide::gather(stencil.map(|i| x[i as usize])).map(Wide::lanes))
    }

    /// What a displacement of the corners does to them.
    #[inline(always)]
    fn multiply(&self, p: &[[R; 4]], slots: &mut [[R; 4]]) {
        let p = self.corners(p);
        let mut out = [[[R::ZERO; LANES]; 3]; 4];
        for lane in 0..LANES {
            let force = self.tet(lane).multiply(&points(&p, lane));
            (0..4).for_each(|k| (0..3).for_each(|a| out[k][a][lane] = force[k][a]));
        }
        spread(&out, slots);
    }

    /// Finds the rotations at x, and what the corners feel there.
    #[inline(always)]
    fn turn(&mut self, rest: &Rest<R>, stiffer: R, x: &[[R; 4]], tets: &mut [FrozenTet<R>], slots: &mut [[R; 4]]) {
        let x = self.corners(x);
        let mut deformed = [[R::ZERO; LANES]; 9];
        for lane in 0..LANES {
            let (x, b) = (points(&x, lane), columns(&rest.b, lane));
            let at = FrozenTet { c: b, lambda: R::ZERO, mu: R::ZERO }.deformation(&x);
            (0..9).for_each(|e| deformed[e][lane] = at.c[e / 3][e % 3]);
        }
        let rotation = polar_rotations(&deformed);
        let mut out = [[[R::ZERO; LANES]; 3]; 4];
        for lane in 0..LANES {
            let turn = Mat3 { c: columns(&rotation, lane) };
            let c = columns(&rest.b, lane).map(|b| turn * b);
            let tet = FrozenTet { c, lambda: rest.lambda[lane], mu: rest.mu[lane] };
            let force = tet.gradient(&points(&x, lane));
            (0..4).for_each(|k| (0..3).for_each(|a| out[k][a][lane] = force[k][a]));
            (0..9).for_each(|e| self.c[e][lane] = c[e / 3][e % 3]);
            self.lambda[lane] = rest.lambda[lane] * stiffer;
            self.mu[lane] = rest.mu[lane] * stiffer;
            tets[lane] = self.tet(lane);
        }
        spread(&out, slots);
    }
}

#[inline(always)]
fn columns<R: Real>(m: &Lanes<R, LANES>, lane: usize) -> [Vec3<R>; 3] {
    std::array::from_fn(|k| Vec3::new(m[3 * k][lane], m[3 * k + 1][lane], m[3 * k + 2][lane]))
}

#[inline(always)]
fn points<R: Real>(x: &[[[R; LANES]; 3]; 4], lane: usize) -> [Vec3<R>; 4] {
    std::array::from_fn(|k| Vec3::new(x[k][0][lane], x[k][1][lane], x[k][2][lane]))
}

#[inline(always)]
fn spread<R: Real>(out: &[[[R; LANES]; 3]; 4], slots: &mut [[R; 4]]) {
    for (slots, out) in slots.chunks_exact_mut(LANES).zip(out) {
        for lane in 0..LANES {
            slots[lane] = [out[0][lane], out[1][lane], out[2][lane], R::ZERO];
        }
    }
}

#[inline(always)]
fn multiply_groups<R: Real>(groups: &[Group<R>], p: &[[R; 4]], slots: &mut [[R; 4]]) {
    groups.iter().zip(slots.chunks_exact_mut(4 * LANES)).for_each(|(group, slots)| group.multiply(p, slots));
}

#[inline(always)]
fn turn_groups<R: Real>(task: Turn<'_, R>, stiffer: R, x: &[[R; 4]]) {
    let (groups, rest) = (task.groups.iter_mut(), task.rest);
    let out = task.tets.chunks_exact_mut(LANES).zip(task.slots.chunks_exact_mut(4 * LANES));
    for ((group, rest), (tets, slots)) in groups.zip(rest).zip(out) {
        group.turn(rest, stiffer, x, tets, slots);
    }
}

/// The same loop compiled for AVX2 where the processor has it. Nothing is fused, so the bits are the same.
macro_rules! wide_where_possible {
    ($name:ident, $wide:ident, $plain:ident, ($($arg:ident: $type:ty),*)) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        fn $wide<R: Real>($($arg: $type),*) {
            $plain($($arg),*)
        }
        fn $name<R: Real>($($arg: $type),*) {
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the feature was just detected.
                return unsafe { $wide($($arg),*) };
            }
            $plain($($arg),*)
        }
    };
}
wide_where_possible!(multiply_all, multiply_avx2, multiply_groups, (groups: &[Group<R>], p: &[[R; 4]], slots: &mut [[R; 4]]));
wide_where_possible!(turn_all, turn_avx2, turn_groups, (task: Turn<'_, R>, stiffer: R, x: &[[R; 4]]));

/// Tetrahedra by eights; what is missing in the last ones weighs nothing and hangs on the first of them.
fn group_all<R: Real>(elements: &[Elements<R>]) -> (Vec<Group<R>>, Vec<Rest<R>>) {
    let (mut groups, mut rests) = (Vec::new(), Vec::new());
    for elements in elements {
        let Elements::CorotatedTet(batch) = elements else { continue };
        for (stencil, tets) in batch.stencil.chunks(LANES).zip(batch.element.chunks(LANES)) {
            let zero = [R::ZERO; LANES];
            let mut group = Group { stencil: [[0; LANES]; 4], c: [zero; 9], lambda: zero, mu: zero };
            let mut rest = Rest { b: [zero; 9], lambda: zero, mu: zero };
            for lane in 0..LANES {
                let from = if lane < tets.len() { lane } else { 0 };
                let tet: FrozenTet<R> = CorotatedTet::frozen(&tets[from], Mat3::IDENTITY);
                (0..4).for_each(|k| group.stencil[k][lane] = stencil[from][k]);
                (0..9).for_each(|e| rest.b[e][lane] = tet.c[e / 3][e % 3]);
                if lane < tets.len() {
                    (rest.lambda[lane], rest.mu[lane]) = (tet.lambda, tet.mu);
                }
            }
            groups.push(group);
            rests.push(rest);
        }
    }
    (groups, rests)
}

/// Where the slots of each vertex are.
fn slots_of<R: Real>(vertices: usize, groups: &[Group<R>], rest: &[Rest<R>]) -> (Vec<u32>, Vec<u32>) {
    let weighs = |g: usize, lane: usize| rest[g].mu[lane] != R::ZERO || rest[g].lambda[lane] != R::ZERO;
    let all = || {
        (0..groups.len()).flat_map(move |g| {
            let slot = move |k: usize, lane: usize| ((g * 4 + k) * LANES + lane, groups[g].stencil[k][lane] as usize);
            (0..4).flat_map(move |k| (0..LANES).filter(move |l| weighs(g, *l)).map(move |lane| slot(k, lane)))
        })
    };
    let mut offset = vec![0u32; vertices + 1];
    all().for_each(|(_, i)| offset[i + 1] += 1);
    (0..vertices).for_each(|i| offset[i + 1] += offset[i]);
    let (mut next, mut item) = (offset.clone(), vec![0; offset[vertices] as usize]);
    for (slot, i) in all() {
        item[next[i] as usize] = slot as u32;
        next[i] += 1;
    }
    (offset, item)
}

impl<R: Real> Linear<R> {
    fn new(problem: &CpuProblem<R>, setting: LinearSetting) -> Self {
        let vertices = problem.inertia.len();
        let (groups, rest) = group_all(&problem.elements);
        let (offset, item) = slots_of(vertices, &groups, &rest);
        let object = |i: usize| if setting.per_object { problem.parts.of[i] } else { 0 };
        let mut pieces: Vec<Piece> = Vec::new();
        for i in 0..vertices {
            match pieces.last_mut().filter(|last| last.object == object(i) && last.range.len() < PIECE) {
                Some(last) => last.range.end += 1,
                None => pieces.push(Piece { object: object(i), range: i..i + 1 }),
            }
        }
        let count = pieces.iter().map(|piece| piece.object as usize + 1).max().unwrap_or(0);
        let mut linear = Self {
            setting,
            tets: vec![FrozenTet { c: [Vec3::ZERO; 3], lambda: R::ZERO, mu: R::ZERO }; groups.len() * LANES],
            slots: vec![[R::ZERO; 4]; groups.len() * 4 * LANES],
            blocks: None,
            inverse: vec![Sym3::ZERO; vertices],
            sums: vec![0.0; pieces.len()],
            objects: vec![Object::default(); count],
            groups,
            rest,
            offset,
            item,
            pieces,
        };
        for piece in &linear.pieces {
            let inertia: f64 = problem.inertia[piece.range.clone()].iter().map(|m| m.f64()).sum();
            linear.objects[piece.object as usize].inertia += inertia;
        }
        if setting.assembled {
            linear.blocks = Some(Blocks::new(vertices, &linear));
        }
        linear
    }

    /// Slots of a vertex.
    #[inline(always)]
    fn slots_at(&self, i: usize) -> &[u32] {
        &self.item[self.offset[i] as usize..self.offset[i + 1] as usize]
    }

    /// Sum of the slots of a vertex.
    #[inline(always)]
    fn gathered(&self, i: usize) -> Vec3<R> {
        self.slots_at(i).iter().fold(Vec3::ZERO, |sum, &slot| sum + Vec3::load(self.slots[slot as usize]))
    }

    /// Σ K_ii of the elements of a vertex, N/m.
    fn own_stiffness(&self, i: usize) -> Sym3<R> {
        self.slots_at(i).iter().fold(Sym3::ZERO, |sum, &slot| {
            let (group, corner, lane) = place(slot);
            let tet = &self.tets[group * LANES + lane];
            sum + tet.diagonal(tet.gradients()[corner])
        })
    }

    /// Calls `f` for every piece, with a sum for each object, which `take` gets.
    fn for_pieces(
        &mut self,
        f: impl Fn(&Self, &Object, Range<usize>) -> f64 + Sync + Send,
        mut take: impl FnMut(&mut Object) -> &mut f64,
    ) {
        let mut sums = std::mem::take(&mut self.sums);
        let sum = |piece: &Piece| f(self, &self.objects[piece.object as usize], piece.range.clone());
        if self.inverse.len() <= SEQUENTIAL {
            sums.iter_mut().zip(&self.pieces).for_each(|(out, piece)| *out = sum(piece));
        } else {
            sums.par_iter_mut().zip(&self.pieces).for_each(|(out, piece)| *out = sum(piece));
        }
        self.objects.iter_mut().for_each(|object| *take(object) = 0.0);
        for (sum, piece) in sums.iter().zip(&self.pieces) {
            *take(&mut self.objects[piece.object as usize]) += sum;
        }
        self.sums = sums;
    }
}

/// Group, corner and lane of a slot.
#[inline(always)]
pub(super) fn place(slot: u32) -> (usize, usize, usize) {
    let slot = slot as usize;
    (slot / (4 * LANES), slot / LANES % 4, slot % LANES)
}

impl<R: Real> CpuProblem<R> {
    /// Makes A and b of the step in progress: b = −∇E(x_n) with elements as they are there and contacts as at x̃, which is where
    /// they come from if nothing is there yet.
    pub(super) fn linearise(&mut self, setting: LinearSetting, start: &mut [[R; 4]], b: &mut [[R; 4]]) {
        let known = self.linear.take().filter(|linear| linear.setting == setting);
        let mut linear = known.unwrap_or_else(|| Box::new(Linear::new(self, setting)));
        start.copy_from_slice(&self.start);
        let stiffer = R::of(1.0 + self.model.rayleigh.retardation / self.system.h);
        let Linear { groups, rest, tets, slots, .. } = &mut *linear;
        let known = groups.par_chunks_mut(TASK).zip(rest.par_chunks(TASK));
        let out = tets.par_chunks_mut(TASK * LANES).zip(slots.par_chunks_mut(TASK * 4 * LANES));
        known.zip(out).for_each(|((groups, rest), (tets, slots))| {
            turn_all(Turn { groups, rest, tets, slots }, stiffer, start);
        });
        self.meet_linear(setting, start, &linear, b);
        if setting.preconditioner == Preconditioner::Jacobi {
            let mut inverse = std::mem::take(&mut linear.inverse);
            inverse.par_chunks_mut(PIECE).enumerate().for_each(|(k, inverse)| {
                for (i, inverse) in (k * PIECE..).zip(inverse) {
                    let mut own = Sym3::scalar(self.inertia[i]) + self.contact[i] + linear.own_stiffness(i);
                    if self.couples(setting) {
                        own = own + self.touching.own_answer(i);
                    }
                    let held = self.inv_diagonal[i] == R::ZERO;
                    *inverse = if held { Sym3::ZERO } else { own.inverse() };
                }
            });
            linear.inverse = inverse;
        }
        if let Some(mut blocks) = linear.blocks.take() {
            blocks.fill(&linear);
            linear.blocks = Some(blocks);
        }
        for object in &mut linear.objects {
            *object = Object { inertia: object.inertia, ..Object::default() };
        }
        self.linear = Some(linear);
    }

    /// Whether contacts between bodies couple what they are between: not where each object is solved as if it were alone.
    fn couples(&self, setting: LinearSetting) -> bool {
        !setting.per_object && !self.touching.is_empty()
    }

    /// b of a step, with the contacts that x̃ has; `contact` gets their blocks, but for contacts that couple bodies.
    fn meet_linear(&mut self, setting: LinearSetting, start: &[[R; 4]], linear: &Linear<R>, b: &mut [[R; 4]]) {
        let couples = self.couples(setting);
        self.touching.feel(&self.x_tilde, &self.inv_mass);
        if couples {
            let way = |(b, (x, met)): (&mut [R; 4], (&[R; 4], &[R; 4]))| {
                *b = (Vec3::load(*x) - Vec3::load(*met)).store();
            };
            b.par_iter_mut().zip(start.par_iter().zip(&self.x_tilde)).for_each(way);
            self.touching.answer(b);
        }
        let mut contact = std::mem::take(&mut self.contact);
        let force = Force::of(self);
        let (rows, blocks) = (b.par_chunks_mut(PIECE), contact.par_chunks_mut(PIECE));
        rows.zip(blocks).enumerate().for_each(|(k, (b, contact))| {
            for (i, (b, contact)) in (k * PIECE..).zip(b.iter_mut().zip(contact)) {
                (*contact, *b) = (Sym3::ZERO, [R::ZERO; 4]);
                if force.inv_diagonal[i] == R::ZERO {
                    continue;
                }
                let (x, met) = (Vec3::load(start[i]), Vec3::load(self.x_tilde[i]));
                let mut sum = (x - Vec3::load(self.x_pull[i])) * self.inertia[i] + linear.gathered(i);
                if couples {
                    let (touch, push, friction) = force.colliders_at(i, met);
                    *contact = push + friction;
                    sum += touch + self.touching.at(i).force + self.touching.answered(i);
                } else if let Some((touch, push, friction)) = force.contacts(i, met).filter(|_| force.has_contacts) {
                    *contact = push + friction;
                    sum += touch;
                }
                *b = (-(sum + contact.times(x - met))).store();
            }
        });
        self.contact = contact;
    }

    /// q = A p, and p·q of each object.
    pub(super) fn multiply_linear(&mut self, p: &[[R; 4]], q: &mut [[R; 4]]) {
        let Some(mut linear) = self.linear.take() else { return };
        let couples = self.couples(linear.setting);
        if couples {
            self.touching.answer(p);
        }
        let Linear { groups, slots, blocks, .. } = &mut *linear;
        if blocks.is_none() && self.inertia.len() <= SEQUENTIAL {
            multiply_all(groups, p, slots);
        } else if blocks.is_none() {
            let tasks = groups.par_chunks(TASK).zip(slots.par_chunks_mut(TASK * 4 * LANES));
            tasks.for_each(|(groups, slots)| multiply_all(groups, p, slots));
        }
        let q = Disjoint::new(q);
        let gather = |linear: &Linear<R>, _: &Object, range: Range<usize>| {
            let mut sum = R::ZERO;
            for i in range {
                let mut value = Vec3::ZERO;
                if self.inv_diagonal[i] > R::ZERO {
                    let own = Vec3::load(p[i]);
                    value = own * self.inertia[i] + self.contact[i].times(own);
                    value += linear.blocks.as_ref().map_or_else(|| linear.gathered(i), |blocks| blocks.row_times(i, p));
                    if couples {
                        value += self.touching.answered(i);
                    }
                    sum += own.dot(value);
                }
                // SAFETY: pieces share no vertex.
                unsafe { q.write(i, value.store()) };
            }
            sum.f64()
        };
        linear.for_pieces(gather, |object| &mut object.pq);
        self.linear = Some(linear);
    }

    /// z = P⁻¹ r, and r·z of each object.
    pub(super) fn precondition_linear(&mut self, r: &[[R; 4]], z: &mut [[R; 4]]) {
        let Some(mut linear) = self.linear.take() else { return };
        linear.objects.iter_mut().for_each(|object| object.rz_before = object.rz);
        let z = Disjoint::new(z);
        let setting = linear.setting;
        let divide = |linear: &Linear<R>, _: &Object, range: Range<usize>| {
            let mut sum = R::ZERO;
            for i in range {
                let r = Vec3::load(r[i]);
                let value = match setting.preconditioner {
                    Preconditioner::Jacobi => linear.inverse[i].times(r),
                    Preconditioner::Mass if self.inertia[i] > R::ZERO => r * (R::ONE / self.inertia[i]),
                    Preconditioner::Identity | Preconditioner::Mass => r,
                };
                sum += r.dot(value);
                // SAFETY: pieces share no vertex.
                unsafe { z.write(i, value.store()) };
            }
            sum.f64()
        };
        linear.for_pieces(divide, |object| &mut object.rz);
        self.linear = Some(linear);
    }

    /// p = z + β p
    pub(super) fn conjugate(&mut self, z: &[[R; 4]], p: &mut [[R; 4]]) {
        let Some(linear) = &self.linear else { return };
        let betas = |object: &Object| R::of(ratio(object.rz, object.rz_before));
        let out = Disjoint::new(p);
        let turn = |piece: &Piece| {
            let beta = betas(&linear.objects[piece.object as usize]);
            for i in piece.range.clone() {
                // SAFETY: pieces share no vertex.
                let before = Vec3::load(unsafe { out.read(i) });
                // SAFETY: as above.
                unsafe { out.write(i, (Vec3::load(z[i]) + before * beta).store()) };
            }
        };
        if linear.inverse.len() <= SEQUENTIAL {
            linear.pieces.iter().for_each(turn);
        } else {
            linear.pieces.par_iter().for_each(turn);
        }
    }

    /// u += α p, r −= α q
    pub(super) fn advance(&mut self, [p, q]: [&[[R; 4]]; 2], [u, r]: [&mut [[R; 4]]; 2]) {
        let Some(mut linear) = self.linear.take() else { return };
        let (u, r) = (Disjoint::new(u), Disjoint::new(r));
        let go = |_: &Linear<R>, object: &Object, range: Range<usize>| {
            let alpha = R::of(object.alpha());
            let mut moved = R::ZERO;
            for i in range {
                let step = Vec3::load(p[i]) * alpha;
                moved += step.length_sq() * self.inertia[i];
                // SAFETY: pieces share no vertex.
                let (here, left) = unsafe { (Vec3::load(u.read(i)), Vec3::load(r.read(i))) };
                // SAFETY: as above.
                unsafe {
                    u.write(i, (here + step).store());
                    r.write(i, (left - Vec3::load(q[i]) * alpha).store());
                }
            }
            moved.f64()
        };
        linear.for_pieces(go, |object| &mut object.moved);
        self.linear = Some(linear);
    }

    pub(super) fn linear_progress(&self) -> Progress {
        let objects = self.linear.iter().flat_map(|linear| &linear.objects);
        objects.fold(Progress::default(), |most, object| Progress {
            gained_sq: most.gained_sq.max(ratio(object.alpha() * object.rz, object.inertia)),
            moved_sq: most.moved_sq.max(ratio(object.moved, object.inertia)),
        })
    }
}
