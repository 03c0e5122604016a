//! Rigid colliders and their signed distances (as in course 2.3).
//!
//! Those of analytic shapes are exact Euclidean ones, so the gradient has length one wherever it exists, and `x − d n` is the
//! closest point of the surface: the projection that projective dynamics needs. Those of solids are interpolated on a grid
//! ([`GridShape`]): exact at its points, and elsewhere by as much as the surface bends within a cell.

use super::closed_surface::SurfaceError;
use super::distance_grid::DistanceGrid;
use super::grid_shape::GridShape;
use crate::disk_cache::DiskCache;
use crate::math::{Mat3, Real, Vec3};
use crate::mesh::{self, MeshError};
use crate::scene::{self, ColliderShape};
use std::path::Path;
use std::sync::Arc;

/// Why there is no such collider.
#[derive(Debug, thiserror::Error)]
pub enum ColliderError {
    /// The mesh cannot be read.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The mesh is not the surface of a solid.
    #[error("{file}: {source}")]
    Surface {
        /// The file.
        file: String,
        /// What is wrong, and what to do.
        source: SurfaceError,
    },
    /// A shape made here does not fit into a grid.
    #[error("{0}")]
    Shape(#[source] SurfaceError),
}

/// A collider and its motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Collider {
    shape: Shape<f64>,
    centre: Vec3<f64>,
    rotation: Mat3<f64>,
    velocity: Vec3<f64>,
    /// Axis times rate, rad/s.
    angular_velocity: Vec3<f64>,
    moves: [f64; 2],
    friction: f64,
}

/// A collider at one instant. To make or clone one copies no grid.
#[derive(Clone, Debug)]
pub struct PosedCollider<R> {
    shape: Shape<R>,
    centre: Vec3<R>,
    rotation: Mat3<R>,
    velocity: Vec3<R>,
    angular_velocity: Vec3<R>,
    /// Coulomb coefficient.
    pub friction: R,
}

#[derive(Clone, Debug, PartialEq)]
enum Shape<R> {
    HalfSpace { normal: Vec3<R> },
    Capsule { radius: R, half_height: R },
    Box { half: Vec3<R> },
    Cylinder { radius: R, half_height: R },
    Solid(Arc<GridShape>),
}

/// Rotation about x, then y, then z; degrees.
pub(crate) fn rotation_from_degrees(degrees: [f64; 3]) -> Mat3<f64> {
    let about = |axis: usize| Mat3::rotation(Vec3::axis(axis), degrees[axis].to_radians());
    about(2) * about(1) * about(0)
}

impl Collider {
    /// From what the scene says, whose folder this is; distances of meshes are kept in the cache.
    pub fn new(collider: &scene::Collider, folder: &Path, cache: &DiskCache) -> Result<Self, ColliderError> {
        Ok(Self {
            shape: Shape::new(&collider.shape, folder, cache)?,
            centre: Vec3::of(collider.position),
            rotation: rotation_from_degrees(collider.rotation),
            velocity: Vec3::of(collider.velocity),
            angular_velocity: Vec3::of(collider.angular_velocity.map(f64::to_radians)),
            moves: collider.moves,
            friction: collider.friction,
        })
    }

    /// What it is if a grid describes it.
    pub fn solid(&self) -> Option<&GridShape> {
        match &self.shape {
            Shape::Solid(solid) => Some(solid),
            _ => None,
        }
    }

    /// Coefficient of friction.
    pub fn friction(&self) -> f64 {
        self.friction
    }

    /// Where it is at `time`, s, at rest.
    pub fn at<R: Real>(&self, time: f64) -> PosedCollider<R> {
        self.after(time, f64::INFINITY)
    }

    /// Where it is at `time`, s, with its mean velocity in the `h` seconds before.
    pub fn after<R: Real>(&self, time: f64, h: f64) -> PosedCollider<R> {
        let moved = |time: f64| time.clamp(self.moves[0], self.moves[1]) - self.moves[0];
        let share = (moved(time) - moved(time - h)) / h;
        let moved = moved(time);
        let rate = self.angular_velocity.length();
        let axis = self.angular_velocity.unit_or(Vec3::axis(1));
        PosedCollider {
            shape: self.shape.cast(),
            centre: (self.centre + self.velocity * moved).cast(),
            rotation: (Mat3::rotation(axis, rate * moved) * self.rotation).cast(),
            velocity: (self.velocity * share).cast(),
            angular_velocity: (self.angular_velocity * share).cast(),
            friction: R::of(self.friction),
        }
    }
}

