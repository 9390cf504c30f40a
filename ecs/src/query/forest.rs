//! The entities that a query visits, as the trees that a relationship makes of them.
//!
//! Each entity that the query visits has a *slot*: its row, counted through all matched tables in order. The *depth* of a slot is 0
//! if the entity has no target, or one that is not visited; otherwise it is one more than the depth of the target. Slots of one
//! depth are never sources and targets of each other, so they can be visited in any order. In ascending order most of them are
//! consecutive rows.
//!
//! The forest is recomputed if the rows of one of the tables have changed: `O(rows)`, mostly for one lookup of the target per row.
//! If only targets have changed, it is updated: the slots of the changed sources get their new targets, and the slots below them
//! new depths. Both ways give the same result, which depends on rows and targets alone.
//!
//! Tests: tests/relationships/down.rs

mod slots;

use alloc::vec::Vec;

pub(crate) use self::slots::SlotRun;
use self::slots::{NOT_HERE, Slots, add_to_runs, insert_into_runs, remove_from_runs};
use crate::component::ComponentId;
use crate::entity::{Entity, Pages, TableId};
use crate::storage::table::Arrangement;
use crate::structure::store::Store;

/// Position of an entity: index of the table in the forest, and row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ForestRow {
    pub(crate) table: u32,
    pub(crate) row: u32,
}

impl ForestRow {
    /// The place of an entity that does not exist.
    pub(crate) const NONE: Self = Self { table: u32::MAX, row: u32::MAX };
}

/// A table that contains slots, or their targets or sources.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ForestTable {
    pub(crate) id: TableId,
    /// Its rows at the last update.
    arrangement: Arrangement,
    /// The slot of its first row, if the table is visited.
    first: u32,
}

/// The optional parts of a forest.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct ForestNeeds {
    /// For each slot, its visited sources.
    pub(crate) sources: bool,
    /// The slots whose target has changed since the last update.
    pub(crate) changes: bool,
    /// In addition, the slots of their old and new targets.
    pub(crate) changed_targets: bool,
}

/// The entities that a query visits, as trees.
#[derive(Default)]
pub(crate) struct Forest {
    /// Visited tables come first.
    tables: Vec<ForestTable>,
    visited: usize,
    /// Index in `tables`, by table id.
    numbers: Vec<u32>,
    epoch: u64,
    /// The version of the relationship's links, and the count of recorded link changes, at the last update.
    links: u64,
    notes: u64,
    /// The entity of each slot.
    entities: Vec<Entity>,
    /// The target of each slot; the placeholder for a slot without a target.
    targets: Vec<Entity>,
    /// The place of the target of each slot.
    places: Vec<ForestRow>,
    /// The depth of each slot.
    depths: Vec<u32>,
    /// The visited sources of each slot, as linked lists in no particular order.
    below: Vec<SiblingLinks>,
    /// Whether the targets contain a cycle, which has been cut.
    has_circles: bool,
    /// All slots of each depth.
    levels: Vec<Vec<SlotRun>>,
    /// For each slot, and one past the last: where its sources begin in `sources`.
    starts: Vec<u32>,
    /// The visited sources of all slots, as slots.
    sources: Vec<u32>,
    /// Slots whose target has changed, new slots, and slots that gained or lost a source, until they are taken.
    changed: Vec<u32>,
    /// Whether the forest has been computed, and no update failed.
    is_known: bool,
    /// Whether changed targets are tracked (`ForestNeeds::changes`).
    tells_changes: bool,
}

/// The sources of one target form a doubly linked list.
#[derive(Clone, Copy)]
struct SiblingLinks {
    first_source: u32,
    next: u32,
    previous: u32,
}

impl SiblingLinks {
    const NONE: Self = Self { first_source: NOT_HERE, next: NOT_HERE, previous: NOT_HERE };
}

/// Up to this many slots are moved between levels one by one.
const FEW_SLOTS: usize = 64;
/// Markers for slots whose depth is not known yet.
const UNKNOWN: u32 = u32::MAX;
const ON_THE_WAY: u32 = u32::MAX - 1;

