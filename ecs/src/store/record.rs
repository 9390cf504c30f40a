//! Telling of new rows: the ticks of spawns, and the recorder of transitions, for tests: each of them once, in the order in which
//! operations tell them.

use alloc::vec::Vec;

use super::Store;
use super::news::Affected;
use super::report::held_by;
use crate::archetype::Archetypes;
use crate::entity::{Entity, TableId};
use crate::tracking::Spawns;
use crate::transition::{Interest, Transition};

impl Store {
    /// Tells that the entities of a table were made whose rows begin at `first`: all that they have is new.
    #[inline]
    pub(super) fn rows_made(&mut self, table: TableId, first: usize) {
        if self.listeners.spawns.is_some() {
            self.note_spawns(table, first);
        }
        if self.listeners.is_recording() || self.listeners.hears && self.hears_of(table) {
            self.record_made(table, first);
        }
    }

    /// Whether observers or hooks are told of entities that are made in a table.
    fn hears_of(&self, table: TableId) -> bool {
        let in_table = self.archetypes.tables.get(table).is_some_and(|table| table.interest().has(Interest::REACTIONS));
        in_table || self.listeners.hears_storages()
    }

    #[cold]
    #[inline(never)]
    fn note_spawns(&mut self, table: TableId, first: usize) {
        let now = self.clock.change_tick();
        let (Some(table), Some(spawns)) = (self.archetypes.tables.get(table), &mut self.listeners.spawns) else {
            return;
        };
        table.entities()[first..].iter().for_each(|entity| spawns.note(entity.index(), now));
    }

    /// Notes from now on when entities are spawned.
    pub(crate) fn note_spawns_from_now_on(&mut self) {
        if self.listeners.spawns.is_none() {
            self.listeners.spawns = Some(Spawns::since(self.clock.change_tick()));
            self.tell_of_everything();
        }
    }

    /// When entities were spawned, if that is noted.
    #[inline]
    pub(crate) fn spawns(&self) -> Option<&Spawns> {
        self.listeners.spawns.as_ref()
    }

    /// Says in all tables and plans who listens to all that happens.
    pub(super) fn tell_of_everything(&mut self) {
        let recorder = Interest::RECORDER.only_if(self.listeners.is_recording());
        self.archetypes.tell(recorder.and(Interest::SPAWNS.only_if(self.listeners.spawns.is_some())));
    }

    #[cold]
    #[inline(never)]
    fn record_made(&mut self, table: TableId, first: usize) {
        let Self { archetypes: Archetypes { tables, components, .. }, entities, sparse, listeners, .. } = self;
        let Some(table) = tables.get(table) else { return };
        let of_table = || table.components().iter().map(|&id| Transition::Gained(id));
        let beside = |entity: Entity| {
            let held = held_by(entity, entities.sparse_summary(entity.index()), sparse);
            held.map(|number| Transition::Gained(components.sparse()[number]))
        };
        let made = &table.entities()[first..];
        let is_plain = !listeners.hears_storages() || !entities.has_summaries();
        if is_plain && !listeners.is_recording() {
            let rows = Affected::Rows { table: table.id(), first, count: made.len() };
            return listeners.note_all(rows, of_table().filter_map(|gained| gained.heard_after(components)));
        }
        for &entity in made {
            listeners.note_made(entity);
            of_table().chain(beside(entity)).for_each(|comes| listeners.note(entity, comes, components));
        }
    }

    /// Records all transitions from now on, or no more.
    pub(crate) fn record_transitions(&mut self, on: bool) {
        self.listeners.record_all(on);
        self.tell_of_everything();
    }

    /// The transitions that have been recorded since this was last called.
    pub(crate) fn take_transitions(&mut self) -> Vec<(Entity, Transition)> {
        self.listeners.take_recorded()
    }
}
