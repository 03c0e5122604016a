//! The matrix A on the CPU: products, Gauss-Seidel by colours, Cholesky. Active contacts add to the diagonal.

use super::problem::{CpuProblem, Direct};
use crate::device::DeviceError;
use crate::linear::Cholesky;
use crate::material::Disjoint;
use crate::math::{Real, Sym3, Vec3};
use rayon::prelude::*;

/// Rows per task.
const TASK: usize = 256;

impl<R: Real> CpuProblem<R> {
    /// (A p)ᵢ without contacts.
    #[inline(always)]
    pub(super) fn row_product(&self, i: usize, p: &[[R; 4]]) -> Vec3<R> {
        let matrix = &self.system.matrix;
        let range = matrix.offset[i] as usize..matrix.offset[i + 1] as usize;
        let entries = matrix.column[range.clone()].iter().zip(&self.matrix[range]);
        entries.fold(Vec3::ZERO, |sum, (&j, &a)| sum + Vec3::load(p[j as usize]) * a)
    }

    /// Dᵢ⁻¹ r with contacts; 0 for held vertices.
    #[inline(always)]
    pub(super) fn divide_by_diagonal(&self, i: usize, r: Vec3<R>) -> Vec3<R> {
        let contact = self.contact[i];
        if contact == Sym3::ZERO {
            return r * self.inv_diagonal[i];
        }
        (Sym3::scalar(self.diagonal[i]) + contact).solve(r)
    }

    /// zᵢ += ω (r − A z)ᵢ / Dᵢ for the vertices of one colour.
    pub(super) fn gauss_seidel(&self, colour: usize, omega: R, r: &[[R; 4]], z: &mut [[R; 4]]) {
        let Some(colouring) = &self.colouring else { return };
        let matrix = &self.system.matrix;
        let z = Disjoint::new(z);
        colouring.classes.of(colour).par_chunks(TASK).for_each(|vertices| {
            for &i in vertices {
                let i = i as usize;
                let range = matrix.offset[i] as usize..matrix.offset[i + 1] as usize;
                let entries = matrix.column[range.clone()].iter().zip(&self.matrix[range]);
                // SAFETY: a vertex of this colour has no neighbour of the same colour, so what is read here is not
                // written meanwhile, and each vertex is written once.
                let own = Vec3::load(unsafe { z.read(i) });
                let product = entries.fold(self.contact[i].times(own), |sum, (&j, &a)| {
                    sum + Vec3::load(unsafe { z.read(j as usize) }) * a
                });
                let change = self.divide_by_diagonal(i, Vec3::load(r[i]) - product) * omega;
                // SAFETY: as above.
                unsafe { z.write(i, (own + change).store()) };
            }
        });
    }

    /// Makes sure that the factor of A covers the contacts of the last gradient. At the first solve of a step it is
    /// made for exactly those; later in the step it only grows, so that A never underestimates the energy's curvature.
    pub(super) fn refactor(&mut self) -> Result<(), DeviceError> {
        let direct = match &mut self.direct {
            Some(direct) => direct,
            None => {
                let matrix = self.system.matrix.clone();
                let cholesky = Cholesky::analyse(&matrix, 3)?;
                // No contact is NaN: the first factor is always made.
                let contact = vec![f64::NAN; matrix.rows()];
                self.direct.insert(Direct { cholesky, matrix, contact, fresh_step: true })
            }
        };
        // Friction changes with every iterate; in steps of two it changes A seldom.
        let rounded = |friction: f64| if friction > 0.0 { friction.log2().ceil().exp2() } else { 0.0 };
        let contacts = self.pushes.iter().zip(&self.friction);
        let now = || contacts.clone().map(|(push, friction)| push.bound().f64() + rounded(friction.bound().f64()));
        // Also when the factor is kept: what happened in steps before must not change this one.
        let fresh = std::mem::take(&mut direct.fresh_step);
        let covered = if fresh {
            now().eq(direct.contact.iter().copied())
        } else {
            now().zip(&direct.contact).all(|(now, had)| now <= *had)
        };
        if covered {
            return Ok(());
        }
        for (had, now) in direct.contact.iter_mut().zip(now()) {
            *had = if fresh { now } else { now.max(*had) };
        }
        let plain = &self.system.matrix;
        for (i, contact) in direct.contact.iter().enumerate() {
            if let Some(at) = plain.diagonal_at(i) {
                direct.matrix.value[at] = plain.value[at] + contact;
            }
        }
        let made = direct.cholesky.factor(&direct.matrix);
        if made.is_err() {
            self.direct = None;
        }
        Ok(made?)
    }
}
