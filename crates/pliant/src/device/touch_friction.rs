//! How hard contacts between bodies press, and so their friction, once per step.

use super::parallel::for_chunks;
use super::touches::{TouchSetting, Touches};
use crate::contact::close::Touch;
use crate::contact::sticking_slip;
use crate::math::{Real, Vec3};
use crate::model::{Links, Model, connected_parts, part_of_each};

/// Where sides come closer in a step by more than this part of what weight alone would bring, that says how hard they press on
/// each other. Else the force that the step before left must: a depth of a micrometre times a large stiffness, and rough.
pub const KNOWN: f64 = 0.1;

/// How hard the sides of a contact press on each other, or those of all contacts between two parts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Pressing {
    /// By what stops the motion of its share of the vertices, N; 0 if there is none, as in a stack, all of which would fall.
    stopped: f64,
    /// By the force that the step before left, N.
    left: f64,
    /// What of both sides is stopped, kg: of the first vertex's, and of the other; of two parts of the lower, and of the
    /// higher.
    mass: [f64; 2],
}

/// Friction between bodies, with memory for finding it.
#[derive(Debug)]
pub(super) struct TouchFriction {
    /// Coulomb's coefficient.
    coefficient: f64,
    /// Acceleration by weight alone, m/s².
    weight: f64,
    /// The part of each vertex: what elements connect.
    part: Vec<u32>,
    /// Of each part, kg; 0 if a vertex of it is held: then it carries everything.
    mass: Vec<f64>,
    /// Of each contact.
    pressing: Vec<Pressing>,
    /// Parts that press on each other, ascending.
    pairs: Vec<([u32; 2], Pressing)>,
    /// Free parts that are in contact.
    links: Links,
    /// All that is linked to a first part, kg, and what of each part its contacts stop, kg.
    above: Vec<f64>,
    stopped: Vec<f64>,
}

impl TouchFriction {
    pub fn new(model: &Model, coefficient: f64) -> Self {
        let parts = connected_parts(model);
        Self {
            coefficient,
            weight: Vec3::<f64>::of(model.acceleration).length(),
            part: part_of_each(&parts, model.vertices()),
            mass: vec![0.0; parts.len()],
            pressing: Vec::new(),
            pairs: Vec::new(),
            links: Links::default(),
            above: Vec::new(),
            stopped: Vec::new(),
        }
    }

    /// Gives contacts the limits of their friction in the step.
    pub fn take<R: Real>(&mut self, setting: &TouchSetting<R>, touches: &mut Touches<R>) {
        if self.coefficient <= 0.0 || touches.is_empty() {
            return;
        }
        touches.look(setting.x_tilde);
        self.weigh(setting.inv_mass);
        self.take_pressing(setting, touches);
        self.take_pairs(touches);
        self.take_above();
        let h = R::of(setting.h);
        for_chunks(&mut touches.all, |first, touches| {
            for (touch, pressing) in touches.iter_mut().zip(&self.pressing[first..]) {
                touch.limit = R::of(self.coefficient * self.pressed(touch, pressing));
                touch.sticking = sticking_slip(touch.limit, touch.stiffness, h);
            }
        });
    }

    /// Pins come and go, so it is asked in every step.
    fn weigh<R: Real>(&mut self, inv_mass: &[R]) {
        self.mass.fill(0.0);
        for (&part, inv_mass) in self.part.iter().zip(inv_mass) {
            self.mass[part as usize] += 1.0 / inv_mass.f64();
        }
        self.mass.iter_mut().filter(|mass| !mass.is_finite()).for_each(|mass| *mass = 0.0);
    }

    fn take_pressing<R: Real>(&mut self, setting: &TouchSetting<R>, touches: &Touches<R>) {
        let falls = self.weight * setting.h * setting.h;
        self.pressing.resize(touches.all.len(), Pressing::default());
        for_chunks(&mut self.pressing, |first, pressing| {
            for (pressing, touch) in pressing.iter_mut().zip(&touches.all[first..]) {
                *pressing = setting.pressing(touch, touches.crowd(), falls);
            }
        });
    }

    /// Both parts of a contact, the lower one first.
    fn parts<R>(&self, touch: &Touch<R>) -> [u32; 2] {
        let [a, b] = [touch.stencil[0], touch.stencil[3]].map(|i| self.part[i as usize]);
        [a.min(b), a.max(b)]
    }