impl Forest {
    /// Updates the forest. `tables` are the visited tables, in ascending order.
    pub(crate) fn update(
        &mut self,
        store: &Store,
        relation: ComponentId,
        needs: ForestNeeds,
        tables: impl Iterator<Item = TableId> + Clone,
    ) {
        self.tells_changes = needs.changes;
        let has_same_links = |forest: &Self| forest.links == store.events.links.version(relation);
        let is_right =
            self.has_same_rows(store, tables.clone()) && (has_same_links(self) || self.repair(store, relation, needs));
        if !is_right {
            self.work_out(store, relation, needs, tables);
        }
    }

    fn has_same_rows(&self, store: &Store, tables: impl Iterator<Item = TableId>) -> bool {
        let is_same = |table: &ForestTable| {
            let now = store.structure.archetypes.tables.get(table.id);
            now.is_some_and(|now| now.arrangement() == table.arrangement)
        };
        self.is_known
            && self.epoch == store.structure.archetypes.tables.epoch()
            && tables.eq(self.tables[..self.visited].iter().map(|table| table.id))
            && self.tables.iter().all(is_same)
    }

    #[cold]
    #[inline(never)]
    fn work_out(
        &mut self,
        store: &Store,
        relation: ComponentId,
        needs: ForestNeeds,
        tables: impl Iterator<Item = TableId>,
    ) {
        self.is_known = false;
        let before = (core::mem::take(&mut self.entities), core::mem::take(&mut self.targets));
        self.epoch = store.structure.archetypes.tables.epoch();
        self.note_links(store, relation);
        self.tables.clear();
        self.numbers.clear();
        for id in tables {
            let first = self.entities.len() as u32;
            let Some(number) = self.enter(store, id, first) else { continue };
            debug_assert_eq!(number as usize + 1, self.tables.len());
            if let Some(table) = store.structure.archetypes.tables.get(id) {
                self.entities.extend_from_slice(table.entities());
            }
        }
        self.visited = self.tables.len();
        self.find_targets(store, relation);
        self.find_siblings();
        self.depths.clear();
        self.depths.resize(self.entities.len(), UNKNOWN);
        self.has_circles = false;
        self.find_depths(0..self.entities.len() as u32);
        self.find_levels();
        if needs.sources {
            self.find_sources();
        }
        if needs.changes {
            self.compare(before, needs.changed_targets);
        }
        self.is_known = true;
    }

    fn note_links(&mut self, store: &Store, relation: ComponentId) {
        self.links = store.events.links.version(relation);
        self.notes = store.events.links.notes();
    }

    /// Updates changed targets. Returns false if the forest has to be recomputed because too much has changed.
    #[cold]
    #[inline(never)]
    fn repair(&mut self, store: &Store, relation: ComponentId, needs: ForestNeeds) -> bool {
        let Some(changed) = store.events.links.changed_since(self.notes, relation) else { return false };
        if self.has_circles {
            return false;
        }
        let mut slots: Vec<u32> = changed.filter_map(|entity| self.slot_of(store, entity)).collect();
        slots.sort_unstable();
        slots.dedup();
        self.is_known = false;
        // All slots are detached before the first one is attached again, so that no slot is below itself in between.
        for &slot in &slots {
            self.leave_siblings(slot);
        }
        for &slot in &slots {
            let (target, place) = self.target_of(store, relation, self.entities[slot as usize]);
            let before = core::mem::replace(&mut self.targets[slot as usize], target);
            self.places[slot as usize] = place;
            self.join_siblings(slot);
            if needs.changes && before != target {
                self.changed.push(slot);
                if needs.changed_targets {
                    for target in [before, target] {
                        self.changed.extend(self.slot_of(store, target));
                    }
                }
            }
        }
        let depths = self.forget_depths_below(&slots);
        self.find_depths(depths.iter().map(|(slot, _)| *slot));
        self.change_levels(&depths);
        if needs.sources {
            self.find_sources();
        }
        self.note_links(store, relation);
        self.is_known = true;
        true
    }

