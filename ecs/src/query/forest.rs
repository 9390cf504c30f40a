//! The entities that a query visits, as the trees that a relationship makes of them.
//!
//! Each entity that the query visits has a *slot*: the tables that match stand one behind the other, and a slot is the number of a row
//! counted from the first of them. The *depth* of a slot is 0 if the entity names no target, or one that is not visited, and otherwise one
//! more than that of its target. Slots of one depth never are sources and targets of each other, so they can be gone through in any order,
//! and in ascending order most are rows that stand one behind the other.
//!
//! All of it is worked out anew if the rows of one of the tables have changed: `O(rows)`, of which most is one look at the target of each. If
//! nothing but targets of sources has changed, it is mended: the slots of these sources get other targets, and what is below them other
//! depths. Either way the outcome depends on rows and targets alone.

mod slots;

use alloc::vec::Vec;

pub(crate) use self::slots::SlotRun;
use self::slots::{NOT_HERE, Slots, add_to_runs, insert_into_runs, remove_from_runs};
use crate::component::ComponentId;
use crate::entity::{Entity, Pages, TableId};
use crate::store::Store;
use crate::table::Arrangement;

/// Where an entity is: the number of a table in the forest, and a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) table: u32,
    pub(crate) row: u32,
}

impl Place {
    /// Of an entity that is not there.
    pub(crate) const NONE: Self = Self { table: u32::MAX, row: u32::MAX };
}

/// A table that slots, or their targets or sources, are in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ForestTable {
    pub(crate) id: TableId,
    /// Its rows, when they were last looked at.
    arrangement: Arrangement,
    /// The slot of its first row, if it is one of those that are visited.
    first: u32,
}

/// What is to be known of a forest besides depths.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct ForestNeeds {
    /// For each slot, those of its sources that are visited.
    pub(crate) sources: bool,
    /// Which slots have another target since the last time.
    pub(crate) changes: bool,
    /// Of these also the targets, before and after.
    pub(crate) changed_targets: bool,
}

/// The entities that a query visits, as trees.
#[derive(Default)]
pub(crate) struct Forest {
    /// Those that are visited come first.
    tables: Vec<ForestTable>,
    visited: usize,
    /// By the number of a table in the store: its number here.
    numbers: Vec<u32>,
    epoch: u64,
    /// The version of the relationship's links, and the number of all notes about links, when they were last looked at.
    links: u64,
    notes: u64,
    /// By slot.
    entities: Vec<Entity>,
    /// By slot: the target; the placeholder if there is none.
    targets: Vec<Entity>,
    /// By slot: where the target is.
    places: Vec<Place>,
    /// By slot.
    depths: Vec<u32>,
    /// By slot: those of its sources that are visited, in no order.
    below: Vec<Siblings>,
    /// Whether targets lead around in a circle somewhere, which has been cut.
    has_circles: bool,
    /// All slots of each depth.
    levels: Vec<Vec<SlotRun>>,
    /// By slot, and one more: where its sources begin among `sources`.
    starts: Vec<u32>,
    /// Slots.
    sources: Vec<u32>,
    /// Slots whose target has changed, and those that are new or have got or lost a source, until they are taken.
    changed: Vec<u32>,
    /// Whether it has been worked out.
    is_known: bool,
    /// Whether it is asked which targets have changed.
    tells_changes: bool,
}

/// The sources of one target are a list that goes both ways.
#[derive(Clone, Copy)]
struct Siblings {
    first_source: u32,
    next: u32,
    previous: u32,
}

impl Siblings {
    const NONE: Self = Self { first_source: NOT_HERE, next: NOT_HERE, previous: NOT_HERE };
}

/// How many slots are moved from level to level one by one.
const FEW_SLOTS: usize = 64;
/// Depths of slots whose own is not known yet.
const UNKNOWN: u32 = u32::MAX;
const ON_THE_WAY: u32 = u32::MAX - 1;

impl Forest {
    /// Brings it up to date. The tables are those that are visited, in ascending order.
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
            self.has_same_rows(store, tables.clone()) && (has_same_links(self) || self.mend(store, relation, needs));
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

