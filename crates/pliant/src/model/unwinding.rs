//! Solids that are wound up around their inner edges, and what unwinds them.
//!
//! The signed dihedral angles of the tets around an inner edge add up to 2πk, at rest with k = 1. k can only change while one of
//! them is inverted; a solid that was crushed may come out of it with k = 2 around some edges, every tet the right way out. No
//! descent of E leads out of that, however stiff: on the way a tet would have to turn inside out. So where k is not 1 for some
//! steps, the tets around these edges are pulled to one common rotation R̄ in place of a rotation of their own
//! ([`crate::material::Pull`]): convex, so nothing of it can stay wound up. If that is not enough, the tets around them follow,
//! ring by ring. R̄ is that of the region and of some rings around it, Σ m (x − c)(X − C)ᵀ without its stretch, where the step begins;
//! so a step has one E.
//!
//! Nothing is looked at but the volumes of tets unless one was inverted when this step or the one before began.

use super::parts::Links;
use super::{Body, Model};
use crate::contact::close::Since;
use crate::material::Elements;
use crate::math::{Mat3, Real, Vec3, polar_rotation};
use crate::mesh::topology::{self, Incidence};
use rayon::prelude::*;
use std::f64::consts::TAU;
use std::sync::{Arc, Weak};

/// Steps in a row with wound edges after which their tets are pulled: most unwind by themselves.
const PATIENCE: u32 = 10;
/// Steps after which the next ring of tets is pulled with them.
const RING: u32 = 5;
/// Steps after which nothing is pulled any more: something else, pins or contacts, holds it wound up.
const GIVES_UP: u32 = 200;
/// Rings around what is pulled that R̄ is found from.
const AROUND: usize = 3;

/// Which tets of a model are pulled straight, from step to step.
#[derive(Clone, Debug, Default)]
pub struct Unwinding {
    /// 0 when all is well, 1 after a step that began with inverted tets, and above that 1 + the number of steps in a row that began
    /// with wound edges: before the step in progress began, and now.
    before: u32,
    now: u32,
    /// Of the model that was looked at last.
    stars: Option<(Weak<Model>, Stars)>,
    /// Corners, ascending, of every tet that is pulled, in order, and its R̄.
    pulled: Vec<([u32; 4], Mat3<f64>)>,
}

impl Unwinding {
    /// A step begins at x, or is begun again, or goes on with its next piece; `elements` are pulled or let go.
    pub fn begin<R: Real>(&mut self, model: &Arc<Model>, elements: &mut [Elements<R>], x: &[[R; 4]], since: Since) {
        match since {
            Since::Step => self.before = self.now,
            Since::Retry => self.now = self.before,
            Since::Piece => {}
        }
        if since != Since::Piece {
            self.look(model, x);
        }
        for elements in elements {
            if !self.pulled.is_empty() || !elements.pulled().is_empty() {
                elements.set_pulled(self.of(elements));
            }
        }
    }

    /// The step in progress is not to have been.
    pub fn undo(&mut self) {
        self.now = self.before;
    }

    /// How long something has been wound up; all of it that a state has to remember.
    pub fn wound(&self) -> u32 {
        self.now
    }

    /// Replaces that, for when a state is loaded.
    pub fn set_wound(&mut self, wound: u32) {
        (self.before, self.now) = (wound, wound);
    }

    fn look<R: Real>(&mut self, model: &Arc<Model>, x: &[[R; 4]]) {
        self.pulled.clear();
        let inverted = is_inverted_somewhere(model, x);
        if self.now == 0 && !inverted {
            return;
        }
        let known = self.stars.take().filter(|(of, _)| Weak::ptr_eq(of, &Arc::downgrade(model)));
        let (_, stars) = self.stars.insert(known.unwrap_or_else(|| (Arc::downgrade(model), Stars::new(model))));
        let wound = stars.wound(x);
        self.now = if wound.is_empty() { inverted.into() } else { self.now.max(1).saturating_add(1) };
        let steps = self.now - u32::from(self.now > 0);
        if (PATIENCE + 1..=GIVES_UP).contains(&steps) {
            self.pulled = stars.pulled(model, x, &wound, (steps - PATIENCE) / RING);
        }
    }