    /// Resets the depths of the given slots and of all slots below them. Returns these slots with their old depths, in ascending
    /// order.
    fn forget_depths_below(&mut self, slots: &[u32]) -> Vec<(u32, u32)> {
        let mut depths: Vec<(u32, u32)> = Vec::new();
        let mut way = slots.to_vec();
        while let Some(slot) = way.pop() {
            let depth = core::mem::replace(&mut self.depths[slot as usize], UNKNOWN);
            if depth == UNKNOWN {
                continue;
            }
            depths.push((slot, depth));
            let mut source = self.below[slot as usize].first_source;
            while source != NOT_HERE {
                way.push(source);
                source = self.below[source as usize].next;
            }
        }
        depths.sort_unstable();
        depths
    }

    /// Moves slots from the levels of their old depths to those of their new depths.
    fn change_levels(&mut self, depths: &[(u32, u32)]) {
        let moved = depths.iter().filter(|(slot, depth)| self.depths[*slot as usize] != *depth);
        // Moving a slot shifts the entries after it in two lists. For more than a few slots, computing all levels is cheaper.
        if moved.clone().count() > FEW_SLOTS {
            return self.find_levels();
        }
        for &(slot, before) in moved {
            let depth = self.depths[slot as usize] as usize;
            if self.levels.len() <= depth {
                self.levels.resize_with(depth + 1, Vec::new);
            }
            remove_from_runs(&mut self.levels[before as usize], slot);
            let ForestRow { table, row } = self.place_of(slot);
            insert_into_runs(&mut self.levels[depth], SlotRun { table, row, slot, len: 1 });
        }
        self.drop_empty_levels();
    }

    fn find_siblings(&mut self) {
        self.below.clear();
        self.below.resize(self.entities.len(), SiblingLinks::NONE);
        for slot in 0..self.entities.len() as u32 {
            self.join_siblings(slot);
        }
    }

    fn join_siblings(&mut self, slot: u32) {
        let Some(target) = self.slot(self.places[slot as usize]) else { return };
        let next = core::mem::replace(&mut self.below[target].first_source, slot);
        self.below[slot as usize].next = next;
        self.below[slot as usize].previous = NOT_HERE;
        if next != NOT_HERE {
            self.below[next as usize].previous = slot;
        }
    }

    fn leave_siblings(&mut self, slot: u32) {
        let Some(target) = self.slot(self.places[slot as usize]) else { return };
        let SiblingLinks { next, previous, .. } = self.below[slot as usize];
        if previous == NOT_HERE {
            self.below[target].first_source = next;
        } else {
            self.below[previous as usize].next = next;
        }
        if next != NOT_HERE {
            self.below[next as usize].previous = previous;
        }
    }

    /// The index of a table in the forest. Adds the table if it is new.
    fn enter(&mut self, store: &Store, id: TableId, first: u32) -> Option<u32> {
        if let Some(&number) = self.numbers.get(id.index())
            && number != NOT_HERE
        {
            return Some(number);
        }
        let arrangement = store.structure.archetypes.tables.get(id)?.arrangement();
        if self.numbers.len() <= id.index() {
            self.numbers.resize(id.index() + 1, NOT_HERE);
        }
        let number = self.tables.len() as u32;
        self.numbers[id.index()] = number;
        self.tables.push(ForestTable { id, arrangement, first });
        Some(number)
    }

    fn find_targets(&mut self, store: &Store, relation: ComponentId) {
        self.places.clear();
        self.targets.reserve(self.entities.len());
        self.places.reserve(self.entities.len());
        for slot in 0..self.entities.len() {
            let (target, place) = self.target_of(store, relation, self.entities[slot]);
            self.targets.push(target);
            self.places.push(place);
        }
    }

    /// The target of an entity, and its place.
    #[inline]
    fn target_of(&mut self, store: &Store, relation: ComponentId, entity: Entity) -> (Entity, ForestRow) {
        let target = store.events.links.target(relation, entity).filter(|target| *target != entity);
        let Some(target) = target else { return (Entity::PLACEHOLDER, ForestRow::NONE) };
        let Some(location) = store.structure.entities.get(target) else { return (target, ForestRow::NONE) };
        let table = self.enter(store, location.table, NOT_HERE);
        (target, table.map_or(ForestRow::NONE, |table| ForestRow { table, row: location.row }))
    }

