//! The journal of a store, and what has happened since a position in it.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{Store, WorldId};
use crate::component::{ComponentDescriptor, ComponentId, KnownClones};
use crate::entity::{Entity, EntityHashSet};
use crate::journal::Journaled;
use crate::relation::{PairsCopy, Relations};
use crate::tick::{LastRun, RunTicks, Tick};

/// A moment of a store, from which on its journal is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) world: WorldId,
    /// How often ticks had gone back.
    pub(crate) restores: u64,
    /// How many moments of the journal came before it, and this one.
    pub(crate) number: u64,
    /// The number of the next entry.
    next: u64,
    /// The last tick that was before it.
    seen: LastRun,
}

/// The pairs of some sources of a relation.
pub(crate) struct CopiedPairs {
    pub(crate) pairs: Box<dyn PairsCopy>,
    /// All of whose pairs these are.
    pub(crate) sources: Vec<Entity>,
}

/// It is not known what has changed in a world since a moment. A copy of the world is brought up to date by all that the world holds.
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
    /// The journal has not enough room for all that has happened since, or has been stopped meanwhile.
    TooLate,
    /// The world has been restored to a snapshot since.
    Restored,
    /// The position is one of another world.
    OtherWorld,
    /// A schedule, a frame that was begun by name, or an observer or hook is running, or a scope has taken a resource out.
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

/// Keeps a journal with room for so many entries from now on. False if there is no memory for it.
pub(crate) fn begin_journal(store: &mut Store, capacity: usize) -> bool {
    let begun = store.events.begin_journal(capacity);
    store.events.update_interest(&mut store.structure.archetypes);
    begun
}

/// Keeps no journal any more.
pub(crate) fn end_journal(store: &mut Store) {
    store.events.end_journal();
    store.events.update_interest(&mut store.structure.archetypes);
}

/// Keeps the changes of a component tracked for as long as there is a journal.
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

/// The present as a moment of the journal, if there is one: what is done from now on is behind it.
pub(crate) fn journal_moment(store: &mut Store) -> Option<Moment> {
    store.events.journal()?;
    store.flush();
    store.structure.track_requested(store.clock.change_tick());
    let (world, restores) = (store.id, store.clock.restores);
    let tick = store.next_tick();
    let seen = store.clock.run_at(tick);
    look_for_journal(store, tick);
    let (next, number) = store.events.journal_mut()?.seal();
    Some(Moment { world, restores, number, next, seen })
}

/// Looks at the columns whose changes are tracked for the journal, as a consumer: from now on their logs name the rows that change.
fn look_for_journal(store: &Store, tick: Tick) {
    let Some(journal) = store.events.journal() else { return };
    for table in store.structure.archetypes.tables.as_slice().iter().filter(|table| !table.is_empty()) {
        for (nth, _) in table.components().iter().enumerate().filter(|(_, id)| journal.tracks(**id)) {
            if let Some(tracking) = table.column(nth).tracking() {
                tracking.look(tick);
            }
        }
    }
}

/// What has become of entities between a moment and now, and the ticks that are new since.
pub(crate) fn journal_since(store: &Store, moment: &Moment) -> Result<(Journaled, RunTicks), JournalError> {
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

/// The pairs of each relation of which one of some entities is the source, and those of sources with pairs that have changed; or
/// all. Relations whose values cannot be cloned are passed over; `clones` has the functions of those whose definitions name none.
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

/// What is known of the relations that have pairs.
pub(crate) fn relations_with_pairs(relations: &Relations<Store>) -> impl Iterator<Item = &'static ComponentDescriptor> {
    let all = relations.places.iter().filter(|place| place.pairs.index().len() != 0);
    all.map(|place| place.pairs.descriptor())
}
