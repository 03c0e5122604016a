//! The nearest of many triangles: a tree of boxes, halved at the median of the longest side.

use crate::math::Vec3;
use crate::math::closest::point_triangle;

type V = Vec3<f64>;

/// Triangles in a leaf, at most.
const LEAF: usize = 4;

struct Node {
    low: V,
    high: V,
    /// Of a leaf, its triangles; else the second of its halves, the first one being the next node.
    start: u32,
    /// 0 for what is no leaf.
    count: u32,
}

/// Triangles to be asked for the nearest one.
pub(super) struct TriangleTree {
    corners: Vec<[V; 3]>,
    nodes: Vec<Node>,
}

fn least(a: V, b: V) -> V {
    V::new(a.x.min(b.x), a.y.min(b.y), a.z.min(b.z))
}

fn most(a: V, b: V) -> V {
    V::new(a.x.max(b.x), a.y.max(b.y), a.z.max(b.z))
}

impl TriangleTree {
    /// Of at least one triangle.
    pub fn new(mut corners: Vec<[V; 3]>) -> Self {
        let mut nodes = Vec::with_capacity(corners.len());
        let end = corners.len();
        build(&mut corners, 0, end, &mut nodes);
        Self { corners, nodes }
    }

    /// The square of the distance from the nearest triangle, m², and its number here. `hint` is a number of a triangle that is
    /// probably not far.
    pub fn nearest(&self, p: V, hint: u32) -> (f64, u32) {
        let mut best = (point_triangle(p, self.corners[hint as usize]).distance_sq(), hint);
        // Halves wait here with their distances; a tree of 2³² triangles is 31 levels deep, a level leaves one half.
        let mut waiting = [(0.0f64, 0u32); 40];
        let mut length = 0;
        let (mut at, mut near) = (0u32, box_distance_sq(p, &self.nodes[0]));
        loop {
            let node = &self.nodes[at as usize];
            if near < best.0 && node.count == 0 {
                let halves = [at + 1, node.start].map(|half| (box_distance_sq(p, &self.nodes[half as usize]), half));
                let [first, second] = if halves[0].0 <= halves[1].0 { halves } else { [halves[1], halves[0]] };
                if second.0 < best.0 {
                    waiting[length] = second;
                    length += 1;
                }
                (near, at) = first;
                continue;
            }
            if near < best.0 {
                for triangle in node.start..node.start + node.count {
                    let d = point_triangle(p, self.corners[triangle as usize]).distance_sq();
                    if d < best.0 {
                        best = (d, triangle);
                    }
                }
            }
            if length == 0 {
                return best;
            }
            length -= 1;
            (near, at) = waiting[length];
        }
    }
}

fn build(corners: &mut [[V; 3]], start: usize, end: usize, nodes: &mut Vec<Node>) {
    let all = || corners[start..end].iter().flatten().copied();
    let low = all().fold(V::new(f64::INFINITY, f64::INFINITY, f64::INFINITY), least);
    let high = all().fold(V::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY), most);
    let index = nodes.len();
    let is_leaf = end - start <= LEAF;
    nodes.push(Node { low, high, start: start as u32, count: if is_leaf { (end - start) as u32 } else { 0 } });
    if is_leaf {
        return;
    }
    let size = high - low;
    let axis = (1..3).fold(0, |axis, k| if size[k] > size[axis] { k } else { axis });
    let middle = (end - start) / 2;
    let centre = |t: &[V; 3]| t[0][axis] + t[1][axis] + t[2][axis];
    corners[start..end].select_nth_unstable_by(middle, |a, b| centre(a).total_cmp(&centre(b)));
    build(corners, start, start + middle, nodes);
    nodes[index].start = nodes.len() as u32;
    build(corners, start + middle, end, nodes);
}

#[inline(always)]
fn box_distance_sq(p: V, node: &Node) -> f64 {
    let out = |p: f64, low: f64, high: f64| (low - p).max(p - high).max(0.0);
    let (x, y, z) =
        (out(p.x, node.low.x, node.high.x), out(p.y, node.low.y, node.high.y), out(p.z, node.low.z, node.high.z));
    x * x + y * y + z * z
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::SplitMix;

    fn random_point(random: &mut SplitMix) -> V {
        V::of(random.point())
    }

    /// Regression: on triangles as thin as rounding the regions of Ericson's walk contradict each other.
    #[test]
    fn a_sliver_is_no_farther_than_the_points_of_its_edges() {
        let mut random = SplitMix(3);
        for _ in 0..3000 {
            let along = random_point(&mut random);
            let corners = [(); 3].map(|()| along * random.signed() + random_point(&mut random) * 1e-16);
            let p = along * (1.2 * random.signed()) + random_point(&mut random) * 0.1;
            let found = TriangleTree::new(vec![corners]).nearest(p, 0).0.sqrt();
            for i in 0..=100 {
                let t = f64::from(i) / 100.0;
                for [a, b] in [[0, 1], [1, 2], [2, 0]].map(|edge| edge.map(|k: usize| corners[k])) {
                    let sampled = (a + (b - a) * t - p).length();
                    assert!(found <= sampled + 1e-9, "{corners:?} {p:?}: {found} {sampled}");
                }
            }
        }
    }

    #[test]
    fn the_tree_finds_what_all_triangles_have() {
        let mut random = SplitMix(9);
        for count in [1, 2, 4, 5, 17, 300] {
            let triangles: Vec<[V; 3]> = (0..count)
                .map(|_| {
                    let at = random_point(&mut random);
                    [(); 3].map(|()| at + random_point(&mut random) * 0.1)
                })
                .collect();
            let tree = TriangleTree::new(triangles.clone());
            for hint in 0..50 {
                let p = random_point(&mut random) * 2.0;
                let brute = triangles.iter().map(|t| point_triangle(p, *t).distance_sq()).fold(f64::INFINITY, f64::min);
                assert_eq!(tree.nearest(p, hint % count).0, brute, "{count}");
            }
        }
    }
}
