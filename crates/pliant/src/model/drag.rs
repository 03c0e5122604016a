//! Hands that pinch a body while it moves, and drag it along: which vertices they get is known only when they close.

use super::{Body, Model, Pin};
use crate::math::Vec3;
use crate::scene;
use std::ops::Range;
use std::sync::Arc;

/// Places at times, in between along straight lines at constant speed.
#[derive(Clone, Debug, PartialEq)]
pub struct Path(Vec<scene::Waypoint>);

impl Path {
    /// Times must grow.
    pub fn new(waypoints: Vec<scene::Waypoint>) -> Self {
        Self(waypoints)
    }

    /// When it begins and ends, s; of nothing, never.
    pub fn times(&self) -> [f64; 2] {
        let time = |waypoint: Option<&scene::Waypoint>| waypoint.map_or(f64::INFINITY, |waypoint| waypoint.time);
        [time(self.0.first()), time(self.0.last())]
    }

    /// The place at `time`, s; before it begins and after it ends, its ends.
    pub fn at(&self, time: f64) -> [f64; 3] {
        let next = self.0.partition_point(|waypoint| waypoint.time <= time);
        match (next.checked_sub(1).and_then(|last| self.0.get(last)), self.0.get(next)) {
            (Some(a), Some(b)) => {
                let part = (time - a.time) / (b.time - a.time);
                std::array::from_fn(|k| a.place[k] + (b.place[k] - a.place[k]) * part)
            }
            (Some(only), None) | (None, Some(only)) => only.place,
            (None, None) => [0.0; 3],
        }
    }

    /// How far it has led by `time`, s, from where it began, m.
    pub fn moved(&self, time: f64) -> Vec3<f64> {
        Vec3::of(self.at(time)) - Vec3::of(self.at(f64::NEG_INFINITY))
    }
}

/// A hand that pinches what is nearest to the start of its path, moves along it and lets go at its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Drag {
    /// The vertices it may pinch.
    pub vertices: Range<usize>,
    /// Where it goes, and when.
    pub path: Arc<Path>,
    /// It pinches all vertices of the body so near to the nearest one, m.
    pub radius: f64,
    /// Of its spring, N/m, shared by all that it pinches.
    pub stiffness: f64,
}

/// A vertex that a drag has pinched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pinched {
    /// Which of the model's drags.
    pub drag: u32,
    /// Which vertex of the model.
    pub vertex: u32,
    /// Where it was, m.
    pub anchor: [f64; 3],
}

impl Drag {
    /// Whether it holds in a step that ends at `time`, s.
    pub fn holds_at(&self, time: f64) -> bool {
        let [begin, end] = self.path.times();
        begin < time && time < end
    }

    /// Vertices that it pinches when all are at `x`.
    fn pinch(&self, x: &[[f64; 3]], bodies: &[Body]) -> Vec<u32> {
        let apart = |i: usize, place: [f64; 3]| (Vec3::<f64>::of(x[i]) - Vec3::of(place)).length();
        let start = self.path.at(f64::NEG_INFINITY);
        let nearest = self.vertices.clone().min_by(|&i, &j| apart(i, start).total_cmp(&apart(j, start)));
        let Some(nearest) = nearest else { return Vec::new() };
        let body = bodies.iter().find(|body| body.vertices.contains(&nearest));
        let around = body.map_or(nearest..nearest + 1, |body| body.vertices.clone());
        around.filter(|&i| i == nearest || apart(i, x[nearest]) <= self.radius).map(|i| i as u32).collect()
    }
}

impl Model {
    /// Whether a drag begins with the step that ends at `time`, s: it is to hold and has not pinched anything yet.
    pub fn drag_begins(&self, pinched: &[Pinched], time: f64) -> bool {
        (0u32..).zip(&self.drags).any(|(number, drag)| begins(number, drag, pinched, time))
    }

    /// What drags that begin with the step that ends at `time`, s, pinch when all vertices are at `x`.
    pub fn pinch(&self, pinched: &[Pinched], x: &[[f64; 3]], time: f64) -> Vec<Pinched> {
        let beginning = (0u32..).zip(&self.drags).filter(|(number, drag)| begins(*number, drag, pinched, time));
        let pinch = |(number, drag): (u32, &Drag)| {
            let one = move |vertex: u32| Pinched { drag: number, vertex, anchor: x[vertex as usize] };
            drag.pinch(x, &self.bodies).into_iter().map(one).collect::<Vec<_>>()
        };
        beginning.flat_map(pinch).collect()
    }

