//! A compact map from `u32` to `u32`. A lookup usually takes one or two loads.
//!
//! The archetype graph uses the map to find edges. The map uses linear probing. Its number of cells is a power of two, and at most half of
//! the cells are used. Entries are never removed.

use alloc::boxed::Box;
use alloc::vec;

/// A key that marks an unused cell.
const UNUSED: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct MapCell {
    key: u32,
    value: u32,
}

/// Mixes the bits of a key. The lower bits of the result select the cell. Different keys have different results. The function is the
/// finalizer of MurmurHash3: each bit of the result depends on all bits of the key.
#[inline]
fn spread(key: u32) -> u32 {
    let key = (key ^ key >> 16).wrapping_mul(0x85EB_CA6B);
    let key = (key ^ key >> 13).wrapping_mul(0xC2B2_AE35);
    key ^ key >> 16
}

/// A compact map with `u32` keys.
pub(crate) struct IdMap {
    /// The cells. Their number is a power of two, and at least one cell is unused.
    cells: Box<[MapCell]>,
    /// The number of cells minus one.
    mask: u32,
    len: u32,
}

impl_default!([] IdMap => Self::with_cells(1));

impl IdMap {
    fn with_cells(count: usize) -> Self {
        assert!(count.is_power_of_two() && count <= 1 << 31);
        let cells = vec![MapCell { key: UNUSED, value: 0 }; count].into_boxed_slice();
        Self { cells, mask: count as u32 - 1, len: 0 }
    }

    /// Returns the index of the cell that is probed for a key after `step` steps.
    #[inline]
    fn cell(&self, key: u32, step: u32) -> usize {
        (spread(key).wrapping_add(step) & self.mask) as usize
    }

    /// Returns the value of a key; `None` if the key is not in the map.
    #[inline]
    pub(crate) fn get(&self, key: u32) -> Option<u32> {
        let mut step = 0;
        loop {
            let at = self.cell(key, step);
            debug_assert!(at < self.cells.len());
            // SAFETY: `at` is masked, so it is at most `mask`, which is the number of cells minus one.
            let entry = unsafe { self.cells.get_unchecked(at) };
            if entry.key == key {
                return Some(entry.value);
            }
            if entry.key == UNUSED {
                return None;
            }
            step += 1;
        }
    }

    /// Adds a key that is not in the map yet.
    pub(crate) fn insert(&mut self, key: u32, value: u32) {
        debug_assert!(key != UNUSED && self.get(key).is_none());
        if (self.len as usize + 1) * 2 > self.cells.len() {
            let mut larger = Self::with_cells(self.cells.len() * 2);
            self.iter().for_each(|(key, value)| larger.insert(key, value));
            *self = larger;
        }
        let mut step = 0;
        while self.cells[self.cell(key, step)].key != UNUSED {
            step += 1;
        }
        let at = self.cell(key, step);
        self.cells[at] = MapCell { key, value };
        self.len += 1;
    }

    /// Iterates over all keys with their values, in arbitrary order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        self.cells.iter().filter(|entry| entry.key != UNUSED).map(|entry| (entry.key, entry.value))
    }

    /// Returns the total number of steps that finding every key once takes.
    #[cfg(test)]
    pub(crate) fn steps(&self) -> u32 {
        let steps = |at: usize, key: u32| (at as u32).wrapping_sub(self.cell(key, 0) as u32) & self.mask;
        let used = self.cells.iter().enumerate().filter(|(_, entry)| entry.key != UNUSED);
        used.map(|(at, entry)| steps(at, entry.key)).sum()
    }

    /// Returns the bytes that the map has allocated.
    pub(crate) fn allocated_bytes(&self) -> usize {
        size_of_val(&*self.cells)
    }
}

#[cfg(test)]
mod tests {
    use super::IdMap;

    #[test]
    fn what_went_in_is_found_and_nothing_else() {
        let mut map = IdMap::default();
        for key in 0..1000u32 {
            assert_eq!(map.get(key * 3), None);
            map.insert(key * 3, key);
        }
        for key in 0..3000 {
            assert_eq!(map.get(key), (key % 3 == 0).then_some(key / 3));
        }
    }

    #[test]
    fn a_map_is_as_small_as_its_content() {
        let mut map = IdMap::default();
        for (key, value) in [(1_000_000, 7), (5, 8), (u32::MAX - 1, 9)] {
            map.insert(key, value);
        }
        assert_eq!(
            (map.get(1_000_000), map.get(5), map.get(u32::MAX - 1), map.get(6)),
            (Some(7), Some(8), Some(9), None)
        );
        assert!(map.allocated_bytes() <= 64);
    }

    #[test]
    fn mixed_keys_are_found_soon_whichever_of_their_bits_differ() {
        let patterns: [fn(u32) -> u32; 5] = [
            |at| at,
            |at| at << 12,
            |at| ((at % 7) << 29) | (at / 7),
            |at| ((at % 2) << 31) | (at << 6),
            |at| at * 64 + 5,
        ];
        for pattern in patterns {
            let mut map = IdMap::default();
            (0..20_000).for_each(|at| map.insert(pattern(at), at));
            // With half of the cells in use, half a step is expected for random keys.
            assert!(map.steps() < 20_000, "{} steps", map.steps());
            assert!((0..20_000).all(|at| map.get(pattern(at)) == Some(at)));
        }
    }
}