    /// Adds up what stops something, by parts.
    fn take_pairs<R: Real>(&mut self, touches: &Touches<R>) {
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.clear();
        pairs.extend(touches.all.iter().map(|touch| (self.parts(touch), Pressing::default())));
        pairs.sort_unstable_by_key(|pair| pair.0);
        pairs.dedup_by_key(|pair| pair.0);
        for (touch, pressing) in touches.all.iter().zip(&self.pressing).filter(|(_, p)| p.stopped > 0.0) {
            let parts = self.parts(touch);
            let Ok(k) = pairs.binary_search_by_key(&parts, |pair| pair.0) else { continue };
            let sum = &mut pairs[k].1;
            sum.stopped += pressing.stopped;
            sum.left += pressing.left;
            let is_low = self.part[touch.stencil[0] as usize] == parts[0];
            let [low, high] = if is_low { [0, 1] } else { [1, 0] };
            sum.mass[0] += pressing.mass[low];
            sum.mass[1] += pressing.mass[high];
        }
        self.pairs = pairs;
    }

    /// What free parts weigh that are in contact with each other, by whatever others, and what of them is stopped.
    fn take_above(&mut self) {
        let Self { mass, pairs, links, above, stopped, .. } = self;
        links.restart(mass.len());
        [&mut *above, &mut *stopped].into_iter().for_each(|sums| {
            sums.clear();
            sums.resize(mass.len(), 0.0);
        });
        for ([low, high], sum) in pairs.iter() {
            if [low, high].iter().all(|&&k| mass[k as usize] > 0.0) {
                links.join(*low, *high);
            }
            [low, high].into_iter().zip(sum.mass).for_each(|(&k, mass)| stopped[k as usize] += mass);
        }
        for (&first, mass) in links.firsts().iter().zip(mass) {
            above[first as usize] += *mass;
        }
        // Of each part, no longer of the first alone.
        for (k, &first) in links.firsts().iter().enumerate() {
            above[k] = above[first as usize];
        }
    }

    /// How hard a contact presses with all that is above it, N.
    fn pressed<R>(&self, touch: &Touch<R>, pressing: &Pressing) -> f64 {
        if pressing.stopped <= 0.0 {
            return pressing.left;
        }
        let parts @ [low, high] = self.parts(touch);
        let Ok(k) = self.pairs.binary_search_by_key(&parts, |pair| pair.0) else { return pressing.stopped };
        // A part that lies on itself has nothing above that is not counted.
        let free = parts.into_iter().filter(|&k| low != high && self.mass[k as usize] > 0.0);
        let most = free.map(|k| self.above[k as usize] / self.stopped[k as usize]).fold(f64::INFINITY, f64::min);
        let sum = &self.pairs[k].1;
        pressing.stopped * more_above(if most.is_finite() { most } else { 1.0 }, sum.left / sum.stopped)
    }
}

/// By how many times contacts press harder than what stops the vertices in them. That is all that presses a cloth, but of a
/// solid there is the rest of it above, and what lies on it: `most` times as much mass. It all presses, unless the forces that
/// the step before `left`, as many times as much, are not half of that: then it is not all stopped yet, and twice these count.
/// These alone would be noise: with `pd-pcg` a cloth slid 0.117 m where Coulomb's law says 0.195 m.
fn more_above(most: f64, left: f64) -> f64 {
    if left >= 0.5 * most { most.max(1.0) } else { (2.0 * left).max(1.0) }
}

impl<R: Real> TouchSetting<'_, R> {
    /// How hard a contact presses. `falls` is how far weight alone moves things in a step, m.
    fn pressing(&self, touch: &Touch<R>, crowd: &[R], falls: f64) -> Pressing {
        if touch.stiffness <= R::ZERO {
            return Pressing::default();
        }
        // What starts deep inside has a negative gap, and says nothing of forces.
        let depth = (touch.gap - touch.normal.dot(touch.anchor)).max(R::ZERO).min(touch.gap.max(R::ZERO));
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
        let comes = approach > R::of(KNOWN * falls);
        let stops = touch.comes && yielding > R::ZERO && comes;
        let stopped =
            if stops { -touch.clearance(self.x_tilde) / (yielding * R::of(self.h * self.h)) } else { R::ZERO };
        // Nobody knows how hard what comes without stopping anything presses.
        let left = if stops || !comes { touch.stiffness * depth } else { R::ZERO };
        Pressing { stopped: stopped.f64(), left: left.f64(), mass: mass.map(Real::f64) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_above_presses_once_it_is_stopped() {
        // Cloth; a block that is carried, one that lands, one that something else carries in part; noise.
        for (most, left, more) in [(1.0, 0.9, 1.0), (4.0, 4.1, 4.0), (4.0, 0.1, 1.0), (4.0, 1.5, 3.0), (1.0, 2.0, 1.0)]
        {
            assert_eq!(more_above(most, left), more, "{most} {left}");
        }
    }
}
