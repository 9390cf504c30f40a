//! Compares both sides of all links, after an operation on them was aborted.
//!
//! Tests: tests/relationships/panics.rs

use alloc::vec::Vec;

use super::functions::{LinkFunctions, relation};
use crate::component::ComponentId;
use crate::entity::{Entity, EntityHashSet};
use crate::structure::store::pairs::compare_pairs;
use crate::structure::store::{OrphanSource, Store};
use crate::world::cast::World;

/// Notes all links and pairs whose two sides disagree. Nothing else is changed, so it can be repeated. `O(entities)`
#[cold]
pub(super) fn compare(store: &mut Store) {
    for number in 0..store.structure.sparse.len() {
        let source = store.structure.archetypes.components.sparse()[number];
        let Some((functions, true)) = relation(store, source) else { continue };
        let Ok(list) = store.register_descriptor((functions.target_list)()) else { continue };
        compare_sides(store, functions, [source, list]);
    }
    compare_pairs(store);
}

/// Notes all links of a relationship whose two sides disagree. `id` is the component of the sources, and `list`
/// the component of the targets.
fn compare_sides(store: &mut Store, functions: &LinkFunctions, [id, list]: [ComponentId; 2]) {
    let entities: Vec<Entity> =
        store.structure.archetypes.tables.iter().flat_map(|table| table.entities()).copied().collect();
    // The sources that are on the list of the target that their component names.
    let mut listed = EntityHashSet::default();
    for &target in &entities {
        let Some(sources) = (functions.sources)(store, id, target) else { continue };
        let mut agrees = true;
        for source in sources {
            let named = (functions.target)(World::from_store(store), source);
            let is_noted = store.events.links.target(id, source) == Some(target);
            agrees &= named == Some(target) && listed.insert(source) && is_noted;
        }
        if !agrees {
            store.events.links.adopting.push((list, target));
        }
    }
    // Despawned sources are not in `entities`, so their records are ended separately.
    let noted: Vec<Entity> = store.events.links.sources(id).collect();
    let ended = noted.into_iter().filter(|&source| !store.structure.entities.contains(source));
    store.events.links.parting.extend(ended.map(|source| (id, source)));
    for source in entities {
        let named = (functions.target)(World::from_store(store), source);
        let noted = store.events.links.target(id, source);
        if noted == named && (named.is_none() || listed.contains(&source)) {
            continue;
        }
        let links = &mut store.events.links;
        match named {
            // The source was linked to this target, which has been despawned.
            Some(target) if noted == named && !store.structure.entities.contains(target) => {
                links.orphans.push(OrphanSource { relation: id, source, target, has_ended: true });
            }
            Some(_) => {
                links.coming.push((id, source));
                match noted == named {
                    // The list of the target lacks the source, so the record is removed and the link is made again.
                    true => links.forget_targets(id, &[source]),
                    false => links.parting.push((id, source)),
                }
            }
            None => links.parting.push((id, source)),
        }
    }
}

/// For tests: panics if the two sides of a relationship disagree.
pub(in crate::world) fn check_links(world: &World) {
    for info in world.store.structure.archetypes.components.iter() {
        let Some((functions, true)) = relation(&world.store, info.id()) else { continue };
        let name = info.name();
        let (mut named, mut listed) = (0, 0);
        for &entity in world.store.structure.archetypes.tables.iter().flat_map(|table| table.entities()) {
            let target = (functions.target)(world, entity);
            assert_eq!(target, world.store.events.links.target(info.id(), entity), "what {entity} names by {name}");
            named += usize::from(target.is_some());
            let sources = (functions.listed)(world, entity).unwrap_or_default();
            for source in &sources {
                assert_eq!((functions.target)(world, *source), Some(entity), "what {source} names by {name}");
            }
            assert_eq!(EntityHashSet::from_iter(sources.clone()).len(), sources.len(), "each source of {entity} once");
            listed += sources.len();
        }
        assert_eq!(named, listed, "each link by {name} has two sides");
        assert_eq!(world.store.events.links.count(info.id()), named, "links by {name}");
    }
}
