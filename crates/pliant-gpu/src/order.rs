//! The order of vertices on the device: near ones next to each other, in patches of equal size. Undone on output.

use pliant::mesh::topology::Incidence;
use pliant::model::{Model, connected_parts};

/// Vertices that lie together.
const PATCH: usize = 128;

/// A permutation of the vertices.
#[derive(Debug)]
pub(crate) struct Order {
    /// Which vertex of the model lies at a place.
    pub(crate) vertex: Vec<u32>,
    /// Where a vertex of the model lies.
    pub(crate) place: Vec<u32>,
    /// Vertices of the model that elements connect; the parts lie one after the other.
    pub(crate) parts: Incidence,
}

impl Order {
    /// Connected parts one after the other, each cut in half across its longest side again and again.
    pub(crate) fn new(model: &Model) -> Self {
        let parts = connected_parts(model);
        let mut vertex = parts.item.clone();
        for part in parts.offset.windows(2) {
            bisect(&mut vertex[part[0] as usize..part[1] as usize], &model.rest_x, PATCH);
        }
        let mut place = vec![0; vertex.len()];
        for (at, &i) in vertex.iter().enumerate() {
            place[i as usize] = at as u32;
        }
        Self { vertex, place, parts }
    }
}

/// Vertices of the model in compact patches of `size`.
pub(crate) fn patches(model: &Model, size: usize) -> Vec<Vec<u32>> {
    let mut out = Vec::new();
    for body in &model.bodies {
        let mut vertices: Vec<u32> = body.vertices.clone().map(|i| i as u32).collect();
        bisect(&mut vertices, &model.rest_x, size);
        out.extend(vertices.chunks(size).map(<[u32]>::to_vec));
    }
    out
}

/// As many compact patches as there are of `size`, but of about the same weight each instead of the same number of vertices.
pub(crate) fn balanced_patches(model: &Model, size: usize, weight: &[u32]) -> Vec<Vec<u32>> {
    let mut out = Vec::new();
    for body in &model.bodies {
        let mut vertices: Vec<u32> = body.vertices.clone().map(|i| i as u32).collect();
        let parts = vertices.len().div_ceil(size.max(1));
        balance(&mut vertices, &model.rest_x, weight, parts, &mut out);
    }
    out
}

fn balance(vertices: &mut [u32], x: &[[f64; 3]], weight: &[u32], parts: usize, out: &mut Vec<Vec<u32>>) {
    if parts <= 1 {
        vertices.sort_unstable();
        out.extend((!vertices.is_empty()).then(|| vertices.to_vec()));
        return;
    }
    let axis = longest_side(vertices, x);
    vertices.sort_unstable_by(|&a, &b| x[a as usize][axis].total_cmp(&x[b as usize][axis]).then(a.cmp(&b)));
    let total: u64 = vertices.iter().map(|&i| u64::from(weight[i as usize])).sum();
    let (low_parts, mut low_weight, mut at) = (parts / 2, 0, 0);
    while at < vertices.len() && low_weight * (parts as u64) < total * low_parts as u64 {
        low_weight += u64::from(weight[vertices[at] as usize]);
        at += 1;
    }
    // Every part has a vertex, however heavy others are.
    let (low, high) = vertices.split_at_mut(at.clamp(low_parts, vertices.len() + low_parts - parts));
    balance(low, x, weight, low_parts, out);
    balance(high, x, weight, parts - low_parts, out);
}

/// Along which axis the vertices extend farthest.
fn longest_side(vertices: &[u32], x: &[[f64; 3]]) -> usize {
    let extent = |k: usize| {
        let along = vertices.iter().map(|&i| x[i as usize][k]);
        along.clone().fold(f64::NEG_INFINITY, f64::max) - along.fold(f64::INFINITY, f64::min)
    };
    let extents = [0, 1, 2].map(extent);
    (1..3).fold(0, |best, k| if extents[k] > extents[best] { k } else { best })
}