    /// The slot at a place, if the table is visited.
    #[inline]
    fn slot(&self, place: ForestRow) -> Option<usize> {
        let table = self.tables[..self.visited].get(place.table as usize)?;
        Some(table.first as usize + place.row as usize)
    }

    /// The slot of an entity, if it is visited.
    pub(crate) fn slot_of(&self, store: &Store, entity: Entity) -> Option<u32> {
        let location = store.structure.entities.get(entity)?;
        let table = *self.numbers.get(location.table.index())?;
        let slot = self.slot(ForestRow { table, row: location.row })?;
        (self.entities.get(slot) == Some(&entity)).then_some(slot as u32)
    }

    /// Computes depths by following the targets of each slot to one with a known depth. In a cycle, one member becomes a root;
    /// which one depends on the rows alone.
    fn find_depths(&mut self, slots: impl Iterator<Item = u32>) {
        let mut way: Vec<usize> = Vec::new();
        for first in slots {
            let mut at = first as usize;
            if self.depths[at] != UNKNOWN {
                continue;
            }
            let mut depth = loop {
                self.depths[at] = ON_THE_WAY;
                way.push(at);
                match self.slot(self.places[at]) {
                    None => break 0,
                    Some(target) if self.depths[target] == UNKNOWN => at = target,
                    Some(target) if self.depths[target] == ON_THE_WAY => {
                        self.leave_siblings(at as u32);
                        self.places[at] = ForestRow::NONE;
                        self.has_circles = true;
                        break 0;
                    }
                    Some(target) => break self.depths[target] + 1,
                }
            };
            while let Some(slot) = way.pop() {
                self.depths[slot] = depth;
                depth += 1;
            }
        }
    }

    fn find_levels(&mut self) {
        self.levels.iter_mut().for_each(Vec::clear);
        for number in 0..self.visited {
            let ForestTable { first, arrangement, .. } = self.tables[number];
            for row in 0..arrangement.rows as u32 {
                let slot = first + row;
                let depth = self.depths[slot as usize] as usize;
                if self.levels.len() <= depth {
                    self.levels.resize_with(depth + 1, Vec::new);
                }
                add_to_runs(&mut self.levels[depth], number as u32, row, slot);
            }
        }
        self.drop_empty_levels();
    }

    fn drop_empty_levels(&mut self) {
        while self.levels.last().is_some_and(Vec::is_empty) {
            self.levels.pop();
        }
    }

    fn find_sources(&mut self) {
        let slots = self.entities.len();
        self.starts.clear();
        self.starts.resize(slots + 1, 0);
        for slot in 0..slots {
            if let Some(target) = self.slot(self.places[slot]) {
                self.starts[target + 1] += 1;
            }
        }
        for slot in 0..slots {
            self.starts[slot + 1] += self.starts[slot];
        }
        let mut next = self.starts.clone();
        self.sources.clear();
        self.sources.resize(self.starts[slots] as usize, 0);
        for slot in 0..slots {
            if let Some(target) = self.slot(self.places[slot]) {
                self.sources[next[target] as usize] = slot as u32;
                next[target] += 1;
            }
        }
    }

    /// Records which slots are new or have a different target, and with `with_targets` also the slots of the old and new targets.
    fn compare(&mut self, (entities, targets): (Vec<Entity>, Vec<Entity>), with_targets: bool) {
        let (earlier, now) = (Slots::of(&entities), Slots::of(&self.entities));
        self.changed.clear();
        for slot in 0..self.entities.len() {
            let before = earlier.find(self.entities[slot]);
            if before.is_none_or(|before| targets[before as usize] != self.targets[slot]) {
                self.changed.push(slot as u32);
                self.changed.extend(now.find(self.targets[slot]).filter(|_| with_targets));
            }
        }
        for (entity, target) in entities.iter().zip(&targets).filter(|_| with_targets) {
            let after = now.find(*entity);
            if after.is_none_or(|after| self.targets[after as usize] != *target) {
                self.changed.extend(now.find(*target));
            }
        }
    }