impl Shape<f64> {
    fn new(shape: &ColliderShape, folder: &Path, cache: &DiskCache) -> Result<Self, ColliderError> {
        Ok(match *shape {
            ColliderShape::HalfSpace { normal } => Shape::HalfSpace { normal: Vec3::of(normal).unit_or(Vec3::axis(1)) },
            ColliderShape::Sphere { radius } => Shape::Capsule { radius, half_height: 0.0 },
            ColliderShape::Capsule { radius, height } => Shape::Capsule { radius, half_height: height / 2.0 },
            ColliderShape::Box { size } => Shape::Box { half: Vec3::of(size.map(|s| s / 2.0)) },
            ColliderShape::Cylinder { radius, height } => Shape::Cylinder { radius, half_height: height / 2.0 },
            ColliderShape::Mesh { ref file, scale, cells } => {
                let path = folder.join(file);
                let solid = GridShape::of_mesh(&mesh::read(&path)?, scale, cells, cache);
                let named = |source| ColliderError::Surface { file: path.display().to_string(), source };
                Shape::Solid(Arc::new(solid.map_err(named)?))
            }
            ColliderShape::Armchair { width, cells } => {
                Shape::Solid(Arc::new(GridShape::armchair(width, cells).map_err(ColliderError::Shape)?))
            }
        })
    }
}

impl<R: Real> Shape<R> {
    fn cast<S: Real>(&self) -> Shape<S> {
        let of = |r: R| S::of(r.f64());
        match *self {
            Shape::HalfSpace { normal } => Shape::HalfSpace { normal: normal.cast() },
            Shape::Capsule { radius, half_height } => {
                Shape::Capsule { radius: of(radius), half_height: of(half_height) }
            }
            Shape::Box { half } => Shape::Box { half: half.cast() },
            Shape::Cylinder { radius, half_height } => {
                Shape::Cylinder { radius: of(radius), half_height: of(half_height) }
            }
            Shape::Solid(ref solid) => Shape::Solid(solid.clone()),
        }
    }

    /// Signed distance and its gradient at a point of the shape's own frame.
    #[inline]
    fn distance(&self, p: Vec3<R>) -> (R, Vec3<R>) {
        match *self {
            Shape::Solid(ref solid) => solid.grid().distance(p),
            Shape::HalfSpace { normal } => (p.dot(normal), normal),
            Shape::Capsule { radius, half_height } => {
                let nearest = Vec3::new(R::ZERO, p.y.max(-half_height).min(half_height), R::ZERO);
                let out = p - nearest;
                (out.length() - radius, out.unit_or(Vec3::axis(1)))
            }
            Shape::Box { half } => {
                let q = Vec3::new(p.x.abs() - half.x, p.y.abs() - half.y, p.z.abs() - half.z);
                let sign = Vec3::new(R::ONE.copysign(p.x), R::ONE.copysign(p.y), R::ONE.copysign(p.z));
                let (d, n) = corner_distance(q);
                (d, Vec3::new(n.x * sign.x, n.y * sign.y, n.z * sign.z))
            }
            Shape::Cylinder { radius, half_height } => {
                let across = Vec3::new(p.x, R::ZERO, p.z);
                let side = across.unit_or(Vec3::axis(0));
                let q = Vec3::new(across.length() - radius, p.y.abs() - half_height, -R::ONE / R::TINY.sqrt());
                let (d, n) = corner_distance(q);
                (d, side * n.x + Vec3::new(R::ZERO, n.y * R::ONE.copysign(p.y), R::ZERO))
            }
        }
    }
}

