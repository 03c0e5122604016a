//! Boxes in hashed cells of several sizes.
//!
//! Each box lies at the level whose cells are at least as large as itself, so it touches at most two along each axis, eight in
//! all: capacity is known before, whatever the sizes of triangles. Cells of level l are 2^l times as large as those of level
//! 0. Boxes are sorted by the hash of cells by counting, in three passes over arrays of fixed size.
//!
//! The same cells may be asked for a point, which is in one cell per level, or for a box, at its own level and coarser ones.
//! Many cells share a hash, so what is found there is checked: the box of what was stored, and that it was stored for this very
//! cell; then nothing is seen twice.

use crate::math::{Real, Vec3};
use rayon::prelude::*;

/// Finer and coarser than this there is nothing.
const LEVELS: usize = 32;
/// The level of a box that is not in the grid: it is not finite, or astronomical.
const NOWHERE: u32 = u32::MAX;
/// Boxes per task.
const CHUNK: usize = 1024;

/// A box as it lies in the grid.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Placed<R> {
    pub low: Vec3<R>,
    pub high: Vec3<R>,
    /// How far its vertices may go in the step, m.
    pub motion: R,
    /// The cell of its low corner.
    cell: [i32; 3],
    level: u32,
    /// Along which axes it reaches into the next cell, a bit each.
    wide: u32,
}

impl<R: Real> Placed<R> {
    /// The box around points, larger by `margin` on all sides; it is placed by [`Grid::build`].
    #[inline]
    pub fn around<const N: usize>(points: [Vec3<R>; N], margin: R, motion: R) -> Self {
        let mut placed = Self { low: points[0], high: points[0], motion, ..Self::default() };
        for p in &points[1..] {
            placed.low = Vec3::new(placed.low.x.min(p.x), placed.low.y.min(p.y), placed.low.z.min(p.z));
            placed.high = Vec3::new(placed.high.x.max(p.x), placed.high.y.max(p.y), placed.high.z.max(p.z));
        }
        // A NaN of one point is lost in a minimum.
        if !points.iter().all(|p| p.is_finite()) {
            placed.level = NOWHERE;
        }
        let margin = Vec3::new(margin, margin, margin);
        (placed.low, placed.high) = (placed.low - margin, placed.high + margin);
        placed
    }

    #[inline(always)]
    fn holds(&self, x: Vec3<R>) -> bool {
        self.low.x <= x.x
            && x.x <= self.high.x
            && self.low.y <= x.y
            && x.y <= self.high.y
            && self.low.z <= x.z
            && x.z <= self.high.z
    }

    #[inline(always)]
    fn overlaps(&self, o: &Self) -> bool {
        self.low.x <= o.high.x
            && o.low.x <= self.high.x
            && self.low.y <= o.high.y
            && o.low.y <= self.high.y
            && self.low.z <= o.high.z
            && o.low.z <= self.high.z
    }

    fn extent(&self) -> R {
        let size = self.high - self.low;
        size.x.max(size.y).max(size.z)
    }
}

/// Boxes sorted by cells.
#[derive(Clone, Debug)]
pub(super) struct Grid<R> {
    pub boxes: Vec<Placed<R>>,
    /// Size of cells of level 0, m.
    base: R,
    /// One over the size of cells, by level.
    per_metre: [R; LEVELS],
    /// Which levels have boxes, a bit each.
    levels: u32,
    /// Where the boxes of each hash begin.
    begin: Vec<u32>,
    /// box · 8 + which of its eight cells.
    item: Vec<u32>,
}

/// The hash of a cell. Neighbours along x are neighbours in memory.
#[inline(always)]
fn hash(cell: [i32; 3], level: u32, mask: u32) -> usize {
    let [x, y, z] = cell.map(|c| c as u32);
    let sum = x
        .wrapping_add(y.wrapping_mul(0x9E37_79B1))
        .wrapping_add(z.wrapping_mul(0x85EB_CA77))
        .wrapping_add(level.wrapping_mul(0xC2B2_AE3D));
    (sum & mask) as usize
}

#[inline(always)]
fn cell_of<R: Real>(x: Vec3<R>, per_metre: R) -> [i32; 3] {
    // Saturates far outside: there, cells are shared by too many, which costs time and nothing else.
    let index = |c: R| {
        let c = (c * per_metre).f64();
        let towards_zero = c as i32;
        towards_zero.saturating_sub(i32::from(c < f64::from(towards_zero)))
    };
    [index(x.x), index(x.y), index(x.z)]
}

#[inline(always)]
fn moved(cell: [i32; 3], corner: u32) -> [i32; 3] {
    std::array::from_fn(|k| cell[k].wrapping_add((corner >> k & 1) as i32))
}

impl<R: Real> Grid<R> {
    /// For `boxes` boxes.
    pub fn new(boxes: usize) -> Self {
        let table = (2 * boxes).next_power_of_two().max(2);
        Self {
            boxes: vec![Placed::default(); boxes],
            base: R::ONE,
            per_metre: [R::ONE; LEVELS],
            levels: 0,
            begin: vec![0; table + 1],
            item: vec![0; 8 * boxes],
        }
    }

    fn mask(&self) -> u32 {
        self.begin.len() as u32 - 2
    }

