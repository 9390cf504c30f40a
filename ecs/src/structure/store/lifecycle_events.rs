//! Pending lifecycle events, to be delivered to hooks and observers.
//!
//! A batch consists of entities with the same changes, so that listeners run in a loop, or once for all of them. Entities in consecutive
//! rows of a table are not copied: if the rows stay where they are until the batch is delivered, the batch contains the range of rows;
//! otherwise it lists the entities ([`LifecycleEvents::resolve_rows`]).

use alloc::vec::Vec;
use core::ops::Range;

use crate::component::{ComponentId, LifecycleMask};
use crate::entity::{Entities, Entity, TableId};
use crate::storage::table::{Table, Tables};
use crate::util::alloc_error::{AllocError, try_reserve};

/// The lifecycle events of operations, in order. Consecutive events of one entity form one batch.
#[derive(Default)]
pub(crate) struct LifecycleEvents {
    entities: Vec<Entity>,
    changes: Vec<(ComponentId, LifecycleMask)>,
    batches: Vec<BatchRange>,
    /// Set if there was no memory for an event. An operation that moves rows cannot fail, so the error is raised on delivery.
    failed: Option<AllocError>,
}

/// The entities and the changes of a batch.
struct BatchRange {
    of: BatchEntities,
    changes: Range<usize>,
    /// Whether no later operation can have undone the changes.
    is_certain: bool,
}

enum BatchEntities {
    One(Entity),
    Listed(Range<usize>),
    Rows(TableId, Range<usize>),
}

/// Entities with the same changes, in order.
#[derive(Clone, Copy)]
#[doc(hidden)]
pub enum AffectedEntities<'n> {
    /// The entities in `count` rows of a table, from `first` on.
    Rows { table: TableId, first: usize, count: usize },
    /// The listed entities.
    Listed(&'n [Entity]),
}

impl<'n> AffectedEntities<'n> {
    /// Returns the number of entities.
    #[inline]
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Rows { count, .. } => count,
            Self::Listed(entities) => entities.len(),
        }
    }

    /// Returns the entities.
    #[inline]
    pub(crate) fn entities<'t>(self, tables: &'t Tables) -> &'t [Entity]
    where
        'n: 't,
    {
        match self {
            Self::Rows { table, first, count } => {
                let entities = tables.get(table).map_or(&[][..], Table::entities);
                entities.get(first..first + count).unwrap_or_default()
            }
            Self::Listed(entities) => entities,
        }
    }

    /// Returns the entity with the index `nth`, if there are so many.
    #[inline]
    pub(crate) fn get(self, nth: usize, tables: &Tables) -> Option<Entity> {
        self.entities(tables).get(nth).copied()
    }

    /// Returns a subrange of the entities.
    #[inline]
    pub(crate) fn some(self, range: Range<usize>) -> Self {
        match self {
            Self::Rows { table, first, .. } => Self::Rows { table, first: first + range.start, count: range.len() },
            Self::Listed(entities) => Self::Listed(entities.get(range).unwrap_or_default()),
        }
    }

    /// Returns the entity if there is exactly one.
    #[inline]
    pub(crate) fn sole(self, tables: &Tables) -> Option<Entity> {
        match self {
            Self::Listed(&[entity]) => Some(entity),
            Self::Rows { count: 1, .. } => self.get(0, tables),
            _ => None,
        }
    }
}

