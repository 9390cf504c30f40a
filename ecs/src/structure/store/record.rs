//! Records new rows: the ticks of spawns, events for observers and hooks, and the transitions that tests record.
//!
//! Tests: tests/storage/transitions.rs, tests/changes/spawned.rs

use super::events::held_by;
use super::lifecycle_events::AffectedEntities;
use super::{Events, Structure};
use crate::component::transition::{ListenerMask, Transition};
use crate::entity::{Entities, Entity, TableId};
use crate::storage::sparse::SparseStorage;
use crate::storage::table::Tables;
use crate::storage::tick::Tick;
use crate::storage::tracking::Spawns;
use crate::structure::archetype::Archetypes;

impl<D> Events<D> {
    /// Records that the entities in the rows of a table from `first` on have been spawned, with all their components.
    #[inline]
    pub(super) fn record_spawned(&mut self, structure: &Structure, now: Tick, table: TableId, first: usize) {
        let Structure { archetypes, entities, sparse, .. } = structure;
        if self.spawns.is_some() {
            self.note_spawns(&archetypes.tables, table, first, now);
        }
        if self.is_recording() || self.is_observing && self.observe_spawns(archetypes, table) {
            self.record_made(archetypes, (entities, sparse), table, first);
        }
    }

    /// Returns whether observers or hooks are notified of entities that are spawned in a table.
    fn observe_spawns(&self, archetypes: &Archetypes, table: TableId) -> bool {
        let in_table =
            archetypes.tables.get(table).is_some_and(|table| table.interest().intersects(ListenerMask::OBSERVERS));
        in_table || self.observes_storages()
    }

    #[cold]
    #[inline(never)]
    fn note_spawns(&mut self, tables: &Tables, table: TableId, first: usize, now: Tick) {
        let (Some(table), Some(spawns)) = (tables.get(table), &mut self.spawns) else { return };
        table.entities()[first..].iter().for_each(|entity| spawns.note(entity.index(), now));
    }

    #[cold]
    #[inline(never)]
    fn record_made(
        &mut self,
        archetypes: &Archetypes,
        (entities, sparse): (&Entities, &[SparseStorage]),
        table: TableId,
        first: usize,
    ) {
        let Archetypes { tables, components, .. } = archetypes;
        let Some(table) = tables.get(table) else { return };
        let of_table = || table.components().iter().map(|&id| Transition::Gained(id));
        let of_storages = |entity: Entity| {
            let held = held_by(entity, entities.sparse_summary(entity.index()), sparse);
            held.map(|number| Transition::Gained(components.sparse()[number]))
        };
        let made = &table.entities()[first..];
        let is_plain = !self.observes_storages() || !entities.has_summaries();
        if is_plain && !self.is_recording() {
            // In a scope that defers events, later operations may move the rows, so the entities are listed.
            let rows = match self.scope_depth {
                0 => AffectedEntities::Rows { table: table.id(), first, count: made.len() },
                _ => AffectedEntities::Listed(made),
            };
            return self.note_all(rows, of_table().filter_map(|gained| gained.observed_after(components)));
        }
        for &entity in made {
            self.note_made(entity);
            of_table().chain(of_storages(entity)).for_each(|comes| self.note(entity, comes, components));
        }
    }

    /// Starts recording the ticks of spawns.
    pub(crate) fn track_spawns(&mut self, archetypes: &mut Archetypes, now: Tick) {
        if self.spawns.is_none() {
            self.spawns = Some(Spawns::since(now));
            self.update_interest(archetypes);
        }
    }

    /// Updates, in all tables and plans, which listeners are interested in all operations.
    pub(super) fn update_interest(&self, archetypes: &mut Archetypes) {
        let recorder = ListenerMask::RECORDER.only_if(self.is_recording());
        archetypes.update_interest(recorder.union(ListenerMask::SPAWNS.only_if(self.spawns.is_some())));
    }

    /// Starts or stops recording all transitions.
    pub(crate) fn record_transitions(&mut self, archetypes: &mut Archetypes, on: bool) {
        self.record_all(on);
        self.update_interest(archetypes);
    }
}
