//! The entities that are despawned with an entity.
//!
//! Tests: tests/relationships/clones.rs

use alloc::vec::Vec;

use super::functions::{id_of, relation};
use crate::component::ComponentId;
use crate::entity::{Entity, EntityHashSet};
use crate::structure::store::Store;
use crate::world::cast::World;

/// An entity and the entities that are despawned with it.
pub(in crate::world) struct LinkedTree {
    /// The entities, level by level, beginning with the root. The sources of one target are in the order of its list.
    pub(in crate::world) entities: Vec<Entity>,
    /// The relationships that were followed, each given by the component of its sources.
    pub(in crate::world) relationships: Vec<ComponentId>,
    /// The target-side components of these relationships that have other fields.
    pub(in crate::world) lists: Vec<ComponentId>,
}

/// Returns an entity and all entities that would be despawned with it. Only relationships for whose list component
/// `is_meant` returns true are followed. `O(entities)`
pub(in crate::world) fn linked_tree(
    store: &mut Store,
    root: Entity,
    is_meant: impl Fn(&Store, ComponentId) -> bool,
) -> LinkedTree {
    let ids: Vec<ComponentId> = store.structure.archetypes.components.iter().map(|info| info.id()).collect();
    let (mut relationships, mut lists) = (Vec::new(), Vec::new());
    for id in ids {
        if let Some((functions, false)) = relation(store, id)
            && functions.is_linked
            && is_meant(store, id)
            && let Some(source) = id_of(store, functions)
        {
            relationships.push((source, functions));
            lists.extend(functions.list_has_more.then_some(id));
        }
    }
    let (mut entities, mut seen) = (alloc::vec![root], EntityHashSet::from_iter([root]));
    let mut at = 0;
    while let Some(&target) = entities.get(at) {
        for &(id, functions) in &relationships {
            let sources = (functions.sources)(store, id, target).unwrap_or_default();
            let world = World::from_store(store);
            // Both sides may disagree if a program has changed a list that does not store its target.
            let is_new = |source: &Entity| (functions.target)(world, *source) == Some(target) && seen.insert(*source);
            entities.extend(sources.into_iter().filter(is_new));
        }
        at += 1;
    }
    LinkedTree { entities, relationships: relationships.into_iter().map(|(source, _)| source).collect(), lists }
}