    /// Those of `elements` that are pulled.
    fn of<R: Real>(&self, elements: &Elements<R>) -> Vec<(u32, Mat3<f64>)> {
        if self.pulled.is_empty() || !elements.are_pullable() {
            return Vec::new();
        }
        let (stencils, _) = elements.view().stencils().as_chunks::<4>();
        let pulled = |(c, stencil): (usize, &[u32; 4])| {
            let k = self.pulled.binary_search_by_key(&sorted(stencil), |pulled| pulled.0).ok()?;
            Some((c as u32, self.pulled[k].1))
        };
        stencils.iter().enumerate().filter_map(pulled).collect()
    }
}

fn sorted(tet: &[u32; 4]) -> [u32; 4] {
    let mut tet = *tet;
    tet.sort_unstable();
    tet
}

/// Tets of a body, as points of the model.
fn tets_of(body: &Body) -> impl Iterator<Item = [u32; 4]> + '_ {
    body.tets.iter().map(|tet| tet.map(|i| i + body.vertices.start as u32))
}

fn is_inverted_somewhere<R: Real>(model: &Model, x: &[[R; 4]]) -> bool {
    let is_inverted = |body: &Body| {
        let at = |i: u32| Vec3::load(x[body.vertices.start + i as usize]);
        let volume = |&[a, b, c, d]: &[u32; 4]| (at(b) - at(a)).cross(at(c) - at(a)).dot(at(d) - at(a));
        body.tets.par_iter().with_min_len(1024).any(|tet| volume(tet) <= R::ZERO)
    };
    model.bodies.iter().any(is_inverted)
}

/// The six edges of a tet by its corners, each with the other two corners in the order that makes its dihedral angle positive.
const EDGES: [[usize; 4]; 6] = [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2], [1, 2, 0, 3], [1, 3, 2, 0], [2, 3, 0, 1]];

/// The tets of a model, and those around each inner edge.
#[derive(Clone, Debug)]
struct Stars {
    tets: Vec<[u32; 4]>,
    /// tet · 6 + edge in [`EDGES`], for every inner edge with k = 1 at rest.
    around: Incidence,
}

impl Stars {
    fn new(model: &Model) -> Self {
        let tets: Vec<[u32; 4]> = model.bodies.iter().flat_map(tets_of).collect();
        let n = model.vertices();
        let edges = topology::stencil_edges(n, &tets);
        let surface = topology::boundary_triangles(n, &tets);
        let outer = topology::stencil_edges(n, &surface);
        let item = |tet: usize, edge: usize| {
            let [a, b, ..] = EDGES[edge].map(|k| tets[tet][k]);
            let at = edges.binary_search(&[a.min(b), a.max(b)]).unwrap_or(0);
            (at as u32, (6 * tet + edge) as u32)
        };
        let items = (0..tets.len()).flat_map(|tet| (0..6).map(move |edge| (tet, edge)));
        let all = Incidence::grouped(edges.len(), items.map(|(tet, edge)| item(tet, edge)));
        let rest: Vec<[f64; 4]> = model.rest_x.iter().map(|x| Vec3::<f64>::of(*x).store()).collect();
        let is_inner = |k: &usize| outer.binary_search(&edges[*k]).is_err() && turns(&tets, all.of(*k), &rest) == 1;
        let inner = Vec::from_iter((0..edges.len()).filter(is_inner));
        let pairs = inner.iter().enumerate().flat_map(|(row, k)| all.of(*k).iter().map(move |i| (row as u32, *i)));
        let around = Incidence::grouped(inner.len(), pairs);
        Self { tets, around }
    }