fn bisect(vertices: &mut [u32], x: &[[f64; 3]], size: usize) {
    if vertices.len() <= size {
        vertices.sort_unstable();
        return;
    }
    let longest = longest_side(vertices, x);
    let half = vertices.len().div_ceil(size).div_ceil(2) * size;
    // Ties are broken by index, so that the order is the same everywhere.
    vertices.select_nth_unstable_by(half, |&a, &b| {
        x[a as usize][longest].total_cmp(&x[b as usize][longest]).then(a.cmp(&b))
    });
    let (low, high) = vertices.split_at_mut(half);
    bisect(low, x, size);
    bisect(high, x, size);
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::model::ModelBuilder;
    use std::collections::BTreeSet;

    /// Tets that touch some of the vertices, and the vertices of these.
    fn ring(around: &[Vec<u32>], tets: &[[u32; 4]], vertices: &BTreeSet<u32>) -> [BTreeSet<u32>; 2] {
        let touched: BTreeSet<u32> = vertices.iter().flat_map(|&i| &around[i as usize]).copied().collect();
        let corners = touched.iter().flat_map(|&t| tets[t as usize]).collect();
        [touched, corners]
    }

    /// Why patches of tets make one iteration a dispatch: with two, either the forces of the tets do not fit into workgroup
    /// memory (48 KiB on an H200, 12 bytes for each corner and vertex), or more is read than by two dispatches of one iteration
    /// each.
    #[test]
    fn two_iterations_a_dispatch_do_not_pay_for_tets() {
        let text = "pliant = 1\n[[solid]]\nshape = 'box'\nsize = 1\ncells = 21\n";
        let scene = pliant::scene::Scene::parse(text, "box", ".".as_ref(), &[]).unwrap();
        let (model, _) = pliant::model::Model::new(&scene).unwrap();
        let tets = &model.bodies[0].tets;
        let mut around = vec![Vec::new(); model.vertices()];
        (0..).zip(tets).for_each(|(t, tet)| tet.iter().for_each(|&i| around[i as usize].push(t)));
        for size in [16, 32, 64, 128, 256] {
            let (mut bytes, mut one, mut two) = (Vec::new(), 0, 0);
            for patch in patches(&model, size) {
                let [first, corners] = ring(&around, tets, &patch.into_iter().collect());
                let [second, members] = ring(&around, tets, &corners);
                bytes.push(12 * (4 * second.len() + members.len()));
                (one, two) = (one + first.len(), two + second.len());
            }
            bytes.sort_unstable();
            let (median, work) = (bytes[bytes.len() / 2], (one + two) as f64 / (2 * one) as f64);
            let read = two as f64 / (2 * one) as f64;
            println!("{size}: {median} bytes, {work:.2} of the work, {read:.2} of the reads of two single iterations");
            assert!(median > 48 << 10 || read > 1.0, "patches of {size} may pay: {median} bytes, {read} of the reads");
        }
    }

    #[test]
    fn balanced_patches_have_every_vertex_once_and_about_equal_weights() {
        let mut builder = ModelBuilder::new("sheet");
        let x: Vec<[f64; 3]> = (0..61 * 61).map(|i| [f64::from(i % 61), f64::from(i / 61), 0.0]).collect();
        builder.add_points("sheet", &x, &vec![1.0; x.len()]);
        builder.add_points("dot", &[[0.0; 3]], &[1.0]);
        let (model, _) = builder.finish();
        let weight: Vec<u32> = (0..model.vertices() as u32).map(|i| if i % 61 < 20 { 30 } else { 6 }).collect();
        let patches = balanced_patches(&model, 40, &weight);
        assert_eq!(patches.len(), (61 * 61usize).div_ceil(40) + 1);
        let mut all: Vec<u32> = patches.iter().flatten().copied().collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..model.vertices() as u32));
        let weights: Vec<u32> = patches.iter().map(|patch| patch.iter().map(|&i| weight[i as usize]).sum()).collect();
        let (sheet, dot) = weights.split_at(weights.len() - 1);
        let mean = sheet.iter().sum::<u32>() / sheet.len() as u32;
        assert!(sheet.iter().all(|&w| w < 2 * mean && w > mean / 2), "{mean}: {sheet:?}");
        assert_eq!(dot, [30]);
        // One vertex that weighs more than all others leaves the others theirs.
        let heavy: Vec<u32> = (0..model.vertices() as u32).map(|i| if i == 0 { 1_000_000 } else { 1 }).collect();
        assert!(balanced_patches(&model, 40, &heavy).iter().all(|patch| !patch.is_empty()));
    }

    #[test]
    fn every_vertex_has_one_place_and_patches_are_compact() {
        let mut builder = ModelBuilder::new("two sheets");
        for (name, side) in [("large", 61), ("small", 7)] {
            let x: Vec<[f64; 3]> = (0..side * side).map(|i| [f64::from(i % side), f64::from(i / side), 0.0]).collect();
            let first = builder.add_points(name, &x, &vec![1.0; x.len()]);
            for i in 0..side * side {
                for (there, next) in [(i % side + 1 < side, i + 1), (i / side + 1 < side, i + side)] {
                    if there {
                        builder.add_spring([i, next].map(|i| first + i as u32), 1.0).unwrap();
                    }
                }
            }
        }
        let (model, _) = builder.finish();
        let order = Order::new(&model);
        for (at, &i) in order.vertex.iter().enumerate() {
            assert_eq!(order.place[i as usize] as usize, at);
        }
        for patch in order.vertex[..61 * 61].chunks(PATCH) {
            for k in 0..2 {
                let along = patch.iter().map(|&i| model.rest_x[i as usize][k]);
                let extent = along.clone().fold(0.0, f64::max) - along.fold(61.0, f64::min);
                assert!(extent < 20.0, "{extent}");
            }
        }
        assert_eq!(order.vertex[61 * 61..].len(), 49);
        assert!(order.vertex[61 * 61..].iter().all(|&i| i >= 61 * 61));
    }
}
