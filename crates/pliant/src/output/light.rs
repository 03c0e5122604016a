//! What light reaches a point: a sun with soft shadows, and a sky of a few directions that things hide from each other.
//!
//! Shadow maps (Williams, "Casting Curved Shadows on Curved Surfaces", SIGGRAPH 1978) filtered after the comparison
//! (Reeves, Salesin, Cook, SIGGRAPH 1987). The sky is a sum over fixed directions with one small map each, evaluated
//! at the vertices; that is ambient occlusion without noise.

use super::raster::{self, Corner, ScreenTriangle};
use super::surfaces::Geometry;
use crate::math::Vec3;
use rayon::prelude::*;

/// Depth of the scene seen from a direction, in parallel projection, over a ball around the origin.
pub(super) struct DepthMap {
    pub(super) toward: Vec3<f32>,
    right: Vec3<f32>,
    up: Vec3<f32>,
    size: usize,
    texels_per_metre: f32,
    /// Largest p·toward of any point drawn in each texel, m.
    height: Vec<f32>,
}

impl DepthMap {
    fn empty(toward: Vec3<f32>, size: usize, radius: f32) -> Self {
        let aside = if toward.y.abs() > 0.9 { Vec3::new(1.0, 0.0, 0.0) } else { Vec3::new(0.0, 1.0, 0.0) };
        let right = aside.cross(toward).unit_or(aside);
        let up = toward.cross(right);
        Self { toward, right, up, size, texels_per_metre: 0.5 * (size - 4) as f32 / radius, height: Vec::new() }
    }

    /// Texels from the left and top, and the height above the plane through the origin, m.
    fn corner(&self, p: Vec3<f32>) -> Corner {
        let middle = 0.5 * self.size as f32;
        let x = middle + p.dot(self.right) * self.texels_per_metre;
        let y = middle + p.dot(self.up) * self.texels_per_metre;
        Corner { x, y, nearness: p.dot(self.toward) }
    }

    /// A map of `size`² texels that holds a ball of `radius` m, drawn by all threads.
    pub(super) fn sun(geometry: &Geometry, toward: Vec3<f32>, size: usize, radius: f32) -> Self {
        let mut map = Self::empty(toward, size, radius);
        let corners: Vec<Corner> = geometry.points.par_iter().map(|p| map.corner(*p)).collect();
        let triangles: Vec<ScreenTriangle> = geometry
            .casters
            .par_iter()
            .map(|t| ScreenTriangle { corners: t.map(|i| corners[i as usize]), id: 0 })
            .collect();
        map.height = raster::visible(size, size, &triangles, f32::NEG_INFINITY).nearness;
        map
    }

    /// The same, drawn by one thread.
    fn small(geometry: &Geometry, toward: Vec3<f32>, size: usize, radius: f32) -> Self {
        let mut map = Self::empty(toward, size, radius);
        let corners: Vec<Corner> = geometry.points.iter().map(|p| map.corner(*p)).collect();
        let mut height = vec![f32::NEG_INFINITY; size * size];
        for triangle in &geometry.casters {
            raster::fill(&triangle.map(|i| corners[i as usize]), size, 0..size, |texel, near| {
                height[texel] = height[texel].max(near);
            });
        }
        map.height = height;
        map
    }

    /// Width of a texel, m.
    fn texel(&self) -> f32 {
        1.0 / self.texels_per_metre
    }