    /// Tets around edges with k ≠ 1.
    fn wound<R: Real>(&self, x: &[[R; 4]]) -> Vec<u32> {
        let is_wound = |edge: &usize| turns(&self.tets, self.around.of(*edge), x) != 1;
        let edges: Vec<usize> = (0..self.around.len()).into_par_iter().with_min_len(256).filter(is_wound).collect();
        edges.into_iter().flat_map(|edge| self.around.of(edge).iter().map(|item| item / 6)).collect()
    }

    /// What is pulled where these tets are wound, so many rings around them with them; in order.
    fn pulled<R: Real>(&self, model: &Model, x: &[[R; 4]], wound: &[u32], rings: u32) -> Vec<([u32; 4], Mat3<f64>)> {
        let mut region = vec![false; self.tets.len()];
        wound.iter().for_each(|tet| region[*tet as usize] = true);
        for _ in 0..rings {
            region = self.grown(&region);
        }
        let mut links = Links::default();
        links.restart(model.vertices());
        for tet in self.marked(&region) {
            tet[1..].iter().for_each(|i| links.join(tet[0], *i));
        }
        let first = links.firsts();
        let mut regions: Vec<u32> = self.marked(&region).map(|tet| first[tet[0] as usize]).collect();
        regions.sort_unstable();
        regions.dedup();
        let mut pulled = Vec::new();
        for own in regions {
            let of = |(tet, region): (&[u32; 4], &bool)| *region && first[tet[0] as usize] == own;
            let region: Vec<bool> = self.tets.iter().zip(&region).map(of).collect();
            let around = (0..AROUND).fold(region.clone(), |around, _| self.grown(&around));
            let rotation = rotation(model, x, self.touched(&around));
            pulled.extend(self.marked(&region).map(|tet| (sorted(tet), rotation)));
        }
        pulled.sort_unstable_by_key(|pulled| pulled.0);
        pulled
    }

    fn marked(&self, region: &[bool]) -> impl Iterator<Item = &[u32; 4]> {
        self.tets.iter().zip(region).filter(|(_, marked)| **marked).map(|(tet, _)| tet)
    }

    /// Vertices of the tets that are marked, ascending.
    fn touched(&self, region: &[bool]) -> Vec<u32> {
        let mut vertices: Vec<u32> = self.marked(region).flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        vertices
    }

    /// With all that touch it.
    fn grown(&self, region: &[bool]) -> Vec<bool> {
        let vertices = self.touched(region);
        let touches = |tet: &[u32; 4]| tet.iter().any(|i| vertices.binary_search(i).is_ok());
        self.tets.iter().map(touches).collect()
    }
}

/// k of an edge.
fn turns<R: Real>(tets: &[[u32; 4]], around: &[u32], x: &[[R; 4]]) -> i32 {
    let angle = |item: &u32| {
        let (tet, edge) = (tets[*item as usize / 6], EDGES[*item as usize % 6]);
        let [a, b, c, d] = edge.map(|k| Vec3::of(Vec3::load(x[tet[k] as usize]).f64()));
        let along = (b - a).unit_or(Vec3::ZERO);
        let across = |p: Vec3<f64>| (p - a) - along * along.dot(p - a);
        let (u, w) = (across(c), across(d));
        along.dot(u.cross(w)).atan2(u.dot(w))
    };
    (around.iter().map(angle).sum::<f64>() / TAU).round() as i32
}

