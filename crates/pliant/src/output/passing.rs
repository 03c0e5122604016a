//! Bodies so fast relative to each other that they may pass through each other unseen.
//!
//! Contacts between bodies are looked for where a step begins, and as far ahead as [`reach`](CloseSurface::usual_reach) beyond
//! the gap to keep. What comes closer by more than both in a step is first seen on the other side, where cloth stays: nothing
//! crosses at the end, and no report would tell. Looked at are the frames: who would come how close in the time of one, going
//! straight on, and how fast across the surface; what slides along it passes nothing. A body that passes through itself is not
//! looked for.

use super::camera::Bounds;
use super::keeper::Known;
use super::tunnelling::holds;
use crate::contact::close::CloseSurface;
use crate::counted::short;
use crate::math::Vec3;
use crate::model::{Body, Model, State};
use crate::scene::Scene;
use std::sync::Arc;

type V = Vec3<f64>;

/// Vertices of each of two bodies that are compared with each other, at most, evenly taken.
const COMPARED: usize = 400;

/// A step that goes so many times as far as contact is looked for is told. In one that goes little farther most vertices are
/// seen in time, and hold those that are not.
const CLEARLY: f64 = 1.25;

/// Watches the frames of a run.
pub(super) struct Passing {
    model: Arc<Model>,
    /// How far ahead contacts are looked for, m.
    reach: f64,
    /// How deep in solids, m.
    deepest: f64,
    /// s
    step: f64,
    /// s
    frame: f64,
    steps_per_frame: usize,
    /// The frame before; nothing where no two bodies feel each other, or when all is told.
    before: Option<Arc<Known>>,
    told: Option<String>,
}

/// Two vertices that come closer too fast.
#[derive(Clone, Copy)]
struct Pair {
    /// Of their motion relative to each other, across the surface, m.
    per_step: f64,
    /// How far contact is looked for, m.
    seen: f64,
    bodies: [usize; 2],
}

/// What a body does in a frame.
struct Motion {
    body: usize,
    /// Where it goes, straight on.
    path: Bounds,
    velocity: Bounds,
}

impl Passing {
    /// Watches from `known` on.
    pub fn new(scene: &Scene, model: &Arc<Model>, known: &Arc<Known>) -> Self {
        let several = model.self_friction.is_some() && model.bodies.len() > 1;
        let surface = if several { model.close_surface() } else { CloseSurface::default() };
        Self {
            model: model.clone(),
            reach: surface.usual_reach(),
            deepest: surface.deepest(),
            step: scene.time.step_size(),
            frame: scene.time.step_size() * scene.time.steps_per_frame as f64,
            steps_per_frame: scene.time.steps_per_frame,
            before: several.then(|| known.clone()),
            told: None,
        }
    }

    /// Takes note of a frame.
    pub fn observe(&mut self, frame: usize, known: &Arc<Known>) {
        let Some(before) = self.before.take() else { return };
        match self.fastest(&before.state) {
            Some(pair) => self.told = Some(self.words(frame, &pair)),
            None => self.before = Some(known.clone()),
        }
    }

    /// What to tell about it, if there is anything.
    pub fn warning(&self) -> Option<String> {
        self.told.clone()
    }

    fn words(&self, frame: usize, pair: &Pair) -> String {
        let [a, b] = pair.bodies.map(|body| &self.model.bodies[body].name);
        let enough = (self.steps_per_frame as f64 * pair.per_step / pair.seen).ceil();
        format!(
            "'{a}' and '{b}' may pass through each other, first in frame {frame}: they come closer by {} mm in a step, at {} m/s, \
             and contact is looked for {} mm ahead: raise time.steps_per_frame ({}) to {enough} or more",
            short(1e3 * pair.per_step),
            short(pair.per_step / self.step),
            short(1e3 * pair.seen),
            self.steps_per_frame,
        )
    }

    /// Of all pairs that may pass in the frame that begins with `state`, that of the fastest.
    fn fastest(&self, state: &State) -> Option<Pair> {
        let mut motions: Vec<Motion> =
            self.model.bodies.iter().enumerate().map(|(index, body)| self.motion(state, index, body)).collect();
        motions.sort_by(|a, b| a.path.low[0].total_cmp(&b.path.low[0]));
        let mut fastest: Option<Pair> = None;
        for (k, a) in motions.iter().enumerate() {
            let until = a.path.high[0] + 2.0 * self.reach;
            for b in motions[k + 1..].iter().take_while(|b| b.path.low[0] <= until) {
                let least = fastest.map_or(CLEARLY * self.reach, |pair| pair.per_step);
                if a.apart(b) * self.step > least && !self.common(a, b).is_empty() {
                    let pair = self.compare(state, a, b);
                    fastest = fastest.into_iter().chain(pair).max_by(|a, b| a.per_step.total_cmp(&b.per_step));
                }
            }
        }
        fastest
    }

