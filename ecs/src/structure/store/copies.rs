//! Copies of everything that a store holds, and restoring a store from a copy.
//!
//! A copy has parts of the same kinds as the store: tables, storages, resources, removal logs, and the state of entities and frames. A
//! store is restored in steps, like any operation: (0) values are cloned, which is user code and may panic, and then room is made; (1) the
//! store changes, which can neither fail nor run user code; (2) the old contents are dropped.
//!
//! Everything that is not state of the world stays: components, bundles and plans, readers of changes and removals, observers and hooks.
//! Tables that the copy does not have are removed, and the others get the order of the copy, so that the order of later tables depends only
//! on later operations. This begins a new epoch of tables, as in `shrink`, unless the order stays the same.
//!
//! A store can be *known* to have been equal to a copy, if taking or restoring that copy was the last such step and the tick has advanced
//! since ([`CopyVersion`]): then the stamps of tables and columns show what has been written. Copies share the parts that have not been
//! written, and a store that is restored from another copy keeps what both share.
//!
//! Ticks go back to the ticks of the copy. Consumers that the copy contains go back with them. The era advances (`LastRun`): to any other
//! consumer everything is new, since the changes that it has seen may never have happened.
//!
//! Tests: tests/snapshots/histories.rs, tests/snapshots/limits.rs

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Weak;
use alloc::vec::Vec;

use super::clock::RestoredEra;
use super::frame::notice_ended_frame;
use super::frames::FramesCopy;
use super::links::LinksCopy;
use super::target_world::take_returned;
use super::{Store, WorldId};
use crate::component::{ComponentDescriptor, ComponentId, Components, ErasedRef, KnownClones, UnprovedType};
use crate::entity::{EntitiesCopy, Entity, IdForecasts, KnownEntities};
use crate::relations::relation::{ErasedPairs, PairsCopy, Relations};
use crate::storage::column::{BegunTicks, ColumnClones};
use crate::storage::resource::{MessageNumbers, RenewedList, ResourceClones, ResourceCopies, ResourceId};
use crate::storage::sparse::SparseCopy;
use crate::storage::table::{Arrangement, KnownTable, Table, TableCopy};
use crate::storage::tick::Tick;
use crate::storage::tracking::Spawns;
use crate::structure::removal::{LogCopy, Removals};
use crate::util::alloc_error::{AllocError, try_reserve_exact};
use crate::util::guard::DeferredPanic;

/// A copy of everything that a store holds.
#[derive(Default)]
pub(crate) struct StoreCopy {
    /// The store that this is a copy of; `None` while it is incomplete: nothing has been copied, or a `Clone` has panicked.
    pub(crate) whole_of: Option<WorldId>,
    pub(crate) entities: EntitiesCopy,
    pub(crate) id_forecasts: IdForecasts,
    pub(crate) tables: Vec<TableCopy>,
    /// By the number of the storage.
    pub(crate) sparse: Vec<SparseCopy>,
    pub(crate) resources: ResourceCopies,
    pub(crate) removals: Vec<[LogCopy; 2]>,
    pub(crate) spawns: Option<Spawns>,
    pub(super) links: LinksCopy,
    /// By the number of the relation.
    pub(crate) pairs: Vec<Option<Box<dyn PairsCopy>>>,
    /// By the number of the relation: the function that returns its number in a store.
    pub(crate) relations: Vec<fn(&mut Store) -> usize>,
    pub(crate) frames: FramesCopy,
    pub(crate) tick: Tick,
    pub(crate) last: Tick,
    pub(crate) checked: Tick,
    pub(crate) era: u32,
    /// The components with change tracking.
    pub(super) tracked: Vec<ComponentId>,
    /// The type name of a component that is not `Clone` but has required values in the copy. Such a copy can only be moved into a store.
    pub(crate) not_clone: Option<&'static str>,
}

/// The state of a store when it was last equal to a copy. The tick has advanced since.
pub(crate) struct CopyVersion {
    restores: u64,
    /// By table.
    arrangements: Vec<Arrangement>,
}

/// A copy that a store was equal to, and the state of the store at that time.
#[derive(Clone, Copy)]
pub(crate) struct KnownCopy<'a> {
    pub(crate) copy: &'a StoreCopy,
    pub(crate) mark: &'a CopyVersion,
}

