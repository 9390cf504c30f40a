//! Deltas: what has changed in a world since a position in its journal, as bytes, and replicas that these bring up to date.
//!
//! `write.rs` asks a world for its changes, `read.rs` says in which order the bytes are and believes nothing in them, and `apply.rs` does
//! what they say by ordinary operations, when all of them have been read.

mod apply;
mod error;
mod read;
mod write;

use strata_ecs::component::ComponentDescriptor;
use strata_ecs::prelude::World;
use strata_ecs::snapshot::{JournalError, JournalPosition};

pub use self::apply::{Applied, Replica};
pub use self::error::{ApplyError, DeltaError};
use crate::bytes::Reader;
use crate::error::Problem;
use crate::format::WorldFormat;

/// The first bytes of a delta. The checksum is at the same place as in a saved world.
const MAGIC: [u8; 8] = *b"\x93DELTAS\n";
/// The version of the order of the bytes.
const VERSION: u32 = 1;

/// What has changed in a world between two positions in its journal: see [`WorldFormat::delta_since`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Delta {
    /// What is sent to replicas.
    pub bytes: Vec<u8>,
    /// The position up to which these are the changes: that of the next delta for a replica to which this one is applied.
    pub position: JournalPosition,
    /// Whether it is all that the world holds, and not what has changed.
    pub is_full: bool,
    /// How many entities are new.
    pub made: usize,
    /// How many entities that were there before may have got other components or pairs.
    pub changed: usize,
    /// How many entities are no more.
    pub ended: usize,
    /// How many values of components there are.
    pub values: usize,
    /// How many pairs there are: all of sources with changed ones.
    pub pairs: usize,
    /// How many resources there are, or are no more.
    pub resources: usize,
}

/// Which position of which world a replica has come to. It goes with a [saved world](WorldFormat::save) to where a replica begins with that.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DeltaMark([u64; 3]);

impl DeltaMark {
    const BYTES: usize = 24;

    /// The mark as bytes.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 24] {
        let mut bytes = [0; Self::BYTES];
        bytes.as_chunks_mut().0.iter_mut().zip(self.0).for_each(|(bytes, number)| *bytes = number.to_le_bytes());
        bytes
    }

    /// The mark with these bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 24]) -> Self {
        let (numbers, _) = bytes.as_chunks();
        Self(core::array::from_fn(|at| u64::from_le_bytes(numbers[at])))
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Problem> {
        Ok(Self([reader.u64()?, reader.u64()?, reader.u64()?]))
    }
}

impl From<JournalPosition> for DeltaMark {
    fn from(position: JournalPosition) -> Self {
        Self(position.numbers())
    }
}

impl WorldFormat {
    /// Has a world keep a [journal](World::start_journal) for deltas in this format: of the last `capacity` events, with the changes of the
    /// components that are saved. To be called before the first position is taken.
    ///
    /// # Errors
    ///
    /// If there is no memory for so many events.
    ///
    /// # Panics
    ///
    /// As [`World::start_journal`].
    pub fn start_journal(&self, world: &mut World, capacity: usize) -> Result<(), JournalError> {
        let saved = self.components.iter().map(|ty| ty.descriptor).filter(|descriptor| self.saves(descriptor));
        let saved: Vec<&'static ComponentDescriptor> = saved.collect();
        world.start_journal(capacity, &saved)
    }

    /// What has changed in a world since a position, as bytes that bring a [`Replica`] up to date that has come to this position: entities
    /// that were made and have ended, components and pairs that came, went or got other values, and resources. The world needs a
    /// [journal](Self::start_journal).
    ///
    /// What is saved of the world is in deltas, by the rules of [files](Self::save), and what is not is named in an error beforehand. The
    /// state of systems, messages that wait in no resource, the frame, ticks, and the order of rows and of pairs are not in deltas.
    ///
    /// - A value that was changed without a trace (`bypass_change_detection`, or ticks that were set back) is not found.
    /// - A target whose list of sources has changed sends the whole list, 8 bytes a source.
    /// - Of a source with changed pairs all of its pairs are sent.
    ///
    /// The bytes have 8 for each row with changes, the values that have changed, and the names of their types once. It takes time in
    /// proportion to what has changed, if no more than an eighth of the rows of a component have, and if the position was taken for the last
    /// delta or the one before it; else beside a look at one tick for each 64 rows, and at 64 for each 64 among which something has changed. A
    /// system that asks for the changes of the component counts as one that takes a delta each time that it runs. Beside that it
    /// looks at one tick for each value of a changed sparse component, and at one for each pair.
    ///
    /// # Errors
    ///
    /// If it is not known what has changed: then a [full delta](Self::full_delta) brings the replica up to date. Or as [`save`](Self::save).
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// use strata_ecs::prelude::*;
    /// use strata_save::{Replica, WorldFormat, components};
    ///
    /// #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
    /// struct Health(u32);
    /// #[derive(Component, Clone, Serialize, Deserialize)]
    /// struct Hunts(Entity);
    ///
    /// let format = WorldFormat::new().with_components(components![Health, Hunts]);
    /// let mut world = World::new();
    /// let rabbit = world.spawn(Health(3)).id();
    /// format.start_journal(&mut world, 1 << 16)?;
    ///
    /// // A replica begins with all that there is, in a world that may have entities of its own.
    /// let mut there = World::new();
    /// there.spawn_batch((0..10).map(Health));
    /// let mut replica = Replica::new();
    /// let full = format.full_delta(&mut world)?;
    /// replica.apply(&format, &mut there, &full.bytes)?;
    ///
    /// // Then it gets what changes.
    /// world.get_mut::<Health>(rabbit).unwrap().0 = 2;
    /// let wolf = world.spawn((Health(9), Hunts(rabbit))).id();
    /// let delta = format.delta_since(&mut world, &full.position)?;
    /// assert_eq!((delta.made, delta.values), (1, 3));
    /// replica.apply(&format, &mut there, &delta.bytes)?;
    ///
    /// let [rabbit, wolf] = [rabbit, wolf].map(|id| replica.get(id).unwrap());
    /// assert_eq!(there.get(rabbit), Some(&Health(2)));
    /// assert_eq!(there.get::<Hunts>(wolf).unwrap().0, rabbit);
    /// // A delta is applied once, to what it follows on.
    /// assert!(replica.apply(&format, &mut there, &delta.bytes).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("diff", "patch", "replicate"))]
    pub fn delta_since(&self, world: &mut World, position: &JournalPosition) -> Result<Delta, DeltaError> {
        self.check_deltas()?;
        let format = self.for_world(world);
        let changes = world.changes_since_with(position, &self.options).map_err(DeltaError::Journal)?;
        write::write(&format, &changes, Some((*position).into()))
    }

    /// All that is saved of a world, in the same form: what a new replica begins with, and what one gets that is too late. Entities that the
    /// replica knows and that are no more end there.
    ///
    /// A large world is faster to [save](Self::save) and load: see [`Replica::of_loaded`].
    ///
    /// # Errors
    ///
    /// As [`save`](Self::save), or if the world has no journal.
    pub fn full_delta(&self, world: &mut World) -> Result<Delta, DeltaError> {
        self.check_deltas()?;
        let format = self.for_world(world);
        let changes = world.all_as_changes_with(&self.options).map_err(DeltaError::Journal)?;
        write::write(&format, &changes, None)
    }

    /// Whether there are deltas in this format.
    fn check_deltas(&self) -> Result<(), DeltaError> {
        if self.only.is_some() {
            return Err(DeltaError::OnlySomeEntities);
        }
        self.check_names().map_err(DeltaError::SameName)
    }
}