    /// The model with a pin for each vertex that drags have pinched.
    pub fn dragged(&self, pinched: &[Pinched]) -> Model {
        let mut model = self.clone();
        for one in pinched.iter().filter(|one| (one.vertex as usize) < self.vertices()) {
            let Some(drag) = self.drags.get(one.drag as usize) else { continue };
            let sharing = pinched.iter().filter(|other| other.drag == one.drag).count();
            model.pins.push(Pin {
                stiffness: Some(drag.stiffness / sharing as f64),
                path: Some(drag.path.clone()),
                release: drag.path.times()[1],
                ..Pin::fixed(one.vertex, one.anchor)
            });
        }
        model.pins.sort_by_key(|pin| pin.vertex);
        model
    }
}

fn begins(number: u32, drag: &Drag, pinched: &[Pinched], time: f64) -> bool {
    drag.holds_at(time) && !pinched.iter().any(|one| one.drag == number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ModelBuilder;

    fn path(points: &[(f64, f64)]) -> Arc<Path> {
        let waypoint = |&(time, x): &(f64, f64)| scene::Waypoint { time, place: [x, 1.0, 0.0] };
        Arc::new(Path::new(points.iter().map(waypoint).collect()))
    }

    #[test]
    fn a_path_leads_straight_from_place_to_place_and_stays_at_its_ends() {
        let path = path(&[(1.0, 0.0), (2.0, 4.0), (4.0, 0.0)]);
        let x = [0.0, 1.0, 1.25, 2.0, 3.0, 4.0, 9.0].map(|time| path.at(time)[0]);
        assert_eq!(x, [0.0, 0.0, 1.0, 4.0, 2.0, 0.0, 0.0]);
        assert_eq!((path.moved(2.0).f64(), path.times()), ([4.0, 0.0, 0.0], [1.0, 4.0]));
        assert_eq!((Path::new(Vec::new()).times()[0], Path::new(Vec::new()).at(1.0)), (f64::INFINITY, [0.0; 3]));
    }

    #[test]
    fn a_drag_pinches_the_nearest_vertex_and_its_patch_of_the_same_body_once() {
        let mut builder = ModelBuilder::new("two rows");
        let row = |y: f64| (0..5).map(|i| [f64::from(i), y, 0.0]).collect::<Vec<[f64; 3]>>();
        builder.add_points("low", &row(0.0), &[0.1; 5]);
        builder.add_points("high", &row(1.0), &[0.1; 5]);
        let drag = Drag { vertices: 0..10, path: path(&[(1.0, 2.2), (2.0, 3.0)]), radius: 1.0, stiffness: 6.0 };
        let single = Drag { vertices: 0..5, radius: 0.0, ..drag.clone() };
        builder.model().drags = vec![drag, single];
        let (model, state) = builder.finish();
        assert!(!model.drag_begins(&[], 1.0) && model.drag_begins(&[], 1.5) && !model.drag_begins(&[], 2.0));
        let pinched = model.pinch(&[], &state.x, 1.5);
        let found: Vec<(u32, u32)> = pinched.iter().map(|one| (one.drag, one.vertex)).collect();
        assert_eq!(found, [(0, 6), (0, 7), (0, 8), (1, 2)]);
        assert!(!model.drag_begins(&pinched, 1.5));
        let dragged = model.dragged(&pinched);
        let pins: Vec<_> = dragged.pins.iter().map(|pin| (pin.vertex, pin.stiffness, pin.release)).collect();
        assert_eq!(pins, [(2, Some(6.0), 2.0), (6, Some(2.0), 2.0), (7, Some(2.0), 2.0), (8, Some(2.0), 2.0)]);
        let target = Vec3::of(dragged.pins[1].target(1.5));
        assert!((target - Vec3::new(1.4, 1.0, 0.0)).length() < 1e-12, "{target:?}");
    }
}