    /// Share of the light that reaches `p` with normal `n`, in [0, 1]: mean over `TAPS`² texels, weighted so that it
    /// changes smoothly. The point is lifted off its own surface by as much as the map's texels can lie.
    pub(super) fn lit<const TAPS: usize>(&self, p: Vec3<f32>, n: Vec3<f32>) -> f32 {
        let slope = (1.0 - n.dot(self.toward).clamp(0.0, 1.0).powi(2)).sqrt();
        let lifted = p + n * (self.texel() * (0.6 + 0.5 * TAPS as f32 * slope));
        let at = self.corner(lifted);
        let least = at.nearness + 0.5 * self.texel();
        let (x, y) = (at.x - 0.5 * TAPS as f32, at.y - 0.5 * TAPS as f32);
        let limit = (self.size - TAPS - 1) as f32;
        if !(x >= 0.0 && y >= 0.0 && x < limit && y < limit) {
            return 1.0;
        }
        let (left, top) = (x as usize, y as usize);
        let (fx, fy) = (x - left as f32, y - top as f32);
        let weight = |i: usize, f: f32| {
            if i == 0 {
                1.0 - f
            } else if i == TAPS {
                f
            } else {
                1.0
            }
        };
        let mut sum = 0.0;
        for j in 0..=TAPS {
            let row = &self.height[(top + j) * self.size + left..][..TAPS + 1];
            let mut along = 0.0;
            for (i, height) in row.iter().enumerate() {
                along += if *height > least { 0.0 } else { weight(i, fx) };
            }
            sum += along * weight(j, fy);
        }
        sum / (TAPS * TAPS) as f32
    }
}

/// Light from above, from a few directions.
pub(super) struct Sky {
    maps: Vec<DepthMap>,
    /// One over what a level surface in the open receives.
    scale: f32,
}

/// Texels along a side of the map of each sky direction.
const SKY_SIZE: usize = 256;
const SKY_DIRECTIONS: usize = 16;

impl Sky {
    pub(super) fn of(geometry: &Geometry, radius: f32) -> Self {
        let maps: Vec<DepthMap> = (0..SKY_DIRECTIONS)
            .into_par_iter()
            .map(|i| {
                // A spiral of equal steps in height: uniform over the half sphere, whatever the count.
                let y = (i as f32 + 0.5) / SKY_DIRECTIONS as f32;
                let angle = 2.399_963_2 * i as f32;
                let across = (1.0 - y * y).sqrt();
                let toward = Vec3::new(across * angle.cos(), y, across * angle.sin());
                DepthMap::small(geometry, toward, SKY_SIZE, radius)
            })
            .collect();
        let open: f32 = maps.iter().map(|m| m.toward.y * Self::brightness(m.toward)).sum();
        Self { maps, scale: 1.0 / open }
    }

    /// The sky is brighter overhead (Moon and Spencer 1942: (1 + 2 sin) / 3).
    fn brightness(toward: Vec3<f32>) -> f32 {
        (1.0 + 2.0 * toward.y) / 3.0
    }

    /// Light on a surface at `p` with normal `n`, as a multiple of what a level surface in the open receives.
    pub(super) fn light(&self, p: Vec3<f32>, n: Vec3<f32>) -> f32 {
        let mut sum = 0.0;
        for map in &self.maps {
            let facing = n.dot(map.toward);
            if facing > 0.0 {
                sum += facing * Self::brightness(map.toward) * map.lit::<1>(p, n);
            }
        }
        sum * self.scale
    }

    /// Light on both sides of the surface at each point: where the normal points, and behind.
    pub(super) fn at_points(&self, geometry: &Geometry) -> Vec<[f32; 2]> {
        let sides = |p: &Vec3<f32>, n: &Vec3<f32>| [self.light(*p, *n), self.light(*p, -*n)];
        geometry.points.par_iter().zip(&geometry.point_normals).map(|(p, n)| sides(p, n)).collect()
    }
}

/// Sky light on the ground around the scene, on a square grid.
pub(super) struct GroundLight {
    values: Vec<f32>,
    reach: f32,
}

const GROUND_SIZE: usize = 112;

impl GroundLight {
    /// Over ±`reach` m around the origin, at height `y` m.
    pub(super) fn of(sky: &Sky, y: f32, reach: f32) -> Self {
        let at = |i: usize| reach * (2.0 * i as f32 / (GROUND_SIZE - 1) as f32 - 1.0);
        let values = (0..GROUND_SIZE * GROUND_SIZE)
            .into_par_iter()
            .with_min_len(512)
            .map(|i| sky.light(Vec3::new(at(i % GROUND_SIZE), y, at(i / GROUND_SIZE)), Vec3::new(0.0, 1.0, 0.0)))
            .collect();
        Self { values: smoothed(values), reach }
    }

