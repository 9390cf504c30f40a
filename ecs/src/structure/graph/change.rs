//! The numbers of changes and of plans.
//!
//! Tests: tests/storage/runs.rs, tests/commands/groups/tables.rs

use super::plan::ChangeStep;

/// A change of an entity's components as one number: the kind of the operation and its bundle, or a sequence of such steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ChangeKey(pub(super) u32);

/// The position of the kind in the bits of a change. The lower bits are the number.
pub(super) const KIND: u32 = 29;
/// The kind of sequences. The number of a sequence is the number of its node.
pub(super) const SEQUENCE: u32 = 6;
/// The kind of long sequences. The graph keeps only one of them at a time.
pub(super) const LONG: u32 = 7;

impl ChangeKey {
    /// The bits of the number of a bundle or a sequence.
    pub(super) const NUMBER: u64 = (1 << KIND) - 1;

    /// Returns the change that consists of this step.
    #[inline]
    pub(crate) const fn of(step: ChangeStep) -> Self {
        let (kind, number) = match step {
            ChangeStep::Insert(number) => (0, number),
            ChangeStep::InsertIfNew(number) => (1, number),
            ChangeStep::Remove(number) => (2, number),
            ChangeStep::Take(number) => (3, number),
            ChangeStep::Retain(number) => (4, number),
            ChangeStep::InsertExactly(number) => (5, number),
        };
        debug_assert!(number < 1 << KIND);
        Self(kind << KIND | number)
    }

    /// Returns the kind of the change, without the bundle.
    #[inline]
    pub(super) fn kind(self) -> u64 {
        u64::from(self.0 >> KIND)
    }

    /// Returns the change as a number.
    #[inline]
    pub(super) fn bits(self) -> u32 {
        self.0
    }

    /// Returns the change with this number.
    pub(super) fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    pub(super) fn number(self) -> u32 {
        self.0 & ((1 << KIND) - 1)
    }

    pub(super) fn is_sequence(self) -> bool {
        self.0 >> KIND == SEQUENCE
    }

    pub(super) fn is_long(self) -> bool {
        self.0 >> KIND == LONG
    }

    pub(super) fn step(self) -> ChangeStep {
        let number = self.number();
        match self.0 >> KIND {
            0 => ChangeStep::Insert(number),
            1 => ChangeStep::InsertIfNew(number),
            2 => ChangeStep::Remove(number),
            3 => ChangeStep::Take(number),
            4 => ChangeStep::Retain(number),
            _ => ChangeStep::InsertExactly(number),
        }
    }
}

/// Identifies a plan of one graph, until plans are removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PlanId {
    pub(super) at: u32,
    pub(super) epoch: u32,
}
