//! Colliders as surfaces to look at, where they are at a given time.

use super::camera::Bounds;
use super::glb::{GlbPose, GlbScenery};
use super::palette::collider_colour;
use crate::contact;
use crate::math::Vec3;
use crate::mesh::Mesh;
use crate::mesh::generate::surface;
use crate::model::Model;
use crate::scene::{Collider, ColliderShape, Scene};

/// A collider to be drawn.
pub(super) struct Scenery {
    pub name: String,
    pub triangles: Vec<[u32; 3]>,
    /// In its own frame, m; of a half-space, a patch around the origin of its plane.
    points: Vec<[f64; 3]>,
    motion: contact::Collider,
    /// It never moves.
    still: bool,
    /// It is a half-space: the patch is shown near this point.
    near: Option<Vec3<f64>>,
    /// It is a level floor that stands still, at this height, m.
    pub floor: Option<f64>,
}

impl Scenery {
    /// Every collider of a scene and its model that can be drawn; `bodies` is where bodies are, and of half-spaces a patch of
    /// `width` times their radius is drawn.
    pub fn of(scene: &Scene, model: &Model, bodies: Bounds, width: f64) -> Vec<Scenery> {
        let colliders = scene.collider.iter().zip(&model.colliders);
        colliders.filter_map(|(collider, motion)| Self::new(collider, motion, bodies, width)).collect()
    }

    fn new(collider: &Collider, motion: &contact::Collider, bodies: Bounds, width: f64) -> Option<Self> {
        let bodies = bodies.visible();
        let reach = width * bodies.radius();
        let mesh: Mesh = match collider.shape {
            ColliderShape::HalfSpace { normal } => surface::plane_patch(normal, [reach; 2], [2; 2]),
            ColliderShape::Sphere { radius } => surface::icosphere(radius, 4),
            ColliderShape::Capsule { radius, height } => surface::capsule(radius, height, 48),
            ColliderShape::Box { size } => surface::cuboid(size),
            ColliderShape::Cylinder { radius, height } => surface::cylinder(radius, height, 64),
            ColliderShape::Mesh { .. } | ColliderShape::Armchair { .. } => Ok(motion.solid()?.surface().clone()),
        }
        .ok()?;
        let endless = matches!(collider.shape, ColliderShape::HalfSpace { .. });
        let still = collider.velocity == [0.0; 3] && collider.angular_velocity == [0.0; 3];
        let up = motion.at::<f64>(0.0).distance(Vec3::ZERO).1;
        let floor = (endless && still && up.y > 1.0 - 1e-9).then_some(collider.position[1]);
        Some(Self {
            name: collider.name.clone(),
            triangles: mesh.triangles,
            points: mesh.points,
            motion: motion.clone(),
            still,
            near: endless.then(|| Vec3::of(bodies.centre())),
            floor,
        })
    }

    /// Its points at `time` s, m.
    pub fn points_at(&self, time: f64) -> Vec<[f64; 3]> {
        let (origin, axes) = self.frame_at(time);
        let place = |p: &[f64; 3]| origin + axes[0] * p[0] + axes[1] * p[1] + axes[2] * p[2];
        self.points.iter().map(|p| place(p).f64()).collect()
    }

    /// Where its own frame is at `time` s: origin, m, and axes.
    fn frame_at(&self, time: f64) -> (Vec3<f64>, [Vec3<f64>; 3]) {
        let posed = self.motion.at::<f64>(time);
        let centre = posed.place(Vec3::ZERO);
        let origin = self.near.map_or(centre, |near| {
            let (distance, normal) = posed.distance(near);
            near - normal * distance
        });
        (origin, [0, 1, 2].map(|axis| posed.place(Vec3::axis(axis)) - centre))
    }

    /// Its points in its own frame, m.
    pub fn own_points(&self) -> &[[f64; 3]] {
        &self.points
    }

    /// It never moves.
    pub fn is_still(&self) -> bool {
        self.still
    }

    /// Where it is at `time` s; `None` of what never moves.
    pub fn pose_at(&self, time: f64) -> Option<GlbPose> {
        let (origin, axes) = self.frame_at(time);
        (!self.still).then(|| GlbPose::of(origin.f64(), axes.map(Vec3::f64)))
    }

    /// For an animation of so many `frames` from `begin` on, s, at a rate, 1/s.
    pub fn animated(self, begin: f64, frames: usize, rate: f64) -> GlbScenery {
        let mut poses: Vec<GlbPose> =
            (0..frames).map_while(|frame| self.pose_at(begin + frame as f64 / rate)).collect();
        // It may well move after the end only.
        if poses.windows(2).all(|pair| pair[0] == pair[1]) {
            poses.clear();
        }
        let points = if poses.is_empty() { self.points_at(begin) } else { self.points };
        GlbScenery { name: self.name, points, poses, triangles: self.triangles, colour: collider_colour() }
    }

    /// It is a half-space.
    pub fn is_endless(&self) -> bool {
        self.near.is_some()
    }

    /// Box around it at `time` s, m; of a half-space, nothing: it has no end.
    pub fn bounds(&self, time: f64) -> Bounds {
        if self.near.is_some() { Bounds::EMPTY } else { Bounds::of(&self.points_at(time)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenery_moves_with_its_collider_and_floors_lie_under_the_bodies() {
        let text = "
            pliant = 1
            [[cloth]]
            position = [30, 2, 0]
            [[collider]]
            shape = 'sphere'
            radius = 0.5
            velocity = [1, 0, 0]
            [[collider]]
            shape = 'half-space'
            position = [0, 0.25, 0]
            [[collider]]
            shape = 'half-space'
            normal = [1, 0, 0]
            [[collider]]
            shape = 'armchair'
            cells = 20
            position = [3, 0, 0]
            velocity = [0, 1, 0]
        ";
        let scene = Scene::parse(text, "t", ".".as_ref(), &[]).unwrap();
        let model = Model::new(&scene).unwrap().0;
        let bodies = Bounds { low: [29.5, 2.0, -0.5], high: [30.5, 2.0, 0.5] };
        let scenery = Scenery::of(&scene, &model, bodies, 4.0);
        assert!((scenery[0].bounds(2.0).centre()[0] - 2.0).abs() < 1e-9);
        assert_eq!(scenery.iter().map(|s| s.floor).collect::<Vec<_>>(), [None, Some(0.25), None, None]);
        let patch = Bounds::of(&scenery[1].points_at(0.0)).centre();
        assert!((patch[0] - 30.0).abs() < 1e-9 && (patch[1] - 0.25).abs() < 1e-9, "{patch:?}");
        // 1 m wide and 0.92 m high; edges of a grid are a little rounder.
        let armchair = scenery[3].bounds(2.0);
        assert!((armchair.low[0] - 2.5).abs() < 5e-3 && (armchair.high[1] - 2.92).abs() < 5e-3, "{armchair:?}");
        assert!(Bounds::of(&scenery[2].points_at(0.0)).centre()[0].abs() < 1e-9);
    }
}
