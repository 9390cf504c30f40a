//! The journal lists changes of entities in chronological order, for consumers that update a copy of the world.
//!
//! A journal lists the entities that were spawned or despawned, or whose components or pairs changed. It contains no values: values that
//! were changed in place are found by their ticks. A journal allocates a fixed number of entries in advance, so that recording cannot fail.
//! When it is full, each new entry replaces the oldest entry. A world has no journal until a program requests one. An active journal costs
//! as much as the recorder of all transitions.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use crate::component::transition::Transition;
use crate::component::{ComponentId, TrackingGuard};
use crate::entity::{Entity, EntityHashSet};

/// The kind of change of an entity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum EntityChange {
    Made,
    Changed,
    Ended,
}

impl From<Transition> for EntityChange {
    fn from(transition: Transition) -> Self {
        match transition {
            Transition::Made => Self::Made,
            Transition::Ended => Self::Ended,
            _ => Self::Changed,
        }
    }
}

/// The counters with which a journal starts. They continue those of all earlier journals of the world.
#[derive(Clone, Copy, Default)]
pub(crate) struct JournalStart {
    /// The number of the first entry.
    first: u64,
    /// The number of positions that have been handed out.
    positions: u64,
}

/// The most recent changes of entities.
pub(crate) struct Journal {
    entries: VecDeque<(Entity, EntityChange)>,
    /// The number of the oldest entry.
    first: u64,
    pub(crate) capacity: usize,
    /// Whether a position after the last entry has been handed out. If so, a later change needs an entry of its own.
    is_sealed: bool,
    /// The number of positions that this journal and earlier journals have handed out.
    positions: u64,
    /// The components whose changes are tracked for the journal, in ascending order.
    tracked: Vec<(ComponentId, TrackingGuard)>,
}

/// The entities that changed between two positions of a journal. Each entity occurs once.
#[derive(Default)]
pub(crate) struct JournaledChanges {
    /// Entities that were spawned between the positions, and are alive.
    pub(crate) made: Vec<Entity>,
    /// Entities that existed before the first position, have changed, and are alive.
    pub(crate) changed: Vec<Entity>,
    /// Entities that existed before the first position, and have been despawned.
    pub(crate) ended: Vec<Entity>,
}

impl Journal {
    /// Creates an empty journal; `None` if the memory for `capacity` entries cannot be allocated.
    pub(crate) fn new(start: JournalStart, capacity: usize) -> Option<Self> {
        let mut entries = VecDeque::new();
        entries.try_reserve_exact(capacity).ok()?;
        let JournalStart { first, positions } = start;
        Some(Self { entries, first, capacity, is_sealed: true, positions, tracked: Vec::new() })
    }

    /// Returns the start of the next journal, for a journal that ends now. Changes between the two journals are not recorded.
    pub(crate) fn start_of_next(&self) -> JournalStart {
        JournalStart { first: self.end() + 1, positions: self.positions }
    }

    /// Returns the number of the next entry.
    pub(crate) fn end(&self) -> u64 {
        self.first + self.entries.len() as u64
    }

    /// Changes the capacity, and keeps the newest entries. If the memory cannot be allocated, returns false without changes.
    pub(crate) fn set_capacity(&mut self, capacity: usize) -> bool {
        let mut entries = VecDeque::new();
        if entries.try_reserve_exact(capacity).is_err() {
            return false;
        }
        let gone = self.entries.len().saturating_sub(capacity);
        entries.extend(self.entries.drain(gone..));
        (self.entries, self.capacity) = (entries, capacity);
        self.first += gone as u64;
        true
    }

    /// Hands out a position after the last entry. Returns the number of the next entry, and the number of positions that have been handed
    /// out.
    pub(crate) fn seal(&mut self) -> (u64, u64) {
        self.is_sealed = true;
        self.positions += 1;
        (self.end(), self.positions)
    }

    /// Returns whether the changes of a component are tracked for the journal.
    pub(crate) fn tracks(&self, id: ComponentId) -> bool {
        self.tracked.binary_search_by_key(&id, |(tracked, _)| *tracked).is_ok()
    }

    /// Tracks the changes of a component while the journal exists.
    pub(crate) fn keep(&mut self, id: ComponentId, guard: TrackingGuard) {
        let place = self.tracked.partition_point(|(tracked, _)| *tracked < id);
        self.tracked.insert(place, (id, guard));
    }

    /// Records a transition of an entity.
    pub(crate) fn note(&mut self, entity: Entity, transition: Transition) {
        self.push(entity, transition.into());
    }

