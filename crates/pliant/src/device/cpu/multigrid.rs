//! One symmetric V-cycle with a Jacobi sweep before and after each coarser level, for `Device::cycle`.

use super::map;
use super::parallel::for_chunks;
use super::problem::CpuProblem;
use crate::linear::{Csr, Hierarchy, Level};
use crate::math::{Real, Sym3, Vec3};

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
    contact: Vec<Sym3<R>>,
    /// (divisor + contact)⁻¹; 0 for held vertices.
    inverse: Vec<Sym3<R>>,
    /// Right-hand side and solution of this level; those of the finest belong to the caller.
    r: Vec<[R; 4]>,
    z: Vec<[R; 4]>,
    scratch: Vec<[R; 4]>,
}

/// The hierarchy of A in this precision.
pub(super) struct Multigrid<R> {
    grids: Vec<Grid<R>>,
    /// The contacts were brought to all levels once.
    covered: bool,
}

impl<R: Real> Multigrid<R> {
    fn new(matrix: &Csr) -> Self {
        let levels = Hierarchy::new(matrix).levels;
        let grids = levels.iter().enumerate().map(|(k, level)| Grid::new(level, k == 0)).collect();
        Self { grids, covered: false }
    }

    /// Takes the contacts of the step to all levels.
    fn cover(&mut self, pushes: &[Sym3<R>], friction: &[Sym3<R>], held: &[bool]) {
        self.covered = true;
        let Grid { contact, inverse, divisor, .. } = &mut self.grids[0];
        for_chunks(contact, |first, chunk| {
            for (i, contact) in (first..).zip(chunk) {
                *contact = pushes[i] + friction[i];
            }
        });
        for_chunks(inverse, |first, chunk| {
            for (i, inverse) in (first..).zip(chunk) {
                *inverse = if held[i] { Sym3::ZERO } else { (Sym3::scalar(divisor[i]) + contact[i]).inverse() };
            }
        });
        for k in 1..self.grids.len() {
            let (fine, coarse) = self.grids.split_at_mut(k);
            fine[k - 1].restrict_contacts(&mut coarse[0]);
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
            contact: vec![Sym3::ZERO; n],
            inverse: vec![Sym3::ZERO; n],
            r: vec![[R::ZERO; 4]; own],
            z: vec![[R::ZERO; 4]; own],
            scratch: vec![[R::ZERO; 4]; n],
        }
    }

    /// z = ω D⁻¹ r, a sweep from zero.
    fn sweep(&self, r: &[[R; 4]], z: &mut [[R; 4]]) {
        map(z, |i, _| self.inverse[i].times(Vec3::load(r[i])) * self.omega);
    }

    /// (r − A z)ᵢ
    fn left(&self, i: usize, r: &[[R; 4]], z: &[[R; 4]]) -> Vec3<R> {
        Vec3::load(r[i]) - self.matrix.times(i, z) - self.contact[i].times(Vec3::load(z[i]))
    }

    /// Does something with the right-hand side and the solution of this level; those of the finest are the caller's.
    fn with_unknowns(
        &mut self,
        (r, z): (&[[R; 4]], &mut [[R; 4]]),
        mut work: impl FnMut(&mut Self, &[[R; 4]], &mut [[R; 4]]),
    ) {
        if self.r.is_empty() {
            return work(self, r, z);
        }
        let (own, mut solution) = (std::mem::take(&mut self.r), std::mem::take(&mut self.z));
        work(self, &own, &mut solution);
        (self.r, self.z) = (own, solution);
    }

    /// What is left of r, to `scratch`.
    fn residual(&mut self, r: &[[R; 4]], z: &[[R; 4]]) {
        let mut scratch = std::mem::take(&mut self.scratch);
        map(&mut scratch, |i, _| self.left(i, r, z));
        self.scratch = scratch;
    }

    /// The residual for the next level.
    fn restrict(&self, coarse: &mut Grid<R>) {
        map(&mut coarse.r, |c, _| self.restriction.times(c, &self.scratch));
    }

    /// The contacts for the next level.
    fn restrict_contacts(&self, coarse: &mut Grid<R>) {
        let Grid { inverse, divisor, contact, .. } = coarse;
        for_chunks(contact, |first, chunk| {
            for (c, contact) in (first..).zip(chunk) {
                let sum = self.restriction.row(c).fold(Sym3::ZERO, |sum, (i, p)| sum + self.contact[i] * p.abs());
                *contact = sum * self.interpolation_norm;
            }
        });
        for_chunks(inverse, |first, chunk| {
            for (c, inverse) in (first..).zip(chunk) {
                *inverse = (Sym3::scalar(divisor[c]) + contact[c]).inverse();
            }
        });
    }

    /// z: to the sweep from zero comes the correction of the next level, and a sweep after it.
    fn correct(&mut self, r: &[[R; 4]], coarse: &Grid<R>, z: &mut [[R; 4]]) {
        let mut before = std::mem::take(&mut self.scratch);
        map(&mut before, |i, _| Vec3::load(z[i]) + self.interpolation.times(i, &coarse.z));
        map(z, |i, _| Vec3::load(before[i]) + self.inverse[i].times(self.left(i, r, &before)) * self.omega);
        self.scratch = before;
    }
}

impl<R: Real> CpuProblem<R> {
    /// z ≈ A⁻¹ r with active contacts.
    pub(super) fn cycle(&mut self, r: &[[R; 4]], z: &mut [[R; 4]]) {
        let mut multigrid = self.multigrid.take().unwrap_or_else(|| Multigrid::new(&self.system.matrix));
        if !multigrid.covered || self.has_contacts() {
            multigrid.cover(&self.pushes, &self.friction, &self.system.held);
        }
        let grids = &mut multigrid.grids;
        for k in 0..grids.len() {
            let (fine, coarse) = grids.split_at_mut(k + 1);
            fine[k].with_unknowns((r, z), |grid, r, z| {
                grid.sweep(r, z);
                if let Some(coarse) = coarse.first_mut() {
                    grid.residual(r, z);
                    grid.restrict(coarse);
                }
            });
        }
        for k in (0..grids.len() - 1).rev() {
            let (fine, coarse) = grids.split_at_mut(k + 1);
            fine[k].with_unknowns((r, z), |grid, r, z| grid.correct(r, &coarse[0], z));
        }
        self.multigrid = Some(multigrid);
    }
}
