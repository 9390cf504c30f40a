//! Moving all entities of a store into another one, with the entities inside of their values. The source store is dropped.
//!
//! The new ids are known before anything moves. So the values are updated in the source store, by user code that may panic, and the
//! observers and hooks of the destination never see old ids.
//!
//! Tests: tests/storage/transfer.rs, tests/storage/descriptors/entities.rs

use alloc::vec;
use alloc::vec::Vec;

use super::Store;
use super::selection::Selection;
use super::spawn_error::MAX_GAP;
use super::transfer::MovedIds;
use super::transfer::move_notified_to;
use crate::component::{ComponentDescriptor, ComponentId, Components};
use crate::entity::{Entities, Entity, EntityHashMap, EntityMapper, TableId};
use crate::storage::resource::NewResource;
use crate::util::guard::DeferredPanic;

/// Maps the entities inside of the value of a component.
pub(super) type MapInside = fn(&mut Store, Entity, ComponentId, &mut dyn EntityMapper);

/// The new ids of entities that are about to move to another store.
///
/// Other entities that occur in values do not exist in the other store. Each gets an id of its own that no entity of the other store has or
/// will ever have.
struct NewIds<'a> {
    of: &'a Entities,
    /// The old and the new id of each moving entity, by the index of the old id.
    moving: Vec<(Entity, Entity)>,
    /// The new ids of entities that do not move but occur in values.
    others: EntityHashMap<Entity>,
    /// The ids of the moving entities, in the order in which they move.
    all: Vec<Entity>,
    /// The number of ids that have been assigned. `positions` is the number of positions that have been visited.
    given: usize,
    positions: u64,
}

impl<'a> NewIds<'a> {
    /// Assigns ids to entities that move in this order; there is room for them. If `are_kept` is true, each entity whose id is free in the
    /// other store keeps its id.
    fn new(of: &'a Entities, moving: &[Entity], are_kept: bool) -> Self {
        let others = EntityHashMap::from_iter(core::iter::empty::<(Entity, Entity)>());
        let indexes = moving.iter().map(|entity| entity.index() as usize + 1).max().unwrap_or(0);
        let (moving_by_index, all) = (vec![(Entity::PLACEHOLDER, Entity::PLACEHOLDER); indexes], Vec::new());
        let mut new = Self { of, moving: moving_by_index, others, all, given: 0, positions: 0 };
        let bound = of.index_bound() + moving.len() + MAX_GAP;
        if are_kept {
            for &entity in moving.iter().filter(|entity| of.can_be_had(**entity, bound)) {
                new.moving[entity.index() as usize] = (entity, entity);
            }
        }
        new.all.reserve(moving.len());
        for &entity in moving {
            let id = if new.keeps(entity) { Some(entity) } else { new.next() };
            let Some(id) = id else { unreachable!("there is room for all that move") };
            new.moving[entity.index() as usize] = (entity, id);
            new.all.push(id);
        }
        new
    }

    /// Returns whether an entity keeps this id.
    fn keeps(&self, id: Entity) -> bool {
        self.moving.get(id.index() as usize).is_some_and(|known| *known == (id, id))
    }

    /// Returns the next id whose index is not the index of a kept id.
    fn next(&mut self) -> Option<Entity> {
        loop {
            let next = self.of.at_position(self.positions)?;
            self.positions += 1;
            // The index may belong to a kept id, which has another generation. Then this id is skipped.
            let at_index = self.moving.get(next.index() as usize);
            if at_index.is_none_or(|(old, new)| old != new || *old == Entity::PLACEHOLDER) {
                self.given += 1;
                return Some(next);
            }
        }
    }
}

impl EntityMapper for NewIds<'_> {
    fn get_mapped(&mut self, source: Entity) -> Entity {
        if source == Entity::PLACEHOLDER {
            return source;
        }
        if let Some(&(_, new)) = self.moving.get(source.index() as usize).filter(|(old, _)| *old == source) {
            return new;
        }
        if let Some(&known) = self.others.get(&source) {
            return known;
        }
        // If there are no ids left, the value refers to no entity: it gets the placeholder.
        let Some(dead) = self.next() else { return Entity::PLACEHOLDER };
        self.others.insert(source, dead);
        dead
    }

    fn set_mapped(&mut self, source: Entity, target: Entity) {
        match self.moving.get_mut(source.index() as usize).filter(|(old, _)| *old == source) {
            Some((_, new)) => *new = target,
            None => _ = self.others.insert(source, target),
        }
    }
}

/// Returns whether values of a component can contain entities.
fn maps(components: &Components, id: ComponentId) -> bool {
    components.info(id).is_some_and(|info| info.descriptor().functions().map_entities_fn().is_some())
}

