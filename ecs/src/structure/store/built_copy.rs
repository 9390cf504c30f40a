//! Copies that were not taken from a store: their parts are checked and assembled, so that a store can be restored from them.
//!
//! The parts are not trusted: the result is either a copy that the store itself could have made, or an error. So the parts can come from a
//! file, and a built copy is as safe to restore as a copy that was taken.
//!
//! Tests: tests/snapshots/contents.rs

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Weak;
use alloc::vec::Vec;

use hashbrown::HashSet;

use super::Store;
use super::copies::StoreCopy;
use super::frames::FramesCopy;
use super::links::{BuiltLinks, LinksCopy};
use crate::component::{
    ChangeTracking, ComponentDescriptor, ComponentId, KnownClones, RegisterComponentError, UnprovedType,
};
use crate::entity::{EntitiesCopy, Entity, EntityIds, EntityIdsError, SystemKey};
use crate::relations::relation::{PairsCopy, PairsFault, PairsParts, PairsSetting};
use crate::storage::column::{ColumnCopy, ColumnParts};
use crate::storage::resource::{NewResource, ResourceCopies};
use crate::storage::sparse::SparseCopy;
use crate::storage::table::TableCopy;
use crate::storage::tick::{CHECK_EVERY, ComponentTicks, LastRun, MAX_AGE, Tick};
use crate::storage::tracking::Spawns;
use crate::structure::removal::LogCopy;
use crate::util::alloc_error::or_raise;

/// Upper limit for the number of ended frames: unreachable in practice, and small enough that counting on does not overflow.
const MAX_FRAMES: u64 = u64::MAX / 2;

/// The rows of a table.
pub(crate) struct TableParts {
    pub(crate) entities: Vec<Entity>,
    pub(crate) stamped: Tick,
    pub(crate) columns: Vec<ColumnParts>,
}

/// Recorded removals of a component that readers may not have read.
pub(crate) struct RemovalParts {
    pub(crate) component: &'static ComponentDescriptor,
    pub(crate) entities: Vec<Entity>,
    /// The value of each entry, if the list keeps values.
    pub(crate) values: Option<ColumnParts>,
    /// The number of the first entry, and the maximum number of kept entries.
    pub(crate) first: u64,
    pub(crate) limit: usize,
}

/// The frame number and the ticks of a snapshot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SnapshotClock {
    /// The number of frames that had ended: see [`World::frame_number`](crate::World::frame_number).
    pub frame_number: u64,
    /// Whether schedules have run in the current implicit frame. Such a frame ends when one of these schedules runs again.
    pub is_frame_open: bool,
    /// The tick of the next changes: see [`World::change_tick`](crate::World::change_tick).
    pub tick: Tick,
    /// The tick after which changes are new outside of systems: see [`World::last_change_tick`](crate::World::last_change_tick).
    pub last: Tick,
    /// The tick at which all ticks were last clamped.
    pub checked: Tick,
}

