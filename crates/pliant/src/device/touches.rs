//! Contacts between bodies in a step, as every device takes them: found once, each as stiff as its sides in a row, and by
//! vertex. Their friction is in `touch_friction.rs`.

use super::parallel::for_chunks;
use super::touch_friction::TouchFriction;
use crate::contact::close::{CloseContacts, CloseLimits, CloseSurface, Contact, Side, Since, Touch};
use crate::math::Real;
use crate::model::Model;
use std::sync::Arc;

/// How often contacts and colliders push in turn before a solve: a floor pushes a cloth, and that the next one.
pub const MEETINGS: usize = 4;

/// What is too close at the start of a step gets back so much of its gap in the step. All of it at once would throw what a fast
/// step left deep inside.
pub const RECOVERED: f64 = 0.25;

/// Contacts of the step in progress; all empty where bodies do not feel each other.
#[derive(Clone, Debug, Default)]
pub struct Touches<R> {
    /// All of them.
    pub all: Vec<Touch<R>>,
    /// Corners at vertex i: `item[offset[i]..offset[i + 1]]`.
    offset: Vec<u32>,
    item: Vec<Corner<R>>,
    /// Which ones push where they were looked at last, and their weights at each vertex, added up.
    active: Vec<bool>,
    crowd: Vec<R>,
}

/// A corner of a contact at a vertex that can move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Corner<R> {
    /// Number of the contact.
    pub touch: u32,
    /// Of the vertex in it.
    pub weight: R,
}

/// What contacts of a step are made from: points and numbers per vertex.
#[derive(Clone, Copy)]
pub struct TouchSetting<'a, R> {
    /// Where the step begins, and its inertial target, m.
    pub start: &'a [[R; 4]],
    /// See `start`.
    pub x_tilde: &'a [[R; 4]],
    /// 1/kg; 0 for held vertices.
    pub inv_mass: &'a [R],
    /// N/m
    pub contact_stiffness: &'a [R],
    /// s
    pub h: f64,
}

impl<R: Real> Touches<R> {
    /// Whether nothing touches.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Corners at vertex i, in the order of contacts; held vertices have none.
    #[inline(always)]
    pub fn corners(&self, i: usize) -> &[Corner<R>] {
        &self.item[self.offset[i] as usize..self.offset[i + 1] as usize]
    }

    /// Whether a contact pushes where [`Touches::look`] looked last.
    #[inline(always)]
    pub fn is_active(&self, touch: usize) -> bool {
        self.active[touch]
    }

    /// Weights of contacts that push, at each vertex, added up, where [`Touches::look`] looked last.
    pub fn crowd(&self) -> &[R] {
        &self.crowd
    }

    /// Which contacts push at x, and their weights at each vertex.
    pub fn look(&mut self, x: &[[R; 4]]) {
        let Self { all, offset, item, active, crowd } = self;
        active.resize(all.len(), false);
        for_chunks(active, |first, active| {
            for (active, touch) in active.iter_mut().zip(&all[first..]) {
                *active = touch.stiffness > R::ZERO && touch.clearance(x) < R::ZERO;
            }
        });
        crowd.resize(x.len(), R::ZERO);
        for_chunks(crowd, |first, crowd| {
            for (i, crowd) in (first..).zip(crowd) {
                let corners = &item[offset[i] as usize..offset[i + 1] as usize];
                let active = corners.iter().filter(|corner| active[corner.touch as usize]);
                *crowd = active.fold(R::ZERO, |sum, corner| sum + corner.weight.abs());
            }
        });
    }

    /// Who is in which contact.
    pub(super) fn take_corners(&mut self, inv_mass: &[R]) {
        let Self { all, offset, item, .. } = self;
        let free = |touch: &Touch<R>| {
            let stencil = touch.stencil;
            (0..4).filter(move |&k| inv_mass[stencil[k] as usize] > R::ZERO)
        };
        offset.clear();
        offset.resize(inv_mass.len() + 2, 0);
        for touch in all.iter() {
            free(touch).for_each(|k| offset[touch.stencil[k] as usize + 2] += 1);
        }
        for i in 2..offset.len() {
            offset[i] += offset[i - 1];
        }
        item.resize(offset[offset.len() - 1] as usize, Corner::default());
        // Offsets are those of the vertex before, and end up where they belong.
        for (number, touch) in (0..).zip(all.iter()) {
            for k in free(touch) {
                let next = &mut offset[touch.stencil[k] as usize + 1];
                item[*next as usize] = Corner { touch: number, weight: touch.weight[k] };
                *next += 1;
            }
        }
    }
}

/// The search for contacts of a model, and what it remembers.
#[derive(Debug)]
pub struct TouchSearch<R> {
    model: Arc<Model>,
    surface: Arc<CloseSurface>,
    contacts: CloseContacts<R>,
    /// How far is looked, m.
    reach: R,
    friction: TouchFriction,
}

impl<R: Real> TouchSearch<R> {
    /// `None` where bodies do not feel each other.
    pub fn new(model: &Arc<Model>) -> Option<Self> {
        let friction = TouchFriction::new(model, model.self_friction?);
        let surface = Arc::new(model.close_surface());
        let reach = R::of(surface.usual_reach());
        let contacts = CloseContacts::new(surface.clone(), CloseLimits::default());
        Some(Self { model: model.clone(), surface, contacts, reach, friction })
    }

    /// Whether it is this model that is searched.
    pub fn is_about(&self, model: &Arc<Model>) -> bool {
        Arc::ptr_eq(&self.model, model)
    }

    /// On which sides things were: see [`super::Device::sides`].
    pub fn sides(&self) -> [Vec<Side>; 2] {
        self.contacts.sides()
    }

    /// Replaces them.
    pub fn set_sides(&mut self, sides: &[Vec<Side>; 2]) {
        self.contacts.set_sides(sides);
    }

    /// Finds the contacts of a step.
    pub fn find(&mut self, since: Since, setting: &TouchSetting<R>, touches: &mut Touches<R>) {
        let Self { surface, contacts, reach, friction, .. } = self;
        let found = contacts.find_since(since, setting.start, setting.x_tilde, *reach);
        touches.all.resize(found.len(), Touch::default());
        for_chunks(&mut touches.all, |first, touches| {
            for (touch, contact) in touches.iter_mut().zip(&found[first..]) {
                *touch = setting.touch(contact);
                if surface.is_at_hem(contact) && setting.goes_past(touch) {
                    touch.stiffness = R::ZERO;
                }
            }
        });
        touches.take_corners(setting.inv_mass);
        friction.take(setting, touches);
    }
}

impl<R: Real> TouchSetting<'_, R> {
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
        touch.anchor = touch.apart(self.start);
        touch.gap = touch.gap.min(touch.normal.dot(touch.anchor) + touch.gap * R::of(RECOVERED));
        touch.comes = touch.clearance(self.x_tilde) < R::ZERO;
        touch
    }

    /// Whether the sides of a contact move relative to each other by more than their gap. Its plane stays for the whole step,
    /// and at a hem that stands across the way: what slid over a cloth would be held by each vertex ahead of its hem.
    fn goes_past(&self, touch: &Touch<R>) -> bool {
        (touch.apart(self.x_tilde) - touch.anchor).length_sq() > touch.gap * touch.gap
    }
}