impl<R: Real> Shape<R> {
    /// Second derivatives of the distance: ∂n/∂p, the curvature of the level set through p; zero where the normal jumps.
    fn curvature(&self, p: Vec3<R>) -> Mat3<R> {
        if let Shape::Solid(solid) = self {
            return solid.grid().curvature(p);
        }
        let (d, n) = self.distance(p);
        let (y, zero) = (Vec3::axis(1), Mat3::ZERO);
        let about = |length: R, flat: Mat3<R>| if length > R::TINY { flat * (R::ONE / length) } else { zero };
        match *self {
            Shape::HalfSpace { .. } | Shape::Solid(_) => zero,
            Shape::Capsule { radius, half_height } => {
                let across = Mat3::IDENTITY - n.outer(n);
                let along = if p.y.abs() < half_height { y.outer(y) } else { zero };
                about(d + radius, across - along)
            }
            Shape::Box { half } => {
                let q = [p.x.abs() - half.x, p.y.abs() - half.y, p.z.abs() - half.z];
                let outside = (0..3).filter(|&k| q[k] > R::ZERO);
                let span = outside.fold(zero, |sum, k| sum + Vec3::axis(k).outer(Vec3::axis(k)));
                if d > R::ZERO { about(d, span - n.outer(n)) } else { zero }
            }
            Shape::Cylinder { radius, half_height } => {
                let from_axis = Vec3::new(p.x, R::ZERO, p.z).length();
                let side = Vec3::new(p.x, R::ZERO, p.z).unit_or(Vec3::axis(0));
                let round = about(from_axis, side.cross(y).outer(side.cross(y)) * n.dot(side));
                let at_rim = from_axis > radius && p.y.abs() > half_height;
                let rim = if at_rim { about(d, side.outer(side) + y.outer(y) - n.outer(n)) } else { zero };
                round + rim
            }
        }
    }
}

/// Distance to, and normal of, the region q ≤ 0 (all components): a box seen from its positive corner.
#[inline]
fn corner_distance<R: Real>(q: Vec3<R>) -> (R, Vec3<R>) {
    let outside = Vec3::new(q.x.max(R::ZERO), q.y.max(R::ZERO), q.z.max(R::ZERO));
    if outside.length_sq() > R::ZERO {
        (outside.length(), outside.unit_or(Vec3::axis(1)))
    } else if q.y >= q.x && q.y >= q.z {
        (q.y, Vec3::axis(1))
    } else if q.x >= q.z {
        (q.x, Vec3::axis(0))
    } else {
        (q.z, Vec3::axis(2))
    }
}

impl<R: Real> PosedCollider<R> {
    /// The same collider in another precision.
    pub fn cast<S: Real>(&self) -> PosedCollider<S> {
        PosedCollider {
            shape: self.shape.cast(),
            centre: self.centre.cast(),
            rotation: self.rotation.cast(),
            velocity: self.velocity.cast(),
            angular_velocity: self.angular_velocity.cast(),
            friction: S::of(self.friction.f64()),
        }
    }

    /// Its distances if a grid has them.
    pub fn grid(&self) -> Option<&DistanceGrid> {
        match &self.shape {
            Shape::Solid(solid) => Some(solid.grid()),
            _ => None,
        }
    }

    /// For `collider_at` of `collider.wgsl`: centre and kind; size and friction; three columns of the rotation; velocity and
    /// the slip that is none in the step, `sticking` m; angular velocity. Size is the normal of a half-space, radius and half
    /// height of a capsule or cylinder, or the half extents of a box. With a grid, whose first vector is number `grid_at` of
    /// the buffer, its points along x, y and z stand behind the rotation, and that number behind the angular velocity; the
    /// size is that of its box.
    pub fn pack(&self, sticking: f64, grid_at: usize) -> [[f32; 4]; 7] {
        let mut counts = [0.0; 3];
        let (kind, size) = match self.shape {
            Shape::Solid(ref solid) => {
                let layout = solid.grid().layout();
                counts = layout.counts().map(|count| count as f32);
                let half = layout.point(layout.counts().map(|count| count - 1)) - layout.point([0; 3]);
                (4.0, (half * 0.5).cast())
            }
            Shape::HalfSpace { normal } => (0.0, normal),
            Shape::Capsule { radius, half_height } => (1.0, Vec3::new(radius, half_height, R::ZERO)),
            Shape::Box { half } => (2.0, half),
            Shape::Cylinder { radius, half_height } => (3.0, Vec3::new(radius, half_height, R::ZERO)),
        };
        let row = |v: Vec3<R>, last: f32| [v.x.f64() as f32, v.y.f64() as f32, v.z.f64() as f32, last];
        let [a, b, c] = self.rotation.c;
        [
            row(self.centre, kind),
            row(size, self.friction.f64() as f32),
            row(a, counts[0]),
            row(b, counts[1]),
            row(c, counts[2]),
            row(self.velocity, sticking as f32),
            row(self.angular_velocity, grid_at as f32),
        ]
    }

