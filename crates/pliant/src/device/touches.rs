//! Contacts between bodies in a step, as every device takes them: found once, each as stiff as its sides in a row, with the friction
//! of the step, and by vertex.

use super::parallel::for_chunks;
use crate::contact::close::{CloseContacts, CloseLimits, CloseSurface, Contact, Side, Since, Touch};
use crate::contact::sticking_slip;
use crate::math::{Real, Vec3};
use crate::model::{Model, connected_parts};
use std::sync::Arc;

/// How often contacts and colliders push in turn before a solve: a floor pushes a cloth, and that the next one.
pub const MEETINGS: usize = 4;

/// Where sides come closer in a step by more than this part of what weight alone would bring, that says how hard they press on each
/// other. Else the force that the step before left must: a depth of a micrometre times a large stiffness, and rough.
const KNOWN: f64 = 0.1;

/// What is too close at the start of a step gets back so much of its gap in the step. All of it at once would throw what a fast
/// step left deep inside.
const RECOVERED: f64 = 0.25;

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
    /// How hard each presses.
    pressing: Vec<Pressing>,
    /// Which parts press on each other, ascending, and how hard; masses are those of the lower and the higher part.
    pairs: Vec<(u64, Pressing)>,
    /// The first of the free parts that each part is in contact with by others, and what all of them together weigh, kg.
    group: Vec<usize>,
    above: Vec<f64>,
    /// What of each part its contacts stop, kg.
    stopped: Vec<f64>,
}

/// How hard the sides of a contact press on each other, or those of all contacts between two parts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Pressing {
    /// By what stops the motion of its share of the vertices, N; 0 if there is none, as in a stack, all of which would fall.
    stopped: f64,
    /// By the force that the step before left, N.
    left: f64,
    /// What of both sides is stopped, kg: that of the first vertex, and the other one.
    mass: [f64; 2],
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
        let Self { all, offset, item, active, crowd, .. } = self;
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

    /// The first of the parts that each part is in contact with, by whatever others; `of` is the part of each vertex.
    pub fn take_groups(&self, of: &[u32], parts: usize, first: &mut Vec<usize>) {
        first.clear();
        first.extend(0..parts);
        let root = |first: &[usize], mut k: usize| {
            while first[k] != k {
                k = first[k];
            }
            k
        };
        for touch in &self.all {
            let [a, b] = [touch.stencil[0], touch.stencil[3]].map(|i| root(first, of[i as usize] as usize));
            first[a.max(b)] = a.min(b);
        }
        (0..parts).for_each(|k| first[k] = root(first, k));
    }

    /// Who is in which contact.
    fn take_corners(&mut self, inv_mass: &[R]) {
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
    friction: R,
    parts: PartMasses,
}

/// What elements connect.
#[derive(Debug)]
struct PartMasses {
    /// The part of each vertex.
    of: Vec<u32>,
    /// Of each part, kg; 0 if a vertex of it is held: then it carries everything.
    mass: Vec<f64>,
}

impl<R: Real> TouchSearch<R> {
    /// `None` where bodies do not feel each other.
    pub fn new(model: &Arc<Model>) -> Option<Self> {
        let friction = R::of(model.self_friction?);
        let surface = Arc::new(model.close_surface());
        let reach = R::of(surface.usual_reach());
        let contacts = CloseContacts::new(surface.clone(), CloseLimits::default());
        let mut of = vec![0; model.vertices()];
        for (number, vertices) in (0..).zip(connected_parts(model).rows()) {
            vertices.iter().for_each(|&i| of[i as usize] = number);
        }
        let parts = PartMasses { of, mass: Vec::new() };
        Some(Self { model: model.clone(), surface, contacts, reach, friction, parts })
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
        let Self { model, surface, contacts, reach, friction, parts } = self;
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
        if *friction > R::ZERO && !found.is_empty() {
            touches.look(setting.x_tilde);
            let falls = Vec3::<f64>::of(model.acceleration).length() * setting.h * setting.h;
            parts.weigh(setting.inv_mass);
            touches.take_pressing(setting, falls, parts);
            touches.take_friction(parts, *friction, R::of(setting.h));
        }
    }
}

