//! Surfaces as the renderer wants them: in single precision around the middle of the scene, with normals.

use crate::math::Vec3;
use rayon::prelude::*;
use std::collections::HashMap;

/// A triangle surface to be drawn: a body or a collider.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    /// Points, m. Triangles with a point that is not finite are not drawn.
    pub points: &'a [[f64; 3]],
    /// Triangles, counter-clockwise seen from outside. Those with an index beyond `points` are not drawn.
    pub triangles: &'a [[u32; 3]],
    /// sRGB colour, each component in [0, 1].
    pub colour: [f32; 3],
    /// Both sides are drawn (cloth), the back a little paler; otherwise only the outside (closed surfaces).
    pub two_sided: bool,
    /// It stands for a plane without end: there are lines on it as on a floor, and it fades away far from the scene.
    pub endless: bool,
}

/// All surfaces in one piece.
pub(super) struct Geometry {
    pub(super) points: Vec<Vec3<f32>>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// The same surface with as few triangles as it was given with, which is enough to cast shadows.
    pub(super) casters: Vec<[u32; 3]>,
    /// Which surface each triangle belongs to.
    pub(super) surface: Vec<u32>,
    /// Outward normal of each triangle.
    pub(super) face_normals: Vec<Vec3<f32>>,
    /// Smooth normal at each point.
    pub(super) point_normals: Vec<Vec3<f32>>,
    /// Normal at each corner of each triangle: smooth over the surface, but not across creases.
    pub(super) corner_normals: Vec<[Vec3<f32>; 3]>,
}

/// Faces that meet at a sharper angle than 60° keep their edge.
const CREASE_COSINE: f32 = 0.5;

impl Geometry {
    /// Gathers surfaces, moved so that `origin` is at zero; edges longer than `longest` m are split where they matter.
    pub(super) fn of(surfaces: &[Surface], origin: [f64; 3], longest: f32) -> Self {
        let (mut points, mut triangles, mut surface) = (Vec::new(), Vec::new(), Vec::new());
        for (index, s) in surfaces.iter().enumerate() {
            let first = points.len() as u32;
            points.extend(s.points.iter().map(|p| Vec3::<f32>::of(std::array::from_fn(|i| p[i] - origin[i]))));
            let drawn = |t: &&[u32; 3]| {
                t.iter().all(|&i| points.get(first as usize + i as usize).is_some_and(|p: &Vec3<f32>| p.is_finite()))
            };
            let kept = s.triangles.iter().filter(drawn).map(|t| t.map(|i| first + i));
            triangles.extend(kept);
            surface.resize(triangles.len(), index as u32);
        }
        // Length twice the area: larger faces weigh more in the mean.
        let weighted: Vec<Vec3<f32>> = triangles
            .par_iter()
            .map(|t: &[u32; 3]| {
                let [a, b, c] = t.map(|i| points[i as usize]);
                (b - a).cross(c - a)
            })
            .collect();
        let face_normals: Vec<Vec3<f32>> = weighted.par_iter().map(|n| unit(*n)).collect();
        let (start, around) = triangles_around(points.len(), &triangles);
        let of_point = |p: usize| &around[start[p] as usize..start[p + 1] as usize];
        let point_normals = (0..points.len())
            .into_par_iter()
            .map(|p| unit(of_point(p).iter().fold(Vec3::ZERO, |sum, &t| sum + weighted[t as usize])))
            .collect();
        let corner_normals = (0..triangles.len())
            .into_par_iter()
            .map(|t| {
                triangles[t].map(|p| {
                    let near = |&&o: &&u32| face_normals[t].dot(face_normals[o as usize]) > CREASE_COSINE;
                    let sum = of_point(p as usize).iter().filter(near);
                    unit(sum.fold(Vec3::ZERO, |sum, &o| sum + weighted[o as usize]))
                })
            })
            .collect();
        let casters = triangles.clone();
        let mut geometry = Self { points, triangles, casters, surface, face_normals, point_normals, corner_normals };
        geometry.split(longest);
        geometry
    }

    /// Cuts triangles at the middle of their longest edge until none is longer than `longest`: light that is known at
    /// points only needs points. Both sides of an edge cut it in the same places, so no gap opens. Shading does not
    /// change, since normals are those of the uncut triangle. Far from the scene nothing is cut.
    fn split(&mut self, longest: f32) {
        // A point on a crease is there once for each side: its light depends on the normal.
        let mut middles: HashMap<(u32, u32, [u32; 3]), u32> = HashMap::new();
        let mut t = 0;
        while t < self.triangles.len() {
            let corners = self.triangles[t];
            let p = corners.map(|i| self.points[i as usize]);
            let length_sq = |k: usize| (p[(k + 1) % 3] - p[k]).length_sq();
            let k = (1..3).fold(0, |best, k| if length_sq(k) > length_sq(best) { k } else { best });
            let length = length_sq(k).sqrt();
            let near = p.iter().any(|p| p.length() < REACH * longest + length);
            if !(length > longest && near) || self.triangles.len() >= MOST_TRIANGLES {
                t += 1;
                continue;
            }
            let (i, j, o) = (k, (k + 1) % 3, (k + 2) % 3);
            let normals = self.corner_normals[t];
            let normal = unit(normals[i] + normals[j]);
            let (a, b) = (corners[i].min(corners[j]), corners[i].max(corners[j]));
            let key = (a, b, [normal.x, normal.y, normal.z].map(f32::to_bits));
            let middle = *middles.entry(key).or_insert_with(|| {
                self.points.push((self.points[a as usize] + self.points[b as usize]) * 0.5);
                self.point_normals.push(normal);
                self.points.len() as u32 - 1
            });
            self.triangles[t] = [corners[i], middle, corners[o]];
            self.corner_normals[t] = [normals[i], normal, normals[o]];
            self.triangles.push([middle, corners[j], corners[o]]);
            self.corner_normals.push([normal, normals[j], normals[o]]);
            self.face_normals.push(self.face_normals[t]);
            self.surface.push(self.surface[t]);
        }
    }
}