    /// Signed distance of a point, m (negative inside), and its gradient there: the outward normal, of length one but for
    /// grids, where it is about that long. What is a derivative of an energy takes this one.
    #[inline]
    pub fn distance(&self, x: Vec3<R>) -> (R, Vec3<R>) {
        let own = self.rotation.transpose() * (x - self.centre);
        let (d, gradient) = self.shape.distance(own);
        (d, self.rotation * gradient)
    }

    /// Signed distance of a point, m, and the outward unit normal there: for planes, slips and ways to the surface.
    #[inline]
    pub fn distance_and_normal(&self, x: Vec3<R>) -> (R, Vec3<R>) {
        let (d, gradient) = self.distance(x);
        match self.shape {
            Shape::Solid(_) => (d, gradient.unit_or(Vec3::axis(1))),
            _ => (d, gradient),
        }
    }

    /// Nothing inside is beyond the plane of one of its faces.
    #[inline]
    pub(super) fn is_convex(&self) -> bool {
        !matches!(self.shape, Shape::Solid(_))
    }

    /// Where a point of the collider's own frame is, m.
    pub fn place(&self, own: Vec3<R>) -> Vec3<R> {
        self.rotation * own + self.centre
    }

    /// Derivative of the gradient of the distance, 1/m: what the exact Hessian of a contact needs besides the normal.
    pub fn curvature(&self, x: Vec3<R>) -> Mat3<R> {
        let own = self.rotation.transpose() * (x - self.centre);
        self.rotation * self.shape.curvature(own) * self.rotation.transpose()
    }

    /// Velocity of the collider's material at a point, m/s.
    #[inline]
    pub fn velocity_at(&self, x: Vec3<R>) -> Vec3<R> {
        self.velocity + self.angular_velocity.cross(x - self.centre)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::contact) fn collider(shape: ColliderShape) -> Collider {
        made(&described(shape))
    }

    pub(in crate::contact) fn made(described: &scene::Collider) -> Collider {
        Collider::new(described, "".as_ref(), &DiskCache::default()).unwrap()
    }

    pub(in crate::contact) fn described(shape: ColliderShape) -> scene::Collider {
        scene::Collider {
            name: String::new(),
            shape,
            position: [0.3, -0.2, 0.1],
            rotation: [20.0, 40.0, -70.0],
            velocity: [1.0, 0.0, 0.0],
            angular_velocity: [0.0, 90.0, 0.0],
            moves: [0.0, 2.0],
            friction: 0.5,
        }
    }

    pub(in crate::contact) fn shapes() -> [ColliderShape; 5] {
        [
            ColliderShape::HalfSpace { normal: [1.0, 2.0, -0.5] },
            ColliderShape::Sphere { radius: 0.4 },
            ColliderShape::Capsule { radius: 0.3, height: 0.8 },
            ColliderShape::Box { size: [0.6, 1.0, 0.8] },
            ColliderShape::Cylinder { radius: 0.5, height: 0.3 },
        ]
    }

    pub(in crate::contact) fn points() -> impl Iterator<Item = Vec3<f64>> {
        let wave = |i: usize, f: f64| (i as f64 * f).sin();
        (0..400).map(move |i| Vec3::new(wave(i, 1.7), wave(i, 2.3), wave(i, 3.1)))
    }

    #[test]
    fn the_normal_is_the_gradient_of_the_distance_and_has_length_one() {
        for shape in shapes() {
            let posed = collider(shape.clone()).at::<f64>(0.7);
            let mut checked = 0;
            for x in points() {
                let (_, n) = posed.distance(x);
                assert!((n.length() - 1.0).abs() < 1e-12, "{shape:?}");
                let e = 1e-6;
                let slope = |axis: usize| {
                    let step = Vec3::axis(axis) * e;
                    (posed.distance(x + step).0 - posed.distance(x - step).0) / (2.0 * e)
                };
                let difference = Vec3::new(slope(0), slope(1), slope(2)) - n;
                // On the medial axis there is no gradient; those points are few.
                checked += usize::from(difference.length() < 1e-6);
            }
            assert!(checked > 390, "{shape:?}: {checked}");
        }
    }

