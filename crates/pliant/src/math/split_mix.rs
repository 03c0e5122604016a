/// splitmix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators"), from its seed: the same
/// numbers in every version and on every machine. Not for secrets.
#[derive(Clone, Copy, Debug)]
pub struct SplitMix(pub u64);

impl SplitMix {
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [−1, 1).
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// Uniform in the cube [−1, 1)³.
    pub fn point(&mut self) -> [f64; 3] {
        std::array::from_fn(|_| self.signed())
    }

    /// A whole number below `n`, almost uniform for small `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n.max(1) as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_published_generator() {
        let mut random = SplitMix(1_234_567);
        assert_eq!(
            [(); 3].map(|()| random.bits()),
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn numbers_fill_their_ranges_and_no_more() {
        let mut random = SplitMix(3);
        let units: Vec<f64> = (0..1000).map(|_| random.unit()).collect();
        assert!(units.iter().all(|u| (0.0..1.0).contains(u)) && units.iter().any(|u| *u < 0.01));
        let signed: Vec<f64> = (0..1000).map(|_| random.signed()).collect();
        assert!(signed.iter().all(|s| (-1.0..1.0).contains(s)) && signed.iter().any(|s| *s < -0.98));
        assert!((0..1000).all(|_| random.below(7) < 7) && random.below(0) == 0);
    }
}
