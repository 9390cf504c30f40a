//! Recording what entities lose, where somebody reads it.
//!
//! What is here runs only if a flag says so, except for the looks at the flags. Each operation records in its first stage,
//! when nothing can fail any more and no value has been moved or dropped; it ends with the finishing of
//! [`Removals`], after its own values have been dropped.

use alloc::vec::Vec;

use super::Store;
use crate::component::{Component, ComponentInfo};
use crate::entity::{Entity, EntityError, Location, SparseSummary, TableId};
use crate::graph::{MovePlan, Source};
use crate::guard::for_each_despite_panics;
use crate::removal::{Fate, Log, Removals, RemovedComponentReader, RemovedValueReader};
use crate::sparse::SparseStorage;
use crate::table::Table;

/// Records what an entity is about to leave behind in the table from which it moves by a plan.
///
/// # Safety
///
/// - The entity is at this location, in the first of the tables, and moves to the other one now. Of what it leaves behind,
///   what [`Removals`] says are kept columns is not dropped.
#[inline]
pub(super) unsafe fn record_shift(
    removals: &mut Removals,
    plan: &MovePlan,
    from: &Table,
    to: &Table,
    entity: Entity,
    location: Location,
) {
    if from.is_watched() && !plan.drops.is_empty() {
        // SAFETY: the caller's promise.
        unsafe { removals.record_row(from, Some(to), entity, location.row as usize, Fate::Dropped) }
    }
}

/// Records what an entity is about to leave in sparse storages by a plan. `summary` says where it may be.
#[inline]
pub(super) fn record_left(
    removals: &mut Removals,
    sparse: &mut [SparseStorage],
    summary: SparseSummary,
    plan: &MovePlan,
    entity: Entity,
) {
    if removals.watches(summary) {
        record_left_now(removals, sparse, summary, plan, entity);
    }
}

#[inline(never)]
fn record_left_now(
    removals: &mut Removals,
    sparse: &mut [SparseStorage],
    summary: SparseSummary,
    plan: &MovePlan,
    entity: Entity,
) {
    for number in summary.storages(sparse.len()) {
        let number32 = number as u32;
        let goes = plan.retains.as_ref().is_some_and(|retains| !retains.contains(&number32));
        if goes || plan.leaves.contains(&number32) {
            removals.record_sparse(&mut sparse[number], number, entity, Fate::Dropped);
        }
    }
}

/// Records what is about to be taken from an entity by a plan. `tables` are where it lives and where it goes, if they differ.
#[inline]
pub(super) fn record_taken(
    removals: &mut Removals,
    sparse: &mut [SparseStorage],
    tables: Option<(&Table, &Table)>,
    plan: &MovePlan,
    entity: Entity,
) {
    if let Some((from, to)) = tables
        && from.is_watched()
    {
        removals.record_taken(from, to, entity);
    }
    if removals.watches_sparse() {
        record_taken_sparse(removals, sparse, plan, entity);
    }
}

#[inline(never)]
fn record_taken_sparse(removals: &mut Removals, sparse: &mut [SparseStorage], plan: &MovePlan, entity: Entity) {
    for source in &plan.sources {
        let Source::Sparse(number) = *source else { continue };
        let number = number as usize;
        if !plan.sparse_targets().any(|target| target == number) {
            removals.record_sparse(&mut sparse[number], number, entity, Fate::Taken);
        }
    }
}

impl Store {
    /// What is known of a component, which is registered now if need be.
    fn watch_removals<C: Component, T>(&mut self, watch: impl FnOnce(&mut Removals, &ComponentInfo) -> T) -> T {
        let id = self.register_component::<C>();
        let Some(info) = self.components.info(id) else { unreachable!("the component has just been registered") };
        watch(&mut self.removals, info)
    }

    fn raise_watched<C: Component>(&mut self) {
        let id = self.register_component::<C>();
        if !self.components.is_watched(id) {
            self.components.set_watched(id, true);
            self.tables.update_watched(&self.components);
        }
    }

    /// A new reader of removals of a component; they are recorded from now on.
    pub(crate) fn removed_reader<C: Component>(&mut self) -> RemovedComponentReader<C> {
        self.raise_watched::<C>();
        self.watch_removals::<C, _>(Removals::read_entities)
    }

