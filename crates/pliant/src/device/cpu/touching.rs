//! Contacts between bodies on the CPU: those of the step, what they do at an iterate, and who is in which.

use super::parallel::for_chunks;
use super::problem::CpuProblem;
use crate::contact::close::{CloseContacts, CloseLimits, CloseSurface, Contact, Felt, Since, Touch};
use crate::contact::sticking_slip;
use crate::math::{Real, Sym3, Vec3};
use crate::model::Model;
use std::sync::Arc;

/// How often contacts and colliders push in turn before a solve: a floor pushes a cloth, and that the next one.
const ROUNDS: usize = 4;

/// Where sides come closer in a step by more than this part of what weight alone would bring, that says how hard they press on each
/// other. Else the force that the step before left must: a depth of a micrometre times a large stiffness, and rough.
const KNOWN: f64 = 0.1;

/// What is too close at the start of a step gets back so much of its gap in the step. All of it at once would throw what a fast
/// step left deep inside.
const RECOVERED: f64 = 0.25;

/// Contacts of the step in progress; all empty where bodies do not feel each other.
#[derive(Default)]
pub(super) struct Touching<R> {
    pub touches: Vec<Touch<R>>,
    /// What each does at the last x that was looked at.
    felt: Vec<Felt<R>>,
    /// Impulse times h of each, kg m.
    impulses: Vec<[R; 4]>,
    /// Corners at vertex i: `item[offset[i]..offset[i + 1]]`; held vertices have none.
    offset: Vec<u32>,
    item: Vec<Corner<R>>,
    /// Weights of active contacts at each vertex, added up.
    crowd: Vec<R>,
}

/// A corner of a contact.
#[derive(Clone, Copy, Debug, Default)]
struct Corner<R> {
    touch: u32,
    weight: R,
}

/// What contacts do to one vertex.
pub(super) struct Sum<R> {
    pub force: Vec3<R>,
    pub push: Sym3<R>,
    pub friction: Sym3<R>,
}

impl<R: Real> Touching<R> {
    pub fn is_empty(&self) -> bool {
        self.touches.is_empty()
    }

    #[inline(always)]
    fn corners(&self, i: usize) -> &[Corner<R>] {
        &self.item[self.offset[i] as usize..self.offset[i + 1] as usize]
    }

    /// Looks at all contacts at x.
    pub fn feel(&mut self, x: &[[R; 4]]) {
        let touches = &self.touches;
        for_chunks(&mut self.felt, |first, felt| {
            felt.iter_mut().zip(&touches[first..]).for_each(|(felt, touch)| *felt = touch.feel(x));
        });
    }

    /// What contacts do to vertex i where they were looked at last.
    #[inline]
    pub fn at(&self, i: usize) -> Sum<R> {
        let mut sum = Sum { force: Vec3::ZERO, push: Sym3::ZERO, friction: Sym3::ZERO };
        for corner in self.corners(i) {
            let felt = &self.felt[corner.touch as usize];
            if felt.push == R::ZERO && felt.friction == R::ZERO {
                continue;
            }
            let touch = &self.touches[corner.touch as usize];
            let (share, across) = (corner.weight.abs() * touch.spread, Sym3::square(touch.normal));
            sum.force += felt.force * corner.weight;
            sum.push = sum.push + across * (share * felt.push);
            if felt.friction > R::ZERO {
                let stiffness = share * felt.friction;
                sum.friction = sum.friction + Sym3::scalar(stiffness) + across * -stiffness;
            }
        }
        sum
    }

    /// Blocks of the contacts of vertex i that would be active at the inertial target, N/m.
    pub fn coming(&self, i: usize) -> Sym3<R> {
        let corners = self.corners(i).iter().map(|corner| (corner, &self.touches[corner.touch as usize]));
        corners.filter(|(_, touch)| touch.comes).fold(Sym3::ZERO, |sum, (corner, touch)| {
            sum + Sym3::square(touch.normal) * (corner.weight.abs() * touch.spread * touch.stiffness)
        })
    }

    /// Who is in which contact.
    fn take_corners(&mut self, inv_mass: &[R]) {
        let Self { touches, offset, item, .. } = self;
        let free = |touch: &Touch<R>| {
            let stencil = touch.stencil;
            (0..4).filter(move |&k| inv_mass[stencil[k] as usize] > R::ZERO)
        };
        offset.clear();
        offset.resize(inv_mass.len() + 2, 0);
        for touch in touches.iter() {
            free(touch).for_each(|k| offset[touch.stencil[k] as usize + 2] += 1);
        }
        for i in 2..offset.len() {
            offset[i] += offset[i - 1];
        }
        item.resize(offset[offset.len() - 1] as usize, Corner::default());
        // Offsets are those of the vertex before, and end up where they belong.
        for (number, touch) in (0..).zip(touches.iter()) {
            for k in free(touch) {
                let next = &mut offset[touch.stencil[k] as usize + 1];
                item[*next as usize] = Corner { touch: number, weight: touch.weight[k] };
                *next += 1;
            }
        }
    }

