//! Cloning several entities at once. References between these entities become references between their clones.
//!
//! All values are cloned before anything changes, and the ids of the clones are known before entities inside of values are mapped. Cloning
//! and mapping run user code: if it panics, no clone stays.
//!
//! Tests: tests/relationships/clones.rs

use alloc::vec::Vec;

use super::clone::{ClonedPairs, clone_pairs, relate_clones};
use super::{CloneError, EntityBuilder, Store, StoreEntityMut, clone_some};
use crate::component::{ComponentId, ErasedRefMut, ErasedVec};
use crate::entity::{Entity, EntityHashMap, EntityMapper};
use crate::util::guard::DeferredPanic;

/// Clones of the components and pairs of some entities, which have not been inserted yet.
pub(crate) struct LinkedClones(Vec<LinkedClone>);

struct LinkedClone {
    of: Entity,
    components: EntityBuilder,
    pairs: ClonedPairs,
}

/// Clones some entities: the components and pairs that `is_meant` selects, and the values of the components that `lists` returns, which
/// list sources.
///
/// # Errors
///
/// If an entity is not alive, or has a value that cannot be cloned.
pub(crate) fn clone_linked(
    store: &mut Store,
    entities: &[Entity],
    is_meant: impl Fn(&Store, Entity, ComponentId) -> bool,
    lists: impl Fn(&Store, Entity) -> Vec<ComponentId>,
) -> Result<LinkedClones, CloneError> {
    let all = EntityHashMap::from_iter(entities.iter().map(|&entity| (entity, ())));
    let mut clones = Vec::with_capacity(entities.len());
    for &of in entities {
        let mut components = clone_some(store, of, |id| is_meant(store, of, id))?;
        let lists = lists(store, of).into_iter().filter_map(|id| store.structure.value_by_id(of, id));
        components.parts.extend(lists.filter_map(ErasedVec::clone_with_others));
        let pairs = clone_pairs(store, of, |store, id| is_meant(store, of, id), &|other| all.contains_key(&other))?;
        clones.push(LinkedClone { of, components, pairs });
    }
    Ok(LinkedClones(clones))
}

/// Takes components out of entities, as if they were clones. `wanted` returns the components to take and a builder with further values for
/// the clone. Each entity is an operation of its own.
pub(crate) fn take_linked(
    store: &mut Store,
    entities: &[Entity],
    mut wanted: impl FnMut(&mut Store, Entity) -> (Vec<ComponentId>, EntityBuilder),
) -> LinkedClones {
    let take = |&of: &Entity| {
        let (ids, mut components) = wanted(store, of);
        let taken = StoreEntityMut::find(store, of).map(|mut entity| entity.take_values(Some(&ids)));
        components.parts.extend(taken.into_iter().flat_map(|taken| taken.parts));
        LinkedClone { of, components, pairs: ClonedPairs::default() }
    };
    LinkedClones(entities.iter().map(take).collect())
}

/// Inserts the clones into new entities; if `target` is given, inserts the first clone into it. Returns the entity of each clone. `rename`
/// maps the entities inside of a component.
pub(crate) fn put_linked(
    store: &mut Store,
    LinkedClones(mut clones): LinkedClones,
    target: Option<Entity>,
    rename: impl Fn(ErasedRefMut<'_>, &mut dyn EntityMapper),
) -> Vec<Entity> {
    let new = clones.len() - usize::from(target.is_some());
    // Events are deferred, so that observers are notified of the new entities when these have the cloned components.
    let (table, first) = store.defer_events(|store| store.spawn_batch(core::iter::repeat_n((), new)));
    let table = store.structure.archetypes.tables.get(table);
    let made = table.map_or(&[][..], |table| &table.entities()[first..][..new]).to_vec();
    let ids: Vec<Entity> = target.into_iter().chain(made.iter().copied()).collect();
    let mut copies: EntityHashMap<Entity> = clones.iter().map(|clone| clone.of).zip(ids.iter().copied()).collect();
    let mut panicked = DeferredPanic::catch(|| {
        for LinkedClone { components, pairs, .. } in &mut clones {
            let values = components.parts.iter_mut().filter_map(|part| part.first_erased_mut());
            values.for_each(|value| rename(value, &mut copies));
            pairs.map_entities(&mut copies);
        }
    });
    if panicked.is_some() {
        panicked = panicked.or(DeferredPanic::catch(|| drop(clones)));
        store.despawn_these(&made);
    } else {
        let put = |store: &mut Store| {
            let mut panicked = DeferredPanic::default();
            for (&id, LinkedClone { mut components, pairs, .. }) in ids.iter().zip(clones) {
                // The `Drop` of a replaced value may panic. The other clones are still inserted.
                panicked = panicked.or(DeferredPanic::catch(|| put_linked_one(store, id, &mut components, pairs)));
            }
            panicked
        };
        panicked = store.batched(put);
    }
    panicked.go_on();
    ids
}

fn put_linked_one(store: &mut Store, id: Entity, components: &mut EntityBuilder, pairs: ClonedPairs) {
    let Ok(mut entity) = StoreEntityMut::find(store, id) else { return };
    let done = DeferredPanic::catch(|| {
        entity.insert_dynamic(components).unwrap_or_else(|error| error.raise());
    });
    relate_clones(store, id, pairs);
    done.go_on();
}
