//! Slots of a forest: runs of slots, and the lookup of slots by entity.
//!
//! Tests: tests/relationships/down.rs

use alloc::vec::Vec;

use crate::entity::Entity;

/// Slots of one depth that are consecutive rows of one table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SlotRun {
    pub(crate) table: u32,
    /// The row of the first slot.
    pub(crate) row: u32,
    /// The first slot.
    pub(crate) slot: u32,
    pub(crate) len: u32,
}

pub(super) const NOT_HERE: u32 = u32::MAX;

/// Removes a slot from runs.
pub(super) fn remove_from_runs(runs: &mut Vec<SlotRun>, slot: u32) {
    let Some(at) = runs.partition_point(|run| run.slot <= slot).checked_sub(1) else { return };
    let run = &mut runs[at];
    let before = slot - run.slot;
    if before >= run.len {
        return;
    }
    let rest = SlotRun { row: run.row + before + 1, slot: slot + 1, len: run.len - before - 1, ..*run };
    run.len = before;
    match (before, rest.len) {
        (0, 0) => _ = runs.remove(at),
        (0, _) => runs[at] = rest,
        (_, 0) => {}
        _ => runs.insert(at + 1, rest),
    }
}

/// Adds a slot that is in none of the runs.
pub(super) fn insert_into_runs(runs: &mut Vec<SlotRun>, one: SlotRun) {
    let at = runs.partition_point(|run| run.slot < one.slot);
    let follows =
        |first: &SlotRun, second: &SlotRun| first.table == second.table && first.row + first.len == second.row;
    let joins_next = runs.get(at).is_some_and(|next| follows(&one, next));
    match at.checked_sub(1).map(|before| &mut runs[before]).filter(|before| follows(before, &one)) {
        Some(before) if !joins_next => before.len += 1,
        Some(before) => {
            before.len += 1;
            let next = runs.remove(at);
            runs[at - 1].len += next.len;
        }
        None if joins_next => {
            let next = &mut runs[at];
            *next = SlotRun { len: next.len + 1, ..one };
        }
        None => runs.insert(at, one),
    }
}

/// The slot of each entity.
pub(super) struct Slots<'a> {
    entities: &'a [Entity],
    by_index: Vec<u32>,
    /// Slots of entities with greater indexes, sorted.
    others: Vec<(Entity, u32)>,
}

impl<'a> Slots<'a> {
    pub(super) fn of(entities: &'a [Entity]) -> Self {
        let indexes = entities.iter().map(|entity| entity.index() as usize + 1).max().unwrap_or(0);
        // The entities may come from a file, so their indexes are not limited by the size of the world. The length of the array is:
        // `others` has the rest.
        let indexes = indexes.min(entities.len() * 64 + 1024);
        let (mut by_index, mut others) = (alloc::vec![NOT_HERE; indexes], Vec::new());
        for (slot, entity) in entities.iter().enumerate() {
            match by_index.get_mut(entity.index() as usize) {
                Some(place) => *place = slot as u32,
                None => others.push((*entity, slot as u32)),
            }
        }
        others.sort_unstable();
        Self { entities, by_index, others }
    }

    pub(super) fn find(&self, entity: Entity) -> Option<u32> {
        let slot = match self.by_index.get(entity.index() as usize) {
            Some(slot) => *slot,
            None => self.others[self.others.binary_search_by_key(&entity, |(entity, _)| *entity).ok()?].1,
        };
        (self.entities.get(slot as usize) == Some(&entity)).then_some(slot)
    }
}

/// Appends a slot that is greater than all slots in the runs.
pub(super) fn add_to_runs(runs: &mut Vec<SlotRun>, table: u32, row: u32, slot: u32) {
    match runs.last_mut() {
        Some(run) if run.table == table && run.row + run.len == row => run.len += 1,
        _ => runs.push(SlotRun { table, row, slot, len: 1 }),
    }
}
