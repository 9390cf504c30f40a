//! Limits of what a value may take, whatever the bytes say.
//!
//! Tests: tests/snapshots/limits.rs, tests/snapshots/hostile.rs

use std::cell::Cell;

use serde_core::de::value::Error;
use serde_core::ser::Error as _;

/// The maximum nesting depth of optional values, sequences, maps and enums.
const DEPTH: u32 = 128;

/// The remaining number of elements without bytes in the sequences of all values.
#[derive(Debug)]
pub(crate) struct Budget(Cell<usize>);

impl Budget {
    /// Returns the budget for an input of this length: one element per byte, and at least a number that is harmless.
    pub(crate) fn of(bytes: usize) -> Self {
        Self(Cell::new(Self::len_of(bytes)))
    }

    pub(crate) fn len_of(bytes: usize) -> usize {
        bytes.saturating_add(1 << 16)
    }

    /// Takes one element. False if the budget is used up.
    pub(crate) fn take(&self) -> bool {
        let left = self.0.get().checked_sub(1);
        self.0.set(left.unwrap_or(0));
        left.is_some()
    }
}

/// Returns the depth of the next level.
pub(super) fn deeper(depth: u32) -> Result<u32, Error> {
    match depth {
        DEPTH => Err(Error::custom(format_args!("more than {DEPTH} values are within each other"))),
        depth => Ok(depth + 1),
    }
}
