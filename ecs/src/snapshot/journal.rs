//! The journal of a world, from which the changes in a delta are collected.
//!
//! Tests: tests/snapshots/deltas.rs

use alloc::vec::Vec;

use super::columns::ColumnContents;
use super::contents::{PairsContents, ResourceContents, StorageContents, TableContents};
use super::options::SnapshotOptions;
use crate::component::{ComponentDescriptor, ComponentId};
use crate::entity::Entity;
use crate::storage::journal::JournaledChanges;
use crate::storage::tick::{ComponentTicks, RunTicks};
use crate::structure::store::{
    CopiedPairs, JournalError, StoreJournalPosition, begin_journal, copy_pairs_since, end_journal, is_busy,
    journal_moment, journal_since, relations_with_pairs, track_for_journal,
};
use crate::world::{World, keeps_systems};

/// A moment of a world with a [journal](World::start_journal). [`World::changes_since`] returns the changes since that moment.
///
/// It is valid only for the world that returned it. It becomes invalid when that world is restored to a snapshot.
#[derive(Clone, Copy, Debug)]
pub struct JournalPosition(StoreJournalPosition);

impl JournalPosition {
    /// Returns numbers that identify this position among all positions of the process: the world, the number of its
    /// restores, and the number of positions that it has returned. They do not depend on addresses or times.
    #[must_use]
    pub fn numbers(&self) -> [u64; 3] {
        [self.0.world.number(), self.0.restores, self.0.number]
    }
}

/// The changes of a world since a position: see [`World::changes_since`]. Or the whole contents of the world: see
/// [`World::all_as_changes`].
pub struct WorldChanges<'w> {
    world: &'w World,
    position: JournalPosition,
    /// The ticks after which a change is new; `None` if everything is new.
    since: Option<RunTicks>,
    journaled: JournaledChanges,
    pairs: Vec<CopiedPairs>,
}

