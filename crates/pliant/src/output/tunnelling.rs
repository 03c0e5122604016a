//! Vertices that went through a collider between two frames.
//!
//! Contact is felt at the end of a step only, and a step ends outside of every collider: a vertex that moves farther in a step
//! than a collider is thick may jump over it. The path between two frames is taken as straight in the collider's own frame. It
//! goes through if it enters the shape on one side and leaves it on another that faces away; a path around an edge or a corner
//! enters and leaves by sides at a right angle or less.

use super::keeper::Known;
use crate::contact::{self, GridShape};
use crate::counted::counted;
use crate::math::Vec3;
use crate::model::{Model, State};
use crate::scene::{Collider, ColliderShape, Scene};
use rayon::prelude::*;
use std::collections::HashSet;
use std::sync::Arc;

type V = Vec3<f64>;

/// What lies less deep than this share of a collider's smallest half-size does not count as inside: contact is soft.
const SKIN: f64 = 0.1;

/// The product of the normals at entry and exit is below this. For a ball that is a path within half a radius of its centre.
const OPPOSITE: f64 = -0.5;

/// Watches the frames of a run.
pub(super) struct Tunnelling {
    model: Arc<Model>,
    things: Vec<Thing>,
    /// Between two frames a vertex may go around something in several steps.
    bends: bool,
    /// The frame before; nothing where no collider has an end.
    before: Option<Arc<Known>>,
    first_frame: usize,
}

/// A collider that has an other side.
struct Thing {
    name: String,
    shape: ColliderShape,
    motion: contact::Collider,
    /// Nothing that moves less gets through, m; 0 where the collider moves itself.
    least: f64,
    /// m
    smallest_half: f64,
    passed: HashSet<u32>,
}

impl Tunnelling {
    /// Watches from `known` on.
    pub fn new(scene: &Scene, model: &Arc<Model>, known: &Arc<Known>) -> Self {
        let has_end = |shape: &ColliderShape| !matches!(shape, ColliderShape::HalfSpace { .. });
        let colliders = scene.collider.iter().zip(&model.colliders);
        let things: Vec<Thing> = colliders
            .filter(|(collider, _)| has_end(&collider.shape))
            .map(|(collider, motion)| Thing::new(collider, motion.clone()))
            .collect();
        let before = (!things.is_empty()).then(|| known.clone());
        Self { model: model.clone(), things, bends: scene.time.steps_per_frame > 1, before, first_frame: 0 }
    }

    /// Takes note of a frame.
    pub fn observe(&mut self, frame: usize, known: &Arc<Known>) {
        let Some(before) = self.before.replace(known.clone()) else {
            self.before = None;
            return;
        };
        let none = self.things.iter().all(|thing| thing.passed.is_empty());
        for thing in &mut self.things {
            let passed = thing.passed_by(&before.state, &known.state, self.bends);
            let held = |vertex: u32| holds(&self.model, vertex, before.state.time);
            // A pin goes where the scene says.
            thing.passed.extend(passed.into_iter().filter(|vertex| !held(*vertex)));
        }
        if none && self.things.iter().any(|thing| !thing.passed.is_empty()) {
            self.first_frame = frame;
        }
    }

    /// What to tell about it, if there is anything.
    pub fn warning(&self) -> Option<String> {
        let passed: Vec<&Thing> = self.things.iter().filter(|thing| !thing.passed.is_empty()).collect();
        let each = |thing: &&Thing| {
            format!("{} through the collider '{}'", counted(thing.passed.len(), "vertex", "vertices"), thing.name)
        };
        let list = passed.iter().map(each).collect::<Vec<_>>().join(", ");
        (!passed.is_empty()).then(|| {
            format!(
                "something passed right through a collider, first in frame {}: {list}. In one step it moves farther than the \
                 collider is thick: take more steps_per_frame, or a thicker collider",
                self.first_frame
            )
        })
    }
}

/// The shortest way through: at least 2 (1 − SKIN) half-sizes from face to face, and √3 (1 − SKIN) radii through a ball or a
/// rod by what [`OPPOSITE`] means there.
fn least_path(collider: &Collider, smallest_half: f64) -> f64 {
    let still = collider.velocity == [0.0; 3] && collider.angular_velocity == [0.0; 3];
    if still { 1.5 * smallest_half } else { 0.0 }
}