    /// A new reader of removed values of a component; they are kept from now on.
    pub(crate) fn removed_value_reader<C: Component>(&mut self) -> RemovedValueReader<C> {
        self.raise_watched::<C>();
        self.watch_removals::<C, _>(Removals::read_values)
    }

    /// How many removals of a component are kept at most.
    pub(crate) fn set_removed_limit<C: Component>(&mut self, limit: usize) {
        self.watch_removals::<C, _>(|removals, info| removals.set_limit(info, limit));
    }

    /// The list that a reader reads; none if it is another store's.
    #[inline]
    pub(crate) fn removed<C: Component>(&self, reader: &RemovedComponentReader<C>) -> Option<&Log> {
        self.removals.entities(reader.number_of_list()).filter(|log| reader.reads(log))
    }

    /// The list that a reader reads; none if it is another store's. Its values are of type `C` otherwise.
    #[inline]
    pub(crate) fn removed_values<C: Component>(&self, reader: &RemovedValueReader<C>) -> Option<&Log> {
        self.removals.values(reader.number_of_list()).filter(|log| reader.reads(log))
    }

    /// Lets go of what all readers of removals have read, and of what readers that are no more have not.
    #[inline]
    pub(crate) fn tidy_removals(&mut self) {
        if self.removals.is_watching() {
            self.tidy_removals_now();
        }
    }

    #[cold]
    fn tidy_removals_now(&mut self) {
        let Self { removals, components, tables, .. } = self;
        let lower = |id| {
            if components.is_watched(id) {
                components.set_watched(id, false);
                tables.update_watched(components);
            }
        };
        removals.tidy(lower);
    }

    /// Panics if the flags are wrong.
    pub(super) fn check_removals(&self) {
        let has_readers = self.removals.check();
        for info in self.components.iter() {
            let watched = self.components.is_watched(info.id());
            assert!(watched || !has_readers(info.id()), "{} is not watched", info.name());
        }
        for table in &self.tables {
            let watched = self.components.any_watched(table.components());
            assert_eq!(watched, table.is_watched(), "flag of table {:?}", table.id());
        }
    }

    /// [`Store::despawn`] of an entity that has components whose removals may be recorded.
    ///
    /// # Errors
    ///
    /// None: so [`Store::despawn`] can end with this.
    ///
    /// # Safety
    ///
    /// - The live entity is at this location.
    #[inline(never)]
    pub(super) unsafe fn despawn_watched(&mut self, entity: Entity, location: Location) -> Result<(), EntityError> {
        let summary = self.entities.sparse_summary(entity.index());
        let (table, row) = (self.tables.get_mut(location.table), location.row as usize);
        // SAFETY: the row of a live entity is a row of its table. It goes now, and the kept columns are not dropped.
        let moved = unsafe {
            self.removals.record_row(table, None, entity, row, Fate::Dropped);
            table.retire_row(row)
        };
        self.entities.free(entity);
        if let Some(moved) = moved {
            self.entities.set_row(moved, location.row);
        }
        if summary.is_empty() {
            let finish = self.removals.finish();
            // SAFETY: a row has just been retired; what is kept belongs to the lists.
            unsafe { table.drop_rows_except(finish.kept(), None, table.len(), 1) }
        } else {
            self.drop_with_sparse(entity, summary, location.table);
        }
        Ok(())
    }

    /// The entities of a table, as `list` gives them, if their removals may be recorded.
    #[inline]
    pub(super) fn list_watched(&self, table: TableId, list: impl FnOnce(&Self) -> Vec<Entity>) -> Option<Vec<Entity>> {
        let in_table = self.tables.get(table).is_some_and(Table::is_watched);
        let in_sparse = self.removals.watches_sparse() && self.entities.has_summaries();
        (in_table || in_sparse).then(|| list(self))
    }

    /// Records that all these entities of a table move to another one.
    ///
    /// # Safety
    ///
    /// - They live there. Nothing fails before they have moved; of what they leave behind the kept columns are not dropped.
    #[inline]
    pub(super) unsafe fn record_moving(&mut self, from: TableId, to: TableId, entities: Option<&[Entity]>) {
        if let Some(entities) = entities
            && self.tables.get(from).is_some_and(Table::is_watched)
        {
            // SAFETY: the caller's promise.
            unsafe { self.record_moving_now(from, to, entities) }
        }
    }

