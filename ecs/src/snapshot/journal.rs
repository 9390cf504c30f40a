//! What has changed in a world since a moment: what deltas are made of.

use alloc::vec::Vec;

use super::columns::ColumnContents;
use super::contents::{PairsContents, ResourceContents, StorageContents, TableContents};
use super::options::SnapshotOptions;
use crate::component::{ComponentDescriptor, ComponentId};
use crate::entity::Entity;
use crate::journal::Journaled;
use crate::store::{
    CopiedPairs, JournalError, Moment, begin_journal, copy_pairs_since, end_journal, is_busy, journal_moment,
    journal_since, relations_with_pairs, track_for_journal,
};
use crate::tick::{ComponentTicks, RunTicks};
use crate::world::{World, keeps_systems};

/// A moment of a world with a [journal](World::start_journal): [`World::changes_since`] says what has changed since.
///
/// It means something only to the world that it is of, until that is restored to a snapshot.
#[derive(Clone, Copy, Debug)]
pub struct JournalPosition(Moment);

impl JournalPosition {
    /// Numbers that tell this position from all others of the process, and that do not depend on addresses or times: the world, how
    /// often it had been restored, and how many positions it had given away.
    #[must_use]
    pub fn numbers(&self) -> [u64; 3] {
        [self.0.world.number(), self.0.restores, self.0.number]
    }
}

/// What has changed in a world since a moment: see [`World::changes_since`]. Or all that it holds: [`World::all_as_changes`].
pub struct WorldChanges<'w> {
    world: &'w World,
    position: JournalPosition,
    /// Ticks that are new; none if everything is.
    since: Option<RunTicks>,
    journaled: Journaled,
    pairs: Vec<CopiedPairs>,
}

impl World {
    /// Keeps a journal from now on of which entities are made, change their components or pairs, and end: of the last `capacity` such
    /// events, for which memory is allocated now, 16 bytes each. Several changes of one entity one behind the other are one event. The
    /// changes of some components are tracked for it; of others it is known of a table alone whether there may be some.
    ///
    /// A world that has a journal already keeps it, with this capacity, and with these components beside those of before.
    ///
    /// Without a journal nothing of this costs anything. With one each structural change writes its entry, and operations take the ways
    /// on which everything is told: a single spawn or insertion takes about two to three times as long, and a single despawn about ten
    /// times. Changes of values in place cost what they cost with a system that asks for [`Changed`](crate::query::Changed).
    ///
    /// # Errors
    ///
    /// If there is no memory for so many events.
    ///
    /// # Panics
    ///
    /// If there is no memory for the ticks, or if a component has the stable name of another one.
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

    /// Keeps no journal any more. Positions in it are [too late](JournalError::TooLate) then, also when another one is begun.
    pub fn stop_journal(&mut self) {
        end_journal(&mut self.store);
    }

    /// How many events the [journal](Self::start_journal) keeps; `None` if there is none.
    #[must_use]
    pub fn journal_capacity(&self) -> Option<usize> {
        self.store.events.journal().map(|journal| journal.capacity)
    }

    /// The present as a position in the [journal](Self::start_journal). The tick goes on.
    ///
    /// # Errors
    ///
    /// If there is no journal, or something is running in the world.
    pub fn journal_position(&mut self) -> Result<JournalPosition, JournalError> {
        if is_busy(&mut self.store) || self.store.resources.lent_name().is_some() {
            return Err(JournalError::Busy);
        }
        journal_moment(&mut self.store).map(JournalPosition).ok_or(JournalError::Off)
    }

    /// What has changed since a position, up to now; the tick goes on. `O(events since)`, `O(tables)`, and `O(pairs)`: what has changed
    /// in place is found when it is [asked for](WorldChanges::changed_rows).
    ///
    /// # Errors
    ///
    /// If it is not known, or if something is running in the world.
    pub fn changes_since(&mut self, position: &JournalPosition) -> Result<WorldChanges<'_>, JournalError> {
        self.changes_since_with(position, &SnapshotOptions::new())
    }

    /// As [`World::changes_since`]. The options say how values of relations are cloned: see [`SnapshotOptions::with_clone`].
    ///
    /// # Errors
    ///
    /// As [`World::changes_since`].
    pub fn changes_since_with(
        &mut self,
        position: &JournalPosition,
        options: &SnapshotOptions,
    ) -> Result<WorldChanges<'_>, JournalError> {
        let now = self.journal_position()?;
        let (journaled, since) = journal_since(&self.store, &position.0)?;
        Ok(self.changes(now, journaled, Some(since), options))
    }

    /// All that the world holds, as if there had been nothing before: what a copy begins with.
    ///
    /// # Errors
    ///
    /// As [`journal_position`](Self::journal_position).
    pub fn all_as_changes(&mut self) -> Result<WorldChanges<'_>, JournalError> {
        self.all_as_changes_with(&SnapshotOptions::new())
    }

    /// As [`World::all_as_changes`]. The options say how values of relations are cloned: see [`SnapshotOptions::with_clone`].
    ///
    /// # Errors
    ///
    /// As [`journal_position`](Self::journal_position).
    pub fn all_as_changes_with(&mut self, options: &SnapshotOptions) -> Result<WorldChanges<'_>, JournalError> {
        let now = self.journal_position()?;
        let made = self.store.structure.archetypes.tables.iter().flat_map(|table| table.entities()).copied().collect();
        Ok(self.changes(now, Journaled { made, ..Journaled::default() }, None, options))
    }

    fn changes(
        &mut self,
        position: JournalPosition,
        journaled: Journaled,
        since: Option<RunTicks>,
        options: &SnapshotOptions,
    ) -> WorldChanges<'_> {
        let Journaled { made, changed, .. } = &journaled;
        let pairs = copy_pairs_since(&mut self.store.relations, &[made, changed], since, &options.clones);
        WorldChanges { world: self, position, since, journaled, pairs }
    }
}

