//! The numbers of changes and of plans.

use super::plan::ChangeStep;

/// A change of an entity's components, in one number: what is done with which bundle, or which sequence of such steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Change(pub(super) u32);

/// Where the kind of a change begins; below it are the numbers.
pub(super) const KIND: u32 = 29;
/// The kind of sequences. The number of a sequence is the number of its node.
pub(super) const SEQUENCE: u32 = 6;
/// The kind of sequences that are too long to be remembered beside each other.
pub(super) const LONG: u32 = 7;

impl Change {
    /// The bits of the number of a bundle or a sequence.
    pub(super) const NUMBER: u64 = (1 << KIND) - 1;

    /// A change of one step.
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

    /// What is done, without the bundle.
    #[inline]
    pub(super) fn kind(self) -> u64 {
        u64::from(self.0 >> KIND)
    }

    /// The change as one number.
    #[inline]
    pub(super) fn bits(self) -> u32 {
        self.0
    }

    /// The change with this number.
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

/// Which plan this is, among those of one graph, until some are forgotten.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PlanId {
    pub(super) at: u32,
    pub(super) epoch: u32,
}
