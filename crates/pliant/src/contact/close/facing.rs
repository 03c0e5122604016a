//! Which way a surface faces round a vertex or an edge.
//!
//! A contact keeps its normal for a whole step. Between a vertex and the border of a triangle, or two edges, that is the way
//! from one to the other, and what slides over a flat surface is held by every vertex and edge ahead of it, as if they stood in
//! the way: a block on a slab went a sixth of its way. What is ahead cannot be hit from there: the surface beside it would be
//! first. So what is in the midst of a surface is pushed the way the surface faces, and what is far off that way is left to the
//! other pairs.

use super::CloseSurface;
use crate::math::{Real, Vec3};

/// Borders farther than this off the way a surface faces are not its own: cos and sin 30°.
const OFF: (f64, f64) = (0.866_025_403_784_438_6, 0.5);
/// Normals that add up to less than this part of all face no way at all.
const NO_WAY: f64 = 0.1;

/// Normals of the triangles round a vertex or an edge: a cone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Facing<R> {
    /// Its axis, of length one; zero if any way is as good.
    axis: Vec3<R>,
    /// Cosine and sine of its half angle.
    half: [R; 2],
}

impl<R: Real> Facing<R> {
    pub const ANY: Self = Self { axis: Vec3::ZERO, half: [R::ZERO; 2] };

    /// Of vertex v at x; at the hem of a cloth any way.
    pub fn of_vertex(surface: &CloseSurface, x: &[[R; 4]], v: usize) -> Self {
        if surface.hem[v] {
            return Self::ANY;
        }
        Self::of(|| surface.corners.of(v).iter().map(|corner| normal(surface, x, *corner / 3)))
    }

    /// Of edge e at x; at the hem of a cloth, or where more than two triangles meet, any way.
    pub fn of_edge(surface: &CloseSurface, x: &[[R; 4]], e: usize) -> Self {
        let sides = surface.sides[e];
        if sides.contains(&u32::MAX) {
            return Self::ANY;
        }
        Self::of(|| sides.into_iter().map(|t| normal(surface, x, t)))
    }

    fn of<I: Iterator<Item = Vec3<R>>>(normals: impl Fn() -> I) -> Self {
        let (sum, all) =
            normals().fold((Vec3::ZERO, R::ZERO), |(sum, all), normal| (sum + normal, all + normal.length()));
        let length = sum.length();
        // What is not finite does not face any way either.
        let faces = length > all * R::of(NO_WAY) && length > R::TINY.sqrt();
        if !faces {
            return Self::ANY;
        }
        let axis = sum / length;
        // Sines, because small angles are lost in a cosine.
        let sin = normals().fold(R::ZERO, |most, normal| {
            let unit = normal.unit_or(axis);
            most.max(if unit.dot(axis) > R::ZERO { unit.cross(axis).length().min(R::ONE) } else { R::ONE })
        });
        Self { axis, half: [(R::ONE - sin * sin).sqrt(), sin] }
    }

    /// Its axis, of length one; zero if any way is as good.
    pub fn axis(&self) -> Vec3<R> {
        self.axis
    }

    /// Sine of its half angle; 1 if any way is as good.
    pub fn width(&self) -> R {
        if self.axis == Vec3::ZERO { R::ONE } else { self.half[1] }
    }

    /// Cosine of the angle from the axis, on either side, beyond which an offset is far off.
    fn far(&self) -> R {
        self.half[0] * R::of(OFF.0) - self.half[1] * R::of(OFF.1)
    }

    /// Whether something that is `offset` away lies far off the way the surface faces, on either side.
    #[inline]
    pub fn is_far_off(&self, offset: Vec3<R>) -> bool {
        self.axis.dot(offset).abs() < self.far() * offset.length()
    }

    /// The unit vector nearest to `direction`, of length one, in which the surface faces on the same side.
    #[inline]
    pub fn nearest(&self, direction: Vec3<R>) -> Vec3<R> {
        let along = self.axis.dot(direction);
        if self.axis == Vec3::ZERO || along.abs() >= self.half[0] || along.abs() < self.far() {
            return direction;
        }
        let axis = if along < R::ZERO { -self.axis } else { self.axis };
        let across = (direction - self.axis * along).unit_or(Vec3::ZERO);
        (axis * self.half[0] + across * self.half[1]).unit_or(axis)
    }
}

