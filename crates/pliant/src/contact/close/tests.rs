//! The search against all pairs, and what is promised of contacts.

use super::facing::Facing;
use super::*;
use crate::math::SplitMix;
use crate::math::closest::{point_triangle, segment_segment};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A surface and a step.
#[derive(Clone, Default)]
pub(super) struct Case {
    pub rest_x: Vec<[f64; 3]>,
    pub thickness: Vec<f64>,
    pub body: Vec<u32>,
    pub triangles: Vec<[u32; 3]>,
    pub start: Vec<[f64; 3]>,
    pub target: Vec<[f64; 3]>,
    pub reach: f64,
}

impl Case {
    fn surface(&self) -> Arc<CloseSurface> {
        let Self { rest_x, thickness, body, triangles, .. } = self;
        Arc::new(CloseSurface::new(&SurfaceParts { rest_x, thickness, body, triangles }))
    }

    pub fn finder<R: Real>(&self, limits: CloseLimits) -> CloseContacts<R> {
        CloseContacts::new(self.surface(), limits)
    }

    pub fn find<R: Real>(&self, finder: &mut CloseContacts<R>) -> Vec<Contact<R>> {
        finder.find(&field(&self.start), &field(&self.target), R::of(self.reach)).to_vec()
    }

    /// One more body: a sheet of n × n vertices in its rest shape, placed by `place`.
    pub fn add_sheet(&mut self, n: usize, size: f64, thickness: f64, place: impl Fn([f64; 3]) -> [f64; 3]) {
        let (first, body) = (self.rest_x.len() as u32, self.body.last().map_or(0, |b| b + 1));
        let n_ = n as u32;
        for k in 0..n * n {
            let [i, j] = [k % n, k / n].map(|i| size * i as f64 / (n - 1) as f64);
            self.rest_x.push([i, 0.0, j]);
            self.start.push(place([i, 0.0, j]));
        }
        self.target = self.start.clone();
        self.thickness.resize(self.rest_x.len(), thickness);
        self.body.resize(self.rest_x.len(), body);
        for k in 0..(n_ - 1) * (n_ - 1) {
            let a = first + k / (n_ - 1) * n_ + k % (n_ - 1);
            let [b, c, d] = [a + 1, a + n_, a + n_ + 1];
            let flip = k.is_multiple_of(2);
            self.triangles.extend(if flip { [[a, c, b], [b, c, d]] } else { [[a, d, b], [a, c, d]] });
        }
    }

    /// Everything would move by up to `far` in the step.
    pub fn stir(&mut self, random: &mut SplitMix, far: f64) {
        let target = self.start.iter().map(|x| {
            let way = random.point();
            std::array::from_fn(|k| x[k] + far * way[k])
        });
        self.target = target.collect();
    }
}

pub(super) fn field<R: Real>(x: &[[f64; 3]]) -> Vec<[R; 4]> {
    x.iter().map(|x| Vec3::of(*x).store()).collect()
}

/// Triangles of very different sizes between random vertices, some shared, in three bodies.
pub(super) fn soup(seed: u64) -> Case {
    let mut random = SplitMix(seed);
    let mut case = Case { reach: 0.3 * random.unit() * random.unit(), ..Case::default() };
    let body = |vertex: usize| (vertex / 20) as u32;
    for vertex in 0..50 {
        let scale = [1.0, 0.3, 0.05][random.below(3)];
        let near = case.start.last().copied().unwrap_or([0.0; 3]);
        let way = random.point();
        case.start.push(std::array::from_fn(|k| if scale == 1.0 { way[k] } else { near[k] + scale * way[k] }));
        case.rest_x.push(random.point());
        case.thickness.push(0.15 * random.unit());
        case.body.push(body(vertex));
    }
    while case.triangles.len() < 40 {
        let a = random.below(48) as u32;
        let any = [a, a + 1 + random.below(2) as u32, random.below(50) as u32];
        if any.iter().all(|&i| body(i as usize) == body(a as usize)) {
            case.triangles.push(any);
        }
    }
    let far = 0.2 * random.unit() * random.unit();
    case.stir(&mut random, far);
    case
}

