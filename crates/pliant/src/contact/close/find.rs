//! The search of a step: boxes into grids, each vertex and each edge looks for itself, contacts in a row.

use super::grid::Grid;
use super::kept::{Kept, Lists, Side, Since};
use super::pairs::{Pairs, Vertices};
use super::{CloseLimits, CloseSurface, Contact};
use crate::math::Real;
use std::ops::Range;
use std::sync::Arc;

/// Owners below which a task costs more than it saves.
const CHUNK: usize = 1024;
/// Levels of cells that are finer than what is usual, for meshes of several sizes.
const FINER: f64 = 64.0;

/// What a search found, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CloseReport {
    /// Contacts of a vertex and a triangle; they come first.
    pub vertex_triangle: usize,
    /// Contacts of two edges.
    pub edge_edge: usize,
    /// Vertices that are close to more triangles than are kept.
    pub crowded_vertices: usize,
    /// Edges that are close to more edges than are kept.
    pub crowded_edges: usize,
}

/// Finds the contacts of a step. Nothing is allocated from the second search on, unless there are more contacts than ever.
#[derive(Clone, Debug)]
pub struct CloseContacts<R> {
    vertices: Vertices<R>,
    triangles: Grid<R>,
    edges: Grid<R>,
    of_vertices: Kept<R>,
    of_edges: Kept<R>,
    /// Where the contacts of each vertex, then of each edge, begin.
    begin: Vec<usize>,
    contacts: Vec<Contact<R>>,
    report: CloseReport,
}

impl<R: Real> CloseContacts<R> {
    /// A search over `surface` that has found nothing yet.
    pub fn new(surface: Arc<CloseSurface>, limits: CloseLimits) -> Self {
        let (vertices, edges) = (surface.vertices.len(), surface.edges.len());
        Self {
            triangles: Grid::new(surface.triangles.len()),
            edges: Grid::new(edges),
            of_vertices: Kept::new(vertices, limits.per_vertex),
            of_edges: Kept::new(edges, limits.per_edge),
            begin: Vec::with_capacity(vertices + edges + 1),
            contacts: Vec::new(),
            report: CloseReport::default(),
            vertices: Vertices::new(surface),
        }
    }

    /// The contacts of a step from `x_start` that would end at `x_target` if nothing were in the way, m: a point per vertex.
    /// Pairs farther apart than their gap and `reach`, m, are not looked for, however fast they are.
    ///
    /// Contacts of vertices come first, in the order of vertices, then those of edges; the nearest of each first. What is
    /// not finite touches nothing.
    pub fn find(&mut self, x_start: &[[R; 4]], x_target: &[[R; 4]], reach: R) -> &[Contact<R>] {
        self.find_since(Since::Step, x_start, x_target, reach)
    }

    /// The same in a step that is tried again, or in pieces.
    pub fn find_since(&mut self, since: Since, x_start: &[[R; 4]], x_target: &[[R; 4]], reach: R) -> &[Contact<R>] {
        let reach = reach.max(R::ZERO);
        self.place(x_start, x_target, reach);
        self.search(since, x_start, x_target, reach);
        self.collect(x_start, x_target, reach);
        &self.contacts
    }

    /// What the last search found.
    pub fn contacts(&self) -> &[Contact<R>] {
        &self.contacts
    }

    /// What the last search found, in numbers.
    pub fn report(&self) -> CloseReport {
        self.report
    }

    /// Forgets on which side pairs were: the next search decides by its own positions alone. For when a state is loaded.
    pub fn forget(&mut self) {
        self.of_vertices.now.clear();
        self.of_edges.now.clear();
    }

    /// How far vertices go, and the boxes of triangles and edges.
    fn place(&mut self, x_start: &[[R; 4]], x_target: &[[R; 4]], reach: R) {
        let fastest = self.vertices.measure(x_start, x_target, reach);
        // Nothing is looked for farther off than this: both sides together go no farther, and in solids nothing lies deeper.
        let extra = reach.min(fastest + fastest).max(R::of(self.vertices.surface.deepest()));
        let pairs = Pairs { vertices: &self.vertices, x: x_start, target: x_target, reach };
        let half = self.vertices.largest_half;
        let base = |margin: R| (self.vertices.usual_extent + (half + margin) * R::of(2.0)) / R::of(FINER);
        // A vertex has no size in the grid, so triangles have all of the distance; edges share it.
        let margin = half + extra;
        self.triangles.build(base(margin), |t| pairs.triangle_box(t, margin));
        let margin = extra * R::of(0.5);
        self.edges.build(base(margin), |e| pairs.edge_box(e, margin));
    }

