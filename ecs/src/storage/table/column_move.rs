//! The move of one column's value when a row moves to another table.
//!
//! Tests: tests/hazards/rows.rs, tests/hazards/destructors.rs

use crate::storage::column::SMALL;

/// The move of one column's value when a row moves to another table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColumnMove {
    pub(crate) from: u32,
    /// The column of the same component in the other table, [`OVERWRITTEN`](Self::OVERWRITTEN) or
    /// [`PAST_END`](Self::PAST_END).
    pub(crate) to: u32,
    /// The size of one value.
    pub(super) size: u32,
    /// Whether the entity loses the value and the value has to be dropped.
    pub(crate) needs_drop: bool,
}

impl ColumnMove {
    /// The value of the last row overwrites the value.
    pub(crate) const OVERWRITTEN: u32 = u32::MAX;
    /// The value goes to the row past the end.
    pub(crate) const PAST_END: u32 = u32::MAX - 1;

    /// The entity keeps the value.
    pub(crate) fn kept(from: u32, to: u32, size: usize) -> Self {
        Self { from, to, size: size_of_value(size), needs_drop: false }
    }

    /// The entity loses the value.
    pub(crate) fn left(from: u32, size: usize, needs_drop: bool) -> Self {
        let to = if needs_drop { Self::PAST_END } else { Self::OVERWRITTEN };
        Self { from, to, size: size_of_value(size), needs_drop }
    }

    /// The size of one value.
    #[inline(always)]
    pub(crate) fn size(&self) -> usize {
        self.size as usize
    }

    /// Whether the entity keeps the value.
    #[inline(always)]
    pub(crate) fn is_kept(&self) -> bool {
        self.to < Self::PAST_END
    }

    /// Whether the value is small, and kept or overwritten.
    pub(crate) fn is_common(&self) -> bool {
        !self.is_large() && self.to != Self::PAST_END
    }

    /// Whether the value is large.
    pub(crate) fn is_large(&self) -> bool {
        self.size() > SMALL
    }

    /// The same move, but a value that the entity loses goes past the end if it is needed after the move or has to be dropped.
    pub(crate) fn keep_value(&self, is_needed: bool) -> Self {
        let to = match self.is_kept() {
            true => self.to,
            false if is_needed || self.needs_drop => Self::PAST_END,
            false => Self::OVERWRITTEN,
        };
        Self { to, ..*self }
    }
}

/// The size of a value as stored in a move.
///
/// # Panics
///
/// If the size is 4 GiB or more.
fn size_of_value(size: usize) -> u32 {
    u32::try_from(size).expect("a component is smaller than 4 GiB")
}