impl World {
    /// Starts a journal. It records which entities are spawned, despawned, or change their components or pairs. The
    /// journal keeps the last `capacity` of these events. Memory for them, 16 bytes each, is allocated now. Consecutive
    /// changes of one entity are one event. The given components are tracked per value. For any other component, the
    /// journal only knows per table whether there may have been changes.
    ///
    /// If the world already has a journal, it is kept, and its capacity is changed. The given components are tracked in
    /// addition to those that are tracked already.
    ///
    /// A world without a journal has no costs. With a journal, each structural change writes an entry, and operations
    /// take a slow path that reports every change. A single spawn or insert takes about two to three times as long, and
    /// a single despawn about ten times. Changes of values in place cost as much as with a system that uses
    /// [`Changed`](crate::query::Changed).
    ///
    /// # Errors
    ///
    /// If the allocation of the memory for the events fails.
    ///
    /// # Panics
    ///
    /// If the allocation of the memory for the ticks fails, or if a component has the same stable name as another one.
    ///
    /// ```
    /// use strata_ecs::component::ComponentDescriptor;
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component, Debug, PartialEq)]
    /// struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let ids: Vec<Entity> = world.spawn_batch((0..3).map(Health)).collect();
    /// world.start_journal(1 << 10, &[ComponentDescriptor::of::<Health>()])?;
    /// let position = world.journal_position()?;
    ///
    /// world.despawn(ids[0]);
    /// world.get_mut::<Health>(ids[2]).unwrap().0 = 7;
    /// let new = world.spawn(Health(9)).id();
    /// let changes = world.changes_since(&position)?;
    /// assert_eq!((changes.made(), changes.changed(), changes.ended()), (&[new][..], &[][..], &[ids[0]][..]));
    /// for table in changes.tables() {
    ///     for column in table.columns() {
    ///         let rows = changes.changed_rows(table, column);
    ///         let changed: Vec<Entity> = rows.iter().map(|row| table.entities()[*row as usize]).collect();
    ///         assert_eq!(changed, [ids[2], new]);
    ///     }
    /// }
    /// # Ok::<(), strata_ecs::snapshot::JournalError>(())
    /// ```
    pub fn start_journal(
        &mut self,
        capacity: usize,
        tracked: &[&'static ComponentDescriptor],
    ) -> Result<(), JournalError> {
        if !begin_journal(&mut self.store, capacity) {
            return Err(JournalError::OutOfMemory);
        }
        for descriptor in tracked {
            match self.store.register_descriptor(descriptor) {
                Ok(id) => track_for_journal(&mut self.store, id),
                Err(error) => panic!("{error}"),
            }
        }
        Ok(())
    }

    /// Stops the journal. Afterwards its positions are [too late](JournalError::TooLate), even if another journal is
    /// started.
    pub fn stop_journal(&mut self) {
        end_journal(&mut self.store);
    }

    /// Returns the number of events that the [journal](Self::start_journal) keeps; `None` if there is no journal.
    #[must_use]
    pub fn journal_capacity(&self) -> Option<usize> {
        self.store.events.journal().map(|journal| journal.capacity)
    }

    /// Returns the current position in the [journal](Self::start_journal), and increments the change tick.
    ///
    /// # Errors
    ///
    /// If there is no journal, or if a system, schedule, hook or observer is running in the world.
    pub fn journal_position(&mut self) -> Result<JournalPosition, JournalError> {
        if is_busy(&mut self.store) || self.store.resources.lent_name().is_some() {
            return Err(JournalError::Busy);
        }
        journal_moment(&mut self.store).map(JournalPosition).ok_or(JournalError::Off)
    }

    /// Returns the changes since a position, and increments the change tick. `O(events since the position + tables +
    /// pairs)`. Values that changed in place are found only when they are [requested](WorldChanges::changed_rows).
    ///
    /// # Errors
    ///
    /// If the journal no longer covers the position, or if a system, schedule, hook or observer is running in the
    /// world.
    pub fn changes_since(&mut self, position: &JournalPosition) -> Result<WorldChanges<'_>, JournalError> {
        self.changes_since_with(position, &SnapshotOptions::new())
    }

    /// Returns the changes like [`World::changes_since`]. The options determine how values of relations are cloned: see
    /// [`SnapshotOptions::with_clone`].
    ///
    /// # Errors
    ///
    /// See [`World::changes_since`].
    pub fn changes_since_with(
        &mut self,
        position: &JournalPosition,
        options: &SnapshotOptions,
    ) -> Result<WorldChanges<'_>, JournalError> {
        let now = self.journal_position()?;
        let (journaled, since) = journal_since(&self.store, &position.0)?;
        Ok(self.changes(now, journaled, Some(since), options))
    }

    /// Returns the whole contents of the world, as if it had been empty before. A copy of the world begins with this.
    ///
    /// # Errors
    ///
    /// See [`journal_position`](Self::journal_position).
    pub fn all_as_changes(&mut self) -> Result<WorldChanges<'_>, JournalError> {
        self.all_as_changes_with(&SnapshotOptions::new())
    }

    /// Returns the whole contents like [`World::all_as_changes`]. The options determine how values of relations are
    /// cloned: see [`SnapshotOptions::with_clone`].
    ///
    /// # Errors
    ///
    /// See [`journal_position`](Self::journal_position).
    pub fn all_as_changes_with(&mut self, options: &SnapshotOptions) -> Result<WorldChanges<'_>, JournalError> {
        let now = self.journal_position()?;
        let made = self.store.structure.archetypes.tables.iter().flat_map(|table| table.entities()).copied().collect();
        Ok(self.changes(now, JournaledChanges { made, ..JournaledChanges::default() }, None, options))
    }

    fn changes(
        &mut self,
        position: JournalPosition,
        journaled: JournaledChanges,
        since: Option<RunTicks>,
        options: &SnapshotOptions,
    ) -> WorldChanges<'_> {
        let JournaledChanges { made, changed, .. } = &journaled;
        let pairs = copy_pairs_since(&mut self.store.relations, &[made, changed], since, &options.clones);
        WorldChanges { world: self, position, since, journaled, pairs }
    }
}

