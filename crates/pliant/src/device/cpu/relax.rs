//! Gauss-Seidel on ∇E itself, colour by colour (vivace Algorithm 1): every vertex sees the newest positions of all others,
//! and the elements around it are projected anew for it.

use super::force::Force;
use super::parallel::sum_blocks;
use super::problem::CpuProblem;
use super::rows::{Block, NO_VERTEX, Rows, blocks};
use crate::colouring::Colouring;
use crate::contact::without_momentum;
use crate::device::rows::vertex_rows;
use crate::material::Elements;
use crate::math::{LANES, Real, Sym3, Vec3, Wide};

/// Rows of vertices in the order of their colours.
pub(super) struct ByColour<R> {
    rows: Rows<R>,
    /// Blocks of colour c: `start[c]..start[c + 1]`.
    start: Vec<usize>,
    /// Where the vertices of a colour go, lane by lane.
    next: Vec<[[R; 4]; LANES]>,
    /// Σ ∇ᵢEᵀ Dᵢ⁻¹ ∇ᵢE of each colour when it was relaxed last.
    residual: Vec<f64>,
}

/// Elements whose gradients are computed together.
const TOGETHER: usize = 16;
/// No element has more corners.
const CORNERS: usize = 4;

impl<R: Real> ByColour<R> {
    fn new(problem: &CpuProblem<R>, colouring: &Colouring) -> Self {
        let (mut all, mut start, mut largest) = (Vec::new(), vec![0], 0);
        for class in colouring.classes.rows() {
            all.extend(blocks(class));
            largest = largest.max(class.len().div_ceil(LANES));
            start.push(all.len());
        }
        let rows = Rows::new(&vertex_rows(&problem.model, &problem.system), all);
        let residual = vec![0.0; colouring.count()];
        Self { rows, start, next: vec![[[R::ZERO; 4]; LANES]; largest], residual }
    }
}

impl<R: Real> CpuProblem<R> {
    /// xᵢ ← xᵢ − ω Dᵢ⁻¹ ∇ᵢE(x) for the vertices of one colour; returns Σ ∇ᵢEᵀ Dᵢ⁻¹ ∇ᵢE over all
    /// colours, of each as it was when it was relaxed last.
    pub(super) fn relax(&mut self, colour: usize, omega: R, x: &mut [[R; 4]]) -> f64 {
        assert_eq!(x.len(), self.diagonal.len(), "a field has a point per vertex");
        let by_colour = self.by_colour.take().or_else(|| Some(ByColour::new(self, self.colouring.as_ref()?)));
        let Some(mut by_colour) = by_colour else { return 0.0 };
        let ByColour { rows, start, next, residual } = &mut by_colour;
        let range = start[colour]..start[colour + 1];
        let next = &mut next[..range.len()];
        let mut parts = std::mem::take(&mut self.scratch.parts);
        self.touching.choose(x, &self.inv_mass);
        let relax = Relax { force: Force::of(self), elements: &self.elements, rows, omega };
        let x_now = &*x;
        residual[colour] =
            sum_blocks(next, LANES, &mut parts, |first, next| relax.chunk(range.start + first, x_now, next));
        for (block, next) in rows.blocks[range].iter().zip(next) {
            for (i, next) in block.iter().zip(next).filter(|(i, _)| **i != NO_VERTEX) {
                x[*i as usize] = *next;
            }
        }
        let all = residual.iter().sum();
        self.scratch.parts = parts;
        self.by_colour = Some(by_colour);
        all
    }
}

struct Relax<'a, R: Real> {
    force: Force<'a, R>,
    elements: &'a [Elements<R>],
    rows: &'a Rows<R>,
    omega: R,
}

