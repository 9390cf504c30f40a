//! Limits on the size and depth of values, independent of the numbers in the bytes.
//!
//! Tests: tests/snapshots/limits.rs, tests/snapshots/hostile.rs

use std::cell::Cell;

use serde_core::de::value::Error;
use serde_core::ser::Error as _;

/// The maximum nesting depth of optional values, sequences, maps and enums.
const DEPTH: u32 = 128;

/// The number of elements without bytes that the sequences of all values may still contain.
#[derive(Debug)]
pub(crate) struct Budget(Cell<usize>);

impl Budget {
    /// Returns the budget for an input of this length: one element per byte, plus a constant number, which is harmless.
    pub(crate) fn of(bytes: usize) -> Self {
        Self(Cell::new(Self::len_of(bytes)))
    }

    pub(crate) fn len_of(bytes: usize) -> usize {
        bytes.saturating_add(1 << 16)
    }

    /// Subtracts one element. Returns false if the budget is used up.
    pub(crate) fn take(&self) -> bool {
        let left = self.0.get().checked_sub(1);
        self.0.set(left.unwrap_or(0));
        left.is_some()
    }
}

/// Returns the depth of the next level, or an error if that is too deep.
pub(super) fn deeper(depth: u32) -> Result<u32, Error> {
    match depth {
        DEPTH => Err(Error::custom(format_args!("more than {DEPTH} values are within each other"))),
        depth => Ok(depth + 1),
    }
}
