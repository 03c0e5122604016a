//! Random numbers that are a function of seed, round and vertex: no state, so any thread, or a shader, can draw the
//! number of any vertex. 32-bit arithmetic only, because that is what WGSL has.

/// The numbers of one round.
#[derive(Clone, Copy, Debug)]
pub(super) struct Draw {
    key: u32,
}

impl Draw {
    pub(super) fn new(seed: u32, round: u32) -> Self {
        // The constant because `mix` leaves 0 as it is.
        Self { key: mix(mix(seed ^ 0x9e37_79b9).wrapping_add(round)) }
    }

    /// 32 random bits. No two vertices draw the same number in a round, so it orders them without ties.
    pub(super) fn of(self, vertex: u32) -> u32 {
        mix(vertex ^ self.key)
    }
}

/// Wellons 2018, "Prospecting for hash functions" (lowbias32): one-to-one, and every bit of the argument changes every
/// bit of the result with a probability near one half.
fn mix(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_fixed_for_ever() {
        // A shader has to give the same: these must never change.
        let drawn = [(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0), (7, 3, 123_456)];
        let drawn = drawn.map(|(seed, round, vertex)| Draw::new(seed, round).of(vertex));
        assert_eq!(drawn, [0x944f_b554, 0xb2fc_f063, 0xc67c_684d, 0xb98a_617e, 0x43d7_363f]);
    }

    #[test]
    fn a_round_orders_vertices_without_ties_and_every_bit_is_fair() {
        let n = 1 << 16;
        let mut numbers: Vec<u32> = (0..n).map(|v| Draw::new(42, 5).of(v)).collect();
        for bit in 0..32 {
            let ones = numbers.iter().filter(|x| *x >> bit & 1 == 1).count() as f64;
            assert!((ones / f64::from(n) - 0.5).abs() < 0.01, "bit {bit}: {ones}");
        }
        numbers.sort_unstable();
        assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn rounds_and_seeds_draw_unrelated_numbers() {
        let agree = |a: Draw, b: Draw| (0..1000).filter(|&v| a.of(v) >> 28 == b.of(v) >> 28).count();
        for (a, b) in [((0, 0), (0, 1)), ((0, 0), (1, 0)), ((3, 4), (4, 3))] {
            let same = agree(Draw::new(a.0, a.1), Draw::new(b.0, b.1));
            assert!((30..100).contains(&same), "{a:?} and {b:?}: {same} of 1000 agree, 62 expected");
        }
    }
}
