//! The nearest of many triangles: a tree of boxes, halved at the median of the longest side.

use crate::math::Vec3;

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
        let mut best = (distance_sq(p, &self.corners[hint as usize]), hint);
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
                    let d = distance_sq(p, &self.corners[triangle as usize]);
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

/// The square of the distance of a point from a triangle, m² (C. Ericson, "Real-Time Collision Detection", 5.1.5: by the region
/// of the triangle's plane that it lies over).
pub(super) fn distance_sq(p: V, &[a, b, c]: &[V; 3]) -> f64 {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return ap.length_sq();
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return bp.length_sq();
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (ap - ab * (d1 / (d1 - d3))).length_sq();
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return cp.length_sq();
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (ap - ac * (d2 / (d2 - d6))).length_sq();
    }
    let va = d3 * d6 - d5 * d4;
    let (e, f) = (d4 - d3, d5 - d6);
    if va <= 0.0 && e >= 0.0 && f >= 0.0 {
        return (bp - (c - b) * (e / (e + f))).length_sq();
    }
    let inverse = 1.0 / (va + vb + vc);
    (ap - ab * (vb * inverse) - ac * (vc * inverse)).length_sq()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::SplitMix;

    fn random_point(random: &mut SplitMix) -> V {
        V::of(random.point())
    }

    #[test]
    fn the_distance_of_a_triangle_is_the_least_of_all_its_points() {
        let mut random = SplitMix(3);
        for _ in 0..60 {
            let triangle = [(); 3].map(|()| random_point(&mut random));
            let p = random_point(&mut random) * 1.5;
            let n = 60;
            let all = (0..=n).flat_map(|i| (0..=n - i).map(move |j| (f64::from(i) / 60.0, f64::from(j) / 60.0)));
            let [a, b, c] = triangle;
            let sampled = all.map(|(s, t)| (a + (b - a) * s + (c - a) * t - p).length()).fold(f64::INFINITY, f64::min);
            let found = distance_sq(p, &triangle).sqrt();
            let spacing = ((b - a).length() + (c - a).length()) / 60.0;
            assert!(found <= sampled + 1e-12 && found >= sampled - spacing, "{found} {sampled}");
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
                let brute = triangles.iter().map(|t| distance_sq(p, t)).fold(f64::INFINITY, f64::min);
                assert_eq!(tree.nearest(p, hint % count).0, brute, "{count}");
            }
        }
    }
}
