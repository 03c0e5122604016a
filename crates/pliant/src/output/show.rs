//! A simulation as somebody far away sees it: what there is once, then a small message per frame (docs/viewer.md).

use super::camera::Bounds;
use super::palette::{body_colour, collider_colour};
use super::preview::framed;
use super::scenery::Scenery;
use crate::colouring::{Graph, greedy};
use crate::model::{Model, State, System};
use crate::scene::Scene;
use serde_json::{Value, json};

/// Of the messages.
const VERSION: u8 = 1;
const TOPOLOGY: u8 = 1;
const FRAME: u8 = 2;
const HAS_RESIDUALS: u8 = 1;

/// Width of what is shown of a half-space, over the radius of the bodies.
const PATCH: f64 = 6.0;

/// What is known of a frame besides positions.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct FrameFacts {
    /// s
    pub time: f64,
    /// Steps done.
    pub step: u64,
    /// The newest command that it knows.
    pub applied: u64,
    /// Time of its slowest step, ms.
    pub ms: f64,
    /// Time of all its steps, ms.
    pub frame_ms: f64,
    /// Of the last step.
    pub iterations: usize,
    /// Of the last step, J.
    pub energy: f64,
    /// Of the last step, N.
    pub gradient_norm: f64,
    /// Of the last step.
    pub max_stretch: f64,
    /// Of the last step.
    pub mean_stretch: f64,
    /// Of the last step, m; `None` without colliders.
    pub min_gap: Option<f64>,
    /// Vertices nearer to a collider than their thickness and a hundredth.
    pub touching: usize,
    /// Of the last step.
    pub inverted: usize,
    /// Of its steps together.
    pub restarts: usize,
    /// Of its steps together.
    pub retries: usize,
    /// A step ended after its deadline.
    pub over_budget: bool,
    /// The method that solved it.
    pub method: String,
    /// Vertices in a hand.
    pub held: Vec<u32>,
    /// What to doubt about the last step.
    pub doubt: Option<String>,
    /// Why the last step could not be made.
    pub error: Option<String>,
}

/// A frame to be shown.
#[derive(Clone, Copy, Debug)]
pub struct ShownFrame<'a> {
    /// Which of the views that are shown side by side.
    pub view: u8,
    /// Positions, m.
    pub x: &'a [[f64; 3]],
    /// ‖∇E‖ of each vertex, N.
    pub residual: Option<&'a [f64]>,
}

/// Makes the messages of one scene.
pub struct Show {
    scenery: Vec<Scenery>,
    generation: u32,
    topology: Vec<u8>,
}

impl Show {
    /// Of a scene whose bodies begin at `state`.
    pub fn new(scene: &Scene, model: &Model, state: &State, generation: u32) -> Self {
        let bodies = Bounds::of(&state.x);
        let scenery = Scenery::of(scene, model, bodies, PATCH);
        let mut show = Self { scenery, generation, topology: Vec::new() };
        let bounds = framed(bodies, show.scenery.iter().map(|thing| thing.bounds(0.0)));
        show.topology = show.describe(scene, model, bounds);
        show
    }

    /// What there is.
    pub fn topology(&self) -> &[u8] {
        &self.topology
    }

    fn describe(&self, scene: &Scene, model: &Model, bounds: Bounds) -> Vec<u8> {
        let triangles: Vec<[u32; 3]> = model.surface().collect();
        let colour = colour_classes(scene, model);
        let things = self.scenery.iter().map(|thing| {
            json!({
                "name": thing.name, "points": thing.own_points().len(), "triangles": thing.triangles.len(),
                "colour": collider_colour(), "endless": thing.is_endless(), "moves": !thing.is_still(),
            })
        });
        let facts = json!({
            "scene": scene.name,
            "vertices": model.vertices(),
            "triangles": triangles.len(),
            "edges": model.edges.len(),
            "colours": colour.iter().max().map_or(0, |largest| u32::from(*largest) + 1),
            "frame_rate": scene.time.frame_rate,
            "bodies": bodies(model),
            "scenery": things.collect::<Vec<Value>>(),
            "low": bounds.low,
            "high": bounds.high,
        });
        let mut message = Message::new(TOPOLOGY, 0, 0, self.generation, &facts);
        message.points(&model.rest_x);
        message.indices(triangles.as_flattened());
        message.indices(model.edges.as_flattened());
        message.words(&colour);
        for thing in &self.scenery {
            if thing.is_still() {
                message.points(&thing.points_at(0.0))
            } else {
                message.points(thing.own_points())
            }
            message.indices(thing.triangles.as_flattened());
        }
        message.bytes
    }

