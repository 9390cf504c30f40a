//! A hash function with the same results in every process.
//!
//! Tests: tests/systems/labels.rs

use core::hash::Hasher;

/// The FNV-1a hash (<http://www.isthe.com/chongo/tech/comp/fnv/>) with a final mixing step.
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        // Users of the hash take the upper bits first, which the last bytes have hardly affected.
        (self.0 ^ (self.0 >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