    /// Records that the pairs of an entity have changed.
    pub(crate) fn note_pairs(&mut self, entity: Entity) {
        self.push(entity, EntityChange::Changed);
    }

    fn push(&mut self, entity: Entity, event: EntityChange) {
        if !self.is_sealed
            && event == EntityChange::Changed
            && let Some((last, EntityChange::Made | EntityChange::Changed)) = self.entries.back()
            && *last == entity
        {
            return;
        }
        self.is_sealed = false;
        if self.entries.len() >= self.capacity {
            self.first += 1;
            if self.entries.pop_front().is_none() {
                return;
            }
        }
        self.entries.push_back((entity, event));
    }

    /// Returns the changes of entities since a position; `None` if some of them have been overwritten.
    pub(crate) fn since(&self, position: u64, is_alive: impl Fn(Entity) -> bool) -> Option<JournaledChanges> {
        let passed = position.checked_sub(self.first)? as usize;
        let (mut journaled, mut seen) = (JournaledChanges::default(), EntityHashSet::default());
        // An entity that leaves and comes back with the same id, as after a transfer to another world and back, existed before.
        for &(entity, event) in self.entries.iter().skip(passed) {
            if !seen.insert(entity) {
                continue;
            }
            match (event == EntityChange::Made, is_alive(entity)) {
                (true, true) => journaled.made.push(entity),
                (false, true) => journaled.changed.push(entity),
                (false, false) => journaled.ended.push(entity),
                (true, false) => {}
            }
        }
        Some(journaled)
    }
}

/// The recorder of transitions.
#[derive(Default)]
pub(crate) struct Recorder {
    /// All transitions since the list was last taken; `None` if transitions are not recorded.
    pub(crate) list: Option<Vec<(Entity, Transition)>>,
    pub(crate) journal: Option<Journal>,
}

impl Recorder {
    /// Returns whether nothing is recorded.
    pub(crate) fn is_off(&self) -> bool {
        self.list.is_none() && self.journal.is_none()
    }

    pub(crate) fn push(&mut self, (entity, transition): (Entity, Transition)) {
        if let Some(list) = &mut self.list {
            list.push((entity, transition));
        }
        if let Some(journal) = &mut self.journal {
            journal.note(entity, transition);
        }
    }
}

impl Extend<(Entity, Transition)> for Recorder {
    fn extend<T: IntoIterator<Item = (Entity, Transition)>>(&mut self, all: T) {
        all.into_iter().for_each(|one| self.push(one));
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use core::num::NonZeroU32;

    use super::*;

    fn entity(index: u32) -> Entity {
        Entity::new(index, NonZeroU32::MIN)
    }

    #[test]
    fn what_comes_behind_a_position_is_not_lost_in_what_was_before() {
        let mut journal = Journal::new(JournalStart { first: 7, positions: 0 }, 8).unwrap();
        journal.note_pairs(entity(1));
        journal.note_pairs(entity(1));
        let (position, _) = journal.seal();
        assert_eq!(position, 8);
        journal.note_pairs(entity(1));
        journal.note(entity(2), Transition::Made);
        journal.note_pairs(entity(2));
        journal.note(entity(3), Transition::Ended);
        assert_eq!(journal.end(), 11);
        let JournaledChanges { made, changed, ended } =
            journal.since(position, |one| one != entity(3)).expect("all of it is there");
        assert_eq!((made, changed, ended), (vec![entity(2)], vec![entity(1)], vec![entity(3)]));
    }

    #[test]
    fn the_oldest_entries_go() {
        let mut journal = Journal::new(JournalStart::default(), 2).unwrap();
        let (position, _) = journal.seal();
        (0..2).for_each(|index| journal.note(entity(index), Transition::Made));
        assert_eq!(journal.since(position, |_| true).unwrap().made.len(), 2);
        journal.note(entity(2), Transition::Made);
        assert!(journal.since(position, |_| true).is_none());
        assert_eq!(journal.since(position + 1, |_| true).unwrap().made, [entity(1), entity(2)]);
        assert!(journal.set_capacity(1));
        assert!(journal.since(position + 1, |_| true).is_none());
        // Without capacity all changes are lost.
        let mut journal = Journal::new(JournalStart::default(), 0).unwrap();
        let (position, _) = journal.seal();
        assert!(journal.since(position, |_| true).is_some());
        journal.note(entity(0), Transition::Made);
        assert!(journal.since(position, |_| true).is_none());
    }
}
