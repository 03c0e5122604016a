//! What kernels count while they colour, and how the host reads it: a chunk of rounds is recorded at once, then one read
//! says how many of them had anything to do.

use crate::error::GpuError;

/// Rounds that can be recorded before the counters are read.
pub(super) const ROUNDS: usize = 64;

const HIGHEST: usize = 1;
const COLOURS: usize = 2;
const WRONG: usize = 3;
const CHANGED: usize = 4;
const FILLED: usize = 5;
const LEFT: usize = 8;
const CANDIDATES: usize = LEFT + ROUNDS + 1;
const CURRENT: usize = CANDIDATES + ROUNDS + 1;

/// Number of counters.
pub(super) const COUNTERS: usize = CURRENT + ROUNDS + 1;

/// The counters of `kernels/colour.wgsl`, as the host sees them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counters(pub(super) [u32; COUNTERS]);

impl Counters {
    /// Before the first round, with so many vertices to colour.
    pub(super) fn new(left: u32) -> Self {
        let mut all = [0; COUNTERS];
        all[LEFT] = left;
        all[CANDIDATES] = left;
        Self(all)
    }

    /// Vertices without a colour before round `at` of the chunk.
    pub(super) fn left(&self, at: usize) -> u32 {
        self.0[LEFT + at]
    }

    /// Colours that the rounds of Vivace used, gaps included.
    pub(super) fn highest(&self) -> usize {
        self.0[HIGHEST] as usize
    }

    /// Colours in the end.
    pub(super) fn colours(&self) -> usize {
        self.0[COLOURS] as usize
    }

    /// Touched vertices that needed another colour.
    pub(super) fn wrong(&self) -> usize {
        self.0[WRONG] as usize
    }

    /// Those that got another one.
    pub(super) fn changed(&self) -> usize {
        self.0[CHANGED] as usize
    }

    /// Whether every colour has vertices.
    pub(super) fn is_complete(&self) -> bool {
        self.0[FILLED] == self.0[COLOURS]
    }

    /// How many of the rounds of a chunk had anything to do.
    pub(super) fn rounds(&self, chunk: usize) -> usize {
        (0..chunk).filter(|&at| self.left(at) > 0).count()
    }

    /// Before the next chunk, if vertices are left after this one.
    pub(super) fn after(&self, chunk: usize) -> Result<Self, GpuError> {
        // The vertex with the largest number of all that are left wins whatever it takes part in.
        if self.left(chunk) >= self.left(0) {
            let message = format!("{chunk} rounds coloured nothing");
            return Err(GpuError::Invalid { what: "colouring".to_string(), message });
        }
        let mut next = Self::new(self.left(chunk));
        next.0[..=HIGHEST].copy_from_slice(&self.0[..=HIGHEST]);
        next.0[WRONG] = self.0[WRONG];
        next.0[CANDIDATES] = self.0[CANDIDATES + chunk];
        next.0[CURRENT] = self.0[CURRENT + chunk];
        Ok(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_colours_nothing_is_found_out() {
        let mut counters = Counters::new(10);
        counters.0[LEFT + 1..=LEFT + 4].copy_from_slice(&[7, 5, 4, 4]);
        assert_eq!(counters.after(4).map(|next| next.left(0)), Ok(4));
        counters.0[LEFT + 4] = 10;
        assert!(counters.after(4).unwrap_err().to_string().contains("4 rounds coloured nothing"));
    }
}
