//! The journal of a store, and reading the changes since a position in it.
//!
//! Tests: tests/snapshots/deltas.rs

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{Store, WorldId};
use crate::component::{ComponentDescriptor, ComponentId, KnownClones};
use crate::entity::{Entity, EntityHashSet};
use crate::relations::relation::{PairsCopy, Relations};
use crate::storage::journal::JournaledChanges;
use crate::storage::tick::{LastRun, RunTicks, Tick};

/// A position in the journal of a store. Reading starts there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoreJournalPosition {
    pub(crate) world: WorldId,
    /// How often ticks had gone back when the position was created.
    pub(crate) restores: u64,
    /// The number of this position among all positions of the journal.
    pub(crate) number: u64,
    /// The number of the next entry.
    next: u64,
    /// The last tick before the position.
    seen: LastRun,
}

/// The pairs of some sources of a relation.
pub(crate) struct CopiedPairs {
    pub(crate) pairs: Box<dyn PairsCopy>,
    /// The sources. All pairs of each of them are included.
    pub(crate) sources: Vec<Entity>,
}

/// The changes of a world since a position are unknown. A copy of the world must be updated with everything that the world holds.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::snapshot::JournalError;
///
/// let mut world = World::new();
/// assert_eq!(world.journal_position().unwrap_err(), JournalError::Off);
/// world.start_journal(2, &[]).unwrap();
/// let position = world.journal_position().unwrap();
/// world.spawn_batch([(), (), ()]);
/// assert_eq!(world.changes_since(&position).unwrap_err(), JournalError::TooLate);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum JournalError {
    /// The world has no [journal](crate::world::World::start_journal).
    Off,
    /// The journal had too little room for all changes since, or it has been stopped in the meantime.
    TooLate,
    /// The world has been restored to a snapshot since.
    Restored,
    /// The position belongs to another world.
    OtherWorld,
    /// A schedule, a frame that was begun explicitly, an observer or a hook is running, or a resource scope is open.
    Busy,
    /// There is no memory for so many entries.
    OutOfMemory,
}

impl_error! {
    [] JournalError => |this, f| match this {
        Self::Off => f.write_str("the world has no journal (`World::start_journal`)"),
        Self::TooLate => f.write_str("the journal does not go back so far"),
        Self::Restored => f.write_str("the world has been restored to a snapshot since"),
        Self::OtherWorld => f.write_str("the position is one of another world"),
        Self::Busy => f.write_str("something is running in the world"),
        Self::OutOfMemory => f.write_str("there is no memory for a journal of this size"),
    }
}

/// Starts a journal with room for this number of entries. Returns false if there is no memory for it.
pub(crate) fn begin_journal(store: &mut Store, capacity: usize) -> bool {
    let begun = store.events.begin_journal(capacity);
    store.events.update_interest(&mut store.structure.archetypes);
    begun
}

/// Ends the journal.
pub(crate) fn end_journal(store: &mut Store) {
    store.events.end_journal();
    store.events.update_interest(&mut store.structure.archetypes);
}

/// Tracks the changes of a component until the journal ends.
pub(crate) fn track_for_journal(store: &mut Store, id: ComponentId) {
    if store.events.journal().is_none_or(|journal| journal.tracks(id)) {
        return;
    }
    if let Some(guard) = store.structure.watch(id, store.clock.change_tick())
        && let Some(journal) = store.events.journal_mut()
    {
        journal.keep(id, guard);
    }
}

/// Returns the current position of the journal, if there is a journal. Later changes come after this position.
pub(crate) fn journal_moment(store: &mut Store) -> Option<StoreJournalPosition> {
    store.events.journal()?;
    store.flush();
    store.structure.track_requested(store.clock.change_tick());
    let (world, restores) = (store.id, store.clock.restores);
    let tick = store.next_tick();
    let seen = store.clock.run_at(tick);
    look_for_journal(store, tick);
    let (next, number) = store.events.journal_mut()?.seal();
    Some(StoreJournalPosition { world, restores, number, next, seen })
}

/// Registers the journal as a consumer of the columns that are tracked for it: from now on the change logs of these columns list the rows
/// that change.
fn look_for_journal(store: &Store, tick: Tick) {
    let Some(journal) = store.events.journal() else { return };
    for table in store.structure.archetypes.tables.as_slice().iter().filter(|table| !table.is_empty()) {
        for (nth, _) in table.components().iter().enumerate().filter(|(_, id)| journal.tracks(**id)) {
            if let Some(tracking) = table.column(nth).tracking() {
                tracking.note_consumer(tick);
            }
        }
    }
}

/// Returns the changes of entities between a position and now, and the ticks since the position.
pub(crate) fn journal_since(
    store: &Store,
    moment: &StoreJournalPosition,
) -> Result<(JournaledChanges, RunTicks), JournalError> {
    if moment.world != store.id {
        return Err(JournalError::OtherWorld);
    }
    if moment.restores != store.clock.restores {
        return Err(JournalError::Restored);
    }
    let journal = store.events.journal().ok_or(JournalError::TooLate)?;
    let journaled =
        journal.since(moment.next, |entity| store.structure.entities.contains(entity)).ok_or(JournalError::TooLate)?;
    Ok((journaled, store.clock.run_ticks_since(moment.seen, store.clock.change_tick())))
}

/// Copies pairs of each relation: if `since` is `None`, all pairs; otherwise the pairs whose source is one of `entities`, or has changed
/// pairs. Relations whose values cannot be cloned are skipped. `clones` has the clone functions of relations whose definitions name no such
/// function.
pub(crate) fn copy_pairs_since(
    relations: &mut Relations<Store>,
    entities: &[&[Entity]],
    since: Option<RunTicks>,
    clones: &KnownClones,
) -> Vec<CopiedPairs> {
    let mut copies = Vec::new();
    for place in relations.places.iter_mut().filter(|place| place.pairs.index().len() != 0) {
        let sources = match since {
            None => place.pairs.index().entities(0).collect(),
            Some(since) => {
                let all = entities.iter().copied().flatten().copied();
                let mut sources: Vec<Entity> = all.filter(|&one| place.pairs.index().count(0, one) != 0).collect();
                let mut known: EntityHashSet = sources.iter().copied().collect();
                sources.extend(place.pairs.changed_sources(since).into_iter().filter(|one| known.insert(*one)));
                sources
            }
        };
        if !sources.is_empty()
            && let Some(pairs) = place.pairs.copy_from(&sources, clones)
        {
            copies.push(CopiedPairs { pairs, sources });
        }
    }
    copies
}

/// Returns the descriptors of the relations that have pairs.
pub(crate) fn relations_with_pairs(relations: &Relations<Store>) -> impl Iterator<Item = &'static ComponentDescriptor> {
    let all = relations.places.iter().filter(|place| place.pairs.index().len() != 0);
    all.map(|place| place.pairs.descriptor())
}