impl<'w> WorldChanges<'w> {
    /// The world.
    #[must_use]
    pub fn world(&self) -> &'w World {
        self.world
    }

    /// The moment up to which these are the changes.
    #[must_use]
    pub fn position(&self) -> JournalPosition {
        self.position
    }

    /// Whether this is all that the world holds.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.since.is_none()
    }

    /// The entities that are new, in the order in which they were made.
    #[must_use]
    pub fn made(&self) -> &[Entity] {
        &self.journaled.made
    }

    /// The entities that were there before and may have got other components or pairs, or values in the place of others by an insertion.
    #[must_use]
    pub fn changed(&self) -> &[Entity] {
        &self.journaled.changed
    }

    /// The entities that were there before and are no more, or are in another world.
    #[must_use]
    pub fn ended(&self) -> &[Entity] {
        &self.journaled.ended
    }

    /// The components that an entity has now, those in its table first.
    pub fn components_of(&self, entity: Entity) -> impl Iterator<Item = ComponentId> + use<'w> {
        let world = self.world;
        world.store.structure.components_of(entity)
    }

    /// The tables, with all of their rows.
    pub fn tables(&self) -> impl ExactSizeIterator<Item = TableContents<'w>> + use<'w> {
        TableContents::all_of(&self.world.store)
    }

    /// The sparse components that entities have, with all of their values.
    pub fn storages(&self) -> impl Iterator<Item = StorageContents<'w>> + use<'w> {
        StorageContents::all_of(&self.world.store)
    }

    /// The rows of a column of a table with values that are new or have changed, in ascending order, if the component is
    /// [tracked](World::start_journal). `O(rows that have changed)`, and `O(rows / 4096)`, if no more than an eighth of the rows have
    /// changed and the position was the last one or the one before it; a system that asks for the changes of the component counts as one that
    /// takes a position each time that it runs. Else `O(rows / 64)`, and `O(64)` for each 64 rows among which something has changed.
    ///
    /// All rows, or none, if the component is not tracked.
    #[must_use]
    pub fn changed_rows(&self, table: TableContents<'w>, column: ColumnContents<'w>) -> Vec<u32> {
        column.places_since(self.since, Some(table.stamp()))
    }

    /// The places of values of a sparse component that are new or have changed. `O(values)` if there are any and the component is
    /// [tracked](World::start_journal). All values, or none, if it is not.
    #[must_use]
    pub fn changed_places(&self, storage: StorageContents<'w>) -> Vec<u32> {
        storage.column().places_since(self.since, None)
    }

    /// Whether something with such ticks is new or has changed.
    #[must_use]
    pub fn is_new(&self, ticks: ComponentTicks) -> bool {
        self.since.is_none_or(|since| since.is_new(ticks.added) || since.is_new(ticks.changed))
    }

    /// The pairs of relations: all pairs of the entities that are [new](Self::made) or [changed](Self::changed), and of sources of pairs
    /// whose values have changed, with these sources. Pairs of a relation that is not known to be `Clone` are not among them.
    pub fn pairs(&self) -> impl Iterator<Item = (PairsContents<'_>, &[Entity])> {
        self.pairs.iter().map(|copied| (PairsContents::of_copy(&*copied.pairs), &copied.sources[..]))
    }

    /// What is known of all relations that have pairs, whether these have changed or not.
    pub fn relations(&self) -> impl Iterator<Item = &'static ComponentDescriptor> + use<'w> {
        relations_with_pairs(&self.world.store.relations)
    }

    /// The resources that there are, but for those that stay on their threads.
    pub fn resources(&self) -> impl Iterator<Item = ResourceContents<'w>> + use<'w> {
        let all = self.world.store.resources.living_values();
        all.filter(|(value, _)| !keeps_systems(value.descriptor()))
            .map(|(value, ticks)| ResourceContents::of_parts(value, ticks))
    }

    /// What is known of the resources that the world has met and that are not there: they may have been removed.
    pub fn absent_resources(&self) -> impl Iterator<Item = &'static ComponentDescriptor> + use<'w> {
        self.world.store.resources.absent()
    }
}

impl_debug!([] WorldChanges<'_> => |this, f| {
    let Journaled { made, changed, ended } = &this.journaled;
    let mut shown = f.debug_struct("WorldChanges");
    shown.field("made", made).field("changed", changed).field("ended", ended).finish_non_exhaustive()
});