fn smallest_half(shape: &ColliderShape, solid: Option<&GridShape>) -> f64 {
    match *shape {
        // Nothing thinner has an inside there.
        ColliderShape::Mesh { .. } | ColliderShape::Armchair { .. } => {
            solid.map_or(f64::INFINITY, |solid| 0.5 * solid.grid().layout().cell())
        }
        ColliderShape::HalfSpace { .. } => f64::INFINITY,
        ColliderShape::Sphere { radius } | ColliderShape::Capsule { radius, .. } => radius,
        ColliderShape::Box { size } => 0.5 * size.into_iter().fold(f64::INFINITY, f64::min),
        ColliderShape::Cylinder { radius, height } => radius.min(0.5 * height),
    }
}

/// Whether a pin holds a vertex at some time, s.
pub(super) fn holds(model: &Model, vertex: u32, time: f64) -> bool {
    let first = model.pins.partition_point(|pin| pin.vertex < vertex);
    model.pins[first..].iter().take_while(|pin| pin.vertex == vertex).any(|pin| pin.holds_at(time))
}

impl Thing {
    fn new(collider: &Collider, motion: contact::Collider) -> Self {
        let smallest_half = smallest_half(&collider.shape, motion.solid());
        let (name, shape, least) = (collider.name.clone(), collider.shape.clone(), least_path(collider, smallest_half));
        Self { name, shape, motion, least, smallest_half, passed: HashSet::new() }
    }

    /// Where a path between two points outside, in the collider's frame, is inside, less the skin: fractions of its length.
    fn inside(&self, path: [V; 2]) -> Option<[f64; 2]> {
        let skin = SKIN * self.smallest_half;
        match self.motion.solid() {
            Some(solid) => solid.inside(path, skin),
            None => self.shape.inside(path, skin),
        }
    }

    /// Vertices that went through on the way from one state to the next.
    fn passed_by(&self, before: &State, after: &State, bends: bool) -> Vec<u32> {
        let poses = [before, after].map(|state| Pose::of(&self.motion, state.time));
        let [start, end] = &poses;
        let through = |i: &usize| {
            if (V::of(after.x[*i]) - V::of(before.x[*i])).length_sq() < self.least * self.least {
                return false;
            }
            let path = [start.own(before.x[*i]), end.own(after.x[*i])];
            let Some(at) = self.inside(path) else { return false };
            let point = |t: f64| path[0] + (path[1] - path[0]) * t;
            let [entry, exit] = at.map(|t| start.normal(point(t)));
            let turned = || start.velocity(before, *i).dot(end.velocity(after, *i)) < 0.0;
            entry.dot(exit) < OPPOSITE && !(bends && turned())
        };
        let all = 0..before.x.len().min(after.x.len());
        all.into_par_iter().with_min_len(4096).filter(through).map(|i| i as u32).collect()
    }
}

/// A collider at one instant, to be seen from its own frame.
struct Pose {
    posed: contact::PosedCollider<f64>,
    centre: V,
    axes: [V; 3],
}

impl Pose {
    fn of(motion: &contact::Collider, time: f64) -> Self {
        let posed = motion.at::<f64>(time);
        let centre = posed.place(V::ZERO);
        let axes = [0, 1, 2].map(|axis| posed.place(V::axis(axis)) - centre);
        Self { posed, centre, axes }
    }

    /// A direction in the collider's own frame.
    fn turned(&self, v: V) -> V {
        V::new(v.dot(self.axes[0]), v.dot(self.axes[1]), v.dot(self.axes[2]))
    }

    fn own(&self, x: [f64; 3]) -> V {
        self.turned(V::of(x) - self.centre)
    }

    /// Outward normal at a point of the own frame.
    fn normal(&self, own: V) -> V {
        self.posed.distance_and_normal(self.posed.place(own)).1
    }

    /// How a vertex moves as seen from the collider, m/s.
    fn velocity(&self, state: &State, vertex: usize) -> V {
        self.turned(V::of(state.v[vertex]) - self.posed.velocity_at(V::of(state.x[vertex])))
    }
}

/// Straight paths and shapes, in the frame of the shape.
trait Inside {
    /// Where a path between two points outside is inside, deeper than the skin, m: fractions of its length.
    fn inside(&self, path: [V; 2], skin: f64) -> Option<[f64; 2]>;
}