/// Two sheets, one over the other, the upper one turned and sagging.
fn stacked(n: usize, seed: u64) -> Case {
    let mut random = SplitMix(seed);
    let edge = 1.0 / (n - 1) as f64;
    let thickness = edge * (0.1 + random.unit());
    let (angle, height) = (random.unit(), thickness * (0.2 + random.unit()));
    let mut case = Case { reach: edge * random.unit(), ..Case::default() };
    case.add_sheet(n, 1.0, thickness, |x| x);
    let (sin, cos) = angle.sin_cos();
    case.add_sheet(n, 1.0, thickness, |[x, _, z]| {
        [cos * x - sin * z, height * (1.0 + (9.0 * x).sin() * (7.0 * z).cos()), sin * x + cos * z]
    });
    case.stir(&mut random, 0.5 * edge);
    case
}

/// A sheet crumpled into a ball of a fifth of its size.
fn crumpled(n: usize, seed: u64) -> Case {
    let mut random = SplitMix(seed);
    let waves: Vec<([f64; 3], [f64; 3])> = (0..6).map(|_| (random.point(), random.point())).collect();
    let edge = 1.0 / (n - 1) as f64;
    let mut case = Case { reach: edge * random.unit(), ..Case::default() };
    case.add_sheet(n, 1.0, 0.5 * edge, |[x, _, z]| {
        let mut at = [0.0; 3];
        for (way, wave) in &waves {
            let swing = (25.0 * (wave[0] * x + wave[1] * z) + 6.0 * wave[2]).sin();
            (0..3).for_each(|k| at[k] += 0.1 * way[k] * swing);
        }
        at
    });
    case.stir(&mut random, 0.3 * edge);
    case
}

/// Distance along the normal less the gap that is kept along it, m, where surfaces face some way; of two the last decides.
fn clearance_along<R: Real>(facing: &[Facing<R>], offset: Vec3<R>, gap: R) -> R {
    let d = offset.length();
    let straight = offset.unit_or(Vec3::ZERO);
    let normal = facing.iter().fold(straight, |normal, facing| facing.nearest(normal));
    let along = normal.dot(offset);
    if along < d * R::of(0.999) { along - gap.min(along) } else { along - gap }
}

/// Pairs by definition: vertex and triangle, or lower and higher edge, with their clearances, m.
#[derive(Default)]
struct AllPairs<R> {
    of_vertices: BTreeMap<u32, Vec<(R, u32)>>,
    of_edges: Vec<([u32; 4], R)>,
}

