//! Nested dissection: an order of elimination with little fill for matrices of meshes (George, "Nested dissection of a
//! regular finite element mesh", 1973). A few vertices that cut a mesh in two come last; each half is treated likewise.
//! Where the halves are is read from the rest positions, which know a mesh better than its graph does.

use super::Csr;

/// Parts this small are not cut any further.
const LEAF: usize = 6;

/// How far from the middle a cut may be, as a part of all vertices.
const UNEVEN: f64 = 0.1;

/// Directions to sweep cuts along: the axes, and the diagonals between two of them.
const DIRECTIONS: [[f64; 3]; 9] = [
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 1.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, 0.0, 1.0],
    [1.0, 0.0, -1.0],
    [0.0, 1.0, 1.0],
    [0.0, 1.0, -1.0],
];

/// The order in which to eliminate the vertices of a graph: those of the first half, those of the second, those between.
pub fn nested_dissection(graph: &Csr, points: &[[f64; 3]]) -> Vec<u32> {
    let mut vertices: Vec<u32> = (0..points.len() as u32).collect();
    let mut sweep = Sweep { graph, points, place: vec![OUTSIDE; points.len()], boundary: Vec::new() };
    sweep.dissect(&mut vertices);
    postordered(graph, vertices)
}

const OUTSIDE: u32 = u32::MAX;

struct Sweep<'a> {
    graph: &'a Csr,
    points: &'a [[f64; 3]],
    /// Place of each vertex along the direction of the sweep, within the part at hand.
    place: Vec<u32>,
    /// How many more vertices are next to a cut than to the one before it.
    boundary: Vec<[i32; 2]>,
}

/// A cut before one place of a sweep; the separator is taken from the vertices on one side of it.
#[derive(Clone, Copy)]
struct Cut {
    direction: [f64; 3],
    at: u32,
    upper: bool,
    /// Vertices of the separator.
    size: i32,
    /// Distance from the middle.
    off: u32,
}

impl Sweep<'_> {
    /// Puts vertices into their order of elimination.
    fn dissect(&mut self, vertices: &mut [u32]) {
        if vertices.len() <= LEAF {
            return;
        }
        let cuts = DIRECTIONS.map(|direction| self.best_cut(vertices, direction));
        let Some(&best) = cuts.iter().min_by_key(|cut| (cut.size, cut.off)) else { return };
        self.sort(vertices, best.direction);
        let part = |sweep: &Self, i: u32| {
            let (low, high) = sweep.reach(i);
            let place = sweep.place[i as usize];
            match place < best.at {
                true if !best.upper && high >= best.at => 2,
                false if best.upper && low < best.at => 2,
                below => u8::from(!below),
            }
        };
        let mut parts: Vec<(u8, u32)> = vertices.iter().map(|&i| (part(self, i), i)).collect();
        self.forget(vertices);
        parts.sort_by_key(|part| part.0);
        vertices.iter_mut().zip(&parts).for_each(|(vertex, part)| *vertex = part.1);
        let count = |which: u8| parts.iter().filter(|part| part.0 == which).count();
        let (first, rest) = vertices.split_at_mut(count(0));
        self.dissect(first);
        self.dissect(&mut rest[..count(1)]);
    }

    /// Sorts vertices along a direction and notes their places.
    fn sort(&mut self, vertices: &mut [u32], direction: [f64; 3]) {
        let along = |i: u32| self.points[i as usize].iter().zip(direction).map(|(x, d)| x * d).sum::<f64>();
        vertices.sort_by(|&i, &j| along(i).total_cmp(&along(j)).then(i.cmp(&j)));
        for (place, &i) in (0..).zip(vertices.iter()) {
            self.place[i as usize] = place;
        }
    }

    fn forget(&mut self, vertices: &[u32]) {
        vertices.iter().for_each(|&i| self.place[i as usize] = OUTSIDE);
    }

    /// First and last place of a vertex and its neighbours.
    fn reach(&self, i: u32) -> (u32, u32) {
        let places = self.graph.row(i as usize).map(|(j, _)| self.place[j]).filter(|place| *place != OUTSIDE);
        let own = self.place[i as usize];
        places.fold((own, own), |(low, high), place| (low.min(place), high.max(place)))
    }

    /// The cut with the fewest vertices beside it, near the middle.
    fn best_cut(&mut self, vertices: &mut [u32], direction: [f64; 3]) -> Cut {
        self.sort(vertices, direction);
        let n = vertices.len();
        let mut boundary = std::mem::take(&mut self.boundary);
        boundary.clear();
        boundary.resize(n + 2, [0; 2]);
        for (place, &i) in vertices.iter().enumerate() {
            // Below every cut from the next place to the last neighbour's; above those after the first neighbour's.
            let (low, high) = self.reach(i);
            boundary[place + 1][0] += 1;
            boundary[high as usize + 1][0] -= 1;
            boundary[low as usize + 1][1] += 1;
            boundary[place + 1][1] -= 1;
        }
        self.forget(vertices);
        let middle = (n / 2) as u32;
        let off = ((n as f64 * UNEVEN) as u32).min(middle - 1);
        let mut best = Cut { direction, at: middle, upper: false, size: i32::MAX, off: 0 };
        let mut sizes = [0, 0];
        for at in 0..=middle + off {
            (0..2).for_each(|side| sizes[side] += boundary[at as usize][side]);
            for (upper, size) in [(false, sizes[0]), (true, sizes[1])] {
                let cut = Cut { direction, at, upper, size, off: at.abs_diff(middle) };
                if cut.off <= off && (cut.size, cut.off) < (best.size, best.off) {
                    best = cut;
                }
            }
        }
        self.boundary = boundary;
        best
    }
}