impl<'a> KnownCopy<'a> {
    /// Returns whether this is a complete copy of this store, whose ticks have not gone back since.
    fn is_of(&self, store: &Store) -> bool {
        self.copy.whole_of == Some(store.id) && self.mark.restores == store.clock.restores
    }

    /// Returns the copy and the earlier state of the table with this number.
    fn table(&self, number: usize) -> Option<KnownTable<'a>> {
        let copy = self.copy.tables.get(number)?;
        Some(KnownTable { copy, arrangement: *self.mark.arrangements.get(number)? })
    }

    /// Returns the copy of the entities, and whether the rows of all tables are the same as in the copy.
    fn entities(&self, store: &Store) -> KnownEntities<'a> {
        let mut tables = store.structure.archetypes.tables.iter().enumerate();
        let is_same = |(number, table): (usize, &Table)| match self.table(number) {
            Some(known) => known.has_same_rows(table),
            None => table.is_empty(),
        };
        let same_rows = tables.len() >= self.copy.tables.len() && tables.all(is_same);
        KnownEntities { copy: &self.copy.entities, same_rows }
    }
}

/// The cloned contents of a copy.
struct CopyClones {
    tables: Vec<Vec<ColumnClones>>,
    sparse: Vec<ColumnClones>,
    resources: ResourceClones,
    removals: Vec<[ColumnClones; 2]>,
    spawns: Option<Spawns>,
    links: LinksCopy,
    /// By the number of the relation: also of relations that the copy does not have.
    pairs: Vec<Box<dyn ErasedPairs>>,
    id_forecasts: IdForecasts,
    frames: FramesCopy,
}