/// Across a triangle, twice its area long, m².
#[inline(always)]
fn normal<R: Real>(surface: &CloseSurface, x: &[[R; 4]], t: u32) -> Vec3<R> {
    let [a, b, c] = surface.triangles[t as usize].map(|i| Vec3::load(x[i as usize]));
    (b - a).cross(c - a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::close::SurfaceParts;

    /// A flat sheet of 3×3 vertices, or one folded along its middle by an angle.
    fn sheet(degrees: f64) -> (CloseSurface, Vec<[f64; 4]>) {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let fold = |k: usize| if k == 2 { [cos, -sin] } else { [k as f64 - 1.0, 0.0] };
        let rest_x: Vec<[f64; 3]> = (0..9).map(|i| [fold(i % 3)[0], fold(i % 3)[1], (i / 3) as f64]).collect();
        let cells = [0, 1, 3, 4u32].map(|a| [[a, a + 3, a + 1], [a + 1, a + 3, a + 4]]);
        let parts = SurfaceParts { rest_x: &rest_x, thickness: &[], body: &[], triangles: cells.as_flattened() };
        (CloseSurface::new(&parts), rest_x.iter().map(|&x| Vec3::of(x).store()).collect())
    }

    #[test]
    fn in_the_midst_of_a_flat_sheet_only_across_it_and_at_its_hem_anywhere() {
        let (surface, x) = sheet(0.0);
        let facing = Facing::of_vertex(&surface, &x, 4);
        let at = |degrees: f64| Vec3::new(degrees.to_radians().sin(), degrees.to_radians().cos(), 0.0);
        for (degrees, far) in [(0.0, false), (29.0, false), (31.0, true), (90.0, true), (149.0, true), (151.0, false)] {
            assert_eq!(facing.is_far_off(at(degrees) * 0.3), far, "{degrees}");
        }
        assert!((facing.nearest(at(20.0)) - at(0.0)).length() < 1e-7);
        assert!((facing.nearest(at(160.0)) - at(180.0)).length() < 1e-7);
        assert_eq!(facing.nearest(at(60.0)), at(60.0));
        let hem = Facing::of_vertex(&surface, &x, 1);
        assert!(!hem.is_far_off(at(90.0)));
        assert_eq!(hem.nearest(at(70.0)), at(70.0));
    }

    #[test]
    fn on_a_ridge_any_way_between_its_sides() {
        let (surface, x) = sheet(60.0);
        let facing = Facing::of_vertex(&surface, &x, 4);
        let at = |degrees: f64| Vec3::new(degrees.to_radians().sin(), degrees.to_radians().cos(), 0.0);
        // Sides face 0° and 60°; the cone round their mean is as wide as the farther one.
        for degrees in [1.0, 30.0, 59.0] {
            assert!((facing.nearest(at(degrees)) - at(degrees)).length() < 1e-12, "{degrees}");
        }
        assert!((facing.nearest(at(75.0)) - at(60.0)).length() < 0.1);
        assert!(facing.is_far_off(at(110.0)) && facing.is_far_off(at(-50.0)));
    }

    #[test]
    fn an_edge_faces_the_way_of_both_its_triangles() {
        let (surface, x) = sheet(60.0);
        let at = |degrees: f64| Vec3::new(degrees.to_radians().sin(), degrees.to_radians().cos(), 0.0);
        let facing = |edge: [u32; 2]| {
            let e = surface.edges().iter().position(|e| *e == edge).unwrap();
            Facing::of_edge(&surface, &x, e)
        };
        // Within a side, along the ridge, and at the hem.
        assert!((facing([1, 3]).nearest(at(10.0)) - at(0.0)).length() < 1e-7 && facing([1, 3]).is_far_off(at(40.0)));
        let ridge = facing([1, 4]);
        assert!(
            (ridge.nearest(at(50.0)) - at(50.0)).length() < 1e-12
                && (ridge.nearest(at(80.0)) - at(60.0)).length() < 1e-7
        );
        assert_eq!(facing([0, 1]), Facing::ANY);
    }

    /// Regression: the sine of a flat surface came from its cosine, and so was 5e-4 in `f32`.
    #[test]
    fn single_precision_knows_how_flat_a_sheet_is() {
        let (surface, x) = sheet(0.0);
        let turned = |x: &[f64; 4]| {
            let (a, b) = (0.8 * x[0] - 0.6 * x[2], 0.6 * x[0] + 0.8 * x[2]);
            [a as f32, (0.28 * b + 0.96 * x[1]) as f32, (0.96 * b - 0.28 * x[1]) as f32, 0.0]
        };
        let x: Vec<[f32; 4]> = x.iter().map(turned).collect();
        assert!(Facing::of_vertex(&surface, &x, 4).width() < 1e-6);
    }

    #[test]
    fn what_is_degenerate_faces_any_way() {
        let (surface, mut x) = sheet(0.0);
        x.iter_mut().for_each(|x| *x = [0.0; 4]);
        assert_eq!(Facing::of_vertex(&surface, &x, 4), Facing::ANY);
        x[0][0] = f64::NAN;
        assert_eq!(Facing::of_vertex(&surface, &x, 4), Facing::ANY);
    }
}