impl LifecycleEvents {
    /// Returns whether there are no events.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.batches.is_empty() && self.failed.is_none()
    }

    /// Makes room for the events of one entity, so that an operation on one entity needs no memory for them.
    pub(super) fn reserve_first(&mut self) {
        const CHANGES: usize = 4;
        self.reserve(0, CHANGES).unwrap_or_else(|error| error.raise());
    }

    /// Clears the recorded allocation failure.
    pub(super) fn forget_failure(&mut self) {
        self.failed = None;
    }

    /// Raises the recorded allocation failure, if there is one.
    #[inline]
    pub(super) fn raise_failure(&mut self) {
        if let Some(error) = self.failed.take() {
            error.raise()
        }
    }

    /// Removes all events and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.entities.clear();
        self.changes.clear();
        self.batches.clear();
        self.failed = None;
    }

    /// Adds an event of one component of an entity. A second event of the same component belongs to another operation, so it starts a new
    /// batch.
    pub(super) fn add(&mut self, entity: Entity, id: ComponentId, kinds: LifecycleMask) {
        if let Some(BatchRange { of: BatchEntities::One(last), changes, .. }) = self.batches.last_mut()
            && *last == entity
            && self.changes[changes.clone()].iter().all(|change| change.0 != id)
        {
            match try_reserve(&mut self.changes, 1) {
                Ok(()) => {
                    self.changes.push((id, kinds));
                    changes.end += 1;
                }
                Err(error) => self.failed = Some(error),
            }
            return;
        }
        self.add_one(entity, [(id, kinds)], false);
    }

    /// Adds a batch. A batch of a single entity is not certain: it may belong to one of several operations that are carried out as one,
    /// which may undo each other's changes.
    #[inline]
    pub(super) fn add_all(
        &mut self,
        of: AffectedEntities<'_>,
        changes: impl IntoIterator<Item = (ComponentId, LifecycleMask)>,
    ) {
        let is_certain = match of {
            AffectedEntities::Rows { .. } => true,
            AffectedEntities::Listed(entities) => entities.len() != 1,
        };
        self.add_batch(of, changes, is_certain);
    }

    /// Adds a batch. `is_certain` is true if no later operation can undo the changes before the batch is delivered.
    pub(super) fn add_batch(
        &mut self,
        of: AffectedEntities<'_>,
        changes: impl IntoIterator<Item = (ComponentId, LifecycleMask)>,
        is_certain: bool,
    ) {
        let listed = match of {
            AffectedEntities::Listed(&[entity]) => return self.add_one(entity, changes, is_certain),
            AffectedEntities::Listed(entities) => entities,
            AffectedEntities::Rows { .. } => &[],
        };
        let first = self.changes.len();
        if of.len() == 0 || !self.add_changes(changes, listed.len()) {
            return;
        }
        let changes = first..self.changes.len();
        let of = match of {
            AffectedEntities::Listed(_) => {
                let first = self.entities.len();
                self.entities.extend_from_slice(listed);
                BatchEntities::Listed(first..self.entities.len())
            }
            AffectedEntities::Rows { table, first: row, count } => {
                if let Some(BatchRange { of: BatchEntities::Rows(last, rows), changes: of_last, .. }) =
                    self.batches.last_mut()
                    && (*last, rows.end) == (table, row)
                    && self.changes[of_last.clone()] == self.changes[changes.clone()]
                {
                    rows.end += count;
                    return self.changes.truncate(first);
                }
                BatchEntities::Rows(table, row..row + count)
            }
        };
        self.batches.push(BatchRange { of, changes, is_certain });
    }

    /// Adds a batch of one entity.
    #[inline]
    pub(super) fn add_one(
        &mut self,
        entity: Entity,
        changes: impl IntoIterator<Item = (ComponentId, LifecycleMask)>,
        is_certain: bool,
    ) {
        let first = self.changes.len();
        if self.add_changes(changes, 0) {
            let changes = first..self.changes.len();
            self.batches.push(BatchRange { of: BatchEntities::One(entity), changes, is_certain });
        }
    }

    /// Adds the changes of a batch, and makes room for the batch and for this number of listed entities. Returns false if there are no
    /// changes, or no room.
    #[inline]
    fn add_changes(
        &mut self,
        changes: impl IntoIterator<Item = (ComponentId, LifecycleMask)>,
        entities: usize,
    ) -> bool {
        let (changes, first) = (changes.into_iter(), self.changes.len());
        let (lower, upper) = changes.size_hint();
        if let Err(error) = self.reserve(entities, upper.unwrap_or(lower)) {
            self.failed = Some(error);
            return false;
        }
        for change in changes {
            self.changes.push(change);
        }
        self.changes.len() != first
    }

    /// Makes room for a batch with this number of listed entities and changes.
    #[inline]
    fn reserve(&mut self, entities: usize, changes: usize) -> Result<(), AllocError> {
        let has_room = entities <= self.entities.capacity() - self.entities.len()
            && changes <= self.changes.capacity() - self.changes.len()
            && self.batches.len() < self.batches.capacity();
        if has_room { Ok(()) } else { self.grow(entities, changes) }
    }

    #[cold]
    fn grow(&mut self, entities: usize, changes: usize) -> Result<(), AllocError> {
        try_reserve(&mut self.entities, entities)?;
        try_reserve(&mut self.changes, changes)?;
        try_reserve(&mut self.batches, 1)
    }

    /// Called before rows of a table move: replaces the rows of this table in batches by lists of their entities.
    pub(super) fn resolve_rows(&mut self, table: &Table) {
        let Self { entities, batches, failed, .. } = self;
        batches.retain_mut(|BatchRange { of, .. }| {
            if let BatchEntities::Rows(id, rows) = of
                && *id == table.id()
            {
                let (first, rows) = (entities.len(), table.entities().get(rows.clone()).unwrap_or_default());
                if let Err(error) = try_reserve(entities, rows.len()) {
                    *failed = Some(error);
                    return false;
                }
                entities.extend_from_slice(rows);
                *of = BatchEntities::Listed(first..entities.len());
            }
            true
        });
    }

    /// Replaces the rows of all tables in batches, as [`resolve_rows`](Self::resolve_rows) does for one table.
    pub(crate) fn resolve_all_rows(&mut self, tables: &Tables) {
        let by_rows =
            |batch: &BatchRange| if let BatchEntities::Rows(table, _) = batch.of { Some(table) } else { None };
        while let Some(table) = self.batches.iter().find_map(by_rows) {
            match tables.get(table) {
                Some(table) => self.resolve_rows(table),
                None => self.batches.retain(|batch| by_rows(batch) != Some(table)),
            }
        }
    }

    /// Notes that other operations may run before delivery. Delivery then checks whether each change still holds.
    pub(crate) fn mark_stale(&mut self) {
        self.batches.iter_mut().for_each(|batch| batch.is_certain = false);
    }

    /// Returns whether other operations may have undone the changes, or batches may be merged.
    #[inline]
    pub(super) fn is_unsettled(&self) -> bool {
        self.batches.len() != 1 || !self.batches[0].is_certain
    }

    /// Removes the events for which `holds` returns false. Batches that are certain or that contain rows are kept without a check.
    pub(super) fn retain(&mut self, holds: impl Fn(Entity, ComponentId, LifecycleMask) -> bool) {
        let batch_holds = |events: &Self, batch: &BatchRange| match events.batch(batch, LifecycleMask::NONE).affected {
            AffectedEntities::Listed(&[entity]) if !batch.is_certain => {
                let mut changes = events.changes[batch.changes.clone()].iter();
                changes.all(|change| holds(entity, change.0, change.1))
            }
            // Unless the batch is certain, the changes may hold for only some of its entities.
            AffectedEntities::Listed(_) => batch.is_certain,
            AffectedEntities::Rows { .. } => true,
        };
        if self.batches.iter().all(|batch| batch_holds(self, batch)) {
            return;
        }
        let all = core::mem::take(self);
        self.failed = all.failed;
        for range in &all.batches {
            let EventBatch { affected, changes, .. } = all.batch(range, LifecycleMask::NONE);
            let changes = changes.iter().copied();
            match affected {
                AffectedEntities::Listed(entities) if !range.is_certain => {
                    for &entity in entities {
                        self.add_one(entity, changes.clone().filter(|change| holds(entity, change.0, change.1)), false);
                    }
                }
                _ => self.add_batch(affected, changes, range.is_certain),
            }
        }
    }

    /// Merges consecutive batches of one table with the same changes.
    pub(super) fn merge_batches(&mut self, index: &Entities) {
        let Self { entities, changes, batches, .. } = self;
        batches.dedup_by(|next, last| {
            let first = |of: &BatchEntities| match of {
                BatchEntities::One(entity) => Some(*entity),
                BatchEntities::Listed(range) => entities.get(range.start).copied(),
                BatchEntities::Rows(..) => None,
            };
            let (Some(of_last), Some(of_next)) = (first(&last.of), first(&next.of)) else { return false };
            let table = |entity| index.get(entity).map(|location| location.table);
            if last.is_certain != next.is_certain
                || changes[last.changes.clone()] != changes[next.changes.clone()]
                || table(of_last) != table(of_next)
            {
                return false;
            }
            match (&mut last.of, &next.of) {
                (BatchEntities::Listed(range), BatchEntities::Listed(others)) if range.end == others.start => {
                    range.end = others.end
                }
                // A new list is made at the end of `entities`, so that the next arm can extend it.
                (BatchEntities::One(_), BatchEntities::One(_)) if try_reserve(entities, 2).is_ok() => {
                    entities.extend([of_last, of_next]);
                    last.of = BatchEntities::Listed(entities.len() - 2..entities.len());
                }
                (BatchEntities::Listed(range), BatchEntities::One(_))
                    if range.end == entities.len() && try_reserve(entities, 1).is_ok() =>
                {
                    entities.push(of_next);
                    range.end += 1;
                }
                _ => return false,
            }
            true
        });
    }

    /// Returns the kinds of all events.
    #[inline]
    pub(crate) fn kinds(&self) -> LifecycleMask {
        self.changes.iter().fold(LifecycleMask::NONE, |all, change| all.union(change.1))
    }

    /// Returns whether all events are of one batch and one component.
    #[inline]
    pub(crate) fn is_single(&self) -> bool {
        self.changes.len() == 1
    }

    /// Returns the batch and the component if there is exactly one event and it is of one of these kinds.
    #[inline]
    pub(crate) fn single(&self, kinds: LifecycleMask) -> Option<(EventBatch<'_>, ComponentId)> {
        let ([batch], [(component, of)]) = (&self.batches[..], &self.changes[..]) else { return None };
        of.intersects(kinds).then(|| (self.batch(batch, kinds), *component))
    }

    #[inline]
    fn batch<'e>(&'e self, batch: &'e BatchRange, kinds: LifecycleMask) -> EventBatch<'e> {
        let affected = match &batch.of {
            BatchEntities::One(entity) => AffectedEntities::Listed(core::slice::from_ref(entity)),
            BatchEntities::Listed(range) => AffectedEntities::Listed(&self.entities[range.clone()]),
            BatchEntities::Rows(table, rows) => {
                AffectedEntities::Rows { table: *table, first: rows.start, count: rows.len() }
            }
        };
        EventBatch { affected, changes: &self.changes[batch.changes.clone()], kinds }
    }

    /// Returns the batches that contain an event of one of these kinds.
    #[inline]
    pub(crate) fn batches(&self, kinds: LifecycleMask) -> impl Iterator<Item = EventBatch<'_>> + Clone {
        let batches = self.batches.iter().map(move |batch| self.batch(batch, kinds));
        batches.filter(|batch| batch.components().next().is_some())
    }
}