/// By how many times contacts press harder than what stops the vertices in them. That is all that presses a cloth, but of a solid there is
/// the rest of it above, and what lies on it: `most` times as much mass. It all presses, unless the forces that the step before `left`,
/// as many times as much, are not half of that: then it is not all stopped yet, and twice these count. They alone would be noise, which
/// held cloth by up to a third too much.
fn more_above(most: f64, left: f64) -> f64 {
    if left >= 0.5 * most { most.max(1.0) } else { (2.0 * left).max(1.0) }
}

/// The lower and the higher part of a pair.
fn both(pair: u64) -> [usize; 2] {
    [(pair >> 32) as usize, (pair & u64::from(u32::MAX)) as usize]
}

/// Two parts, as one number.
fn pair_of<R>(part: &[u32], touch: &Touch<R>) -> u64 {
    let [a, b] = [touch.stencil[0], touch.stencil[3]].map(|i| u64::from(part[i as usize]));
    a.min(b) << 32 | a.max(b)
}

impl PartMasses {
    /// Pins come and go, so it is asked in every step.
    fn weigh<R: Real>(&mut self, inv_mass: &[R]) {
        let Self { of, mass } = self;
        mass.clear();
        mass.resize(of.iter().max().map_or(0, |&last| last as usize + 1), 0.0);
        for (&part, inv_mass) in of.iter().zip(inv_mass) {
            mass[part as usize] += 1.0 / inv_mass.f64();
        }
        mass.iter_mut().filter(|mass| !mass.is_finite()).for_each(|mass| *mass = 0.0);
    }
}

impl<R: Real> Touches<R> {
    /// How hard contacts press, and all of two parts together.
    fn take_pressing(&mut self, setting: &TouchSetting<R>, falls: f64, parts: &PartMasses) {
        let part = &parts.of;
        let Self { all, crowd, pressing, pairs, .. } = self;
        pressing.resize(all.len(), Pressing::default());
        for_chunks(pressing, |first, pressing| {
            for (pressing, touch) in pressing.iter_mut().zip(&all[first..]) {
                *pressing = setting.pressing(touch, crowd, falls);
            }
        });
        pairs.clear();
        pairs.extend(all.iter().map(|touch| (pair_of(part, touch), Pressing::default())));
        pairs.sort_unstable_by_key(|pair| pair.0);
        pairs.dedup_by_key(|pair| pair.0);
        for (touch, pressing) in all.iter().zip(pressing).filter(|(_, pressing)| pressing.stopped > 0.0) {
            if let Ok(k) = pairs.binary_search_by_key(&pair_of(part, touch), |pair| pair.0) {
                let sum = &mut pairs[k].1;
                sum.stopped += pressing.stopped;
                sum.left += pressing.left;
                let turned = part[touch.stencil[0] as usize] > part[touch.stencil[3] as usize];
                let [low, high] = if turned { [1, 0] } else { [0, 1] };
                sum.mass[0] += pressing.mass[low];
                sum.mass[1] += pressing.mass[high];
            }
        }
        self.take_above(parts);
    }

    /// What the free parts weigh that are in contact with each other, by whatever others.
    fn take_above(&mut self, parts: &PartMasses) {
        let Self { pairs, group, above, stopped, .. } = self;
        group.clear();
        group.extend(0..parts.mass.len());
        let root = |group: &[usize], mut k: usize| {
            while group[k] != k {
                k = group[k];
            }
            k
        };
        for [a, b] in pairs.iter().map(|pair| both(pair.0)).filter(|both| both.iter().all(|&k| parts.mass[k] > 0.0)) {
            let [a, b] = [root(group, a), root(group, b)];
            group[a.max(b)] = a.min(b);
        }
        stopped.clear();
        stopped.resize(parts.mass.len(), 0.0);
        for (pair, sum) in pairs.iter() {
            both(*pair).into_iter().zip(sum.mass).for_each(|(k, mass)| stopped[k] += mass);
        }
        above.clear();
        above.resize(parts.mass.len(), 0.0);
        for (k, mass) in parts.mass.iter().enumerate() {
            group[k] = root(group, k);
            above[group[k]] += mass;
        }
    }