/// Moves all entities to another store, and returns their old and new ids. Listeners of this store, which is dropped, are not notified.
/// Entities inside of values are mapped; `map` maps those inside of components. If `are_kept` is true, each entity whose id is free in the
/// other store keeps its id. Resources for which `is_wanted` returns true are moved; the second argument of `is_wanted` is whether the
/// other store has a resource of the type. Everything that may fail happens before anything moves.
pub(crate) fn move_all_to(
    mut store: Store,
    to: &mut Store,
    map: MapInside,
    are_kept: bool,
    is_wanted: &mut dyn FnMut(&'static ComponentDescriptor, bool) -> bool,
) -> Vec<(Entity, Entity)> {
    store.flush();
    to.flush();
    let mut resources =
        store.resources.take_new(&mut |descriptor| is_wanted(descriptor, to.resources.contains(descriptor)));
    resources.iter().for_each(|resource| _ = (resource.register)(&mut to.resources));
    let tables = store.structure.archetypes.tables.iter().filter(|table| !table.is_empty());
    let tables: Vec<(TableId, _)> = tables.map(|table| (table.id(), None)).collect();
    let selections: Vec<Selection> = store.in_order(tables.into_iter());
    let mut moving: Vec<Entity> = Vec::with_capacity(selections.iter().map(|selection| selection.len(&store)).sum());
    selections.iter().for_each(|selection| moving.extend(selection.entities(&store)));
    let reserve = |to: &mut Store, count| to.structure.entities.reserve_next_many(count);
    reserve(to, moving.len()).unwrap_or_else(|error| super::SpawnError::from(error).raise());
    let (chosen, dead) = map_inside(&mut store, (&selections, &moving), to, (map, &mut resources), are_kept);
    reserve(to, moving.len() + dead).unwrap_or_else(|error| super::SpawnError::from(error).raise());
    to.structure.entities.reserve_free(dead).unwrap_or_else(|error| error.raise());
    let mut ended = Vec::with_capacity(dead);
    // The store counts as one whose "before" events have been delivered. Its other events are dropped with it.
    store.events.scope_depth += 1;
    store.events.notified_before += 1;
    let ids =
        move_notified_to(&mut store, &selections, to, chosen, |to| to.structure.entities.end_next(dead, &mut ended));
    let now = to.now();
    let replaced: Vec<_> = resources.into_iter().filter_map(|resource| to.resources.put(resource, now)).collect();
    let dropped = DeferredPanic::catch(|| drop(replaced)).or(DeferredPanic::catch(|| drop(store)));
    to.flush_events();
    dropped.go_on();
    ids
}

/// Maps the entities inside of values to ids of another store. Returns the ids that the moving entities get there, and the number of
/// further ids, which no entity may ever have.
fn map_inside(
    store: &mut Store,
    (selections, moving): (&[Selection], &[Entity]),
    to: &Store,
    (map, resources): (MapInside, &mut [NewResource]),
    are_kept: bool,
) -> (MovedIds, usize) {
    let components = &store.structure.archetypes.components;
    let mut mapped: Vec<(Vec<Entity>, ComponentId)> = Vec::new();
    for selection in selections {
        let of_table =
            store.structure.archetypes.tables.get(selection.table).map_or(&[][..], |table| table.components());
        let of_table = of_table.iter().copied().filter(|&id| maps(components, id));
        mapped.extend(of_table.map(|id| (selection.entities(store), id)));
    }
    for (storage, &id) in
        store.structure.sparse.iter().zip(components.sparse()).filter(|&(_, &id)| maps(components, id))
    {
        let indexes = storage.indexes().into_iter();
        mapped.push((indexes.filter_map(|index| Some(store.structure.entities.at_index(index)?.0)).collect(), id));
    }
    let name_some = |resource: &NewResource| resource.descriptor().functions().map_entities_fn().is_some();
    let is_empty = mapped.is_empty()
        && store.relations.places.iter().all(|place| place.pairs.index().len() == 0)
        && !resources.iter().any(name_some);
    if is_empty && !are_kept {
        return (MovedIds::Next, 0);
    }
    let mut new = NewIds::new(&to.structure.entities, moving, are_kept);
    // The ids that `new` has assigned so far are those of the entities that do not keep their id.
    let (kept, others) = (moving.iter().copied().filter(|entity| new.keeps(*entity)).collect(), new.given);
    for (entities, id) in mapped {
        entities.into_iter().for_each(|entity| map(store, entity, id, &mut new));
    }
    store.relations.places.iter_mut().for_each(|place| place.pairs.map_entities(&mut new));
    resources.iter_mut().for_each(|resource| resource.map_entities(&mut new));
    let dead = new.given - others;
    let all = new.all;
    (if are_kept { MovedIds::Chosen { all, kept } } else { MovedIds::Next }, dead)
}