impl<'w> WorldChanges<'w> {
    /// Returns the world.
    #[must_use]
    pub fn world(&self) -> &'w World {
        self.world
    }

    /// Returns the position at which these changes end. The next changes start there.
    #[must_use]
    pub fn position(&self) -> JournalPosition {
        self.position
    }

    /// Returns whether these are the whole contents of the world.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.since.is_none()
    }

    /// Returns the new entities, in the order in which they were spawned.
    #[must_use]
    pub fn made(&self) -> &[Entity] {
        &self.journaled.made
    }

    /// Returns the entities that existed before and may have changed: they may have other components or pairs, or
    /// values that an insertion has replaced.
    #[must_use]
    pub fn changed(&self) -> &[Entity] {
        &self.journaled.changed
    }

    /// Returns the entities that existed before and were despawned or moved to another world.
    #[must_use]
    pub fn ended(&self) -> &[Entity] {
        &self.journaled.ended
    }

    /// Returns the components that an entity has now, table-stored components first.
    pub fn components_of(&self, entity: Entity) -> impl Iterator<Item = ComponentId> + use<'w> {
        let world = self.world;
        world.store.structure.components_of(entity)
    }

    /// Returns the tables of the world, with all of their rows.
    pub fn tables(&self) -> impl ExactSizeIterator<Item = TableContents<'w>> + use<'w> {
        TableContents::all_of(&self.world.store)
    }

    /// Returns the sparse components that entities have, with all of their values.
    pub fn storages(&self) -> impl Iterator<Item = StorageContents<'w>> + use<'w> {
        StorageContents::all_of(&self.world.store)
    }

    /// Returns the rows of a column whose values are new or changed, in ascending order, if the component is
    /// [tracked](World::start_journal). If the component is not tracked, returns all rows if some of them may have
    /// changed, and otherwise none.
    ///
    /// The cost is `O(changed rows + rows / 4096)` if at most an eighth of the rows have changed, and if the position
    /// was the last one that was taken or the one before it. A system that detects changes of the component counts as
    /// one that takes a position on each run. Otherwise the cost is `O(rows / 64)`, and `O(64)` for each block of 64
    /// rows that contains a change.
    #[must_use]
    pub fn changed_rows(&self, table: TableContents<'w>, column: ColumnContents<'w>) -> Vec<u32> {
        column.places_since(self.since, Some(table.stamp()))
    }

    /// Returns the positions of values of a sparse component that are new or changed, if the component is
    /// [tracked](World::start_journal). If it is not tracked, returns all positions if some values may have changed,
    /// and otherwise none.
    ///
    /// `O(values)` if values of a tracked component are new or changed.
    #[must_use]
    pub fn changed_places(&self, storage: StorageContents<'w>) -> Vec<u32> {
        storage.column().places_since(self.since, None)
    }

    /// Returns whether a value with these ticks is new or changed.
    #[must_use]
    pub fn is_new(&self, ticks: ComponentTicks) -> bool {
        self.since.is_none_or(|since| since.is_new(ticks.added) || since.is_new(ticks.changed))
    }

    /// Returns pairs of relations, together with the sources whose pairs have new values. The pairs are all pairs of
    /// these sources, and of the entities that are [new](Self::made) or [changed](Self::changed). Relations that are
    /// not known to be `Clone` are skipped.
    pub fn pairs(&self) -> impl Iterator<Item = (PairsContents<'_>, &[Entity])> {
        self.pairs.iter().map(|copied| (PairsContents::of_copy(&*copied.pairs), &copied.sources[..]))
    }

    /// Returns the descriptors of all relations that have pairs, whether or not these pairs have changed.
    pub fn relations(&self) -> impl Iterator<Item = &'static ComponentDescriptor> + use<'w> {
        relations_with_pairs(&self.world.store.relations)
    }

    /// Returns the existing resources, except non-send ones.
    pub fn resources(&self) -> impl Iterator<Item = ResourceContents<'w>> + use<'w> {
        let all = self.world.store.resources.living_values();
        all.filter(|(value, _)| !keeps_systems(value.descriptor()))
            .map(|(value, ticks)| ResourceContents::of_parts(value, ticks))
    }

    /// Returns the descriptors of the registered resources that do not exist now. They may have been removed.
    pub fn absent_resources(&self) -> impl Iterator<Item = &'static ComponentDescriptor> + use<'w> {
        self.world.store.resources.absent()
    }
}

impl_debug!([] WorldChanges<'_> => |this, f| {
    let JournaledChanges { made, changed, ended } = &this.journaled;
    let mut shown = f.debug_struct("WorldChanges");
    shown.field("made", made).field("changed", changed).field("ended", ended).finish_non_exhaustive()
});