    /// Light at a place, 1 far from everything.
    pub(super) fn at(&self, x: f32, z: f32) -> f32 {
        let place = |c: f32| (c / self.reach + 1.0) * 0.5 * (GROUND_SIZE - 1) as f32;
        let (u, v) = (place(x), place(z));
        let limit = (GROUND_SIZE - 1) as f32;
        if !(u >= 0.0 && v >= 0.0 && u < limit && v < limit) {
            return 1.0;
        }
        let (i, j) = (u as usize, v as usize);
        let (fu, fv) = (u - i as f32, v - j as f32);
        let row = |j: usize| {
            let values = &self.values[j * GROUND_SIZE + i..];
            values[0] * (1.0 - fu) + values[1] * fu
        };
        row(j) * (1.0 - fv) + row(j + 1) * fv
    }
}

/// Two passes of a box filter along both axes: the shadows of single directions melt into one.
fn smoothed(mut values: Vec<f32>) -> Vec<f32> {
    const REACH: usize = 2;
    for step in [1, GROUND_SIZE, 1, GROUND_SIZE] {
        let old = values.clone();
        for (i, value) in values.iter_mut().enumerate() {
            let along = i / step % GROUND_SIZE;
            let (back, ahead) = (along.min(REACH), (GROUND_SIZE - 1 - along).min(REACH));
            let sum: f32 = (i - back * step..=i + ahead * step).step_by(step).map(|j| old[j]).sum();
            *value = sum / (back + ahead + 1) as f32;
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::super::surfaces::Surface;
    use super::*;

    const UP: Vec3<f32> = Vec3::new(0.0, 1.0, 0.0);

    fn lid() -> Geometry {
        let points = [[-0.5, 0.1, 0.5], [0.5, 0.1, 0.5], [0.5, 0.1, -0.5], [-0.5, 0.1, -0.5]];
        let triangles = [[0, 1, 2], [0, 2, 3]];
        Geometry::of(
            &[Surface { points: &points, triangles: &triangles, colour: [0.5; 3], two_sided: true, endless: false }],
            [0.0; 3],
            9.0,
        )
    }

    #[test]
    fn the_sky_is_whole_in_the_open_and_hidden_under_a_lid() {
        let sky = Sky::of(&lid(), 1.0);
        assert!((sky.light(Vec3::new(0.0, 0.2, 0.0), UP) - 1.0).abs() < 1e-5);
        assert!(sky.light(Vec3::new(0.0, 0.0, 0.0), UP) < 0.15);
        let edge = sky.light(Vec3::new(0.5, 0.0, 0.0), UP);
        assert!((0.2..0.8).contains(&edge), "{edge}");
        let sides = sky.at_points(&lid());
        assert!(sides.iter().all(|[front, back]| *front > 0.99 && *back < 0.01), "{sides:?}");
    }

    #[test]
    fn the_suns_shadow_has_a_soft_edge_where_it_should_be() {
        let sun = DepthMap::sun(&lid(), UP, 256, 1.0);
        let lit = |x: f32| sun.lit::<5>(Vec3::new(x, 0.0, 0.0), UP);
        assert_eq!((lit(0.4), lit(0.6), lit(30.0)), (0.0, 1.0, 1.0));
        assert!((lit(0.5) - 0.5).abs() < 0.2, "{}", lit(0.5));
        let steps: Vec<f32> = (0..40).map(|i| lit(0.45 + 0.0025 * i as f32)).collect();
        assert!(steps.windows(2).all(|w| w[1] >= w[0] && w[1] - w[0] < 0.15), "{steps:?}");
    }

    #[test]
    fn the_ground_is_darkest_below_things_and_bright_far_away() {
        let ground = GroundLight::of(&Sky::of(&lid(), 1.0), 0.0, 3.0);
        assert!(ground.at(0.0, 0.0) < 0.4 && ground.at(2.5, 2.5) > 0.9 && ground.at(99.0, 0.0) == 1.0);
    }
}
