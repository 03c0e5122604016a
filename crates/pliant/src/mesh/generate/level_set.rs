//! The surface where numbers on a grid pass through zero.

use super::super::Mesh;
use std::collections::HashMap;

/// The corners of the six tetrahedra of a cell (Kuhn): paths from its first corner to its last; bit k of a corner is its step
/// along axis k.
const TETS: [[usize; 4]; 6] = [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];

/// The closed surface around the points below zero by marching tetrahedra: the interpolated zeros of the edges of a grid of
/// `counts` points, whose places `point` says, with numbers along x first. Points at the border must not be below zero.
pub fn level_set(counts: [usize; 3], values: &[f32], point: impl Fn([usize; 3]) -> [f64; 3]) -> Mesh {
    let [nx, ny, nz] = counts;
    let offset = |corner: usize| (corner & 1) + nx * ((corner >> 1 & 1) + ny * (corner >> 2));
    let mut surface = Surface { mesh: Mesh::default(), places: HashMap::new(), counts, values, point };
    for k in 0..nz.saturating_sub(1) {
        for j in 0..ny.saturating_sub(1) {
            for i in 0..nx.saturating_sub(1) {
                let first = i + nx * (j + ny * k);
                let inside = |corner: &usize| values[first + offset(*corner)] < 0.0;
                let count = (0..8).filter(inside).count();
                if count != 0 && count != 8 {
                    TETS.iter().for_each(|tet| surface.cut(tet.map(|corner| first + offset(corner))));
                }
            }
        }
    }
    surface.mesh
}

struct Surface<'a, P> {
    mesh: Mesh,
    /// Vertices by the edge they lie on.
    places: HashMap<[usize; 2], u32>,
    counts: [usize; 3],
    values: &'a [f32],
    point: P,
}

impl<P: Fn([usize; 3]) -> [f64; 3]> Surface<'_, P> {
    /// Adds what lies in a positive tetrahedron.
    fn cut(&mut self, tet: [usize; 4]) {
        // The even permutations that bring each corner to the front.
        const FIRST: [[usize; 4]; 4] = [[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]];
        let inside: Vec<usize> = (0..4).filter(|&c| self.values[tet[c]] < 0.0).collect();
        match inside[..] {
            [one] => self.cut_off(FIRST[one].map(|c| tet[c]), false),
            [_, _, _] => {
                let other = (0..4).find(|c| !inside.contains(c)).unwrap_or(0);
                self.cut_off(FIRST[other].map(|c| tet[c]), true);
            }
            [a, b] => {
                // The pair in front; the others so that the order stays even.
                let [_, _, c, d] = match [a, b] {
                    [0, 1] => [0, 1, 2, 3],
                    [0, 2] => [0, 2, 3, 1],
                    [0, 3] => [0, 3, 1, 2],
                    [1, 2] => [1, 2, 0, 3],
                    [1, 3] => [1, 3, 2, 0],
                    _ => [2, 3, 0, 1],
                };
                let [a, b, c, d] = [a, b, c, d].map(|corner| tet[corner]);
                let [ac, ad, bd, bc] = [[a, c], [a, d], [b, d], [b, c]].map(|edge| self.vertex(edge));
                self.mesh.triangles.extend([[ac, ad, bd], [ac, bd, bc]]);
            }
            _ => {}
        }
    }

    /// The triangle that separates the first corner from the others.
    fn cut_off(&mut self, [a, b, c, d]: [usize; 4], hollow: bool) {
        let [p, q, r] = [[a, b], [a, c], [a, d]].map(|edge| self.vertex(edge));
        self.mesh.triangles.push(if hollow { [p, r, q] } else { [p, q, r] });
    }

    fn vertex(&mut self, [a, b]: [usize; 2]) -> u32 {
        let edge = [a.min(b), a.max(b)];
        let [nx, ny, _] = self.counts;
        *self.places.entry(edge).or_insert_with(|| {
            let [from, to] = edge.map(|i| (self.point)([i % nx, i / nx % ny, i / nx / ny]));
            let [u, v] = edge.map(|i| f64::from(self.values[i]));
            let t = u / (u - v);
            self.mesh.points.push(std::array::from_fn(|k| from[k] + (to[k] - from[k]) * t));
            self.mesh.points.len() as u32 - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Kind, check, topology};

    #[test]
    fn the_surface_of_a_ball_is_closed_outward_and_round() {
        let (n, radius) = (15, 0.4f64);
        let at = |i: usize| i as f64 / 14.0 - 0.5;
        let point = |[i, j, k]: [usize; 3]| [at(i), at(j), at(k)];
        let distance = |[x, y, z]: [f64; 3]| ((x * x + y * y + z * z).sqrt() - radius) as f32;
        let values: Vec<f32> = (0..n * n * n).map(|i| distance(point([i % n, i / n % n, i / n / n]))).collect();
        let mesh = level_set([n; 3], &values, point);
        assert!(topology::boundary_edges(mesh.points.len(), &mesh.triangles).is_empty());
        assert!(!check(&mesh).kinds().contains(&Kind::InconsistentOrientation));
        let volume: f64 = mesh
            .triangles
            .iter()
            .map(|t| {
                topology::signed_volume(
                    &[[0.0; 3], mesh.points[t[0] as usize], mesh.points[t[1] as usize], mesh.points[t[2] as usize]],
                    &[0, 1, 2, 3],
                )
            })
            .sum();
        let exact = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        assert!((volume / exact - 1.0).abs() < 0.03, "{volume} {exact}");
        // Of a ball, a chord of √3 cells is at most (√3 cells)²/(8 r) below the surface.
        let bound = 3.0 / (14.0 * 14.0) / (8.0 * radius);
        for p in &mesh.points {
            assert!((f64::from(distance(*p))).abs() < bound, "{p:?}");
        }
    }
}
