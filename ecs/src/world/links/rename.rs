//! Replaces the entities inside of relationship components when values are cloned, built from data, or moved to another
//! world.
//!
//! Tests: tests/relationships/worlds.rs, tests/relationships/clones.rs

use alloc::vec::Vec;

use super::functions::{id_of, relation, side_of};
use crate::component::{ComponentDescriptor, ComponentId, ErasedRefMut};
use crate::entity::{Entity, EntityHashMap, EntityMapper};
use crate::query::change::WriteEntity;
use crate::structure::store::{EntityBuilder, Store};
use crate::world::cast::World;

/// Replaces the entities inside of a component that is in no world through the mapper, including the target of a
/// relationship. If the component lists sources, it is emptied: the sources are added when they are linked.
pub(crate) fn rename(mut component: ErasedRefMut<'_>, mapper: &mut dyn EntityMapper) {
    let side = side_of(component.descriptor());
    if let Some((functions, false)) = side {
        (functions.empty)(component.reborrow());
    }
    let functions = side.filter(|(_, is_source)| *is_source).map(|(functions, _)| functions);
    let named = functions.and_then(|functions| (functions.rename)(component.reborrow(), None));
    component.map_entities(mapper);
    if let (Some(functions), Some(target)) = (functions, named) {
        (functions.rename)(component, Some(mapper.get_mapped(target)));
    }
}

/// Returns whether [`rename`] may find entities in values of a component.
pub(crate) fn names_entities(component: &ComponentDescriptor) -> bool {
    component.functions().map_entities_fn().is_some() || component.relation().is_some_and(|side| side.is_source)
}

/// Replaces the entities inside of a component through the mapper, before its entity moves to another world. The target
/// of a relationship and the sources in a list are left to [`rename_moved`].
pub(in crate::world) fn rename_before_move(
    store: &mut Store,
    entity: Entity,
    id: ComponentId,
    mapper: &mut dyn EntityMapper,
) {
    let Some(mut component) = WriteEntity::new(store, entity).into_erased(id) else { return };
    if component.descriptor().relation().is_none() {
        component.map_entities(mapper);
        return;
    }
    if let Some((functions, true)) = side_of(component.descriptor())
        && let Some(target) = (functions.rename)(component.reborrow(), None)
    {
        component.map_entities(mapper);
        (functions.rename)(component, Some(target));
    }
}

/// Repairs all lists of sources that a program has swapped. Called before all entities of a world move to another
/// world.
pub(in crate::world) fn mend_before_move(store: &mut Store) {
    for number in 0..store.structure.sparse.len() {
        let list = store.structure.archetypes.components.sparse()[number];
        let Some((functions, false)) = relation(store, list) else { continue };
        let Some(id) = id_of(store, functions) else { continue };
        for index in store.structure.sparse[number].indexes() {
            if let Some((target, _)) = store.structure.entities.at_index(index) {
                (functions.sources)(store, id, target);
            }
        }
    }
}

/// Replaces the entity ids in relationship components of entities that have moved to this world, before listeners are
/// notified. `ids` contains the old and the new id of each entity. Links to entities that have not moved along are
/// removed.
pub(in crate::world) fn rename_moved(store: &mut Store, ids: &[(Entity, Entity)]) {
    let mut map = EntityHashMap::<Entity>::default();
    let has_room = map.try_reserve(ids.len()).is_ok();
    map.extend(ids.iter().copied().filter(|_| has_room));
    let new_id = |old: Entity| {
        let searched = || ids.iter().find(|(of, _)| !has_room && *of == old).map(|(_, new)| *new);
        map.get(&old).copied().or_else(searched).unwrap_or(Entity::PLACEHOLDER)
    };
    // Sources come first, since replacing their targets does not allocate. Lists that could not be changed are rebuilt from the sources.
    for changes_sources in [true, false] {
        for number in 0..store.structure.sparse.len() {
            let id = store.structure.archetypes.components.sparse()[number];
            let functions = relation(store, id).filter(|(_, is_source)| *is_source == changes_sources);
            let Some((functions, is_source)) = functions else { continue };
            for &(_, entity) in ids {
                if is_source {
                    let named = (functions.target)(World::from_store(store), entity);
                    if let Some(target) = named {
                        (functions.retarget)(store, entity, new_id(target));
                    }
                } else if let Some(sources) = (functions.listed)(World::from_store(store), entity) {
                    let sources: Vec<Entity> = sources.into_iter().map(new_id).collect();
                    (functions.list_these)(store, entity, &sources);
                }
            }
        }
    }
}

/// Makes `to` the target of the sources that `from` lists. The other fields of their components keep their values.
pub(in crate::world) fn move_sources(store: &mut Store, list: ComponentId, from: Entity, to: Entity) {
    let Some((functions, false)) = relation(store, list) else { return };
    let Some(id) = id_of(store, functions) else { return };
    let sources = (functions.sources)(store, id, from).unwrap_or_default();
    sources.into_iter().for_each(|source| (functions.rename_target)(store, source, to));
}

/// Moves the other fields of a component that lists sources into a value without sources. Does nothing if the component
/// has no other fields.
pub(in crate::world) fn take_others(store: &mut Store, list: ComponentId, target: Entity, others: &mut EntityBuilder) {
    if let Some((functions, false)) = relation(store, list)
        && functions.list_has_more
    {
        (functions.take_others)(store, target, others);
    }
}