    /// Gives slots other targets. Returns whether all of it is up to date now: it is not if too much has changed.
    #[cold]
    #[inline(never)]
    fn mend(&mut self, store: &Store, relation: ComponentId, needs: ForestNeeds) -> bool {
        let Some(changed) = store.events.links.changed_since(self.notes, relation) else { return false };
        if self.has_circles {
            return false;
        }
        let mut slots: Vec<u32> = changed.filter_map(|entity| self.slot_of(store, entity)).collect();
        slots.sort_unstable();
        slots.dedup();
        self.is_known = false;
        // All of them are roots first, so that none of them is below itself in between.
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

    /// The slots below some, and these, with the depths that they had, in ascending order. Their depths are not known from now on.
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

    /// Moves slots from the levels of the depths that they had to those that they have.
    fn change_levels(&mut self, depths: &[(u32, u32)]) {
        let moved = depths.iter().filter(|(slot, depth)| self.depths[*slot as usize] != *depth);
        // A slot is taken out of a list and put into another one, in which all behind it give way.
        if moved.clone().count() > FEW_SLOTS {
            return self.find_levels();
        }
        for &(slot, before) in moved {
            let depth = self.depths[slot as usize] as usize;
            if self.levels.len() <= depth {
                self.levels.resize_with(depth + 1, Vec::new);
            }
            remove_from_runs(&mut self.levels[before as usize], slot);
            let Place { table, row } = self.place_of(slot);
            insert_into_runs(&mut self.levels[depth], SlotRun { table, row, slot, len: 1 });
        }
        self.drop_empty_levels();
    }

    fn find_siblings(&mut self) {
        self.below.clear();
        self.below.resize(self.entities.len(), Siblings::NONE);
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
        let Siblings { next, previous, .. } = self.below[slot as usize];
        if previous == NOT_HERE {
            self.below[target].first_source = next;
        } else {
            self.below[previous as usize].next = next;
        }
        if next != NOT_HERE {
            self.below[next as usize].previous = previous;
        }
    }

    /// The number of a table, which is entered if it is new.
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

    /// The target of an entity, and where it is.
    #[inline]
    fn target_of(&mut self, store: &Store, relation: ComponentId, entity: Entity) -> (Entity, Place) {
        let target = store.events.links.target(relation, entity).filter(|target| *target != entity);
        let Some(target) = target else { return (Entity::PLACEHOLDER, Place::NONE) };
        let Some(location) = store.structure.entities.get(target) else { return (target, Place::NONE) };
        let table = self.enter(store, location.table, NOT_HERE);
        (target, table.map_or(Place::NONE, |table| Place { table, row: location.row }))
    }

    /// The slot at a place, if it is visited.
    #[inline]
    fn slot(&self, place: Place) -> Option<usize> {
        let table = self.tables[..self.visited].get(place.table as usize)?;
        Some(table.first as usize + place.row as usize)
    }

    /// The slot of an entity, if it is visited.
    pub(crate) fn slot_of(&self, store: &Store, entity: Entity) -> Option<u32> {
        let location = store.structure.entities.get(entity)?;
        let table = *self.numbers.get(location.table.index())?;
        let slot = self.slot(Place { table, row: location.row })?;
        (self.entities.get(slot) == Some(&entity)).then_some(slot as u32)
    }

    /// Follows the targets of slots to one whose depth is known. Where targets lead around in a circle, one of its members is taken for
    /// a root: which one depends on the rows alone.
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
                        self.places[at] = Place::NONE;
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

    /// Notes which slots are new or have another target than before, and the targets of these.
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

    /// The slots that are new or have another target than before, since this was last asked, and if that was demanded those that have got or
    /// lost a source. Some may come twice.
    pub(crate) fn take_changed(&mut self) -> Vec<u32> {
        core::mem::take(&mut self.changed)
    }

    /// The entities that it knows, with their targets, if it is asked which of these have changed: what has been told.
    pub(crate) fn seen(&self) -> Vec<(Entity, Entity)> {
        let seen = self.entities.iter().copied().zip(self.targets.iter().copied());
        if self.tells_changes { seen.collect() } else { Vec::new() }
    }

    /// As if these had been seen last: the next update tells what is different.
    pub(crate) fn has_seen(&mut self, seen: &[(Entity, Entity)]) {
        self.is_known = false;
        // They are shown again, also if there is no update before.
        self.tells_changes |= !seen.is_empty();
        (self.entities, self.targets) = seen.iter().copied().unzip();
    }

    /// All slots, by depth.
    pub(crate) fn levels(&self) -> &[Vec<SlotRun>] {
        &self.levels
    }

    /// The tables that places are in.
    pub(crate) fn tables(&self) -> &[ForestTable] {
        &self.tables
    }

    /// Where the targets of the slots of a run are.
    #[inline]
    pub(crate) fn places(&self, run: SlotRun) -> &[Place] {
        &self.places[run.slot as usize..][..run.len as usize]
    }

    /// Where the sources of the slots of a run begin and end among all.
    #[inline]
    pub(crate) fn starts(&self, run: SlotRun) -> &[u32] {
        &self.starts[run.slot as usize..][..=run.len as usize]
    }

    /// The sources of all slots that are visited, as slots: those of one slot stand where [`starts`](Self::starts) says.
    pub(crate) fn sources(&self) -> &[u32] {
        &self.sources
    }

    /// The place of a slot.
    #[inline]
    pub(crate) fn place_of(&self, slot: u32) -> Place {
        let tables = &self.tables[..self.visited];
        let table = if tables.len() == 1 { 0 } else { tables.partition_point(|table| table.first <= slot) - 1 };
        Place { table: table as u32, row: slot - tables[table].first }
    }

    /// The slots that are to be visited if some have changed, by depth: those and all that are below them, or above.
    pub(crate) fn reached(&self, seeds: impl Iterator<Item = u32>, upwards: bool) -> Vec<Vec<SlotRun>> {
        let mut buckets: Vec<Vec<u32>> = Vec::new();
        buckets.resize_with(self.levels.len(), Vec::new);
        // A bit for each slot: few slots of many cost little.
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
                let Place { table, row } = self.place_of(slot);
                add_to_runs(&mut runs, table, row, slot);
            }
            runs
        });
        runs.collect()
    }
}
