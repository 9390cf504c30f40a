//! Copies that were not taken from a store: parts are checked and put together for a store, so that it can become what they say.
//!
//! Nothing is believed: whatever the parts are, the result is a copy that the store could have made, or an error. So all of a file
//! can come here, and what is built is as safe to restore as what was taken.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Weak;
use alloc::vec::Vec;

use hashbrown::HashSet;

use super::Store;
use super::copies::StoreCopy;
use super::frames::FramesCopy;
use super::links::{BuiltLinks, LinksCopy};
use crate::alloc_error::or_raise;
use crate::column::{ColumnCopy, ColumnParts};
use crate::component::{
    ChangeTracking, ComponentDescriptor, ComponentId, KnownClones, RegisterComponentError, Unproved,
};
use crate::entity::{EntitiesCopy, Entity, EntityIds, EntityIdsError, SystemKey};
use crate::relation::{PairsCopy, PairsFault, PairsParts, PairsSetting};
use crate::removal::LogCopy;
use crate::resource::{NewResource, ResourceCopies};
use crate::sparse::SparseCopy;
use crate::table::TableCopy;
use crate::tick::{CHECK_EVERY, ComponentTicks, LastRun, MAX_AGE, Tick};
use crate::tracking::Spawns;

/// How many frames may have ended: more than any program lives to see, and so few that counting on does not overflow.
const MAX_FRAMES: u64 = u64::MAX / 2;

/// Rows of a table.
pub(crate) struct TableParts {
    pub(crate) entities: Vec<Entity>,
    pub(crate) stamped: Tick,
    pub(crate) columns: Vec<ColumnParts>,
}

/// Removals of a component that readers may not have read.
pub(crate) struct RemovalParts {
    pub(crate) component: &'static ComponentDescriptor,
    pub(crate) entities: Vec<Entity>,
    /// The value of each, in a list with values.
    pub(crate) values: Option<ColumnParts>,
    /// The number of the first one, and how many are kept at most.
    pub(crate) first: u64,
    pub(crate) limit: usize,
}

/// Which frame and tick it is in a snapshot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SnapshotClock {
    /// How many frames had ended: see [`World::frame_number`](crate::World::frame_number).
    pub frame_number: u64,
    /// Whether schedules have run in the frame that is not named: then it ends when one runs that has run in it.
    pub is_frame_open: bool,
    /// The tick that changes get next: see [`World::change_tick`](crate::World::change_tick).
    pub tick: Tick,
    /// The tick since which changes are new to the program itself: see [`World::last_change_tick`](crate::World::last_change_tick).
    pub last: Tick,
    /// When all ticks were looked at last, to bring those forward that are too old.
    pub checked: Tick,
}

