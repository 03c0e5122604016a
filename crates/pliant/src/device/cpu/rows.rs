//! The hot loop: forces of springs and of constant Hessians on blocks of eight vertices (the local step of springs is
//! fused into the sweep, course Alg 1).
//!
//! Row i holds every neighbour j with a coefficient c and a pull s, so that the force's negative is
//! Σⱼ (c − s/‖xᵢ − xⱼ‖)(xᵢ − xⱼ): c = k + (bending's −K_ij) and s = k r for a spring, s = 0 for the rest. Both ends of a
//! spring compute it; that costs less than writing and gathering it. Rows are stored in blocks of [`LANES`], entry by
//! entry, springs first: each block is as wide as its widest row and padded with entries that do nothing.
//!
//! The arithmetic is plain `+ − × ÷ √`, never fused, so that all processors and vector widths give the same bits.

use crate::device::rows::RowEntry;
use crate::math::{LANES, Real, Wide};

/// One number per vertex of a block.
pub(super) type Lanes<R> = [R; LANES];

/// The vertices of a block; [`NO_VERTEX`] in lanes of the last one that are not used.
pub(super) type Block = [u32; LANES];

/// What an unused lane has for a vertex.
pub(super) const NO_VERTEX: u32 = u32::MAX;

/// Vertices in blocks, the last one filled up with [`NO_VERTEX`].
pub(super) fn blocks(vertices: &[u32]) -> impl Iterator<Item = Block> {
    vertices.chunks(LANES).map(|some| std::array::from_fn(|l| some.get(l).copied().unwrap_or(NO_VERTEX)))
}

/// Neighbours of vertices, in blocks.
pub(super) struct Rows<R> {
    /// Whose rows they are.
    pub blocks: Vec<Block>,
    /// Entries of block b: `start[b]..start[b + 1]`; the first `springs[b]` of them are springs.
    start: Vec<u32>,
    springs: Vec<u32>,
    neighbour: Vec<[u32; LANES]>,
    coefficient: Vec<Lanes<R>>,
    /// As long as the spring entries of all blocks; block b starts at `pull_start[b]`.
    pull: Vec<Lanes<R>>,
    pull_start: Vec<u32>,
    vertices: usize,
}

impl<R: Real> Rows<R> {
    /// From the rows of all vertices (none for held ones), for the vertices of `blocks`.
    pub fn new(lists: &[Vec<RowEntry>], blocks: Vec<Block>) -> Self {
        let mut rows = Self {
            start: vec![0],
            springs: Vec::with_capacity(blocks.len()),
            neighbour: Vec::new(),
            coefficient: Vec::new(),
            pull: Vec::new(),
            pull_start: vec![0],
            vertices: lists.len(),
            blocks: Vec::new(),
        };
        blocks.iter().for_each(|block| rows.push_block(lists, block));
        rows.blocks = blocks;
        rows
    }

    fn push_block(&mut self, lists: &[Vec<RowEntry>], block: &Block) {
        let is_spring = |entry: &&RowEntry| entry.pull != 0.0;
        let row = |i: u32| lists.get(i as usize).map_or(&[][..], |row| &row[..]);
        let split: [(Vec<RowEntry>, Vec<RowEntry>); LANES] =
            block.map(|i| row(i).iter().partition(|entry| is_spring(entry)));
        let springs = split.iter().map(|row| row.0.len()).max().unwrap_or(0);
        let others = split.iter().map(|row| row.1.len()).max().unwrap_or(0);
        for k in 0..springs + others {
            let entry = |lane: usize| -> RowEntry {
                // Not the vertex itself, whose distance of zero would look like a collapsed spring.
                let own = if block[lane] == NO_VERTEX { 0 } else { block[lane] as usize };
                let nothing = RowEntry { neighbour: ((own + 1) % self.vertices) as u32, coefficient: 0.0, pull: 0.0 };
                let (spring, other) = &split[lane];
                let found = if k < springs { spring.get(k) } else { other.get(k - springs) };
                found.copied().unwrap_or(nothing)
            };
            self.neighbour.push(std::array::from_fn(|lane| entry(lane).neighbour));
            self.coefficient.push(std::array::from_fn(|lane| R::of(entry(lane).coefficient)));
            if k < springs {
                self.pull.push(std::array::from_fn(|lane| R::of(entry(lane).pull)));
            }
        }
        self.springs.push(springs as u32);
        self.start.push(self.neighbour.len() as u32);
        self.pull_start.push(self.pull.len() as u32);
    }