/// The same elimination with every vertex right after those that it waits for, so that equal columns are neighbours.
fn postordered(graph: &Csr, order: Vec<u32>) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let n = order.len();
    let mut place = vec![0; n];
    (0..).zip(&order).for_each(|(k, &i)| place[i as usize] = k);
    // Parents in the elimination tree (Liu 1986); `ancestor` shortens the paths.
    let (mut parent, mut ancestor) = (vec![NONE; n], vec![NONE; n]);
    for k in 0..n as u32 {
        for (j, _) in graph.row(order[k as usize] as usize) {
            let mut at = place[j];
            while at < k {
                let up = std::mem::replace(&mut ancestor[at as usize], k);
                if up == NONE {
                    parent[at as usize] = k;
                    break;
                }
                at = up;
            }
        }
    }
    let (mut first_child, mut next_sibling) = (vec![NONE; n], vec![NONE; n]);
    let mut stack = Vec::new();
    for k in (0..n).rev() {
        match parent[k] {
            NONE => stack.push(k as u32),
            up => next_sibling[k] = std::mem::replace(&mut first_child[up as usize], k as u32),
        }
    }
    let mut done = Vec::with_capacity(n);
    while let Some(&k) = stack.last() {
        match std::mem::replace(&mut first_child[k as usize], NONE) {
            NONE => {
                stack.pop();
                done.push(order[k as usize]);
                let next = next_sibling[k as usize];
                if next != NONE {
                    stack.push(next);
                }
            }
            child => stack.push(child),
        }
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::SplitMix;

    /// A net of n × n vertices, numbered at random; every vertex is next to the eight around it.
    fn net(n: usize) -> (Csr, Vec<[f64; 3]>) {
        let mut random = SplitMix(7);
        let mut number: Vec<u32> = (0..(n * n) as u32).collect();
        for i in (1..n * n).rev() {
            number.swap(i, random.below(i + 1));
        }
        let mut points = vec![[0.0; 3]; n * n];
        let mut triplets = Vec::new();
        for k in 0..n * n {
            let (x, y) = (k % n, k / n);
            points[number[k] as usize] = [x as f64, 0.0, y as f64];
            let near = |c: usize| c.saturating_sub(1)..(c + 2).min(n);
            for (u, v) in near(x).flat_map(|u| near(y).map(move |v| (u, v))) {
                triplets.push((number[k], number[v * n + u], 1.0));
            }
        }
        (Csr::from_triplets(n * n, triplets.into_iter()), points)
    }

    /// Entries of the factor, by eliminating.
    fn fill(graph: &Csr, order: &[u32]) -> usize {
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(k, &i)| place[i as usize] = k);
        let mut later: Vec<std::collections::BTreeSet<usize>> =
            order.iter().map(|&i| graph.row(i as usize).map(|(j, _)| place[j]).collect()).collect();
        let mut entries = 0;
        for k in 0..order.len() {
            let own: Vec<usize> = later[k].range(k + 1..).copied().collect();
            entries += 1 + own.len();
            own.iter().for_each(|&j| later[j].extend(&own));
        }
        entries
    }

    #[test]
    fn every_vertex_is_eliminated_once_and_the_factor_has_far_fewer_entries_than_row_by_row() {
        let n = 48;
        let (graph, points) = net(n);
        let order = nested_dissection(&graph, &points);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq(0..(n * n) as u32));
        let mut by_rows: Vec<u32> = (0..(n * n) as u32).collect();
        by_rows.sort_by_key(|&i| (points[i as usize][2] as usize, points[i as usize][0] as usize));
        let (dissected, banded) = (fill(&graph, &order), fill(&graph, &by_rows));
        assert!(3 * dissected < 2 * banded, "{dissected} of {banded}");
    }

    #[test]
    fn points_that_coincide_or_have_no_neighbours_are_ordered_too() {
        let order = nested_dissection(&Csr::from_triplets(20, std::iter::empty()), &[[1.0; 3]; 20]);
        assert_eq!(order.len(), 20);
        assert!(nested_dissection(&Csr::from_triplets(0, std::iter::empty()), &[]).is_empty());
    }
}
