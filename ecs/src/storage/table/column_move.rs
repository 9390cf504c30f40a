//! Describes what happens to the value of one column when a row moves to another table.
//!
//! Tests: tests/hazards/rows.rs, tests/hazards/destructors.rs

use crate::storage::column::SMALL;

/// Describes what happens to the value of one column when a row moves to another table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColumnMove {
    pub(crate) from: u32,
    /// The column of the same component in the other table. If the entity loses the value: [`OVERWRITTEN`](Self::OVERWRITTEN) or
    /// [`PAST_END`](Self::PAST_END).
    pub(crate) to: u32,
    /// The size of one value.
    pub(super) size: u32,
    /// Whether the entity loses the value and the value has to be dropped.
    pub(crate) needs_drop: bool,
}

impl ColumnMove {
    /// The value is lost, and overwritten by the value of the last row.
    pub(crate) const OVERWRITTEN: u32 = u32::MAX;
    /// The value is lost, and moved to the row past the end.
    pub(crate) const PAST_END: u32 = u32::MAX - 1;

    /// Returns a move by which the entity keeps the value.
    pub(crate) fn kept(from: u32, to: u32, size: usize) -> Self {
        Self { from, to, size: size_of_value(size), needs_drop: false }
    }

    /// Returns a move by which the entity loses the value.
    pub(crate) fn left(from: u32, size: usize, needs_drop: bool) -> Self {
        let to = if needs_drop { Self::PAST_END } else { Self::OVERWRITTEN };
        Self { from, to, size: size_of_value(size), needs_drop }
    }

    /// Returns the size of one value.
    #[inline(always)]
    pub(crate) fn size(&self) -> usize {
        self.size as usize
    }

    /// Returns whether the entity keeps the value.
    #[inline(always)]
    pub(crate) fn is_kept(&self) -> bool {
        self.to < Self::PAST_END
    }

    /// Returns whether the value is small, and is either kept or overwritten.
    pub(crate) fn is_common(&self) -> bool {
        !self.is_large() && self.to != Self::PAST_END
    }

    /// Returns whether the value is larger than [`SMALL`].
    pub(crate) fn is_large(&self) -> bool {
        self.size() > SMALL
    }

    /// Returns this move with another destination for a lost value: past the end if `is_needed` is true or the value has to be dropped,
    /// otherwise overwritten.
    pub(crate) fn keep_value(&self, is_needed: bool) -> Self {
        let to = match self.is_kept() {
            true => self.to,
            false if is_needed || self.needs_drop => Self::PAST_END,
            false => Self::OVERWRITTEN,
        };
        Self { to, ..*self }
    }
}

/// Converts the size of a value to the type that is stored in a move.
///
/// # Panics
///
/// If the size is 4 GiB or more.
fn size_of_value(size: usize) -> u32 {
    u32::try_from(size).expect("a component is smaller than 4 GiB")
}
