//! A fast hash function for large data, with the same results in each process.
//!
//! The words of the data are distributed to eight lanes in turn. A step of a lane is a bijection of the state for each word, and a
//! bijection of the word for each state. So data that differ in one word always differ in one lane. The order and the positions of words
//! affect the hash.

use core::hash::Hasher;

const LANES: usize = 8;
const WORD: usize = size_of::<u64>();
/// An odd number whose bits look random: 2^64 divided by the golden ratio.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// The state of the hash.
pub(crate) struct StateHasher {
    lanes: [u64; LANES],
}

impl Default for StateHasher {
    fn default() -> Self {
        Self { lanes: core::array::from_fn(|lane| (lane as u64 + 1).wrapping_mul(FACTOR)) }
    }
}

#[inline]
fn step(lane: u64, word: u64) -> u64 {
    let mixed = (lane ^ word).wrapping_mul(FACTOR);
    mixed ^ (mixed >> 32)
}

impl StateHasher {
    /// Adds a word.
    #[inline]
    pub(crate) fn word(&mut self, word: u64) {
        self.lanes[0] = step(self.lanes[0], word);
    }

    /// Adds words, and then their number.
    pub(crate) fn words(&mut self, mut words: impl ExactSizeIterator<Item = u64>) {
        self.word(words.len() as u64);
        let mut lanes = self.lanes;
        for _ in 0..words.len() / LANES {
            lanes.iter_mut().zip(&mut words).for_each(|(lane, word)| *lane = step(*lane, word));
        }
        lanes.iter_mut().zip(words).for_each(|(lane, word)| *lane = step(*lane, word));
        self.lanes = lanes;
    }
}

impl Hasher for StateHasher {
    fn finish(&self) -> u64 {
        let all = self.lanes.iter().fold(0, |all, lane| step(all, *lane));
        step(all ^ (all >> 29), FACTOR)
    }

    fn write(&mut self, bytes: &[u8]) {
        self.word(bytes.len() as u64);
        let (blocks, rest) = bytes.as_chunks::<{ LANES * WORD }>();
        let mut lanes = self.lanes;
        for block in blocks {
            let (words, _) = block.as_chunks::<WORD>();
            for (lane, word) in lanes.iter_mut().zip(words) {
                *lane = step(*lane, u64::from_le_bytes(*word));
            }
        }
        let (words, rest) = rest.as_chunks::<WORD>();
        for (lane, word) in lanes.iter_mut().zip(words) {
            *lane = step(*lane, u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            let mut last = [0; WORD];
            last[..rest.len()].copy_from_slice(rest);
            lanes[LANES - 1] = step(lanes[LANES - 1], u64::from_le_bytes(last));
        }
        self.lanes = lanes;
    }

    fn write_u8(&mut self, number: u8) {
        self.word(number.into());
    }

    fn write_u16(&mut self, number: u16) {
        self.word(number.into());
    }

    fn write_u32(&mut self, number: u32) {
        self.word(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.word(number);
    }

    fn write_usize(&mut self, number: usize) {
        self.word(number as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::StateHasher;
    use alloc::vec;
    use alloc::vec::Vec;
    use core::hash::Hasher as _;

    fn hash(parts: &[&[u8]]) -> u64 {
        let mut hasher = StateHasher::default();
        parts.iter().for_each(|part| hasher.write(part));
        hasher.finish()
    }

    #[test]
    fn each_bit_place_and_length_counts() {
        let mut seen: Vec<u64> = Vec::new();
        for len in [0, 1, 7, 8, 63, 64, 65, 200] {
            let mut bytes = vec![0; len];
            seen.push(hash(&[&bytes]));
            for at in 0..len * 8 {
                bytes[at / 8] ^= 1 << (at % 8);
                seen.push(hash(&[&bytes]));
                bytes[at / 8] ^= 1 << (at % 8);
            }
        }
        let count = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), count);
    }

    #[test]
    fn order_counts() {
        let [one, two] = [[1_u8; 64], [2; 64]];
        assert_ne!(hash(&[&one, &two]), hash(&[&two, &one]));
        assert_ne!(hash(&[&one[..8], &two[..8]]), hash(&[&two[..8], &one[..8]]));
        assert_ne!(hash(&[&one[..8], &[]]), hash(&[&[], &one[..8]]));
    }

    #[test]
    fn it_is_the_same_in_each_version() {
        // Hashes may be compared between processes, so a change of the value is a breaking change.
        assert_eq!(hash(&[b"strata", &[7; 100]]), EXPECTED);
    }

    const EXPECTED: u64 = 13_018_517_389_153_852_723;
}