    /// What the next search will remember: of vertices, then of edges.
    pub fn sides(&self) -> [Vec<Side>; 2] {
        [self.of_vertices.now.sides(), self.of_edges.now.sides()]
    }

    /// Replaces what the next search will remember.
    pub fn set_sides(&mut self, [vertices, edges]: &[Vec<Side>; 2]) {
        let n = self.vertices.surface.vertices();
        self.of_vertices.now.set_sides(vertices, self.triangles.boxes.len(), n);
        self.of_edges.now.set_sides(edges, self.edges.boxes.len(), n);
    }

    fn search(&mut self, since: Since, x_start: &[[R; 4]], x_target: &[[R; 4]], reach: R) {
        let pairs = Pairs { vertices: &self.vertices, x: x_start, target: x_target, reach };
        let (triangles, edges) = (&self.triangles, &self.edges);
        self.of_vertices.search(
            since,
            |owner, nearest| pairs.triangles_near(owner, triangles, nearest),
            |owner, slot, before| pairs.turn_to_face(owner, slot, before),
        );
        self.of_edges.search(
            since,
            |owner, nearest| pairs.edges_near(owner, edges, nearest),
            |owner, slot, before| pairs.turn_to_edge(owner, slot, before),
        );
    }

    /// Puts what was kept into one row.
    fn collect(&mut self, x_start: &[[R; 4]], x_target: &[[R; 4]], reach: R) {
        let (vertices, edges) = (&self.of_vertices.now, &self.of_edges.now);
        self.begin.clear();
        let mut sum = 0;
        for lists in [vertices, edges] {
            for owner in 0..lists.len() {
                self.begin.push(sum);
                sum += lists.of(owner).len();
            }
        }
        self.begin.push(sum);
        let first = self.begin[vertices.len()];
        self.report = CloseReport {
            vertex_triangle: first,
            edge_edge: sum - first,
            crowded_vertices: vertices.crowded(),
            crowded_edges: edges.crowded(),
        };
        self.contacts.resize(sum, Contact::default());
        let pairs = Pairs { vertices: &self.vertices, x: x_start, target: x_target, reach };
        let (of_vertices, of_edges) = self.contacts.split_at_mut(first);
        let (begin_vertices, begin_edges) = self.begin.split_at(vertices.len());
        let fill = |out, begin: &[usize], lists: &Lists<R>, contact: &(dyn Fn(usize, usize) -> Contact<R> + Sync)| {
            fill(out, 0..lists.len(), begin, &|owner, out: &mut [Contact<R>]| {
                out.iter_mut().enumerate().for_each(|(k, out)| *out = contact(owner, k));
            });
        };
        fill(of_vertices, begin_vertices, vertices, &|v, k| pairs.face_contact(v, &vertices.of(v)[k]));
        fill(of_edges, begin_edges, edges, &|e, k| pairs.edge_contact(e, &edges.of(e)[k]));
    }
}

/// Calls `f` with each owner and its part of `out`, which begins where the first owner's does.
fn fill<T: Send>(out: &mut [T], owners: Range<usize>, begin: &[usize], f: &(impl Fn(usize, &mut [T]) + Sync)) {
    if owners.len() > CHUNK {
        let middle = owners.start + owners.len() / 2;
        let (left, right) = out.split_at_mut(begin[middle] - begin[owners.start]);
        rayon::join(|| fill(left, owners.start..middle, begin, f), || fill(right, middle..owners.end, begin, f));
        return;
    }
    let mut rest = out;
    for owner in owners {
        let count = begin.get(owner + 1).map_or(rest.len(), |end| end - begin[owner]);
        let (mine, others) = rest.split_at_mut(count);
        f(owner, mine);
        rest = others;
    }
}
