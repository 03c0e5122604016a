//! K of a linearised step, written down: a row of 3×3 blocks per vertex. Which blocks there are is found once; a step fills them
//! anew, row by row, so that no two tasks write to the same one.

use super::linear::{Linear, place};
use crate::math::{LANES, Mat3, Real, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// Rows per task.
const TASK: usize = 128;

/// A block by columns, each padded to four numbers.
type Block<R> = [[R; 4]; 3];

pub(super) struct Blocks<R> {
    /// Row i: `offset[i]..offset[i + 1]`.
    offset: Vec<u32>,
    column: Vec<u32>,
    value: Vec<Block<R>>,
    /// For each slot of a vertex, in their order, where in its row the blocks with the four corners are.
    to: Vec<[u32; 4]>,
}

impl<R: Real> Blocks<R> {
    pub fn new(vertices: usize, linear: &Linear<R>) -> Self {
        let (mut offset, mut column) = (vec![0], Vec::new());
        let mut to = Vec::new();
        let mut row = Vec::new();
        for i in 0..vertices {
            let slots = &linear.item[linear.offset[i] as usize..linear.offset[i + 1] as usize];
            let corners = |slot: &u32| {
                let (group, _, lane) = place(*slot);
                std::array::from_fn::<u32, 4, _>(|k| linear.groups[group].vertex(k, lane))
            };
            row.clear();
            row.extend(slots.iter().flat_map(corners));
            row.sort_unstable();
            row.dedup();
            let find = |j: u32| row.partition_point(|&k| k < j) as u32;
            to.extend(slots.iter().map(|slot| corners(slot).map(find)));
            column.extend_from_slice(&row);
            offset.push(column.len() as u32);
        }
        let value = vec![[[R::ZERO; 4]; 3]; column.len()];
        Self { offset, column, value, to }
    }

    fn row(&self, i: usize) -> Range<usize> {
        self.offset[i] as usize..self.offset[i + 1] as usize
    }

    /// Fills the blocks of a step.
    pub fn fill(&mut self, linear: &Linear<R>) {
        let mut rest = &mut self.value[..];
        let offset = &self.offset;
        let to = &self.to;
        let vertices = offset.len() - 1;
        let rows = (0..vertices).step_by(TASK).map(|first| {
            let last = (first + TASK).min(vertices);
            let (now, later) = std::mem::take(&mut rest).split_at_mut((offset[last] - offset[first]) as usize);
            rest = later;
            (first..last, now)
        });
        rows.par_bridge().for_each(|(rows, value)| {
            value.fill([[R::ZERO; 4]; 3]);
            let first = offset[rows.start];
            for i in rows {
                let row = &mut value[(offset[i] - first) as usize..(offset[i + 1] - first) as usize];
                for slot in linear.offset[i] as usize..linear.offset[i + 1] as usize {
                    let (group, corner, lane) = place(linear.item[slot]);
                    let tet = &linear.tets[group * LANES + lane];
                    let c = tet.gradients();
                    for (c_j, &to) in c.iter().zip(&to[slot]) {
                        add(&mut row[to as usize], &tet.block(c[corner], *c_j));
                    }
                }
            }
        });
    }

    /// (K p)_i
    #[inline(always)]
    pub fn row_times(&self, i: usize, p: &[[R; 4]]) -> Vec3<R> {
        let mut q = [R::ZERO; 4];
        let row = self.row(i);
        for (&j, block) in self.column[row.clone()].iter().zip(&self.value[row]) {
            let p = p[j as usize];
            for k in 0..4 {
                q[k] += block[0][k] * p[0] + block[1][k] * p[1] + block[2][k] * p[2];
            }
        }
        Vec3::load(q)
    }
}

#[inline(always)]
fn add<R: Real>(to: &mut Block<R>, block: &Mat3<R>) {
    for (to, column) in to.iter_mut().zip(block.c) {
        (0..3).for_each(|k| to[k] += column[k]);
    }
}