    /// Makes boxes by `place` and sorts them; cells of the finest level are `base` m large.
    pub fn build(&mut self, base: R, place: impl Fn(usize) -> Placed<R> + Sync + Send) {
        self.base = base.max(R::TINY.sqrt());
        let mut size = self.base;
        for per_metre in &mut self.per_metre {
            *per_metre = R::ONE / size;
            size += size;
        }
        let (base, per_metre) = (self.base, &self.per_metre);
        self.boxes.par_chunks_mut(CHUNK).enumerate().for_each(|(k, chunk)| {
            for (i, out) in (k * CHUNK..).zip(chunk) {
                *out = settle(place(i), base, per_metre);
            }
        });
        self.sort();
    }

    /// Counting sort: how many per hash, where each begins, who is there.
    fn sort(&mut self) {
        let mask = self.mask();
        let (boxes, begin, item) = (&self.boxes, &mut self.begin, &mut self.item);
        begin.fill(0);
        self.levels = 0;
        for placed in boxes {
            self.levels |= 1u32.checked_shl(placed.level).unwrap_or(0);
            for_cells(placed, |cell, _| begin[hash(cell, placed.level, mask)] += 1);
        }
        let mut sum = 0;
        for begin in begin.iter_mut() {
            sum += *begin;
            *begin = sum;
        }
        // Filled from behind, so that boxes stay in their order and what was an end is a begin.
        for (i, placed) in boxes.iter().enumerate().rev() {
            for_cells(placed, |cell, corner| {
                let begin = &mut begin[hash(cell, placed.level, mask)];
                *begin -= 1;
                item[*begin as usize] = (i as u32) << 3 | corner;
            });
        }
    }

    #[inline(always)]
    fn bucket(&self, cell: [i32; 3], level: u32) -> &[u32] {
        let k = hash(cell, level, self.mask());
        &self.item[self.begin[k] as usize..self.begin[k + 1] as usize]
    }

    /// Calls `visit` once for each box around `x`.
    #[inline]
    pub fn at(&self, x: Vec3<R>, mut visit: impl FnMut(u32, &Placed<R>)) {
        let mut levels = self.levels;
        while levels != 0 {
            let level = levels.trailing_zeros();
            levels &= levels - 1;
            let cell = cell_of(x, self.per_metre[level as usize]);
            for &item in self.bucket(cell, level) {
                let placed = &self.boxes[(item >> 3) as usize];
                if placed.holds(x) && placed.level == level && moved(placed.cell, item & 7) == cell {
                    visit(item >> 3, placed);
                }
            }
        }
    }

    /// Calls `visit` once for each box that overlaps box number `own`, of coarser levels, or of its own and after it.
    ///
    /// So every pair is seen from one side, and a box never has to look into many small cells. Of the cells two boxes have in
    /// common the first one counts.
    #[inline]
    pub fn overlapping(&self, own: u32, mut visit: impl FnMut(u32, &Placed<R>)) {
        let mine = &self.boxes[own as usize];
        let mut levels = self.levels & u32::MAX.checked_shl(mine.level).unwrap_or(0);
        while levels != 0 {
            let level = levels.trailing_zeros();
            levels &= levels - 1;
            let per_metre = self.per_metre[level as usize];
            let (low, high) = (cell_of(mine.low, per_metre), cell_of(mine.high, per_metre));
            for corner in corners(wide(low, high)) {
                let cell = moved(low, corner);
                for &item in self.bucket(cell, level) {
                    let other = item >> 3;
                    let placed = &self.boxes[other as usize];
                    if placed.overlaps(mine)
                        && (placed.level == level && (level > mine.level || other > own))
                        && (moved(placed.cell, item & 7) == cell
                            && (0..3).all(|k| cell[k] == low[k].max(placed.cell[k])))
                    {
                        visit(other, placed);
                    }
                }
            }
        }
    }
}

/// Puts a box into the finest cells that are as large.
#[inline]
fn settle<R: Real>(mut placed: Placed<R>, base: R, per_metre: &[R; LEVELS]) -> Placed<R> {
    let extent = placed.extent();
    if placed.level == NOWHERE || !extent.is_finite() {
        placed.level = NOWHERE;
        return placed;
    }
    let mut size = base;
    for (level, &per_metre) in (0..).zip(per_metre) {
        if size >= extent {
            let (low, high) = (cell_of(placed.low, per_metre), cell_of(placed.high, per_metre));
            // By rounding a box as large as a cell may reach into a third one.
            if (0..3).all(|k| high[k].saturating_sub(low[k]) < 2) {
                (placed.level, placed.cell, placed.wide) = (level, low, wide(low, high));
                return placed;
            }
        }
        size += size;
    }
    placed.level = NOWHERE;
    placed
}

#[inline(always)]
fn wide(low: [i32; 3], high: [i32; 3]) -> u32 {
    (0..3).fold(0, |bits, k| bits | u32::from(high[k] > low[k]) << k)
}

/// Which of eight cells a box touches.
#[inline(always)]
fn corners(wide: u32) -> impl Iterator<Item = u32> {
    (0..8u32).filter(move |corner| corner & !wide == 0)
}

#[inline(always)]
fn for_cells<R: Real>(placed: &Placed<R>, mut f: impl FnMut([i32; 3], u32)) {
    if placed.level != NOWHERE {
        corners(placed.wide).for_each(|corner| f(moved(placed.cell, corner), corner));
    }
}
