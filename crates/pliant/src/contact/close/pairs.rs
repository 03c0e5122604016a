//! Which pairs count, and what becomes of them: all that is asked of one vertex and one triangle, or of two edges.

use super::facing::Facing;
use super::grid::{Grid, Placed};
use super::kept::{Lists, Nearest, Slot};
use super::normal::Apart;
use super::{CloseSurface, Contact, ContactKind};
use crate::math::closest::{Closest, crossing, point_triangle, segment_segment};
use crate::math::{Real, Vec3};
use rayon::prelude::*;
use std::sync::Arc;

/// No vertex.
const NONE: u32 = u32::MAX;
/// Rest shapes that are closer than so many gaps are neighbours; a little more than one, for thickness and mesh are often
/// equal but for rounding.
const NEIGHBOURS: f64 = 1.01;
/// A surface that rises by less than this, as sine of an angle, is as level as rounding can tell.
const LEVEL: f64 = 1e-3;
/// Vertices or edges that one thread looks at in a row, at least.
const FEW: usize = 1024;
/// A normal that is turned off the offset makes a plane farther ahead, m/m.
const TURNED: f64 = 0.999;

/// What is known of vertices, in the precision of the search.
#[derive(Clone, Debug)]
pub(super) struct Vertices<R> {
    pub surface: Arc<CloseSurface>,
    rest_x: Vec<Vec3<R>>,
    /// Half the thickness, m.
    half: Vec<R>,
    pub largest_half: R,
    /// How far each would go in the step, at most `reach`, m.
    motion: Vec<R>,
    /// Which way the surface faces at vertices and at edges.
    facing: Vec<Facing<R>>,
    edge_facing: Vec<Facing<R>>,
    /// Usual extent of what is between them, m.
    pub usual_extent: R,
}

impl<R: Real> Vertices<R> {
    pub fn new(surface: Arc<CloseSurface>) -> Self {
        Self {
            rest_x: surface.rest_x.iter().map(|x| Vec3::of(*x)).collect(),
            half: surface.half.iter().map(|h| R::of(*h)).collect(),
            largest_half: R::of(0.5 * surface.largest_gap()),
            motion: vec![R::ZERO; surface.vertices()],
            facing: vec![Facing::ANY; surface.vertices()],
            edge_facing: vec![Facing::ANY; surface.edges.len()],
            usual_extent: R::of(surface.usual_extent()),
            surface,
        }
    }

    /// How far each vertex goes and which way surfaces face; returns how far the farthest goes, m.
    pub fn measure(&mut self, x_start: &[[R; 4]], x_target: &[[R; 4]], reach: R) -> R {
        let surface = &self.surface;
        let facing = self.facing.par_iter_mut().with_min_len(FEW).enumerate();
        facing.for_each(|(v, facing)| *facing = Facing::of_vertex(surface, x_start, v));
        let facing = self.edge_facing.par_iter_mut().with_min_len(FEW).enumerate();
        facing.for_each(|(e, facing)| *facing = Facing::of_edge(surface, x_start, e));
        let mut farthest = R::ZERO;
        for (motion, (from, to)) in self.motion.iter_mut().zip(x_start.iter().zip(x_target)) {
            *motion = (Vec3::load(*to) - Vec3::load(*from)).length().min(reach);
            farthest = farthest.max(*motion);
        }
        farthest
    }
}

/// What a search knows of a step.
#[derive(Clone, Copy)]
pub(super) struct Pairs<'a, R> {
    pub vertices: &'a Vertices<R>,
    pub x: &'a [[R; 4]],
    pub target: &'a [[R; 4]],
    pub reach: R,
}