/// The parts of a copy that was not taken from a store.
pub(crate) struct StoreParts {
    pub(crate) ids: EntityIds,
    /// In the order of the tables.
    pub(crate) tables: Vec<TableParts>,
    pub(crate) storages: Vec<(Vec<Entity>, ColumnParts)>,
    pub(crate) resources: Vec<NewResource>,
    /// Pairs of different relations, each with a function that returns the number of the relation in a store.
    pub(crate) pairs: Vec<(Box<dyn PairsParts>, fn(&mut Store) -> usize)>,
    /// Recorded removals; at most one entry for each component and kind of list.
    pub(crate) removals: Vec<RemovalParts>,
    /// When entities were spawned: a tick by index, the tick of the entities past the end of that list, and the newest tick.
    pub(crate) spawns: Option<(Vec<Tick>, Tick, Tick)>,
    /// The number of ids that each system is expected to reserve.
    pub(crate) expected_ids: Vec<(SystemKey, u32)>,
    /// The messages that schedules hold, by seat: for each list of messages, the number of the first held message.
    pub(crate) held: Vec<(Weak<()>, Vec<(&'static ComponentDescriptor, u64)>)>,
    /// The numbers of the labels of the schedules that have run in the frame, if all have labels.
    pub(crate) ran: Vec<u64>,
    pub(crate) clock: SnapshotClock,
}

/// The parts of a snapshot cannot be assembled. Nothing has happened.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::snapshot::{BuildError, SnapshotBuilder, SnapshotOptions};
///
/// let mut world = World::new();
/// let entity = world.spawn_empty().id();
/// let snapshot = world.snapshot()?;
/// let contents = snapshot.contents();
///
/// let mut builder = SnapshotBuilder::new(contents.ids(), contents.clock());
/// builder.add_table(vec![entity, entity], contents.clock().tick, []);
/// let error = builder.build(&mut world, &SnapshotOptions::new()).unwrap_err();
/// assert!(matches!(error, BuildError::Ids(_)), "{error}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// The entities contradict the ids.
    Ids(EntityIdsError),
    /// A component or resource occurs twice, or two tables have the same components. Contains a type name.
    Twice(&'static str),
    /// The first table has components, or a later table has no components.
    FirstTable,
    /// The number of values of a component differs from the number of entities. Contains the type name of the component.
    Length(&'static str),
    /// The component has another kind of storage. Contains its type name.
    Storage(&'static str),
    /// An entity has two values of a sparse component, or is not alive. Contains the type name of the component.
    SparseEntity(&'static str, Entity),
    /// The number of ticks of a component differs from the number of its values, or the component keeps no ticks. Contains its type name.
    Ticks(&'static str),
    /// A tick is later than the current tick or too old to be represented, or the number of ended frames is out of range.
    Time,
    /// Values cannot be cloned, so they cannot be restored. Contains the type name of the component or resource.
    NotClone(&'static str),
    /// The entities with the marker component of sources or targets of pairs are not the entities in such pairs; or a component of a
    /// relationship is in a table. Contains the type name of the component.
    Side(&'static str),
    /// These entities cannot form a pair, or the pair is at a wrong place in a list. Contains the type name of the relation.
    Pair(&'static str, [Entity; 2]),
    /// The two sides of a relationship disagree on the links of an entity, or the entity is linked to itself or in a cycle. Contains the
    /// type name of the component that names the target.
    Link(&'static str, Entity),
    /// The resource is not `Send`. Contains its type name.
    NonSend(&'static str),
    /// Recorded removals of a component are invalid. Contains the type name of the component.
    Removals(&'static str),
    /// A schedule holds messages that do not exist. Contains the type name of the list.
    Messages(&'static str),
    /// A schedule with saved system state cannot be prepared. Contains its label and the error.
    Schedule(String, String),
    /// The saved state of a system does not fit the system. Contains the label of its schedule, and its name.
    System(String, String),
    /// A component cannot be registered.
    Register(RegisterComponentError),
}

impl_error! {
    [] BuildError => |this, f| match this {
        Self::Ids(error) => error.fmt(f),
        Self::Twice(name) => write!(f, "`{name}` is there twice, or two tables have the same components"),
        Self::FirstTable => f.write_str("the first table, and no other, is that of entities without components"),
        Self::Length(name) => write!(f, "there are not as many values of component `{name}` as entities"),
        Self::Storage(name) => write!(f, "component `{name}` has another kind of storage"),
        Self::SparseEntity(name, entity) => {
            write!(f, "entity {entity} has two values of component `{name}`, or is not alive")
        }
        Self::Ticks(name) => write!(f, "there is not one tick for each value of component `{name}`"),
        Self::Time => f.write_str(
            "a tick is later than the current one, or too old to be known; or more frames have ended than ever do",
        ),
        Self::NotClone(name) => {
            write!(f, "what cannot be cloned cannot be restored: {}", UnprovedType::clone("component", name))
        }
        Self::Side(name) => {
            write!(f, "other entities have component `{name}` than those in the pairs or links that it belongs to")
        }
        Self::Link(name, entity) => {
            write!(f, "what entity {entity} names or lists by relationship `{name}` is no link that can be")
        }
        Self::Pair(name, [source, target]) => {
            write!(f, "{source} and {target} cannot be a pair of `{name}`, or not in this order")
        }
        Self::NonSend(name) => write!(f, "non-send value `{name}` cannot be a part of a snapshot"),
        Self::Removals(name) => write!(f, "component `{name}` cannot have been removed as is said"),
        Self::Messages(name) => write!(f, "a schedule holds messages of `{name}` that are not there"),
        Self::Schedule(label, error) => write!(f, "schedule `{label}` cannot be prepared: {error}"),
        Self::System(label, name) => {
            write!(f, "system `{name}` of schedule `{label}` cannot keep what is said of it")
        }
        Self::Register(error) => error.fmt(f),
    },
    Register(RegisterComponentError)
}

/// The maximum number of an entry of a list. No program writes so many entries.
pub(crate) const MAX_NUMBER: u64 = u64::MAX / 2;

/// The era of built copies. It is not one of the first eras, so runs of earlier eras can be represented in it.
pub(crate) const BUILT_ERA: u32 = LastRun::FORGOTTEN;

/// Returns whether a tick can be represented at tick `now`: clamping limits the age of ticks.
fn is_known(tick: Tick, now: Tick) -> bool {
    tick.age(now) <= MAX_AGE + CHECK_EVERY
}

impl StoreParts {
    /// Checks everything that can be checked without the store.
    fn check(&self, clones: &KnownClones) -> Result<(), BuildError> {
        let is_known = |tick: Tick| is_known(tick, self.clock.tick);
        let mut is_in_time =
            is_known(self.clock.last) && is_known(self.clock.checked) && self.clock.frame_number <= MAX_FRAMES;
        for (number, table) in self.tables.iter().enumerate() {
            if (number == 0) != table.columns.is_empty() {
                return Err(BuildError::FirstTable);
            }
            is_in_time &= is_known(table.stamped);
            for column in &table.columns {
                is_in_time &= self.check_column(column, table.entities.len(), false)?;
            }
        }
        for (entities, column) in &self.storages {
            is_in_time &= self.check_column(column, entities.len(), true)?;
        }
        self.check_removals()?;
        if let Some((ticks, others, newest)) = &self.spawns {
            is_in_time &= is_known(*others) && is_known(*newest) && ticks.iter().copied().all(is_known);
            is_in_time &= ticks.len() <= self.ids.generations.len();
        }
        for (at, resource) in self.resources.iter().enumerate() {
            let descriptor = resource.descriptor();
            if resource.is_on_thread {
                return Err(BuildError::NonSend(descriptor.name()));
            }
            if !clones.can_clone(descriptor) {
                return Err(BuildError::NotClone(descriptor.name()));
            }
            if self.resources[..at].iter().any(|other| other.descriptor().is_same(descriptor)) {
                return Err(BuildError::Twice(descriptor.name()));
            }
            is_in_time &= self.are_known(&resource.ticks());
        }
        if is_in_time { Ok(()) } else { Err(BuildError::Time) }
    }

    /// Returns whether the ticks of a value can be represented.
    fn are_known(&self, ticks: &ComponentTicks) -> bool {
        is_known(ticks.added, self.clock.tick) && is_known(ticks.changed, self.clock.tick)
    }

    /// Checks a column for this number of entities. Returns whether its ticks can be represented.
    fn check_column(&self, column: &ColumnParts, entities: usize, is_sparse: bool) -> Result<bool, BuildError> {
        let descriptor = column.values.descriptor();
        let name = descriptor.name();
        if descriptor.is_sparse() != is_sparse || descriptor.storage().is_none() {
            return Err(BuildError::Storage(name));
        }
        if descriptor.relation().is_some() && !is_sparse {
            return Err(BuildError::Side(name));
        }
        if column.values.len() != entities {
            return Err(BuildError::Length(name));
        }
        if entities != 0 && !column.constructed && !column.can_be_cloned() {
            return Err(BuildError::NotClone(name));
        }
        let may_have_ticks = descriptor.tracking() != ChangeTracking::Never;
        match &column.ticks {
            Some(ticks) if ticks.len() != entities || !may_have_ticks => Err(BuildError::Ticks(name)),
            ticks => {
                let mut ticks = ticks.iter().flatten();
                Ok(is_known(column.visited, self.clock.tick) && ticks.all(|ticks| self.are_known(ticks)))
            }
        }
    }

    /// Checks the lists of removals.
    fn check_removals(&self) -> Result<(), BuildError> {
        for (at, RemovalParts { component, entities, values, first, .. }) in self.removals.iter().enumerate() {
            let name = component.name();
            let is_same =
                |other: &RemovalParts| other.component.is_same(component) && other.values.is_some() == values.is_some();
            let is_own = |column: &ColumnParts| column.values.descriptor().is_same(component) && column.ticks.is_none();
            if self.removals[..at].iter().any(is_same)
                || component.storage().is_none()
                || !values.as_ref().is_none_or(is_own)
                || *first > MAX_NUMBER
            {
                return Err(BuildError::Removals(name));
            }
            if let Some(values) = values {
                if values.values.len() != entities.len() {
                    return Err(BuildError::Length(name));
                }
                if !entities.is_empty() && !values.can_be_cloned() {
                    return Err(BuildError::NotClone(name));
                }
            }
        }
        Ok(())
    }
}

/// Assembles a copy of this store from parts, with the store's own numbers of components and storages. Components that the store does not
/// have are registered. `links_of` reads the links from the values of relationships. `is_apart` returns whether a resource that is missing
/// from the parts is not part of the copy. `clones` has the clone functions of types whose definitions name none.
///
/// # Errors
///
/// If the parts contradict each other or this store.
pub(crate) fn build_copy(
    store: &mut Store,
    parts: StoreParts,
    links_of: impl FnOnce(&mut [(Vec<Entity>, ColumnParts)]) -> Result<Vec<BuiltLinks>, BuildError>,
    is_apart: impl Fn(&ComponentDescriptor) -> bool,
    clones: &KnownClones,
) -> Result<StoreCopy, BuildError> {
    parts.check(clones)?;
    let StoreParts { ids, tables, mut storages, resources, pairs, removals, spawns, .. } = parts;
    let (mut frames, now) =
        (FramesCopy::of(parts.clock.frame_number, parts.clock.is_frame_open, &parts.ran), parts.clock.tick);
    // `check` has ensured that the first table exists, the one for entities without components.
    let rows = tables.iter().map(|table| &table.entities[..]);
    let limit = store.structure.entities.limit();
    let mut entities = EntitiesCopy::of(&ids, limit, rows).map_err(BuildError::Ids)?;
    check_sparse_entities(&storages, &entities)?;
    let built = links_of(&mut storages)?;
    let pairs = number_pairs(store, build_pairs(pairs, (&ids, &entities), &storages, now, clones)?)?;
    let mut registered = RegisteredColumns::default();
    let tables = registered.build_tables(store, tables, now)?;
    let sparse = registered.build_storages(store, storages, &mut entities, now)?;
    let mut links = LinksCopy::default();
    for BuiltLinks { relation, links: all } in built {
        links.add(store.register_descriptor(relation)?, &all);
    }
    let removals = build_removals(store, removals, now)?;
    let resources = store.resources.copies_of(resources, is_apart, clones);
    hold_messages(&mut frames, parts.held, &resources)?;
    if spawns.is_some() {
        store.events.track_spawns(&mut store.structure.archetypes, store.clock.change_tick());
    }
    Ok(StoreCopy {
        whole_of: Some(store.id),
        entities,
        id_forecasts: store.structure.id_forecasts.with(parts.expected_ids, ids.generations.len()),
        tables,
        sparse,
        resources,
        removals,
        spawns: spawns.map(|(ticks, others, newest)| Spawns::of(ticks, others, newest)),
        links,
        pairs,
        relations: store.relations.places.iter().map(|place| place.functions.register).collect(),
        frames,
        tick: now,
        last: parts.clock.last,
        checked: parts.clock.checked,
        era: BUILT_ERA,
        tracked: registered.tracked,
        not_clone: registered.not_clone,
    })
}

/// Checks that the entities of each sparse storage are alive and have one value each.
fn check_sparse_entities(storages: &[(Vec<Entity>, ColumnParts)], entities: &EntitiesCopy) -> Result<(), BuildError> {
    for (of, column) in storages {
        let mut known = of.clone();
        known.sort_unstable();
        let twice = known.windows(2).find(|two| two[0] == two[1]).map(|two| two[0]);
        let dead = known.iter().copied().find(|entity| entities.at_index(entity.index()) != Some(*entity));
        if let Some(entity) = twice.or(dead) {
            return Err(BuildError::SparseEntity(column.values.descriptor().name(), entity));
        }
    }
    Ok(())
}

/// The components of the columns of a copy. All of them are registered.
#[derive(Default)]
struct RegisteredColumns {
    /// The components that have ticks.
    tracked: Vec<ComponentId>,
    /// The name of a component whose values cannot be cloned, if there is one.
    not_clone: Option<&'static str>,
}

impl RegisteredColumns {
    fn register(&mut self, store: &mut Store, column: &ColumnParts) -> Result<ComponentId, BuildError> {
        let descriptor = column.values.descriptor();
        let id = store.register_descriptor(descriptor)?;
        if column.values.len() != 0 && !column.can_be_cloned() {
            self.not_clone = Some(descriptor.name());
        }
        if column.ticks.is_some() && !self.tracked.contains(&id) {
            self.tracked.push(id);
        }
        Ok(id)
    }

    fn build_tables(
        &mut self,
        store: &mut Store,
        tables: Vec<TableParts>,
        now: Tick,
    ) -> Result<Vec<TableCopy>, BuildError> {
        let (mut copies, mut met) = (Vec::new(), HashSet::new());
        for TableParts { entities, stamped, columns } in tables {
            let mut numbered = Vec::new();
            for column in columns {
                numbered.push((self.register(store, &column)?, column));
            }
            numbered.sort_by_key(|(id, _)| *id);
            if let Some(two) = numbered.windows(2).find(|two| two[0].0 == two[1].0) {
                return Err(BuildError::Twice(two[0].1.values.descriptor().name()));
            }
            let components: Box<[ComponentId]> = numbered.iter().map(|(id, _)| *id).collect();
            if !met.insert(components.clone()) {
                let first = numbered.first().map_or("", |(_, column)| column.values.descriptor().name());
                return Err(BuildError::Twice(first));
            }
            let rows = entities.len();
            let columns = numbered.into_iter().map(|(_, column)| ColumnCopy::of(column, rows, |row| row, now));
            let columns = or_raise(columns.collect());
            copies.push(TableCopy::of(components, entities, columns, stamped));
        }
        if copies.is_empty() {
            copies.push(TableCopy::of(Box::default(), Vec::new(), Vec::new(), now));
        }
        Ok(copies)
    }

    fn build_storages(
        &mut self,
        store: &mut Store,
        storages: Vec<(Vec<Entity>, ColumnParts)>,
        entities: &mut EntitiesCopy,
        now: Tick,
    ) -> Result<Vec<SparseCopy>, BuildError> {
        let mut numbered = Vec::new();
        for (of, column) in storages {
            numbered.push((self.register(store, &column)?, of, column));
        }
        let components = &store.structure.archetypes.components;
        let infos = components.sparse().iter().filter_map(|id| components.info(*id));
        let mut sparse: Vec<SparseCopy> = infos.map(SparseCopy::new).collect();
        let mut filled = Vec::new();
        for (id, of, column) in numbered {
            let name = column.values.descriptor().name();
            // It has been checked that the component is registered with sparse storage, so no component is skipped here.
            let Some(info) = components.info(id) else { continue };
            let number = info.sparse_index();
            if filled.contains(&number) {
                return Err(BuildError::Twice(name));
            }
            filled.push(number);
            or_raise(entities.note_sparse(number, &of));
            sparse[number] = or_raise(SparseCopy::of(of, column, now));
        }
        Ok(sparse)
    }
}

/// Records which messages schedules hold. Fails if the messages do not exist.
fn hold_messages(
    frames: &mut FramesCopy,
    all: Vec<(Weak<()>, Vec<(&'static ComponentDescriptor, u64)>)>,
    resources: &ResourceCopies,
) -> Result<(), BuildError> {
    for (seat, lists) in all {
        let mut held = Vec::new();
        for (descriptor, from) in lists {
            let is_meant = |id| resources.descriptor(id).is_some_and(|own| own.is_same(descriptor));
            match resources.messages().find(|(id, _)| is_meant(*id)) {
                Some((id, numbers)) if (numbers.start..=numbers.end).contains(&from) => held.push((id, numbers, from)),
                _ => return Err(BuildError::Messages(descriptor.name())),
            }
        }
        frames.hold(seat, held.into_iter());
    }
    Ok(())
}

/// Builds copies of all removal logs: with the given entries where the store has such a log, and empty otherwise.
fn build_removals(store: &mut Store, parts: Vec<RemovalParts>, now: Tick) -> Result<Vec<[LogCopy; 2]>, BuildError> {
    let mut copies = store.events.removals.empty_copies(&store.structure.archetypes.components);
    for RemovalParts { component, entities, values, first, limit } in parts {
        let id = store.register_descriptor(component)?;
        // Without a reader there is no removal log, so the removals are not kept.
        let Some(list) = store.events.removals.list_of(id) else { continue };
        let (rows, of_values) = (entities.len(), values.is_some());
        let values = values.map(|values| or_raise(ColumnCopy::of(values, rows, |row| row, now)));
        copies[list][usize::from(of_values)] = LogCopy::of(entities, values, first, limit.max(rows));
    }
    Ok(copies)
}

/// A function that returns the number of a relation in a store and registers the relation if necessary.
type RegisterRelation = fn(&mut Store) -> usize;

/// Returns the copies of pairs, by the numbers of their relations in a store.
fn number_pairs(
    store: &mut Store,
    pairs: Vec<(Box<dyn PairsCopy>, RegisterRelation)>,
) -> Result<Vec<Option<Box<dyn PairsCopy>>>, BuildError> {
    let mut numbered: Vec<Option<Box<dyn PairsCopy>>> = Vec::new();
    for (copy, register) in pairs {
        let (number, name) = (register(store), copy.descriptor().name());
        if numbered.len() <= number {
            numbered.resize_with(number + 1, || None);
        }
        if numbered[number].replace(copy).is_some() {
            return Err(BuildError::Twice(name));
        }
    }
    Ok(numbered)
}

/// Builds the pairs and checks that exactly the entities in them have the marker components of their relations.
///
/// # Errors
///
/// If the pairs are not valid.
fn build_pairs(
    parts: Vec<(Box<dyn PairsParts>, RegisterRelation)>,
    (ids, entities): (&EntityIds, &EntitiesCopy),
    storages: &[(Vec<Entity>, ColumnParts)],
    now: Tick,
    clones: &KnownClones,
) -> Result<Vec<(Box<dyn PairsCopy>, RegisterRelation)>, BuildError> {
    let is_alive = |entity: Entity| entities.at_index(entity.index()) == Some(entity);
    let is_past = |entity: Entity| {
        // Generations of an index only grow; 0 marks an index that is retired.
        let next = ids.generations.get(entity.index() as usize);
        next.is_some_and(|&next| next == 0 || entity.generation() < next)
    };
    let is_known = |tick| is_known(tick, now);
    let setting = PairsSetting { is_alive: &is_alive, is_past: &is_past, is_known: &is_known, clones };
    let (mut built, mut ends) = (Vec::new(), Vec::new());
    for (parts, register) in parts {
        let (name, components) = (parts.relation().name(), parts.components());
        let copy = or_raise(parts.build(&setting)).map_err(|fault| match fault {
            PairsFault::Length => BuildError::Length(name),
            PairsFault::Ticks => BuildError::Time,
            PairsFault::Pair(ends) => BuildError::Pair(name, ends),
            PairsFault::NotClone => BuildError::NotClone(name),
        })?;
        for (end, component) in components.into_iter().enumerate() {
            let mut entities = copy.entities(end);
            entities.sort_unstable();
            ends.push((component, entities));
        }
        built.push((copy, register));
    }
    let of_pairs = |descriptor: &ComponentDescriptor| descriptor.relation().is_some_and(|side| side.is_of_pairs);
    let given = storages.iter().filter(|(_, column)| of_pairs(column.values.descriptor()));
    for (entities, column) in given.clone() {
        let descriptor = column.values.descriptor();
        let mut entities = entities.clone();
        entities.sort_unstable();
        let expected = ends.iter().find(|(component, _)| component.is_same(descriptor));
        if expected.map_or(&[][..], |(_, entities)| entities) != entities {
            return Err(BuildError::Side(descriptor.name()));
        }
    }
    let is_given = |component: &ComponentDescriptor| {
        given.clone().any(|(_, column)| column.values.descriptor().is_same(component))
    };
    match ends.iter().find(|(component, entities)| !entities.is_empty() && !is_given(component)) {
        Some((component, _)) => Err(BuildError::Side(component.name())),
        None => Ok(built),
    }
}
