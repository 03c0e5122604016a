/// FNV-1a, 64 bits (Fowler, Noll, Vo): stable across versions and machines, unlike `std`'s hashers.
#[derive(Clone, Copy, Debug)]
pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    /// The hash of some bytes.
    pub fn of(bytes: impl IntoIterator<Item = u8>) -> u64 {
        let mut hash = Self::default();
        hash.add(bytes);
        hash.value()
    }

    /// Takes in more bytes.
    pub fn add(&mut self, bytes: impl IntoIterator<Item = u8>) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// The hash of all bytes so far.
    pub fn value(&self) -> u64 {
        self.0
    }
}

impl std::fmt::Write for Fnv {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.add(text.bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_hashes_are_right() {
        assert_eq!(Fnv::of([]), 0xcbf2_9ce4_8422_2325);
        assert_eq!(Fnv::of(*b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(Fnv::of(*b"foobar"), 0x8594_4171_f739_67e8);
    }
}