fn all_pairs<R: Real>(case: &Case) -> AllPairs<R> {
    let surface = case.surface();
    let (x, target): (Vec<[R; 4]>, Vec<[R; 4]>) = (field(&case.start), field(&case.target));
    let reach = R::of(case.reach);
    let point = |i: u32| Vec3::load(x[i as usize]);
    let rest = |i: u32| Vec3::<R>::of(case.rest_x[i as usize]);
    let half = |i: u32| R::of(0.5 * case.thickness[i as usize]);
    let motion = |i: u32| (Vec3::load(target[i as usize]) - point(i)).length();
    let fastest = |of: &[u32]| of.iter().fold(R::ZERO, |m, &i| m.max(motion(i)));
    let same = |i: u32, j: u32| case.body[i as usize] == case.body[j as usize];
    let mut found = AllPairs::default();
    for &v in &surface.vertices {
        let mut row: Vec<(R, u32, [u32; 2], R)> = Vec::new();
        for (t, &[a, b, c]) in surface.triangles.iter().enumerate() {
            let closest = point_triangle(point(v), [a, b, c].map(point));
            let [wa, wb, wc] = closest.at;
            let gap = half(v) + half(a) * wa + half(b) * wb + half(c) * wc;
            let d = closest.offset.length();
            let near = d < gap + reach.min(motion(v) + fastest(&[a, b, c]));
            let at_rest = point_triangle(rest(v), [a, b, c].map(rest)).offset.length();
            if near && ![a, b, c].contains(&v) && !(same(v, a) && at_rest < gap * R::of(1.01)) {
                let mut on: Vec<u32> =
                    [(a, wa), (b, wb), (c, wc)].iter().filter(|(_, w)| *w > R::ZERO).map(|(i, _)| *i).collect();
                on.sort_unstable();
                let p = point(v) - closest.offset;
                let nearer =
                    surface.triangles.iter().filter(|t| on.len() < 3 && on.iter().all(|i| t.contains(i))).any(|t| {
                        t.iter().filter(|i| !on.contains(i)).any(|&i| {
                            let along = point(i) - p;
                            closest.offset.dot(along) > closest.offset.length() * along.length() * R::of(1e-3)
                        })
                    });
                let free = on.len() == 3 || same(v, a);
                let facing = if free { Facing::ANY } else { Facing::of_vertex(&surface, &x, v as usize) };
                if nearer || facing.is_far_off(closest.offset) {
                    continue;
                }
                let part = if on.len() == 3 { [t as u32, u32::MAX] } else { [on[0], on[on.len() - 1]] };
                row.push((d - gap, t as u32, part, clearance_along(&[facing], closest.offset, gap)));
            }
        }
        row.sort_by(|p, q| p.0.f64().total_cmp(&q.0.f64()).then(p.1.cmp(&q.1)));
        let mut parts = Vec::new();
        row.retain(|slot| !parts.contains(&slot.2) && (parts.push(slot.2), true).1);
        found.of_vertices.insert(v, row.into_iter().map(|(_, t, _, clearance)| (clearance, t)).collect());
    }
    for (e, &[i, j]) in surface.edges.iter().enumerate() {
        for (f, &[k, l]) in surface.edges.iter().enumerate().skip(e + 1) {
            let closest = segment_segment([i, j].map(point), [k, l].map(point));
            let [s, t] = closest.at;
            let inside = [s, t].iter().all(|at| *at > R::ZERO && *at < R::ONE);
            let gap = half(i) * (R::ONE - s) + half(j) * s + half(k) * (R::ONE - t) + half(l) * t;
            let d = closest.offset.length();
            let near = d < gap + reach.min(fastest(&[i, j]) + fastest(&[k, l]));
            let at_rest = segment_segment([i, j].map(rest), [k, l].map(rest)).offset.length();
            let shared = [k, l].iter().any(|m| [i, j].contains(m));
            let mut facing = [e, f].map(|e| if same(i, k) { Facing::ANY } else { Facing::of_edge(&surface, &x, e) });
            if facing[0].width() + R::of(1e-3) < facing[1].width() {
                facing.swap(0, 1);
            }
            let faces = !facing.iter().any(|facing| facing.is_far_off(closest.offset));
            if inside && near && faces && !shared && !(same(i, k) && at_rest < gap * R::of(1.01)) {
                found.of_edges.push(([i, j, k, l], clearance_along(&facing, closest.offset, gap)));
            }
        }
    }
    found
}

/// By how much numbers of one formula may differ when it is written in another order.
fn rounding<R: Real>() -> f64 {
    2000.0 * R::EPSILON.f64()
}