/// What a copy is made of that was not taken from a store.
pub(crate) struct StoreParts {
    pub(crate) ids: EntityIds,
    /// In the order of the tables.
    pub(crate) tables: Vec<TableParts>,
    pub(crate) storages: Vec<(Vec<Entity>, ColumnParts)>,
    pub(crate) resources: Vec<NewResource>,
    /// Of relations that differ, with what finds the number of one in a store.
    pub(crate) pairs: Vec<(Box<dyn PairsParts>, fn(&mut Store) -> usize)>,
    /// Of components and kinds of lists that differ.
    pub(crate) removals: Vec<RemovalParts>,
    /// When entities were spawned: by index, of those behind the end, and the newest.
    pub(crate) spawns: Option<(Vec<Tick>, Tick, Tick)>,
    /// How many ids systems are expected to reserve.
    pub(crate) expected_ids: Vec<(SystemKey, u32)>,
    /// What schedules hold that have these seats: messages, from a number on.
    pub(crate) held: Vec<(Weak<()>, Vec<(&'static ComponentDescriptor, u64)>)>,
    /// The numbers of the labels of the schedules that have run in the frame, if all are known.
    pub(crate) ran: Vec<u64>,
    pub(crate) clock: SnapshotClock,
}

/// Parts of a snapshot cannot be put together. Nothing has happened.
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
    /// Entities do not belong to the ids.
    Ids(EntityIdsError),
    /// A component or resource is there twice, or two tables have the same components: a type name.
    Twice(&'static str),
    /// The first table has components, or a later one has none.
    FirstTable,
    /// There are not as many values of a component as entities. Its type name.
    Length(&'static str),
    /// The storage of a component is another one. Its type name.
    Storage(&'static str),
    /// An entity has two values of a sparse component, or is not alive. Its type name.
    SparseEntity(&'static str, Entity),
    /// There is not a tick for each value of a component, or none is kept of it. Its type name.
    Ticks(&'static str),
    /// Something has happened later than now, or before what is remembered; or more frames have ended than ever do.
    Time,
    /// Values cannot be cloned, so that they cannot be restored. The type name of a component or resource.
    NotClone(&'static str),
    /// A component is that of sources or of targets of pairs, and other entities have it than those that are in such pairs; or it is a side
    /// of a relationship, in a table. Its type name.
    Side(&'static str),
    /// There cannot be a pair of these entities, or not at its place in the lists of both: the type name of the relation.
    Pair(&'static str, [Entity; 2]),
    /// The two sides of a relationship disagree on the links of an entity, or an entity is linked as it cannot be: to itself, or in a
    /// circle. The type name of the component that names a target.
    Link(&'static str, Entity),
    /// A resource stays on its thread. Its type name.
    NonSend(&'static str),
    /// Removals of a component that cannot be: its type name.
    Removals(&'static str),
    /// A schedule holds messages that are not there: the type name of the list.
    Messages(&'static str),
    /// A schedule cannot be prepared, which has systems of which it is said what they keep: its label, and why.
    Schedule(String, String),
    /// What is said that a system keeps is nothing that it could keep: the label of its schedule, and its name.
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
            write!(f, "what cannot be cloned cannot be restored: {}", Unproved::clone("component", name))
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

/// No entry of a list has a greater number: so many are never written.
pub(crate) const MAX_NUMBER: u64 = u64::MAX / 2;

/// The era of copies that are built, which is not among the first ones: runs of earlier eras can be remembered in it.
pub(crate) const BUILT_ERA: u32 = LastRun::FORGOTTEN;

/// Whether a tick can be remembered at another one. Ticks are brought forward to the greatest age whenever all are looked at.
fn is_known(tick: Tick, now: Tick) -> bool {
    tick.age(now) <= MAX_AGE + CHECK_EVERY
}

impl StoreParts {
    /// All that can be known to be wrong before the store is looked at.
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

    /// Whether ticks of a value can be remembered.
    fn are_known(&self, ticks: &ComponentTicks) -> bool {
        is_known(ticks.added, self.clock.tick) && is_known(ticks.changed, self.clock.tick)
    }

    /// Checks a column for so many entities. Returns whether its ticks can be remembered.
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

/// A copy of this store that says what parts say: with its own numbers of components and storages. Components that it does not
/// know are registered. `links_of` looks at the values of relationships, and says how entities are linked by them. `is_apart`
/// says which resources that are not among the parts are no part of the copy. `clones` has the functions of types whose definitions
/// name none.
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
    // There is always a first table.
    let rows = tables.iter().map(|table| &table.entities[..]);
    let limit = store.structure.entities.limit();
    let mut entities = EntitiesCopy::of(&ids, limit, rows).map_err(BuildError::Ids)?;
    check_sparse_entities(&storages, &entities)?;
    let built = links_of(&mut storages)?;
    let pairs = number_pairs(store, build_pairs(pairs, (&ids, &entities), &storages, now, clones)?)?;
    let mut registered = Registered::default();
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

/// The components of the columns of a copy, which are registered.
#[derive(Default)]
struct Registered {
    /// Those that have ticks.
    tracked: Vec<ComponentId>,
    /// The name of one that has values which cannot be cloned.
    not_clone: Option<&'static str>,
}

impl Registered {
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
            // It is one with such storage: that has been checked.
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

/// Has schedules hold messages that are there.
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

/// Copies of all lists of removals: those that parts say, as far as there are such lists, and the others without entries.
fn build_removals(store: &mut Store, parts: Vec<RemovalParts>, now: Tick) -> Result<Vec<[LogCopy; 2]>, BuildError> {
    let mut copies = store.events.removals.empty_copies(&store.structure.archetypes.components);
    for RemovalParts { component, entities, values, first, limit } in parts {
        let id = store.register_descriptor(component)?;
        // Without a reader nothing is kept.
        let Some(list) = store.events.removals.list_of(id) else { continue };
        let (rows, of_values) = (entities.len(), values.is_some());
        let values = values.map(|values| or_raise(ColumnCopy::of(values, rows, |row| row, now)));
        copies[list][usize::from(of_values)] = LogCopy::of(entities, values, first, limit.max(rows));
    }
    Ok(copies)
}

/// What finds the number of a relation in a store.
type Register = fn(&mut Store) -> usize;

/// Copies of pairs, by the numbers that their relations have in a store.
fn number_pairs(
    store: &mut Store,
    pairs: Vec<(Box<dyn PairsCopy>, Register)>,
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

/// Pairs that can be, of entities that have the components of their relations.
///
/// # Errors
///
/// If they cannot.
fn build_pairs(
    parts: Vec<(Box<dyn PairsParts>, Register)>,
    (ids, entities): (&EntityIds, &EntitiesCopy),
    storages: &[(Vec<Entity>, ColumnParts)],
    now: Tick,
    clones: &KnownClones,
) -> Result<Vec<(Box<dyn PairsCopy>, Register)>, BuildError> {
    let is_alive = |entity: Entity| entities.at_index(entity.index()) == Some(entity);
    let is_past = |entity: Entity| {
        // Generations of an index only grow, until it has none any more.
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
