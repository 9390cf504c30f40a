//! The types of a delta and of its positions.
//!
//! Tests: tests/snapshots/deltas.rs

use strata_ecs::snapshot::JournalPosition;

use crate::bytes::Reader;
use crate::error::Problem;

/// The first bytes of a delta. The checksum has the same offset as in a saved world.
pub(super) const MAGIC: [u8; 8] = *b"\x93DELTAS\n";
/// The version of the layout.
pub(super) const VERSION: u32 = 1;

/// The changes of a world between two positions in its journal: see [`WorldFormat::delta_since`](crate::WorldFormat::delta_since).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Delta {
    /// The bytes to send to replicas.
    pub bytes: Vec<u8>,
    /// The journal position up to which this delta contains the changes. The next delta for a replica that has applied this one starts
    /// there.
    pub position: JournalPosition,
    /// Whether the delta contains the whole world, not changes.
    pub is_full: bool,
    /// The number of new entities.
    pub made: usize,
    /// The number of existing entities whose components or pairs may have changed.
    pub changed: usize,
    /// The number of despawned entities.
    pub ended: usize,
    /// The number of values of components.
    pub values: usize,
    /// The number of pairs. If a pair of a source has changed, all pairs of the source count.
    pub pairs: usize,
    /// The number of changed and removed resources.
    pub resources: usize,
}

/// The position of a replica in the journal of a world. If a replica starts with a [saved world](crate::WorldFormat::save), send the mark with it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DeltaMark(pub(super) [u64; 3]);

impl DeltaMark {
    pub(super) const BYTES: usize = 24;

    /// Converts the mark to bytes.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 24] {
        let mut bytes = [0; Self::BYTES];
        bytes.as_chunks_mut().0.iter_mut().zip(self.0).for_each(|(bytes, number)| *bytes = number.to_le_bytes());
        bytes
    }

    /// Creates the mark from bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 24]) -> Self {
        let (numbers, _) = bytes.as_chunks();
        Self(core::array::from_fn(|at| u64::from_le_bytes(numbers[at])))
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Problem> {
        Ok(Self([reader.u64()?, reader.u64()?, reader.u64()?]))
    }
}

impl From<JournalPosition> for DeltaMark {
    fn from(position: JournalPosition) -> Self {
        Self(position.numbers())
    }
}
