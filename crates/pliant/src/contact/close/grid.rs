//! Boxes in hashed cells of several sizes.
//!
//! Each box lies in one cell, that of its middle, at the level whose boxes are about as large as itself. Sizes double from
//! level to level. So whatever the sizes of triangles are, there is an entry per box, and who asks for what overlaps a box
//! knows how far beyond it the middles may be: half the largest box of a level.
//!
//! Boxes are sorted by the hash of their cells, by counting, in three passes over arrays of fixed size. Cells in a row along x
//! are neighbours in memory and are read in one go. Cells that share a hash need no care: boxes decide, and a box that is seen
//! twice is found out by who keeps it.

use crate::math::{Real, Vec3};
use rayon::prelude::*;

/// Finer and coarser than this there is nothing.
const LEVELS: usize = 32;
/// The level of a box that is not in the grid: it is not finite, or astronomical.
const NOWHERE: u32 = u32::MAX;
/// Boxes per task.
const CHUNK: usize = 1024;
/// Cells are so many times smaller than the largest boxes of their level along x, where a row of them is read in one go.
const CELLS_ALONG: f64 = 4.0;
/// And along y and z, where each row has to be looked up.
const CELLS_ACROSS: f64 = 1.0;
/// A search that would need more cells than this along y or z goes nowhere sensible; it is cut.
const ROWS: i32 = 8;

/// A box and what it belongs to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Placed<R> {
    pub low: Vec3<R>,
    pub high: Vec3<R>,
    /// How far its vertices may go in the step, m.
    pub motion: R,
    /// Which triangle or edge.
    pub id: u32,
    level: u32,
}

impl<R: Real> Placed<R> {
    /// The box around points, larger by `margin` on all sides.
    #[inline]
    pub fn around<const N: usize>(points: [Vec3<R>; N], margin: R, motion: R) -> Self {
        let mut placed = Self { low: points[0], high: points[0], motion, id: 0, level: NOWHERE };
        for p in &points[1..] {
            placed.low = Vec3::new(placed.low.x.min(p.x), placed.low.y.min(p.y), placed.low.z.min(p.z));
            placed.high = Vec3::new(placed.high.x.max(p.x), placed.high.y.max(p.y), placed.high.z.max(p.z));
        }
        let margin = Vec3::new(margin, margin, margin);
        (placed.low, placed.high) = (placed.low - margin, placed.high + margin);
        // A NaN of one point is lost in a minimum.
        if !points.iter().all(|p| p.is_finite()) {
            placed.high = Vec3::new(R::ONE, R::ONE, R::ONE) / R::ZERO;
        }
        placed
    }

    #[inline(always)]
    fn overlaps(&self, low: Vec3<R>, high: Vec3<R>) -> bool {
        // Without short cuts: branches cost more than what they save.
        (self.low.x <= high.x)
            & (low.x <= self.high.x)
            & (self.low.y <= high.y)
            & (low.y <= self.high.y)
            & (self.low.z <= high.z)
            & (low.z <= self.high.z)
    }

    #[inline(always)]
    fn extent(&self) -> R {
        let size = self.high - self.low;
        size.x.max(size.y).max(size.z)
    }

    #[inline(always)]
    fn middle(&self) -> Vec3<R> {
        (self.low + self.high) * R::of(0.5)
    }
}

/// One level.
#[derive(Clone, Copy, Debug, Default)]
struct Level<R> {
    /// One over the size of cells along x, and along y and z, 1/m.
    per_metre: [R; 2],
    /// Half the extent of the largest box, m; negative if there is none.
    half_extent: R,
}

/// Boxes sorted by cells.
#[derive(Clone, Debug)]
pub(super) struct Grid<R> {
    /// By their number.
    pub boxes: Vec<Placed<R>>,
    /// Hash of each box.
    hash: Vec<u32>,
    levels: [Level<R>; LEVELS],
    /// Where the boxes of each hash begin.
    begin: Vec<u32>,
    sorted: Vec<Placed<R>>,
    /// Where each box is among the sorted ones.
    rank: Vec<u32>,
}

type Cell = [i32; 3];

/// The hash of a row of cells along x; that of a cell is x more.
#[inline(always)]
fn row([_, y, z]: Cell, level: u32) -> u32 {
    let [y, z] = [y as u32, z as u32];
    let sum = y.wrapping_mul(0x9E37_79B1).wrapping_add(z.wrapping_mul(0x85EB_CA77));
    // The upper bits are the better ones.
    (sum ^ (sum >> 15)).wrapping_add(level.wrapping_mul(0xC2B2_AE3D))
}

#[inline(always)]
fn cell_of<R: Real>(x: Vec3<R>, [along, across]: [R; 2]) -> Cell {
    // Saturates far outside: there, cells are shared by too many, which costs time and nothing else.
    let index = |c: R| {
        let c = c.f64();
        let towards_zero = c as i32;
        towards_zero.saturating_sub(i32::from(c < f64::from(towards_zero)))
    };
    [index(x.x * along), index(x.y * across), index(x.z * across)]
}

impl<R: Real> Grid<R> {
    /// For `boxes` boxes.
    pub fn new(boxes: usize) -> Self {
        let table = (2 * boxes).next_power_of_two().max(64);
        Self {
            boxes: vec![Placed::default(); boxes],
            hash: vec![0; boxes],
            levels: [Level::default(); LEVELS],
            begin: vec![0; table + 1],
            sorted: vec![Placed::default(); boxes],
            rank: vec![0; boxes],
        }
    }

