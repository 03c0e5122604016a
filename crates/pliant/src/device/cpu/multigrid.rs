//! One symmetric V-cycle with a Jacobi sweep before and after each coarser level, for `Device::cycle`.

use super::map;
use super::parallel::for_chunks;
use super::problem::CpuProblem;
use crate::linear::{Csr, Hierarchy, Level};
use crate::math::{Real, Vec3};

/// A sparse matrix in this precision.
struct Sparse<R> {
    offset: Vec<u32>,
    column: Vec<u32>,
    value: Vec<R>,
}

impl<R: Real> Sparse<R> {
    fn new(matrix: &Csr) -> Self {
        let value = matrix.value.iter().map(|&value| R::of(value)).collect();
        Self { offset: matrix.offset.clone(), column: matrix.column.clone(), value }
    }

    fn row(&self, i: usize) -> impl Iterator<Item = (usize, R)> + '_ {
        let range = self.offset[i] as usize..self.offset[i + 1] as usize;
        self.column[range.clone()].iter().map(|&j| j as usize).zip(self.value[range].iter().copied())
    }

    fn times(&self, i: usize, v: &[[R; 4]]) -> Vec3<R> {
        self.row(i).fold(Vec3::ZERO, |sum, (j, a)| sum + Vec3::load(v[j]) * a)
    }
}

/// A level with its unknowns.
struct Grid<R> {
    matrix: Sparse<R>,
    interpolation: Sparse<R>,
    restriction: Sparse<R>,
    interpolation_norm: R,
    omega: R,
    /// What Jacobi divides by, without contacts, N/m.
    divisor: Vec<R>,
    /// Contacts of this level, N/m.
    contact: Vec<R>,
    /// 1/(divisor + contact); 0 for held vertices.
    inverse: Vec<R>,
    /// Right-hand side and solution of this level; those of the finest belong to the caller.
    r: Vec<[R; 4]>,
    z: Vec<[R; 4]>,
    scratch: Vec<[R; 4]>,
}

/// The hierarchy of A in this precision.
pub(super) struct Multigrid<R> {
    grids: Vec<Grid<R>>,
    /// No cycle of this step has looked at the contacts yet.
    pub(super) fresh_step: bool,
}

impl<R: Real> Multigrid<R> {
    fn new(matrix: &Csr) -> Self {
        let levels = Hierarchy::new(matrix).levels;
        let grids = levels.iter().enumerate().map(|(k, level)| Grid::new(level, k == 0)).collect();
        Self { grids, fresh_step: true }
    }

    /// Takes the contacts of the last gradient. Within a step they only grow: a correction of the coarse levels moves many
    /// vertices far, and where that brings a contact and takes it away again, A must not forget its stiffness.
    fn cover(&mut self, now: &[R], held: &[bool]) {
        let Grid { contact, inverse, divisor, .. } = &mut self.grids[0];
        let fresh = std::mem::take(&mut self.fresh_step);
        for (i, covered) in contact.iter_mut().enumerate() {
            *covered = if fresh { now[i] } else { covered.max(now[i]) };
            inverse[i] = if held[i] { R::ZERO } else { R::ONE / (divisor[i] + *covered) };
        }
    }
}

impl<R: Real> Grid<R> {
    fn new(level: &Level, finest: bool) -> Self {
        let n = level.matrix.rows();
        let own = if finest { 0 } else { n };
        Self {
            matrix: Sparse::new(&level.matrix),
            interpolation: Sparse::new(&level.interpolation),
            restriction: Sparse::new(&level.restriction),
            interpolation_norm: R::of(level.interpolation_norm),
            omega: R::of(level.omega),
            divisor: level.divisor.iter().map(|&value| R::of(value)).collect(),
            contact: vec![R::ZERO; n],
            inverse: vec![R::ZERO; n],
            r: vec![[R::ZERO; 4]; own],
            z: vec![[R::ZERO; 4]; own],
            scratch: vec![[R::ZERO; 4]; n],
        }
    }

    /// ω D⁻¹ r
    fn step(&self, i: usize, r: &[[R; 4]]) -> Vec3<R> {
        Vec3::load(r[i]) * (self.omega * self.inverse[i])
    }

    /// What is left of r after a sweep from zero, to `scratch`.
    fn residual(&mut self, r: &[[R; 4]]) {
        let mut scratch = std::mem::take(&mut self.scratch);
        map(&mut scratch, |i, _| {
            let own = Vec3::load(r[i]) - self.step(i, r) * self.contact[i];
            self.matrix.row(i).fold(own, |sum, (j, a)| sum - self.step(j, r) * a)
        });
        self.scratch = scratch;
    }

    /// The residual and the contacts for the next level.
    fn restrict(&self, coarse: &mut Grid<R>) {
        map(&mut coarse.r, |c, _| self.restriction.times(c, &self.scratch));
        for_chunks(&mut coarse.contact, |first, chunk| {
            for (c, contact) in (first..).zip(chunk) {
                let sum = self.restriction.row(c).fold(R::ZERO, |sum, (i, p)| sum + p.abs() * self.contact[i]);
                *contact = self.interpolation_norm * sum;
            }
        });
        let Grid { inverse, divisor, contact, .. } = coarse;
        inverse.iter_mut().enumerate().for_each(|(c, inverse)| *inverse = R::ONE / (divisor[c] + contact[c]));
    }

    /// z: the sweep from zero, the correction of the next level, and a sweep after it.
    fn correct(&mut self, r: &[[R; 4]], coarse: &Grid<R>, z: &mut [[R; 4]]) {
        let mut before = std::mem::take(&mut self.scratch);
        map(&mut before, |i, _| self.step(i, r) + self.interpolation.times(i, &coarse.z));
        map(z, |i, _| {
            let own = Vec3::load(before[i]);
            let left = Vec3::load(r[i]) - self.matrix.times(i, &before) - own * self.contact[i];
            own + left * (self.omega * self.inverse[i])
        });
        self.scratch = before;
    }
}

impl<R: Real> CpuProblem<R> {
    /// z ≈ A⁻¹ r with active contacts.
    pub(super) fn cycle(&mut self, r: &[[R; 4]], z: &mut [[R; 4]]) {
        let mut multigrid = self.multigrid.take().unwrap_or_else(|| Multigrid::new(&self.system.matrix));
        multigrid.cover(&self.contact_diagonal, &self.system.held);
        let grids = &mut multigrid.grids;
        for k in 0..grids.len() - 1 {
            let (fine, coarse) = grids.split_at_mut(k + 1);
            let own = std::mem::take(&mut fine[k].r);
            fine[k].residual(if k == 0 { r } else { &own });
            fine[k].r = own;
            fine[k].restrict(&mut coarse[0]);
        }
        let coarsest = grids.len() - 1;
        let last = &mut grids[coarsest];
        if coarsest == 0 {
            map(z, |i, _| last.step(i, r));
        } else {
            let mut z = std::mem::take(&mut last.z);
            map(&mut z, |i, _| last.step(i, &last.r));
            last.z = z;
        }
        for k in (0..coarsest).rev() {
            let (fine, coarse) = grids.split_at_mut(k + 1);
            let (own, mut solution) = (std::mem::take(&mut fine[k].r), std::mem::take(&mut fine[k].z));
            if k == 0 {
                fine[k].correct(r, &coarse[0], z);
            } else {
                fine[k].correct(&own, &coarse[0], &mut solution);
            }
            (fine[k].r, fine[k].z) = (own, solution);
        }
        self.multigrid = Some(multigrid);
    }
}