impl Inside for ColliderShape {
    fn inside(&self, path: [V; 2], skin: f64) -> Option<[f64; 2]> {
        let span = match *self {
            // Solids answer themselves.
            ColliderShape::HalfSpace { .. } | ColliderShape::Mesh { .. } | ColliderShape::Armchair { .. } => None,
            ColliderShape::Box { size } => {
                let half = size.map(|side| 0.5 * side);
                let sides = [0, 1, 2].map(|axis| slab(path, axis, half[axis] - skin));
                both(sides[1], both(sides[0], sides[2]))
            }
            ColliderShape::Cylinder { radius, height } => {
                both(slab(path, 1, 0.5 * height - skin), round(path, V::ZERO, radius - skin, 0.0))
            }
            ColliderShape::Sphere { radius } => round(path, V::ZERO, radius - skin, 1.0),
            ColliderShape::Capsule { radius, height } => {
                let (radius, half) = (radius - skin, 0.5 * height);
                let end = |y: f64| round(path, V::new(0.0, y, 0.0), radius, 1.0);
                let middle = both(slab(path, 1, half), round(path, V::ZERO, radius, 0.0));
                // It is convex: the first entry and the last exit of its parts are its own.
                let parts = [end(half), middle, end(-half)].into_iter().flatten();
                parts.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])])
            }
        };
        span.filter(|[enters, leaves]| *enters > 0.0 && *leaves < 1.0)
    }
}

impl Inside for GridShape {
    /// The first part of the path that is inside, to an eighth of a cell.
    fn inside(&self, path: [V; 2], skin: f64) -> Option<[f64; 2]> {
        let (layout, along) = (self.grid().layout(), path[1] - path[0]);
        let [low, high] = [layout.point([0; 3]), layout.point(layout.counts().map(|count| count - 1))];
        let (centre, half) = ((low + high) * 0.5, (high - low) * 0.5);
        let own = path.map(|x| x - centre);
        let [from, to] = (0..3).try_fold([0.0, 1.0], |span, axis| both(Some(span), slab(own, axis, half[axis])))?;
        let depth = |t: f64| -self.grid().distance(path[0] + along * t).0 - skin;
        let length = (to - from) * along.length();
        if depth(0.5 * (from + to)) < -(0.5 * length + 2.0 * layout.cell()) {
            return None;
        }
        let pieces = (8.0 * length / layout.cell()).ceil().max(1.0) as usize;
        let at = |k: usize| from + (to - from) * k as f64 / pieces as f64;
        let enters = (0..=pieces).find(|k| depth(at(*k)) > 0.0)?;
        let leaves = (enters..=pieces).find(|k| depth(at(*k)) <= 0.0)?;
        (enters > 0).then(|| [at(enters), at(leaves)])
    }
}

/// Where a straight line is within `half` of the origin along an axis.
fn slab(path: [V; 2], axis: usize, half: f64) -> Option<[f64; 2]> {
    let (from, along) = (path[0][axis], path[1][axis] - path[0][axis]);
    if along == 0.0 {
        return (from.abs() < half).then_some([f64::NEG_INFINITY, f64::INFINITY]);
    }
    let [a, b] = [(-half - from) / along, (half - from) / along];
    Some([a.min(b), a.max(b)])
}

/// Where a straight line is within `radius` of a point (`upright` 1) or of the upright line through it (`upright` 0).
fn round(path: [V; 2], centre: V, radius: f64, upright: f64) -> Option<[f64; 2]> {
    let flat = |v: V| V::new(v.x, upright * v.y, v.z);
    let (from, along) = (flat(path[0] - centre), flat(path[1] - path[0]));
    let (a, b, c) = (along.length_sq(), from.dot(along), from.length_sq() - radius * radius);
    if a == 0.0 {
        return (c < 0.0).then_some([f64::NEG_INFINITY, f64::INFINITY]);
    }
    let root = b * b - a * c;
    (root > 0.0).then(|| [(-b - root.sqrt()) / a, (-b + root.sqrt()) / a])
}

/// The part that two parts have in common.
fn both(a: Option<[f64; 2]>, b: Option<[f64; 2]>) -> Option<[f64; 2]> {
    let (a, b) = (a?, b?);
    let common = [a[0].max(b[0]), a[1].min(b[1])];
    (common[0] < common[1]).then_some(common)
}

#[cfg(test)]
#[path = "tunnelling_tests.rs"]
mod tests;