/// Compares a search with all pairs. Pairs at the very limit may be missing on either side.
fn check<R: Real>(case: &Case, limits: CloseLimits, what: &str) -> [usize; 3] {
    let mut finder = case.finder::<R>(limits);
    let contacts = case.find(&mut finder);
    let expected = all_pairs::<R>(case);
    let surface = case.surface();
    let mut rows: BTreeMap<u32, Vec<(R, u32)>> = BTreeMap::new();
    let x = field(&case.start);
    let far = case.start.as_flattened().iter().fold(1.0, |far: f64, c| far.max(c.abs()));
    let near = |a: R, b: R| (a - b).f64().abs() < rounding::<R>() * far;
    let triangle = |corners: &[u32]| surface.triangles.iter().position(|t| t == corners).unwrap() as u32;
    let mut edges: BTreeMap<[u32; 4], R> = BTreeMap::new();
    for contact in &contacts {
        let [i, j, k, l] = contact.stencil;
        match contact.kind {
            ContactKind::VertexTriangle => {
                rows.entry(i).or_default().push((contact.clearance(&x), triangle(&[j, k, l])));
            }
            ContactKind::EdgeEdge => {
                let key = if [i, j] < [k, l] { [i, j, k, l] } else { [k, l, i, j] };
                assert!(edges.insert(key, contact.clearance(&x)).is_none(), "{what}: {key:?} is there twice");
            }
        }
    }
    let mut crowded = 0;
    for (v, row) in &expected.of_vertices {
        let found = rows.get(v).map_or(&[][..], Vec::as_slice);
        assert_eq!(found.len(), row.len().min(limits.per_vertex), "{what}: vertex {v}: {found:?} {row:?}");
        // Ties by rounding may come in another order; distances may not.
        for (mine, brute) in found.iter().zip(row) {
            assert!(near(mine.0, brute.0), "{what}: vertex {v}: {found:?} {row:?}");
        }
        crowded += usize::from(row.len() > limits.per_vertex);
    }
    assert_eq!(finder.report().crowded_vertices, crowded, "{what}");
    assert_eq!(edges.len(), expected.of_edges.len(), "{what}");
    for (key, clearance) in &expected.of_edges {
        assert!(edges.get(key).is_some_and(|mine| near(*mine, *clearance)), "{what}: edges {key:?}");
    }
    let report = finder.report();
    assert_eq!(report.vertex_triangle + report.edge_edge, contacts.len());
    assert_eq!(report.crowded_edges, 0, "{what}: the test wants all edges");
    [report.vertex_triangle, report.edge_edge, crowded]
}

pub(super) const ALL: CloseLimits = CloseLimits { per_vertex: 64, per_edge: 200 };

#[test]
fn a_soup_of_triangles_of_all_sizes_gives_what_all_pairs_give() {
    let mut total = [0; 3];
    for seed in 0..1500 {
        let limits = CloseLimits { per_vertex: [64, 4][seed as usize % 2], ..ALL };
        let found = check::<f64>(&soup(seed), limits, &format!("soup {seed}"));
        (0..3).for_each(|k| total[k] += found[k]);
    }
    assert!(total.iter().all(|n| *n > 1000), "{total:?}");
}

#[test]
fn sheets_give_what_all_pairs_give() {
    let mut total = [0; 3];
    for seed in 0..40 {
        for (case, name) in [(stacked(9, seed), "stacked"), (crumpled(13, seed), "crumpled")] {
            let found = check::<f64>(&case, CloseLimits { per_vertex: 8, ..ALL }, &format!("{name} {seed}"));
            (0..3).for_each(|k| total[k] += found[k]);
        }
    }
    assert!(total.iter().all(|n| *n > 100), "{total:?}");
}

#[test]
fn in_single_precision_the_same_is_found() {
    for seed in 0..300 {
        check::<f32>(&soup(seed), ALL, &format!("soup {seed}"));
    }
    // Far away, where positions are rounded to a quarter of a millimetre.
    for seed in 0..300 {
        let mut case = soup(seed);
        for x in case.start.iter_mut().chain(&mut case.target) {
            *x = [x[0] + 3000.0, x[1] - 2000.0, x[2] + 1000.0];
        }
        check::<f32>(&case, ALL, &format!("distant soup {seed}"));
    }
    for seed in 0..10 {
        check::<f32>(&stacked(9, seed), ALL, &format!("stacked {seed}"));
        check::<f32>(&crumpled(13, seed), ALL, &format!("crumpled {seed}"));
    }
}