    /// Adds up, at each vertex, the weights of the contacts that are active at x.
    fn take_crowd(&mut self, x: &[[R; 4]]) {
        let touches = &self.touches;
        for_chunks(&mut self.felt, |first, felt| {
            for (felt, touch) in felt.iter_mut().zip(&touches[first..]) {
                felt.push = if touch.clearance(x) < R::ZERO { touch.stiffness } else { R::ZERO };
            }
        });
        let mut crowd = std::mem::take(&mut self.crowd);
        crowd.resize(x.len(), R::ZERO);
        for_chunks(&mut crowd, |first, crowd| {
            for (i, crowd) in (first..).zip(crowd) {
                let active = self.corners(i).iter().filter(|corner| self.felt[corner.touch as usize].push > R::ZERO);
                *crowd = active.fold(R::ZERO, |sum, corner| sum + corner.weight.abs());
            }
        });
        self.crowd = crowd;
    }

    /// How far vertices are pushed apart by contacts that are active at x: `moved(i, by)` for each vertex that moves. `hold` is the
    /// largest impulse of friction of a contact, given its other one; `compliance` is 1/k h², or 0.
    fn push(
        &mut self,
        x: &[[R; 4]],
        inv_mass: &[R],
        compliance: impl Fn(&Touch<R>) -> R + Sync + Send,
        hold: impl Fn(&Touch<R>, R) -> R + Sync + Send,
    ) {
        self.take_crowd(x);
        let Self { touches, felt, impulses, crowd, .. } = self;
        impulses.resize(touches.len(), [R::ZERO; 4]);
        for_chunks(impulses, |first, impulses| {
            for ((out, touch), felt) in impulses.iter_mut().zip(&touches[first..]).zip(&felt[first..]) {
                *out = [R::ZERO; 4];
                if felt.push > R::ZERO {
                    let yielding = (0..4).fold(compliance(touch), |sum, k| {
                        let i = touch.stencil[k] as usize;
                        sum + touch.weight[k].abs() * crowd[i] * inv_mass[i]
                    });
                    *out = touch.impulse(x, yielding, |push| hold(touch, push)).store();
                }
            }
        });
    }

    /// Where the last push moves vertex i, m.
    #[inline]
    fn moved(&self, i: usize, inv_mass: R) -> Vec3<R> {
        let impulse = |corner: &Corner<R>| Vec3::load(self.impulses[corner.touch as usize]) * corner.weight;
        self.corners(i).iter().fold(Vec3::ZERO, |sum, corner| sum + impulse(corner)) * inv_mass
    }
}

/// The search for contacts of a model, and what it remembers.
pub(super) struct Search<R> {
    model: Arc<Model>,
    surface: Arc<CloseSurface>,
    pub contacts: CloseContacts<R>,
    /// How far is looked, m.
    reach: R,
    friction: R,
}

impl<R: Real> Search<R> {
    pub fn new(model: &Arc<Model>, friction: f64) -> Self {
        let surface = Arc::new(model.close_surface());
        let reach = R::of(surface.usual_reach());
        let contacts = CloseContacts::new(surface.clone(), CloseLimits::default());
        Self { model: model.clone(), surface, contacts, reach, friction: R::of(friction) }
    }

    pub fn is_about(&self, model: &Arc<Model>) -> bool {
        Arc::ptr_eq(&self.model, model)
    }
}

impl<R: Real> CpuProblem<R> {
    /// Finds the contacts of the step between bodies.
    pub(super) fn find_touches(&mut self, search: &mut Search<R>, since: Since) {
        let found = search.contacts.find_since(since, &self.start, &self.x_tilde, search.reach);
        self.take_touches(found, &search.surface, search.friction);
    }

    /// Whether anything may touch something.
    pub(super) fn has_contacts(&self) -> bool {
        !self.colliders.is_empty() || self.model.self_friction.is_some()
    }

    /// The contacts of the step.
    pub(super) fn take_touches(&mut self, found: &[Contact<R>], surface: &CloseSurface, friction: R) {
        let mut touching = std::mem::take(&mut self.touching);
        touching.touches.resize(found.len(), Touch::default());
        for_chunks(&mut touching.touches, |first, touches| {
            for (touch, contact) in touches.iter_mut().zip(&found[first..]) {
                *touch = self.touch(contact);
                if surface.is_at_hem(contact) && self.goes_past(touch) {
                    touch.stiffness = R::ZERO;
                }
            }
        });
        touching.felt.resize(found.len(), Felt::default());
        touching.take_corners(&self.inv_mass);
        if friction > R::ZERO && !found.is_empty() {
            touching.take_crowd(&self.x_tilde);
            let Touching { touches, crowd, .. } = &mut touching;
            for_chunks(touches, |_, touches| {
                touches.iter_mut().for_each(|touch| self.take_friction(touch, crowd, friction));
            });
        }
        self.touching = touching;
    }