/// A vertex and a triangle.
impl<R: Real> Pairs<'_, R> {
    pub fn triangle_box(&self, t: usize, margin: R) -> Placed<R> {
        self.box_of(self.vertices.surface.triangles[t], margin)
    }

    /// Finds triangles near the vertex number `owner` of the surface.
    #[inline(always)]
    pub fn triangles_near(&self, owner: usize, grid: &Grid<R>, nearest: &mut Nearest<R>) {
        let v = self.vertices.surface.vertices[owner];
        let x = self.point(v);
        let motion = self.vertices.motion[v as usize];
        grid.at(x, |placed| {
            if let Some(slot) = self.vertex_triangle(v, placed.id, motion + placed.motion) {
                nearest.add(slot);
            }
        });
    }

    /// The pair, if it counts; `motion` is how far its sides may go together, m.
    #[inline(always)]
    pub fn vertex_triangle(&self, v: u32, t: u32, motion: R) -> Option<Slot<R>> {
        let corners @ [a, b, c] = self.vertices.surface.triangles[t as usize];
        if (a == v) | (b == v) | (c == v) {
            return None;
        }
        let closest = point_triangle(self.point(v), self.points(corners));
        let at = [closest.at[1], closest.at[2]];
        let gap = self.gap([v, a, b, c], face_weights(at));
        let clearance = self.clearance(&closest, gap, motion, self.out_of_triangle(v, corners))?;
        if self.same_body(v, corners[0]) && self.rests_near_triangle(v, corners, gap) {
            return None;
        }
        let border = border_part(corners, closest.at);
        let facing = self.facing(v, corners[0]);
        if border.is_some_and(|part| facing.is_far_off(closest.offset) || self.comes_nearer(v, part, closest.offset)) {
            return None;
        }
        let part = border.unwrap_or([t, NONE]);
        Some(Slot { other: t, part, clearance, at, direction: closest.offset })
    }

    /// Whether the surface beyond an edge or a corner comes nearer to the vertex than that: then what is nearer there counts.
    fn comes_nearer(&self, v: u32, part: [u32; 2], offset: Vec3<R>) -> bool {
        let (surface, closest) = (&self.vertices.surface, self.point(v) - offset);
        let rising = |i: u32| {
            let along = self.point(i) - closest;
            let slope = offset.dot(along);
            slope > R::ZERO && slope * slope > offset.length_sq() * along.length_sq() * R::of(LEVEL * LEVEL)
        };
        surface.corners.of(part[0] as usize).iter().any(|corner| {
            let triangle = surface.triangles[*corner as usize / 3];
            triangle.contains(&part[1]) && triangle.iter().any(|&i| !part.contains(&i) && rising(i))
        })
    }

    fn rests_near_triangle(&self, v: u32, corners: [u32; 3], gap: R) -> bool {
        let (x, triangle) = (self.vertices.rest_x[v as usize], self.rest(corners));
        let gap = gap * R::of(NEIGHBOURS);
        point_triangle(x, triangle).distance_sq() < gap * gap
    }

    /// Turns the offset of a pair into its normal.
    pub fn turn_to_face(&self, owner: usize, slot: &mut Slot<R>, before: &Lists<R>) {
        let stencil = self.face_stencil(owner, slot);
        let [_, a, b, c] = self.points(stencil);
        let (across, inside) = ((b - a).cross(c - a), slot.part == [slot.other, NONE]);
        let before = before.pair(owner, slot.other).or_else(|| self.beside(slot.other, before.of(owner)));
        let hem = before.is_some_and(|s| s.part[1] != NONE && s.part.iter().all(|&i| self.at_hem(i)));
        let [v, corners @ ..] = stencil;
        let out = self.out_of_triangle(v, corners).map(|out| out.unit_or(Vec3::axis(1)));
        let before = out.or(before.map(|slot| slot.direction));
        let (motion, magnitude) = self.motion(stencil, face_weights(slot.at));
        let normal = Apart { offset: slot.direction, across, inside, motion, magnitude, before, hem }.normal();
        slot.direction = if inside { normal } else { self.facing(stencil[0], stencil[1]).nearest(normal) };
    }

    /// What was kept of a triangle beside `t` or, on an edge or a corner of it, for it: the vertex may have come from there.
    /// Not where the surface is folded by more than 90°, because then the side is another one.
    fn beside<'s>(&self, t: u32, before: &'s [Slot<R>]) -> Option<&'s Slot<R>> {
        let triangles = &self.vertices.surface.triangles;
        let corners = triangles[t as usize];
        before.iter().find(|slot| {
            let other = triangles[slot.other as usize];
            let own_tip = corners.iter().find(|i| !other.contains(i));
            let other_tip = other.iter().find(|i| !corners.contains(i));
            match (own_tip, other_tip, corners.iter().filter(|i| other.contains(i)).count()) {
                (Some(&own), Some(&tip), 2) => {
                    let [a, b, own, tip] = {
                        let mut shared = corners.iter().filter(|i| other.contains(i)).copied();
                        let mut next = || shared.next().unwrap_or(own);
                        self.points([next(), next(), own, tip])
                    };
                    let edge = (b - a).unit_or(Vec3::ZERO);
                    let inward = |p: Vec3<R>| (p - a) - edge * edge.dot(p - a);
                    inward(own).dot(inward(tip)) < R::ZERO
                }
                _ => slot.part[1] != NONE && slot.part.iter().all(|i| corners.contains(i)),
            }
        })
    }

    pub fn face_contact(&self, owner: usize, slot: &Slot<R>) -> Contact<R> {
        let (stencil, weight) = (self.face_stencil(owner, slot), face_weights(slot.at));
        let (normal, gap) = (slot.direction, self.gap_along(stencil, weight, slot.direction));
        Contact { stencil, weight, normal, gap, kind: ContactKind::VertexTriangle }
    }

    fn face_stencil(&self, owner: usize, slot: &Slot<R>) -> [u32; 4] {
        let surface = &self.vertices.surface;
        let [a, b, c] = surface.triangles[slot.other as usize];
        [surface.vertices[owner], a, b, c]
    }
}