#[test]
fn weights_cancel_normals_have_length_one_and_point_to_where_it_was() {
    let mut fresh = 0;
    for case in (0..200).map(soup).chain((0..5).map(|seed| stacked(12, seed))) {
        let x = field::<f64>(&case.start);
        for contact in case.find(&mut case.finder::<f64>(ALL)) {
            let [a, b, c, d] = contact.weight;
            assert!((a + b + c + d).abs() < 1e-15 && (contact.normal.length() - 1.0).abs() < 1e-14);
            let first = if contact.kind == ContactKind::EdgeEdge { a + b } else { a };
            assert!((first - 1.0).abs() < 1e-15 && contact.weight.iter().all(|w| w.abs() <= 1.0));
            let signed = contact.clearance(&x) + contact.gap;
            assert!(signed > -1e-13, "{contact:?}: {signed}");
            fresh += 1;
        }
    }
    assert!(fresh > 5000, "{fresh}");
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for case in [stacked(60, 1), crumpled(80, 2)] {
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut finder = case.finder::<f32>(CloseLimits { per_vertex: 3, per_edge: 2 });
            let mut moved = case.clone();
            let all = (0..3).map(|_| {
                moved.start = moved.target.clone();
                let found = pool.install(|| moved.find(&mut finder));
                (found, finder.report())
            });
            all.collect::<Vec<_>>()
        };
        let one = run(1);
        assert!(one[0].0.len() > 4000 && one[0].1.crowded_vertices > 10, "{:?}", one[0].1);
        assert_eq!(one, run(2));
        assert_eq!(one, run(7));
    }
}

#[test]
fn what_is_not_finite_touches_nothing() {
    let mut random = SplitMix(3);
    for seed in 0..200 {
        let mut case = soup(seed);
        for _ in 0..5 {
            let bad = [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e300, -1e38][random.below(5)];
            let (vertex, axis) = (random.below(50), random.below(3));
            case.start[vertex][axis] = bad;
            case.target[random.below(50)][axis] = bad;
        }
        for contact in case.find(&mut case.finder::<f32>(ALL)) {
            let at: Vec<_> = contact.stencil.iter().map(|&i| Vec3::<f32>::of(case.start[i as usize])).collect();
            assert!(contact.normal.is_finite() && contact.weight.iter().all(|w| w.is_finite()), "{contact:?}");
            assert!(at.iter().all(|x| x.is_finite()), "{contact:?} {at:?}");
        }
    }
}

#[test]
fn a_cloth_at_rest_does_not_touch_itself_however_thick() {
    for thickness in [0.1, 0.995, 1.0, 3.0, 30.0] {
        let mut case = Case { reach: 0.05, ..Case::default() };
        case.add_sheet(15, 1.0, thickness / 14.0, |[x, y, z]| [z + 3.0, y - x, 0.5]);
        assert!(case.find(&mut case.finder::<f64>(ALL)).is_empty(), "{thickness}");
        // Another one through it is no neighbour.
        case.add_sheet(15, 1.0, thickness / 14.0, |[x, y, z]| [z + 3.0, 0.02 + y - x, 0.5]);
        let contacts = case.find(&mut case.finder::<f64>(ALL));
        let other = |c: &Contact<f64>| case.body[c.stencil[0] as usize] != case.body[c.stencil[3] as usize];
        assert!(contacts.len() > 300 && contacts.iter().all(other), "{thickness}: {}", contacts.len());
    }
}

#[test]
fn a_folded_cloth_touches_itself_but_not_across_the_fold() {
    let (n, thickness) = (41, 0.06);
    let mut case = Case { reach: 0.0, ..Case::default() };
    // Folded in the middle, with 0.04 between the halves.
    case.add_sheet(n, 1.0, thickness, |[x, _, z]| if x < 0.5 { [x, 0.0, z] } else { [1.0 - x, 0.04, z] });
    let contacts = case.find(&mut case.finder::<f64>(ALL));
    assert!(contacts.len() > 1000, "{}", contacts.len());
    for contact in &contacts {
        let x = contact.stencil.map(|i| case.rest_x[i as usize][0]);
        let split = if contact.kind == ContactKind::EdgeEdge { 2 } else { 1 };
        let apart = x[..split].iter().flat_map(|a| x[split..].iter().map(move |b| (a - b).abs()));
        assert!(apart.fold(0.0, f64::max) >= thickness, "{contact:?} {x:?}");
        assert!(contact.normal.y.abs() > 0.2, "{contact:?}");
    }
}