    /// A frame.
    pub fn frame(&self, frame: &ShownFrame, facts: &FrameFacts) -> Vec<u8> {
        let pose = |thing: &Scenery| {
            let pose = thing.pose_at(facts.time)?;
            let ([x, y, z], [a, b, c, d]) = (pose.translation, pose.rotation);
            Some([x, y, z, a, b, c, d])
        };
        let mut known = json!(facts);
        known["poses"] = json!(self.scenery.iter().map(pose).collect::<Vec<_>>());
        let flags = if frame.residual.is_some() { HAS_RESIDUALS } else { 0 };
        let mut message = Message::new(FRAME, frame.view, flags, self.generation, &known);
        message.quantised(frame.x);
        if let Some(residual) = frame.residual {
            message.shares(residual);
        }
        message.bytes
    }
}

fn bodies(model: &Model) -> Value {
    let mut first_triangle = 0;
    let describe = |(index, body): (usize, &crate::model::Body)| {
        let first = first_triangle;
        first_triangle += body.triangles.len();
        json!({
            "name": body.name, "first": body.vertices.start, "vertices": body.vertices.len(), "first_triangle": first,
            "triangles": body.triangles.len(), "solid": !body.tets.is_empty(), "colour": body_colour(index),
        })
    };
    model.bodies.iter().enumerate().map(describe).collect()
}

/// The colour of each vertex in a sweep of Gauss-Seidel.
fn colour_classes(scene: &Scene, model: &Model) -> Vec<u16> {
    let matrix = System::new(model, scene.time.step_size(), 0.0).matrix;
    let colouring = greedy(&Graph { offset: matrix.offset, item: matrix.column });
    colouring.colour.iter().map(|&colour| u16::try_from(colour).unwrap_or(u16::MAX)).collect()
}

/// A message being written.
struct Message {
    bytes: Vec<u8>,
}

impl Message {
    fn new(kind: u8, view: u8, flags: u8, generation: u32, facts: &Value) -> Self {
        let mut text = facts.to_string();
        text.extend(std::iter::repeat_n(' ', text.len().next_multiple_of(4) - text.len()));
        let mut message = Self { bytes: vec![kind, VERSION, view, flags] };
        message.put(generation.to_le_bytes());
        message.put((text.len() as u32).to_le_bytes());
        message.put(text.into_bytes());
        message
    }

    fn put(&mut self, bytes: impl IntoIterator<Item = u8>) {
        self.bytes.extend(bytes);
    }

    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }

    fn points(&mut self, points: &[[f64; 3]]) {
        self.put(points.as_flattened().iter().flat_map(|c| (*c as f32).to_le_bytes()));
    }

    fn indices(&mut self, indices: &[u32]) {
        self.put(indices.iter().flat_map(|i| i.to_le_bytes()));
    }

    fn words(&mut self, words: &[u16]) {
        self.put(words.iter().flat_map(|word| word.to_le_bytes()));
        self.pad();
    }

    /// Positions in 2^16 steps along the longest side of the box around them.
    fn quantised(&mut self, x: &[[f64; 3]]) {
        const STEPS: f64 = 65535.0;
        let bounds = Bounds::of(x);
        let low = if bounds.is_empty() { [0.0; 3] } else { bounds.low };
        let origin = low.map(|c| c as f32);
        let longest = (0..3).map(|k| bounds.high[k] - f64::from(origin[k])).fold(0.0, f64::max);
        let unit = (longest / STEPS) as f32;
        // A hair more, so that rounding of the unit leaves everything inside.
        let unit = if unit > 0.0 && unit.is_finite() { unit * (1.0 + f32::EPSILON) } else { f32::MIN_POSITIVE };
        self.put(origin.iter().chain([&unit]).flat_map(|c| c.to_le_bytes()));
        let whole = |(k, c): (usize, f64)| ((c - f64::from(origin[k])) / f64::from(unit)).round() as u16;
        self.put(x.iter().flat_map(|x| (0..).zip(*x)).map(whole).flat_map(u16::to_le_bytes));
        self.pad();
    }

    /// Each value as a part of the largest.
    fn shares(&mut self, values: &[f64]) {
        let largest = values.iter().copied().fold(0.0, f64::max);
        self.put((largest as f32).to_le_bytes());
        let share = |value: &f64| if largest > 0.0 { (255.0 * value / largest).round() as u8 } else { 0 };
        self.put(values.iter().map(share));
        self.pad();
    }
}

#[cfg(test)]
#[path = "show_tests.rs"]
mod tests;