    fn mask(&self) -> u32 {
        self.begin.len() as u32 - 2
    }

    /// Makes boxes by `make` and sorts them; boxes of the finest level are up to `base` m large.
    pub fn build(&mut self, base: R, make: impl Fn(usize) -> Placed<R> + Sync + Send) {
        let base = base.max(R::TINY.sqrt());
        let mut size = base;
        for level in &mut self.levels {
            *level = Level { per_metre: [R::of(CELLS_ALONG) / size, R::of(CELLS_ACROSS) / size], half_extent: -R::ONE };
            size += size;
        }
        let (mask, levels) = (self.mask(), &self.levels);
        let boxes = self.boxes.par_chunks_mut(CHUNK).zip(self.hash.par_chunks_mut(CHUNK));
        boxes.enumerate().for_each(|(k, (boxes, hashes))| {
            for (i, (out, hash)) in (k * CHUNK..).zip(boxes.iter_mut().zip(hashes)) {
                *out = Placed { id: i as u32, ..make(i) };
                out.level = level_of(out.extent(), base);
                if let Some(level) = levels.get(out.level as usize) {
                    let cell = cell_of(out.middle(), level.per_metre);
                    *hash = row(cell, out.level).wrapping_add(cell[0] as u32) & mask;
                }
            }
        });
        self.sort();
    }

    /// Counting sort: how many per hash, where each begins, who is there.
    fn sort(&mut self) {
        let begin = &mut self.begin;
        begin.fill(0);
        for (placed, hash) in self.boxes.iter().zip(&self.hash) {
            if let Some(level) = self.levels.get_mut(placed.level as usize) {
                level.half_extent = level.half_extent.max(placed.extent() * R::of(0.5));
                begin[*hash as usize] += 1;
            }
        }
        let mut sum = 0;
        for begin in begin.iter_mut() {
            sum += *begin;
            *begin = sum;
        }
        // Filled from behind, so that boxes stay in their order and what was an end is a begin.
        for (placed, hash) in self.boxes.iter().zip(&self.hash).rev() {
            if placed.level != NOWHERE {
                let begin = &mut begin[*hash as usize];
                *begin -= 1;
                self.sorted[*begin as usize] = *placed;
                self.rank[placed.id as usize] = *begin;
            }
        }
    }

    /// Calls `visit` with each box of `level`, of rank `least` or more, that overlaps a given one; seldom with one of another
    /// level, or twice.
    #[inline(always)]
    fn overlapping_at(&self, level: u32, least: u32, [low, high]: [Vec3<R>; 2], visit: &mut impl FnMut(&Placed<R>)) {
        let Level { per_metre, half_extent } = self.levels[level as usize];
        // Far from the origin, middles are rounded.
        let rounding = (low.x.abs() + low.y.abs() + low.z.abs()) * R::EPSILON * R::of(4.0);
        let slack = half_extent * R::of(1.001) + rounding;
        let slack = Vec3::new(slack, slack, slack);
        let [first, last] = [cell_of(low - slack, per_metre), cell_of(high + slack, per_metre)];
        let reach = |k: usize| last[k].min(first[k].saturating_add(ROWS));
        let mask = self.mask();
        let mut range = |from: u32, to: u32| {
            let (begin, end) = (self.begin[from as usize].max(least), self.begin[to as usize + 1]);
            for placed in self.sorted.get(begin as usize..end as usize).unwrap_or(&[]) {
                if placed.overlaps(low, high) {
                    visit(placed);
                }
            }
        };
        for z in first[2]..=reach(2) {
            for y in first[1]..=reach(1) {
                let from = row([0, y, z], level).wrapping_add(first[0] as u32) & mask;
                let to = from + (last[0].wrapping_sub(first[0]) as u32).min(mask);
                range(from, to.min(mask));
                // The table is a ring.
                if to > mask {
                    range(0, to - mask - 1);
                }
            }
        }
    }

    /// Calls `visit` with each box around `x`, with some more than once.
    #[inline(always)]
    pub fn at(&self, x: Vec3<R>, mut visit: impl FnMut(&Placed<R>)) {
        for level in 0..LEVELS as u32 {
            if self.levels[level as usize].half_extent >= R::ZERO {
                self.overlapping_at(level, 0, [x, x], &mut visit);
            }
        }
    }

    /// Calls `visit` with each box that overlaps box number `own`, of coarser levels, or of its own and of higher rank; with
    /// some more than once. So every pair is seen from one side, and a box never has to look into many small cells.
    #[inline(always)]
    pub fn overlapping(&self, own: u32, mut visit: impl FnMut(&Placed<R>)) {
        let mine = &self.boxes[own as usize];
        for level in mine.level.min(LEVELS as u32)..LEVELS as u32 {
            if self.levels[level as usize].half_extent >= R::ZERO {
                let least = if level == mine.level { self.rank[own as usize] + 1 } else { 0 };
                self.overlapping_at(level, least, [mine.low, mine.high], &mut |placed| {
                    if placed.level == level {
                        visit(placed);
                    }
                });
            }
        }
    }
}

/// The finest level whose boxes are as large as this.
#[inline(always)]
fn level_of<R: Real>(extent: R, base: R) -> u32 {
    let (mut size, mut level) = (base, 0);
    while level < LEVELS as u32 && size < extent {
        size += size;
        level += 1;
    }
    if level < LEVELS as u32 && extent.is_finite() { level } else { NOWHERE }
}