impl<R: Real> Relax<'_, R> {
    fn chunk(&self, first: usize, x: &[[R; 4]], next: &mut [[[R; 4]; LANES]]) -> f64 {
        next.iter_mut().enumerate().map(|(k, next)| self.block(first + k, x, next)).sum()
    }

    fn block(&self, b: usize, x: &[[R; 4]], next: &mut [[R; 4]; LANES]) -> f64 {
        let block = &self.rows.blocks[b];
        let xi = gather::<R>(block, x);
        let target = gather::<R>(block, self.force.x_pull);
        let inertia = R::Wide::new(block.map(|i| self.force.inertia.get(i as usize).copied().unwrap_or(R::ZERO)));
        let forces = self.rows.block(b, x, xi);
        let g: [R::Wide; 3] = std::array::from_fn(|k| inertia * (xi[k] - target[k]) + forces[k]);
        let g = g.map(Wide::lanes);
        let mut residual = 0.0;
        for (l, &i) in block.iter().enumerate().filter(|(_, i)| **i != NO_VERTEX) {
            let g = Vec3::new(g[0][l], g[1][l], g[2][l]);
            let (step, moved) = self.vertex(i as usize, x, g);
            residual += step.f64();
            next[l] = moved.store();
        }
        residual
    }

    /// ∇ᵢEᵀ Dᵢ⁻¹ ∇ᵢE and where the vertex goes, given the gradient of springs, constant Hessians and inertia.
    #[inline(always)]
    fn vertex(&self, i: usize, x: &[[R; 4]], gradient: Vec3<R>) -> (R, Vec3<R>) {
        let (at, inv_diagonal) = (Vec3::load(x[i]), self.force.inv_diagonal[i]);
        if inv_diagonal == R::ZERO {
            return (R::ZERO, at);
        }
        let mut g = if self.force.slotted.item.is_empty() { gradient } else { gradient + self.element_forces(i, x) };
        if let Some(viscous) = self.force.viscous {
            g += viscous.gradient(i, x);
        }
        if !self.force.has_contacts {
            let step = g * inv_diagonal;
            return (g.dot(step), at - step * self.omega);
        }
        let (force, push, friction) = self.force.contacts_now(i, x).unwrap_or((Vec3::ZERO, Sym3::ZERO, Sym3::ZERO));
        g += force;
        let step = (Sym3::scalar(self.force.diagonal[i]) + push + friction).solve(g);
        (g.dot(step), without_momentum(push, at - step, at - step * self.omega))
    }

    /// Gradients of the elements around a vertex that are not in its row.
    fn element_forces(&self, i: usize, x: &[[R; 4]]) -> Vec3<R> {
        let (slots, batches) = (self.force.slotted.of(i), &self.force.slotted.batches);
        let (mut item, mut out) = ([0; TOGETHER], [[R::ZERO; 4]; TOGETHER * CORNERS]);
        let (mut sum, mut rest) = (Vec3::ZERO, slots);
        // Slots of a vertex are ascending, and those of a batch side by side.
        for (k, &(index, start)) in batches.iter().enumerate() {
            let elements = self.elements[index].view();
            let (arity, end) = (elements.arity(), batches.get(k + 1).map_or(usize::MAX, |next| next.1));
            let (own, others) = rest.split_at(rest.partition_point(|&slot| (slot as usize) < end));
            rest = others;
            for some in own.chunks(TOGETHER) {
                item.iter_mut().zip(some).for_each(|(c, &slot)| *c = (slot - start as u32) / arity as u32);
                elements.gradient_items(&item[..some.len()], x, &mut out[..some.len() * arity]);
                for (k, &slot) in some.iter().enumerate() {
                    sum += Vec3::load(out[k * arity + (slot as usize - start) % arity]);
                }
            }
        }
        sum
    }
}

/// Points of a block as lanes; zero in unused ones.
#[inline(always)]
fn gather<R: Real>(block: &Block, points: &[[R; 4]]) -> [R::Wide; 3] {
    R::Wide::gather(block.map(|i| points.get(i as usize).copied().unwrap_or([R::ZERO; 4])))
}