    fn motion(&self, state: &State, index: usize, body: &Body) -> Motion {
        let velocity = Bounds::of(&state.v[body.vertices.clone()]);
        let mut path = Bounds::of(&state.x[body.vertices.clone()]);
        for i in body.vertices.clone() {
            path.include((V::of(state.x[i]) + V::of(state.v[i]) * self.frame).f64());
        }
        Motion { body: index, path, velocity }
    }

    /// Where two bodies may meet.
    fn common(&self, a: &Motion, b: &Motion) -> Bounds {
        a.path.grown(self.reach).common(b.path.grown(self.reach))
    }

    /// Vertex by vertex.
    fn compare(&self, state: &State, a: &Motion, b: &Motion) -> Option<Pair> {
        let place = self.common(a, b);
        let [(first, thinned), (second, also)] = [a, b].map(|motion| self.points(state, motion, place));
        // Where some are left out, others are as far off as those.
        let near = self.reach * thinned.max(also);
        let mut fastest: Option<Pair> = None;
        for p in &first {
            for q in &second {
                let (apart, speed) = (q.x - p.x, p.v - q.v);
                // How fast across the surface of either one, and to the side where the other one is.
                let across =
                    |normal: V| if apart.dot(normal) * speed.dot(normal) > 0.0 { speed.dot(normal) } else { 0.0 };
                let per_step = across(p.normal).abs().max(across(q.normal).abs()) * self.step;
                let solid = if p.solid || q.solid { self.deepest } else { 0.0 };
                let seen = self.reach + solid + 0.5 * (p.thickness + q.thickness);
                if per_step <= CLEARLY * seen
                    || p.held && q.held
                    || fastest.is_some_and(|pair| pair.per_step >= per_step)
                {
                    continue;
                }
                let time = (apart.dot(speed) / speed.length_sq()).clamp(0.0, self.frame);
                if (apart - speed * time).length() < near {
                    fastest = Some(Pair { per_step, seen, bodies: [a.body.min(b.body), a.body.max(b.body)] });
                }
            }
        }
        fastest
    }

    /// Vertices of a body that may come to a place, and by how much farther apart they are than all of them.
    fn points(&self, state: &State, motion: &Motion, place: Bounds) -> (Vec<Point>, f64) {
        let (model, body) = (&*self.model, &self.model.bodies[motion.body]);
        let first = body.vertices.start;
        let mut normals = vec![V::ZERO; body.vertices.len()];
        for t in &body.triangles {
            let [p, q, r] = t.map(|i| V::of(state.x[first + i as usize]));
            let normal = (q - p).cross(r - p);
            t.iter().for_each(|&i| normals[i as usize] += normal);
        }
        let comes = |i: &usize| {
            let path = Bounds::of(&[state.x[*i], (V::of(state.x[*i]) + V::of(state.v[*i]) * self.frame).f64()]);
            // What is inside a solid meets nobody.
            normals[*i - first] != V::ZERO && !path.common(place).is_empty()
        };
        let all: Vec<usize> = body.vertices.clone().filter(comes).collect();
        let every = all.len().div_ceil(COMPARED).max(1);
        let point = |&i: &usize| Point {
            x: V::of(state.x[i]),
            v: V::of(state.v[i]),
            normal: normals[i - first].unit_or(V::ZERO),
            thickness: model.thickness[i],
            held: holds(model, i as u32, state.time),
            solid: !body.tets.is_empty(),
        };
        (all.iter().step_by(every).map(point).collect(), (every as f64).sqrt())
    }
}

impl Motion {
    /// The most by which the velocities of two bodies differ, m/s.
    fn apart(&self, other: &Self) -> f64 {
        let most = |k: usize| {
            let ([a, b], [c, d]) =
                ([self.velocity.low[k], self.velocity.high[k]], [other.velocity.low[k], other.velocity.high[k]]);
            (b - c).max(d - a)
        };
        V::new(most(0), most(1), most(2)).length()
    }
}

/// A vertex that may meet others.
struct Point {
    x: V,
    v: V,
    normal: V,
    thickness: f64,
    /// By a pin, which goes where the scene says.
    held: bool,
    solid: bool,
}

#[cfg(test)]
#[path = "passing_tests.rs"]
mod tests;