/// A part of the world that a [snapshot](crate::snapshot) cannot contain.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NotTaken {
    /// Values of a component that is not `Clone`. Contains its type name.
    Component(&'static str),
    /// Pairs of a relation that is not `Clone`. Contains its type name.
    Relation(&'static str),
    /// A resource that is not `Clone`, or a list of such messages. Contains its type name.
    Resource(&'static str),
    /// A value that is not `Send`. Contains its type name.
    NonSend(&'static str),
    /// A `Local` of a system in a schedule of the world, whose type has no known clone function.
    Local {
        /// The name of the system.
        system: String,
        /// The type name of the value.
        value: &'static str,
    },
    /// Observers of single entities.
    EntityObservers,
}

impl_display! {
    [] NotTaken => |this, f| match this {
        Self::Component(name) => UnprovedType::clone("component", name).fmt(f),
        Self::Relation(name) => write!(f, "pairs of {}", UnprovedType::clone("relation", name)),
        Self::Resource(name) => UnprovedType::clone("resource", name).fmt(f),
        Self::NonSend(name) => write!(f, "non-send value `{name}`"),
        Self::Local { system, value } => {
            write!(f, "`Local<{value}>` of system `{system}` (`SnapshotOptions::with_local`)")
        }
        Self::EntityObservers => f.write_str("observers of single entities"),
    }
}

/// The result of restoring a store from a copy.
pub(crate) struct RestoreOutcome {
    /// Lists of messages whose origins have changed.
    pub(crate) renewed: Vec<(ResourceId, RenewedList)>,
    pub(crate) era: RestoredEra,
    /// A panic of a value that was dropped.
    pub(crate) panicked: DeferredPanic,
}

/// Returns whether something is in progress during which the store can be neither copied nor restored.
pub(crate) fn is_busy(store: &mut Store) -> bool {
    notice_ended_frame(store);
    take_returned(store);
    store.frames.goes_on() || store.events.dispatch.is_running() || store.events.scope_depth != 0
}

/// Brings the store into the state in which operations begin.
fn settle(store: &mut Store) {
    // Links are not settled if an operation was aborted by a panic, or if a scope that deferred events has ended while the store was
    // exchanged.
    store.relink();
    store.flush();
    store.structure.track_requested(store.clock.change_tick());
    let links = &store.events.links;
    debug_assert!(links.are_settled() && links.refused.is_empty() && !links.may_disagree);
}

/// Returns the parts that cannot be copied; without rows, only parts other than entities and component values. `is_apart` returns whether a
/// resource is not part of the copy.
pub(crate) fn refused_parts(
    store: &mut Store,
    with_rows: bool,
    is_apart: &dyn Fn(&ComponentDescriptor) -> bool,
    clones: &KnownClones,
) -> Vec<NotTaken> {
    let (components, mut ids) = (&store.structure.archetypes.components, Vec::new());
    if with_rows {
        let cannot = |id: &ComponentId| info(components, *id).is_some_and(|info| info.functions().copying().is_none());
        let tables = store.structure.archetypes.tables.iter().filter(|table| !table.is_empty());
        let of_tables = tables.flat_map(|table| table.components().iter().copied());
        let storages = store.structure.sparse.iter().zip(components.sparse());
        let of_storages = storages.filter(|(storage, _)| storage.len() != 0).map(|(_, id)| *id);
        ids.extend(of_tables.chain(of_storages).filter(cannot));
    }
    ids.extend(store.events.removals.refused(components));
    ids.sort_unstable();
    ids.dedup();
    let names = ids.into_iter().filter_map(|id| info(components, id));
    let mut refused: Vec<NotTaken> = names.map(|descriptor| NotTaken::Component(descriptor.name())).collect();
    let relations = store.relations.places.iter().filter(|place| !place.pairs.can_be_copied(clones));
    refused.extend(relations.map(|place| NotTaken::Relation(place.pairs.descriptor().name())));
    refused.extend(store.resources.refused(is_apart, clones).map(|(name, is_on_thread)| match is_on_thread {
        true => NotTaken::NonSend(name),
        false => NotTaken::Resource(name),
    }));
    refused
}

/// Returns the pairs of the relation with this number, with their values, by row.
pub(crate) fn erased_pairs(
    relations: &Relations<Store>,
    relation: usize,
) -> impl Iterator<Item = ([Entity; 2], ErasedRef<'_>)> {
    let place = relations.places.get(relation);
    // SAFETY: the store is borrowed: code that changes values through a shared reference to it promises that they are not borrowed
    // otherwise.
    place.into_iter().flat_map(|place| unsafe { place.pairs.values() })
}

/// Returns the state of the store, which is equal to a copy. The tick must advance before anything is written.
pub(crate) fn mark_of_copy(store: &Store) -> CopyVersion {
    let arrangements = store.structure.archetypes.tables.iter().map(Table::arrangement).collect();
    CopyVersion { restores: store.clock.restores, arrangements }
}

/// Copies everything into a new copy, or into an earlier one of this store. Shares unchanged parts with a known copy. The caller has
/// checked that everything can be copied and nothing is in progress. `is_apart` returns whether a resource is not part of the copy, and
/// `clones` has the clone functions of types whose definitions name none.
///
/// # Errors
///
/// If there is no memory. The contents of the copy are incomplete then, as after a panic of a `Clone`.
pub(crate) fn copy_store_to(
    store: &mut Store,
    copy: &mut StoreCopy,
    known: Option<KnownCopy<'_>>,
    is_apart: impl Fn(&ComponentDescriptor) -> bool,
    clones: &KnownClones,
) -> Result<(), AllocError> {
    settle(store);
    if copy.whole_of.take() != Some(store.id) {
        // The old contents of the copy belong to another store, so nothing of them is reused.
        *copy = StoreCopy::default();
    }
    let known = known.filter(|known| known.is_of(store));
    let known_entities = known.map(|known| known.entities(store));
    let components = &store.structure.archetypes.components;
    copy.entities.take(&mut store.structure.entities, known_entities)?;
    let mut tables = copy.tables.iter().zip(store.structure.archetypes.tables.iter());
    let same = tables.position(|(copy, table)| copy.components() != table.components());
    copy.tables.truncate(same.unwrap_or(store.structure.archetypes.tables.iter().len()));
    for (at, table) in store.structure.archetypes.tables.iter().enumerate() {
        if at == copy.tables.len() {
            copy.tables.push(TableCopy::new(table, components));
        }
        // SAFETY: the copy was made for a table with these components, in this world: the caller's copy is one of this store.
        unsafe { copy.tables[at].take(table, known.and_then(|known| known.table(at)))? };
    }
    for (at, (storage, &id)) in store.structure.sparse.iter().zip(components.sparse()).enumerate() {
        let Some(info) = components.info(id) else { break };
        if at == copy.sparse.len() {
            copy.sparse.push(SparseCopy::new(info));
        }
        // SAFETY: the storage with this number always has the same component.
        unsafe { copy.sparse[at].take(storage)? };
    }
    copy_rest_to(store, copy, is_apart, clones)?;
    copy.whole_of = Some(store.id);
    Ok(())
}

/// Copies everything except entities and component values into a new copy of this store, which cannot be restored. The caller has checked
/// that everything can be copied and nothing is in progress.
///
/// # Errors
///
/// If there is no memory.
pub(crate) fn copy_around_rows(
    store: &mut Store,
    is_apart: impl Fn(&ComponentDescriptor) -> bool,
    clones: &KnownClones,
) -> Result<StoreCopy, AllocError> {
    settle(store);
    let mut copy = StoreCopy::default();
    copy_rest_to(store, &mut copy, is_apart, clones)?;
    Ok(copy)
}

fn copy_rest_to(
    store: &mut Store,
    copy: &mut StoreCopy,
    is_apart: impl Fn(&ComponentDescriptor) -> bool,
    clones: &KnownClones,
) -> Result<(), AllocError> {
    let components = &store.structure.archetypes.components;
    copy.id_forecasts = store.structure.id_forecasts.clone();
    copy.resources = store.resources.copy(is_apart, clones)?;
    store.events.removals.copy_to(&mut copy.removals, components)?;
    copy.spawns.clone_from(&store.events.spawns);
    copy.links = store.events.links.copy();
    copy.pairs.clear();
    copy.pairs.extend(store.relations.places.iter_mut().map(|place| place.pairs.copy(clones)));
    copy.relations.clear();
    copy.relations.extend(store.relations.places.iter().map(|place| place.functions.register));
    copy.frames = store.frames.state.clone();
    (copy.tick, copy.last) = (store.clock.tick.get(), store.clock.last.get());
    (copy.checked, copy.era) = (store.clock.checked, store.clock.era);
    copy.not_clone = None;
    copy.tracked.clear();
    copy.tracked.extend(components.iter().filter(|info| info.is_tracked()).map(|info| info.id()));
    Ok(())
}

/// A copy to restore from.
pub(crate) enum RestoreSource<'a> {
    /// The values of the copy are cloned. Parts that are unchanged since the known copy, and equal in both, are kept.
    Cloned(&'a StoreCopy, Option<KnownCopy<'a>>),
    /// The values of the copy are moved.
    Moved(Box<StoreCopy>),
}

/// Restores the store from a copy of it. Nothing is in progress, and no resource is lent. `is_apart` returns whether a resource that the
/// copy does not have stays.
///
/// # Errors
///
/// If there is no memory. Nothing observable has changed then, except that tables without rows may have been added. The same holds if a
/// `Clone` panics.
///
/// # Panics
///
/// If the copy belongs to another store, or is incomplete.
pub(crate) fn restore(
    store: &mut Store,
    restoring: RestoreSource<'_>,
    is_apart: impl Fn(&ComponentDescriptor) -> bool,
) -> Result<RestoreOutcome, AllocError> {
    settle(store);
    let mut moved = StoreCopy::default();
    let (copy, rows, known) = match restoring {
        RestoreSource::Cloned(copy, known) => {
            let tables = copy.tables.iter().map(TableCopy::clones).collect::<Result<_, _>>()?;
            let sparse = copy.sparse.iter().map(SparseCopy::clones).collect::<Result<_, _>>()?;
            (copy, (tables, sparse), known)
        }
        RestoreSource::Moved(copy) => {
            moved = *copy;
            // Values are moved out of the copy, unless others share them.
            let tables = moved.tables.iter_mut().map(TableCopy::take_clones).collect::<Result<_, _>>()?;
            let sparse = moved.sparse.iter_mut().map(SparseCopy::take_clones).collect::<Result<_, _>>()?;
            (&moved, (tables, sparse), None)
        }
    };
    let mut clones = copy.clones(rows, store, is_apart)?;
    assert!(copy.whole_of == Some(store.id), "the copy is one of another store, or not whole");
    track_as(store, &copy.tracked);
    let mut room = RestoreMemory::new(store, copy, &mut clones)?;

    // (1) From here on nothing can fail. The known copy contains numbers of tables, so it is used only if the tables keep their order.
    let known = known.filter(|known| known.is_of(store) && store.structure.archetypes.tables.are(&copy.tables));
    let known_entities = known.map(|known| known.entities(store));
    // SAFETY: the copy is a whole one of this store (checked above), and the clones and the room were just made for it.
    unsafe { restore_rows(store, copy, (&mut clones, &mut room), known) };
    store.resources.restore_resources(&mut clones.resources, &mut room.renewed);
    store.structure.entities.restore_from(&copy.entities, known_entities);
    store.structure.pending.clear();
    store.structure.id_forecasts.restore_from(core::mem::take(&mut clones.id_forecasts));
    if let Some(spawns) = &mut store.events.spawns {
        *spawns = clones.spawns.take().unwrap_or_else(|| Spawns::since(copy.tick));
    }
    store.events.links.restore_from(core::mem::take(&mut clones.links));
    for (place, pairs) in store.relations.places.iter_mut().zip(&mut clones.pairs) {
        core::mem::swap(&mut place.pairs, pairs);
    }
    store.frames.restore_from(core::mem::take(&mut clones.frames), &room.renewed);
    let era = store.clock.restore([copy.tick, copy.last, copy.checked], copy.era);

    // (2) The old contents are dropped, which runs user code.
    let Store { events, .. } = store;
    let panicked = DeferredPanic::catch(|| events.removals.drop_expired());
    let panicked =
        panicked.or(DeferredPanic::catch(|| drop((room.gone, clones)))).or(DeferredPanic::catch(|| drop(moved)));
    Ok(RestoreOutcome { renewed: room.renewed, era, panicked })
}

/// Tracks the changes of these components. Components that a consumer has begun to track since the copy was taken stay tracked. The others
/// are tracked as they were.
fn track_as(store: &mut Store, tracked: &[ComponentId]) {
    let components = store.structure.archetypes.components.iter();
    let since = components.filter(|info| info.is_tracked() && info.is_idle() && !tracked.contains(&info.id()));
    let since: Vec<ComponentId> = since.map(|info| info.id()).collect();
    since.into_iter().for_each(|id| store.structure.forget_ticks(id));
    let now = store.clock.change_tick();
    tracked.iter().for_each(|&id| store.structure.track(id, now));
}

/// The memory that restoring a copy needs, and the parts of the store that are dropped afterwards.
struct RestoreMemory {
    /// For the tables of the copy, and for all storages.
    begun: Vec<Vec<BegunTicks>>,
    begun_sparse: Vec<BegunTicks>,
    /// Empty copies, for storages that the copy does not have.
    none: Vec<SparseCopy>,
    /// Tables that are removed.
    gone: Vec<Table>,
    renewed: Vec<(ResourceId, RenewedList)>,
}

impl RestoreMemory {
    /// Makes room for a copy. Adds empty clones for storages that the copy does not have.
    fn new(store: &mut Store, copy: &StoreCopy, clones: &mut CopyClones) -> Result<Self, AllocError> {
        let (structure, now) = (&mut store.structure, copy.tick);
        let components = &structure.archetypes.components;
        let begun = structure.archetypes.tables.make_room_for(&copy.tables, components, now)?;
        let unknown = components.sparse().iter().skip(copy.sparse.len()).filter_map(|id| components.info(*id));
        let none: Vec<SparseCopy> = unknown.map(SparseCopy::new).collect();
        try_reserve_exact(&mut clones.sparse, none.len())?;
        for none in &none {
            clones.sparse.push(none.clones()?);
        }
        let (mut gone, mut begun_sparse, mut renewed) = (Vec::new(), Vec::new(), Vec::new());
        try_reserve_exact(&mut gone, structure.archetypes.tables.iter().len())?;
        try_reserve_exact(&mut begun_sparse, copy.sparse.len() + none.len())?;
        for (storage, copy) in structure.sparse.iter_mut().zip(copy.sparse.iter().chain(&none)) {
            begun_sparse.push(storage.make_room_for(copy, now)?);
        }
        store.events.removals.make_room_for_copies(&copy.removals)?;
        structure.entities.make_room_for(&copy.entities)?;
        try_reserve_exact(&mut renewed, store.resources.message_lists())?;
        Ok(Self { begun, begun_sparse, none, gone, renewed })
    }
}

/// Restores the rows of tables, the values of storages and the removal logs from a copy. Cannot fail.
///
/// # Safety
///
/// - The copy is a complete one of this store. The clones are its own, and the room was made for it since the last operation.
unsafe fn restore_rows(
    store: &mut Store,
    copy: &StoreCopy,
    (clones, room): (&mut CopyClones, &mut RestoreMemory),
    known: Option<KnownCopy<'_>>,
) {
    if store.structure.archetypes.tables.arrange(&copy.tables, &mut room.gone) {
        store.structure.archetypes.forget_what_can_be_found_again();
    }
    let tables = store.structure.archetypes.tables.iter_mut().zip(&copy.tables);
    let made = clones.tables.iter_mut().zip(core::mem::take(&mut room.begun));
    for (at, ((table, copy), (clones, begun))) in tables.zip(made).enumerate() {
        // SAFETY: the tables have the order of their copies, which are of this store; the clones belong to the copies, and there is room
        // for them.
        unsafe { table.restore_from(copy, known.and_then(|known| known.table(at)), clones, begun) };
    }
    let made = clones.sparse.iter_mut().zip(core::mem::take(&mut room.begun_sparse));
    let copies = copy.sparse.iter().chain(&room.none).zip(made);
    for (storage, (copy, (clones, begun))) in store.structure.sparse.iter_mut().zip(copies) {
        // SAFETY: the storage with this number always has the same component; the clones belong to the copy, and there is room for them.
        unsafe { storage.restore_from(copy, clones, begun) };
    }
    // SAFETY: the copies are of this store, the clones are theirs, and there is room for them.
    unsafe { store.events.removals.restore_logs(&copy.removals, &mut clones.removals) };
}

/// Returns the descriptor of a component.
fn info(components: &Components, id: ComponentId) -> Option<&'static ComponentDescriptor> {
    components.info(id).map(|info| info.descriptor())
}

impl StoreCopy {
    /// Clones everything that is needed to restore a store from this copy; the clones of the rows are given.
    fn clones(
        &self,
        (tables, sparse): (Vec<Vec<ColumnClones>>, Vec<ColumnClones>),
        store: &Store,
        is_apart: impl Fn(&ComponentDescriptor) -> bool,
    ) -> Result<CopyClones, AllocError> {
        Ok(CopyClones {
            tables,
            sparse,
            resources: store.resources.clones(&self.resources, is_apart)?,
            removals: Removals::clones(&self.removals)?,
            spawns: self.spawns.clone(),
            links: self.links.clone(),
            pairs: self.pairs_for(store),
            id_forecasts: self.id_forecasts.clone(),
            frames: self.frames.clone(),
        })
    }

    /// Returns the cloned pairs for each relation of a store; empty pairs if the copy does not have the relation.
    fn pairs_for(&self, store: &Store) -> Vec<Box<dyn ErasedPairs>> {
        let places = store.relations.places.iter().enumerate();
        let pairs = places.map(|(number, place)| match self.pairs.get(number) {
            Some(Some(copy)) => copy.pairs(),
            _ => place.pairs.without_pairs(),
        });
        pairs.collect()
    }

    /// Returns the lists of messages that the schedule with this seat holds, each with the number of the first held message.
    pub(crate) fn held_messages(&self, seat: &Weak<()>) -> impl Iterator<Item = (&'static ComponentDescriptor, u64)> {
        self.frames.held_by(seat).filter_map(|(id, origin, from)| {
            // If the list has been replaced, only messages of the current list are held.
            let (_, numbers) = self.resources.messages().find(|(of, numbers)| *of == id && numbers.origin == origin)?;
            Some((self.resources.descriptor(id)?, from.clamp(numbers.start, numbers.end)))
        })
    }

    /// Returns the list of messages with this origin.
    pub(crate) fn messages_at(&self, origin: usize) -> Option<(&'static ComponentDescriptor, MessageNumbers)> {
        let (id, numbers) = self.resources.messages().find(|(_, numbers)| numbers.origin == origin)?;
        Some((self.resources.descriptor(id)?, numbers))
    }

    /// Returns the list of messages that is this resource.
    pub(crate) fn messages_of(&self, descriptor: &ComponentDescriptor) -> Option<(ResourceId, MessageNumbers)> {
        let is_it = |id| self.resources.descriptor(id).is_some_and(|own| own.is_same(descriptor));
        self.resources.messages().find(|(id, _)| is_it(*id))
    }

    /// Returns the number of entities.
    pub(crate) fn len(&self) -> usize {
        self.tables.iter().map(TableCopy::len).sum()
    }

    /// Returns the bytes that the copy has allocated for entities and components, without memory that values own.
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.entities.allocated_bytes()
            + self.tables.iter().map(TableCopy::allocated_bytes).sum::<usize>()
            + self.sparse.iter().map(SparseCopy::allocated_bytes).sum::<usize>()
    }
}
