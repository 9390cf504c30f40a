//! Deltas: the changes of a world since a position in its journal, as bytes, and the replicas that they update.
//!
//! `write.rs` writes the changes of a world. `read.rs` documents the layout and validates the bytes. `apply.rs` applies the changes by
//! ordinary operations after all of them have been read.
//!
//! Tests: tests/snapshots/deltas.rs

mod parts;
mod error;
mod update;
mod fates;
mod read;
mod write;
mod known;
mod arriving;
mod apply;

use strata_ecs::component::ComponentDescriptor;
use strata_ecs::prelude::World;
use strata_ecs::snapshot::{JournalError, JournalPosition};

pub use self::apply::{Applied, Replica};
pub use self::error::{ApplyError, DeltaError};
pub use self::parts::{Delta, DeltaMark};
use crate::format::WorldFormat;

impl WorldFormat {
    /// Starts a [journal](World::start_journal) in a world for deltas in this format. The journal holds the last `capacity` events, and
    /// tracks the changes of the components that this format saves. Call this before the first position is taken.
    ///
    /// # Errors
    ///
    /// If there is no memory for the events.
    ///
    /// # Panics
    ///
    /// See [`World::start_journal`].
    pub fn start_journal(&self, world: &mut World, capacity: usize) -> Result<(), JournalError> {
        let saved = self.components.iter().map(|ty| ty.descriptor).filter(|descriptor| self.saves(descriptor));
        let saved: Vec<&'static ComponentDescriptor> = saved.collect();
        world.start_journal(capacity, &saved)
    }

    /// Returns the changes of a world since a position, as bytes that update a [`Replica`] at this position. The changes are spawned and
    /// despawned entities, added, removed and changed components and pairs, and resources. The world needs a
    /// [journal](Self::start_journal).
    ///
    /// Deltas contain the data of the world that [files](Self::save) contain, by the same rules. If the world has data that the format does
    /// not know, an error lists them before anything is written. Deltas contain neither the state of systems, nor messages outside of
    /// resources, nor the frame, nor ticks, nor the order of rows and pairs.
    ///
    /// - A value that was changed without a change tick (`bypass_change_detection`, or ticks that were set back) is not found.
    /// - If the list of sources of a target has changed, the whole list is sent, 8 bytes per source.
    /// - If a pair of a source has changed, all pairs of the source are sent.
    ///
    /// The delta takes 8 bytes for each row with changes, plus the changed values, plus the name of each type once. The time is
    /// proportional to the number of changes if no more than an eighth of the rows of a component have changed, and if the position was
    /// taken for the last delta or the one before it. Otherwise one tick for each 64 rows is also read, and 64 ticks for each 64 rows that
    /// contain a change. A system that detects changes of the component counts like a delta that is taken on each of its runs. In addition,
    /// one tick is read for each value of a changed sparse component, and one for each pair.
    ///
    /// # Errors
    ///
    /// If the journal no longer contains the changes: then a [full delta](Self::full_delta) updates the replica. Also for the reasons of
    /// [`save`](Self::save).
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

    /// Returns all saved data of a world, in the form of a delta. It is the first delta of a new replica, and the next delta of a replica
    /// whose position the journal no longer covers. Entities of the replica that no longer exist in this world are despawned there.
    ///
    /// A large world is faster to [save](Self::save) and load: see [`Replica::of_loaded`].
    ///
    /// # Errors
    ///
    /// See [`save`](Self::save); also if the world has no journal.
    pub fn full_delta(&self, world: &mut World) -> Result<Delta, DeltaError> {
        self.check_deltas()?;
        let format = self.for_world(world);
        let changes = world.all_as_changes_with(&self.options).map_err(DeltaError::Journal)?;
        write::write(&format, &changes, None)
    }

    /// Checks whether this format supports deltas.
    fn check_deltas(&self) -> Result<(), DeltaError> {
        if self.only.is_some() {
            return Err(DeltaError::OnlySomeEntities);
        }
        self.check_names().map_err(DeltaError::SameName)
    }
}