    #[test]
    fn stepping_back_by_the_distance_lands_on_the_surface() {
        for shape in shapes() {
            let posed = collider(shape.clone()).at::<f64>(0.0);
            for x in points() {
                let (d, n) = posed.distance(x);
                let (left, _) = posed.distance(x - n * d);
                assert!(left.abs() < 1e-9, "{shape:?} {left}");
            }
        }
    }

    #[test]
    fn the_curvature_is_the_derivative_of_the_normal() {
        for shape in shapes() {
            let posed = collider(shape.clone()).at::<f64>(0.7);
            let mut checked = 0;
            for x in points() {
                let curvature = posed.curvature(x);
                let e = 1e-6;
                let error = |axis: usize| {
                    let step = Vec3::axis(axis) * e;
                    let slope = (posed.distance(x + step).1 - posed.distance(x - step).1) * (0.5 / e);
                    (curvature * Vec3::axis(axis) - slope).length()
                };
                // Near edges and medial axes the normal jumps; those points are few.
                checked += usize::from((0..3).all(|axis| error(axis) < 1e-6));
            }
            assert!(checked > 390, "{shape:?}: {checked}");
        }
    }

    #[test]
    fn known_distances_are_right() {
        let at_origin = |shape| {
            made(&scene::Collider {
                name: String::new(),
                shape,
                position: [0.0; 3],
                rotation: [0.0; 3],
                velocity: [0.0; 3],
                angular_velocity: [0.0; 3],
                moves: [0.0, f64::INFINITY],
                friction: 0.0,
            })
            .at::<f64>(0.0)
        };
        let d = |shape, x: [f64; 3]| at_origin(shape).distance(Vec3::of(x)).0;
        assert!((d(ColliderShape::Sphere { radius: 1.0 }, [0.0, 3.0, 0.0]) - 2.0).abs() < 1e-15);
        assert!((d(ColliderShape::Box { size: [2.0; 3] }, [2.0, 2.0, 0.0]) - 2f64.sqrt()).abs() < 1e-15);
        assert!((d(ColliderShape::Box { size: [2.0; 3] }, [0.5, 0.0, 0.0]) + 0.5).abs() < 1e-15);
        let can = ColliderShape::Cylinder { radius: 1.0, height: 2.0 };
        assert!((d(can.clone(), [4.0, 5.0, 0.0]) - 5.0).abs() < 1e-15);
        assert!((d(can, [0.0, 0.9, 0.0]) + 0.1).abs() < 1e-15);
        let capsule = ColliderShape::Capsule { radius: 1.0, height: 2.0 };
        assert!((d(capsule, [0.0, 5.0, 0.0]) - 3.0).abs() < 1e-15);
    }

    #[test]
    fn a_moving_collider_moves_and_then_stands_still() {
        let collider = collider(ColliderShape::Sphere { radius: 0.1 });
        let x = Vec3::new(0.3, -0.2, 0.1);
        let depth = |time: f64, shift: f64| collider.at::<f64>(time).distance(x + Vec3::new(shift, 0.0, 0.0)).0;
        assert!((depth(1.0, 1.0) + 0.1).abs() < 1e-12);
        assert!((depth(5.0, 2.0) + 0.1).abs() < 1e-12);
        let centre = x + Vec3::new(1.0, 0.0, 0.0);
        let velocity = |time: f64, h: f64| collider.after::<f64>(time, h).velocity_at(centre);
        assert!((velocity(1.0, 0.1) - Vec3::new(1.0, 0.0, 0.0)).length() < 1e-12);
        assert_eq!(velocity(5.0, 0.1), Vec3::ZERO);
        // A step in the middle of which it stops; times of steps are rounded.
        let stopping = collider.after::<f64>(2.025, 0.1);
        assert!((stopping.velocity_at(stopping.place(Vec3::ZERO)).x - 0.75).abs() < 1e-12);
        let last = collider.after::<f64>(2.0 + 1e-12, 0.1);
        assert!((last.velocity_at(last.place(Vec3::ZERO)).x - 1.0).abs() < 1e-9);
    }
}