    /// Bytes one sweep reads besides points, for the streaming floor of the benchmarks.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.neighbour[..]) + size_of_val(&self.coefficient[..]) + size_of_val(&self.pull[..])
    }

    /// Negative forces on the vertices of block `b`, which are at `xi`.
    #[inline(always)]
    pub fn block(&self, b: usize, x: &[[R; 4]], xi: [R::Wide; 3]) -> [R::Wide; 3] {
        debug_assert_eq!(x.len(), self.vertices);
        let (start, end) = (self.start[b] as usize, self.start[b + 1] as usize);
        let springs = self.springs[b] as usize;
        let pulls = &self.pull[self.pull_start[b] as usize..][..springs];
        let neighbours = &self.neighbour[start..end];
        let coefficients = &self.coefficient[start..end];
        let tiny = R::Wide::splat(R::TINY);
        let mut shortest = R::Wide::splat(R::ONE);
        let mut sum = [R::Wide::splat(R::ZERO); 3];
        for k in 0..springs {
            let d = difference(xi, &neighbours[k], x);
            let length_sq = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            shortest = shortest.smaller(length_sq);
            let length = length_sq.larger(tiny).sqrt();
            let factor = R::Wide::new(coefficients[k]) - R::Wide::new(pulls[k]) / length;
            sum = std::array::from_fn(|k| sum[k] + factor * d[k]);
        }
        if shortest.lanes().iter().any(|&length_sq| length_sq < R::TINY) {
            sum[0] = sum[0] - self.kick(b, x);
        }
        for k in springs..neighbours.len() {
            let d = difference(xi, &neighbours[k], x);
            let c = R::Wide::new(coefficients[k]);
            sum = std::array::from_fn(|k| sum[k] + c * d[k]);
        }
        sum
    }

    /// A spring of length zero has no direction: it pushes its ends apart along x, as [`crate::material::Spring`] does.
    #[cold]
    #[inline(never)]
    fn kick(&self, b: usize, x: &[[R; 4]]) -> R::Wide {
        let mut push = [R::ZERO; LANES];
        for k in 0..self.springs[b] as usize {
            let neighbours = &self.neighbour[self.start[b] as usize + k];
            for (l, &i) in self.blocks[b].iter().enumerate().filter(|(_, i)| **i != NO_VERTEX) {
                let (i, j) = (i as usize, neighbours[l] as usize);
                let d = crate::math::Vec3::load(x[i]) - crate::math::Vec3::load(x[j]);
                if d.length_sq() < R::TINY {
                    let pull = self.pull[self.pull_start[b] as usize + k][l];
                    push[l] += if i < j { pull } else { -pull };
                }
            }
        }
        R::Wide::new(push)
    }
}

/// xᵢ − xⱼ for one entry of a block.
#[inline(always)]
fn difference<R: Real>(xi: [R::Wide; 3], neighbour: &[u32; LANES], x: &[[R; 4]]) -> [R::Wide; 3] {
    let xj = R::Wide::gather(std::array::from_fn(|l| {
        let j = neighbour[l] as usize;
        debug_assert!(j < x.len());
        // SAFETY: neighbours are vertices of the model, and x has a point per vertex.
        unsafe { *x.get_unchecked(j) }
    }));
    std::array::from_fn(|k| xi[k] - xj[k])
}