/// How these vertices are turned as a whole.
fn rotation<R: Real>(model: &Model, x: &[[R; 4]], vertices: Vec<u32>) -> Mat3<f64> {
    let each = || {
        vertices.iter().map(|i| {
            let (i, rest) = (*i as usize, Vec3::<f64>::of(model.rest_x[*i as usize]));
            (model.mass[i], Vec3::<f64>::of(Vec3::load(x[i]).f64()), rest)
        })
    };
    let mass: f64 = each().map(|(m, ..)| m).sum();
    let [centre, rest_centre] =
        [0, 1].map(|k| each().fold(Vec3::ZERO, |sum, (m, x, rest)| sum + [x, rest][k] * (m / mass)));
    let (moment, spread) = each().fold((Mat3::ZERO, 0.0), |(moment, spread), (m, x, rest)| {
        let (x, rest) = (x - centre, rest - rest_centre);
        (moment + x.outer(rest) * m, spread + m * rest.length_sq())
    });
    polar_rotation(moment * (1.0 / spread))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::{ArapTet, Batch};

    /// Six tets around the edge from 0 to 1, whose ring goes around it `times` at x.
    fn star(times: f64) -> (Arc<Model>, Vec<[f64; 4]>, Elements<f64>) {
        let at = |times: f64| -> Vec<[f64; 3]> {
            let ring = (0..6).map(|k| (f64::from(k) * times * TAU / 6.0).sin_cos());
            let ends = [[0.0, 0.0, -0.5], [0.0, 0.0, 0.5]].into_iter();
            ends.chain(ring.map(|(sin, cos)| [cos, sin, 0.0])).collect()
        };
        let tets: Vec<[u32; 4]> = (0..6).map(|k| [0, 1, 2 + k, 2 + (k + 1) % 6]).collect();
        let rest_x = at(1.0);
        let mut batch = Batch::default();
        for tet in &tets {
            batch.push(*tet, ArapTet::new(tet.map(|i| Vec3::of(rest_x[i as usize])), 1.0).unwrap());
        }
        let body = Body { name: "star".to_string(), vertices: 0..8, triangles: Vec::new(), tets };
        let model = Model { rest_x, mass: vec![1.0; 8], bodies: vec![body], ..Model::default() };
        let x = at(times).into_iter().map(|x| Vec3::<f64>::of(x).store()).collect();
        (Arc::new(model), x, batch.into())
    }

    #[test]
    fn angles_around_an_edge_add_up_to_whole_turns() {
        for times in [1.0, 2.0, -1.0] {
            let (model, x, _) = star(times);
            let stars = Stars::new(&model);
            assert_eq!(stars.around.len(), 1, "one edge is inside");
            assert_eq!(f64::from(turns(&stars.tets, stars.around.of(0), &x)), times);
            assert_eq!(stars.wound(&x).len(), if times == 1.0 { 0 } else { 6 });
            assert_eq!(is_inverted_somewhere(&model, &x), times < 0.0);
        }
    }

    #[test]
    fn what_stays_wound_up_is_pulled_until_it_is_not_or_something_holds_it() {
        let (model, x, elements) = star(2.0);
        let (_, rest, _) = star(1.0);
        let mut elements = [elements];
        let mut unwinding = Unwinding::default();
        let mut begin = |unwinding: &mut Unwinding, x: &[[f64; 4]], since| {
            unwinding.begin(&model, &mut elements, x, since);
            elements[0].pulled().to_vec()
        };
        assert!(begin(&mut unwinding, &x, Since::Step).is_empty() && unwinding.wound() == 0, "nothing was inverted");
        unwinding.set_wound(1);
        for step in 0..PATIENCE {
            assert!(begin(&mut unwinding, &x, Since::Step).is_empty() && unwinding.wound() == step + 2);
        }
        let pulled = begin(&mut unwinding, &x, Since::Step);
        assert_eq!(pulled.iter().map(|pulled| pulled.0).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
        assert!(pulled.iter().all(|(_, rotation)| *rotation == pulled[0].1));
        let turn = pulled[0].1;
        assert!((turn.transpose() * turn - Mat3::IDENTITY).norm_sq() < 1e-24 && turn.det() > 0.0);
        // A try that is made again and a piece have the same E.
        assert!(
            begin(&mut unwinding, &x, Since::Retry) == pulled && begin(&mut unwinding, &rest, Since::Piece) == pulled
        );
        let wound = unwinding.wound();
        unwinding.undo();
        assert_eq!(unwinding.wound(), wound - 1);
        assert!(begin(&mut unwinding, &rest, Since::Step).is_empty() && unwinding.wound() == 0);
        unwinding.set_wound(GIVES_UP + 1);
        assert!(begin(&mut unwinding, &x, Since::Step).is_empty());
    }
}