    /// A contact that is as stiff as both sides in a row, where what is held is infinitely stiff.
    fn touch(&self, contact: &Contact<R>) -> Touch<R> {
        let mut touch = Touch::new(contact);
        let first = contact.first_side();
        let side = |corners: std::ops::Range<usize>| {
            corners.filter(|&k| self.inv_mass[touch.stencil[k] as usize] > R::ZERO).fold(
                [R::ZERO; 2],
                |[sum, free], k| {
                    let weight = touch.weight[k].abs();
                    let i = touch.stencil[k] as usize;
                    [sum + weight * self.contact_stiffness[i], free + weight]
                },
            )
        };
        let [[first_sum, first_free], [second_sum, second_free]] = [side(0..first), side(first..4)];
        let softness = |sum: R, free: R| if sum > R::ZERO { free / sum } else { R::ZERO };
        let soft = softness(first_sum, first_free) + softness(second_sum, second_free);
        touch.spread = first_free + second_free;
        touch.stiffness = if soft > R::ZERO { R::ONE / soft } else { R::ZERO };
        touch.anchor = touch.apart(&self.start);
        touch.gap = touch.gap.min(touch.normal.dot(touch.anchor) + touch.gap * R::of(RECOVERED));
        touch.comes = touch.clearance(&self.x_tilde) < R::ZERO;
        touch
    }

    /// Whether the sides of a contact move relative to each other by more than their gap. Its plane stays for the whole step, and at
    /// a hem that stands across the way: what slid over a cloth would be held by each vertex ahead of its hem.
    fn goes_past(&self, touch: &Touch<R>) -> bool {
        (touch.apart(&self.x_tilde) - touch.anchor).length_sq() > touch.gap * touch.gap
    }

    /// Friction of a contact in the step, bounded by what stops the motion of its share of its vertices, or, if there is none, by the
    /// normal force that the step before left: a contact within a stack stops nothing, because all of it would fall.
    fn take_friction(&self, touch: &mut Touch<R>, crowd: &[R], friction: R) {
        let depth = (touch.gap - touch.normal.dot(touch.anchor)).max(R::ZERO).min(touch.gap);
        // A corner without weight may be on either side.
        let first = if touch.weight[1] >= R::ZERO { 2 } else { 1 };
        // Of each side: 1/(kg that this contact stops).
        let side = |corners: std::ops::Range<usize>| {
            let mass = corners.fold(R::ZERO, |sum, k| {
                let i = touch.stencil[k] as usize;
                let free = self.inv_mass[i] > R::ZERO && crowd[i] > R::ZERO;
                if free { sum + touch.weight[k].abs() / (crowd[i] * self.inv_mass[i]) } else { sum }
            });
            if mass > R::ZERO { R::ONE / mass } else { R::ZERO }
        };
        let yielding = side(0..first) + side(first..4);
        let stopped = if touch.comes && yielding > R::ZERO {
            -touch.clearance(&self.x_tilde) / (yielding * R::of(self.system.h * self.system.h))
        } else {
            R::ZERO
        };
        let approach = touch.normal.dot(touch.anchor - touch.apart(&self.x_tilde));
        let falls = Vec3::<f64>::of(self.model.acceleration).length() * self.system.h * self.system.h;
        let pressing = if approach > R::of(KNOWN * falls) { stopped } else { touch.stiffness * depth };
        touch.limit = friction * pressing;
        touch.sticking = sticking_slip(touch.limit, touch.stiffness, R::of(self.system.h));
    }

    /// Contacts between bodies push vertices of the start of a solve apart, in turn with colliders.
    pub(super) fn meet_bodies(&mut self, x: &mut [[R; 4]]) {
        if self.touching.is_empty() {
            return;
        }
        let mut touching = std::mem::take(&mut self.touching);
        let h_sq = R::of(self.system.h * self.system.h);
        let soft = |touch: &Touch<R>| R::ONE / (touch.stiffness * h_sq);
        for round in 0..ROUNDS {
            // Friction has a limit for the whole step.
            let rough = if round == 0 { h_sq } else { R::ZERO };
            touching.push(x, &self.inv_mass, soft, |touch, _| touch.limit * rough);
            super::map(x, |i, x| x + touching.moved(i, self.inv_mass[i]));
            self.meet_colliders(x, false);
        }
        self.touching = touching;
    }

    /// Contacts between bodies push vertices apart in a position-based sweep, by impulses; what is moved is moved in `others`, too.
    pub(super) fn enforce_touches(&mut self, x: &mut [[R; 4]], others: [&mut Vec<[R; 4]>; 2]) {
        if self.touching.is_empty() {
            return;
        }
        let mut touching = std::mem::take(&mut self.touching);
        let friction = R::of(self.model.self_friction.unwrap_or(0.0));
        touching.push(x, &self.inv_mass, |_| R::ZERO, |_, push| push * friction);
        let inv_mass = &self.inv_mass;
        for points in [x].into_iter().chain(others.map(|other| &mut other[..])) {
            super::map(points, |i, x| x + touching.moved(i, inv_mass[i]));
        }
        for_chunks(&mut self.start, |first, start| {
            for (i, start) in (first..).zip(start) {
                start[3] += touching.moved(i, inv_mass[i]).length();
            }
        });
        self.touching = touching;
    }
}