/// Two edges.
impl<R: Real> Pairs<'_, R> {
    pub fn edge_box(&self, e: usize, margin: R) -> Placed<R> {
        self.box_of(self.vertices.surface.edges[e], margin)
    }

    /// Finds edges near edge number `owner`.
    #[inline(always)]
    pub fn edges_near(&self, owner: usize, grid: &Grid<R>, nearest: &mut Nearest<R>) {
        let motion = grid.boxes[owner].motion;
        grid.overlapping(owner as u32, |placed| {
            if let Some(slot) = self.edge_edge(owner as u32, placed.id, motion + placed.motion) {
                nearest.add(slot);
            }
        });
    }

    /// The pair of `owner` and `other`, if it counts; `motion` is how far its sides may go together, m. Whoever of both looks
    /// for the other, all numbers are the same.
    #[inline(always)]
    pub fn edge_edge(&self, owner: u32, other: u32, motion: R) -> Option<Slot<R>> {
        let stencil @ [i, j, k, l] = self.edge_stencil(owner, other);
        if (i == k) | (i == l) | (j == k) | (j == l) {
            return None;
        }
        let [p1, q1, p2, q2] = self.points(stencil);
        let closest = crossing([p1, q1], [p2, q2])?;
        let gap = self.gap(stencil, edge_weights(closest.at));
        let clearance = self.clearance(&closest, gap, motion, self.out_of_edges(owner, other))?;
        if self.edge_facing(owner, other).iter().any(|facing| facing.is_far_off(closest.offset)) {
            return None;
        }
        if self.same_body(i, k) && self.rests_near_edge(stencil, gap) {
            return None;
        }
        Some(Slot { other, part: [other, NONE], clearance, at: closest.at, direction: closest.offset })
    }

    fn rests_near_edge(&self, stencil: [u32; 4], gap: R) -> bool {
        let [p1, q1, p2, q2] = self.rest(stencil);
        let gap = gap * R::of(NEIGHBOURS);
        segment_segment([p1, q1], [p2, q2]).distance_sq() < gap * gap
    }

    /// Turns the offset of a pair into its normal.
    pub fn turn_to_edge(&self, owner: usize, slot: &mut Slot<R>, before: &Lists<R>) {
        let stencil = self.edge_stencil(owner as u32, slot.other);
        let [p1, q1, p2, q2] = self.points(stencil);
        // Who looks for whom depends on where they are, and may have changed.
        let turned = || before.pair(slot.other as usize, owner as u32);
        let before = before.pair(owner, slot.other).or_else(turned).map(|slot| slot.direction);
        let before = self.out_of_edges(owner as u32, slot.other).map(|out| out.unit_or(Vec3::axis(1))).or(before);
        let (motion, magnitude) = self.motion(stencil, edge_weights(slot.at));
        let across = (q1 - p1).cross(q2 - p2);
        let (offset, inside, hem) = (slot.direction, true, false);
        let normal = Apart { offset, across, inside, motion, magnitude, before, hem }.normal();
        let facing = self.edge_facing(owner as u32, slot.other);
        slot.direction = facing.iter().fold(normal, |normal, facing| facing.nearest(normal));
    }

    pub fn edge_contact(&self, owner: usize, slot: &Slot<R>) -> Contact<R> {
        let (stencil, weight) = (self.edge_stencil(owner as u32, slot.other), edge_weights(slot.at));
        let (normal, gap) = (slot.direction, self.gap_along(stencil, weight, slot.direction));
        Contact { stencil, weight, normal, gap, kind: ContactKind::EdgeEdge }
    }

    /// The first of both edges is the first side.
    #[inline(always)]
    fn edge_stencil(&self, e: u32, f: u32) -> [u32; 4] {
        let edges = &self.vertices.surface.edges;
        let ([i, j], [k, l]) = (edges[e.min(f) as usize], edges[e.max(f) as usize]);
        [i, j, k, l]
    }
}

