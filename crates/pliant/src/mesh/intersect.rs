//! Triangles that touch or cross: a tree of boxes finds the candidates, exact predicates decide.

use super::intersect_predicates::{orient2d, orient3d};

type Triangle = [[f64; 3]; 3];

/// Pairs of triangles that share no vertex and touch or cross, smaller index first, sorted; at most `limit` of them.
///
/// The answer is exact for coordinates whose products neither over- nor underflow, coplanar pairs included. Pairs of
/// two triangles without area are not found; triangles with an index out of range are left out.
pub fn self_intersections(points: &[[f64; 3]], triangles: &[[u32; 3]], limit: usize) -> Vec<[u32; 2]> {
    let tree = Tree::new(points, triangles);
    let mut pairs = Vec::new();
    let touches = |i: u32, j: u32| {
        let (a, b) = (triangles[i as usize], triangles[j as usize]);
        let corners = |t: [u32; 3]| t.map(|corner| points[corner as usize]);
        !a.iter().any(|corner| b.contains(corner)) && triangles_touch(&corners(a), &corners(b))
    };
    tree.visit_overlapping_pairs(|i, j| {
        if pairs.len() < limit && touches(i, j) {
            pairs.push([i.min(j), i.max(j)]);
        }
        pairs.len() < limit
    });
    pairs.sort_unstable();
    pairs
}

/// Whether two closed triangles have a point in common.
///
/// Two triangles meet exactly when an edge of one meets the other, so six edge-triangle tests decide.
fn triangles_touch(p: &Triangle, q: &Triangle) -> bool {
    let p_sides = p.map(|point| orient3d(q[0], q[1], q[2], point));
    if apart(p_sides) {
        return false;
    }
    let q_sides = q.map(|point| orient3d(p[0], p[1], p[2], point));
    if apart(q_sides) {
        return false;
    }
    let any_edge = |p: &Triangle, sides: [i32; 3], q: &Triangle| {
        (0..3).any(|i| {
            let j = (i + 1) % 3;
            edge_touches([p[i], p[j]], [sides[i], sides[j]], q)
        })
    };
    any_edge(p, p_sides, q) || any_edge(q, q_sides, p)
}

fn apart(sides: [i32; 3]) -> bool {
    sides == [1; 3] || sides == [-1; 3]
}

/// Whether a closed edge, whose ends lie on the given sides of the triangle's plane, meets the closed triangle.
fn edge_touches([p, q]: [[f64; 3]; 2], sides: [i32; 2], [a, b, c]: &Triangle) -> bool {
    match sides {
        [s, t] if s * t > 0 => false,
        [0, 0] => flat_edge_touches([p, q], &[*a, *b, *c]),
        _ => {
            // The line through the edge pierces the plane once; inside, the corners turn the same way around it.
            let (first, second) = (orient3d(p, q, *a, *b), orient3d(p, q, *b, *c));
            if first * second < 0 {
                return false;
            }
            let third = orient3d(p, q, *c, *a);
            first * third >= 0 && second * third >= 0
        }
    }
}

/// The same in the plane of the triangle, seen along an axis that does not flatten it.
fn flat_edge_touches(edge: [[f64; 3]; 2], triangle: &Triangle) -> bool {
    for (i, j) in [(0, 1), (1, 2), (2, 0)] {
        let flatten = |point: [f64; 3]| [point[i], point[j]];
        let [a, b, c] = triangle.map(flatten);
        let turn = orient2d(a, b, c);
        if turn == 0 {
            continue;
        }
        let [p, q] = edge.map(flatten);
        let sides = [[a, b], [b, c], [c, a]];
        let inside = sides.iter().all(|&[s, t]| orient2d(s, t, p) * turn >= 0);
        return inside || sides.iter().any(|&side| edges_touch([p, q], side));
    }
    false
}

/// Whether two closed edges in a plane have a point in common.
fn edges_touch([p, q]: [[f64; 2]; 2], [a, b]: [[f64; 2]; 2]) -> bool {
    let turns = [orient2d(a, b, p), orient2d(a, b, q), orient2d(p, q, a), orient2d(p, q, b)];
    if turns == [0; 4] {
        return (0..2).all(|i| p[i].min(q[i]) <= a[i].max(b[i]) && a[i].min(b[i]) <= p[i].max(q[i]));
    }
    turns[0] * turns[1] <= 0 && turns[2] * turns[3] <= 0
}

#[derive(Clone, Copy)]
struct Aabb {
    low: [f64; 3],
    high: [f64; 3],
}

