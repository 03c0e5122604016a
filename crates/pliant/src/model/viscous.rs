//! The part of Rayleigh damping D = a M + b K that couples vertices: b K, with K of the positions that the step begins with.
//!
//! Implicit Euler's damping force −D (x − xₙ)/h is minus the gradient of 1/(2h) (x − xₙ)ᵀ D (x − xₙ). That is part of E, so every
//! method that minimises E damps alike. Course eq 48 is its part a M (there c I) with the wrong sign of energy and Hessian:
//! the energy of what resists is positive. K is the sum of the elements' positive semi-definite Hessians at xₙ, frozen for the
//! step. Deviation from a K of the rest shape: this one turns with the body. a M needs no file: it makes inertia larger and x̃ nearer
//! ([`super::System::air`]).
//!
//! | symbol | code | |
//! |---|---|---|
//! | b | `retardation` | s |
//! | b K/h | `block` | N/m |
//! | xₙ | `start` | m |

use super::Model;
use crate::material::Elements;
use crate::math::{Mat3, Real, Vec3};
use rayon::prelude::*;

/// Elements whose Hessians are found together, and by one task.
const TOGETHER: usize = 4096;
const TASK: usize = 64;

/// 1/2 (x − xₙ)ᵀ (b K/h) (x − xₙ)
#[derive(Clone, Debug, PartialEq)]
pub struct Viscous<R> {
    /// Row i: `offset[i]..offset[i + 1]`.
    offset: Vec<u32>,
    column: Vec<u32>,
    /// N/m.
    block: Vec<Mat3<R>>,
    /// Where each block of each element's Hessian goes.
    place: Vec<u32>,
    start: Vec<[R; 4]>,
    scratch: Vec<Mat3<R>>,
}

impl<R: Real> Viscous<R> {
    /// Of nothing yet; `None` for a model without it.
    pub fn new(model: &Model) -> Option<Self> {
        (model.rayleigh.retardation > 0.0).then(|| {
            let mut rows: Vec<Vec<u32>> = vec![Vec::new(); model.vertices()];
            for elements in &model.elements {
                let batch = elements.view();
                for stencil in (0..batch.len()).map(|c| batch.stencil(c)) {
                    stencil.iter().for_each(|&i| rows[i as usize].extend_from_slice(stencil));
                }
            }
            let (mut offset, mut column) = (vec![0], Vec::new());
            for row in &mut rows {
                row.sort_unstable();
                row.dedup();
                column.extend_from_slice(row);
                offset.push(column.len() as u32);
            }
            let find = |i: u32, j: u32| offset[i as usize] + rows[i as usize].partition_point(|&k| k < j) as u32;
            let mut place = Vec::new();
            for elements in &model.elements {
                let batch = elements.view();
                for stencil in (0..batch.len()).map(|c| batch.stencil(c)) {
                    place.extend(stencil.iter().flat_map(|&i| stencil.iter().map(move |&j| find(i, j))));
                }
            }
            let block = vec![Mat3::ZERO; column.len()];
            Self { offset, column, block, place, start: vec![[R::ZERO; 4]; model.vertices()], scratch: Vec::new() }
        })
    }

    /// A step begins at x, m; `per_stiffness` is b/h.
    pub fn begin(&mut self, elements: &[Elements<R>], per_stiffness: f64, x: &[[R; 4]]) {
        self.start.copy_from_slice(x);
        self.block.fill(Mat3::ZERO);
        let factor = R::of(per_stiffness);
        let mut place = self.place.iter();
        for elements in elements {
            let batch = elements.view();
            let blocks = batch.arity() * batch.arity();
            for first in (0..batch.len()).step_by(TOGETHER) {
                let count = TOGETHER.min(batch.len() - first);
                self.scratch.resize(count * blocks, Mat3::ZERO);
                self.scratch.par_chunks_mut(TASK * blocks).enumerate().for_each(|(k, found)| {
                    for (c, found) in (first + k * TASK..).zip(found.chunks_mut(blocks)) {
                        batch.hessian_blocks(c, x, &mut |i, j, block| found[i * batch.arity() + j] = block);
                    }
                });
                for (&found, &place) in self.scratch.iter().zip(place.by_ref()) {
                    self.block[place as usize] += found * factor;
                }
            }
        }
    }

    /// The same in another precision.
    pub fn cast<S: Real>(&self) -> Viscous<S> {
        Viscous {
            offset: self.offset.clone(),
            column: self.column.clone(),
            block: self.block.iter().map(|block| block.cast()).collect(),
            place: Vec::new(),
            start: self.start.iter().map(|x| x.map(|c| S::of(c.f64()))).collect(),
            scratch: Vec::new(),
        }
    }

    fn row(&self, i: usize) -> impl Iterator<Item = (u32, &Mat3<R>)> {
        let range = self.offset[i] as usize..self.offset[i + 1] as usize;
        self.column[range.clone()].iter().copied().zip(&self.block[range])
    }

    /// What vertex i feels, as part of ∇E(x), N.
    pub fn gradient(&self, i: usize, x: &[[R; 4]]) -> Vec3<R> {
        let moved = |j: u32| Vec3::load(x[j as usize]) - Vec3::load(self.start[j as usize]);
        self.row(i).fold(Vec3::ZERO, |sum, (j, block)| sum + *block * moved(j))
    }

    /// The part of E(x) of vertex i, J; half of each pair.
    pub fn value(&self, i: usize, x: &[[R; 4]]) -> R {
        R::of(0.5) * (Vec3::load(x[i]) - Vec3::load(self.start[i])).dot(self.gradient(i, x))
    }

    /// Blocks of ∇²E of vertex i with the others and itself, N/m.
    pub fn hessian(&self, i: usize) -> impl Iterator<Item = (u32, Mat3<R>)> {
        self.row(i).map(|(j, block)| (j, *block))
    }
}