/// Triangles are cut within so many times the longest edge from the middle of the scene.
const REACH: f32 = 30.0;
/// A bound on the memory that cutting takes, whatever the surfaces are.
const MOST_TRIANGLES: usize = 1 << 20;

/// A direction for everything, even a face without area.
fn unit(v: Vec3<f32>) -> Vec3<f32> {
    let length = v.length();
    if length > 1e-30 { v / length } else { Vec3::new(0.0, 1.0, 0.0) }
}

/// For each point the triangles that use it, in order: offsets and numbers.
fn triangles_around(points: usize, triangles: &[[u32; 3]]) -> (Vec<u32>, Vec<u32>) {
    let mut start = vec![0_u32; points + 1];
    for &i in triangles.iter().flatten() {
        start[i as usize + 1] += 1;
    }
    for p in 0..points {
        start[p + 1] += start[p];
    }
    let mut next = start.clone();
    let mut around = vec![0; triangles.len() * 3];
    for (t, triangle) in triangles.iter().enumerate() {
        for &i in triangle {
            around[next[i as usize] as usize] = t as u32;
            next[i as usize] += 1;
        }
    }
    (start, around)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cube_keeps_its_edges_and_a_flat_sheet_is_smooth() {
        let points: Vec<[f64; 3]> = (0..8).map(|i| [(i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64]).collect();
        let corner = [[0, 1, 3], [0, 4, 5]];
        let surface =
            Surface { points: &points, triangles: &corner, colour: [0.5; 3], two_sided: true, endless: false };
        let geometry = Geometry::of(&[surface], [0.0; 3], 9.0);
        assert!((geometry.corner_normals[0][0] - geometry.face_normals[0]).length() < 1e-6);
        let flat = [[0, 1, 3], [0, 3, 2]];
        let geometry = Geometry::of(&[Surface { triangles: &flat, ..surface }], [0.0; 3], 9.0);
        assert!((geometry.corner_normals[1][1] - geometry.face_normals[0]).length() < 1e-6);
    }

    #[test]
    fn triangles_that_cannot_be_drawn_are_left_out() {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [f64::NAN, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let triangles = [[0, 1, 2], [0, 1, 9], [0, 1, u32::MAX], [0, 1, 3], [0, 0, 0]];
        let surface =
            Surface { points: &points, triangles: &triangles, colour: [0.5; 3], two_sided: true, endless: false };
        let geometry = Geometry::of(&[surface, surface], [0.0; 3], 9.0);
        assert_eq!(geometry.triangles, [[0, 1, 3], [0, 0, 0], [4, 5, 7], [4, 4, 4]]);
        assert_eq!(geometry.surface, [0, 0, 1, 1]);
    }

    #[test]
    fn long_edges_are_split_without_gaps_and_without_changing_the_surface() {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.7, 0.0], [0.0, 0.7, 0.3]];
        let triangles = [[0, 1, 2], [0, 2, 3]];
        let surface =
            Surface { points: &points, triangles: &triangles, colour: [0.5; 3], two_sided: true, endless: false };
        let whole = Geometry::of(&[surface], [0.0; 3], 9.0);
        let cut = Geometry::of(&[surface], [0.0; 3], 0.1);
        let area = |g: &Geometry| -> f32 {
            let corners = g.triangles.iter().map(|t| t.map(|i| g.points[i as usize]));
            corners.map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length()).sum()
        };
        assert!((area(&whole) - area(&cut)).abs() < 1e-5);
        // Every edge inside has two triangles, so that no point lies on the edge of a neighbour.
        let mut edges: Vec<[u32; 2]> = Vec::new();
        for t in &cut.triangles {
            for k in 0..3 {
                let (a, b) = (t[k], t[(k + 1) % 3]);
                let (p, q) = (cut.points[a as usize], cut.points[b as usize]);
                assert!((p - q).length() <= 0.1);
                let on_rim = |p: Vec3<f32>| p.x < 1e-6 || p.x > 1.0 - 1e-6 || p.y < 1e-6 || p.y > 0.7 - 1e-6;
                if !(on_rim(p) && on_rim(q)) {
                    edges.push([a.min(b), a.max(b)]);
                }
            }
        }
        edges.sort();
        assert!(edges.len() > 200 && edges.chunks(2).all(|pair| pair[0] == pair[1]));
    }
}