    /// # Safety
    ///
    /// - As for [`Store::record_moving`].
    #[inline(never)]
    unsafe fn record_moving_now(&mut self, from: TableId, to: TableId, entities: &[Entity]) {
        let (Some(from), to) = (self.tables.get(from), self.tables.get(to)) else { return };
        let rows = self.entities.rows_of(entities);
        // SAFETY: these are the rows of the entities; the rest is the caller's promise.
        unsafe { self.removals.record_rows(from, to, entities, |number| rows[number] as usize, Fate::Dropped) }
    }

    /// Records that all these entities of a table end, or are somebody else's.
    ///
    /// # Safety
    ///
    /// - They live there. Nothing fails before they are gone; of what is dropped the kept columns are not dropped.
    #[inline]
    pub(super) unsafe fn record_ending(&mut self, table: TableId, entities: Option<&[Entity]>, fate: Fate) {
        if let Some(entities) = entities {
            // SAFETY: the caller's promise.
            unsafe { self.record_ending_now(table, entities, fate) }
        }
    }

    /// # Safety
    ///
    /// - As for [`Store::record_ending`].
    #[inline(never)]
    unsafe fn record_ending_now(&mut self, table: TableId, entities: &[Entity], fate: Fate) {
        if let Some(table) = self.tables.get(table)
            && table.is_watched()
        {
            let rows = self.entities.rows_of(entities);
            // SAFETY: these are the rows of the entities; the rest is the caller's promise.
            unsafe { self.removals.record_rows(table, None, entities, |number| rows[number] as usize, fate) }
        }
        if self.removals.watches_sparse() {
            for &entity in entities {
                self.record_all_sparse(entity, fate);
            }
        }
    }

    /// Records that an entity leaves all sparse storages.
    pub(super) fn record_all_sparse(&mut self, entity: Entity, fate: Fate) {
        self.record_sparse_of(entity, self.entities.sparse_summary(entity.index()), fate);
    }

    /// Records that an entity leaves all these sparse storages, as far as it is there.
    #[inline]
    pub(super) fn record_sparse_of(&mut self, entity: Entity, summary: SparseSummary, fate: Fate) {
        if self.removals.watches(summary) {
            for number in summary.storages(self.sparse.len()) {
                self.removals.record_sparse(&mut self.sparse[number], number, entity, fate);
            }
        }
    }

    /// [`Store::clear_entities`] where removals may be recorded.
    #[cold]
    pub(super) fn clear_watched(&mut self) {
        let mut finished = Vec::new();
        for table in self.tables.iter().filter(|table| table.is_watched() && !table.is_empty()) {
            // SAFETY: the rows are those of the table's entities. They go below, and the kept columns are not dropped.
            let kept = unsafe { self.removals.record_table(table) };
            finished.push((table.id(), table.len(), kept));
        }
        for (number, storage) in self.sparse.iter_mut().enumerate() {
            if self.removals.watches(SparseSummary::default().with(number)) {
                let indexes = core::iter::successors(storage.next_index(0), |&(_, at)| storage.next_index(at));
                let entity = |(index, _)| Some(self.entities.at_index(index)?.0);
                let entities: Vec<Entity> = indexes.filter_map(entity).collect();
                self.removals.record_storage(storage, number, &entities);
            }
        }
        self.entities.free_all();
        for (table, ..) in &finished {
            self.tables.get_mut(*table).forget_rows();
        }
        let (all, sparse) = (&mut self.tables, &mut self.sparse);
        let _finish = self.removals.finish();
        let steps = (0..all.iter().len()).map(Step::Table);
        let steps = (0..finished.len()).map(Step::Watched).chain(steps).chain((0..sparse.len()).map(Step::Sparse));
        for_each_despite_panics(steps, |step| match step {
            Step::Watched(at) => {
                let (table, count, kept) = &finished[at];
                // SAFETY: the table has forgotten so many rows; what is kept belongs to the lists. This step comes once.
                unsafe { all.get_mut(*table).drop_rows_except(kept, None, 0, *count) }
            }
            Step::Table(number) => all.get_mut(TableId(number as u32)).clear(),
            Step::Sparse(number) => sparse[number].clear(),
        });
    }
}

/// What is emptied.
enum Step {
    /// A table that has forgotten its rows.
    Watched(usize),
    Table(usize),
    Sparse(usize),
}