    /// Friction of each contact in the step.
    fn take_friction(&mut self, parts: &PartMasses, friction: R, h: R) {
        let Self { all, pressing, pairs, group, above, stopped, .. } = self;
        let part = &parts.of;
        for_chunks(all, |first, touches| {
            for (touch, pressing) in touches.iter_mut().zip(&pressing[first..]) {
                let pair = pairs.binary_search_by_key(&pair_of(part, touch), |pair| pair.0);
                let more = pair.map_or(1.0, |k| {
                    let (both, sum) = (both(pairs[k].0), pairs[k].1);
                    // A part that lies on itself has nothing above that is not counted.
                    let free = both.into_iter().filter(|&k| both[0] != both[1] && above[group[k]] > 0.0);
                    let most = free.map(|k| above[group[k]] / stopped[k]).fold(f64::INFINITY, f64::min);
                    more_above(if most.is_finite() { most } else { 1.0 }, sum.left / sum.stopped)
                });
                let by = if pressing.stopped > 0.0 { pressing.stopped * more } else { pressing.left };
                touch.limit = friction * R::of(by);
                touch.sticking = sticking_slip(touch.limit, touch.stiffness, h);
            }
        });
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

    /// Whether the sides of a contact move relative to each other by more than their gap. Its plane stays for the whole step, and at
    /// a hem that stands across the way: what slid over a cloth would be held by each vertex ahead of its hem.
    fn goes_past(&self, touch: &Touch<R>) -> bool {
        (touch.apart(self.x_tilde) - touch.anchor).length_sq() > touch.gap * touch.gap
    }

    /// How hard a contact presses. `falls` is how far weight alone moves things in a step, m.
    fn pressing(&self, touch: &Touch<R>, crowd: &[R], falls: f64) -> Pressing {
        if touch.stiffness <= R::ZERO {
            return Pressing::default();
        }
        let depth = (touch.gap - touch.normal.dot(touch.anchor)).max(R::ZERO).min(touch.gap);
        // A corner without weight may be on either side.
        let first = if touch.weight[1] >= R::ZERO { 2 } else { 1 };
        // Of each side, what this contact stops, kg.
        let side = |corners: std::ops::Range<usize>| {
            corners.fold(R::ZERO, |sum, k| {
                let i = touch.stencil[k] as usize;
                let free = self.inv_mass[i] > R::ZERO && crowd[i] > R::ZERO;
                if free { sum + touch.weight[k].abs() / (crowd[i] * self.inv_mass[i]) } else { sum }
            })
        };
        let mass = [side(0..first), side(first..4)];
        let yielding = mass.iter().fold(R::ZERO, |sum, &mass| if mass > R::ZERO { sum + R::ONE / mass } else { sum });
        let approach = touch.normal.dot(touch.anchor - touch.apart(self.x_tilde));
        let stops = touch.comes && yielding > R::ZERO && approach > R::of(KNOWN * falls);
        let stopped =
            if stops { -touch.clearance(self.x_tilde) / (yielding * R::of(self.h * self.h)) } else { R::ZERO };
        // Nobody knows how hard what comes without stopping anything presses.
        let known = stops || approach <= R::of(KNOWN * falls);
        let left = if known { touch.stiffness * depth } else { R::ZERO };
        Pressing { stopped: stopped.f64(), left: left.f64(), mass: mass.map(Real::f64) }
    }
}