impl Aabb {
    const EMPTY: Aabb = Aabb { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3] };

    fn add(&mut self, other: &Aabb) {
        for i in 0..3 {
            self.low[i] = self.low[i].min(other.low[i]);
            self.high[i] = self.high[i].max(other.high[i]);
        }
    }

    fn overlaps(&self, other: &Aabb) -> bool {
        (0..3).all(|i| self.low[i] <= other.high[i] && other.low[i] <= self.high[i])
    }

    fn longest_axis(&self) -> usize {
        let size = |i: usize| self.high[i] - self.low[i];
        (1..3).fold(0, |best, i| if size(i) > size(best) { i } else { best })
    }
}

struct Node {
    aabb: Aabb,
    start: usize,
    end: usize,
    /// The two halves, unless it is a leaf.
    halves: Option<[usize; 2]>,
}

/// Boxes of triangles, halved at the median of the longest axis.
struct Tree {
    boxes: Vec<Aabb>,
    order: Vec<u32>,
    nodes: Vec<Node>,
}

const LEAF: usize = 4;

impl Tree {
    fn new(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Self {
        let mut boxes = Vec::with_capacity(triangles.len());
        let mut order = Vec::with_capacity(triangles.len());
        for (i, triangle) in triangles.iter().enumerate() {
            let mut aabb = Aabb::EMPTY;
            let corners = triangle.map(|corner| points.get(corner as usize));
            if let [Some(a), Some(b), Some(c)] = corners {
                [a, b, c].into_iter().for_each(|p| aabb.add(&Aabb { low: *p, high: *p }));
                order.push(i as u32);
            }
            boxes.push(aabb);
        }
        let mut tree = Tree { boxes, order, nodes: Vec::new() };
        if !tree.order.is_empty() {
            tree.build(0, tree.order.len());
        }
        tree
    }

    fn build(&mut self, start: usize, end: usize) -> usize {
        let mut aabb = Aabb::EMPTY;
        self.order[start..end].iter().for_each(|&i| aabb.add(&self.boxes[i as usize]));
        let index = self.nodes.len();
        self.nodes.push(Node { aabb, start, end, halves: None });
        if end - start > LEAF {
            let axis = aabb.longest_axis();
            let boxes = &self.boxes;
            let centre = |i: u32| boxes[i as usize].low[axis] + boxes[i as usize].high[axis];
            let middle = (end - start) / 2;
            self.order[start..end].select_nth_unstable_by(middle, |&i, &j| centre(i).total_cmp(&centre(j)));
            let halves = [self.build(start, start + middle), self.build(start + middle, end)];
            self.nodes[index].halves = Some(halves);
        }
        index
    }

    /// Calls `visit` once for each pair with overlapping boxes, until it returns false.
    fn visit_overlapping_pairs(&self, mut visit: impl FnMut(u32, u32) -> bool) {
        let mut stack: Vec<[usize; 2]> = if self.nodes.is_empty() { Vec::new() } else { vec![[0, 0]] };
        while let Some([a, b]) = stack.pop() {
            let (first, second) = (&self.nodes[a], &self.nodes[b]);
            if a != b && !first.aabb.overlaps(&second.aabb) {
                continue;
            }
            match (first.halves, second.halves) {
                (Some([l, r]), _) if a == b => stack.extend([[l, l], [r, r], [l, r]]),
                (Some(halves), None) => stack.extend(halves.map(|half| [half, b])),
                (None, Some(halves)) => stack.extend(halves.map(|half| [a, half])),
                (Some(x), Some(y)) => {
                    stack.extend([[x[0], y[0]], [x[0], y[1]], [x[1], y[0]], [x[1], y[1]]]);
                }
                (None, None) => {
                    if !self.visit_leaves(first, second, a == b, &mut visit) {
                        return;
                    }
                }
            }
        }
    }

    fn visit_leaves(&self, a: &Node, b: &Node, same: bool, visit: &mut impl FnMut(u32, u32) -> bool) -> bool {
        for (k, &i) in self.order[a.start..a.end].iter().enumerate() {
            let from = if same { a.start + k + 1 } else { b.start };
            for &j in &self.order[from..b.end] {
                if self.boxes[i as usize].overlaps(&self.boxes[j as usize]) && !visit(i, j) {
                    return false;
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::SplitMix;

    type Whole = [i64; 3];

    fn minus(a: Whole, b: Whole) -> Whole {
        [0, 1, 2].map(|i| a[i] - b[i])
    }

    fn times(a: Whole, b: Whole) -> Whole {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    }

    /// An independent answer in integers: convex sets are apart exactly when one of these directions separates them.
    fn some_axis_separates(p: [Whole; 3], q: [Whole; 3]) -> bool {
        let edges = |t: [Whole; 3]| [minus(t[1], t[0]), minus(t[2], t[1]), minus(t[0], t[2])];
        let normal = |t: [Whole; 3]| times(minus(t[1], t[0]), minus(t[2], t[0]));
        let (m, n) = (normal(p), normal(q));
        let mut axes = vec![m, n];
        for e in edges(p) {
            axes.push(times(m, e));
            axes.extend(edges(q).map(|f| times(e, f)));
        }
        axes.extend(edges(q).map(|f| times(n, f)));
        axes.iter().any(|axis| {
            let range = |t: [Whole; 3]| {
                let along = t.map(|c| c[0] * axis[0] + c[1] * axis[1] + c[2] * axis[2]);
                (along[0].min(along[1]).min(along[2]), along[0].max(along[1]).max(along[2]))
            };
            let ((a, b), (c, d)) = (range(p), range(q));
            b < c || d < a
        })
    }

    #[test]
    fn small_integer_triangles_agree_with_separating_axes() {
        let mut random = SplitMix(1);
        let mut counts = [0; 2];
        for case in 0..60_000u64 {
            // Few places, so that coplanar, touching and collinear pairs are common.
            let side = 2 + case % 4;
            let mut triangle = || [0; 3].map(|_| [0; 3].map(|_| (random.bits() % side) as i64));
            let (p, q) = (triangle(), triangle());
            let flat = |t: [Whole; 3]| times(minus(t[1], t[0]), minus(t[2], t[0])) == [0; 3];
            if flat(p) || flat(q) {
                continue;
            }
            let real = |t: [Whole; 3]| t.map(|c| c.map(|x| x as f64));
            let touch = triangles_touch(&real(p), &real(q));
            assert_eq!(touch, !some_axis_separates(p, q), "{p:?} {q:?}");
            counts[usize::from(touch)] += 1;
        }
        assert!(counts.iter().all(|&count| count > 5_000), "{counts:?}");
    }

    #[test]
    fn one_rounding_step_decides_between_touching_and_apart() {
        let floor = [[0.0, 0.1, 0.0], [1.0, 0.1, 0.0], [0.0, 0.1, 1.0]];
        let spike = |y: f64| [[0.25, y, 0.25], [0.3, 2.0, 0.25], [0.25, 2.0, 0.3]];
        assert!(triangles_touch(&floor, &spike(0.1)));
        assert!(!triangles_touch(&floor, &spike(0.1f64.next_up())));
        assert!(triangles_touch(&floor, &spike(0.1f64.next_down())));
    }

    #[test]
    fn a_triangle_within_a_coplanar_one_is_found() {
        let outer = [[0.0, 0.0, 0.0], [9.0, 0.0, 9.0], [0.0, 9.0, 0.0]];
        let inner = [[1.0, 1.0, 1.0], [2.0, 1.0, 2.0], [1.0, 2.0, 1.0]];
        assert!(triangles_touch(&outer, &inner) && triangles_touch(&inner, &outer));
    }

    #[test]
    fn the_tree_finds_what_all_pairs_find() {
        let mut random = SplitMix(7);
        let mut real = |scale: f64| random.unit() * scale;
        let mut points = Vec::new();
        for _ in 0..300 {
            let centre = [real(1.0), real(1.0), real(1.0)];
            points.extend([0; 3].map(|_| [centre[0] + real(0.2), centre[1] + real(0.2), centre[2] + real(0.2)]));
        }
        let triangles: Vec<[u32; 3]> = (0..300).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let mut expected = Vec::new();
        for i in 0..300usize {
            for j in i + 1..300 {
                let corners = |t: usize| triangles[t].map(|corner| points[corner as usize]);
                if triangles_touch(&corners(i), &corners(j)) {
                    expected.push([i as u32, j as u32]);
                }
            }
        }
        assert!(expected.len() > 20);
        assert_eq!(self_intersections(&points, &triangles, usize::MAX), expected);
        assert_eq!(self_intersections(&points, &triangles, 5).len(), 5);
        assert!(self_intersections(&points, &triangles, 0).is_empty());
    }

    #[test]
    fn neighbours_and_bad_indices_are_left_out() {
        let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.2, 0.2, 1.0]];
        assert!(self_intersections(&points, &[[0, 1, 2], [0, 1, 3], [0, 1, 99]], 9).is_empty());
        assert!(self_intersections(&[], &[], 9).is_empty());
    }
}