    /// The slots that are new or have a different target since the last call, and with `ForestNeeds::changed_targets` the slots
    /// that gained or lost a source. May contain duplicates.
    pub(crate) fn take_changed(&mut self) -> Vec<u32> {
        core::mem::take(&mut self.changed)
    }

    /// The known entities with their targets, if changes are tracked: the state that the next update compares with.
    pub(crate) fn seen(&self) -> Vec<(Entity, Entity)> {
        let seen = self.entities.iter().copied().zip(self.targets.iter().copied());
        if self.tells_changes { seen.collect() } else { Vec::new() }
    }

    /// Restores the result of [`seen`](Self::seen): the next update reports differences from it.
    pub(crate) fn has_seen(&mut self, seen: &[(Entity, Entity)]) {
        self.is_known = false;
        // `tells_changes` is set because `seen` must return these links even if there is no update in between.
        self.tells_changes |= !seen.is_empty();
        (self.entities, self.targets) = seen.iter().copied().unzip();
    }

    /// All slots, by depth.
    pub(crate) fn levels(&self) -> &[Vec<SlotRun>] {
        &self.levels
    }

    /// The tables that places refer to.
    pub(crate) fn tables(&self) -> &[ForestTable] {
        &self.tables
    }

    /// The places of the targets of a run's slots.
    #[inline]
    pub(crate) fn places(&self, run: SlotRun) -> &[ForestRow] {
        &self.places[run.slot as usize..][..run.len as usize]
    }

    /// Where the sources of each slot of a run begin in [`sources`](Self::sources), and where those of the last slot end.
    #[inline]
    pub(crate) fn starts(&self, run: SlotRun) -> &[u32] {
        &self.starts[run.slot as usize..][..=run.len as usize]
    }

    /// The visited sources of all slots, as slots. [`starts`](Self::starts) returns the range of each slot.
    pub(crate) fn sources(&self) -> &[u32] {
        &self.sources
    }

    /// The place of a slot.
    #[inline]
    pub(crate) fn place_of(&self, slot: u32) -> ForestRow {
        let tables = &self.tables[..self.visited];
        let table = if tables.len() == 1 { 0 } else { tables.partition_point(|table| table.first <= slot) - 1 };
        ForestRow { table: table as u32, row: slot - tables[table].first }
    }

    /// The slots to visit if `seeds` have changed, by depth: the seeds and all slots below them, or above them with `upwards`.
    pub(crate) fn slots_to_visit(&self, seeds: impl Iterator<Item = u32>, upwards: bool) -> Vec<Vec<SlotRun>> {
        let mut buckets: Vec<Vec<u32>> = Vec::new();
        buckets.resize_with(self.levels.len(), Vec::new);
        // One bit per slot, in pages: marking a few of many slots needs little memory.
        let mut seen = Pages::<u64, 64>::default();
        let mut reach = |buckets: &mut Vec<Vec<u32>>, slot: u32| {
            let (seen, bit) = (seen.get_or_add(slot / 64, 0), 1 << (slot % 64));
            if *seen & bit == 0 {
                *seen |= bit;
                buckets[self.depths[slot as usize] as usize].push(slot);
            }
        };
        seeds.for_each(|slot| reach(&mut buckets, slot));
        for step in 0..buckets.len() {
            let depth = if upwards { buckets.len() - 1 - step } else { step };
            for at in 0..buckets[depth].len() {
                let slot = buckets[depth][at] as usize;
                if upwards {
                    if let Some(target) = self.slot(self.places[slot]) {
                        reach(&mut buckets, target as u32);
                    }
                    continue;
                }
                let mut source = self.below[slot].first_source;
                while source != NOT_HERE {
                    reach(&mut buckets, source);
                    source = self.below[source as usize].next;
                }
            }
        }
        let runs = buckets.into_iter().map(|mut slots| {
            slots.sort_unstable();
            let mut runs = Vec::new();
            for slot in slots {
                let ForestRow { table, row } = self.place_of(slot);
                add_to_runs(&mut runs, table, row, slot);
            }
            runs
        });
        runs.collect()
    }
}
