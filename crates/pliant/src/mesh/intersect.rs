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
        if touches(i, j) {
            pairs.push([i.min(j), i.max(j)]);
        }
        pairs.len() < limit
    });
    pairs.sort_unstable();
    pairs.truncate(limit);
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