/// Either of them.
impl<R: Real> Pairs<'_, R> {
    #[inline(always)]
    fn point(&self, i: u32) -> Vec3<R> {
        Vec3::load(self.x[i as usize])
    }

    #[inline(always)]
    fn points<const N: usize>(&self, stencil: [u32; N]) -> [Vec3<R>; N] {
        let mut points = [Vec3::ZERO; N];
        for (point, i) in points.iter_mut().zip(stencil) {
            *point = self.point(i);
        }
        points
    }

    #[inline(always)]
    fn rest<const N: usize>(&self, stencil: [u32; N]) -> [Vec3<R>; N] {
        stencil.map(|i| self.vertices.rest_x[i as usize])
    }

    fn box_of<const N: usize>(&self, stencil: [u32; N], margin: R) -> Placed<R> {
        let largest = |of: &[R]| stencil.iter().fold(R::ZERO, |largest, &i| largest.max(of[i as usize]));
        Placed::around(self.points(stencil), margin + largest(&self.vertices.half), largest(&self.vertices.motion))
    }

    /// Which way the surface faces at vertex v, for something of another body. A surface that touches itself turns about in
    /// between, and what is off its way there is all that keeps a fold open.
    #[inline(always)]
    fn facing(&self, v: u32, other: u32) -> Facing<R> {
        if self.same_body(v, other) { Facing::ANY } else { self.vertices.facing[v as usize] }
    }

    /// The same at two edges; the one that is less free is the last, and of two that are as free, but for rounding, always the
    /// same.
    #[inline(always)]
    fn edge_facing(&self, e: u32, f: u32) -> [Facing<R>; 2] {
        let [i, _, k, _] = self.edge_stencil(e, f);
        if self.same_body(i, k) {
            return [Facing::ANY; 2];
        }
        let [a, b] = [e.min(f), e.max(f)].map(|e| self.vertices.edge_facing[e as usize]);
        if a.width() + R::of(LEVEL) < b.width() { [b, a] } else { [a, b] }
    }

    fn at_hem(&self, i: u32) -> bool {
        self.vertices.surface.hem[i as usize]
    }

    #[inline(always)]
    fn same_body(&self, i: u32, j: u32) -> bool {
        self.vertices.surface.body[i as usize] == self.vertices.surface.body[j as usize]
    }

    /// The distance that four vertices keep, m: half a thickness on each side.
    #[inline(always)]
    fn gap(&self, stencil: [u32; 4], weight: [R; 4]) -> R {
        (0..4).fold(R::ZERO, |sum, k| sum + self.vertices.half[stencil[k] as usize] * weight[k].abs())
    }

    /// The distance that four vertices keep along a normal, m. Where it is turned off the way from one to the other, both are
    /// farther apart across it, and what is near along it need not part.
    fn gap_along(&self, stencil: [u32; 4], weight: [R; 4], normal: Vec3<R>) -> R {
        let gap = self.gap(stencil, weight);
        if self.same_body(stencil[0], stencil[3]) {
            return gap;
        }
        let [a, b, c, d] = self.points(stencil);
        let apart = (a - d) * weight[0] + (b - d) * weight[1] + (c - d) * weight[2];
        let along = normal.dot(apart);
        let is_turned = along >= R::ZERO && along < apart.length() * R::of(TURNED);
        if is_turned { gap.min(along) } else { gap }
    }

    /// The way out of a triangle of a solid for a vertex of another one that faces it, of any length. What is inside is nearest
    /// to one triangle after the other as it moves, so what was remembered of a pair, or where it was seen first, may be the
    /// wrong side.
    #[inline(always)]
    fn out_of_triangle(&self, v: u32, corners: [u32; 3]) -> Option<Vec3<R>> {
        if !self.are_solids(v, corners[0]) {
            return None;
        }
        let [a, b, c] = self.points(corners);
        let out = (b - a).cross(c - a);
        (self.vertices.facing[v as usize].axis().dot(out) < R::ZERO).then_some(out)
    }

    /// The way out of the second of two edges of solids for the first, if they face each other.
    #[inline(always)]
    fn out_of_edges(&self, e: u32, f: u32) -> Option<Vec3<R>> {
        let [i, _, k, _] = self.edge_stencil(e, f);
        if !self.are_solids(i, k) {
            return None;
        }
        let [first, second] = [e.min(f), e.max(f)].map(|e| self.vertices.edge_facing[e as usize].axis());
        (first.dot(second) < R::ZERO).then(|| second - first)
    }

    /// Whether two vertices belong to different solids.
    #[inline(always)]
    fn are_solids(&self, i: u32, j: u32) -> bool {
        let solid = &self.vertices.surface.solid;
        solid[i as usize] && solid[j as usize] && !self.same_body(i, j)
    }

    /// Distance less the gap, m, if that may be used up in the step, or if it is a depth: against the way `out`.
    #[inline(always)]
    fn clearance<const N: usize>(&self, closest: &Closest<R, N>, gap: R, motion: R, out: Option<Vec3<R>>) -> Option<R> {
        let is_inside = out.is_some_and(|out| out.dot(closest.offset) < R::ZERO);
        let deepest = if is_inside { R::of(self.vertices.surface.deepest()) } else { R::ZERO };
        let limit = gap + motion.min(self.reach).max(deepest);
        let distance_sq = closest.distance_sq();
        (distance_sq < limit * limit).then(|| distance_sq.sqrt() - gap)
    }

    /// How far the first side would go relative to the second in the step, and the largest coordinate, m.
    fn motion(&self, stencil: [u32; 4], weight: [R; 4]) -> (Vec3<R>, R) {
        let (mut motion, mut magnitude) = (Vec3::ZERO, R::ZERO);
        for (i, weight) in stencil.into_iter().zip(weight) {
            let x = self.point(i);
            motion += (Vec3::load(self.target[i as usize]) - x) * weight;
            magnitude = magnitude.max(x.x.abs()).max(x.y.abs()).max(x.z.abs());
        }
        (motion, magnitude)
    }
}

#[inline(always)]
fn face_weights<R: Real>([b, c]: [R; 2]) -> [R; 4] {
    [R::ONE, b + c - R::ONE, -b, -c]
}

#[inline(always)]
fn edge_weights<R: Real>([s, t]: [R; 2]) -> [R; 4] {
    [R::ONE - s, s, t - R::ONE, -t]
}

/// The edge or the corner of a triangle that has all the weight, lower vertex first.
#[inline(always)]
fn border_part<R: Real>(corners: [u32; 3], weight: [R; 3]) -> Option<[u32; 2]> {
    let mut part = [NONE, 0];
    let mut inside = true;
    for (i, weight) in corners.into_iter().zip(weight) {
        if weight > R::ZERO {
            part = [part[0].min(i), part[1].max(i)];
        } else {
            inside = false;
        }
    }
    (!inside).then_some(part)
}