/// The entities of a batch, and those of its events that have some kinds.
#[derive(Clone, Copy)]
pub(crate) struct EventBatch<'e> {
    pub(crate) affected: AffectedEntities<'e>,
    changes: &'e [(ComponentId, LifecycleMask)],
    kinds: LifecycleMask,
}

impl<'e> EventBatch<'e> {
    /// Returns the components of the events.
    #[inline]
    pub(crate) fn components(&self) -> impl Iterator<Item = ComponentId> + Clone + use<'e> {
        let kinds = self.kinds;
        self.changes.iter().filter(move |change| change.1.intersects(kinds)).map(|change| change.0)
    }

    /// Returns the kinds of the events of a component.
    pub(crate) fn kinds_of(&self, id: ComponentId) -> LifecycleMask {
        let changes = self.changes.iter().filter(|change| change.0 == id);
        changes.fold(LifecycleMask::NONE, |all, change| all.union(change.1)).intersection(self.kinds)
    }
}

#[cfg(test)]
mod tests {
    use core::num::NonZeroU32;

    use super::*;

    const A: ComponentId = ComponentId(0);
    const B: ComponentId = ComponentId(1);

    fn entity(index: u32) -> Entity {
        Entity::new(index, NonZeroU32::MIN)
    }

    fn rows(table: u32, first: usize, count: usize) -> AffectedEntities<'static> {
        AffectedEntities::Rows { table: TableId(table), first, count }
    }

    /// Returns the number of entities and the components of each batch.
    fn batches(events: &LifecycleEvents, kinds: LifecycleMask) -> Vec<(usize, Vec<ComponentId>)> {
        events.batches(kinds).map(|batch| (batch.affected.len(), batch.components().collect())).collect()
    }

    #[test]
    fn events_of_one_entity_are_one_batch_unless_a_component_comes_up_twice() {
        let mut events = LifecycleEvents::default();
        events.add(entity(3), A, LifecycleMask::ADD);
        events.add(entity(3), B, LifecycleMask::ADD.union(LifecycleMask::INSERT));
        events.add(entity(3), A, LifecycleMask::INSERT);
        events.add(entity(4), A, LifecycleMask::INSERT);
        assert_eq!(batches(&events, LifecycleMask::ADD), [(1, alloc::vec![A, B])]);
        let inserted = [(1, alloc::vec![B]), (1, alloc::vec![A]), (1, alloc::vec![A])];
        assert_eq!(batches(&events, LifecycleMask::INSERT), inserted);
        assert_eq!(events.kinds(), LifecycleMask::ADD.union(LifecycleMask::INSERT));
        let first = events.batches(LifecycleMask::ADD).next().unwrap();
        assert_eq!([A, B].map(|id| first.kinds_of(id)), [LifecycleMask::ADD; 2]);
        events.clear();
        assert!(events.is_empty());
    }

    #[test]
    fn rows_of_a_table_that_follow_each_other_are_one_batch() {
        let mut events = LifecycleEvents::default();
        events.add_all(rows(2, 0, 0), [(A, LifecycleMask::ADD)]);
        events.add_all(rows(2, 0, 3), []);
        assert!(events.is_empty());
        events.add_all(rows(2, 0, 3), [(A, LifecycleMask::ADD)]);
        events.add_all(rows(2, 3, 1), [(A, LifecycleMask::ADD)]);
        assert!(!events.is_unsettled());
        let single = events.single(LifecycleMask::ADD).map(|(batch, component)| (batch.affected.len(), component));
        assert_eq!(single, Some((4, A)));
        assert!(events.single(LifecycleMask::INSERT).is_none());
        events.add_all(rows(2, 4, 2), [(B, LifecycleMask::ADD)]);
        events.add_all(rows(3, 6, 2), [(B, LifecycleMask::ADD)]);
        let expected = [(4, alloc::vec![A]), (2, alloc::vec![B]), (2, alloc::vec![B])];
        assert_eq!(batches(&events, LifecycleMask::ADD), expected);
        assert!(events.single(LifecycleMask::ADD).is_none());
    }

    #[test]
    fn events_that_an_operation_may_have_undone_are_checked() {
        let (three, four) = ([entity(3)], [entity(4), entity(5), entity(6)]);
        let mut events = LifecycleEvents::default();
        events.add_batch(AffectedEntities::Listed(&three), [(A, LifecycleMask::ADD), (B, LifecycleMask::ADD)], true);
        events.add_batch(AffectedEntities::Listed(&four), [(A, LifecycleMask::ADD), (B, LifecycleMask::ADD)], true);
        let holds = |of: Entity, id, _| of != entity(3) && (of, id) != (entity(5), A) && of != entity(6);
        events.retain(holds);
        assert_eq!(batches(&events, LifecycleMask::ADD), [(1, alloc::vec![A, B]), (3, alloc::vec![A, B])]);
        events.mark_stale();
        assert!(events.is_unsettled());
        events.retain(holds);
        assert_eq!(batches(&events, LifecycleMask::ADD), [(1, alloc::vec![A, B]), (1, alloc::vec![B])]);
    }

    #[test]
    fn batches_of_one_table_with_the_same_changes_are_merged() {
        let mut events = LifecycleEvents::default();
        for at in [1, 2, 3] {
            events.add_all(AffectedEntities::Listed(&[entity(at)]), [(A, LifecycleMask::ADD)]);
        }
        events.add_all(AffectedEntities::Listed(&[entity(4)]), [(B, LifecycleMask::ADD)]);
        // None of them is alive, so all count as being in the same table.
        events.merge_batches(&Entities::default());
        assert_eq!(batches(&events, LifecycleMask::ADD), [(3, alloc::vec![A]), (1, alloc::vec![B])]);
    }
}
